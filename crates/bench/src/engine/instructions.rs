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
use dwindle_logic::{FirstSet, Order, Progression, Var};
use dwindle_syntax::{Reader, language};

use super::Claim;
use crate::{caches, formulas};

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
    /// Parsing a C program of 1,000 lines and labelling its tree
    Parse,
    /// A progression over 1,000 items under 3,000 clauses
    Progression,
    /// A whole reduction in this process
    Reduction,
    /// The same, with a cache that does not count its bytes
    Unmetered,
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
            Operation::Parse => "parsing and labelling 1,000 lines of C",
            Operation::Progression => "a progression, 1,000 items under 3,000 clauses",
            Operation::Reduction => "a whole reduction of 3,000 tokens in this process",
            Operation::Unmetered => "the same, with a cache that does not count its bytes",
        }
    }

    /// How often it is done: about as much work for each.
    fn times(self) -> usize {
        match self {
            Operation::Parse | Operation::Progression => 10,
            Operation::Reduction | Operation::Unmetered => 2,
            _ => TIMES,
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
        Operation::Parse => {
            let text = c_program(LINES);
            let mut reader = Reader::new(&language("c").expect("this program is built with it"));
            for _ in 0..times {
                black_box(reader.read(black_box(text.as_bytes())).expect("any text can be read"));
            }
        }
        Operation::Progression => {
            let model = formulas::model(1_000, 3_000).expect("generated models are fine");
            let order = Order::of(&model);
            let all: Vec<Var> = model.items().iter().map(|(id, _)| id.into()).collect();
            for _ in 0..times {
                black_box(Progression::new(&model, &order, &all, &[], FirstSet::Minimal));
            }
        }
        Operation::Reduction => caches::reduce(3_000, times, || Box::new(HashCache::default())),
        Operation::Unmetered => caches::reduce(3_000, times, || Box::new(HashCache::unmetered())),
    }
}

/// A C program of about so many lines.
pub(super) fn c_program(lines: usize) -> String {
    let function = |number: usize| {
        format!(
            "static int f{number}(int a, const char *b)\n{{\n    int total = a * {number};\n    for (int i = 0; i < a; i++) {{\n        \
             if (b[i] == 'x' && total > 3) {{\n            total += g(i, (long)b[i], \"text\");\n        }}\n    }}\n    \
             return total ? total : -1;\n}}\n"
        )
    };
    (0..lines / 10).map(function).collect()
}

pub(super) fn measure() -> Result<Vec<Claim>> {
    let is_there = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !is_there {
        anstream::eprintln!("instructions: left out: valgrind cannot be started");
        return Ok(Vec::new());
    }
    let mut claims = Vec::new();
    let (mut metered, mut unmetered) = (0.0, 0.0);
    for &operation in Operation::value_variants() {
        let times = operation.times();
        let (once, twice) = (counted(operation, times)?, counted(operation, 2 * times)?);
        let each = (twice.saturating_sub(once) / times as u64) as f64;
        match operation {
            Operation::Reduction => metered = each,
            Operation::Unmetered => unmetered = each,
            _ => {}
        }
        claims.push(Claim::new(format!("instructions: {}", operation.what()), each, ""));
    }
    claims.push(
        Claim::new(
            "the same: what counting the bytes of the cache adds",
            100.0 * (metered / unmetered - 1.0),
            " %",
        )
        .at_most(2.0),
    );
    Ok(claims)
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
            spin(operation, 2);
        }
    }

    #[test]
    fn the_c_program_has_no_syntax_errors() {
        let mut reader = Reader::new(&language("c").unwrap());
        let text = c_program(LINES);
        assert_eq!(text.lines().count(), LINES);
        assert_eq!(reader.read(text.as_bytes()).unwrap().errors(), 0);
    }
}
