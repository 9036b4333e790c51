//! The command line: reads arguments, wires the crates together, tells what happened. No algorithm lives here.

mod also;
mod args;
mod check_args;
mod checks;
mod demo;
mod exit;
mod format;
mod input;
mod interrupt;
mod jar;
mod jar_tree;
mod job;
mod keeper;
mod language;
mod languages;
mod lessons;
mod list;
mod logic;
mod panel;
mod propose;
mod reduce;
mod resume;
mod rules;
mod run_dir;
mod start;
mod test;
mod tool;
mod tree;
mod triage;
mod values;
mod writer;

use std::ffi::OsString;

use clap::Parser;

use args::{Cli, Command};
pub(crate) use exit::Exit;

/// Runs what the command line asks for.
pub(crate) fn main() -> Exit {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let result = match Cli::parse().command {
        Command::Reduce(args) => reduce::run(&args, &words),
        Command::Logic(args) => logic::run(&args, &words),
        Command::Jar(args) => jar::run(&args, &words),
        Command::Triage(args) => triage::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Resume(args) => resume::run(&args),
        Command::Languages(args) => languages::run(&args),
        Command::Tree(args) => tree::run(&args),
        Command::Passes => list::passes(),
        Command::Presets => list::presets(),
        Command::Rules(args) => rules::run(&args),
        Command::Completions { shell } => list::completions(shell),
        Command::Man => list::man(),
    };
    result.unwrap_or_else(|error| report(&error))
}

/// Prints an error with all its causes on one line, and says how to end.
fn report(error: &anyhow::Error) -> Exit {
    // Whoever reads our output has seen enough: `dwindle presets | head -1` is no failure.
    if error
        .root_cause()
        .downcast_ref::<std::io::Error>()
        .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    {
        return Exit::Done;
    }
    anstream::eprintln!("dwindle: {}", with_causes(error));
    error.downcast_ref::<UsageError>().map_or(Exit::CannotGoOn, |_| Exit::Usage)
}

/// The error and its causes, but for those that the words before them tell already.
fn with_causes(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |mut text, cause| {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text += if text.is_empty() { "" } else { ": " };
            text += &cause;
        }
        text
    })
}

/// An error in what the user typed, as opposed to one in what happened then.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct UsageError(Box<dyn std::error::Error + Send + Sync>);

impl UsageError {
    #[allow(clippy::new_ret_no_self, reason = "it only ever travels as an error of any kind")]
    fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> anyhow::Error {
        anyhow::Error::new(UsageError(error.into()))
    }
}
