//! `rcc`, `rcc-size` and `cc`: candidates as the runs they keep of a base.
//!
//! All three key a candidate by its canonical runs in an explicit base (see [`encode`]), and differ in what an
//! accepted best does. A candidate that is not part of the base (a pass replaced something) has no key: it is a miss
//! and is not stored. As a part of [`Supplemented`](super::Supplemented) they read words, and tell what they drop.
//!
//! [`encode`]: super::encode

use super::alphabet::{Reader, Reading};
use super::base::Base;
use super::interval::length;
use super::meter::Meter;
use super::packed::{PackedRuns, pack, unpack};
use super::words::Words;
use super::{CacheSample, CacheUsage, VerdictCache};
use crate::candidate::Candidate;
use crate::fingerprint::Fingerprint;
use crate::verdict::Verdict;

/// What an accepted best does to the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forget {
    /// `cc`: nothing. All keys are runs of the input.
    Nothing,
    /// `rcc-size`: entries with as many tokens as the best, or more, are dropped. All keys are runs of the input.
    Larger,
    /// `rcc`: entries that are not part of the best are dropped and the others become runs of it, once the best has
    /// lost this share of the input's tokens since the last time, in percent; till then the larger ones are dropped.
    Unreachable {
        /// 0: with every accepted best.
        percent: u8,
    },
}

/// Remembers which runs of a base a candidate keeps.
pub struct IntervalCache {
    forget: Forget,
    reader: Reader,
    /// What all keys are runs of. Changes in `rebase` alone, together with the keys.
    base: Base,
    input_len: usize,
    keys: PackedRuns,
    /// The packed key of the last candidate: the session looks up twice before it stores.
    last: LastKey,
    forgotten: Vec<(Fingerprint, Verdict)>,
    meter: Meter,
}

#[derive(Default)]
struct LastKey {
    fingerprint: Option<Fingerprint>,
    is_part: bool,
    key: Vec<u8>,
}

impl IntervalCache {
    /// An empty cache.
    #[must_use]
    pub fn new(forget: Forget) -> Self {
        IntervalCache {
            forget,
            reader: Reader::default(),
            base: Base::default(),
            input_len: 0,
            keys: PackedRuns::default(),
            last: LastKey::default(),
            forgotten: Vec::new(),
            meter: Meter::default(),
        }
    }

    /// An empty cache that reads words and tells what it forgets.
    #[must_use]
    pub fn of_words(forget: Forget) -> Self {
        IntervalCache { reader: Reader::of_words(), ..Self::new(forget) }
    }

    /// The stored keys, unpacked.
    pub fn runs(&self) -> impl Iterator<Item = (Vec<u32>, Verdict)> {
        self.keys.iter().map(|(key, verdict)| {
            let mut runs = Vec::new();
            unpack(key, &mut runs);
            (runs, verdict)
        })
    }

    fn beside(&self) -> usize {
        self.base.allocated() + self.last.key.capacity() + self.reader.allocated()
    }

    fn note(&mut self) {
        self.meter.set(self.keys.len(), self.keys.allocated() + self.beside());
    }

    /// Starts anew: what was stored means nothing in this base.
    fn restart(&mut self, base: &[u32]) {
        self.meter.evict(self.keys.len());
        self.keys = PackedRuns::default();
        self.input_len = base.len();
        self.base = Base::new(base);
        self.last.fingerprint = None;
    }

    /// Packs the key of a candidate into `last`; false if it has none.
    fn find_key(&mut self, candidate: &Candidate) -> bool {
        if self.last.fingerprint != Some(candidate.fingerprint()) {
            let words = self.reader.allocated();
            let ids = match self.reader.read(candidate) {
                Reading::Same(ids) => ids,
                Reading::Changed { ids, base } => {
                    self.restart(&base);
                    ids
                }
                Reading::Baseless => return false,
            };
            if self.reader.allocated() != words {
                // Tables that grow are copied: for a moment there are two.
                self.meter.reach(self.keys.allocated() + self.beside() + words);
            }
            let runs = self.base.encode(&ids);
            pack(runs.as_deref().unwrap_or_default(), &mut self.last.key);
            self.last.is_part = runs.is_some();
            self.last.fingerprint = Some(candidate.fingerprint());
            self.note();
        }
        self.last.is_part
    }

    /// Drops what has as many tokens as the best or more.
    fn drop_larger(&mut self, best: &[u32]) {
        let base = std::mem::take(&mut self.base);
        self.rebuild(self.beside() + base.allocated(), &base, best, |runs, _| length(runs) < best.len());
        self.base = base;
    }

