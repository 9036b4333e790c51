//! What every minimiser promises, against brute force on random predicates.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

use dwindle_core::Subset;
use dwindle_delta::{
    Ddmin, Entry, Greeddy, ListMinimizer, LoopOrder, Mode, Options, PredicateList, ProbDd, Split,
    SplitFactor, Ties, Visit, all, by_name, is_one_minimal,
};
use proptest::prelude::*;

/// A predicate over at most 10 elements: interesting sets as bit masks.
#[derive(Clone, Debug)]
struct Table {
    n: usize,
    interesting: Vec<bool>,
}

fn mask(kept: &Subset) -> usize {
    kept.iter().map(|i| 1 << i).sum()
}

impl Table {
    fn holds(&self, kept: &Subset) -> bool {
        self.interesting[mask(kept)]
    }

    fn list(&self) -> PredicateList<impl FnMut(&Subset) -> bool + use<>> {
        let interesting = self.interesting.clone();
        PredicateList::new(move |kept: &Subset| interesting[mask(kept)])
    }

    /// Whether no single element can be deleted; the last one counts only if `to_nothing`.
    fn is_one_minimal(&self, kept: &Subset, to_nothing: bool) -> bool {
        if kept.len() == 1 && !to_nothing {
            return true;
        }
        (0..kept.len()).all(|position| !self.holds(&kept.without(position..position + 1)))
    }

    fn whole(&self) -> usize {
        (1 << self.n) - 1
    }
}

/// Any predicate: each set is interesting with the given share, the whole list always.
fn arbitrary() -> impl Strategy<Value = Table> {
    (1usize..=9, 1u32..9).prop_flat_map(|(n, share)| {
        proptest::collection::vec(prop::bool::weighted(f64::from(share) / 10.0), 1 << n).prop_map(
            move |mut interesting| {
                interesting[(1 << n) - 1] = true;
                Table { n, interesting }
            },
        )
    })
}

