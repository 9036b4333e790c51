//! What surrounds every reduction: first runs of the test, limits, the run directory, the result, the summary.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use dwindle::core::cache::{CacheOptions, by_name};
use dwindle::core::{Cancel, Candidate, Event, Files, Journal, Known, Runner, Stop, Verdict, VerdictStore};
use dwindle::text::count_tokens;
use dwindle::{Pipeline, Reduced, Reduction};
use dwindle_exec::{Confirming, Probe};
use dwindle_report::{CheckSummary, Extras, ItemCounts, Outcome, Style, SummaryJson, SummaryText, Watcher};

use super::args::{CacheArgs, OutputArgs, TestArgs};
use super::format::Formatting;
use super::keeper::{self, OutputKeeper};
use super::propose::Told;
use super::run_dir::{Record, RunDir};
use super::start::Start;
use super::test::{Test, TestSpec};
use super::{Exit, UsageError, interrupt};

/// All that is needed to begin a reduction, or to go on with one.
pub(crate) struct Job<'a> {
    /// The command line.
    pub(crate) words: &'a [OsString],
    pub(crate) spec: TestSpec,
    pub(crate) test: &'a TestArgs,
    pub(crate) cache: &'a CacheArgs,
    pub(crate) shown: &'a OutputArgs,
    pub(crate) subject: Subject,
    /// The run to go on with.
    pub(crate) earlier: Option<Earlier>,
    pub(crate) beside: Beside,
    /// Raised to stop the run.
    pub(crate) interrupt: Cancel,
}

/// What is done beside the reduction.
#[derive(Default)]
pub(crate) struct Beside {
    /// How the result is to be formatted.
    pub(crate) formatting: Option<Formatting>,
    /// What a proposer has done.
    pub(crate) proposals: Option<Told>,
}

/// What is reduced, by what, and where the result goes.
pub(crate) struct Subject {
    /// What the reduction starts from.
    pub(crate) input: Candidate,
    /// The files from which that can be made again.
    pub(crate) sources: Files,
    pub(crate) pipeline: Pipeline,
    pub(crate) keeper: OutputKeeper,
    /// Where the keeper puts the result.
    pub(crate) output: PathBuf,
    /// What the result may be compared with.
    pub(crate) original: Option<PathBuf>,
    /// Whether the result is to replace it.
    pub(crate) in_place: bool,
    /// The items, where it is not bytes that count.
    pub(crate) linked: Option<Box<dyn Linked>>,
}

/// The items of a run, for what is told of it.
pub(crate) trait Linked {
    /// Shows the run in items.
    fn watcher(&self, style: Style, input: &Candidate) -> Watcher;

    fn counts(&self, best: &Candidate) -> ItemCounts;

    /// Over what the result is minimal, as the strategy has it at its end.
    fn minimal_over(&self, best: &Candidate) -> Option<&'static str>;
}

/// A run to go on with.
pub(crate) struct Earlier {
    pub(crate) run: RunDir,
    pub(crate) record: Record,
    /// What [`Subject::sources`] were.
    pub(crate) files: Files,
}

