//! The library's front door: a builder that sets up one reduction and runs it.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use dwindle_core::cache::VerdictCache;
use dwindle_core::{
    Answer, Cancel, Candidate, Event, Files, Journal, Keeper, Known, Options, Runner, Session, Stop, Summary,
    VerdictStore,
};
use dwindle_tree::LanguageChoice;
use thiserror::Error;

use crate::preset::{Effort, Granularity, Pipeline, Plan, PlanError};

/// One reduction: an input, a test, and how to go about it.
///
/// ```
/// let reduced = dwindle::Reduction::new("let x = 1;\nlet y = 2;\nlet z = x;\n")
///     .test(|text| text.windows(5).any(|w| w == b"let z"))
///     .run()?;
/// assert_eq!(reduced.bytes(), b"let z");
/// # Ok::<(), dwindle::Error>(())
/// ```
pub struct Reduction<'a> {
    input: Candidate,
    runner: Option<Test<'a>>,
    plan: Plan,
    /// Takes the place of the plan.
    pipeline: Option<Pipeline>,
    options: Options<'a>,
    known_interesting: bool,
}

enum Test<'a> {
    Owned(Box<dyn Runner + 'a>),
    Borrowed(&'a dyn Runner),
}

/// Why there is no result.
#[derive(Debug, Error)]
pub enum Error {
    /// No test was given.
    #[error("there is no test: call `test` (a closure) or `runner` before `run`")]
    NoTest,
    /// There is no such pipeline.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The input does not show what is looked for.
    #[error("the input is not interesting: the test must hold for it as it is")]
    NotInteresting,
    /// The test cannot be run.
    #[error("the test cannot be run: {0}")]
    Broken(#[from] dwindle_core::Broken),
}

/// What a reduction gives.
#[derive(Debug)]
pub struct Reduced {
    /// The smallest interesting variant that was found.
    pub best: Candidate,
    /// What was asked, by pass and in all.
    pub summary: Summary,
    /// Over which units the result is 1-minimal: none of them can go alone. Nothing if the run was cut short or the
    /// preset does not promise it.
    pub minimal_over: Option<&'static str>,
}

impl Reduced {
    /// The bytes of the result (of its first file, if there are several).
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.best.files().first().map_or(&[], |file| &file.bytes)
    }

    /// The files of the result.
    #[must_use]
    pub fn files(&self) -> &Files {
        self.best.files()
    }
}

impl<'a> Reduction<'a> {
    /// A reduction of one file.
    pub fn new(input: impl AsRef<[u8]>) -> Self {
        Self::of_files(Files::single("input", input.as_ref()))
    }

    /// A reduction of several files: whole files are dropped first, then each is reduced.
    #[must_use]
    pub fn of_files(input: Files) -> Self {
        Self::with(Candidate::of_files(input), None)
    }

    /// A reduction of anything else: `input` is a candidate as the passes of `pipeline` make them.
    #[must_use]
    pub fn of_candidate(input: Candidate, pipeline: Pipeline) -> Self {
        Self::with(input, Some(pipeline))
    }

    fn with(input: Candidate, pipeline: Option<Pipeline>) -> Self {
        let (plan, options) = (Plan::default(), Options::default());
        Reduction { input, runner: None, plan, pipeline, options, known_interesting: false }
    }

    /// Gives a single input file the name under which a test is to see it.
    #[must_use]
    pub fn named(mut self, path: impl Into<PathBuf>) -> Self {
        if let (None, [file]) = (&self.pipeline, &**self.input.files()) {
            self.input = Candidate::of_files(Files::single(path, file.bytes.clone()));
        }
        self
    }

    /// The test: true for inputs that are interesting. It sees the bytes of the first file.
    #[must_use]
    pub fn test(self, test: impl Fn(&[u8]) -> bool + Sync + 'a) -> Self {
        self.runner(move |candidate: &Candidate| {
            test(candidate.files().first().map_or(&[], |file| &file.bytes))
        })
    }

    /// The test, as anything that runs candidates: a closure on them, a command, a cluster.
    #[must_use]
    pub fn runner(mut self, runner: impl Runner + 'a) -> Self {
        self.runner = Some(Test::Owned(Box::new(runner)));
        self
    }

    /// The test, as something that is still needed when the reduction is over.
    #[must_use]
    pub fn runner_ref(mut self, runner: &'a dyn Runner) -> Self {
        self.runner = Some(Test::Borrowed(runner));
        self
    }

    /// The preset, by its name (see [`crate::presets`]).
    #[must_use]
    pub fn preset(mut self, name: impl Into<String>) -> Self {
        self.plan.preset = Some(name.into());
        self
    }

    /// What the elements of a list-based preset are.
    #[must_use]
    pub fn granularity(mut self, granularity: Granularity) -> Self {
        self.plan.granularity = granularity;
        self
    }

    /// How much the result may cost, without a preset.
    #[must_use]
    pub fn effort(mut self, effort: Effort) -> Self {
        self.plan.effort = effort;
        self
    }

    /// The language of the files; by default it is told from their names and what is in them.
    #[must_use]
    pub fn language(mut self, language: LanguageChoice) -> Self {
        self.plan.language = language;
        self
    }

    /// Preset, granularity and parameters at once.
    #[must_use]
    pub fn plan(mut self, plan: Plan) -> Self {
        self.plan = plan;
        self
    }

    /// How many tests may run at once; the result is the same for any number.
    #[must_use]
    pub fn jobs(mut self, jobs: NonZeroUsize) -> Self {
        self.options.jobs = jobs.get();
        self
    }

    /// How long the reduction may take.
    #[must_use]
    pub fn max_time(mut self, time: Duration) -> Self {
        self.options.max_time = Some(time);
        self
    }

    /// How often the test may be run.
    #[must_use]
    pub fn max_queries(mut self, queries: u64) -> Self {
        self.options.max_queries = Some(queries);
        self
    }

    /// Where verdicts are remembered.
    #[must_use]
    pub fn cache(mut self, cache: Box<dyn VerdictCache + 'a>) -> Self {
        self.options.cache = cache;
        self
    }

    /// Verdicts that earlier reductions with the same test have left on disk, and where this one leaves its own.
    #[must_use]
    pub fn store(mut self, store: VerdictStore) -> Self {
        self.options.store = Some(store);
        self
    }

    /// Raised from outside, ends the reduction with the best so far.
    #[must_use]
    pub fn interrupt(mut self, interrupt: Cancel) -> Self {
        self.options.interrupt = interrupt;
        self
    }

    /// Told of everything that happens.
    #[must_use]
    pub fn observer(mut self, observer: impl FnMut(&Event<'_>) + 'a) -> Self {
        self.options.observer = Some(Box::new(observer));
        self
    }

    /// Handed each new best as soon as it is found.
    #[must_use]
    pub fn keeper(mut self, keeper: impl Keeper + 'a) -> Self {
        self.options.keeper = Some(Box::new(keeper));
        self
    }

    /// Records verdicts, and the ones that are known already.
    #[must_use]
    pub fn journal(mut self, journal: Journal, known: Known) -> Self {
        self.options.journal = Some(journal);
        self.options.known = known;
        self
    }

    /// Spares the first run of the test: the caller has seen that the input is interesting.
    #[must_use]
    pub fn known_interesting(mut self) -> Self {
        self.known_interesting = true;
        self
    }

    /// Runs the reduction.
    ///
    /// # Errors
    /// If the test or the preset is missing, the input is not interesting, or the test cannot be run at all. A
    /// reduction that is stopped half-way is no error: [`Summary::stop`] says why it ended.
    pub fn run(self) -> Result<Reduced, Error> {
        let test = self.runner.ok_or(Error::NoTest)?;
        let runner: &dyn Runner = match &test {
            Test::Owned(runner) => &**runner,
            Test::Borrowed(runner) => *runner,
        };
        let pipeline = match self.pipeline {
            Some(pipeline) => pipeline,
            None => self.plan.pipeline(self.input.files())?,
        };
        let input = self.input;
        if !self.known_interesting {
            match runner.run(0, &input, &self.options.interrupt) {
                Answer::Verdict(verdict) if verdict.is_interesting() => {}
                Answer::Verdict(_) | Answer::Cancelled => return Err(Error::NotInteresting),
                Answer::Broken(broken) => return Err(broken.into()),
            }
        }
        let (_, best, summary) = Session::run(runner, input, self.options, |session| -> Result<(), Stop> {
            pipeline.steps.iter().try_for_each(|step| step.run(session))
        });
        let minimal_over = pipeline.minimal_over.filter(|_| summary.stop.is_none());
        Ok(Reduced { best, summary, minimal_over })
    }
}
