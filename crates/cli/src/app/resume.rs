//! `dwindle resume`: the same command line and the same input, with all verdicts of the journal known.

use anyhow::{Context, Result};
use clap::Parser;

use super::args::{Cli, Command, ResumeArgs, TestArgs};
use super::job::Earlier;
use super::run_dir::{self, RunDir};
use super::{Exit, UsageError, jar, logic, reduce};

/// `dwindle resume`
pub(crate) fn run(args: &ResumeArgs) -> Result<Exit> {
    let path = run_dir::find(&args.run).ok_or_else(|| {
        UsageError::new(format!("there is no run {:?}: `ls {}` shows them", args.run, run_dir::HOME))
    })?;
    let (run, record, files) = RunDir::open(&path)?;
    // The words of the command line are relative to where the run began.
    if let Some(home) = path.parent().and_then(std::path::Path::parent) {
        std::env::set_current_dir(home).with_context(|| format!("{home:?} cannot be entered"))?;
    }
    let words = record.arguments();
    let typed = Cli::try_parse_from(std::iter::once("dwindle".into()).chain(words.iter().cloned()))
        .context("the command line of the run is not understood by this version")?;
    let earlier = Earlier { run, record, files };
    match typed.command {
        Command::Reduce(mut original) => {
            limits(&mut original.test, args);
            reduce::resume(&original, &words, earlier)
        }
        Command::Logic(mut original) => {
            limits(&mut original.test_args, args);
            logic::resume(&original, &words, earlier)
        }
        Command::Jar(mut original) => {
            limits(&mut original.test, args);
            jar::resume(&original, &words, earlier)
        }
        _ => Err(UsageError::new("only runs of `dwindle reduce`, `logic` and `jar` can be resumed")),
    }
}

/// With its old limits a run that came to one of them would stop right where it did.
fn limits(original: &mut TestArgs, args: &ResumeArgs) {
    original.max_time = args.max_time;
    original.max_queries = args.max_queries;
    original.jobs = args.jobs.or(original.jobs);
}
