//! The test as the command line describes it, ready to run.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use dwindle::core::{Answer, Cancel, Candidate, Runner, TestKey, Verdict};
use dwindle_exec::preflight;
use dwindle_exec::sandbox::{Choice, Sandbox};
use dwindle_exec::{
    CheckedTest, CommandTest, ExecError, Invocation, Judge, PersistentTest, Place, Probe, Probed, Property,
    RunReport, Setting, SignalWanted, Stages, Supervisor,
};
use dwindle_report::Watcher;

use super::UsageError;
use super::also::{Also, AlsoArgs};
use super::args::{Conditions, PanelArgs, SandboxArg, TestArgs};
use super::check_args::CheckArgs;
use super::checks::ChecksSpec;
use super::lessons::Lessons;
use super::panel::{PanelSpec, PanelTests};
use super::tool;

/// What the user wants run: a test script, or a command with a property.
pub(crate) struct TestSpec {
    invocation: Invocation,
    judge: Judge,
    /// The words of the command behind the program, as typed.
    words: Vec<Vec<u8>>,
    persistent: bool,
    checks: ChecksSpec,
    panel: PanelSpec,
    /// Who listens for rules.
    pub(crate) lessons: Option<Arc<Lessons>>,
    /// Who looks out for other findings.
    also: Option<Arc<Also>>,
}

/// The test in the words of the command line.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// A test script, or
    pub(crate) script: Option<&'a Path>,
    /// a command with
    pub(crate) command: &'a [OsString],
    /// what makes it interesting.
    pub(crate) conditions: &'a Conditions,
    /// The checks it is made of, which may stand in for both.
    pub(crate) checks: &'a CheckArgs,
    /// Whether the reduction learns from which check failed.
    pub(crate) marks_count: bool,
    /// Others that must cope.
    pub(crate) panel: Option<&'a PanelArgs>,
    /// What else is worth keeping.
    pub(crate) also: Option<&'a AlsoArgs>,
    pub(crate) args: &'a TestArgs,
}

impl TestSpec {
    pub(crate) fn new(asked: &Asked<'_>, subject: &Path) -> Result<Self> {
        let Asked { script, command, conditions, checks, marks_count, panel, also, args } = *asked;
        let checks = ChecksSpec::new(checks, subject, marks_count)?;
        if checks.are_commands() && !conditions.is_empty() {
            return Err(UsageError::new(
                "--exit, --crash, --stdout and the like describe a command behind `--`; a check holds if it exits with 0",
            ));
        }
        let (invocation, judge) = match (script, checks.first()) {
            (None, Some(check)) => (check.invocation.clone(), Judge::ExitStatus),
            (Some(script), _) => {
                if !conditions.is_empty() {
                    return Err(UsageError::new(
                        "--exit, --crash, --stdout and the like describe a command: give it behind `--`, or drop them \
                         and let the test's exit status decide",
                    ));
                }
                let script = preflight::find_test(script).map_err(UsageError::new)?;
                (Invocation::test(script, []), Judge::ExitStatus)
            }
            (None, None) => {
                let (program, rest) =
                    command.split_first().expect("there is a command if there is no script");
                (tool::command_line(program, rest)?, judge(conditions)?)
            }
        };
        if args.persistent && args.show_output {
            return Err(UsageError::new(
                "--show-output does not go with --persistent: a persistent test's output is its answers",
            ));
        }
        if args.persistent && checks.are_commands() {
            return Err(UsageError::new(
                "--persistent does not go with --check: the checks are commands that are started anew each time",
            ));
        }
        if args.persistent && script.is_none() {
            return Err(UsageError::new(
                "--persistent needs a test that speaks its protocol, not a command behind `--`",
            ));
        }
        let also = also.map(Also::new).transpose()?.flatten().map(Arc::new);
        if also.is_some() && (args.persistent || checks.are_commands()) {
            return Err(UsageError::new(
                "--also and --also-exit look at one run of the test for a candidate: they do not go with --persistent or \
                 --check",
            ));
        }
        let words = command.iter().skip(1).map(|word| word.as_bytes().to_vec()).collect();
        let panel = panel.map(|args| PanelSpec::new(args, subject)).transpose()?.unwrap_or_default();
        let invocation = invocation.subject(subject);
        let persistent = args.persistent;
        Ok(TestSpec { invocation, judge, words, persistent, checks, panel, lessons: None, also })
    }

