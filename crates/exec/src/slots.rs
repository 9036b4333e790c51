//! Worker slots: a work directory and a supervisor each, and the way of a candidate through one of them.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dwindle_core::{Cancel, Candidate};
use rustix::process::{Resource, getrlimit};

use crate::error::ExecError;
use crate::invocation::Invocation;
use crate::report::{Ending, RunReport};
use crate::root::{Place, Root};
use crate::sandbox::{REPORT, Sandbox, Unavailable};
use crate::stages::CHECKS;
use crate::supervisor::{Link, MARK, Outcome, Question, Supervisor};
use crate::wire::{Capture, Done, End, Job};
use crate::workdir::WorkDir;

/// Sets a limit that only a process itself can set, then becomes the test. A shell is the smallest program that can.
const LIMITER: &str = r#"ulimit -v "$0" && exec "$@""#;

/// How often a run is begun anew because its directory is gone before it starts: twice in a row is bad luck already.
const MAX_SWEPT_AWAY: usize = 5;

/// What all tests of a run share.
#[derive(Clone, Debug)]
pub struct Setting {
    supervisor: Supervisor,
    jobs: usize,
    place: Place,
    input_size: u64,
    sandbox: Sandbox,
    memory: Option<u64>,
    env: Vec<(OsString, OsString)>,
}

impl Setting {
    /// One slot, no limits, no sandbox.
    #[must_use]
    pub fn new(supervisor: Supervisor) -> Self {
        Setting {
            supervisor,
            jobs: 1,
            place: Place::Auto,
            input_size: 0,
            sandbox: Sandbox::None,
            memory: None,
            env: Vec::new(),
        }
    }

    /// How many tests may run at once.
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs.max(1);
        self
    }

    /// Where the work directories go.
    #[must_use]
    pub fn place(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// How large the input is, to see whether memory has room for the work directories.
    #[must_use]
    pub fn input_size(mut self, bytes: u64) -> Self {
        self.input_size = bytes;
        self
    }

    /// What tests are kept from.
    #[must_use]
    pub fn sandbox(mut self, sandbox: Sandbox) -> Self {
        self.sandbox = sandbox;
        self
    }

    /// How much address space each process of a test may have, in bytes.
    #[must_use]
    pub fn memory(mut self, bytes: Option<u64>) -> Self {
        self.memory = bytes;
        self
    }

    /// An environment variable for the tests, on top of dwindle's own environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }
}

/// The worker slots of a run.
pub struct Slots {
    // Before the root: supervisors clean up their slots when they are let go.
    slots: Box<[Mutex<Slot>]>,
    setting: Setting,
    root: Root,
}

struct Slot {
    dir: WorkDir,
    link: Option<Link>,
}

/// How a candidate is to be run.
pub(crate) struct Plan<'a> {
    pub(crate) invocation: &'a Invocation,
    pub(crate) capture: Capture,
    pub(crate) time_limit: Option<Duration>,
    /// The test stays between candidates.
    pub(crate) resident: bool,
    /// It runs in what an earlier one has left of the same candidate.
    pub(crate) goes_on: bool,
    /// Whether the lines that it writes about its checks are wanted.
    pub(crate) told: bool,
}

/// What came of it.
pub(crate) struct Ran {
    pub(crate) report: RunReport,
    /// What a resident test answered.
    pub(crate) answer: Option<Vec<u8>>,
    /// The lines it has written about its checks.
    pub(crate) told: Vec<u8>,
}

impl Slots {
    /// Makes the place for the slots; supervisors start when their slot is first used.
    pub fn new(setting: Setting) -> Result<Self, ExecError> {
        let root = Root::create(&setting.place.choose(setting.jobs, setting.input_size))?;
        let slots = (0..setting.jobs)
            .map(|slot| Mutex::new(Slot { dir: WorkDir::new(root.slot(slot)), link: None }))
            .collect();
        Ok(Slots { slots, setting, root })
    }

    /// Where the work directories are.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Where the candidates of a slot are put.
    #[must_use]
    pub fn work_dir(&self, slot: usize) -> PathBuf {
        self.slot(slot).dir.path().to_owned()
    }

