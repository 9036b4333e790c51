//! Tables with sizes, queries, ratios and their geometric means.

use std::cmp::Ordering;
use std::fmt::Write;

use super::{CUT, cases, contestants, find};
use crate::contest::{Ending, Row, Terms};
use crate::machine::Load;
use crate::stats::{geometric_mean, median, ratio, thousands};

/// How one contestant compares with the reference, over the cases where both have a result.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Compared {
    pub(super) contestant: String,
    /// Over how many cases.
    pub(super) cases: usize,
    /// Its tokens, characters and queries by those of the reference.
    pub(super) tokens: Means,
    pub(super) characters: Means,
    pub(super) queries: Means,
}

/// The mean of ratios and their geometric mean, which does not depend on who is the reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Means {
    pub(super) geometric: f64,
    pub(super) arithmetic: f64,
}

impl Means {
    fn of(ratios: &[f64]) -> Option<Self> {
        let arithmetic = ratios.iter().sum::<f64>() / ratios.len() as f64;
        Some(Means { geometric: geometric_mean(ratios)?, arithmetic })
    }
}

/// Every contestant against the reference.
pub(super) fn compared(rows: &[Row], reference: &str) -> Vec<Compared> {
    // Something that is empty counts as one: ratios need a number above 0.
    let sizes = |case: &str, name: &str| {
        let row = find(rows, case, name)?;
        let trial = row.middle()?;
        Some([trial.tokens, trial.characters(), row.queries()?].map(|size| size.max(1) as f64))
    };
    let one = |name: &&str| {
        let of_case = |case: &str| {
            let (theirs, ours) = (sizes(case, name)?, sizes(case, reference)?);
            Some([0, 1, 2].map(|at: usize| theirs[at] / ours[at]))
        };
        let ratios: Vec<[f64; 3]> = cases(rows).into_iter().filter_map(of_case).collect();
        let means = |at: usize| Means::of(&ratios.iter().map(|all| all[at]).collect::<Vec<_>>());
        Some(Compared {
            contestant: (*name).to_owned(),
            cases: ratios.len(),
            tokens: means(0)?,
            characters: means(1)?,
            queries: means(2)?,
        })
    };
    contestants(rows).iter().filter_map(one).collect()
}

/// The reference on a case, and the smallest result (tokens, then bytes) of the other tools.
pub(super) fn best_other<'a>(rows: &'a [Row], case: &str, reference: &str) -> Option<(&'a Row, &'a Row)> {
    let others = rows.iter().filter(|row| row.case == case && !row.ours && row.middle().is_some());
    let best = others.min_by_key(|row| size(row))?;
    Some((find(rows, case, reference).filter(|row| row.middle().is_some())?, best))
}

/// Tokens, then bytes.
fn size(row: &Row) -> Option<(u64, u64)> {
    row.middle().map(|trial| (trial.tokens, trial.bytes))
}

/// Numbers of queries at which results are compared.
pub(super) const MARKS: [u64; 5] = [30, 100, 300, 1_000, 3_000];

/// The tokens of each contestant after so many queries by those of the reference, as a geometric mean over the cases
/// where both had as many queries or were through; and over how many cases.
pub(super) fn after(rows: &[Row], contestant: &str, reference: &str, queries: u64) -> Option<(f64, usize)> {
    let tokens = |case: &str, name: &str| {
        let tokens = find(rows, case, name)?.middle()?.after(queries)?;
        Some(tokens.max(1) as f64)
    };
    let ratio = |case: &str| Some(tokens(case, contestant)? / tokens(case, reference)?);
    let ratios: Vec<f64> = cases(rows).into_iter().filter_map(ratio).collect();
    Some((geometric_mean(&ratios)?, ratios.len()))
}

