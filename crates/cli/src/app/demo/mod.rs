//! `dwindle demo`: a whole reduction inside the binary, with nothing to install and nothing written.

mod calc;

use std::io::Write;

use anyhow::Result;
use dwindle::Reduction;
use dwindle::core::Candidate;
use dwindle::text::count_tokens;
use dwindle_report::{Outcome, Style, SummaryJson, SummaryText, Watcher};

use super::Exit;
use super::args::DemoArgs;

/// A program of a hundred lines that makes the calculator divide by zero.
const PROGRAM: &[u8] = include_bytes!("prices.calc");

/// `dwindle demo`
pub(crate) fn run(args: &DemoArgs) -> Result<Exit> {
    let lines = PROGRAM.iter().filter(|&&byte| byte == b'\n').count();
    let watcher = Watcher::new(Style::auto(false, 0), PROGRAM.len() as u64, count_tokens(PROGRAM), tokens);
    watcher.message(&format!(
        "A calculator is given a program of {lines} lines and divides by zero. Which lines does that take? The test asks the \
         calculator, in this process."
    ));
    let reduced = Reduction::new(PROGRAM)
        .named("prices.calc")
        .test(|program| calc::run(program) == calc::Outcome::DividedByZero)
        .jobs(args.jobs)
        .observer(watcher.observer())
        .run()?;
    watcher.finish();
    let outcome = Outcome {
        summary: &reduced.summary,
        input_bytes: PROGRAM.len() as u64,
        input_tokens: Some(count_tokens(PROGRAM)),
        output_bytes: reduced.best.size(),
        output_tokens: Some(tokens(&reduced.best)),
        overhead_queries: 1,
        minimal_over: reduced.minimal_over,
        original: None,
        output: None,
        run: None,
    };
    anstream::eprint!("{}", SummaryText::new(&outcome));
    if args.json {
        writeln!(std::io::stdout(), "{}", SummaryJson::from(&outcome))?;
        return Ok(Exit::Done);
    }
    let mut out = std::io::stdout().lock();
    out.write_all(reduced.bytes())?;
    if !reduced.bytes().ends_with(b"\n") {
        writeln!(out)?;
    }
    Ok(Exit::Done)
}

fn tokens(candidate: &Candidate) -> u64 {
    candidate.files().iter().map(|file| count_tokens(&file.bytes)).sum()
}
