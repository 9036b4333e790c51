//! Which verdicts are remembered at all.

use super::{CacheSample, CacheUsage, VerdictCache};
use crate::candidate::Candidate;
use crate::fingerprint::Fingerprint;
use crate::verdict::Verdict;

/// A cache that is told only some verdicts.
pub struct Filtered<C> {
    inner: C,
    boring_only: bool,
    unresolved: bool,
}

impl<C: VerdictCache> Filtered<C> {
    /// Hands on to `inner` what the two switches let through: without `unresolved`, a candidate whose test ran into
    /// a limit is tested again when it comes again; with `boring_only`, so is an interesting one.
    pub fn new(inner: C, boring_only: bool, unresolved: bool) -> Self {
        Filtered { inner, boring_only, unresolved }
    }
}

impl<C: VerdictCache> VerdictCache for Filtered<C> {
    fn get(&mut self, candidate: &Candidate) -> Option<Verdict> {
        self.inner.get(candidate)
    }

    fn put(&mut self, candidate: &Candidate, verdict: Verdict) {
        let refused = match verdict {
            Verdict::Interesting => self.boring_only,
            Verdict::Boring { .. } => false,
            Verdict::Unresolved(_) => !self.unresolved,
        };
        if !refused {
            self.inner.put(candidate, verdict);
        }
    }

    fn accepted(&mut self, best: &Candidate) {
        self.inner.accepted(best);
    }

    fn recast(&mut self, best: &Candidate) {
        self.inner.recast(best);
    }

    fn forgotten(&mut self) -> Vec<(Fingerprint, Verdict)> {
        self.inner.forgotten()
    }

    fn usage(&self) -> CacheUsage {
        self.inner.usage()
    }

    fn samples(&self) -> &[CacheSample] {
        self.inner.samples()
    }
}

impl<C: VerdictCache + ?Sized> VerdictCache for Box<C> {
    fn get(&mut self, candidate: &Candidate) -> Option<Verdict> {
        (**self).get(candidate)
    }

    fn put(&mut self, candidate: &Candidate, verdict: Verdict) {
        (**self).put(candidate, verdict);
    }

    fn accepted(&mut self, best: &Candidate) {
        (**self).accepted(best);
    }

    fn recast(&mut self, best: &Candidate) {
        (**self).recast(best);
    }

    fn forgotten(&mut self) -> Vec<(Fingerprint, Verdict)> {
        (**self).forgotten()
    }

    fn usage(&self) -> CacheUsage {
        (**self).usage()
    }

    fn samples(&self) -> &[CacheSample] {
        (**self).samples()
    }
}
