//! What our own tool says of a run with `--json`: its passes, and queries that do not depend on `-j`.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// The part of the summary that is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Told {
    /// Runs of the test the passes asked for: with several tests at once fewer than were started.
    pub(crate) queries: u64,
    pub(crate) hits: u64,
    pub(crate) accepted: u64,
    /// Why the run ended early, if it did.
    pub(crate) stopped: Option<String>,
    pub(crate) passes: Vec<PassTold>,
}

/// What one pass did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PassTold {
    pub(crate) name: String,
    pub(crate) queries: u64,
    pub(crate) bytes_before: u64,
    pub(crate) bytes_after: u64,
}

impl Told {
    /// Reads it from what the tool has printed; nothing if there is no summary.
    pub(super) fn read(log: &Path) -> Option<Self> {
        let text = std::fs::read(log).ok()?;
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().rev().filter(|line| line.starts_with('{'));
        lines.filter_map(|line| serde_json::from_str(line).ok()).next()
    }

    /// For each pass by name, in order of their first turn: its queries, and by what factor it made the best smaller.
    pub(crate) fn contributions(&self) -> Vec<(&str, u64, f64)> {
        let mut parts: Vec<(&str, u64, f64)> = Vec::new();
        for pass in &self.passes {
            let factor = pass.bytes_before.max(1) as f64 / pass.bytes_after.max(1) as f64;
            match parts.iter_mut().find(|(name, ..)| *name == pass.name) {
                Some((_, queries, product)) => {
                    *queries += pass.queries;
                    *product *= factor;
                }
                None => parts.push((&pass.name, pass.queries, factor)),
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_the_last_object_that_was_printed() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        assert_eq!(Told::read(&log), None);
        let line = r#"{"queries":7,"hits":2,"accepted":1,"stopped":"queries","passes":[],"more":[1]}"#;
        std::fs::write(&log, format!("a warning\n{{}}\n{line}\n")).unwrap();
        let told = Told::read(&log).unwrap();
        assert_eq!((told.queries, told.stopped.as_deref()), (7, Some("queries")));
    }

    #[test]
    fn turns_of_one_pass_are_put_together() {
        let pass = |name: &str, queries, bytes_before, bytes_after| PassTold {
            name: name.into(),
            queries,
            bytes_before,
            bytes_after,
        };
        let passes = vec![pass("line", 10, 800, 100), pass("token", 5, 100, 50), pass("line", 1, 50, 25)];
        let told = Told { passes, ..Told::default() };
        assert_eq!(told.contributions(), [("line", 11, 16.0), ("token", 5, 2.0)]);
    }
}
