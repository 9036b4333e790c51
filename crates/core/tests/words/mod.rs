//! Programs as lists of words, and deletion-only passes over them, for tests and measurements of caches.
#![allow(dead_code, reason = "each user takes a part")]

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use dwindle_core::{
    Candidate, Files, Fingerprint, FingerprintIndex, Session, Stop, Subset, Tokens, Variant,
    fingerprint_of_file,
};

/// A program: words, one to a line.
#[derive(Clone)]
pub(crate) struct Program(Arc<Inner>);

struct Inner {
    universe: u64,
    words: Vec<String>,
    ids: Vec<u32>,
    index: FingerprintIndex,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.words.fmt(f)
    }
}

impl Program {
    /// A program of these words; equal words have equal numbers.
    pub(crate) fn new<S: Into<String>>(universe: u64, words: impl IntoIterator<Item = S>) -> Self {
        let words: Vec<String> = words.into_iter().map(Into::into).collect();
        let mut table = HashMap::new();
        let ids = words
            .iter()
            .map(|word| {
                let next = table.len() as u32;
                *table.entry(word.clone()).or_insert(next)
            })
            .collect();
        Self::of(universe, words, ids)
    }

    /// A program of the words `w0`, `w1` …, whose numbers are theirs in every program of the universe.
    pub(crate) fn numbered(universe: u64, ids: &[u32]) -> Self {
        Self::of(universe, ids.iter().map(|id| format!("w{id}")).collect(), ids.to_vec())
    }

    fn of(universe: u64, words: Vec<String>, ids: Vec<u32>) -> Self {
        let pieces = words.iter().map(|word| Fingerprint::of(format!("{word}\n").as_bytes()));
        let index = FingerprintIndex::new(pieces);
        Program(Arc::new(Inner { universe, words, ids, index }))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.words.len()
    }

    /// The candidate that keeps these words.
    pub(crate) fn keep(&self, kept: Subset) -> Candidate {
        Candidate::new(Words { program: self.clone(), kept })
    }

    /// The candidate that keeps these runs of words.
    pub(crate) fn runs(&self, runs: &[Range<u32>]) -> Candidate {
        let mut kept = Subset::empty();
        for run in runs {
            kept.push_run(run.clone());
        }
        self.keep(kept)
    }

    /// The candidate that keeps one run of words.
    pub(crate) fn run(&self, run: Range<u32>) -> Candidate {
        self.runs(std::slice::from_ref(&run))
    }

    pub(crate) fn whole(&self) -> Candidate {
        self.keep(Subset::full(self.len()))
    }

    pub(crate) fn words(&self) -> &[String] {
        &self.0.words
    }
}

/// Some words of a program.
pub(crate) struct Words {
    pub(crate) program: Program,
    pub(crate) kept: Subset,
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
        Some(Tokens { universe: self.program.0.universe, ids })
    }
}

/// Which words a candidate of ours keeps.
pub(crate) fn kept(candidate: &Candidate) -> &Subset {
    &candidate.variant::<Words>().expect("all candidates are words").kept
}

/// Deletes blocks of words, halving the blocks, and over again until a whole round finds nothing.
pub(crate) fn blocks(session: &mut Session<'_>, program: &Program) -> Result<(), Stop> {
    loop {
        let before = kept(session.best()).len();
        let mut size = before.div_ceil(2).max(1);
        loop {
            let mut at = 0;
            while at < kept(session.best()).len() {
                let best = kept(session.best()).clone();
                let starts = (at..best.len()).step_by(size);
                let cut = |start: usize| program.keep(best.without(start..best.len().min(start + size)));
                match session.first(starts.clone().map(cut))? {
                    Some(index) => at += index * size,
                    None => break,
                }
            }
            if size == 1 {
                break;
            }
            size = size.div_ceil(2);
        }
        if kept(session.best()).len() == before {
            return Ok(());
        }
    }
}
