//! What a run leaves: a CSV of all runs, Markdown tables, plots, and one page with everything.

mod csv;
mod html;
mod markdown;
mod passes;
mod plots;
mod svg;

use std::path::Path;

use anyhow::{Context, Result};

pub(crate) use csv::field as csv_field;

use crate::contest::{Ending, Row, Terms, Trial};

/// Writes everything into a folder; all contestants are compared with `reference`.
pub(crate) fn write(folder: &Path, rows: &[Row], terms: &Terms, reference: &str) -> Result<()> {
    let tables = markdown::tables(rows, terms, reference);
    let plots = plots::all(rows);
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))
    };
    file("results.csv", &csv::table(rows))?;
    file("results.md", &tables)?;
    for plot in &plots {
        file(&format!("{}.svg", plot.name), &plot.svg)?;
    }
    file("index.html", &html::page(rows, terms, reference, &plots))
}

/// What stands behind the size of a run that was cut.
const CUT: &str = "\\*";

/// The mark of a run that was cut, or nothing.
pub(crate) fn cut_mark(trial: &Trial) -> &'static str {
    if trial.ending == Ending::Cut { CUT } else { "" }
}

/// The names of the cases, in order.
fn cases(rows: &[Row]) -> Vec<&str> {
    in_order(rows.iter().map(|row| row.case.as_str()))
}

/// The names of the contestants, in order.
fn contestants(rows: &[Row]) -> Vec<&str> {
    in_order(rows.iter().map(|row| row.contestant.as_str()))
}

/// Each once, in the order of their first appearance.
pub(crate) fn in_order<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

fn find<'a>(rows: &'a [Row], case: &str, contestant: &str) -> Option<&'a Row> {
    rows.iter().find(|row| row.case == case && row.contestant == contestant)
}

#[cfg(test)]
mod samples {
    use crate::contest::{Ending, PassTold, Point, Row, Told, Trial};

    /// Two cases, our default and two others, one of which is missing.
    pub(super) fn rows() -> Vec<Row> {
        let row = |case: &str, contestant: &str, ending: Ending, tokens: u64, queries: u64| Row {
            case: case.into(),
            language: "C".into(),
            input_bytes: 1000,
            input_tokens: 400,
            contestant: contestant.into(),
            ours: contestant == "dwindle",
            trials: vec![Trial {
                tokens,
                bytes: tokens * 3,
                queries,
                seconds: 1.5,
                curve: vec![
                    Point { queries: 0, seconds: 0.0, bytes: 1000, tokens: 400 },
                    Point { queries, seconds: 1.0, bytes: tokens * 3, tokens },
                ],
                told: (contestant == "dwindle").then(|| Told {
                    passes: vec![
                        PassTold { name: "line".into(), queries: 60, bytes_before: 1000, bytes_after: 100 },
                        PassTold { name: "token".into(), queries: 40, bytes_before: 100, bytes_after: 30 },
                    ],
                    ..Told::default()
                }),
                ..Trial::none(ending)
            }],
        };
        vec![
            row("one", "dwindle", Ending::Done, 10, 100),
            row("one", "other", Ending::Cut, 40, 50),
            row("one", "absent", Ending::Missing, 0, 0),
            row("two", "dwindle", Ending::Done, 20, 100),
            row("two", "other", Ending::Done, 20, 200),
            row("two", "absent", Ending::Failed("a, \"b\" <c>".into()), 0, 0),
        ]
    }
}
