//! The kinds of questions a session answers: where the candidates come from, and what a verdict means for the rest.

use crate::candidate::Candidate;
use crate::search::Search;
use crate::verdict::Verdict;

/// What a verdict means for the candidates behind it.
pub(crate) enum Reaction {
    /// They are wanted.
    GoOn,
    /// The question is answered.
    Over,
    /// They were made for another verdict and have to be made anew.
    Rethink,
}

/// Candidates in order, and what becomes of their verdicts.
pub(crate) trait Questions {
    fn next(&mut self) -> Option<Candidate>;

    /// How many candidates there may still be, if that is known.
    fn left(&self) -> Option<usize> {
        None
    }

    /// Whether nothing behind an interesting candidate is wanted.
    fn ends_with_success(&self) -> bool {
        true
    }

    /// Told of each candidate in order.
    fn settled(&mut self, candidate: Candidate, verdict: Verdict) -> Reaction;
}

/// Wants the first interesting candidate.
pub(crate) struct First<'a> {
    candidates: &'a mut dyn Iterator<Item = Candidate>,
    settled: usize,
    /// The verdict that came last.
    pub(crate) last: Verdict,
    pub(crate) winner: Option<(usize, Candidate)>,
}

impl<'a> First<'a> {
    pub(crate) fn of(candidates: &'a mut dyn Iterator<Item = Candidate>) -> Self {
        First { candidates, settled: 0, last: Verdict::BORING, winner: None }
    }
}

impl Questions for First<'_> {
    fn next(&mut self) -> Option<Candidate> {
        self.candidates.next()
    }

    fn left(&self) -> Option<usize> {
        self.candidates.size_hint().1
    }

    fn settled(&mut self, candidate: Candidate, verdict: Verdict) -> Reaction {
        self.last = verdict;
        if verdict.is_interesting() {
            self.winner = Some((self.settled, candidate));
            return Reaction::Over;
        }
        self.settled += 1;
        Reaction::GoOn
    }
}

/// Wants every verdict.
pub(crate) struct All {
    pub(crate) window: std::vec::IntoIter<Candidate>,
    pub(crate) verdicts: Vec<Verdict>,
}

impl Questions for All {
    fn next(&mut self) -> Option<Candidate> {
        self.window.next()
    }

    fn left(&self) -> Option<usize> {
        Some(self.window.len())
    }

    fn ends_with_success(&self) -> bool {
        false
    }

    fn settled(&mut self, _: Candidate, verdict: Verdict) -> Reaction {
        self.verdicts.push(verdict);
        Reaction::GoOn
    }
}

/// Wants the first interesting candidate, and learns from those before it.
pub(crate) struct Learning<'a> {
    pub(crate) search: &'a mut dyn Search,
    pub(crate) settled: usize,
    pub(crate) winner: Option<(usize, Candidate)>,
}

impl Questions for Learning<'_> {
    fn next(&mut self) -> Option<Candidate> {
        self.search.next()
    }

    fn settled(&mut self, candidate: Candidate, verdict: Verdict) -> Reaction {
        let foreseen = self.search.learn(verdict);
        if verdict.is_interesting() {
            self.winner = Some((self.settled, candidate));
            return Reaction::Over;
        }
        self.settled += 1;
        if foreseen { Reaction::GoOn } else { Reaction::Rethink }
    }
}
