//! `dwindle reduce`: from the command line to the result.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use dwindle::core::cache::{CacheOptions, by_name};
use dwindle::core::{Cancel, Candidate, Journal, Known, Runner, Stop, Verdict, VerdictStore};
use dwindle::delta::Options as ListOptions;
use dwindle::text::count_tokens;
use dwindle::{Plan, Reduced, Reduction};
use dwindle_exec::{Confirming, Probe};
use dwindle_report::{Outcome, Style, SummaryJson, SummaryText, Watcher};

use super::args::{AlgorithmArgs, ReduceArgs};
use super::input::Input;
use super::keeper::{self, OutputKeeper};
use super::run_dir::{Record, RunDir};
use super::start::Start;
use super::test::{Test, TestSpec};
use super::{Exit, UsageError, interrupt};

/// `dwindle reduce`
pub(crate) fn run(args: ReduceArgs, words: &[OsString]) -> Result<Exit> {
    let (script, inputs) = split_paths(&args)?;
    let input = Input::read(&inputs)?;
    let output = keeper::output_path(&args.output, &input)?;
    Job { words, script, input, output, args, earlier: None }.run()
}

/// The test comes first, unless a command stands in for it.
pub(crate) fn split_paths(args: &ReduceArgs) -> Result<(Option<PathBuf>, Vec<PathBuf>)> {
    if !args.command.is_empty() {
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

/// All that is needed to begin a reduction, or to go on with one.
pub(crate) struct Job<'a> {
    pub(crate) words: &'a [OsString],
    pub(crate) args: ReduceArgs,
    pub(crate) script: Option<PathBuf>,
    pub(crate) input: Input,
    pub(crate) output: PathBuf,
    /// The run to go on with.
    pub(crate) earlier: Option<(RunDir, Record)>,
}

impl Job<'_> {
    pub(crate) fn run(self) -> Result<Exit> {
        let plan = plan(&self.args.algorithm);
        if plan.pipeline(false).is_none() {
            let preset = self.args.algorithm.preset.as_deref().unwrap_or_default();
            return Err(UsageError::new(format!(
                "there is no preset `{preset}`: `dwindle presets` lists them"
            )));
        }
        let algorithm = &self.args.algorithm;
        let options = CacheOptions { unresolved: !algorithm.forget_unresolved, ..CacheOptions::default() };
        let cache = by_name(&algorithm.cache, &options).expect("the command line knows the schemes");
        let jobs = self
            .args
            .test
            .jobs
            .or_else(|| std::thread::available_parallelism().ok())
            .map_or(1, std::num::NonZero::get);
        let spec = TestSpec::new(&self.args, self.script.as_deref(), &self.input.argument)?;
        let keeper = OutputKeeper::new(keeper::output(&self.output, self.input.single)?, &self.input);

        let bytes = self.input.files.size();
        let tokens = tokens_of(&Candidate::of_files(self.input.files.clone()));
        let style = Style::auto(self.args.output.quiet, self.args.output.verbose);
        let watcher = Arc::new(Watcher::new(style, bytes, tokens, tokens_of));

        // Killed during its start-up checks, a run knows nothing yet: it goes through them again.
        let begun = matches!(&self.earlier, Some((_, record)) if record.time_limit_ms.is_some());
        let (run_dir, mut record) = match self.earlier {
            Some((run_dir, record)) => (Some(run_dir), record),
            None => {
                let record = Record::new(self.words, &self.input.files, &self.output);
                let wanted = !self.args.output.no_run_dir;
                (wanted.then(|| RunDir::create(&record, &self.input.files)).transpose()?, record)
            }
        };
        let start = Start { spec: &spec, args: &self.args.test, jobs, input: &self.input, watcher: &watcher };
        let ready = if begun { start.again(&record) } else { start.first() };
        let ready = match ready {
            Ok(ready) => ready,
            Err(error) => {
                watcher.finish();
                // A run that never began leaves nothing to resume.
                if let Some(run_dir) = run_dir.filter(|_| !begun) {
                    run_dir.discard();
                }
                return Err(error);
            }
        };
        let original = match self.args.output.in_place {
            true => Some(keeper::save_original(&self.input, begun)?),
            false => None,
        };
        if let Some(run_dir) = &run_dir {
            record.time_limit_ms = ready.test.time_limit().map(|limit| limit.as_millis() as u64);
            record.left_sandbox = ready.left_sandbox;
            run_dir.save(&record)?;
        }

        let interrupt = Cancel::new();
        interrupt::listen(&interrupt)?;
        let confirmed = Confirming::new(ready.test, self.args.test.confirm.get() as u32);
        let mut reduction = Reduction::of_files(self.input.files.clone())
            .runner_ref(&confirmed)
            .plan(plan)
            .cache(cache)
            .jobs(jobs.try_into().expect("there is one job at least"))
            .interrupt(interrupt.clone())
            .observer(watcher.observer())
            .keeper(&keeper)
            .known_interesting();
        if let Some(time) = self.args.test.max_time {
            reduction = reduction.max_time(time);
        }
        if let Some(queries) = self.args.test.max_queries {
            reduction = reduction.max_queries(queries);
        }
        if let Some(run_dir) = &run_dir {
            let (journal, known) =
                Journal::open(&run_dir.journal()).context("the journal of the run cannot be used")?;
            reduction = reduction.journal(journal, known.into_iter().collect::<Known>());
        }
        if let Some(dir) = &self.args.algorithm.cache_dir {
            match VerdictStore::open(dir, spec.key(&self.args)) {
                Ok(store) => reduction = reduction.store(store),
                Err(problem) => watcher.message(&format!("warning: {problem}")),
            }
        }
        let reduced = reduction.run()?;

        let mut overhead = ready.runs + confirmed.extra_runs();
        if let Some(warning) = confirm_result(&reduced, confirmed.inner(), &interrupt, &mut overhead) {
            watcher.message(&format!("warning: {warning}"));
        }
        keeper.finish(&reduced.best).with_context(|| saved_elsewhere(&reduced, run_dir.as_ref()))?;
        watcher.finish();

        let outcome = Outcome {
            summary: &reduced.summary,
            input_bytes: bytes,
            input_tokens: Some(tokens),
            output_bytes: reduced.best.size(),
            output_tokens: Some(tokens_of(&reduced.best)),
            overhead_queries: overhead,
            minimal_over: reduced.minimal_over,
            original: Some(original.as_deref().unwrap_or(&self.input.given[0])),
            output: Some(&self.output),
            run: run_dir.as_ref().map(RunDir::path),
        };
        if !self.args.output.quiet {
            anstream::eprint!("{}", SummaryText::new(&outcome).verbose(self.args.output.verbose > 0));
        }
        if self.args.output.json {
            writeln!(std::io::stdout(), "{}", SummaryJson::from(&outcome))?;
        }
        match reduced.summary.stop {
            Some(Stop::Interrupted) => Ok(Exit::Interrupted),
            Some(stop @ Stop::Broken(_)) => Err(stop.into()),
            _ => Ok(Exit::Done),
        }
    }
}

