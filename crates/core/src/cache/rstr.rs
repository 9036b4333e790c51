//! `rstr`: whole token sequences, of which those that are not part of an accepted best are dropped.

use super::alphabet::{Reader, Reading};
use super::content::{bare, unpack};
use super::interval::encode;
use super::keymap::KeyMap;
use super::{CacheSample, CacheUsage, VerdictCache};
use crate::candidate::Candidate;
use crate::fingerprint::Fingerprint;
use crate::verdict::Verdict;

/// Remembers token sequences that are part of the best.
#[derive(Default)]
pub struct RefreshedTokens {
    reader: Reader,
    map: KeyMap<Box<[u32]>, u32>,
    /// The tokens of the last candidate: the session looks up twice before it stores.
    last: Option<(Fingerprint, Box<[u32]>)>,
}

impl RefreshedTokens {
    fn beside(&self) -> usize {
        self.last.as_ref().map_or(0, |(_, ids)| size_of_val::<[u32]>(ids))
    }

    fn take_key(&mut self, candidate: &Candidate) -> Option<Box<[u32]>> {
        match self.last.take() {
            Some((fingerprint, key)) if fingerprint == candidate.fingerprint() => Some(key),
            _ => match self.reader.read(candidate) {
                Reading::Same(ids) => Some(ids.into()),
                Reading::Changed { ids, .. } => {
                    self.map.clear(0);
                    Some(ids.into())
                }
                Reading::Baseless => None,
            },
        }
    }
}

impl VerdictCache for RefreshedTokens {
    fn get(&mut self, candidate: &Candidate) -> Option<Verdict> {
        let key = self.take_key(candidate)?;
        let value = self.map.get(&key);
        self.last = Some((candidate.fingerprint(), key));
        self.map.note(self.beside());
        value.map(unpack)
    }

    fn put(&mut self, candidate: &Candidate, verdict: Verdict) {
        if let Some(key) = self.take_key(candidate) {
            self.map.insert(key, bare(verdict), 0);
        }
    }

    fn accepted(&mut self, best: &Candidate) {
        self.last = None;
        match self.reader.accept(best) {
            Reading::Same(best) => {
                let is_part = |ids: &[u32]| ids.len() < best.len() && encode(&best, ids).is_some();
                self.map.retain(0, |ids, _| is_part(ids));
            }
            Reading::Changed { .. } => self.map.clear(0),
            Reading::Baseless => {}
        }
    }

    fn recast(&mut self, best: &Candidate) {
        if self.reader.recast(best).1 {
            self.last = None;
            self.map.clear(0);
        }
    }

    fn usage(&self) -> CacheUsage {
        self.map.usage()
    }

    fn samples(&self) -> &[CacheSample] {
        self.map.samples()
    }
}
