//! `rstr`: whole token sequences, of which those that are not part of an accepted best are dropped.

use super::alphabet::{Reader, Reading};
use super::content::{bare, unpack};
use super::interval::encode;
use super::keymap::KeyMap;
use super::words::Words;
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
    forgotten: Vec<(Fingerprint, Verdict)>,
}

impl RefreshedTokens {
    /// An empty cache that reads words and tells what it forgets.
    #[must_use]
    pub fn of_words() -> Self {
        RefreshedTokens { reader: Reader::of_words(), ..Self::default() }
    }

    fn beside(&self) -> usize {
        self.reader.allocated() + self.last.as_ref().map_or(0, |(_, ids)| size_of_val::<[u32]>(ids))
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
            self.map.insert(key, bare(verdict), self.reader.allocated());
        }
    }

    fn accepted(&mut self, best: &Candidate) {
        self.last = None;
        match self.reader.accept(best) {
            Reading::Same(best) => {
                let is_part = |ids: &[u32]| ids.len() < best.len() && encode(&best, ids).is_some();
                let (words, forgotten) = (self.reader.words(), &mut self.forgotten);
                let length =
                    |words: &Words, ids: &[u32]| -> usize { ids.iter().map(|&id| words.length(id)).sum() };
                self.map.retain(self.reader.allocated(), |ids, verdict| {
                    let keep = is_part(ids);
                    if let Some(words) = words
                        && !keep
                        && length(words, ids) <= length(words, &best)
                    {
                        forgotten.push((words.fingerprint(ids), unpack(verdict)));
                    }
                    keep
                });
            }
            Reading::Changed { .. } => self.map.clear(0),
            Reading::Baseless => {}
        }
    }

    fn recast(&mut self, best: &Candidate) {
        if self.reader.recast(best).1 {
            self.last = None;
            self.map.clear(self.reader.allocated());
        }
    }

    fn forgotten(&mut self) -> Vec<(Fingerprint, Verdict)> {
        std::mem::take(&mut self.forgotten)
    }

    fn usage(&self) -> CacheUsage {
        self.map.usage()
    }

    fn samples(&self) -> &[CacheSample] {
        self.map.samples()
    }
}
