//! ProbDD that learns which check needs what (covProbDD on sets).

use std::collections::{BTreeSet, VecDeque};

use dwindle_core::{CheckId, Stop, Subset, Verdict};

use crate::check_model::{CheckModel, Row, Unexecuted};
use crate::oracle::{ListMinimizer, ListOracle, ListSearch};
use crate::ties::Ties;

/// Wang's ProbDD with a model of its own for each check of the test.
///
/// A candidate that fails at its first check teaches other things than one that fails at its last: only the check that
/// failed blames the deleted elements, those that held acquit them. What is deleted next is chosen by the probability
/// that any check needs it. With a test that has no checks it asks exactly what [`ProbDd`](crate::ProbDd) asks.
#[derive(Clone, Debug)]
pub struct CovProbDd {
    /// The share of elements expected to stay.
    pub sigma: f64,
    /// Who goes first among equals.
    pub ties: Ties,
    /// As the thesis says, or with repairs.
    pub mode: CovMode,
}

/// In which form [`CovProbDd`] runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CovMode {
    /// Checks that were not run teach nothing; together they start at σ; a check that fails on what it was shown not to
    /// need starts anew with that.
    #[default]
    Repaired,
    /// As the thesis says: from the first failure on all checks count as failed, and each starts at σ. (It takes an
    /// element whose numbers are all 0 for one that is gone, which would give a wrong result: here what is present is
    /// known apart from the numbers.)
    Paper,
}

/// Keeps equal gains equal in spite of rounding.
const TOLERANCE: f64 = 1e-12;

/// An undecided element's place in the order of deletion: the bits of its probability, the tie rank, itself.
type Place = (u64, u32, u32);

/// A deletion that was asked for, what was foreseen of it, and what was believed before.
struct Proposal {
    deleted: Vec<u32>,
    before: Vec<Option<Row>>,
    foreseen: Verdict,
}

/// What is left of a list, what is believed of it, and what was asked and not answered yet.
struct CovSearch<'a> {
    model: CheckModel,
    ties: &'a Ties,
    present: Subset,
    undecided: BTreeSet<Place>,
    proposed: VecDeque<Proposal>,
    /// What the last boring deletion got: the next one will probably get the same.
    last: Verdict,
}

impl<'a> CovSearch<'a> {
    fn new(start: Subset, model: CheckModel, ties: &'a Ties) -> Self {
        let mut search = CovSearch {
            model,
            ties,
            present: start,
            undecided: BTreeSet::new(),
            proposed: VecDeque::new(),
            last: Verdict::failed_at(CheckId(0)),
        };
        search.undecided = search.present.iter().map(|element| search.place(element as u32)).collect();
        search
    }

    fn place(&self, element: u32) -> Place {
        let rank = self.ties.rank(element, self.model.failures(element));
        // The bits of positive numbers order as the numbers do.
        (self.model.need(element).to_bits(), rank, element)
    }

    /// Changes what is believed of some elements and puts them where they belong then.
    fn change(&mut self, elements: &[u32], change: impl FnOnce(&mut CheckModel)) {
        for &element in elements {
            let place = self.place(element);
            self.undecided.remove(&place);
        }
        change(&mut self.model);
        for &element in elements {
            if self.model.need(element) < 1.0 {
                let place = self.place(element);
                self.undecided.insert(place);
            }
        }
    }

    /// The elements whose deletion promises most: k · ∏τ does not fall with the k-th exactly if its need is ≤ 1/k.
    fn best(&self) -> Vec<u32> {
        let fits = |(k, place): &(usize, &Place)| f64::from_bits(place.0) <= 1.0 / (*k as f64) + TOLERANCE;
        let mut deleted: Vec<u32> =
            (1..).zip(&self.undecided).take_while(fits).map(|(_, place)| place.2).collect();
        deleted.sort_unstable();
        deleted
    }

    fn learn_boring(&mut self, deleted: &[u32], verdict: Verdict) {
        let evidence = self.model.evidence(verdict);
        self.change(deleted, |model| model.boring(deleted, &evidence));
    }

    fn retract(&mut self, proposal: Proposal) -> Vec<u32> {
        let Proposal { deleted, before, .. } = proposal;
        self.change(&deleted, |model| {
            deleted.iter().zip(before).for_each(|(&element, row)| model.restore(element, row));
        });
        deleted
    }
}