    /// Makes the best the base: drops what is not part of it, and renumbers the rest.
    fn rebase(&mut self, ids: &[u32]) {
        let best = self.base.successor(ids);
        let old = std::mem::take(&mut self.base);
        // Both bases are there while the keys are carried over.
        let beside = old.allocated() + best.allocated() + self.last.key.capacity() + self.reader.allocated();
        self.meter.reach(self.keys.allocated() + beside);
        let carry = old.carrier(&best);
        self.rebuild(beside, &old, ids, |runs, carried| length(runs) < best.len() && carry(runs, carried));
        drop(carry);
        self.base = best;
        self.last.fingerprint = None;
    }

    /// Puts together anew the keys that `keep` lets through. It may leave other runs in its second argument.
    /// Besides the old and the new keys, which are runs of `base`, `beside` bytes are held meanwhile.
    fn rebuild(
        &mut self,
        beside: usize,
        base: &Base,
        best: &[u32],
        mut keep: impl FnMut(&[u32], &mut Vec<u32>) -> bool,
    ) {
        let old = std::mem::take(&mut self.keys);
        let lengths = self.reader.words().map(|words| Lengths::new(words, base, best));
        let beside = old.allocated() + beside;
        let (mut runs, mut changed, mut key) = (Vec::new(), Vec::new(), Vec::new());
        for (packed, verdict) in old.iter() {
            unpack(packed, &mut runs);
            changed.clone_from(&runs);
            if keep(&runs, &mut changed) {
                pack(&changed, &mut key);
                self.keys.insert(&key, verdict, beside, &mut self.meter);
            } else if let Some(lengths) = &lengths
                && lengths.fits(&runs)
            {
                self.forgotten.push((lengths.words.fingerprint(&base.decode(&runs)), verdict));
            }
        }
        self.meter.evict(old.len() - self.keys.len());
    }
}

/// Lengths of what was stored, in bytes, without a look at it.
struct Lengths<'w> {
    words: &'w Words,
    /// Bytes before each word of the base, and all.
    before: Vec<usize>,
    best: usize,
}

impl<'w> Lengths<'w> {
    fn new(words: &'w Words, base: &Base, best: &[u32]) -> Self {
        let ids = base.decode(&[0, u32::MAX]);
        let mut sum = 0;
        let before = std::iter::once(0).chain(ids.iter().map(|&id| {
            sum += words.length(id);
            sum
        }));
        Lengths { words, before: before.collect(), best: best.iter().map(|&id| words.length(id)).sum() }
    }

    /// Whether these runs of the base are no longer than the best.
    fn fits(&self, runs: &[u32]) -> bool {
        let length = |run: &[u32]| self.before[run[1] as usize] - self.before[run[0] as usize];
        runs.chunks_exact(2).map(length).sum::<usize>() <= self.best
    }
}

impl VerdictCache for IntervalCache {
    fn get(&mut self, candidate: &Candidate) -> Option<Verdict> {
        self.find_key(candidate).then(|| self.keys.get(&self.last.key))?
    }

    fn put(&mut self, candidate: &Candidate, verdict: Verdict) {
        if self.find_key(candidate) {
            let beside = self.beside();
            self.keys.insert(&self.last.key, verdict, beside, &mut self.meter);
            self.note();
        }
    }

    fn accepted(&mut self, best: &Candidate) {
        match self.reader.accept(best) {
            Reading::Same(ids) => match self.forget {
                Forget::Nothing => {}
                Forget::Larger => self.drop_larger(&ids),
                Forget::Unreachable { percent } => {
                    let lost = self.base.len().saturating_sub(ids.len());
                    if lost * 100 >= usize::from(percent) * self.input_len {
                        self.rebase(&ids);
                    } else {
                        self.drop_larger(&ids);
                    }
                }
            },
            Reading::Changed { base, .. } => self.restart(&base),
            Reading::Baseless => {}
        }
        self.note();
    }

    fn recast(&mut self, best: &Candidate) {
        let (base, changed) = self.reader.recast(best);
        if changed {
            self.restart(&base);
            self.note();
        }
    }

    fn forgotten(&mut self) -> Vec<(Fingerprint, Verdict)> {
        std::mem::take(&mut self.forgotten)
    }

    fn usage(&self) -> CacheUsage {
        self.meter.usage()
    }

    fn samples(&self) -> &[CacheSample] {
        self.meter.samples()
    }
}