    /// What tells this test from others: its content, not its place, and all that it is given.
    pub(crate) fn key(&self, args: &TestArgs) -> TestKey {
        // What cannot be read (a program in the candidate itself) is told apart by its name alone.
        let content = std::fs::read(self.invocation.program()).unwrap_or_default();
        let program =
            if content.is_empty() { self.invocation.program().as_bytes().to_vec() } else { content };
        let limits = format!("{:?} {:?} {:?} {}", self.judge, args.timeout, args.memory, self.persistent);
        TestKey::of(
            [program, limits.into_bytes()]
                .into_iter()
                .chain(self.words.iter().cloned())
                .chain(self.checks.words())
                .chain(self.panel.words()),
        )
    }

    /// Who looks out for other findings.
    pub(crate) fn also(&self) -> Option<&Arc<Also>> {
        self.also.as_ref()
    }

    /// Whether it is how a command behaves that counts, not what a test says.
    pub(crate) fn watches_a_command(&self) -> bool {
        matches!(self.judge, Judge::Property(_))
    }

    /// Makes the test ready to run.
    pub(crate) fn build(
        &self,
        args: &TestArgs,
        jobs: usize,
        input_size: u64,
        sandbox: Sandbox,
        watcher: &Arc<Watcher>,
    ) -> Result<Test> {
        let place = args.work_dir.clone().map_or(Place::Auto, Place::Under);
        let setting = Setting::new(Supervisor::this_program())
            .jobs(jobs)
            .place(place)
            .input_size(input_size)
            .sandbox(sandbox)
            .memory(args.memory);
        let panel = self.panel.build(&setting)?;
        let invocation = self.invocation.clone();
        let watcher = Arc::clone(watcher);
        let (shows, lessons) = (args.show_output, self.lessons.clone());
        let listens = shows || lessons.is_some();
        let listener = move |candidate: &Candidate, report: &RunReport| {
            for output in [&report.stdout, &report.stderr] {
                let text = String::from_utf8_lossy(output);
                if shows {
                    text.lines().for_each(|line| watcher.message(&format!("test: {line}")));
                }
                if let Some(Err(problem)) = lessons.as_ref().map(|lessons| lessons.hear(candidate, &text)) {
                    watcher.message(&format!("warning: {problem}"));
                }
            }
        };
        let target = if self.checks.are_commands() {
            let test = self.checks.build(&setting)?;
            Target::Checks(if listens { test.listener(listener) } else { test })
        } else if self.persistent {
            let test = PersistentTest::new(invocation, setting)?;
            Target::Persistent(match self.checks.stages()? {
                Some(stages) => test.with_stages(stages),
                None => test,
            })
        } else {
            let mut test = CommandTest::new(invocation, self.judge.clone(), setting)?;
            if let Some(stages) = self.checks.stages()? {
                test = test.with_stages(stages);
            }
            if let Some(also) = self.also.clone() {
                test = test.witness(move |heard| also.hear(heard));
            }
            Target::Command(if listens { test.listener(listener) } else { test })
        };
        Ok(Test { target, panel, also: self.also.clone() })
    }

    /// Has the test know what its checks are called and what they cost: from its first runs, or as an earlier part of
    /// this run has found.
    pub(crate) fn settle_checks(&self, test: &Test, earlier: Option<(&[String], &[u64])>) {
        if let (Some(stages), Some((names, _))) = (test.stages(), earlier) {
            stages.set_names(names.to_vec());
        }
        if let Target::Checks(test) = &test.target {
            self.checks.set_costs(test, earlier.map(|(_, costs)| costs));
        }
    }
}

/// The sandbox that was asked for. `auto` takes one only where a test could do real damage.
pub(crate) fn sandbox(choice: SandboxArg) -> Result<Sandbox> {
    let choice = match choice {
        SandboxArg::Bwrap => Choice::Bubblewrap,
        SandboxArg::Auto if rustix::process::geteuid().is_root() => Choice::Auto,
        SandboxArg::None | SandboxArg::Auto => Choice::None,
    };
    Ok(Sandbox::choose(choice)?)
}

fn judge(conditions: &Conditions) -> Result<Judge> {
    let mut property = Property::new();
    if let Some(code) = conditions.exit {
        property = property.exit(code);
    }
    if let Some(signal) = conditions.signal {
        property = property.signal(signal.map_or(SignalWanted::Any, SignalWanted::Number));
    }
    if conditions.crash {
        property = property.crash();
    }
    if conditions.timeout_is_interesting {
        property = property.time_out();
    }
    if let Some(expression) = &conditions.stdout {
        property = property.stdout(expression).map_err(UsageError::new)?;
    }
    if let Some(expression) = &conditions.stderr {
        property = property.stderr(expression).map_err(UsageError::new)?;
    }
    property.judge().map_err(UsageError::new)
}

