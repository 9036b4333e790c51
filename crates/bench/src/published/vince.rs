//! DDMIN and its caches, DDMIN*, GreeDDy: the worked examples in all settings.

use anyhow::{Context, Result};
use dwindle::{Granularity, Reduction};
use dwindle_core::Subset;
use dwindle_core::cache::{CacheOptions, by_name};
use dwindle_delta::{Ddmin, Greeddy, ListMinimizer, PredicateList, Split, Star, Visit};

use super::Figure;
use crate::cases::texts;

fn has(kept: &Subset, unit: usize) -> bool {
    kept.contains(unit - 1)
}

fn has_all(kept: &Subset, units: impl IntoIterator<Item = usize>) -> bool {
    units.into_iter().all(|unit| has(kept, unit))
}

/// The program that prints 10!, by lines: it compiles and prints the product.
fn ten_factorial(kept: &Subset) -> bool {
    let helper = (1..=4).filter(|&line| has(kept, line)).count();
    has_all(kept, [5, 6, 7, 8, 9, 10, 12, 13, 16, 19, 20])
        && has(kept, 14) == has(kept, 17)
        && (has(kept, 14) || !has(kept, 15))
        && matches!(helper, 0 | 4)
        && (!has(kept, 15) || has(kept, 11) && helper == 4)
        && (!has(kept, 18) || has(kept, 11))
}

fn picire_a(kept: &Subset) -> bool {
    has_all(kept, [5, 8]) && (!has(kept, 7) || has(kept, 2))
}

fn toy_d(kept: &Subset) -> bool {
    has_all(kept, [3, 11])
}

/// Tests, hits, windows and how much is left.
fn reduce(
    minimizer: &dyn ListMinimizer,
    n: usize,
    ahead: usize,
    predicate: fn(&Subset) -> bool,
) -> Result<[u64; 4]> {
    let mut list = PredicateList::new(predicate).looking_ahead(ahead);
    let kept = minimizer.minimize(&vec![1; n], &mut list)?;
    Ok([list.queries(), list.hits(), list.windows(), kept.len() as u64])
}

pub(super) fn figures(synthetic: bool) -> Result<Vec<Figure>> {
    let mut figures = examples()?;
    figures.extend(settings()?);
    figures.extend(windows()?);
    if synthetic {
        figures.extend(caches()?);
    }
    Ok(figures)
}

fn examples() -> Result<Vec<Figure>> {
    let [tests, hits, ..] = reduce(&Ddmin::default(), 5, 1, |kept| has_all(kept, [2, 4]))?;
    let [.., once] = reduce(&Ddmin::default(), 20, 1, ten_factorial)?;
    let [.., star] = reduce(&Star(Ddmin::default()), 20, 1, ten_factorial)?;
    Ok(vec![
        Figure::printed(
            "Table 4.1: DDMIN on \"12345\", look-ups, tests, hits",
            "11, 10, 1",
            format!("{}, {tests}, {hits}", tests + hits),
        ),
        Figure::printed(
            "Figure 5.1: lines of the 10! program after DDMIN, DDMIN*",
            "17, 13",
            format!("{once}, {star}"),
        ),
    ])
}

/// The 10! program in all eight settings: tests and hits of DDMIN, of DDMIN*.
fn settings() -> Result<Vec<Figure>> {
    use Split::{Balanced, Zeller};
    use Visit::{Backward, Forward, Skip};
    let table = [
        (Zeller, Skip, Backward, [56, 1, 94, 30]),
        (Zeller, Skip, Forward, [65, 13, 100, 42]),
        (Zeller, Forward, Backward, [92, 69, 144, 151]),
        (Zeller, Forward, Forward, [101, 81, 150, 163]),
        (Balanced, Skip, Backward, [51, 4, 87, 35]),
        (Balanced, Skip, Forward, [83, 10, 116, 41]),
        (Balanced, Forward, Backward, [87, 67, 135, 153]),
        (Balanced, Forward, Forward, [119, 73, 164, 159]),
    ];
    let line = |[tests, hits, star_tests, star_hits]: [u64; 4]| {
        format!("{tests} + {hits}, {star_tests} + {star_hits}")
    };
    let figure = |(split, subsets, complements, published)| {
        let ddmin = Ddmin { split, subsets, complements, ..Ddmin::default() };
        let [tests, hits, ..] = reduce(&ddmin, 20, 1, ten_factorial)?;
        let [star_tests, star_hits, ..] = reduce(&Star(ddmin), 20, 1, ten_factorial)?;
        Ok(Figure::derived(
            format!(
                "10! program, split {split:?}, subsets {subsets:?}, complements {complements:?}: tests + hits of DDMIN, DDMIN*"
            ),
            line(published),
            line([tests, hits, star_tests, star_hits]),
        ))
    };
    table.into_iter().map(figure).collect()
}

