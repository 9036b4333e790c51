//! A test that is started once a slot and then answers one line a candidate: for tests whose start-up dominates.
//!
//! The protocol: the test reads a line from standard input, the absolute path of a candidate; it writes a line to standard
//! output, `0` for interesting, another number for boring; and so on until its input ends. It is the same path every
//! time (one a slot): the file behind it is another one. What it writes to standard error is thrown away, but for the
//! last of it when it dies at the start-up checks.

use std::path::Path;
use std::time::Duration;

use dwindle_core::{Answer, Cancel, Candidate, Runner, Unresolved, Verdict};

use crate::error::ExecError;
use crate::invocation::Invocation;
use crate::property::Judge;
use crate::report::{Probe, Probed};
use crate::runner::{PROBED_OUTPUT, TimeLimit};
use crate::slots::{Plan, Ran, Setting, Slots};
use crate::wire::Capture;

/// A test that stays. Time-outs and crashes restart it, and end whatever it had started.
pub struct PersistentTest {
    slots: Slots,
    invocation: Invocation,
    time_limit: TimeLimit,
}

impl PersistentTest {
    /// A persistent test; started in a slot when that is first used.
    pub fn new(invocation: Invocation, setting: Setting) -> Result<Self, ExecError> {
        Ok(PersistentTest { slots: Slots::new(setting)?, invocation, time_limit: TimeLimit::new(None) })
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
    ) -> Result<Option<(Verdict, Ran)>, ExecError> {
        let plan = Plan {
            invocation: &self.invocation,
            capture: Capture::Together(PROBED_OUTPUT),
            time_limit: self.time_limit.get(),
            resident: true,
        };
        let Some(ran) = self.slots.run(slot, candidate, &plan, cancel)? else {
            return Ok(None);
        };
        let verdict = match &ran.answer {
            Some(line) => verdict(line)?,
            // It ended without a word, whatever its status.
            None => match Judge::ExitStatus.verdict(&ran.report) {
                Verdict::Interesting | Verdict::Boring { .. } => Verdict::Unresolved(Unresolved::Crashed),
                unresolved => unresolved,
            },
        };
        Ok(Some((verdict, ran)))
    }
}

fn verdict(line: &[u8]) -> Result<Verdict, ExecError> {
    let text = String::from_utf8_lossy(line);
    match text.trim().parse::<i64>() {
        Ok(number) => Ok((number == 0).into()),
        Err(_) => Err(ExecError::NotAnAnswer { answer: text.chars().take(80).collect() }),
    }
}

impl Runner for PersistentTest {
    fn run(&self, slot: usize, candidate: &Candidate, cancel: &Cancel) -> Answer {
        match self.ask(slot, candidate, cancel) {
            Ok(Some((verdict, _))) => Answer::Verdict(verdict),
            Ok(None) => Answer::Cancelled,
            Err(error) => Answer::Broken(error.into()),
        }
    }

    fn time_limit(&self) -> Option<Duration> {
        self.time_limit.get()
    }
}

impl Probe for PersistentTest {
    fn probe(&self, candidate: &Candidate) -> Result<Probed, ExecError> {
        let (verdict, ran) = self.ask(0, candidate, &Cancel::new())?.expect("nobody can cancel it");
        let mut report = ran.report;
        if let Some(line) = &ran.answer {
            report.ending =
                crate::report::Ending::Exited(String::from_utf8_lossy(line).trim().parse().unwrap_or(1));
        }
        Ok(Probed { verdict, report })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_number() {
        for (line, interesting) in [("0", true), (" 0\r", true), ("1", false), ("-3", false), ("139", false)]
        {
            assert_eq!(verdict(line.as_bytes()).unwrap(), interesting.into(), "{line:?}");
        }
        for line in ["", "yes", "0 1", "\u{fffd}"] {
            assert!(verdict(line.as_bytes()).unwrap_err().to_string().contains("one number a candidate"));
        }
    }
}
