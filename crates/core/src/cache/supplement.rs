//! A scheme and, beside it, fingerprints of what it does not keep.
//!
//! Schemes that were made for passes which only delete have no key for a replacement, and drop what no deletion can
//! bring back. Passes that do more ask for such candidates again. Here their verdicts go to a [`HashCache`], so that
//! every scheme answers what a cache of whole texts answers.

use super::meter::Meter;
use super::{CacheSample, CacheUsage, HashCache, VerdictCache};
use crate::candidate::Candidate;
use crate::verdict::Verdict;

/// A cache that remembers in another way what `scheme` declines or forgets.
pub struct Supplemented<C> {
    scheme: C,
    rest: HashCache,
    /// Entries that went from one to the other.
    moved: u64,
    /// Follows both together; peaks are those of the parts.
    meter: Meter,
}

impl<C: VerdictCache> Supplemented<C> {
    /// Supplements a cache, which should read words if it compares sequences: those of passes lose their meaning.
    pub fn new(scheme: C) -> Self {
        Supplemented { scheme, rest: HashCache::default(), moved: 0, meter: Meter::default() }
    }

    fn note(&mut self) {
        let (scheme, rest) = (self.scheme.usage(), self.rest.usage());
        self.meter.set(scheme.entries + rest.entries, scheme.bytes + rest.bytes);
    }
}

impl<C: VerdictCache> VerdictCache for Supplemented<C> {
    fn get(&mut self, candidate: &Candidate) -> Option<Verdict> {
        self.scheme.get(candidate).or_else(|| self.rest.get(candidate))
    }

    fn put(&mut self, candidate: &Candidate, verdict: Verdict) {
        self.scheme.put(candidate, verdict);
        if self.scheme.get(candidate).is_none() {
            self.rest.put(candidate, verdict);
        }
        self.note();
    }

    fn accepted(&mut self, best: &Candidate) {
        self.scheme.accepted(best);
        let forgotten = self.scheme.forgotten();
        self.moved += forgotten.len() as u64;
        for (fingerprint, verdict) in forgotten {
            self.rest.insert(fingerprint, verdict);
        }
        self.rest.accepted(best);
        self.note();
    }

    fn recast(&mut self, best: &Candidate) {
        self.scheme.recast(best);
        self.rest.recast(best);
        self.note();
    }

    fn usage(&self) -> CacheUsage {
        let (scheme, rest) = (self.scheme.usage(), self.rest.usage());
        CacheUsage {
            // Reached one after the other, perhaps: never less than what was there at once.
            peak_bytes: scheme.peak_bytes + rest.peak_bytes,
            peak_entries: scheme.peak_entries + rest.peak_entries,
            evicted: scheme.evicted + rest.evicted - self.moved,
            entries: scheme.entries + rest.entries,
            bytes: scheme.bytes + rest.bytes,
        }
    }

    fn samples(&self) -> &[CacheSample] {
        self.meter.samples()
    }
}
