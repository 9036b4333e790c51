//! Tables with sizes, queries, ratios and their geometric means.

use std::fmt::Write;

use super::{cases, contestants, find};
use crate::contest::{Ending, Row, Terms};
use crate::machine::Load;
use crate::stats::{geometric_mean, median, ratio, thousands};

/// Whom all others are compared with.
const REFERENCE: &str = "dwindle";

/// How one contestant compares with the reference, over the cases where both have a result.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Compared {
    pub(super) contestant: String,
    /// Over how many cases.
    pub(super) cases: usize,
    /// Geometric means of its tokens and queries by those of the reference.
    pub(super) tokens: f64,
    pub(super) queries: f64,
}

/// Every contestant against the reference.
pub(super) fn compared(rows: &[Row]) -> Vec<Compared> {
    let names = contestants(rows);
    let ratios = |name: &str| {
        let mut ratios = Vec::new();
        for case in cases(rows) {
            let sizes = |name: &str| {
                let row = find(rows, case, name)?;
                // An empty result counts as one token: ratios need a number above 0.
                Some((row.middle()?.tokens.max(1) as f64, row.queries()?.max(1) as f64))
            };
            if let (Some(theirs), Some(ours)) = (sizes(name), sizes(REFERENCE)) {
                ratios.push((theirs.0 / ours.0, theirs.1 / ours.1));
            }
        }
        ratios
    };
    let one = |name: &&str| {
        let (tokens, queries): (Vec<f64>, Vec<f64>) = ratios(name).into_iter().unzip();
        Some(Compared {
            contestant: (*name).to_owned(),
            cases: tokens.len(),
            tokens: geometric_mean(&tokens)?,
            queries: geometric_mean(&queries)?,
        })
    };
    names.iter().filter_map(one).collect()
}

/// Numbers of queries at which results are compared.
pub(super) const MARKS: [u64; 5] = [30, 100, 300, 1_000, 3_000];

/// The tokens of each contestant after so many queries by those of the reference, as a geometric mean over the cases
/// where both had as many queries or were through; and over how many cases.
pub(super) fn after(rows: &[Row], contestant: &str, queries: u64) -> Option<(f64, usize)> {
    let tokens = |case: &str, name: &str| {
        let tokens = find(rows, case, name)?.middle()?.after(queries)?;
        Some(tokens.max(1) as f64)
    };
    let ratio = |case: &str| Some(tokens(case, contestant)? / tokens(case, REFERENCE)?);
    let ratios: Vec<f64> = cases(rows).into_iter().filter_map(ratio).collect();
    Some((geometric_mean(&ratios)?, ratios.len()))
}

/// What a cell of the big table says.
pub(super) fn cell(row: &Row) -> String {
    match (row.middle(), row.queries()) {
        (Some(trial), Some(queries)) => {
            let cut = if row.ending() == &Ending::Cut { "\\*" } else { "" };
            format!("{}{cut} / {}", thousands(trial.tokens), thousands(queries))
        }
        _ => match row.ending() {
            Ending::Unfit => "–".to_owned(),
            ending => ending.word().to_owned(),
        },
    }
}

pub(super) fn terms(rows: &[Row], terms: &Terms) -> String {
    let loads: Vec<f64> =
        rows.iter().flat_map(|row| row.trials.iter().map(|trial| trial.load.load)).collect();
    format!(
        "Tokens left / runs of the test, counted outside the tools. {:.0} s{} a run, {} test{} at once, middle of {}; \
         `*`: cut, and the smallest interesting candidate seen so far counts. {} cores, {:.1} processes \
         running or waiting (middle).",
        terms.seconds,
        terms.queries.map_or_else(String::new, |most| format!(" or {} queries", thousands(most))),
        terms.jobs,
        if terms.jobs == 1 { "" } else { "s" },
        rows.iter().map(|row| row.trials.len()).max().unwrap_or(1),
        Load::now().cores,
        median(&loads).unwrap_or(0.0)
    )
}

