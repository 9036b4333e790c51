//! What a list minimiser asks, and whom.

use dwindle_core::{Candidate, Session, Stop, Subset, Verdict};

/// Answers whether a part of a list is still interesting.
///
/// The elements are numbered; a [`Subset`] says which are kept. Implemented by [`SessionList`] for real
/// reductions and by small closures in tests.
pub trait ListOracle {
    /// The verdict on one part.
    fn test(&mut self, kept: &Subset) -> Result<Verdict, Stop>;

    /// The index of the first interesting part, in the order given.
    ///
    /// `parts` is lazy and must be written as if every earlier part had been boring: more of it may be pulled
    /// than turns out to be needed.
    fn first(&mut self, parts: &mut dyn Iterator<Item = Subset>) -> Result<Option<usize>, Stop>;

    /// The verdicts on a window of parts, every one of which is wanted. Interesting ones are not taken as the
    /// new best until [`ListOracle::accept`] names one.
    fn all(&mut self, parts: &[Subset]) -> Result<Vec<Verdict>, Stop>;

    /// Takes a part that [`ListOracle::all`] found interesting.
    fn accept(&mut self, kept: &Subset) -> Result<(), Stop>;
}

/// Makes a list smaller while it stays interesting.
pub trait ListMinimizer {
    /// The part that is left of a list whose elements weigh `weights` (bytes, tokens: only their ratio counts).
    ///
    /// The whole list is known to be interesting and is not tested again.
    fn minimize(&self, weights: &[u64], oracle: &mut dyn ListOracle) -> Result<Subset, Stop>;
}

/// A list whose parts become candidates of a session.
pub struct SessionList<'s, 'r, F> {
    session: &'s mut Session<'r>,
    candidate: F,
}

impl<'s, 'r, F: Fn(&Subset) -> Candidate> SessionList<'s, 'r, F> {
    /// A list in which `candidate` gives the variant that keeps just the elements it is told.
    pub fn new(session: &'s mut Session<'r>, candidate: F) -> Self {
        SessionList { session, candidate }
    }
}

impl<F: Fn(&Subset) -> Candidate> ListOracle for SessionList<'_, '_, F> {
    fn test(&mut self, kept: &Subset) -> Result<Verdict, Stop> {
        self.session.test((self.candidate)(kept))
    }

    fn first(&mut self, parts: &mut dyn Iterator<Item = Subset>) -> Result<Option<usize>, Stop> {
        self.session.first(parts.map(|kept| (self.candidate)(&kept)))
    }

    fn all(&mut self, parts: &[Subset]) -> Result<Vec<Verdict>, Stop> {
        self.session.all(parts.iter().map(&self.candidate).collect())
    }

    fn accept(&mut self, kept: &Subset) -> Result<(), Stop> {
        self.session.accept(&(self.candidate)(kept))
    }
}
