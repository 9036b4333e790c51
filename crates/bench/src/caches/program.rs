//! A program as a list of words, one to a line, and the candidates that keep some of them.

use std::collections::HashMap;
use std::sync::Arc;

use dwindle_core::{
    Candidate, Files, Fingerprint, FingerprintIndex, Subset, Tokens, Variant, fingerprint_of_file,
};

/// A program: words, one to a line. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Program(Arc<Inner>);

struct Inner {
    words: Vec<String>,
    /// Equal words have equal numbers.
    ids: Vec<u32>,
    index: FingerprintIndex,
}

impl Program {
    pub(crate) fn new(words: Vec<String>) -> Self {
        let mut table = HashMap::new();
        let ids = words
            .iter()
            .map(|word| {
                let next = table.len() as u32;
                *table.entry(word.clone()).or_insert(next)
            })
            .collect();
        let index =
            FingerprintIndex::new(words.iter().map(|word| Fingerprint::of(format!("{word}\n").as_bytes())));
        Program(Arc::new(Inner { words, ids, index }))
    }

    pub(super) fn len(&self) -> usize {
        self.0.words.len()
    }

    /// The candidate that keeps these words.
    pub(crate) fn keep(&self, kept: Subset) -> Candidate {
        Candidate::new(Words { program: self.clone(), kept })
    }

    /// The candidate that keeps all.
    pub(crate) fn whole(&self) -> Candidate {
        self.keep(Subset::full(self.len()))
    }
}

/// Some words of a program.
struct Words {
    program: Program,
    kept: Subset,
}

impl Variant for Words {
    fn fingerprint(&self) -> Fingerprint {
        fingerprint_of_file("p".as_ref(), self.program.0.index.runs(self.kept.ranges()))
    }

    fn size(&self) -> u64 {
        self.program.0.index.runs(self.kept.ranges()).len
    }

    fn render(&self) -> Files {
        let mut text = String::new();
        for i in self.kept.iter() {
            text.push_str(&self.program.0.words[i]);
            text.push('\n');
        }
        Files::single("p", text.into_bytes())
    }

    fn tokens(&self) -> Option<Tokens> {
        let mut ids = Vec::with_capacity(self.kept.len());
        for run in self.kept.ranges() {
            ids.extend_from_slice(&self.program.0.ids[run]);
        }
        Some(Tokens { universe: 1, ids })
    }
}

/// Which words a candidate of ours keeps.
pub(super) fn kept(candidate: &Candidate) -> &Subset {
    &candidate.variant::<Words>().expect("all candidates here are words").kept
}
