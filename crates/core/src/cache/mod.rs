//! Caches of tested candidates: one trait, several schemes.
//!
//! The session is the only user of a cache and calls it from one thread, in the order in which a sequential run
//! would ask. So a scheme is plain single-threaded code, and its answers do not depend on `-j`.

mod hash;

pub use hash::HashCache;

use crate::candidate::Candidate;
use crate::verdict::Verdict;

/// Remembers verdicts of tested candidates.
pub trait VerdictCache {
    /// The verdict on `candidate`, if it is known.
    fn get(&mut self, candidate: &Candidate) -> Option<Verdict>;

    /// Remembers a verdict (a scheme may decline).
    fn put(&mut self, candidate: &Candidate, verdict: Verdict);

    /// A new best was accepted: what can no longer be asked may be dropped.
    fn accepted(&mut self, best: &Candidate);

    /// How much is stored right now, and was at most.
    fn usage(&self) -> CacheUsage;
}

/// What a cache holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheUsage {
    /// Verdicts stored now.
    pub entries: usize,
    /// Bytes allocated for them now.
    pub bytes: usize,
    /// The most bytes that were ever allocated at once.
    pub peak_bytes: usize,
}

/// Remembers nothing: every candidate is tested, however often it comes.
#[derive(Debug, Default)]
pub struct NoCache;

impl VerdictCache for NoCache {
    fn get(&mut self, _candidate: &Candidate) -> Option<Verdict> {
        None
    }

    fn put(&mut self, _candidate: &Candidate, _verdict: Verdict) {}

    fn accepted(&mut self, _best: &Candidate) {}

    fn usage(&self) -> CacheUsage {
        CacheUsage::default()
    }
}
