//! What covProbDD promises, against brute force on random checks: monotone, ambiguous and any at all.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

use dwindle_core::{CheckId, Mark, Marks, Subset, Verdict};
use dwindle_delta::{
    CovMode, CovProbDd, ListMinimizer, MOST_FAILURES, Options, PredicateList, ProbDd, Ties, by_name,
};
use proptest::prelude::*;

/// Checks over at most 9 elements: each a set of masks that it holds for.
#[derive(Clone, Debug)]
struct Checks {
    n: usize,
    holds: Vec<Vec<bool>>,
    /// Whether all are run, or only those up to the first that fails.
    all: bool,
}

fn mask(kept: &Subset) -> usize {
    kept.iter().map(|i| 1 << i).sum()
}

impl Checks {
    fn interesting(&self, mask: usize) -> bool {
        self.holds.iter().all(|holds| holds[mask])
    }

    fn verdict(&self, kept: &Subset) -> Verdict {
        let mut marks = Marks::NONE;
        for (check, holds) in (0..).map(CheckId).zip(&self.holds) {
            let held = holds[mask(kept)];
            marks = marks.with(check, if held { Mark::Ok } else { Mark::Failed });
            if !held && !self.all {
                break;
            }
        }
        if marks.first_failed().is_some() { Verdict::Boring { marks } } else { Verdict::Interesting }
    }

    fn list(&self) -> PredicateList<impl FnMut(&Subset) -> Verdict + use<>> {
        let checks = self.clone();
        PredicateList::new(move |kept: &Subset| checks.verdict(kept)).with_checks(self.holds.len())
    }

    fn is_minimal(&self, kept: usize) -> bool {
        (0..kept).filter(|part| part & !kept == 0).all(|part| !self.interesting(part))
    }
}

/// Checks that hold for any sets at all, and for the whole list.
fn arbitrary() -> impl Strategy<Value = Checks> {
    (1usize..=8, 1usize..=4, any::<bool>(), 4u32..10).prop_flat_map(|(n, m, all, share)| {
        let check = proptest::collection::vec(prop::bool::weighted(f64::from(share) / 10.0), 1 << n);
        proptest::collection::vec(check, m).prop_map(move |mut holds| {
            holds.iter_mut().for_each(|holds| holds[(1 << n) - 1] = true);
            Checks { n, holds, all }
        })
    })
}

