//! By-catch: candidates that are not interesting, but fail in another way that the user wants to know of.
//!
//! ```text
//! .dwindle/RUN/also/
//!   seen         what was noticed at which candidate, so that a resumed run knows it again
//!   index.json   the findings, in the order in which they first came
//!   1/, 2/ ...   the smallest candidate of each
//! ```
//!
//! What a run of the test was like is known when it ends; whether it counts, when its candidate is settled. In between it
//! waits under the candidate's fingerprint. So findings are those of a run with one job, and nothing here has a say in
//! what is asked.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use clap::Args;
use dwindle::core::{Candidate, Event, Files, Fingerprint, Verdict};
use dwindle_exec::{BycatchRule, EndClass, Heard};
use dwindle_report::{AlsoFinding, AlsoSummary};

use super::UsageError;

/// What else is worth keeping.
#[derive(Debug, Args)]
#[command(next_help_heading = "Other findings")]
pub(crate) struct AlsoArgs {
    /// Save candidates that are not interesting but make the test print what matches this expression; the smallest for
    /// each text that matches (that of the first group, if there is one). Repeatable
    #[arg(long, value_name = "RE")]
    also: Vec<String>,

    /// Save candidates that are not interesting but end the test like this: a status (128 + n for signal n), a range
    /// such as 129-192, `timeout` or `memory`
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    also_exit: Vec<EndClass>,

    /// How many different findings are saved at most
    #[arg(long, value_name = "N", default_value = "100")]
    also_max: usize,
}

/// What is looked for, and what was found.
pub(crate) struct Also {
    rules: Vec<BycatchRule>,
    max: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Where findings are saved.
    place: Option<Place>,
    /// What was noticed at which candidate.
    noticed: HashMap<Fingerprint, Signature>,
    found: Vec<Found>,
    /// Candidates with a finding that is not saved because there are too many.
    dropped: u64,
    problem: Option<String>,
}

struct Place {
    dir: PathBuf,
    seen: File,
}

/// What makes two findings the same.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Signature {
    rule: usize,
    text: String,
}

struct Found {
    signature: Signature,
    count: u64,
    smallest: Candidate,
    saved: bool,
}

impl Also {
    /// What the user asks for, if that is anything.
    pub(crate) fn new(args: &AlsoArgs) -> Result<Option<Self>> {
        let expressions = args.also.iter().map(|expression| {
            BycatchRule::output(expression)
                .map_err(|problem| UsageError::new(format!("--also {expression}: {problem}")))
        });
        let ends = args.also_exit.iter().map(|class| Ok(BycatchRule::End(class.clone())));
        let rules = expressions.chain(ends).collect::<Result<Vec<_>>>()?;
        let also = Also { rules, max: args.also_max, state: Mutex::default() };
        Ok((!also.rules.is_empty()).then_some(also))
    }

