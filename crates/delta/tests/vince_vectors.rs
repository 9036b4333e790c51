//! The worked examples and counts of Vince's dissertation and of Picire's own tests, exactly.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

use std::cell::RefCell;
use std::rc::Rc;

use dwindle_core::{Stop, Subset};
use dwindle_delta::{
    Ddmin, Greeddy, ListMinimizer, ListOracle, LoopOrder, PredicateList, Split, SplitFactor, Star, Visit,
};

/// Units are counted from 1 in the sources.
fn units(kept: &Subset) -> Vec<usize> {
    kept.iter().map(|i| i + 1).collect()
}

fn has(kept: &Subset, unit: usize) -> bool {
    kept.contains(unit - 1)
}

fn has_all(kept: &Subset, units: impl IntoIterator<Item = usize>) -> bool {
    units.into_iter().all(|unit| has(kept, unit))
}

fn text(kept: &Subset, input: &str) -> String {
    kept.iter().map(|i| input.as_bytes()[i] as char).collect()
}

/// A program of 20 lines that computes sum and product; the product must still be printed.
fn ten_factorial(kept: &Subset) -> bool {
    let add = (1..=4).filter(|&line| has(kept, line)).count();
    has_all(kept, (5..=10).chain([12, 13, 16, 19, 20]))
        && has(kept, 14) == has(kept, 17)
        && (has(kept, 14) || !has(kept, 15))
        && (add == 0 || add == 4)
        && (!has(kept, 15) || has(kept, 11) && add == 4)
        && (!has(kept, 18) || has(kept, 11))
}

const SEVENTEEN: [usize; 17] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16, 17, 19, 20];
const THIRTEEN: [usize; 13] = [5, 6, 7, 8, 9, 10, 12, 13, 14, 16, 17, 19, 20];

#[test]
fn table_4_1_takes_eleven_look_ups_ten_tests_and_one_hit() {
    let input = "12345";
    let mut list = PredicateList::new(|kept: &Subset| has(kept, 2) && has(kept, 4)).traced();
    let result = Ddmin::default().minimize(&[1; 5], &mut list).unwrap();
    let table = [
        ("12", false, false),
        ("345", false, false),
        ("123", false, false),
        ("1245", true, false),
        ("145", false, false),
        ("245", true, false),
        ("2", false, false),
        ("45", false, false),
        ("24", true, false),
        ("2", false, true),
        ("4", false, false),
    ];
    let trace: Vec<_> =
        list.trace().iter().map(|asked| (text(&asked.kept, input), asked.interesting, asked.hit)).collect();
    let expected: Vec<_> =
        table.iter().map(|&(text, interesting, hit)| (text.to_owned(), interesting, hit)).collect();
    assert_eq!(trace, expected);
    assert_eq!((list.queries(), list.hits()), (10, 1));
    assert_eq!(text(&result, input), "24");
}

/// Notes how many queries there were before each run of a minimiser.
struct Noted<M> {
    inner: M,
    queries: Rc<RefCell<u64>>,
    marks: RefCell<Vec<u64>>,
}

impl<M: ListMinimizer> ListMinimizer for Noted<M> {
    fn minimize_from(
        &self,
        start: Subset,
        weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        let before = *self.queries.borrow();
        let kept = self.inner.minimize_from(start, weights, oracle)?;
        self.marks.borrow_mut().push(*self.queries.borrow() - before);
        Ok(kept)
    }
}

#[test]
fn ten_factorial_in_all_eight_settings() {
    use Split::{Balanced, Zeller};
    use Visit::{Backward, Forward, Skip};
    // split, subsets, complements, (tests, hits) of DDMIN, (tests, hits) of DDMIN*, tests of each iteration
    let table = [
        (Zeller, Skip, Backward, (56, 1), (94, 30), [56, 28, 10]),
        (Zeller, Skip, Forward, (65, 13), (100, 42), [65, 25, 10]),
        (Zeller, Forward, Backward, (92, 69), (144, 151), [92, 36, 16]),
        (Zeller, Forward, Forward, (101, 81), (150, 163), [101, 33, 16]),
        (Balanced, Skip, Backward, (51, 4), (87, 35), [51, 28, 8]),
        (Balanced, Skip, Forward, (83, 10), (116, 41), [83, 25, 8]),
        (Balanced, Forward, Backward, (87, 67), (135, 153), [87, 37, 11]),
        (Balanced, Forward, Forward, (119, 73), (164, 159), [119, 34, 11]),
    ];
    for (split, subsets, complements, once, star, iterations) in table {
        let setting = format!("{split:?}, subsets {subsets:?}, complements {complements:?}");
        let ddmin = Ddmin { split, subsets, complements, ..Ddmin::default() };

        let mut list = PredicateList::new(ten_factorial);
        let result = ddmin.minimize(&[1; 20], &mut list).unwrap();
        assert_eq!(units(&result), SEVENTEEN, "{setting}");
        assert_eq!((list.queries(), list.hits()), once, "{setting}");

        let queries = Rc::new(RefCell::new(0));
        let counter = Rc::clone(&queries);
        let mut list = PredicateList::new(move |kept: &Subset| {
            *counter.borrow_mut() += 1;
            ten_factorial(kept)
        });
        let noted = Star(Noted { inner: ddmin, queries, marks: RefCell::default() });
        let fixpoint = noted.fixpoint(Subset::full(20), &[1; 20], &mut list).unwrap();
        assert_eq!(units(&fixpoint.kept), THIRTEEN, "{setting}");
        assert_eq!(fixpoint.iterations, 3, "{setting}");
        assert_eq!((list.queries(), list.hits()), star, "{setting}");
        assert_eq!(*noted.0.marks.borrow(), iterations, "{setting}");
    }
}