/// The last best could not be written to its place: it must not be lost.
fn saved_elsewhere(reduced: &Reduced, run_dir: Option<&RunDir>) -> String {
    let place = run_dir.map_or_else(std::env::temp_dir, |run| run.path().to_owned()).join("best");
    let saved = reduced.files().iter().try_for_each(|file| {
        let path = place.join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap_or(&place))?;
        std::fs::write(path, &file.bytes)
    });
    match saved {
        Ok(()) => format!("the result is in {place:?} instead, because its own place cannot be written"),
        Err(error) => format!("the result cannot be written anywhere ({place:?}: {error})"),
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

fn tokens_of(candidate: &Candidate) -> u64 {
    candidate.files().iter().map(|file| count_tokens(&file.bytes)).sum()
}

/// Runs the test once more on what comes out; a test that now says no is flaky.
fn confirm_result(reduced: &Reduced, test: &Test, interrupt: &Cancel, runs: &mut u64) -> Option<String> {
    if reduced.summary.counts.accepted == 0
        || interrupt.is_raised()
        || matches!(reduced.summary.stop, Some(Stop::Broken(_)))
    {
        return None;
    }
    *runs += 1;
    let verdict = test.probe(&reduced.best).ok()?.verdict;
    (verdict != Verdict::Interesting).then(|| {
        "the test no longer finds the result interesting, so it wavers: run again with --confirm 3".to_owned()
    })
}