    /// Runs a candidate in a slot; `None` if it was cancelled.
    pub(crate) fn run(
        &self,
        slot: usize,
        candidate: &Candidate,
        plan: &Plan<'_>,
        cancel: &Cancel,
    ) -> Result<Option<Ran>, ExecError> {
        self.run_meanwhile(slot, candidate, plan, cancel, &mut || {})
    }

    /// As [`Slots::run`], but calls `meanwhile` once or more while the test runs.
    pub(crate) fn run_meanwhile(
        &self,
        slot: usize,
        candidate: &Candidate,
        plan: &Plan<'_>,
        cancel: &Cancel,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Option<Ran>, ExecError> {
        if cancel.is_raised() {
            return Ok(None);
        }
        let mut slot = self.slot(slot);
        let slot = &mut *slot;
        let mut tries = 0;
        let (job, left, limit, outcome) = loop {
            // For this moment only: while the test runs its files need not be in memory twice.
            let files = candidate.runs();
            let path = plan.invocation.path(slot.dir.path(), &files);
            if plan.resident && path.as_os_str().as_bytes().contains(&b'\n') {
                // The input's own name, unless it is our directory that cannot be told.
                let name = path.strip_prefix(slot.dir.path()).ok().map(Path::to_owned);
                let name = name.filter(|name| name.as_os_str().as_bytes().contains(&b'\n'));
                return Err(ExecError::LineBreakInPath { path: name.unwrap_or(path) });
            }
            let fresh = match plan.goes_on && tries == 0 && slot.dir.path().is_dir() {
                true => false,
                false => slot.dir.fill(&files)?.fresh,
            };
            if plan.told && plan.resident {
                slot.dir.forget_told();
            }
            drop(files);
            let left = cancel.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let limit = [plan.time_limit, left].into_iter().flatten().min();
            let job = self.job(&slot.dir, plan, &path, limit);
            let question = plan.resident.then_some((path.as_path(), fresh));
            let outcome = self.send(slot, &job, question, cancel, meanwhile)?;
            // The test of another slot may remove this one's directory before its test has entered it.
            let swept_away = matches!(&outcome, Some(done) if matches!(done.end, End::CannotStart(_)))
                && !slot.dir.path().is_dir();
            tries += 1;
            if !swept_away || tries > MAX_SWEPT_AWAY {
                break (job, left, limit, outcome);
            }
        };
        let told = if plan.told { slot.dir.told() } else { Vec::new() };
        // A test that stays keeps what it has put there, too.
        let stays = plan.resident
            && matches!(&outcome, Some(done) if matches!(done.end, End::Answered(_) | End::Cancelled));
        if !stays {
            slot.dir.empty_tmp()?;
        }
        let Some(done) = outcome else {
            let lost = RunReport {
                ending: Ending::Lost,
                wall: Duration::ZERO,
                max_rss: 0,
                stdout: Vec::new(),
                stderr: Vec::new(),
            };
            return Ok((!cancel.is_raised()).then_some(Ran { report: lost, answer: None, told }));
        };
        let out_of_time = done.end == End::TimedOut && limit == left;
        if done.end == End::Cancelled || out_of_time {
            return Ok(None);
        }
        self.ran(done, plan, &job).map(|ran| Some(Ran { told, ..ran }))
    }

    fn slot(&self, slot: usize) -> MutexGuard<'_, Slot> {
        self.slots[slot].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the slot's supervisor do the job; `None` if the two of them were lost.
    fn send(
        &self,
        slot: &mut Slot,
        job: &Job,
        question: Option<(&Path, bool)>,
        cancel: &Cancel,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Option<Done>, ExecError> {
        // The second time for one that was killed while it had nothing to do.
        for _ in 0..2 {
            let link = match &mut slot.link {
                Some(link) => link,
                none => none.insert(Link::start(&self.setting.supervisor, slot.dir.slot())?),
            };
            let question = question
                .map(|(path, afresh)| Question { line: path.as_os_str().as_bytes().to_vec(), afresh });
            let outcome = link.run(job.clone(), question, cancel, meanwhile);
            if let Outcome::Done(done) = outcome {
                return Ok(Some(done));
            }
            if let Some(link) = slot.link.take() {
                link.kill();
            }
            if matches!(outcome, Outcome::Lost) {
                return Ok(None);
            }
        }
        let source = io::Error::other("it ends at once");
        Err(ExecError::CannotStartSupervisor { source })
    }

    fn job(&self, dir: &WorkDir, plan: &Plan<'_>, path: &Path, time_limit: Option<Duration>) -> Job {
        let mut words = match plan.resident {
            true => plan.invocation.without_path(),
            false => plan.invocation.with_path(path),
        };
        let mut status_arg = None;
        if let Some(mut wrapper) = self.setting.sandbox.wrapper(dir, &words) {
            if !plan.resident {
                // The supervisor puts the number in.
                wrapper.splice(1..1, [REPORT.into(), b"0".to_vec()]);
                status_arg = Some(1);
            }
            wrapper.append(&mut words);
            words = wrapper;
        }
        if let Some(limit) = self.setting.memory {
            let kib = self.allowed(limit) / 1024;
            let mut wrapper: Vec<_> =
                ["/bin/sh", "-c", LIMITER].iter().map(|word| word.as_bytes().to_vec()).collect();
            wrapper.push(kib.to_string().into_bytes());
            status_arg = status_arg.map(|arg: usize| arg + wrapper.len());
            wrapper.append(&mut words);
            words = wrapper;
        }
        let mut env = vec![
            (b"TMPDIR".to_vec(), dir.tmp().as_os_str().as_bytes().to_vec()),
            (MARK.as_bytes().to_vec(), dir.slot().as_os_str().as_bytes().to_vec()),
            (CHECKS.as_bytes().to_vec(), dir.checks_file().as_os_str().as_bytes().to_vec()),
        ];
        if !plan.resident {
            env.push((b"DWINDLE_INPUT".to_vec(), path.as_os_str().as_bytes().to_vec()));
        }
        let extra = self.setting.env.iter().cloned();
        env.extend(extra.map(|(name, value)| (name.into_vec(), value.into_vec())));
        let program = words.remove(0);
        let cwd = dir.path().as_os_str().as_bytes().to_vec();
        Job { program, args: words, env, cwd, time_limit, capture: plan.capture, status_arg }
    }

    /// The limit, but no more than may be set.
    fn allowed(&self, limit: u64) -> u64 {
        getrlimit(Resource::As).maximum.map_or(limit, |most| limit.min(most))
    }

    /// Whether the test can still be executed.
    fn is_there(&self, invocation: &Invocation) -> Result<(), ExecError> {
        rustix::fs::access(invocation.program(), rustix::fs::Access::EXEC_OK).map_err(|source| {
            ExecError::CannotStart { program: PathBuf::from(invocation.program()), source: source.into() }
        })
    }

    fn ran(&self, done: Done, plan: &Plan<'_>, job: &Job) -> Result<Ran, ExecError> {
        let program = || PathBuf::from(plan.invocation.program());
        let mut answer = None;
        let ending = match done.end {
            End::Exited(code) => Ending::Exited(code),
            End::Signalled(signal) => Ending::Signalled(signal),
            End::TimedOut => Ending::TimedOut,
            End::Answered(line) => {
                answer = Some(line);
                Ending::Exited(0)
            }
            End::CannotStart(_) | End::SandboxFailed if plan.invocation.runs_the_candidate() => {
                Ending::Exited(126)
            }
            End::SandboxFailed => {
                self.is_there(plan.invocation)?;
                return Err(ExecError::Sandbox(Unavailable::Failed));
            }
            End::CannotStart(errno) => {
                let source = io::Error::from_raw_os_error(errno);
                return Err(ExecError::CannotStart { program: program(), source });
            }
            End::Cancelled => unreachable!("handled by the caller"),
        };
        let failed = matches!(ending, Ending::Exited(1..) | Ending::Signalled(_));
        // Behind a wrapper a test that was removed looks like one that fails.
        let is_wrapped = job.program != plan.invocation.program().as_bytes();
        if failed && is_wrapped && !plan.invocation.runs_the_candidate() {
            self.is_there(plan.invocation)?;
        }
        // A process that fails for want of memory has most of its allowance in use.
        let starved = |limit: u64| failed && done.max_rss >= self.allowed(limit) / 4 * 3;
        let ending = if self.setting.memory.is_some_and(starved) { Ending::OutOfMemory } else { ending };
        let report = RunReport {
            ending,
            wall: done.wall,
            max_rss: done.max_rss,
            stdout: done.stdout,
            stderr: done.stderr,
        };
        Ok(Ran { report, answer, told: Vec::new() })
    }
}
