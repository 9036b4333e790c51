//! Tables with sizes, queries, ratios and their geometric means.

use std::fmt::Write;

use super::{Terms, cases, contestants, find};
use crate::contest::{Ending, Row};
use crate::machine::Load;
use crate::stats::{geometric_mean, median, thousands};

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
        "Tokens left / runs of the test, counted outside the tools. {} s a run, {} test{} at once, middle of {}; \
         `*`: the time was over, and the smallest interesting candidate seen so far counts. {} cores, {:.1} processes \
         running or waiting (middle).",
        terms.seconds,
        terms.jobs,
        if terms.jobs == 1 { "" } else { "s" },
        terms.repeat,
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
        writeln!(out, "| {} | {} | {:.2} × | {:.2} × |", one.contestant, one.cases, one.tokens, one.queries)
            .expect("strings take all");
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
    fn the_table_shows_what_was_cut_missing_or_failed() {
        let terms = Terms { seconds: 10, jobs: 1, repeat: 1 };
        let text = tables(&super::super::samples::rows(), &terms);
        assert!(text.contains("| one | 400 | 10 / 100 | 40\\* / 50 | missing |"), "{text}");
        assert!(text.contains("| two | 400 | 20 / 100 | 20 / 200 | failed |"), "{text}");
        assert!(text.contains("| other | 2 | 2.00 × | 1.00 × |"), "{text}");
        assert!(text.contains("Not installed: absent."), "{text}");
    }
}
