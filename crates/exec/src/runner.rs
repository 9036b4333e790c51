//! A test that is started anew for every candidate.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use dwindle_core::{Answer, Cancel, Candidate, Runner, Verdict};

use crate::bycatch::Heard;
use crate::error::ExecError;
use crate::invocation::Invocation;
use crate::property::{Judge, MATCHED_OUTPUT};
use crate::report::{Probe, Probed, RunReport};
use crate::slots::{Plan, Ran, Setting, Slots};
use crate::stages::Stages;
use crate::wire::Capture;

/// How much of a test's output is kept for messages.
pub(crate) const PROBED_OUTPUT: u32 = 16 << 10;

/// A time limit that may be set while tests run.
pub(crate) struct TimeLimit(AtomicU64);

impl TimeLimit {
    pub(crate) fn new(limit: Option<Duration>) -> Self {
        let time_limit = TimeLimit(AtomicU64::new(0));
        time_limit.set(limit);
        time_limit
    }

    pub(crate) fn get(&self) -> Option<Duration> {
        match self.0.load(Ordering::Relaxed) {
            u64::MAX => None,
            nanoseconds => Some(Duration::from_nanos(nanoseconds)),
        }
    }

    pub(crate) fn set(&self, limit: Option<Duration>) {
        let nanoseconds = limit.map_or(u64::MAX, |limit| u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX));
        self.0.store(nanoseconds, Ordering::Relaxed);
    }
}

/// A test that is started anew for every candidate: a script, or a command with a property.
///
/// It runs in a directory that holds only the candidate, in a process group of its own, without input, its output
/// thrown away unless a property or a probe needs it. `$1` and `DWINDLE_INPUT` hold the candidate's path.
pub struct CommandTest {
    slots: Slots,
    invocation: Invocation,
    judge: Judge,
    stages: Stages,
    time_limit: TimeLimit,
    listener: Option<Listener>,
    witness: Option<Witness>,
}

/// Told what each run of a test on a candidate said.
pub type Listener = Box<dyn Fn(&Candidate, &RunReport) + Send + Sync>;

/// Told all there is to know of each run, speculative ones included, before its verdict counts.
pub type Witness = Box<dyn Fn(&Heard<'_>) + Send + Sync>;

impl CommandTest {
    /// A test by its exit status, or by another judge.
    pub fn new(invocation: Invocation, judge: Judge, setting: Setting) -> Result<Self, ExecError> {
        Ok(CommandTest {
            slots: Slots::new(setting)?,
            invocation,
            judge,
            stages: Stages::default(),
            time_limit: TimeLimit::new(None),
            listener: None,
            witness: None,
        })
    }

    /// The checks it is made of; without this they are learned from what it reports on the input.
    #[must_use]
    pub fn with_stages(self, stages: Stages) -> Self {
        CommandTest { stages, ..self }
    }

    /// The checks it is made of.
    #[must_use]
    pub fn stages(&self) -> &Stages {
        &self.stages
    }

    /// Captures the last of each run's output and hands it over; without a listener it is thrown away.
    #[must_use]
    pub fn listener(mut self, listener: impl Fn(&Candidate, &RunReport) + Send + Sync + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// Has someone look at each run with its output, as much of it as expressions are matched against.
    #[must_use]
    pub fn witness(mut self, witness: impl Fn(&Heard<'_>) + Send + Sync + 'static) -> Self {
        self.witness = Some(Box::new(witness));
        self
    }

    /// Ends every run that takes longer than this.
    pub fn set_time_limit(&self, limit: Option<Duration>) {
        self.time_limit.set(limit);
    }

    /// Where the work directories are.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.slots.root()
    }

    /// Where the candidates of a slot are put.
    #[must_use]
    pub fn work_dir(&self, slot: usize) -> PathBuf {
        self.slots.work_dir(slot)
    }

    /// What the judge needs, and some of the output in any case.
    fn captured(&self) -> Capture {
        match self.judge.capture() {
            Capture::Nothing => Capture::Together(PROBED_OUTPUT),
            needed => needed,
        }
    }

    fn plan(&self, capture: Capture) -> Plan<'_> {
        Plan {
            invocation: &self.invocation,
            capture,
            time_limit: self.time_limit.get(),
            resident: false,
            goes_on: false,
            told: self.stages.are_wanted(),
        }
    }

    fn verdict(&self, ran: &Ran) -> Result<Verdict, ExecError> {
        self.stages.verdict(self.judge.verdict(&ran.report), &ran.report, &ran.told)
    }
}

impl Runner for CommandTest {
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
        let capture = match (self.judge.capture(), &self.listener, &self.witness) {
            (Capture::Nothing, _, Some(_)) => Capture::Together(MATCHED_OUTPUT),
            (Capture::Nothing, Some(_), None) => Capture::Together(PROBED_OUTPUT),
            (needed, ..) => needed,
        };
        match self.slots.run_meanwhile(slot, candidate, &self.plan(capture), cancel, meanwhile) {
            Ok(Some(ran)) => {
                if let Some(listener) = &self.listener {
                    listener(candidate, &ran.report);
                }
                let verdict = match self.verdict(&ran) {
                    Ok(verdict) => verdict,
                    Err(error) => return Answer::Broken(error.into()),
                };
                if let Some(witness) = &self.witness {
                    let work_dir = &self.work_dir(slot);
                    witness(&Heard { candidate, verdict, report: &ran.report, work_dir });
                }
                Answer::Verdict(verdict)
            }
            Ok(None) => Answer::Cancelled,
            Err(error) => Answer::Broken(error.into()),
        }
    }

    fn time_limit(&self) -> Option<Duration> {
        self.time_limit.get()
    }

    fn checks(&self) -> usize {
        self.stages.names().len()
    }
}

impl Probe for CommandTest {
    fn probe(&self, candidate: &Candidate) -> Result<Probed, ExecError> {
        // A word about checks that turns up only now is to be seen, see `Stages::verdict`.
        let plan = Plan { told: true, ..self.plan(self.captured()) };
        let ran = self.slots.run(0, candidate, &plan, &Cancel::new())?;
        let ran = ran.expect("nobody can cancel it");
        Ok(Probed { verdict: self.verdict(&ran)?, report: ran.report })
    }
}
