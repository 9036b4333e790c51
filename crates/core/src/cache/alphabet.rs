//! Candidates as sequences of numbers: tokens where all candidates have them, bytes otherwise, or words of our own.
//!
//! Numbers of different universes mean different things, so one cache reads all its candidates in one alphabet. It
//! starts with that of the input (or of what [`VerdictCache::recast`] announces). If a candidate of another universe
//! comes unannounced, the alphabet becomes that which all candidates share, the bytes; what was stored is forgotten.
//! A reader of words cuts the texts itself: nothing is ever forgotten, and every candidate is rendered.
//!
//! [`VerdictCache::recast`]: super::VerdictCache::recast

use super::words::{FILE_END, NAME_END, Words};
use crate::candidate::Candidate;

/// How the candidates of a cache are read, and what they are parts of.
#[derive(Default)]
pub(super) struct Reader {
    alphabet: Option<Alphabet>,
    /// The best so far; shared with the session, so it takes no memory of the cache.
    best: Option<Candidate>,
    words: Option<Words>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alphabet {
    Universe(u64),
    Bytes,
    Words,
}

/// A candidate that was read.
pub(super) enum Reading {
    /// In the alphabet of those before.
    Same(Vec<u32>),
    /// In another alphabet: what is stored has lost its meaning. The best reads `base` in it.
    Changed {
        /// The candidate.
        ids: Vec<u32>,
        /// The best.
        base: Vec<u32>,
    },
    /// No best is known yet that it could be a part of.
    Baseless,
}

impl Reader {
    /// A reader of words.
    pub(super) fn of_words() -> Self {
        Reader { words: Some(Words::default()), ..Reader::default() }
    }

    /// The words that were read so far, if those are the alphabet.
    pub(super) fn words(&self) -> Option<&Words> {
        self.words.as_ref()
    }

    /// Bytes allocated.
    pub(super) fn allocated(&self) -> usize {
        self.words.as_ref().map_or(0, Words::allocated)
    }

    /// Takes the form of this best for the alphabet; true if that is a change.
    pub(super) fn recast(&mut self, best: &Candidate) -> (Vec<u32>, bool) {
        let (alphabet, ids) = match (&mut self.words, best.tokens()) {
            (Some(words), _) => (Alphabet::Words, words.read(best)),
            (None, Some(tokens)) => (Alphabet::Universe(tokens.universe), tokens.ids),
            (None, None) => (Alphabet::Bytes, bytes(best)),
        };
        self.best = Some(best.clone());
        let changed = self.alphabet.replace(alphabet) != Some(alphabet);
        (ids, changed)
    }

    /// Reads a new best.
    pub(super) fn accept(&mut self, best: &Candidate) -> Reading {
        self.best = Some(best.clone());
        if self.alphabet.is_none() {
            let base = self.recast(best).0;
            return Reading::Changed { ids: base.clone(), base };
        }
        self.read(best)
    }

    /// Reads a candidate.
    pub(super) fn read(&mut self, candidate: &Candidate) -> Reading {
        match self.alphabet {
            None => return Reading::Baseless,
            Some(Alphabet::Words) => {
                return Reading::Same(
                    self.words.as_mut().map_or_else(Vec::new, |words| words.read(candidate)),
                );
            }
            Some(Alphabet::Bytes) => return Reading::Same(bytes(candidate)),
            Some(Alphabet::Universe(universe)) => {
                if let Some(tokens) = candidate.tokens()
                    && tokens.universe == universe
                {
                    return Reading::Same(tokens.ids);
                }
            }
        }
        self.alphabet = Some(Alphabet::Bytes);
        Reading::Changed { ids: bytes(candidate), base: self.best.as_ref().map_or_else(Vec::new, bytes) }
    }
}

/// The bytes of the file, or of all files with their names. Without lengths, unlike [`content`](super::content): what
/// has a few bytes less must read like a part of what it was.
fn bytes(candidate: &Candidate) -> Vec<u32> {
    let numbers = |bytes: &[u8]| bytes.iter().map(|&byte| u32::from(byte)).collect::<Vec<u32>>();
    match &**candidate.files() {
        [file] => numbers(&file.bytes),
        files => {
            let mut ids = Vec::new();
            for file in files {
                ids.extend(numbers(file.path.as_os_str().as_encoded_bytes()));
                ids.push(NAME_END);
                ids.extend(numbers(&file.bytes));
                ids.push(FILE_END);
            }
            ids
        }
    }
}
