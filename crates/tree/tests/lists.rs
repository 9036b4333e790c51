//! What list minimisers are told inside of tree presets: the checks of a test, and which elements they have met before.

mod common;

use common::{reduce, staged};
use dwindle_syntax::Filter;
use dwindle_tree::Options;

fn with_minimizer(name: &str) -> Options {
    Options { list_minimizer: Some(name.into()), ..Options::default() }
}

fn document() -> String {
    let rows: Vec<String> =
        (0..40).map(|at| format!("{{\"k{at}\": [{at}, [true, {at}0], \"v{at}\"]}}")).collect();
    format!("[{}]\n", rows.join(", "))
}

#[test]
fn a_search_that_learns_from_checks_is_the_same_for_every_number_of_jobs() {
    let text = document();
    // The second check is not monotone: it fails where one of a pair is left alone.
    let check = |check: usize, text: &str| match check {
        0 => text.matches('{').count() == text.matches('}').count(),
        1 => text.contains("k11") == text.contains("v12") && text.contains("k3") == text.contains("v30"),
        _ => text.contains("k7") && text.contains("v21"),
    };
    for (preset, filter) in [
        ("perses", Filter::Off),
        ("perses", Filter::NoWorse),
        ("hdd-star", Filter::Off),
        ("hddr-star", Filter::NoWorse),
        ("gtr-star", Filter::Off),
    ] {
        let run = |name: &str, jobs| {
            staged(preset, &with_minimizer(name), (filter, jobs), ("p.json", &text), &check)
        };
        let (left, summary) = run("cov-probdd", 1);
        assert!((0..3).all(|at| check(at, &left)), "{preset}: {left}");
        for jobs in [2, 4] {
            let (same, again) = run("cov-probdd", jobs);
            assert_eq!(same, left, "{preset}, {jobs} jobs");
            assert_eq!(again.counts, summary.counts, "{preset}, {jobs} jobs");
            assert!(again.started >= again.counts.queries, "{preset}, {jobs} jobs");
        }
        let (_, plain) = run("probdd", 1);
        assert_ne!(summary.counts, plain.counts, "{preset}: the checks taught nothing");
    }
}

#[test]
fn workers_are_not_idle_in_a_search_that_learns_from_checks() {
    let check = |check: usize, text: &str| check < 2 || text.contains("k7") && text.contains("v21");
    for preset in ["perses", "hdd"] {
        let run = |jobs| {
            let input = ("p.json", document());
            staged(preset, &with_minimizer("cov-probdd"), (Filter::Off, jobs), (input.0, &input.1), &check).1
        };
        // What is started beyond the queries was asked ahead; one at a time there would be nothing.
        assert_eq!(run(1).started, run(1).counts.queries, "{preset}");
        assert!(run(4).started > run(4).counts.queries, "{preset}");
    }
}

#[test]
fn a_memory_of_earlier_rounds_saves_queries_in_trees() {
    // In an array of words nothing goes on inside of the elements, so they are the same in every round.
    let words: Vec<String> = (0..90).map(|at| format!("\"v{at}\"")).collect();
    let text = format!("[{}]\n", words.join(", "));
    // A third of the words is needed, and others cannot go as long as the next one is there.
    let needs = |text: &str| {
        let has = |at: usize| text.contains(&words[at]);
        (0..90).step_by(3).all(has) && (1..90).step_by(6).all(|at| has(at) || !has(at + 1))
    };
    for preset in ["p-perses", "p-hdd-star"] {
        let (left, plain) = reduce(preset, &Options::default(), ("p.json", &text), needs);
        let (same, ours) = reduce(preset, &with_minimizer("probdd-persistent"), ("p.json", &text), needs);
        assert_eq!(left, same, "{preset}");
        assert!(ours.counts.queries < plain.counts.queries, "{preset}: {ours:?}, {plain:?}");
    }
}