impl Job<'_> {
    pub(crate) fn run(self) -> Result<Exit> {
        let Subject { input, sources, pipeline, keeper, output, original, in_place, linked } = self.subject;
        let options = CacheOptions {
            unresolved: !self.cache.forget_unresolved,
            supplement: !self.cache.cache_as_published,
            ..CacheOptions::default()
        };
        let cache = by_name(&self.cache.cache, &options).expect("the command line knows the schemes");
        let jobs = self
            .test
            .jobs
            .or_else(|| std::thread::available_parallelism().ok())
            .map_or(1, std::num::NonZero::get);
        let tokens = linked.is_none().then(|| tokens_of(&input));
        let style = Style::auto(self.shown.quiet, self.shown.verbose);
        let watcher = Arc::new(match &linked {
            None => Watcher::new(style, input.size(), tokens, tokens_of),
            Some(linked) => linked.watcher(style, &input),
        });

        // Killed during its start-up checks, a run knows nothing yet: it goes through them again.
        let begun = matches!(&self.earlier, Some(earlier) if earlier.record.time_limit_ms.is_some());
        let (run_dir, mut record) = match self.earlier {
            Some(Earlier { run, record, .. }) => (Some(run), record),
            None => {
                let record = Record::new(self.words, &sources, &output);
                let wanted = !self.shown.no_run_dir;
                (wanted.then(|| RunDir::create(&record, &sources)).transpose()?, record)
            }
        };
        if let Some(also) = self.spec.also() {
            let run = run_dir.as_ref().ok_or_else(|| {
                UsageError::new("--also saves what it finds in the run directory: leave --no-run-dir out")
            })?;
            also.open(run.path())?;
        }
        let start = Start { spec: &self.spec, args: self.test, jobs, input: &input, watcher: &watcher };
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
        let original = match original {
            Some(path) if in_place => Some(keeper::save_original(&path, begun)?),
            original => original,
        };
        if let Some(run_dir) = &run_dir {
            record.time_limit_ms = ready.test.time_limit().map(|limit| limit.as_millis() as u64);
            record.left_sandbox = ready.left_sandbox;
            record.checks = ready.test.check_names();
            record.check_costs = ready.test.check_costs();
            run_dir.save(&record)?;
        }

        let check_names = ready.test.check_names();
        watcher.name_checks(&check_names);
        let interrupt = self.interrupt;
        interrupt::listen(&interrupt)?;
        let confirmed = Confirming::new(ready.test, self.test.confirm.get() as u32);
        let mut show = watcher.observer();
        let also = self.spec.also();
        let observer = |event: &Event<'_>| {
            show(event);
            if let Some(problem) = also.and_then(|also| also.watch(event)) {
                watcher.message(&format!("warning: {problem}"));
            }
        };
        let mut reduction = Reduction::of_candidate(input.clone(), pipeline)
            .runner_ref(&confirmed)
            .cache(cache)
            .jobs(jobs.try_into().expect("there is one job at least"))
            .interrupt(interrupt.clone())
            .observer(observer)
            .keeper(&keeper)
            .known_interesting();
        if let Some(time) = self.test.max_time {
            reduction = reduction.max_time(time);
        }
        if let Some(queries) = self.test.max_queries {
            reduction = reduction.max_queries(queries);
        }
        if let Some(run_dir) = &run_dir {
            let (journal, known) =
                Journal::open(&run_dir.journal()).context("the journal of the run cannot be used")?;
            reduction = reduction.journal(journal, known.into_iter().collect::<Known>());
        }
        if let Some(dir) = &self.cache.cache_dir {
            match VerdictStore::open(dir, self.spec.key(self.test)) {
                Ok(store) => reduction = reduction.store(store),
                Err(problem) => watcher.message(&format!("warning: {problem}")),
            }
        }
        let reduced = reduction.run()?;

        let mut overhead = ready.runs + confirmed.extra_runs();
        if let Some(warning) = confirm_result(&reduced, confirmed.inner(), &interrupt, &mut overhead) {
            watcher.message(&format!("warning: {warning}"));
        }
        if let Some(warning) = drifted(&input, &reduced, confirmed.inner(), &interrupt, &mut overhead) {
            watcher.message(&format!("warning: {warning}"));
        }
        let formatted = self.beside.formatting.filter(|_| !is_over(&reduced, &interrupt)).map(|formatting| {
            let formatted = formatting.apply(&reduced.best, &confirmed, &interrupt);
            overhead += formatted.runs;
            formatted
        });
        keeper.finish(&reduced.best).with_context(|| saved_elsewhere(&reduced, run_dir.as_ref()))?;
        let run = run_dir.as_ref().map(RunDir::path);
        let extras = Extras {
            also: also.map(|also| {
                if let Some(problem) = also.save() {
                    watcher.message(&format!("warning: {problem}"));
                }
                also.summary()
            }),
            proposals: self.beside.proposals.map(|told| told.borrow().clone()),
            formatted: formatted.map(|formatted| formatted.write(&reduced.best, &keeper, run)),
        };
        watcher.finish();

        let outcome = Outcome {
            summary: &reduced.summary,
            input_bytes: input.files().size(),
            input_tokens: tokens,
            output_bytes: reduced.best.files().size(),
            output_tokens: tokens.map(|_| tokens_of(&reduced.best)),
            overhead_queries: overhead,
            minimal_over: match &linked {
                None => reduced.minimal_over,
                Some(linked) => linked.minimal_over(&reduced.best),
            },
            original: original.as_deref(),
            output: Some(&output),
            run,
        };
        let times = confirmed.inner().check_times();
        let checks = CheckSummary::all(&check_names, &reduced.summary.checks, times.as_deref());
        let items = linked.as_ref().map(|linked| linked.counts(&reduced.best));
        if !self.shown.quiet {
            let text = SummaryText::new(&outcome)
                .verbose(self.shown.verbose > 0)
                .items(items)
                .checks(&checks)
                .extras(&extras);
            anstream::eprint!("{text}");
        }
        if self.shown.json {
            let json = SummaryJson::from(&outcome).items(items).checks(checks).extras(extras);
            writeln!(std::io::stdout(), "{json}")?;
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

fn tokens_of(candidate: &Candidate) -> u64 {
    candidate.files().iter().map(|file| count_tokens(&file.bytes)).sum()
}

/// Whether there is a result to look at, and a test to do so with.
fn may_be_run_again(reduced: &Reduced, interrupt: &Cancel) -> bool {
    reduced.summary.counts.accepted > 0 && !is_over(reduced, interrupt)
}

/// Whether the test is not to be run any more.
fn is_over(reduced: &Reduced, interrupt: &Cancel) -> bool {
    interrupt.is_raised() || matches!(reduced.summary.stop, Some(Stop::Broken(_)))
}

/// Asks the panel about the input and about what comes out.
fn drifted(
    input: &Candidate,
    reduced: &Reduced,
    test: &Test,
    interrupt: &Cancel,
    runs: &mut u64,
) -> Option<String> {
    let panel = test.panel().filter(|panel| panel.can_drift() && may_be_run_again(reduced, interrupt))?;
    *runs += 2 * panel.len();
    panel.drift(input, &reduced.best)
}

/// Runs the test once more on what comes out; a test that now says no is flaky.
fn confirm_result(reduced: &Reduced, test: &Test, interrupt: &Cancel, runs: &mut u64) -> Option<String> {
    if !may_be_run_again(reduced, interrupt) {
        return None;
    }
    *runs += 1;
    let verdict = test.probe(&reduced.best).ok()?.verdict;
    (verdict != Verdict::Interesting).then(|| {
        "the test no longer finds the result interesting, so it wavers: run again with --confirm 3".to_owned()
    })
}
