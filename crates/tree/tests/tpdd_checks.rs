//! T-PDD with a network for each check.

mod common;

use common::{reduce, staged};
use dwindle_core::{CheckId, Mark, Marks, Summary, Verdict};
use dwindle_delta::Unexecuted;
use dwindle_syntax::Filter;
use dwindle_tree::tpdd::{CheckedModel, Network, Part, PartId};
use dwindle_tree::{Options, set};
use proptest::prelude::*;

/// A part of 20 tokens that has two parts of 8 in it.
fn nested() -> (Network, [PartId; 3]) {
    let mut network = Network::new();
    let top = network.add(Part::fixed(None));
    let outer = network.add(Part { certain: true, ..Part::deletable(top, 0.5).with_tokens(4) });
    let first = network.add(Part { certain: true, ..Part::deletable(outer, 0.5).with_tokens(8) });
    let second = network.add(Part { certain: true, ..Part::deletable(outer, 0.5).with_tokens(8) });
    (network, [outer, first, second])
}

#[test]
fn a_check_that_held_without_a_part_needs_nothing_in_it() {
    let (network, [outer, first, second]) = nested();
    let mut model = CheckedModel::new(network, 2, 0.5, 0.0, Unexecuted::Unknown);
    // Together the checks start at sigma: 1 − √0.5 each.
    let each = 1.0 - 0.5f64.sqrt();
    assert!((model.p(0, outer) - each).abs() < 1e-12 && (model.network().p(outer) - 0.5).abs() < 1e-12);
    assert_eq!(model.propose(|_| true), Some(outer));
    model.learn(Verdict::failed_at(CheckId(1)));
    assert_eq!((model.p(0, outer), model.p(1, outer), model.network().p(outer)), (0.0, 1.0, 1.0));
    for part in [first, second] {
        // Only the check that failed can need them: noisy-OR of 0 and 1 − √0.5. An AND would say 0.
        assert!((model.network().p(part) - each).abs() < 1e-12, "{}", model.network().p(part));
    }
}

#[test]
fn checks_that_were_not_run_count_as_failed_in_the_thesis_only() {
    for (unexecuted, of_last, merged) in
        [(Unexecuted::Unknown, 1.0 - 0.5f64.powf(1.0 / 3.0), 0.37), (Unexecuted::Failed, 0.5, 0.75)]
    {
        let (network, [outer, first, _]) = nested();
        let mut model = CheckedModel::new(network, 3, 0.5, 0.0, unexecuted);
        model.propose(|_| true);
        model.learn(Verdict::failed_at(CheckId(1)));
        let settled = if unexecuted == Unexecuted::Failed { 1.0 } else { of_last };
        assert!((model.p(2, outer) - settled).abs() < 1e-12, "{unexecuted:?}");
        assert!((model.p(2, first) - of_last).abs() < 1e-12, "{unexecuted:?}");
        assert!(
            (model.network().p(first) - merged).abs() < 1e-3,
            "{unexecuted:?}: {}",
            model.network().p(first)
        );
    }
}

#[test]
fn a_part_that_no_check_is_believed_to_need_is_still_tried() {
    let (network, [outer, first, second]) = nested();
    let mut model = CheckedModel::new(network, 2, 0.5, 0.0, Unexecuted::Unknown);
    assert_eq!(model.propose(|_| true), Some(outer));
    // Nobody told of the second check; the first one held and the candidate was boring.
    model.learn(Verdict::Boring { marks: Marks::NONE.with(CheckId(0), Mark::Ok) });
    assert_eq!(model.propose(|_| true), Some(first));
    model.learn(Verdict::failed_at(CheckId(1)));
    assert_eq!(model.propose(|_| true), Some(second));
    model.learn(Verdict::Interesting);
    assert!(!model.network().is_left(second) && model.network().is_left(first));
    assert_eq!(model.propose(|_| true), None);
}

fn run(
    options: &Options,
    filter: Filter,
    jobs: usize,
    text: &str,
    check: &(dyn Fn(usize, &str) -> bool + Sync),
) -> (String, Summary) {
    staged("t-cov-pdd", options, (filter, jobs), ("p.json", text), check)
}

fn document() -> String {
    let rows: Vec<String> =
        (0..30).map(|at| format!("{{\"k{at}\": [{at}, [true, {at}0], \"v{at}\"]}}")).collect();
    format!("[{}]\n", rows.join(", "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn the_result_is_interesting_and_the_same_for_every_number_of_jobs(salt in any::<u64>(), failed in any::<bool>()) {
        let (text, mut options) = (document(), Options::default());
        set(&mut options, if failed { "t-pdd.unexecuted=failed" } else { "t-pdd.unexecuted=unknown" }).expect("known");
        // Any answers at all: checks that contradict themselves must not lead to a result that is boring.
        let check = |check: usize, other: &str| {
            let hash = other.bytes().fold(salt ^ check as u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3).rotate_left(9)
            });
            other == document() || !(hash >> 5).is_multiple_of(3)
        };
        let (left, summary) = run(&options, Filter::Off, 1, &text, &check);
        prop_assert!((0..3).all(|at| check(at, &left)));
        for jobs in [2, 8] {
            let (other, same) = run(&options, Filter::Off, jobs, &text, &check);
            prop_assert_eq!(&other, &left);
            prop_assert_eq!(same.counts, summary.counts);
        }
    }
}

#[test]
fn the_syntax_filter_costs_no_verdicts() {
    let text = document();
    let check = |check: usize, text: &str| match check {
        0 => text.matches('[').count() == text.matches(']').count(),
        1 => text.contains("k7"),
        _ => text.contains("v21"),
    };
    let (left, summary) = run(&Options::default(), Filter::Off, 1, &text, &check);
    let (same, filtered) = run(&Options::default(), Filter::NoWorse, 2, &text, &check);
    assert_eq!(left, same);
    assert!(left.contains("k7") && left.contains("v21") && left.len() < 60, "{left}");
    assert!(filtered.counts.queries <= summary.counts.queries);
}

#[test]
fn without_checks_it_asks_what_t_pdd_asks() {
    let text = document();
    let needs = |text: &str| text.contains("k7") && text.contains("v21");
    let (plain, asked) = reduce("t-pdd", &Options::default(), ("p.json", &text), needs);
    let (checked, same) = reduce("t-cov-pdd", &Options::default(), ("p.json", &text), needs);
    assert_eq!((plain, asked.counts), (checked, same.counts));
}
