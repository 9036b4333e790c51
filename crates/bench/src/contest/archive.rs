//! What a contest leaves behind, run by run, so that it can be held in pieces.
//!
//! ```text
//! trials.jsonl                  a line for each run, appended when it has ended; of two for the same the later counts
//! results/CASE/CONTESTANT.EXT   what the contestant has left of the case's input
//! ```

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::trial::{Ending, Terms, Trial};
use crate::cases::Case;

/// A folder with the runs so far. Several programs may add to it at once.
#[derive(Clone, Debug)]
pub(crate) struct Archive {
    folder: PathBuf,
}

/// Which run it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(crate) case: String,
    pub(crate) contestant: String,
    /// Whose result it began with, if not with the input.
    pub(crate) from: Option<String>,
    pub(crate) repeat: usize,
}

/// A run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    #[serde(flatten)]
    pub(crate) key: Key,
    pub(crate) language: String,
    pub(crate) terms: Terms,
    pub(crate) trial: Trial,
}

impl Entry {
    /// Whether a run on these terms would be the same again: it was held on them, or was through before they would have
    /// ended it.
    pub(crate) fn serves(&self, terms: &Terms) -> bool {
        let was_through = self.trial.ending == Ending::Done
            && self.trial.seconds <= terms.seconds
            && terms.queries.is_none_or(|most| self.trial.queries < most);
        self.terms.jobs == terms.jobs && (was_through || self.terms == *terms)
    }

    /// Whether there was a tool to run.
    pub(crate) fn took_place(&self) -> bool {
        !matches!(self.trial.ending, Ending::Missing | Ending::Unfit)
    }
}

impl Archive {
    /// The archive in a folder, which is made if it is not there.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        Ok(Archive { folder: folder.to_owned() })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// All runs so far, in the order they were first made; of two for the same the later.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let text = std::fs::read_to_string(self.folder.join("trials.jsonl")).unwrap_or_default();
        let mut entries: Vec<Entry> = Vec::new();
        // A line that cannot be read is of an older form or was not finished: the run is made again.
        for entry in text.lines().filter_map(|line| serde_json::from_str::<Entry>(line).ok()) {
            match entries.iter_mut().find(|other| other.key == entry.key) {
                Some(other) => *other = entry,
                None => entries.push(entry),
            }
        }
        entries
    }

    /// Adds a run, and keeps its result.
    pub(crate) fn add(&self, case: &Case, entry: &Entry) -> Result<()> {
        if entry.trial.counts() {
            let path = self.result(case, &entry.key);
            std::fs::create_dir_all(path.parent().context("a result has a folder")?)?;
            std::fs::write(path, &entry.trial.result)?;
        }
        let line = serde_json::to_string(entry)? + "\n";
        let mut file = OpenOptions::new().create(true).append(true).open(self.folder.join("trials.jsonl"))?;
        file.write_all(line.as_bytes()).context("the list of runs cannot be written")
    }

    /// Where the result of a run is, if it has one.
    pub(crate) fn result(&self, case: &Case, key: &Key) -> PathBuf {
        let mut name = key.contestant.replace([':', ' '], "-");
        if let Some(from) = &key.from {
            name += &format!("-from-{}", from.replace([':', ' '], "-"));
        }
        if key.repeat > 1 {
            name += &format!("-{}", key.repeat);
        }
        self.folder.join("results").join(&case.name).join(format!("{name}.{}", case.extension()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMS: Terms = Terms { seconds: 10.0, queries: None, jobs: 1 };

    fn entry(ending: Ending, queries: u64) -> Entry {
        let key = Key { case: "one".into(), contestant: "dwindle:ddmin".into(), from: None, repeat: 1 };
        let trial = Trial { queries, seconds: 4.0, result: b"x".to_vec(), ..Trial::none(ending) };
        Entry { key, language: "C".into(), terms: TERMS, trial }
    }

    #[test]
    fn a_run_serves_for_its_own_terms_and_one_that_was_through_for_wider_ones() {
        let wider = Terms { seconds: 100.0, ..TERMS };
        let narrower = Terms { queries: Some(50), ..TERMS };
        let others = Terms { jobs: 2, ..TERMS };
        let table = [
            (Ending::Done, [true, true, false, false]),
            (Ending::Cut, [true, false, false, false]),
            (Ending::Failed("x".into()), [true, false, false, false]),
        ];
        for (ending, expected) in table {
            let entry = entry(ending, 60);
            assert_eq!([TERMS, wider, narrower, others].map(|terms| entry.serves(&terms)), expected);
        }
    }

    #[test]
    fn the_later_run_counts_and_its_result_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::open(&dir.path().join("out")).unwrap();
        let case = Case::sample("one", "in.c");
        for queries in [5, 7] {
            archive.add(&case, &entry(Ending::Done, queries)).unwrap();
        }
        let [entry] = &archive.entries()[..] else { panic!("one run") };
        assert_eq!((entry.trial.queries, &entry.trial.ending), (7, &Ending::Done));
        let path = archive.result(&case, &entry.key);
        assert!(path.ends_with("results/one/dwindle-ddmin.c"), "{path:?}");
        assert_eq!(std::fs::read(path).unwrap(), b"x");
    }
}
