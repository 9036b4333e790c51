//! Schemes whose key is computed from the bytes of a candidate: the compressed text, or a digest.
//!
//! Such a cache lives across passes, for the bytes mean the same in all of them. It renders every candidate that is
//! looked up.

use std::borrow::Cow;

use super::keymap::{KeyMap, StoredKey};
use super::packed_verdict::PackedVerdict;
use super::{CacheSample, CacheUsage, VerdictCache};
use crate::candidate::Candidate;
use crate::fingerprint::Fingerprint;
use crate::verdict::Verdict;

/// How a scheme makes a key of a text.
#[expect(private_bounds, reason = "what can be stored is for this module to say")]
pub trait ContentKeys {
    /// What is stored.
    type Key: StoredKey;
    /// What is stored with it: the verdict, and the length of the text if it is to be forgotten by length.
    type Value: Copy;

    /// Whether the value tells the length, so that texts longer than an accepted best can be dropped.
    const FORGETS: bool = false;

    /// The key of a text.
    fn key(&mut self, content: &[u8]) -> Self::Key;

    /// What is to be remembered of a text.
    fn value(&self, content: &[u8], verdict: Verdict) -> Self::Value;

    /// The verdict that was remembered.
    fn verdict(&self, value: Self::Value) -> Verdict;

    /// The length of the text, if it was remembered.
    fn length(&self, _value: Self::Value) -> Option<u64> {
        None
    }
}

/// A cache keyed by content.
pub struct ContentCache<S: ContentKeys> {
    scheme: S,
    map: KeyMap<S::Key, S::Value>,
    /// The key of the last candidate: the session looks up twice before it stores, and making a key may be slow.
    last: Option<(Fingerprint, S::Key)>,
}

impl<S: ContentKeys> ContentCache<S> {
    /// An empty cache.
    pub fn new(scheme: S) -> Self {
        ContentCache { scheme, map: KeyMap::default(), last: None }
    }

    fn take_key(&mut self, candidate: &Candidate) -> S::Key {
        match self.last.take() {
            Some((fingerprint, key)) if fingerprint == candidate.fingerprint() => key,
            _ => self.scheme.key(&content(candidate)),
        }
    }
}

impl<S: ContentKeys> VerdictCache for ContentCache<S> {
    fn get(&mut self, candidate: &Candidate) -> Option<Verdict> {
        let key = self.take_key(candidate);
        let value = self.map.get(&key);
        let beside = key.heap_bytes();
        self.last = Some((candidate.fingerprint(), key));
        self.map.note(beside);
        value.map(|value| self.scheme.verdict(value))
    }

    fn put(&mut self, candidate: &Candidate, verdict: Verdict) {
        let key = self.take_key(candidate);
        let value = self.scheme.value(&content(candidate), verdict);
        self.map.insert(key, value, 0);
    }

    fn accepted(&mut self, best: &Candidate) {
        let best = content(best).len() as u64;
        let beside = self.last.as_ref().map_or(0, |(_, key)| key.heap_bytes());
        if S::FORGETS {
            self.map.retain(beside, |_, value| self.scheme.length(value).is_none_or(|len| len <= best));
        }
    }

    fn usage(&self) -> CacheUsage {
        self.map.usage()
    }

    fn samples(&self) -> &[CacheSample] {
        self.map.samples()
    }
}

/// A verdict without anything else.
pub(super) fn bare(verdict: Verdict) -> u32 {
    PackedVerdict::from(verdict).number()
}

/// The verdict that [`bare`] packed.
pub(super) fn unpack(number: u32) -> Verdict {
    PackedVerdict::from_number(number).into()
}

/// What tells one candidate from another: the bytes of its file, or of all files with their names and lengths.
pub(super) fn content(candidate: &Candidate) -> Cow<'_, [u8]> {
    match &**candidate.files() {
        [file] => Cow::Borrowed(&file.bytes),
        files => {
            let mut all = Vec::new();
            for file in files {
                all.extend_from_slice(file.path.as_os_str().as_encoded_bytes());
                all.push(0);
                all.extend_from_slice(&(file.bytes.len() as u64).to_le_bytes());
                all.extend_from_slice(&file.bytes);
            }
            Cow::Owned(all)
        }
    }
}