/// The command runs in a directory of its own, so a word that names a file here has to say where that is.
pub(crate) fn located(word: &OsStr) -> OsString {
    let path = Path::new(word);
    let absolute = path.is_file().then(|| std::path::absolute(path).ok()).flatten();
    absolute.map_or_else(|| word.to_owned(), PathBuf::into_os_string)
}

/// A test that can be run, with the panel that watches it.
pub(crate) struct Test {
    target: Target,
    panel: Option<PanelTests>,
    also: Option<Arc<Also>>,
}

enum Target {
    Command(CommandTest),
    Persistent(PersistentTest),
    Checks(CheckedTest),
}

impl Test {
    /// What a script tells of its checks.
    fn stages(&self) -> Option<&Stages> {
        match &self.target {
            Target::Command(test) => Some(test.stages()),
            Target::Persistent(test) => Some(test.stages()),
            Target::Checks(_) => None,
        }
    }

    /// What the checks are called.
    pub(crate) fn check_names(&self) -> Vec<String> {
        match &self.target {
            Target::Command(test) => test.stages().names().to_vec(),
            Target::Persistent(test) => test.stages().names().to_vec(),
            Target::Checks(test) => test.names(),
        }
    }

    /// What they are taken to cost.
    pub(crate) fn check_costs(&self) -> Vec<u64> {
        match &self.target {
            Target::Checks(test) => test.costs().numbers().to_vec(),
            Target::Command(_) | Target::Persistent(_) => Vec::new(),
        }
    }

    /// How long they took in all, where each is a command of its own.
    pub(crate) fn check_times(&self) -> Option<Vec<Duration>> {
        match &self.target {
            Target::Checks(test) => Some(test.times()),
            Target::Command(_) | Target::Persistent(_) => None,
        }
    }

    pub(crate) fn panel(&self) -> Option<&PanelTests> {
        self.panel.as_ref()
    }

    pub(crate) fn set_time_limit(&self, limit: Option<Duration>) {
        match &self.target {
            Target::Command(test) => test.set_time_limit(limit),
            Target::Persistent(test) => test.set_time_limit(limit),
            Target::Checks(test) => test.set_time_limit(limit),
        }
        if let Some(panel) = &self.panel {
            panel.set_time_limit(limit);
        }
    }
}

impl Runner for Test {
    fn run(&self, slot: usize, candidate: &Candidate, cancel: &Cancel) -> Answer {
        self.run_meanwhile(slot, candidate, cancel, &mut || {})
    }

    fn run_meanwhile(
        &self,
        slot: usize,
        candidate: &Candidate,
        cancel: &Cancel,
        meanwhile: &mut dyn FnMut(),
    ) -> Answer {
        let answer = match &self.target {
            Target::Command(test) => test.run_meanwhile(slot, candidate, cancel, meanwhile),
            Target::Persistent(test) => test.run_meanwhile(slot, candidate, cancel, meanwhile),
            Target::Checks(test) => test.run_meanwhile(slot, candidate, cancel, meanwhile),
        };
        match (&self.panel, answer) {
            (Some(panel), Answer::Verdict(Verdict::Interesting)) => panel.run(slot, candidate, cancel),
            (_, answer) => answer,
        }
    }

    fn time_limit(&self) -> Option<Duration> {
        match &self.target {
            Target::Command(test) => test.time_limit(),
            Target::Persistent(test) => test.time_limit(),
            Target::Checks(test) => test.time_limit(),
        }
    }

    fn checks(&self) -> usize {
        match &self.target {
            Target::Command(test) => test.checks(),
            Target::Persistent(test) => test.checks(),
            Target::Checks(test) => test.checks(),
        }
    }

    fn settled(&self, candidate: &Candidate, verdict: Verdict) {
        if let Target::Checks(test) = &self.target {
            test.settled(candidate, verdict);
        }
        if let Some(also) = &self.also {
            also.settle(candidate, verdict);
        }
    }

    fn adapt(&self) -> Option<u32> {
        match &self.target {
            Target::Checks(test) => test.adapt(),
            Target::Command(_) | Target::Persistent(_) => None,
        }
    }
}

/// Looks at the target alone.
impl Probe for Test {
    fn probe(&self, candidate: &Candidate) -> Result<Probed, ExecError> {
        match &self.target {
            Target::Command(test) => test.probe(candidate),
            Target::Persistent(test) => test.probe(candidate),
            Target::Checks(test) => test.probe(candidate),
        }
    }
}
