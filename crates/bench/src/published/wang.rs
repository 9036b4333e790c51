//! Probabilistic delta debugging: the worked examples, and counts where all or none is needed.

use anyhow::Result;
use dwindle_core::Subset;
use dwindle_delta::{Algorithm1, ChunkLength, ChunkLengthDdmin, ListMinimizer, PredicateList, ProbDd, Ties};

use super::Figure;

const STRING: &str = r#"V"/+!aF-(V4EOz*+s/Q,7)2@0_"#;

/// An opening parenthesis before the first closing one.
fn parenthesised(kept: &Subset) -> bool {
    let text: Vec<u8> = kept.iter().map(|i| STRING.as_bytes()[i]).collect();
    let find = |wanted: u8| text.iter().position(|&byte| byte == wanted);
    matches!((find(b'('), find(b')')), (Some(open), Some(close)) if open < close)
}

/// A program of eight statements that must stay valid and reach its last one.
fn reaches_type(kept: &Subset) -> bool {
    let has = |statement: usize| kept.contains(statement - 1);
    has(8)
        && (!has(2) || has(1))
        && (!has(4) || has(1) && (has(5) || has(6) || has(7)))
        && (!(has(5) || has(6) || has(7)) || has(4))
        && (!has(5) || has(2))
        && (!has(6) || has(2))
        && (!has(7) || has(2) && has(5) && has(6))
        && (has(3) || has(7))
}

/// Queries and what is left, counted from 1.
fn reduce(
    minimizer: &dyn ListMinimizer,
    n: usize,
    cached: bool,
    predicate: impl Fn(&Subset) -> bool,
) -> Result<(u64, Vec<usize>)> {
    let list = PredicateList::new(|kept: &Subset| predicate(kept));
    let mut list = if cached { list } else { list.without_cache() };
    let kept = minimizer.minimize(&vec![1; n], &mut list)?;
    Ok((list.queries(), kept.iter().map(|i| i + 1).collect()))
}

pub(super) fn figures() -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let fractional = Algorithm1 { length: ChunkLength::Fractional };
    let strings: [(&str, &dyn ListMinimizer, bool, &str); 3] = [
        ("whole chunk lengths (the figure)", &Algorithm1::default(), true, "17"),
        ("fractional chunk lengths (the prose)", &fractional, false, "25"),
        ("fractional, with a cache", &fractional, true, "22"),
    ];
    for (number, (what, minimizer, cached, published)) in strings.into_iter().enumerate() {
        // The documents count the first run, on the whole string, as well.
        let (queries, left) = reduce(minimizer, STRING.len(), cached, parenthesised)?;
        let text: String = left.iter().map(|i| STRING.as_bytes()[i - 1] as char).collect();
        let make = if number == 2 { Figure::derived } else { Figure::printed };
        figures.push(make(
            format!("ddmin on a string of 26 characters, {what}: calls → result"),
            format!("{published} → ()"),
            format!("{} → {text}", queries + 1),
        ));
    }
    for (what, cached, published) in [("no cache", false, "28"), ("with a cache", true, "27")] {
        let (queries, left) = reduce(&ChunkLengthDdmin, 8, cached, reaches_type)?;
        let make = if cached { Figure::derived } else { Figure::printed };
        figures.push(make(
            format!("ddmin on a program of eight statements, {what}: calls → statements left"),
            format!("{published} → {:?}", [1, 2, 4, 5, 6, 7, 8]),
            format!("{queries} → {left:?}"),
        ));
    }
    let from_one = |order: &[usize]| order.iter().map(|i| i - 1).collect::<Vec<_>>();
    let scripted = [&[1, 2, 3, 8, 4, 5, 6, 7][..], &[1, 8, 2, 3], &[2, 3, 1, 8]].map(from_one);
    let lucky = ProbDd { sigma: 0.25, ties: Ties::Scripted(scripted.into()), ..ProbDd::default() };
    let (queries, left) = reduce(&lucky, 8, true, reaches_type)?;
    figures.push(Figure::printed(
        "ProbDD on the same, ties as in the figure (8 iterations, one of them known): calls → statements left",
        "7 → [3, 8]",
        format!("{queries} → {left:?}"),
    ));
    let by_index = ProbDd { sigma: 0.25, ..ProbDd::default() };
    let (queries, left) = reduce(&by_index, 8, true, reaches_type)?;
    figures.push(Figure::derived(
        "ProbDD on the same, ties by index: calls → statements left",
        "13 → [1, 2, 4, 5, 6, 7, 8]",
        format!("{queries} → {left:?}"),
    ));
    for (n, needed, sigma, published) in
        [(8, &[3, 8][..], 0.25, 9), (8, &[3, 8], 0.1, 11), (10, &[4], 0.1, 7)]
    {
        let pdd = ProbDd { sigma, ..ProbDd::default() };
        let holds = |kept: &Subset| needed.iter().all(|i| kept.contains(i - 1));
        let (queries, left) = reduce(&pdd, n, true, holds)?;
        figures.push(Figure::derived(
            format!("ProbDD, {n} elements, {needed:?} needed, prior {sigma}: calls → left"),
            format!("{published} → {needed:?}"),
            format!("{queries} → {left:?}"),
        ));
    }
    let counts = [
        ("all", vec![(1, 1, 1), (2, 3, 3), (4, 8, 7), (8, 16, 14), (10, 20, 17), (16, 33, 28)]),
        ("all", vec![(20, 40, 35), (32, 65, 56), (100, 202, 175)]),
        ("none", vec![(8, 1, 2), (16, 2, 4), (100, 10, 25)]),
    ];
    for (which, table) in counts {
        for (n, tenth, quarter) in table {
            let count = |sigma: f64| {
                let pdd = ProbDd { sigma, ..ProbDd::default() };
                reduce(&pdd, n, true, |kept| which == "none" || kept.len() == n).map(|(queries, _)| queries)
            };
            figures.push(Figure::derived(
                format!("ProbDD, {n} elements, {which} needed: calls with priors 0.1, 0.25"),
                format!("{tenth}, {quarter}"),
                format!("{}, {}", count(0.1)?, count(0.25)?),
            ));
        }
    }
    Ok(figures)
}
