//! Instructions an operation of the engine takes, counted by callgrind: the same however busy the machine is.
//!
//! Each operation runs a number of times in a process of its own under valgrind, and then twice as often; the difference
//! is free of start-up and of setting up.

use std::hint::black_box;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use clap::ValueEnum;
use dwindle::text::{Segments, Unit, count_tokens};
use dwindle_core::cache::{HashCache, VerdictCache};
use dwindle_core::{Candidate, Files, Options, Session, Subset, Verdict};

use super::Claim;

/// An operation of the engine on a text of 1,000 lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Operation {
    /// A candidate that is asked for the first time, with a test that only says no
    Query,
    /// A candidate that was asked before
    Hit,
    /// Looking for a verdict among 1,000
    LookUp,
    /// Putting the text of a candidate together
    Render,
    /// Cutting the text into lines and fingerprinting them
    Cut,
    /// Counting the tokens of the text
    Tokens,
}

const LINES: usize = 1_000;
const TIMES: usize = 500;

impl Operation {
    fn what(self) -> &'static str {
        match self {
            Operation::Query => "a query (two runs of lines, in-process test)",
            Operation::Hit => "a hit",
            Operation::LookUp => "a look-up in the cache",
            Operation::Render => "rendering a candidate of 1,000 lines",
            Operation::Cut => "cutting and fingerprinting 1,000 lines",
            Operation::Tokens => "counting the tokens of 1,000 lines",
        }
    }

    fn name(self) -> String {
        self.to_possible_value().expect("none is hidden").get_name().to_owned()
    }
}

/// Does an operation so many times.
pub(crate) fn spin(operation: Operation, times: usize) {
    let text = super::log_of(LINES);
    let files = Files::single("log", text.as_bytes());
    let segments = Segments::new(&files, 0, |text| Unit::Line.cut(text));
    let whole = Subset::full(LINES);
    let part = |number: usize| {
        let (from, width) = (number % LINES, 1 + number / LINES);
        segments.keep(&whole.without(from..(from + width).min(LINES)))
    };
    match operation {
        Operation::Query | Operation::Hit => {
            let boring = |_: &Candidate| false;
            let input = Candidate::of_files(files.clone());
            Session::run(&boring, input, Options::default(), |session| {
                for number in 0..times {
                    let number = if operation == Operation::Query { number } else { 0 };
                    black_box(session.test(part(number))).expect("there is no limit");
                }
            });
        }
        Operation::LookUp => {
            let mut cache = HashCache::default();
            let parts: Vec<_> = (0..LINES).map(part).collect();
            for part in &parts {
                cache.put(part, Verdict::BORING);
            }
            for number in 0..times {
                black_box(cache.get(&parts[number % LINES]));
            }
        }
        Operation::Render => (0..times).for_each(|number| {
            black_box(part(number).files());
        }),
        Operation::Cut => (0..times).for_each(|_| {
            black_box(Segments::new(&files, 0, |text| Unit::Line.cut(text)));
        }),
        Operation::Tokens => (0..times).for_each(|_| {
            black_box(count_tokens(black_box(text.as_bytes())));
        }),
    }
}

pub(super) fn measure() -> Result<Vec<Claim>> {
    let is_there = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !is_there {
        anstream::eprintln!("instructions: left out: valgrind cannot be started");
        return Ok(Vec::new());
    }
    let claim = |&operation: &Operation| {
        let (once, twice) = (counted(operation, TIMES)?, counted(operation, 2 * TIMES)?);
        let each = twice.saturating_sub(once) / TIMES as u64;
        Ok(Claim::new(format!("instructions: {}", operation.what()), each as f64, ""))
    };
    Operation::value_variants().iter().map(claim).collect()
}

/// The instructions of a process that does an operation so many times.
fn counted(operation: Operation, times: usize) -> Result<u64> {
    let this = std::env::current_exe().context("this program's own path")?;
    let dir = tempfile::tempdir()?;
    let mut out = std::ffi::OsString::from("--callgrind-out-file=");
    out.push(dir.path().join("callgrind.out"));
    let output = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(out)
        .arg(this)
        .args(["spin", &operation.name(), &times.to_string()])
        .stdin(Stdio::null())
        .output()
        .context("valgrind cannot be started")?;
    let told = String::from_utf8_lossy(&output.stderr);
    let line = told.lines().find_map(|line| line.split_once("Collected :"));
    let (_, number) = line.with_context(|| format!("valgrind counts nothing: {told}"))?;
    number.trim().parse().with_context(|| format!("no number: {number:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_can_be_done() {
        for &operation in Operation::value_variants() {
            spin(operation, 3);
        }
    }
}
