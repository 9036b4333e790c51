//! A test that is given as several commands, its checks: one after the other until one fails, or all at once.
//!
//! Checks that need one another form a *group* and run in one directory, so that one finds what another has built;
//! every other check has a directory of its own. Nothing about a verdict but its marks depends on the order.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dwindle_core::{Answer, Cancel, Candidate, CheckId, Mark, Marks, Runner, Unresolved, Verdict};

use crate::checks::{Check, CheckModes, Costs, Schedule, Way};
use crate::error::ExecError;
use crate::property::Judge;
use crate::report::{Ending, Probe, Probed, RunReport};
use crate::runner::{Listener, PROBED_OUTPUT, TimeLimit};
use crate::slots::{Plan, Setting, Slots};
use crate::wire::Capture;

/// A test that is given as several commands. A candidate is interesting if all of them exit with 0.
pub struct CheckedTest {
    checks: Vec<Check>,
    /// A place for each group of checks that need one another.
    groups: Vec<Slots>,
    group_of: Vec<usize>,
    parallel: bool,
    schedule: Mutex<Schedule>,
    time_limit: TimeLimit,
    spent: Vec<AtomicU64>,
    /// The shortest time each check took while it was tried out.
    tried: Mutex<Vec<Duration>>,
    listener: Option<Listener>,
}

/// What came of the checks of one candidate so far.
struct Outcome {
    marks: Marks,
    unresolved: Option<Unresolved>,
    /// The report on the first check that did not hold, or on the last one.
    report: Option<RunReport>,
    /// How long all of them took.
    wall: Duration,
}

/// Why there is no outcome.
enum Failure {
    Cancelled,
    Broken(ExecError),
}

impl From<ExecError> for Failure {
    fn from(error: ExecError) -> Self {
        Failure::Broken(error)
    }
}

impl Outcome {
    fn none() -> Self {
        Outcome { marks: Marks::NONE, unresolved: None, report: None, wall: Duration::ZERO }
    }

    fn has_failed(&self) -> bool {
        self.unresolved.is_some() || self.marks.first_failed().is_some()
    }

    fn verdict(&self) -> Verdict {
        match (self.marks.first_failed(), self.unresolved) {
            (Some(_), _) => Verdict::Boring { marks: self.marks },
            (None, Some(why)) => Verdict::Unresolved(why),
            (None, None) => Verdict::Interesting,
        }
    }

    fn add(&mut self, check: usize, verdict: Verdict, report: RunReport) {
        self.wall += report.wall;
        if !self.has_failed() {
            self.report = Some(report);
        }
        let mark = match verdict {
            Verdict::Interesting => Mark::Ok,
            Verdict::Boring { .. } => Mark::Failed,
            Verdict::Unresolved(why) => {
                self.unresolved.get_or_insert(why);
                return;
            }
        };
        self.marks = self.marks.with(CheckId(check as u16), mark);
    }

    /// With what came of another group.
    fn join(&mut self, other: Outcome, checks: usize) {
        self.wall = self.wall.max(other.wall);
        if !self.has_failed() {
            self.report = other.report.or(self.report.take());
        }
        self.unresolved = self.unresolved.or(other.unresolved);
        for check in (0..checks as u16).map(CheckId) {
            if other.marks.get(check) != Mark::Unknown {
                self.marks = self.marks.with(check, other.marks.get(check));
            }
        }
    }
}

impl CheckedTest {
    /// These checks, in this order where none is better.
    pub fn new(checks: Vec<Check>, modes: CheckModes, setting: &Setting) -> Result<Self, ExecError> {
        for (at, check) in checks.iter().enumerate() {
            if checks[..at].iter().any(|other| other.name == check.name) {
                return Err(ExecError::CheckTwice { name: check.name.clone() });
            }
        }
        let schedule = Schedule::new(checks.iter().map(|check| check.needs.clone()).collect(), modes)?;
        let group_of = groups(&checks);
        let count = group_of.iter().max().map_or(0, |last| last + 1);
        let groups = (0..count).map(|_| Slots::new(setting.clone())).collect::<Result<_, _>>()?;
        Ok(CheckedTest {
            groups,
            group_of,
            parallel: modes.parallel,
            schedule: schedule.into(),
            time_limit: TimeLimit::new(None),
            spent: checks.iter().map(|_| AtomicU64::new(0)).collect(),
            tried: Mutex::new(vec![Duration::MAX; checks.len()]),
            listener: None,
            checks,
        })
    }

