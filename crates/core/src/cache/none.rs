//! No cache at all: the baseline every saving is measured against.

use super::{CacheUsage, VerdictCache};
use crate::candidate::Candidate;
use crate::verdict::Verdict;

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