/// Checks that hold for all supersets of one of a few sets each; with one set they are unambiguous together.
fn monotone(sets: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Checks> {
    (1usize..=9, 1usize..=4, any::<bool>()).prop_flat_map(move |(n, m, all)| {
        let check = proptest::collection::vec(0usize..1 << n, sets.clone()).prop_map(move |needed| {
            (0..1 << n).map(|kept: usize| needed.iter().any(|&set| set & !kept == 0)).collect()
        });
        proptest::collection::vec(check, m).prop_map(move |holds| Checks { n, holds, all })
    })
}

fn minimizers() -> impl Strategy<Value = CovProbDd> {
    let mode = prop_oneof![Just(CovMode::Repaired), Just(CovMode::Paper)];
    let ties = prop_oneof![Just(Ties::Index), any::<u64>().prop_map(Ties::Random)];
    (0.02f64..0.6, ties, mode).prop_map(|(sigma, ties, mode)| CovProbDd { sigma, ties, mode })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn the_result_is_interesting_and_the_questions_are_bounded(checks in arbitrary(), cov in minimizers()) {
        let mut list = checks.list().without_cache();
        let kept = cov.minimize(&vec![1; checks.n], &mut list).unwrap();
        prop_assert!(checks.interesting(mask(&kept)));
        prop_assert_eq!(list.accepted().last().map_or((1 << checks.n) - 1, mask), mask(&kept));
        let bound = checks.n as u64 * (u64::from(MOST_FAILURES) + 2);
        prop_assert!(list.queries() <= bound, "{} of {bound}", list.queries());
    }

    #[test]
    fn where_all_checks_are_monotone_the_result_is_minimal(checks in monotone(1..=3), cov in minimizers()) {
        let kept = cov.minimize(&vec![1; checks.n], &mut checks.list()).unwrap();
        prop_assert!(checks.is_minimal(mask(&kept)), "{kept:?}");
    }

    #[test]
    fn where_they_are_unambiguous_too_it_is_what_any_of_them_needs(checks in monotone(1..=1), cov in minimizers()) {
        let kept = mask(&cov.minimize(&vec![1; checks.n], &mut checks.list()).unwrap());
        let needed = (0..1 << checks.n).find(|&kept| checks.interesting(kept) && checks.is_minimal(kept)).unwrap();
        prop_assert_eq!(kept, needed);
    }

    #[test]
    fn looking_ahead_changes_nothing(checks in arbitrary(), cov in minimizers(), ahead in 2usize..9) {
        let (mut one, mut many) = (checks.list().traced(), checks.list().looking_ahead(ahead));
        let kept = cov.minimize(&vec![1; checks.n], &mut one).unwrap();
        prop_assert_eq!(cov.minimize(&vec![1; checks.n], &mut many).unwrap(), kept);
        prop_assert_eq!(one.accepted(), many.accepted());
    }

    #[test]
    fn without_checks_it_asks_what_probdd_asks(checks in arbitrary(), cov in minimizers()) {
        let plain = |kept: &Subset| checks.interesting(mask(kept));
        let (mut ours, mut theirs) = (PredicateList::new(plain).traced(), PredicateList::new(plain).traced());
        let probdd = ProbDd { sigma: cov.sigma, ties: cov.ties.clone(), ..ProbDd::default() };
        let kept = cov.minimize(&vec![1; checks.n], &mut ours).unwrap();
        prop_assert_eq!(probdd.minimize(&vec![1; checks.n], &mut theirs).unwrap(), kept);
        prop_assert_eq!(ours.trace(), theirs.trace());
    }

    #[test]
    fn closed_by_a_sweep_it_is_1_minimal_for_any_checks(checks in arbitrary()) {
        let cov = by_name("cov-probdd-1min", &Options::default()).unwrap();
        let kept = cov.minimize(&vec![1; checks.n], &mut checks.list()).unwrap();
        for at in 0..kept.len() {
            prop_assert!(!checks.interesting(mask(&kept.without(at..at + 1))));
        }
    }
}

/// Elements needed by the first check alone, by the second alone, by none; each check is run if those before it held.
fn staged(n: usize) -> (Vec<usize>, Vec<usize>) {
    ((0..n).filter(|i| i % 17 == 3).collect(), (0..n).filter(|i| i % 23 == 11).collect())
}

#[test]
fn all_needed_takes_no_more_than_the_counts_of_plain_probdd_when_one_check_fails_always() {
    // 20, 33, 40 and 202 tests for n = 10, 16, 20 and 100, as in the thesis' setting with one check.
    for (n, tests) in [(10usize, 20), (16, 33), (20, 40), (100, 202)] {
        let mut list = PredicateList::new(|kept: &Subset| kept.len() == n);
        CovProbDd { sigma: 0.1, ties: Ties::Index, mode: CovMode::Repaired }
            .minimize(&vec![1; n], &mut list)
            .unwrap();
        assert_eq!(list.queries(), tests, "{n}");
    }
}

#[test]
fn it_finds_what_two_stages_need() {
    let n = 500;
    let (first, second) = staged(n);
    let verdict = |kept: &Subset| {
        let holds = |needed: &[usize]| needed.iter().all(|&i| kept.contains(i));
        match (holds(&first), holds(&second)) {
            (false, _) => Verdict::failed_at(CheckId(0)),
            (_, false) => Verdict::failed_at(CheckId(1)),
            _ => Verdict::Interesting,
        }
    };
    let expected: Subset = (0..n).filter(|i| first.contains(i) || second.contains(i)).collect();
    for name in ["cov-probdd", "cov-probdd-paper"] {
        let mut list = PredicateList::new(verdict).with_checks(2);
        let kept = by_name(name, &Options::default()).unwrap().minimize(&vec![1; n], &mut list).unwrap();
        assert_eq!(kept, expected, "{name}");
    }
}