pub(super) fn tables(rows: &[Row], the_terms: &Terms) -> String {
    let names = contestants(rows);
    let mut out = format!("{}\n\n| case | input | {} |\n", terms(rows, the_terms), names.join(" | "));
    writeln!(out, "|---|--:|{}", "--:|".repeat(names.len())).expect("strings take all");
    for case in cases(rows) {
        let row = rows.iter().find(|row| row.case == case).expect("the case has a row");
        write!(out, "| {case} | {} |", thousands(row.input_tokens)).expect("strings take all");
        for name in &names {
            let cell = find(rows, case, name).map_or_else(String::new, cell);
            write!(out, " {cell} |").expect("strings take all");
        }
        out.push('\n');
    }
    writeln!(
        out,
        "\nGeometric means against `{REFERENCE}`, over the cases where both have a result (below 1: smaller, or fewer \
         queries, than `{REFERENCE}`):\n\n| contestant | cases | tokens | queries |\n|---|--:|--:|--:|"
    )
    .expect("strings take all");
    for one in compared(rows) {
        writeln!(
            out,
            "| {} | {} | {} | {} |",
            one.contestant,
            one.cases,
            ratio(one.tokens),
            ratio(one.queries)
        )
        .expect("strings take all");
    }
    let marks: Vec<_> = MARKS.iter().map(|&mark| thousands(mark)).collect();
    writeln!(
        out,
        "\nTokens of the smallest so far after as many queries, against `{REFERENCE}` after as many (geometric mean, and \
         over how many cases: those where both had so many queries or were through):\n\n| contestant | {} |\n|---|{}",
        marks.join(" | "),
        "--:|".repeat(marks.len())
    )
    .expect("strings take all");
    for name in &names {
        let cell = |&mark: &u64| match after(rows, name, mark) {
            Some((value, cases)) => format!("{} ({cases})", ratio(value)),
            None => String::new(),
        };
        let cells: Vec<_> = MARKS.iter().map(cell).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            writeln!(out, "| {name} | {} |", cells.join(" | ")).expect("strings take all");
        }
    }
    let missing: Vec<_> = names
        .iter()
        .filter(|name| rows.iter().any(|row| row.contestant == **name && row.ending() == &Ending::Missing))
        .copied()
        .collect();
    if !missing.is_empty() {
        writeln!(out, "\nNot installed: {}.", missing.join(", ")).expect("strings take all");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_over_the_cases_that_both_have() {
        let all = compared(&super::super::samples::rows());
        assert_eq!(all.len(), 2, "{all:?}");
        let other = &all[1];
        assert_eq!((other.contestant.as_str(), other.cases), ("other", 2));
        assert!((other.tokens - 2.0).abs() < 1e-9 && (other.queries - 1.0).abs() < 1e-9, "{other:?}");
    }

    #[test]
    fn contestants_are_compared_after_as_many_queries() {
        let rows = super::super::samples::rows();
        // Case one: 40 tokens after 50 queries, where ours still has 400; case two: both have nothing yet.
        let (ratio, cases) = after(&rows, "other", 50).unwrap();
        assert_eq!(cases, 2);
        assert!((ratio - 0.1f64.sqrt()).abs() < 1e-9, "{ratio}");
        assert_eq!(after(&rows, "other", 100).unwrap().1, 1, "the one that was cut at 50 does not count");
        assert_eq!(after(&rows, "absent", 30), None);
    }

    #[test]
    fn the_table_shows_what_was_cut_missing_or_failed() {
        let terms = Terms { seconds: 10.0, queries: None, jobs: 1 };
        let text = tables(&super::super::samples::rows(), &terms);
        assert!(text.contains("| one | 400 | 10 / 100 | 40\\* / 50 | missing |"), "{text}");
        assert!(text.contains("| two | 400 | 20 / 100 | 20 / 200 | failed |"), "{text}");
        assert!(text.contains("| other | 2 | 2.00 × | 1.00 × |"), "{text}");
        assert!(text.contains("Not installed: absent."), "{text}");
    }
}
