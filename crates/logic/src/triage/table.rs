//! A triage as a table for people and as JSON for programs.

use std::fmt::Write;

use super::{Triage, Verdict};

/// The outcome as JSON, with stable field names.
#[must_use]
pub fn to_json(triage: &Triage) -> String {
    serde_json::to_string_pretty(triage).expect("texts and finite numbers can be written as JSON")
}

/// The outcome as two tables: the inputs on which a tool fails, then the groups. Sound inputs are counted only.
#[must_use]
pub fn to_table(triage: &Triage) -> String {
    let shown: Vec<_> = triage.inputs.iter().filter(|input| input.verdict != Verdict::Sound).collect();
    let mut rows = vec![["input", "easiness", "verdict", "fails", "first difference"].map(str::to_owned)];
    rows.extend(shown.iter().map(|input| {
        [
            input.input.clone(),
            format!("{:.2}", input.easiness),
            input.verdict.word().to_owned(),
            input.unsound.join(", "),
            input.difference.clone().unwrap_or_default(),
        ]
    }));
    let mut text = aligned(&rows);
    let mut groups =
        vec![["inputs", "verdict", "fails", "first difference", "smallest name"].map(str::to_owned)];
    groups.extend(triage.groups.iter().map(|group| {
        [
            group.inputs.len().to_string(),
            group.verdict.word().to_owned(),
            group.unsound.join(", "),
            group.difference.clone().unwrap_or_default(),
            group.inputs.iter().min().cloned().unwrap_or_default(),
        ]
    }));
    if shown.is_empty() {
        text.clear();
    } else {
        text.push('\n');
        text.push_str(&aligned(&groups));
        text.push('\n');
    }
    let count = |verdict| triage.inputs.iter().filter(|input| input.verdict == verdict).count();
    writeln!(
        text,
        "{} {}: {} bug, {} feature, {} unknown, {} sound (bug from easiness {:.2}, feature below {:.2})",
        triage.inputs.len(),
        if triage.inputs.len() == 1 { "input" } else { "inputs" },
        count(Verdict::Bug),
        count(Verdict::Feature),
        count(Verdict::Unknown),
        count(Verdict::Sound),
        triage.thresholds.bug,
        triage.thresholds.feature,
    )
    .expect("writing to a string works");
    let silent: usize = triage.inputs.iter().map(|input| input.silent.len()).sum();
    if silent > 0 {
        writeln!(text, "{silent} of the runs gave no answer and count as no evidence")
            .expect("writing to a string works");
    }
    text
}

fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}
