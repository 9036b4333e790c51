//! The default scheme: fingerprints, forgotten in bulk once they are longer than the best.

use std::collections::HashMap;
use std::mem::size_of;

use foldhash::fast::FixedState;

use super::{CacheUsage, VerdictCache};
use crate::candidate::Candidate;
use crate::fingerprint::Fingerprint;
use crate::verdict::Verdict;

/// Remembers the fingerprint of every tested candidate that is no longer than the best.
#[derive(Debug, Default)]
pub struct HashCache {
    verdicts: HashMap<Fingerprint, Verdict, FixedState>,
    peak_bytes: usize,
}

impl HashCache {
    fn bytes(&self) -> usize {
        // One control byte an entry comes on top of the entries themselves, which fill 7/8 of the table at most.
        self.verdicts.capacity() * 8 / 7 * (size_of::<(Fingerprint, Verdict)>() + 1)
    }
}

impl VerdictCache for HashCache {
    fn get(&mut self, candidate: &Candidate) -> Option<Verdict> {
        self.verdicts.get(&candidate.fingerprint()).copied()
    }

    fn put(&mut self, candidate: &Candidate, verdict: Verdict) {
        self.verdicts.insert(candidate.fingerprint(), verdict);
        self.peak_bytes = self.peak_bytes.max(self.bytes());
    }

    fn accepted(&mut self, best: &Candidate) {
        self.verdicts
            .retain(|fingerprint, _| fingerprint.len <= best.fingerprint().len);
        if self.verdicts.capacity() > 4 * self.verdicts.len() {
            self.verdicts.shrink_to_fit();
        }
    }

    fn usage(&self) -> CacheUsage {
        CacheUsage {
            entries: self.verdicts.len(),
            bytes: self.bytes(),
            peak_bytes: self.peak_bytes,
        }
    }
}