/// Lines that are the same text (a brace that is not indented), so that different configurations print the same.
fn lines_of_ten_factorial(kept: &Subset) -> Vec<usize> {
    units(kept)
        .into_iter()
        .map(|line| match line {
            2 | 6 | 10 => 2,
            4 | 8 | 20 => 4,
            line => line,
        })
        .collect()
}

#[test]
fn a_content_cache_saves_more_where_subsets_are_tried() {
    use Split::{Balanced, Zeller};
    use Visit::{Backward, Forward, Skip};
    let table = [
        (Zeller, Skip, Backward, (56, 1)),
        (Zeller, Skip, Forward, (65, 13)),
        (Zeller, Forward, Backward, (88, 73)),
        (Zeller, Forward, Forward, (97, 85)),
        (Balanced, Forward, Backward, (83, 71)),
        (Balanced, Forward, Forward, (115, 77)),
    ];
    for (split, subsets, complements, expected) in table {
        let mut cache = std::collections::HashMap::new();
        let (mut tests, mut hits) = (0, 0);
        let mut list = PredicateList::new(|kept: &Subset| match cache.get(&lines_of_ten_factorial(kept)) {
            Some(&known) => {
                hits += 1;
                known
            }
            None => {
                tests += 1;
                let interesting = ten_factorial(kept);
                cache.insert(lines_of_ten_factorial(kept), interesting);
                interesting
            }
        })
        .without_cache();
        Ddmin { split, subsets, complements, ..Ddmin::default() }.minimize(&[1; 20], &mut list).unwrap();
        assert_eq!((tests, hits), expected, "{split:?} {subsets:?} {complements:?}");
    }
}

#[test]
fn the_successes_of_ten_factorial_come_where_they_were_published() {
    let mut list = PredicateList::new(ten_factorial).traced();
    Star(Ddmin::default()).minimize(&[1; 20], &mut list).unwrap();
    let found: Vec<_> = (1..)
        .zip(list.trace())
        .filter(|(_, asked)| asked.interesting)
        .map(|(look_up, asked)| (look_up, asked.kept.len()))
        .collect();
    // Drop 18, drop 15, drop 11 (look-ups 33, 36, 40), then lines 1 to 4 in the second run.
    assert_eq!(found, [(33, 19), (36, 18), (40, 17), (63, 13)]);
}

#[test]
fn batches_start_as_many_tests_of_ten_factorial_as_the_stabilised_parallel_form() {
    for (jobs, tests, windows) in [(1, 94, 94), (2, 95, 48), (4, 97, 28), (8, 109, 21)] {
        let mut list = PredicateList::new(ten_factorial).looking_ahead(jobs);
        let result =
            Star(Ddmin { chained: false, ..Ddmin::default() }).minimize(&[1; 20], &mut list).unwrap();
        assert_eq!(units(&result), THIRTEEN);
        assert_eq!((list.queries(), list.windows()), (tests, windows), "batches of {jobs}");
    }
}

#[test]
fn greeddy_star_on_ten_factorial() {
    // Up to windows of 4 as DDMIN*; in windows of 8 one merge pays.
    for (window, tests, windows) in [(1, 94, 94), (2, 95, 48), (4, 97, 28), (8, 102, 20)] {
        let mut list = PredicateList::new(ten_factorial);
        let result =
            Greeddy { window, star: true, ..Greeddy::default() }.minimize(&[1; 20], &mut list).unwrap();
        assert_eq!(units(&result), THIRTEEN);
        assert_eq!((list.queries(), list.windows()), (tests, windows), "windows of {window}");
    }
}

fn picire_a(kept: &Subset) -> bool {
    has_all(kept, [5, 8]) && (!has(kept, 7) || has(kept, 2))
}

fn picire_b(kept: &Subset) -> bool {
    kept.len() == 8
}

fn picire_c(kept: &Subset) -> bool {
    has_all(kept, [1, 2, 3, 4, 6, 8])
}

fn toy_d(kept: &Subset) -> bool {
    has_all(kept, [3, 11])
}