    /// Captures the last of each run's output and hands it over; without a listener it is thrown away.
    #[must_use]
    pub fn listener(mut self, listener: impl Fn(&Candidate, &RunReport) + Send + Sync + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// Ends every check that takes longer than this.
    pub fn set_time_limit(&self, limit: Option<Duration>) {
        self.time_limit.set(limit);
    }

    /// What the checks are called.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.checks.iter().map(|check| check.name.clone()).collect()
    }

    /// How long all runs of each check took, speculative ones included.
    #[must_use]
    pub fn times(&self) -> Vec<Duration> {
        self.spent.iter().map(|spent| Duration::from_nanos(spent.load(Ordering::Relaxed))).collect()
    }

    /// The shortest time each check took on what it was tried out on.
    #[must_use]
    pub fn tried(&self) -> Vec<Duration> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the checks cost, for those modes that ask.
    pub fn set_costs(&self, costs: Costs) {
        self.schedule().set_costs(costs);
    }

    /// What they are taken to cost.
    #[must_use]
    pub fn costs(&self) -> Costs {
        self.schedule().costs().clone()
    }

    /// Where the work directories of the first group are.
    #[must_use]
    pub fn root(&self) -> Option<&Path> {
        self.groups.first().map(Slots::root)
    }

    fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs some checks one after the other; those whose needs do not hold are left out.
    fn in_order(
        &self,
        job: &Job<'_>,
        checks: &[usize],
        outcome: &mut Outcome,
        begun: &mut [bool],
    ) -> Result<(), Failure> {
        for &check in checks {
            let needed = &self.checks[check].needs;
            if !needed.iter().all(|&needed| outcome.marks.get(CheckId(needed as u16)) == Mark::Ok) {
                continue;
            }
            let group = self.group_of[check];
            let plan = Plan {
                invocation: &self.checks[check].invocation,
                capture: job.capture,
                time_limit: self.time_limit.get(),
                resident: false,
                goes_on: begun[group],
                told: false,
            };
            let ran = self.groups[group].run(job.slot, job.candidate, &plan, job.cancel)?;
            let report = ran.ok_or(Failure::Cancelled)?.report;
            begun[group] = true;
            let nanoseconds = u64::try_from(report.wall.as_nanos()).unwrap_or(u64::MAX);
            self.spent[check].fetch_add(nanoseconds, Ordering::Relaxed);
            if let Some(listener) = &self.listener {
                listener(job.candidate, &report);
            }
            if job.tries_out {
                let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
                tried[check] = tried[check].min(report.wall);
            }
            outcome.add(check, Judge::ExitStatus.verdict(&report), report);
            if job.way.stops && outcome.has_failed() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Runs the groups among some checks at once.
    fn at_once(
        &self,
        job: &Job<'_>,
        checks: &[usize],
        outcome: &mut Outcome,
        begun: &mut [bool],
    ) -> Result<(), Failure> {
        let mut parts: Vec<(usize, Vec<usize>)> = Vec::new();
        for &check in checks {
            match parts.iter_mut().find(|(group, _)| *group == self.group_of[check]) {
                Some((_, part)) => part.push(check),
                None => parts.push((self.group_of[check], vec![check])),
            }
        }
        // What an earlier batch said of the same group tells whether needs hold.
        let known = outcome.marks;
        let run = |part: &[usize], begun: &mut [bool]| {
            let mut own = Outcome { marks: known, ..Outcome::none() };
            self.in_order(job, part, &mut own, begun).map(|()| own)
        };
        let done: Vec<(Result<Outcome, Failure>, Vec<bool>)> = std::thread::scope(|scope| {
            let (here, elsewhere) =
                parts.split_last().map_or((None, &[][..]), |(one, rest)| (Some(one), rest));
            let begun = &*begun;
            let threads: Vec<_> = elsewhere
                .iter()
                .map(|(_, part)| {
                    scope.spawn(move || {
                        let mut begun = begun.to_vec();
                        (run(part, &mut begun), begun)
                    })
                })
                .collect();
            let mut own = begun.to_vec();
            let here = here.map(|(_, part)| (run(part, &mut own), own));
            let joined =
                threads.into_iter().map(|thread| thread.join().expect("running a check does not panic"));
            joined.chain(here).collect()
        });
        for (result, groups) in done {
            outcome.join(result?, self.checks.len());
            begun.iter_mut().zip(groups).for_each(|(begun, group)| *begun |= group);
        }
        Ok(())
    }

    fn ask(&self, job: &Job<'_>) -> Result<Outcome, Failure> {
        let mut outcome = Outcome::none();
        let mut begun = vec![false; self.groups.len()];
        for batch in [&job.way.first, &job.way.last] {
            if outcome.has_failed() {
                break;
            }
            match self.parallel && !job.tries_out {
                true => self.at_once(job, batch, &mut outcome, &mut begun)?,
                false => self.in_order(job, batch, &mut outcome, &mut begun)?,
            }
        }
        Ok(outcome)
    }
}

/// One candidate on its way.
struct Job<'a> {
    slot: usize,
    candidate: &'a Candidate,
    cancel: &'a Cancel,
    way: &'a Way,
    capture: Capture,
    /// It is the input, which shows how long each check takes.
    tries_out: bool,
}

/// Numbers the groups of checks that need one another.
fn groups(checks: &[Check]) -> Vec<usize> {
    let mut group_of: Vec<usize> = (0..checks.len()).collect();
    for (at, check) in checks.iter().enumerate() {
        for &needed in &check.needs {
            let (old, new) = (group_of[at].max(group_of[needed]), group_of[at].min(group_of[needed]));
            group_of.iter_mut().filter(|group| **group == old).for_each(|group| *group = new);
        }
    }
    let mut seen = Vec::new();
    group_of
        .into_iter()
        .map(|group| {
            seen.iter().position(|&known| known == group).unwrap_or_else(|| {
                seen.push(group);
                seen.len() - 1
            })
        })
        .collect()
}

impl Runner for CheckedTest {
    fn run(&self, slot: usize, candidate: &Candidate, cancel: &Cancel) -> Answer {
        let way = self.schedule().way();
        let capture = match self.listener {
            Some(_) => Capture::Together(PROBED_OUTPUT),
            None => Capture::Nothing,
        };
        match self.ask(&Job { slot, candidate, cancel, way: &way, capture, tries_out: false }) {
            Ok(outcome) => Answer::Verdict(outcome.verdict()),
            Err(Failure::Cancelled) => Answer::Cancelled,
            Err(Failure::Broken(error)) => Answer::Broken(error.into()),
        }
    }

