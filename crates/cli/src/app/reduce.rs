//! `dwindle reduce`: files of any kind.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use dwindle::Plan;
use dwindle::core::{Cancel, Candidate};
use dwindle::delta::Options as ListOptions;

use super::args::{AlgorithmArgs, Conditions, ReduceArgs};
use super::check_args::CheckArgs;
use super::format::Formatting;
use super::input::Input;
use super::job::{Beside, Earlier, Job, Subject};
use super::keeper::{self, OutputKeeper};
use super::language::SourceArgs;
use super::propose;
use super::test::{Asked, TestSpec};
use super::{Exit, UsageError, jar};

/// `dwindle reduce`
pub(crate) fn run(args: &ReduceArgs, words: &[OsString]) -> Result<Exit> {
    let (script, inputs) = paths(args)?;
    let input = Input::read(&inputs)?;
    let output = keeper::output_path(&args.place, &input)?;
    job(args, words, script.as_deref(), input, output, None)?.run()
}

/// `dwindle resume` of such a run.
pub(crate) fn resume(args: &ReduceArgs, words: &[OsString], earlier: Earlier) -> Result<Exit> {
    let (script, inputs) = paths(args)?;
    let input = Input::recorded(earlier.files.clone(), &inputs);
    let output = earlier.record.output();
    job(args, words, script.as_deref(), input, output, Some(earlier))?.run()
}

fn job<'a>(
    args: &'a ReduceArgs,
    words: &'a [OsString],
    script: Option<&'a Path>,
    input: Input,
    output: PathBuf,
    earlier: Option<Earlier>,
) -> Result<Job<'a>> {
    let asked = Asked {
        script,
        command: &args.command,
        conditions: &args.conditions,
        checks: &args.checks,
        marks_count: learns_from_checks(&args.algorithm),
        panel: Some(&args.panel),
        also: Some(&args.also),
        args: &args.test,
    };
    if let Some(jar) = jar::found(args, words, asked, &input) {
        if args.propose.is_given() || args.format.is_given() {
            return Err(UsageError::new(
                "--propose and --format work on text, and the input is Java bytecode: leave them out, or name a --preset",
            ));
        }
        return jar.job(input, output, earlier);
    }
    let plan = plan(&args.algorithm, &args.source)?;
    let pipeline = plan.pipeline(&input.files).map_err(|problem| UsageError::new(problem.to_string()))?;
    let interrupt = Cancel::new();
    let (pipeline, proposals) = propose::extend(&args.propose, pipeline, &interrupt)?;
    let formatting = Formatting::new(&args.format, plan.language)?;
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
    let beside = Beside { formatting, proposals };
    let (test, cache, shown) = (&args.test, &args.cache, &args.output);
    Ok(Job { words, spec, test, cache, shown, subject, earlier, beside, interrupt })
}

fn paths(args: &ReduceArgs) -> Result<(Option<PathBuf>, Vec<PathBuf>)> {
    split_paths(&args.paths, &args.command, &args.checks, &args.conditions, "dwindle reduce", "small.c")
}

/// The test comes first, unless a command or checks stand in for it. `command` and `input` are for the message.
pub(crate) fn split_paths(
    paths: &[PathBuf],
    watched: &[OsString],
    checks: &CheckArgs,
    conditions: &Conditions,
    command: &str,
    input: &str,
) -> Result<(Option<PathBuf>, Vec<PathBuf>)> {
    match (watched.is_empty(), checks.check.is_empty()) {
        (true, true) => {}
        (false, false) => {
            return Err(UsageError::new(
                "--check stands in for a command behind `--`: make that one a check, too",
            ));
        }
        _ => return Ok((None, paths.to_vec())),
    }
    match paths.split_first() {
        Some((test, inputs)) if !inputs.is_empty() => Ok((Some(test.clone()), inputs.to_vec())),
        _ if conditions.is_empty() => Err(UsageError::new(format!(
            "there is only one path: give the test, then the input (`{command} test.sh {input}`), or a command \
             behind `--` (`{command} {input} --crash -- cc {{}}`)",
        ))),
        _ => Err(UsageError::new(
            "there is no command to watch: give it at the end, behind `--`, with `{}` for the input",
        )),
    }
}

/// Whether which check failed makes a difference for the reduction.
fn learns_from_checks(args: &AlgorithmArgs) -> bool {
    [&args.preset, &args.list_minimizer].into_iter().flatten().any(|name| name.starts_with("cov-"))
}

fn plan(args: &AlgorithmArgs, source: &SourceArgs) -> Result<Plan> {
    Ok(Plan {
        preset: args.preset.clone(),
        effort: args.effort,
        passes: args.passes.clone(),
        without: args.without.clone(),
        fixpoint: args.fixpoint,
        list_minimizer: args.list_minimizer.clone(),
        set: args.set.clone(),
        rules: super::rules::read(&args.rules)?,
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
        language: source.language.choice()?,
        syntax: source.syntax.map(Into::into),
    })
}
