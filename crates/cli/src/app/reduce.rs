//! `dwindle reduce`: files of any kind.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use dwindle::Plan;
use dwindle::core::Candidate;
use dwindle::delta::Options as ListOptions;

use super::args::{AlgorithmArgs, ReduceArgs};
use super::input::Input;
use super::job::{Earlier, Job, Subject};
use super::keeper::{self, OutputKeeper};
use super::test::{Asked, TestSpec};
use super::{Exit, UsageError};

/// `dwindle reduce`
pub(crate) fn run(args: &ReduceArgs, words: &[OsString]) -> Result<Exit> {
    let (script, inputs) = split_paths(args)?;
    let input = Input::read(&inputs)?;
    let output = keeper::output_path(&args.place, &input)?;
    job(args, words, script.as_deref(), input, output, None)?.run()
}

/// `dwindle resume` of such a run.
pub(crate) fn resume(args: &ReduceArgs, words: &[OsString], earlier: Earlier) -> Result<Exit> {
    let (script, inputs) = split_paths(args)?;
    let input = Input::recorded(earlier.files.clone(), &inputs);
    let output = earlier.record.output();
    job(args, words, script.as_deref(), input, output, Some(earlier))?.run()
}

fn job<'a>(
    args: &'a ReduceArgs,
    words: &'a [OsString],
    script: Option<&Path>,
    input: Input,
    output: PathBuf,
    earlier: Option<Earlier>,
) -> Result<Job<'a>> {
    let Some(pipeline) = plan(&args.algorithm).pipeline(input.files.len() > 1) else {
        let preset = args.algorithm.preset.as_deref().unwrap_or_default();
        return Err(UsageError::new(format!("there is no preset `{preset}`: `dwindle presets` lists them")));
    };
    let asked = Asked {
        script,
        command: &args.command,
        conditions: &args.conditions,
        checks: &args.checks,
        marks_count: args.algorithm.preset.as_deref().is_some_and(|preset| preset.starts_with("cov-")),
        panel: Some(&args.panel),
        args: &args.test,
    };
    let spec = TestSpec::new(&asked, &input.argument)?;
    let keeper = OutputKeeper::new(keeper::output(&output, input.single)?, input.top());
    let subject = Subject {
        input: Candidate::of_files(input.files.clone()),
        sources: input.files,
        pipeline,
        keeper,
        output,
        original: input.given.into_iter().next(),
        in_place: args.place.in_place,
        linked: None,
    };
    Ok(Job { words, spec, test: &args.test, cache: &args.cache, shown: &args.output, subject, earlier })
}

/// The test comes first, unless a command stands in for it.
fn split_paths(args: &ReduceArgs) -> Result<(Option<PathBuf>, Vec<PathBuf>)> {
    if !args.command.is_empty() && !args.checks.check.is_empty() {
        return Err(UsageError::new(
            "--check stands in for a command behind `--`: make that one a check, too",
        ));
    }
    if !args.command.is_empty() || !args.checks.check.is_empty() {
        return Ok((None, args.paths.clone()));
    }
    match args.paths.split_first() {
        Some((test, inputs)) if !inputs.is_empty() => Ok((Some(test.clone()), inputs.to_vec())),
        _ if args.conditions.is_empty() => Err(UsageError::new(
            "there is only one path: give the test, then the input (`dwindle reduce test.sh small.c`), or a command \
             behind `--` (`dwindle reduce small.c --crash -- cc {}`)",
        )),
        _ => Err(UsageError::new(
            "there is no command to watch: give it at the end, behind `--`, with `{}` for the input",
        )),
    }
}

fn plan(args: &AlgorithmArgs) -> Plan {
    Plan {
        preset: args.preset.clone(),
        granularity: args.granularity,
        list: ListOptions {
            split: args.split,
            split_factor: args.split_factor,
            subsets: args.subsets,
            complements: args.complements,
            order: args.order,
            window: args.window.get(),
            seed: args.seed,
            sigma: args.sigma,
            ..ListOptions::default()
        },
    }
}