    fn time_limit(&self) -> Option<Duration> {
        self.time_limit.get()
    }

    fn checks(&self) -> usize {
        self.checks.len()
    }

    fn settled(&self, _: &Candidate, verdict: Verdict) {
        self.schedule().settled(verdict);
    }

    fn adapt(&self) -> Option<u32> {
        self.schedule().adapt()
    }
}

impl Probe for CheckedTest {
    /// Runs the checks in order; the report is that of the first that does not hold.
    fn probe(&self, candidate: &Candidate) -> Result<Probed, ExecError> {
        let all = (0..self.checks.len()).collect();
        let way = Way { first: all, last: Vec::new(), stops: true, number: 0 };
        let cancel = Cancel::new();
        let capture = Capture::Together(PROBED_OUTPUT);
        let job = Job { slot: 0, candidate, cancel: &cancel, way: &way, capture, tries_out: true };
        match self.ask(&job) {
            Ok(outcome) => {
                let verdict = outcome.verdict();
                let report = outcome.report.unwrap_or(RunReport {
                    ending: Ending::Exited(0),
                    wall: Duration::ZERO,
                    max_rss: 0,
                    stdout: Vec::new(),
                    stderr: Vec::new(),
                });
                Ok(Probed { verdict, report: RunReport { wall: outcome.wall, ..report } })
            }
            Err(Failure::Broken(error)) => Err(error),
            Err(Failure::Cancelled) => unreachable!("nobody can cancel it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invocation::Invocation;

    #[test]
    fn checks_that_need_one_another_share_a_directory() {
        let check = |needs: &[usize]| Check {
            name: String::new(),
            invocation: Invocation::test("true", []),
            needs: needs.to_vec(),
        };
        let list = [check(&[]), check(&[]), check(&[0]), check(&[]), check(&[3, 1])];
        assert_eq!(groups(&list), [0, 1, 0, 1, 1]);
        assert_eq!(groups(&[check(&[]), check(&[])]), [0, 1]);
    }
}
