//! ProbDD that remembers earlier lists: as good as without, and cheaper when a list is minimised again.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

use dwindle_core::Subset;
use dwindle_delta::{ListMinimizer, Options, PredicateList, by_name};
use proptest::prelude::*;

fn build(name: &str) -> Box<dyn ListMinimizer> {
    by_name(name, &Options::default()).unwrap()
}

#[test]
fn the_first_list_is_minimised_as_plain_probdd_does() {
    let needed = [3usize, 40, 41, 77];
    let holds = |kept: &Subset| needed.iter().all(|&i| kept.contains(i));
    let (mut plain, mut ours) = (PredicateList::new(holds).traced(), PredicateList::new(holds).traced());
    let kept = build("probdd").minimize(&[1; 100], &mut plain).unwrap();
    assert_eq!(build("probdd-persistent").minimize(&[1; 100], &mut ours).unwrap(), kept);
    assert_eq!(plain.trace(), ours.trace());
}

#[test]
fn a_second_round_tries_what_was_needed_one_by_one() {
    let needed: Vec<usize> = (0..400).filter(|i| i % 4 == 1).collect();
    let round = |name: &str| {
        let minimizer = build(name);
        let holds = |kept: &Subset| needed.iter().all(|&i| kept.contains(i));
        let mut first = PredicateList::new(holds).without_cache();
        let kept = minimizer.minimize(&[1; 400], &mut first).unwrap();
        assert!(kept.iter().eq(needed.iter().copied()));
        let mut second = PredicateList::new(holds).without_cache();
        assert_eq!(minimizer.minimize_from(kept.clone(), &[1; 400], &mut second).unwrap(), kept);
        second.queries()
    };
    assert_eq!(round("probdd"), 202);
    let ours = round("probdd-persistent");
    assert!((100..=150).contains(&ours), "{ours}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Elements that can go only after others have: the fixpoint is 1-minimal all the same.
    #[test]
    fn repeated_until_nothing_goes_it_is_1_minimal_for_any_predicate(
        table in (1usize..=8).prop_flat_map(|n| proptest::collection::vec(any::<bool>(), 1 << n)),
        ahead in 1usize..5,
    ) {
        let n = table.len().ilog2() as usize;
        let mask = |kept: &Subset| kept.iter().map(|i| 1 << i).sum::<usize>();
        let holds = |kept: &Subset| kept.len() == n || table[mask(kept)];
        let mut list = PredicateList::new(holds).looking_ahead(ahead);
        let kept = build("probdd-persistent-star").minimize(&vec![1; n], &mut list).unwrap();
        prop_assert!(holds(&kept));
        for at in 0..kept.len() {
            prop_assert!(!holds(&kept.without(at..at + 1)));
        }
        let mut one = PredicateList::new(holds);
        prop_assert_eq!(build("probdd-persistent-star").minimize(&vec![1; n], &mut one).unwrap(), kept);
    }
}
