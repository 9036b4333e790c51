//! `--panel`: other tools that watch a reduction, and must still cope with what is taken.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Result, bail};
use dwindle::core::{Answer, Cancel, Candidate, Runner, Verdict};
use dwindle_exec::{CommandTest, ExecError, Invocation, Judge, Probe, Setting};
use dwindle_logic::triage::Panel;

use super::args::PanelArgs;
use super::tool;

/// The tools as the command line names them.
#[derive(Default)]
pub(crate) struct PanelSpec {
    members: Vec<(String, Invocation)>,
    easiness: Option<f64>,
}

impl PanelSpec {
    pub(crate) fn new(args: &PanelArgs, subject: &Path) -> Result<Self> {
        let member = |command: &String| Ok((command.clone(), tool::invocation(command, subject)?));
        let members = args.panel.iter().map(member).collect::<Result<_>>()?;
        Ok(PanelSpec { members, easiness: args.panel_easiness })
    }

    /// What tells this panel from others.
    pub(crate) fn words(&self) -> impl Iterator<Item = Vec<u8>> {
        let limit = self.easiness.map(|easiness| format!("panel {easiness}"));
        let members = self.members.iter().map(|(command, _)| format!("panel {command}"));
        members.chain(limit).map(String::into_bytes)
    }

    /// Makes the tools ready to run, if there are any.
    pub(crate) fn build(&self, setting: &Setting) -> Result<Option<PanelTests>, ExecError> {
        if self.members.is_empty() {
            return Ok(None);
        }
        let member = |(command, invocation): &(String, Invocation)| {
            let test = CommandTest::new(invocation.clone(), Judge::ExitStatus, setting.clone())?;
            Ok((command.clone(), test))
        };
        let members = self.members.iter().map(member).collect::<Result<Vec<_>, ExecError>>()?;
        let panel = Mutex::new(Panel::new(members.len(), self.easiness));
        Ok(Some(PanelTests { members, panel }))
    }
}

/// Tools that can be run. One copes with a candidate if it exits with 0.
pub(crate) struct PanelTests {
    members: Vec<(String, CommandTest)>,
    panel: Mutex<Panel>,
}

impl PanelTests {
    pub(crate) fn set_time_limit(&self, limit: Option<Duration>) {
        self.members.iter().for_each(|(_, test)| test.set_time_limit(limit));
    }

    /// How many runs it takes to ask them all.
    pub(crate) fn len(&self) -> u64 {
        self.members.len() as u64
    }

    /// Whether enough of them cope with a candidate on which the target fails. In which order they are asked depends on
    /// what other slots have found meanwhile; the answer does not.
    pub(crate) fn run(&self, slot: usize, candidate: &Candidate, cancel: &Cancel) -> Answer {
        let (order, may_fail) = {
            let panel = self.panel();
            (panel.order(), panel.may_fail())
        };
        let mut failed = 0;
        for member in order {
            match self.members[member].1.run(slot, candidate, cancel) {
                Answer::Verdict(Verdict::Interesting) => {}
                Answer::Verdict(_) => {
                    self.panel().rejected(member);
                    failed += 1;
                    if failed > may_fail {
                        return Answer::Verdict(false.into());
                    }
                }
                no_answer => return no_answer,
            }
        }
        Answer::Verdict(Verdict::Interesting)
    }

    /// Refuses an input on which too many of them fail: as a candidate it would not be taken.
    pub(crate) fn check(&self, input: &Candidate) -> Result<()> {
        let failing = self.failing(input)?;
        let may_fail = self.panel().may_fail();
        if failing.len() > may_fail {
            bail!(
                "of the panel, {} on the input itself, and {may_fail} may: drop them from the panel, or lower --panel-easiness \
                 (to {:.2}, as on the input); a tool that cannot live in the sandbox needs `--sandbox none`",
                named(&failing),
                self.easiness(failing.len())
            );
        }
        Ok(())
    }

    /// What to tell the user if fewer of them cope with the result than with the input.
    pub(crate) fn drift(&self, input: &Candidate, result: &Candidate) -> Option<String> {
        let (before, after) = (self.failing(input).ok()?, self.failing(result).ok()?);
        let new: Vec<_> = after.iter().copied().filter(|name| !before.contains(name)).collect();
        (after.len() > before.len()).then(|| {
            format!(
                "easiness went from {:.2} on the input to {:.2} on the result (of the panel, {} now): it may show something \
                 else than the input does; raise --panel-easiness to keep to it",
                self.easiness(before.len()),
                self.easiness(after.len()),
                named(&new)
            )
        })
    }

    /// Whether fewer of them may cope with a result than with the input: not if all must always.
    pub(crate) fn can_drift(&self) -> bool {
        self.panel().may_fail() > 0
    }

    /// Those that fail on a candidate.
    fn failing(&self, candidate: &Candidate) -> Result<Vec<&str>, ExecError> {
        let mut failing = Vec::new();
        for (command, test) in &self.members {
            if !test.probe(candidate)?.verdict.is_interesting() {
                failing.push(command.as_str());
            }
        }
        Ok(failing)
    }

    /// The share of all tools, the failing target among them, that cope.
    fn easiness(&self, failing: usize) -> f64 {
        (self.members.len() - failing) as f64 / (self.members.len() + 1) as f64
    }

    fn panel(&self) -> MutexGuard<'_, Panel> {
        self.panel.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `` `a` fails `` or `` `a` and `b` fail ``.
fn named(tools: &[&str]) -> String {
    let names: Vec<_> = tools.iter().map(|tool| format!("`{tool}`")).collect();
    format!("{} {}", names.join(" and "), if names.len() == 1 { "fails" } else { "fail" })
}
