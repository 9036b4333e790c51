//! A test that is started once a slot and then answers one line a candidate: for tests whose start-up dominates.
//!
//! The protocol: the test reads a line from standard input, the absolute path of a candidate; it writes a line to standard
//! output, `0` for interesting, another number for boring; and so on until its input ends. It is the same path every
//! time (one a slot): the file behind it is another one. What it writes to standard error is thrown away, but for the
//! last of it when it dies at the start-up checks. It may append lines about its checks to the file `$DWINDLE_CHECKS`
//! before it answers, and its numbers may stand for checks as exit statuses do.

use std::path::Path;
use std::time::Duration;

use dwindle_core::{Answer, Cancel, Candidate, Runner, Unresolved, Verdict};

use crate::error::ExecError;
use crate::invocation::Invocation;
use crate::property::Judge;
use crate::report::{Ending, Probe, Probed};
use crate::runner::{PROBED_OUTPUT, TimeLimit};
use crate::slots::{Plan, Ran, Setting, Slots};
use crate::stages::Stages;
use crate::wire::Capture;

/// A test that stays. Time-outs and crashes restart it, and end whatever it had started.
pub struct PersistentTest {
    slots: Slots,
    invocation: Invocation,
    stages: Stages,
    time_limit: TimeLimit,
}

impl PersistentTest {
    /// A persistent test; started in a slot when that is first used.
    pub fn new(invocation: Invocation, setting: Setting) -> Result<Self, ExecError> {
        let (slots, stages) = (Slots::new(setting)?, Stages::default());
        Ok(PersistentTest { slots, invocation, stages, time_limit: TimeLimit::new(None) })
    }

    /// The checks it is made of; without this they are learned from what it reports on the input.
    #[must_use]
    pub fn with_stages(self, stages: Stages) -> Self {
        PersistentTest { stages, ..self }
    }

    /// The checks it is made of.
    #[must_use]
    pub fn stages(&self) -> &Stages {
        &self.stages
    }

    /// Ends the test if an answer (the first one: with its start-up) takes longer than this.
    pub fn set_time_limit(&self, limit: Option<Duration>) {
        self.time_limit.set(limit);
    }

    /// Where the work directories are.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.slots.root()
    }

    fn ask(
        &self,
        slot: usize,
        candidate: &Candidate,
        cancel: &Cancel,
        told: bool,
    ) -> Result<Option<(Verdict, Ran)>, ExecError> {
        let plan = Plan {
            invocation: &self.invocation,
            capture: Capture::Together(PROBED_OUTPUT),
            time_limit: self.time_limit.get(),
            resident: true,
            goes_on: false,
            told,
        };
        let Some(mut ran) = self.slots.run(slot, candidate, &plan, cancel)? else {
            return Ok(None);
        };
        let verdict = match &ran.answer {
            Some(line) => {
                let number = number(line)?;
                ran.report.ending = Ending::Exited(i32::try_from(number).unwrap_or(1));
                self.stages.verdict((number == 0).into(), &ran.report, &ran.told)?
            }
            // It ended without a word, whatever its status.
            None => match Judge::ExitStatus.verdict(&ran.report) {
                Verdict::Interesting | Verdict::Boring { .. } => Verdict::Unresolved(Unresolved::Crashed),
                unresolved => unresolved,
            },
        };
        Ok(Some((verdict, ran)))
    }
}

fn number(line: &[u8]) -> Result<i64, ExecError> {
    let text = String::from_utf8_lossy(line);
    text.trim().parse().map_err(|_| ExecError::NotAnAnswer { answer: text.chars().take(80).collect() })
}

impl Runner for PersistentTest {
    fn run(&self, slot: usize, candidate: &Candidate, cancel: &Cancel) -> Answer {
        match self.ask(slot, candidate, cancel, self.stages.are_wanted()) {
            Ok(Some((verdict, _))) => Answer::Verdict(verdict),
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

impl Probe for PersistentTest {
    fn probe(&self, candidate: &Candidate) -> Result<Probed, ExecError> {
        let (verdict, ran) = self.ask(0, candidate, &Cancel::new(), true)?.expect("nobody can cancel it");
        Ok(Probed { verdict, report: ran.report })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_number() {
        for (line, interesting) in [("0", true), (" 0\r", true), ("1", false), ("-3", false), ("139", false)]
        {
            assert_eq!(number(line.as_bytes()).unwrap() == 0, interesting, "{line:?}");
        }
        for line in ["", "yes", "0 1", "\u{fffd}"] {
            assert!(number(line.as_bytes()).unwrap_err().to_string().contains("one number a candidate"));
        }
    }
}
