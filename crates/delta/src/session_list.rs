//! A list whose parts become candidates of a session.

use dwindle_core::{Candidate, Session, Stop, Subset, Verdict};

use crate::oracle::ListOracle;

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