/// A monotone predicate: all supersets of a few sets; with one set it is unambiguous too.
fn monotone(sets: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Table> {
    (1usize..=10).prop_flat_map(move |n| {
        proptest::collection::vec(0usize..1 << n, sets.clone()).prop_map(move |needed| {
            let holds = |kept: usize| needed.iter().any(|&set| set & !kept == 0);
            Table { n, interesting: (0..1 << n).map(holds).collect() }
        })
    })
}

fn weights(n: usize) -> Vec<u64> {
    (0..n as u64).map(|i| (i * 7 + 3) % 11).collect()
}

fn settings() -> impl Strategy<Value = Options> {
    let visit = prop_oneof![Just(Visit::Forward), Just(Visit::Backward), Just(Visit::Random)];
    let subsets = prop_oneof![1 => Just(Visit::Skip), 1 => visit.clone()];
    let visit = prop_oneof![9 => visit, 1 => Just(Visit::Skip)];
    let factor = prop_oneof![(2u32..5).prop_map(SplitFactor::Times), Just(SplitFactor::Units)];
    let split = prop_oneof![Just(Split::Zeller), Just(Split::Balanced)];
    let order = prop_oneof![Just(LoopOrder::SubsetsFirst), Just(LoopOrder::ComplementsFirst)];
    let sigma = prop_oneof![Just(None), (0.02f64..0.6).prop_map(Some)];
    (split, factor, subsets, visit, order, 1usize..9, proptest::option::of(any::<u64>()), sigma).prop_map(
        |(split, split_factor, subsets, complements, order, window, seed, sigma)| Options {
            split,
            split_factor,
            subsets,
            complements,
            order,
            window,
            seed,
            sigma,
            ..Options::default()
        },
    )
}

/// Whether every element that stays was boring alone: not in published programs that give up at 0.8 or keep untested,
/// nor in ddmin without complements.
fn searches_fully(entry: &Entry, options: &Options) -> bool {
    is_one_minimal(entry.name, options) || entry.one_minimal_when_repeated && !entry.one_minimal
}

fn check(entry: &Entry, table: &Table, options: &Options) -> Result<(), TestCaseError> {
    let mut list = table.list().traced();
    let kept = entry.build(options).minimize(&weights(table.n), &mut list).unwrap();
    prop_assert!(table.holds(&kept), "{}: {kept:?}", entry.name);
    prop_assert!(kept == Subset::full(table.n) || list.accepted().last() == Some(&kept), "{}", entry.name);
    let asked_for_nothing = list.trace().iter().any(|asked| asked.kept.is_empty());
    prop_assert!(!asked_for_nothing || entry.asks_for_nothing || options.one_minimal, "{}", entry.name);
    if is_one_minimal(entry.name, options) {
        let to_nothing = entry.asks_for_nothing || options.one_minimal;
        prop_assert!(table.is_one_minimal(&kept, to_nothing), "{}: {kept:?}", entry.name);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn results_are_interesting_and_one_minimal_where_promised(table in arbitrary(), options in settings()) {
        for entry in all() {
            check(entry, &table, &options)?;
        }
    }

    #[test]
    fn repeating_makes_results_one_minimal_where_promised(table in arbitrary(), options in settings()) {
        for entry in all() {
            let name = format!("{}-star", entry.name);
            let kept = by_name(&name, &options).unwrap().minimize(&weights(table.n), &mut table.list()).unwrap();
            if is_one_minimal(&name, &options) {
                prop_assert!(table.is_one_minimal(&kept, entry.asks_for_nothing), "{name}: {kept:?}");
            }
        }
    }

    #[test]
    fn a_closing_sweep_makes_every_result_one_minimal(table in arbitrary(), options in settings()) {
        let options = Options { one_minimal: true, ..options };
        for entry in all() {
            check(entry, &table, &options)?;
        }
    }

    #[test]
    fn on_monotone_predicates_every_full_search_is_minimal(table in monotone(1..=3), options in settings()) {
        for entry in all() {
            check(entry, &table, &options)?;
            if !searches_fully(entry, &options) {
                continue;
            }
            let kept = entry.build(&options).minimize(&weights(table.n), &mut table.list()).unwrap();
            prop_assert!(table.is_one_minimal(&kept, entry.asks_for_nothing), "{}: {kept:?}", entry.name);
        }
    }

    #[test]
    fn on_unambiguous_monotone_predicates_all_find_the_one_answer(table in monotone(1..=1), options in settings()) {
        let answer = (0..=table.whole()).find(|&set| table.interesting[set]).unwrap();
        for entry in all() {
            if !searches_fully(entry, &options) {
                continue;
            }
            let kept = entry.build(&options).minimize(&weights(table.n), &mut table.list()).unwrap();
            if kept.len() > 1 || entry.asks_for_nothing {
                prop_assert_eq!(mask(&kept), answer, "{}", entry.name);
            }
        }
    }

    #[test]
    fn neither_result_nor_accepted_sequence_depends_on_looking_ahead(table in arbitrary(), options in settings()) {
        for entry in all() {
            // A new one each time: some remember.
            let mut alone = table.list();
            let kept = entry.build(&options).minimize(&weights(table.n), &mut alone).unwrap();
            for ahead in 2..=8 {
                for cached in [true, false] {
                    let list = table.list().looking_ahead(ahead);
                    let mut list = if cached { list } else { list.without_cache() };
                    let again = entry.build(&options).minimize(&weights(table.n), &mut list).unwrap();
                    prop_assert_eq!(&again, &kept, "{}", entry.name);
                    prop_assert_eq!(list.accepted(), alone.accepted(), "{} looking {} ahead", entry.name, ahead);
                }
            }
        }
    }

    #[test]
    fn chaining_rounds_changes_no_question_of_a_sequential_run(table in arbitrary(), seed in any::<u64>()) {
        for complements in [Visit::Forward, Visit::Backward, Visit::Random] {
            for subsets in [Visit::Skip, Visit::Random] {
                let ddmin = Ddmin { subsets, complements, seed, ..Ddmin::default() };
                let (mut one, mut other) = (table.list().traced(), table.list().traced());
                ddmin.minimize(&weights(table.n), &mut one).unwrap();
                Ddmin { chained: false, ..ddmin }.minimize(&weights(table.n), &mut other).unwrap();
                prop_assert_eq!(one.trace(), other.trace());
            }
        }
    }

    #[test]
    fn a_part_of_a_list_is_minimised_as_a_list_of_its_own(table in monotone(1..=3), options in settings()) {
        // Every other element of a list twice as long.
        let n = table.n;
        let start: Subset = (0..n).map(|i| 2 * i).collect();
        let mut spread = vec![1; 2 * n];
        for (i, weight) in weights(n).into_iter().enumerate() {
            spread[2 * i] = weight;
        }
        for entry in all().iter().filter(|_| options.seed.is_none()) {
            let mut list = PredicateList::new(|kept: &Subset| table.holds(&kept.iter().map(|i| i / 2).collect()));
            let part = entry.build(&options).minimize_from(start.clone(), &spread, &mut list).unwrap();
            let mut whole = table.list();
            let kept = entry.build(&options).minimize(&weights(n), &mut whole).unwrap();
            prop_assert_eq!(part.iter().map(|i| i / 2).collect::<Subset>(), kept, "{}", entry.name);
            prop_assert_eq!((list.queries(), list.hits()), (whole.queries(), whole.hits()), "{}", entry.name);
        }
    }

    #[test]
    fn questions_stay_within_the_published_bounds(table in arbitrary(), sigma in 0.05f64..0.5, seed in any::<u64>()) {
        let n = table.n as f64;
        let mut list = table.list().without_cache();
        let pdd = ProbDd { sigma, ties: Ties::Random(seed), mode: Mode::Paper };
        pdd.minimize(&weights(table.n), &mut list).unwrap();
        let raise = 0.5 * sigma * sigma / (1.0 - 0.5 * sigma);
        prop_assert!(list.queries() as f64 <= n + 0.5 * n / raise + n);
        // ddmin: a quadratic number of questions at worst.
        let mut list = table.list().without_cache();
        Ddmin::default().minimize(&weights(table.n), &mut list).unwrap();
        prop_assert!(list.queries() as f64 <= n * n + 3.0 * n);
        // One-directional searches ask for each block of the tree of halves once.
        for name in ["dfs", "bfs"] {
            let mut list = table.list().without_cache();
            by_name(name, &Options::default()).unwrap().minimize(&weights(table.n), &mut list).unwrap();
            prop_assert!(list.queries() as usize <= 2 * table.n);
        }
    }

    #[test]
    fn greeddy_in_windows_of_one_is_ddmin(table in arbitrary()) {
        let (mut one, mut other) = (table.list(), table.list());
        let greeddy = Greeddy { window: 1, ..Greeddy::default() };
        greeddy.minimize(&weights(table.n), &mut one).unwrap();
        Ddmin::default().minimize(&weights(table.n), &mut other).unwrap();
        prop_assert_eq!(one.accepted(), other.accepted());
        prop_assert_eq!(one.queries(), other.queries());
    }

    #[test]
    fn equal_weights_make_weighted_pdd_plain_pdd(table in monotone(1..=3), weight in 1u64..100) {
        let (mut one, mut other) = (table.list().traced(), table.list().traced());
        by_name("wprobdd", &Options::default()).unwrap().minimize(&vec![weight; table.n], &mut one).unwrap();
        ProbDd::default().minimize(&vec![weight; table.n], &mut other).unwrap();
        prop_assert_eq!(one.trace(), other.trace());
    }
}

#[test]
fn lists_of_no_and_one_element_are_handled() {
    for entry in all() {
        let minimizer = entry.build(&Options::default());
        let mut list = PredicateList::new(|_: &Subset| true);
        assert_eq!(minimizer.minimize(&[], &mut list).unwrap(), Subset::empty(), "{}", entry.name);
        assert_eq!(list.queries(), 0, "{}", entry.name);
        let kept = minimizer.minimize(&[1], &mut list).unwrap();
        assert_eq!(kept.is_empty(), entry.asks_for_nothing, "{}", entry.name);
        assert_eq!(list.queries() > 0, entry.asks_for_nothing, "{}", entry.name);
        let mut list = PredicateList::new(|kept: &Subset| !kept.is_empty());
        assert_eq!(minimizer.minimize(&[1], &mut list).unwrap(), Subset::full(1), "{}", entry.name);
    }
}

#[test]
fn names_are_unique_and_every_name_has_a_star() {
    let options = Options::default();
    let mut names: Vec<_> = all().iter().map(|entry| entry.name).collect();
    for name in &names {
        assert!(by_name(name, &options).is_some());
        assert!(by_name(&format!("{name}-star"), &options).is_some());
    }
    assert!(is_one_minimal("dfs-star", &options) && !is_one_minimal("dfs", &options));
    assert!(!is_one_minimal("ddmin", &Options { complements: Visit::Skip, ..Options::default() }));
    assert!(by_name("no-such-thing", &options).is_none() && !is_one_minimal("no-such-thing", &options));
    assert!(by_name("no-such-thing-star", &options).is_none());
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all().len());
}

#[test]
fn the_book_tells_of_every_minimiser() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/minimizers.md");
    let page = std::fs::read_to_string(page).unwrap();
    for entry in all() {
        assert!(page.contains(&format!("\n| `{}` | ", entry.name)), "{} is missing in the book", entry.name);
    }
}

#[test]
fn a_hundred_thousand_elements_of_which_fifty_are_needed_are_cheap_in_questions() {
    const N: usize = 100_000;
    let needed: Vec<usize> = (0..50).map(|i| i * 1999 + 17).collect();
    // Twice what was measured; one by one would take 100,000 and more.
    for (name, at_most) in [
        ("ddmin", 3_000),
        ("greeddy", 4_500),
        ("one-sweep", 3_000),
        ("dfs", 2_500),
        ("gaps", 1_200),
        ("wdd", 3_000),
        ("levels", 3_000),
        ("cdd", 22_000),
        ("probdd", 22_000),
        ("probdd-learning", 3_000),
        ("wprobdd", 22_000),
    ] {
        let mut list = PredicateList::new(|kept: &Subset| needed.iter().all(|&i| kept.contains(i)));
        let kept = by_name(name, &Options::default()).unwrap().minimize(&vec![1; N], &mut list).unwrap();
        assert!(kept.iter().eq(needed.iter().copied()), "{name}");
        assert!(list.queries() <= at_most, "{name}: {}", list.queries());
    }
}
