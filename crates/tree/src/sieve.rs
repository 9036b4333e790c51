//! Searches that learn from every verdict, of which some parts are boring without a question.

use std::collections::VecDeque;

use dwindle_core::{Subset, Verdict};
use dwindle_delta::ListSearch;

/// A search of which only some parts are asked about. The others are boring, but not before their turn: a search is told
/// of its parts in order.
pub(crate) struct Sieve<'a, F> {
    search: &'a mut dyn ListSearch,
    wanted: F,
    /// Of each part without a verdict, whether somebody is asked. The first one always is.
    waiting: VecDeque<bool>,
    /// How many parts have a verdict.
    settled: usize,
}

impl<'a, F: FnMut(&Subset) -> bool> Sieve<'a, F> {
    /// Only parts for which `wanted` says so are asked about.
    pub(crate) fn new(search: &'a mut dyn ListSearch, wanted: F) -> Self {
        Sieve { search, wanted, waiting: VecDeque::new(), settled: 0 }
    }

    /// The index of the part that got the last verdict, among all.
    pub(crate) fn last(&self) -> usize {
        self.settled - 1
    }

    fn tell(&mut self, verdict: Verdict) -> bool {
        self.waiting.pop_front();
        self.settled += 1;
        let foreseen = self.search.learn(verdict);
        if !foreseen {
            self.waiting.clear();
        }
        foreseen
    }
}

impl<F: FnMut(&Subset) -> bool> ListSearch for Sieve<'_, F> {
    fn next(&mut self) -> Option<Subset> {
        loop {
            let kept = self.search.next()?;
            let wanted = (self.wanted)(&kept);
            self.waiting.push_back(wanted);
            if wanted {
                return Some(kept);
            }
            if self.waiting.len() == 1 {
                self.tell(Verdict::BORING);
            }
        }
    }

    fn learn(&mut self, verdict: Verdict) -> bool {
        let mut foreseen = self.tell(verdict);
        while foreseen && !verdict.is_interesting() && self.waiting.front() == Some(&false) {
            foreseen = self.tell(Verdict::BORING);
        }
        foreseen
    }
}