/// What a cell of the big table says.
pub(super) fn cell(row: &Row) -> String {
    match (row.middle(), row.queries()) {
        (Some(trial), Some(queries)) => {
            let cut = if row.ending() == &Ending::Cut { CUT } else { "" };
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

pub(super) fn tables(rows: &[Row], the_terms: &Terms, reference: &str) -> String {
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
    put_best_others(&mut out, rows, reference);
    writeln!(
        out,
        "\nAgainst `{reference}`, over the cases where both have a result (below 1: smaller, or fewer queries); geometric mean, \
         and in parentheses the mean. Characters without white space.\n\n\
         | contestant | cases | tokens | characters | queries |\n|---|--:|--:|--:|--:|"
    )
    .expect("strings take all");
    for one in compared(rows, reference) {
        let [tokens, characters, queries] = [one.tokens, one.characters, one.queries]
            .map(|means| format!("{} ({:.2})", ratio(means.geometric), means.arithmetic));
        writeln!(out, "| {} | {} | {tokens} | {characters} | {queries} |", one.contestant, one.cases)
            .expect("strings take all");
    }
    let marks: Vec<_> = MARKS.iter().map(|&mark| thousands(mark)).collect();
    writeln!(
        out,
        "\nTokens of the smallest so far after as many queries, against `{reference}` after as many (geometric mean, and \
         over how many cases: those where both had so many queries or were through):\n\n| contestant | {} |\n|---|{}",
        marks.join(" | "),
        "--:|".repeat(marks.len())
    )
    .expect("strings take all");
    for name in &names {
        let cell = |&mark: &u64| match after(rows, name, reference, mark) {
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

/// The reference beside the best of the other tools, case by case; nothing without other tools.
fn put_best_others(out: &mut String, rows: &[Row], reference: &str) {
    let pairs: Vec<_> =
        cases(rows).into_iter().filter_map(|case| best_other(rows, case, reference)).collect();
    if pairs.is_empty() {
        return;
    }
    let not_larger = pairs.iter().filter(|(ours, best)| size(ours) <= size(best)).count();
    writeln!(
        out,
        "\n`{reference}` beside the smallest result of the other tools: not larger (tokens, then bytes) on {not_larger} of {}.\n\n\
         | case | `{reference}`: tokens / queries | bytes | best other | tokens / queries | bytes | |\n|---|--:|--:|---|--:|--:|---|",
        pairs.len()
    )
    .expect("strings take all");
    for (ours, best) in pairs {
        let bytes = |row: &Row| row.middle().map_or_else(String::new, |trial| thousands(trial.bytes));
        let word = match size(ours).cmp(&size(best)) {
            Ordering::Less => "smaller",
            Ordering::Equal => "same",
            Ordering::Greater => "**larger**",
        };
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {word} |",
            ours.case,
            cell(ours),
            bytes(ours),
            best.contestant,
            cell(best),
            bytes(best)
        )
        .expect("strings take all");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_over_the_cases_that_both_have() {
        let all = compared(&super::super::samples::rows(), "dwindle");
        assert_eq!(all.len(), 2, "{all:?}");
        let other = &all[1];
        assert_eq!((other.contestant.as_str(), other.cases), ("other", 2));
        assert!((other.queries.geometric - 1.0).abs() < 1e-9, "{other:?}");
        assert!(
            (other.tokens.geometric - 2.0).abs() < 1e-9 && (other.tokens.arithmetic - 2.5).abs() < 1e-9,
            "{other:?}"
        );
    }

    #[test]
    fn contestants_are_compared_after_as_many_queries() {
        let rows = super::super::samples::rows();
        // Case one: 40 tokens after 50 queries, where ours still has 400; case two: both have nothing yet.
        let (ratio, cases) = after(&rows, "other", "dwindle", 50).unwrap();
        assert_eq!(cases, 2);
        assert!((ratio - 0.1f64.sqrt()).abs() < 1e-9, "{ratio}");
        assert_eq!(
            after(&rows, "other", "dwindle", 100).unwrap().1,
            1,
            "the one that was cut at 50 does not count"
        );
        assert_eq!(after(&rows, "absent", "dwindle", 30), None);
    }

    #[test]
    fn the_table_shows_what_was_cut_missing_or_failed() {
        let terms = Terms { seconds: 10.0, queries: None, jobs: 1 };
        let text = tables(&super::super::samples::rows(), &terms, "dwindle");
        assert!(text.contains("| one | 400 | 10 / 100 | 40\\* / 50 | missing |"), "{text}");
        assert!(text.contains("| two | 400 | 20 / 100 | 20 / 200 | failed |"), "{text}");
        assert!(text.contains("| other | 2 | 2.00 × (2.50) | 1.00 × (1.00) | 1.00 × (1.25) |"), "{text}");
        assert!(text.contains("not larger (tokens, then bytes) on 2 of 2"), "{text}");
        assert!(text.contains("| two | 20 / 100 | 60 | other | 20 / 200 | 60 | same |"), "{text}");
        assert!(text.contains("Not installed: absent."), "{text}");
    }
}