impl ListSearch for CovSearch<'_> {
    fn next(&mut self) -> Option<Subset> {
        let deleted = self.best();
        if deleted.is_empty() {
            return None;
        }
        let before = deleted.iter().map(|&element| self.model.row(element).cloned()).collect();
        let foreseen = self.last;
        self.learn_boring(&deleted, foreseen);
        let gone: Subset = deleted.iter().map(|&element| element as usize).collect();
        self.proposed.push_back(Proposal { deleted, before, foreseen });
        Some(self.present.difference(&gone))
    }

    fn learn(&mut self, verdict: Verdict) -> bool {
        let first = self.proposed.front().expect("a verdict is about something asked for");
        let same = self.model.evidence(verdict) == self.model.evidence(first.foreseen);
        if same && !verdict.is_interesting() {
            self.proposed.pop_front();
            return true;
        }
        while self.proposed.len() > 1 {
            let later = self.proposed.pop_back().expect("just counted");
            self.retract(later);
        }
        let proposal = self.proposed.pop_front().expect("just seen");
        let deleted = self.retract(proposal);
        if verdict.is_interesting() {
            for &element in &deleted {
                let place = self.place(element);
                self.undecided.remove(&place);
            }
            let gone: Subset = deleted.into_iter().map(|element| element as usize).collect();
            self.present = self.present.difference(&gone);
        } else {
            self.learn_boring(&deleted, verdict);
            self.last = verdict;
        }
        false
    }
}

impl ListMinimizer for CovProbDd {
    fn minimize_from(
        &self,
        start: Subset,
        weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        let checks = oracle.checks();
        let model = match self.mode {
            CovMode::Repaired => {
                let prior = CheckModel::shared(self.sigma, checks);
                CheckModel::new(weights.len(), checks, prior, Unexecuted::Unknown)
            }
            CovMode::Paper => CheckModel::new(weights.len(), checks, self.sigma, Unexecuted::Failed),
        };
        let mut search = CovSearch::new(start, model, &self.ties);
        while oracle.search(&mut search)?.is_some() {}
        Ok(search.present)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwindle_core::{Mark, Marks};

    fn one_based(search: &CovSearch<'_>, kept: &Subset) -> Vec<usize> {
        search.present.difference(kept).iter().map(|element| element + 1).collect()
    }

    #[test]
    fn the_worked_example_asks_for_the_pair_that_is_less_likely_needed() {
        let model = CheckModel::new(4, 2, 0.25, Unexecuted::Unknown);
        let mut search = CovSearch::new(Subset::full(4), model, &Ties::Index);
        let first = search.next().unwrap();
        assert_eq!(one_based(&search, &first), [1, 2], "E(2) = 0.6328 is more than E(1) and E(3)");
        search.learn(Verdict::failed_at(CheckId(1)));
        let second = search.next().unwrap();
        // Multiplying the probabilities (AND) would have taken 1 and 2 again.
        assert_eq!(one_based(&search, &second), [3, 4], "E(2) = 0.6328 is more than E(3) = 0.4068");
    }

    #[test]
    fn what_was_asked_on_a_wrong_guess_is_as_if_it_had_never_been() {
        let marks = Marks::NONE.with(CheckId(2), Mark::Failed);
        let answers = [
            Verdict::failed_at(CheckId(1)),
            Verdict::failed_at(CheckId(1)),
            Verdict::BORING,
            Verdict::Interesting,
            Verdict::Boring { marks },
            Verdict::failed_at(CheckId(0)),
            Verdict::failed_at(CheckId(0)),
        ];
        let ask = |ahead: usize| {
            let model = CheckModel::new(30, 3, 0.1, Unexecuted::Unknown);
            let mut search = CovSearch::new(Subset::full(30), model, &Ties::Index);
            let (mut asked, mut given) = (Vec::new(), VecDeque::new());
            for answer in answers {
                while given.len() < ahead {
                    given.push_back(search.next().unwrap());
                }
                asked.push(given.pop_front().unwrap());
                if !search.learn(answer) {
                    given.clear();
                }
            }
            (asked, search.next())
        };
        let one = ask(1);
        assert!((2..8).all(|ahead| ask(ahead).0 == one.0));
    }
}
