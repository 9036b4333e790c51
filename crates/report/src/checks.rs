//! What became of the checks of a test, for both summaries.

use std::fmt::{self, Write};
use std::time::Duration;

use dwindle_core::{CheckId, CheckTally};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::format::{count, harmless, time};

/// One check of a test, as a run has seen it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckSummary {
    /// What it is called.
    pub name: String,
    /// Queries it was run for.
    pub executed: u64,
    /// Those it failed on.
    pub failed: u64,
    /// Those on which no other check is known to have failed.
    pub failed_alone: u64,
    /// How long all its runs took, speculative ones included, where it is a command of its own.
    pub seconds: Option<f64>,
    /// Whether the others rejected all that it rejected.
    pub redundant: bool,
}

impl CheckSummary {
    /// The checks of these names, with the time each took where that is known.
    #[must_use]
    pub fn all(names: &[String], tally: &CheckTally, times: Option<&[Duration]>) -> Vec<Self> {
        let order: Vec<CheckId> = (0..names.len() as u16).map(CheckId).collect();
        let redundant = tally.redundant(&order);
        let one = |(at, name): (usize, &String)| {
            let counts = tally.counts().get(at).copied().unwrap_or_default();
            let seconds = times.and_then(|times| times.get(at)).map(Duration::as_secs_f64);
            CheckSummary {
                name: name.clone(),
                executed: counts.executed,
                failed: counts.failed,
                failed_alone: counts.alone,
                seconds: seconds.map(|seconds| (seconds * 1e6).round() / 1e6),
                redundant: redundant.contains(&CheckId(at as u16)),
            }
        };
        names.iter().enumerate().map(one).collect()
    }
}

/// A table of the checks, and a word on those that could go.
pub(crate) fn write_checks(f: &mut fmt::Formatter<'_>, checks: &[CheckSummary]) -> fmt::Result {
    let header = ["check", "executed", "failed", "alone", "time"].map(str::to_owned);
    let row = |check: &CheckSummary| {
        let span = check.seconds.map_or_else(|| "-".to_owned(), |s| time(Duration::from_secs_f64(s)));
        let [executed, failed, alone] = [check.executed, check.failed, check.failed_alone].map(count);
        [harmless(&check.name), executed, failed, alone, span]
    };
    let rows: Vec<_> = std::iter::once(header).chain(checks.iter().map(row)).collect();
    let widths: [usize; 5] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].width()).max().unwrap_or(0));
    for row in &rows {
        let mut line = format!("{}{:fill$}", row[0], "", fill = widths[0] - row[0].width());
        for (cell, width) in row.iter().zip(widths).skip(1) {
            write!(line, "  {cell:>width$}")?;
        }
        writeln!(f, "{line}")?;
    }
    let redundant: Vec<_> =
        checks.iter().filter(|check| check.redundant).map(|check| harmless(&check.name)).collect();
    if !redundant.is_empty() {
        let names = redundant.join(", ");
        writeln!(
            f,
            "redundant: {names} (the other checks rejected all that was rejected; see --checks dedup)"
        )?;
    }
    writeln!(f)
}
