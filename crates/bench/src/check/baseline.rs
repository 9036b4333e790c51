//! What was measured, by name, and how two measurements differ.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// What a workload took and left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Measured {
    pub(super) queries: u64,
    pub(super) hits: u64,
    /// Elements or bytes left.
    pub(super) left: u64,
}

/// Measurements by the name of their workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Baseline(BTreeMap<String, Measured>);

/// How a workload differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    name: String,
    before: Option<Measured>,
    now: Option<Measured>,
}

impl Baseline {
    pub(super) fn insert(&mut self, name: String, measured: Measured) {
        self.0.insert(name, measured);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Only the workloads with such a name.
    pub(super) fn only(mut self, wanted: &dyn Fn(&str) -> bool) -> Self {
        self.0.retain(|name, _| wanted(name));
        self
    }

    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("there is no baseline in {}: `--update` makes one", path.display()))?;
        let map =
            serde_json::from_str(&text).with_context(|| format!("{} is no baseline", path.display()))?;
        Ok(Baseline(map))
    }

    /// Writes a line for each workload, so that a diff shows just those that changed.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let lines: Result<Vec<_>, serde_json::Error> = self
            .0
            .iter()
            .map(|(name, measured)| {
                Ok(format!("  {}: {}", serde_json::to_string(name)?, serde_json::to_string(measured)?))
            })
            .collect();
        std::fs::write(path, format!("{{\n{}\n}}\n", lines?.join(",\n")))
            .with_context(|| format!("{} cannot be written", path.display()))
    }

    /// What is different in `now`, by name.
    pub(super) fn changes(&self, now: &Baseline) -> Vec<Change> {
        let names: std::collections::BTreeSet<_> = self.0.keys().chain(now.0.keys()).collect();
        let change = |name: &String| Change {
            name: name.clone(),
            before: self.0.get(name).copied(),
            now: now.0.get(name).copied(),
        };
        names.into_iter().map(change).filter(|change| change.before != change.now).collect()
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.name)?;
        match (self.before, self.now) {
            (Some(before), Some(now)) => {
                let mut part = |what: &str, before: u64, now: u64| {
                    if before == now {
                        return Ok(());
                    }
                    write!(f, " {what} {before} → {now}")?;
                    if before > 0 {
                        write!(f, " ({:+.1} %)", (now as f64 / before as f64 - 1.0) * 100.0)?;
                    }
                    Ok(())
                };
                part("queries", before.queries, now.queries)?;
                part("hits", before.hits, now.hits)?;
                part("left", before.left, now.left)
            }
            (None, Some(now)) => write!(f, " new, {} queries, {} left", now.queries, now.left),
            (Some(_), None) => f.write_str(" is gone"),
            (None, None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline(entries: &[(&str, [u64; 3])]) -> Baseline {
        let entry = |&(name, [queries, hits, left]): &(&str, [u64; 3])| {
            (name.to_owned(), Measured { queries, hits, left })
        };
        Baseline(entries.iter().map(entry).collect())
    }

    #[test]
    fn a_change_is_told_in_a_line() {
        let before = baseline(&[("a", [100, 5, 3]), ("b", [1, 1, 1]), ("gone", [1, 0, 0])]);
        let now = baseline(&[("a", [110, 5, 4]), ("b", [1, 1, 1]), ("new", [7, 0, 2])]);
        let lines: Vec<_> = before.changes(&now).iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "a: queries 100 → 110 (+10.0 %) left 3 → 4 (+33.3 %)",
                "gone: is gone",
                "new: new, 7 queries, 2 left"
            ]
        );
        assert!(before.changes(&before).is_empty());
    }

    #[test]
    fn what_is_written_is_read_back_a_line_each() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("baseline.json");
        assert!(Baseline::read(&path).unwrap_err().to_string().contains("--update"));
        let some = baseline(&[("list/ddmin", [1, 2, 3]), ("text", [4, 5, 6])]);
        some.write(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 4);
        assert_eq!(Baseline::read(&path).unwrap(), some);
    }
}