/// Tests and windows with several workers.
fn windows() -> Result<Vec<Figure>> {
    let star = Star(Ddmin { chained: false, ..Ddmin::default() });
    let greeddy = |window: usize| Greeddy { window, star: true, ..Greeddy::default() };
    let mut figures = Vec::new();
    let mut push = |what: String, published: [u64; 2], [tests, _, windows, _]: [u64; 4]| {
        let line = |[tests, windows]: [u64; 2]| format!("{tests} in {windows}");
        figures.push(Figure::derived(what, line(published), line([tests, windows])));
    };
    for (jobs, published) in [(1, [94, 94]), (2, [95, 48]), (4, [97, 28]), (8, [109, 21])] {
        let ours = reduce(&star, 20, jobs, ten_factorial)?;
        push(format!("10! program, DDMIN*, {jobs} at once: tests in windows"), published, ours);
    }
    for (jobs, published) in [(1, [94, 94]), (2, [95, 48]), (4, [97, 28]), (8, [102, 20])] {
        let ours = reduce(&greeddy(jobs), 20, 1, ten_factorial)?;
        push(format!("10! program, GreeDDy*, {jobs} at once: tests in windows"), published, ours);
    }
    let ours = reduce(&star, 16, 4, toy_d)?;
    push("16 units of which 2 are needed, DDMIN*, 4 at once: tests in windows".into(), [26, 10], ours);
    let ours = reduce(&greeddy(4), 16, 1, toy_d)?;
    push("16 units of which 2 are needed, GreeDDy*, 4 at once: tests in windows".into(), [23, 7], ours);
    for (what, jobs, published) in [("DDMIN*", 1, 16), ("DDMIN*", 4, 25)] {
        let [ours, ..] = reduce(&star, 8, jobs, picire_a)?;
        figures.push(Figure::derived(
            format!("Picire's first vector, {what}, {jobs} at once: tests"),
            format!("{published}"),
            format!("{ours}"),
        ));
    }
    let [ours, ..] = reduce(&greeddy(4), 8, 1, picire_a)?;
    figures.push(Figure::derived(
        "Picire's first vector, GreeDDy*, 4 at once: tests",
        "20",
        format!("{ours}"),
    ));
    Ok(figures)
}

/// Peak memory of the three proposals, DDMIN over characters.
fn caches() -> Result<Vec<Figure>> {
    type Text = (&'static str, fn() -> String, fn(&[u8]) -> bool);
    let inputs: [Text; 3] = [
        ("Lisp", texts::lisp, texts::has_unbound_helper),
        ("JSON", texts::json, texts::has_deep_needle),
        ("XML", texts::xml, texts::has_broken_item),
    ];
    let mut figures = Vec::new();
    for (name, generate, test) in inputs {
        let peak = |scheme: &str| {
            let cache = by_name(scheme, &CacheOptions::default()).context("a scheme of ours")?;
            // The beginning of the text would do as well, but it must stay interesting.
            let reduction = Reduction::new(generate()).preset("ddmin").granularity(Granularity::Char);
            let reduced = reduction.test(test).cache(cache).max_queries(20_000).run()?;
            anyhow::Ok(reduced.summary.cache.peak_bytes as f64)
        };
        let plain = peak("str")?;
        let below = |scheme: &str| peak(scheme).map(|peak| format!("{:.1} %", 100.0 * (1.0 - peak / plain)));
        figures.push(Figure::synthetic(
            format!("Table 4.2: peak of P1, P1+P2, P1+P2+P3 below plain text, DDMIN over characters ({name}, {} KiB)", (plain / 1024.0) as u64),
            "5 – 24 %, 82 – 93 %, 88.7 – 99.1 %",
            format!("{}, {}, {}", below("p1")?, below("p2")?, below("p3")?),
        ));
    }
    Ok(figures)
}