#[test]
fn picires_own_vectors_hold_under_every_setting() {
    use Visit::{Backward, Forward, Random, Skip};
    type Vector = (fn(&Subset) -> bool, &'static [usize]);
    let vectors: [Vector; 3] =
        [(picire_a, &[5, 8]), (picire_b, &[1, 2, 3, 4, 5, 6, 7, 8]), (picire_c, &[1, 2, 3, 4, 6, 8])];
    let mut settings = Vec::new();
    for split in [Split::Zeller, Split::Balanced] {
        for split_factor in [SplitFactor::Times(2), SplitFactor::Times(3), SplitFactor::Units] {
            for subsets in [Forward, Backward, Random, Skip] {
                for complements in [Forward, Backward, Random] {
                    for order in [LoopOrder::SubsetsFirst, LoopOrder::ComplementsFirst] {
                        let seed = settings.len() as u64;
                        settings.push(Ddmin {
                            split,
                            split_factor,
                            subsets,
                            complements,
                            order,
                            seed,
                            ..Ddmin::default()
                        });
                    }
                }
            }
        }
    }
    for ddmin in settings {
        for (predicate, expected) in vectors {
            let greeddy = Greeddy { ddmin: ddmin.clone(), ..Greeddy::default() };
            let minimizers: [Box<dyn ListMinimizer>; 4] = [
                Box::new(ddmin.clone()),
                Box::new(Star(ddmin.clone())),
                Box::new(greeddy.clone()),
                Box::new(Greeddy { star: true, ..greeddy }),
            ];
            for minimizer in minimizers {
                let mut list = PredicateList::new(predicate);
                let result = minimizer.minimize(&[1; 8], &mut list).unwrap();
                assert_eq!(units(&result), expected, "{ddmin:?}");
            }
        }
    }
}

#[test]
fn parallel_counts_of_the_small_vectors() {
    let star = Star(Ddmin { chained: false, ..Ddmin::default() });
    // (a): units 1 to 8.
    for (jobs, tests) in [(1, 16), (4, 25)] {
        let mut list = PredicateList::new(picire_a).looking_ahead(jobs);
        star.minimize(&[1; 8], &mut list).unwrap();
        assert_eq!(list.queries(), tests, "(a) in batches of {jobs}");
    }
    let greeddy = Greeddy { star: true, ..Greeddy::default() };
    let mut list = PredicateList::new(picire_a);
    greeddy.minimize(&[1; 8], &mut list).unwrap();
    assert_eq!(list.queries(), 20, "(a) with GreeDDy*");
    // (d): units 1 to 16.
    let mut list = PredicateList::new(toy_d);
    star.minimize(&[1; 16], &mut list).unwrap();
    assert_eq!((list.queries(), list.hits()), (16, 4));
    let mut list = PredicateList::new(toy_d).looking_ahead(4);
    star.minimize(&[1; 16], &mut list).unwrap();
    assert_eq!((list.queries(), list.windows()), (26, 10));
    let mut list = PredicateList::new(toy_d).traced();
    let result = greeddy.minimize(&[1; 16], &mut list).unwrap();
    assert_eq!(units(&result), [3, 11]);
    assert_eq!((list.queries(), list.windows()), (23, 7));
}

#[test]
fn greeddy_goes_on_beside_the_last_chunk_that_went() {
    let needed = |kept: &Subset| has(kept, 6);
    // Unit by unit: 1 and 2 go together, so 3 and 4 are next in either direction of counting.
    let ddmin = Ddmin { split_factor: SplitFactor::Units, complements: Visit::Forward, ..Ddmin::default() };
    let mut list = PredicateList::new(needed).traced();
    Greeddy { ddmin, window: 2, star: false }.minimize(&[1; 8], &mut list).unwrap();
    let asked: Vec<_> = list.trace().iter().take(5).map(|asked| units(&asked.kept)).collect();
    let expected: [&[usize]; 5] = [
        &[2, 3, 4, 5, 6, 7, 8],
        &[1, 3, 4, 5, 6, 7, 8],
        &[3, 4, 5, 6, 7, 8],
        &[4, 5, 6, 7, 8],
        &[3, 5, 6, 7, 8],
    ];
    assert_eq!(asked, expected);
}

#[test]
fn greeddy_takes_the_first_and_adds_what_goes_with_it_where_not_all_go_together() {
    // 1 and 2 may each go, but not both; 3 may go with either.
    let predicate = |kept: &Subset| has(kept, 4) && (has(kept, 1) || has(kept, 2));
    let ddmin = Ddmin { split_factor: SplitFactor::Units, complements: Visit::Forward, ..Ddmin::default() };
    let mut list = PredicateList::new(predicate).traced();
    let result = Greeddy { ddmin, window: 3, star: false }.minimize(&[1; 4], &mut list).unwrap();
    assert_eq!(units(&result), [2, 4]);
    let accepted: Vec<_> = list.accepted().iter().map(units).collect();
    assert_eq!(accepted, [vec![2, 3, 4], vec![2, 4]]);
    let merges: Vec<_> =
        list.trace()[3..6].iter().map(|asked| (units(&asked.kept), asked.interesting)).collect();
    assert_eq!(merges, [(vec![4], false), (vec![3, 4], false), (vec![2, 4], true)]);
}

#[test]
fn without_a_query_the_list_stays_whole() {
    for predicate in [picire_a, picire_b, picire_c] {
        let mut list = PredicateList::new(predicate).limited_to(0);
        assert!(matches!(Ddmin::default().minimize(&[1; 8], &mut list), Err(Stop::OutOfQueries)));
        assert!(list.accepted().is_empty());
    }
}