    /// Takes a place for what will be found, and what an earlier part of the run has noticed there.
    pub(crate) fn open(&self, run: &Path) -> Result<()> {
        let dir = run.join("also");
        let failed = || format!("`{}` cannot be written", dir.display());
        fs::create_dir_all(&dir).with_context(failed)?;
        let path = dir.join("seen");
        let noticed = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
        let mut seen = File::options().append(true).create(true).open(path).with_context(failed)?;
        // A line that was cut short by a kill is none, and must not spoil the next.
        if !noticed.is_empty() && !noticed.ends_with('\n') {
            seen.write_all(b"\n").with_context(failed)?;
        }
        let mut state = self.state();
        state.noticed = noticed.lines().filter_map(read).collect();
        state.place = Some(Place { dir, seen });
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run of the test has ended.
    pub(crate) fn hear(&self, heard: &Heard<'_>) {
        if heard.verdict.is_interesting() {
            return;
        }
        let texts = self.rules.iter().map(|rule| rule.text(heard)).enumerate();
        let Some((rule, text)) = texts.filter_map(|(rule, text)| Some((rule, text?))).next() else { return };
        let (fingerprint, signature) = (heard.candidate.fingerprint(), Signature { rule, text });
        let mut state = self.state();
        let line = written(fingerprint, &signature);
        if let Some(place) = &mut state.place
            && let Err(error) = place.seen.write_all(line.as_bytes())
        {
            state.problem.get_or_insert(format!("other findings cannot be saved: {error}"));
        }
        state.noticed.insert(fingerprint, signature);
    }

    /// A candidate counts from now on.
    pub(crate) fn settle(&self, candidate: &Candidate, verdict: Verdict) {
        if verdict.is_interesting() {
            return;
        }
        let state = &mut *self.state();
        let Some(signature) = state.noticed.get(&candidate.fingerprint()).cloned() else { return };
        let full = state.found.len() >= self.max;
        match state.found.iter_mut().find(|found| found.signature == signature) {
            Some(found) => {
                found.count += 1;
                if candidate.size() < found.smallest.size() {
                    found.smallest = candidate.clone();
                    found.saved = false;
                }
            }
            None if full => state.dropped += 1,
            None => {
                state.found.push(Found { signature, count: 1, smallest: candidate.clone(), saved: false });
            }
        }
    }

    /// Saves what is new, now and then. Gives a problem that came up, once.
    pub(crate) fn watch(&self, event: &Event<'_>) -> Option<String> {
        match event {
            Event::PassEnded(_) | Event::Stopped(_) => self.save(),
            _ => None,
        }
    }

    /// Saves what is new. Gives a problem that came up, once.
    pub(crate) fn save(&self) -> Option<String> {
        let state = &mut *self.state();
        if let Some(place) = &state.place
            && state.found.iter().any(|found| !found.saved)
        {
            for (number, found) in (1..).zip(&mut state.found).filter(|(_, found)| !found.saved) {
                match write_files(&place.dir.join(number.to_string()), found.smallest.files()) {
                    Ok(()) => found.saved = true,
                    Err(error) => {
                        state.problem.get_or_insert(format!("other findings cannot be saved: {error}"));
                    }
                }
            }
            let index = serde_json::to_vec_pretty(&self.summarised(state)).expect("it is text and numbers");
            if let Err(error) = fs::write(place.dir.join("index.json"), index) {
                state.problem.get_or_insert(format!("other findings cannot be saved: {error}"));
            }
        }
        state.problem.take()
    }

    /// What was found.
    pub(crate) fn summary(&self) -> AlsoSummary {
        self.summarised(&self.state())
    }

    fn summarised(&self, state: &State) -> AlsoSummary {
        let dir = state.place.as_ref().map(|place| place.dir.clone()).unwrap_or_default();
        let finding = |(number, found): (usize, &Found)| AlsoFinding {
            rule: self.rules[found.signature.rule].to_string(),
            text: found.signature.text.clone(),
            count: found.count,
            bytes: found.smallest.size(),
            path: dir.join(number.to_string()).to_string_lossy().into_owned(),
        };
        let found: Vec<AlsoFinding> = (1..).zip(&state.found).map(finding).collect();
        AlsoSummary {
            candidates: found.iter().map(|found| found.count).sum::<u64>() + state.dropped,
            dropped: state.dropped,
            path: dir.to_string_lossy().into_owned(),
            found,
        }
    }
}

/// A line of `seen`.
fn written(fingerprint: Fingerprint, signature: &Signature) -> String {
    let Fingerprint { lanes: [one, other], len } = fingerprint;
    let text = serde_json::to_string(&signature.text).expect("a string is JSON");
    format!("{one:x} {other:x} {len} {} {text}\n", signature.rule)
}

fn read(line: &str) -> Option<(Fingerprint, Signature)> {
    let mut words = line.splitn(5, ' ');
    let mut lane = || u64::from_str_radix(words.next()?, 16).ok();
    let lanes = [lane()?, lane()?];
    let len = words.next()?.parse().ok()?;
    let (rule, text) = (words.next()?.parse().ok()?, serde_json::from_str(words.next()?).ok()?);
    Some((Fingerprint { lanes, len }, Signature { rule, text }))
}

/// Puts files into a directory of their own, in the place of those that were there.
fn write_files(dir: &Path, files: &Files) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    for file in files.iter() {
        let path = dir.join(&file.path);
        fs::create_dir_all(path.parent().unwrap_or(dir))?;
        fs::write(path, &file.bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noticed_survives_the_log() {
        let fingerprint = Fingerprint::of(b"some text");
        for text in ["plain", "two words\n\"quoted\" \u{e9}", ""] {
            let signature = Signature { rule: 3, text: text.to_owned() };
            let line = written(fingerprint, &signature);
            assert_eq!(line.lines().count(), 1);
            assert_eq!(read(line.trim_end_matches('\n')), Some((fingerprint, signature)));
        }
        for line in ["", "1 2", "x y 3 0 \"a\"", "1 2 3 0 \"cut sho"] {
            assert_eq!(read(line), None);
        }
    }
}
