//! `str`: the text itself.

use super::content::{bare, content, unpack};
use super::keymap::KeyMap;
use super::{CacheSample, CacheUsage, VerdictCache};
use crate::candidate::Candidate;
use crate::verdict::Verdict;

/// Remembers whole texts: no collisions, and as many bytes as the candidates have.
#[derive(Default)]
pub struct TextCache {
    map: KeyMap<Box<[u8]>, u32>,
    evict_longer: bool,
}

impl TextCache {
    /// An empty cache; with `evict_longer`, texts longer than an accepted best are dropped.
    #[must_use]
    pub fn new(evict_longer: bool) -> Self {
        TextCache { evict_longer, ..Self::default() }
    }
}

impl VerdictCache for TextCache {
    fn get(&mut self, candidate: &Candidate) -> Option<Verdict> {
        self.map.get(&*content(candidate)).map(unpack)
    }

    fn put(&mut self, candidate: &Candidate, verdict: Verdict) {
        self.map.insert(content(candidate).into(), bare(verdict), 0);
    }

    fn accepted(&mut self, best: &Candidate) {
        if self.evict_longer {
            let best = content(best).len();
            self.map.retain(0, |text, _| text.len() <= best);
        }
    }

    fn usage(&self) -> CacheUsage {
        self.map.usage()
    }

    fn samples(&self) -> &[CacheSample] {
        self.map.samples()
    }
}
