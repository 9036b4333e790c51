//! A list whose parts become candidates of a session.

use dwindle_core::{Candidate, Search, Session, Stop, Subset, Verdict};

use crate::oracle::{ListOracle, ListSearch};

/// A list whose parts become candidates of a session.
pub struct SessionList<'s, 'r, F> {
    session: &'s mut Session<'r>,
    candidate: F,
    identity: Option<&'s dyn Fn(usize) -> u64>,
}

impl<'s, 'r, F: Fn(&Subset) -> Candidate> SessionList<'s, 'r, F> {
    /// A list in which `candidate` gives the variant that keeps just the elements it is told.
    pub fn new(session: &'s mut Session<'r>, candidate: F) -> Self {
        SessionList { session, candidate, identity: None }
    }

    /// With what tells each element from others across lists; see [`ListOracle::identity`]. Asked by
    /// minimisers that remember, and by no others.
    #[must_use]
    pub fn identified(self, identity: &'s dyn Fn(usize) -> u64) -> Self {
        SessionList { identity: Some(identity), ..self }
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

    fn search(&mut self, search: &mut dyn ListSearch) -> Result<Option<usize>, Stop> {
        self.session.search(&mut Candidates { search, candidate: &self.candidate })
    }

    fn checks(&self) -> usize {
        self.session.checks()
    }

    fn identity(&self, element: usize) -> Option<u64> {
        self.identity.map(|identity| identity(element))
    }
}

/// A search over parts, as one over candidates.
struct Candidates<'a, F> {
    search: &'a mut dyn ListSearch,
    candidate: &'a F,
}

impl<F: Fn(&Subset) -> Candidate> Search for Candidates<'_, F> {
    fn next(&mut self) -> Option<Candidate> {
        self.search.next().map(|kept| (self.candidate)(&kept))
    }

    fn learn(&mut self, verdict: Verdict) -> bool {
        self.search.learn(verdict)
    }
}
