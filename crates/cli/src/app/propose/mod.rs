//! `--propose`: a program of the user's offers candidates, as a pass behind all others.
//!
//! The program hears of each new best and answers with as many candidates as it likes, then says that it is done. It is
//! told nothing else, so what it offers depends on the best alone and the run is the same at every `-j`. However it
//! fails, the run goes on without it.

mod base64;
mod program;
mod protocol;

use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::OsString;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use dwindle::Pipeline;
use dwindle::core::{Cancel, Candidate, Fingerprint, Naturalness, Pass, Session, Step, Stop};
use dwindle_exec::preflight;
use dwindle_report::ProposalSummary;

use super::values::duration;
use super::{UsageError, tool};
use program::Talk;
use protocol::Reply;

/// How many offers in a row may be worth nothing: one that offers the same without end is a loop.
const MOST_IDLE: u64 = 10_000;

#[derive(Debug, Args)]
#[command(next_help_heading = "How to reduce")]
pub(crate) struct ProposeArgs {
    /// A program that is told each new best and offers candidates, when the other passes find nothing more (page
    /// *External proposers* of the book)
    #[arg(long, value_name = "CMD")]
    propose: Option<String>,

    /// How long it may take for one candidate
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration, requires = "propose")]
    propose_timeout: Duration,
}

impl ProposeArgs {
    pub(crate) fn is_given(&self) -> bool {
        self.propose.is_some()
    }
}

/// What a proposer has done, while the run goes on.
pub(crate) type Told = Rc<RefCell<ProposalSummary>>;

/// Puts the program of the user's, if there is one, behind a pipeline; both until neither finds anything.
pub(crate) fn extend(
    args: &ProposeArgs,
    pipeline: Pipeline,
    interrupt: &Cancel,
) -> Result<(Pipeline, Option<Told>)> {
    let Some(command) = &args.propose else { return Ok((pipeline, None)) };
    let mut words = tool::split(command).map_err(UsageError::new)?;
    let program = words.first().ok_or_else(|| UsageError::new("--propose has no command"))?;
    words[0] = preflight::find_command(program).map_err(UsageError::new)?.into();
    let told = Told::default();
    let pass = ProposePass {
        name: program::name(&words),
        command: words,
        patience: args.propose_timeout,
        interrupt: interrupt.clone(),
        told: Rc::clone(&told),
        state: RefCell::default(),
    };
    let mut steps = pipeline.steps;
    steps.push(Step::pass(pass));
    Ok((Pipeline { steps: vec![Step::Fixpoint(steps)], ..pipeline }, Some(told)))
}

struct ProposePass {
    name: String,
    command: Vec<OsString>,
    patience: Duration,
    interrupt: Cancel,
    told: Told,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    talk: Option<Talk>,
    /// How many bests it was told of.
    number: u64,
    /// The best for which it has nothing more.
    exhausted: Option<Fingerprint>,
}

/// What it offered, up to some candidate.
#[derive(Clone, Copy, Default)]
struct Offers {
    offered: u64,
    ignored: u64,
}

/// How a program misbehaved.
struct Fault {
    why: String,
    /// Whether it would not matter had another best come before.
    about_this_best: bool,
}

impl Pass for ProposePass {
    fn name(&self) -> &str {
        "propose"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        let state = &mut *self.state.borrow_mut();
        let mut pending = None;
        while self.told.borrow().failed.is_none() && state.exhausted != Some(session.best().fingerprint()) {
            let (found, offers, fault) = match pending.take() {
                Some(fault) => (None, Offers::default(), Some(fault)),
                None => self.ask(state, session)?,
            };
            let mut told = self.told.borrow_mut();
            told.offered += offers.offered;
            told.ignored += offers.ignored;
            match (found, fault) {
                (Some(candidate), fault) => {
                    told.accepted += 1;
                    session.prefer(&candidate)?;
                    // Heard ahead of time: with one job it would have been heard now.
                    pending = fault.filter(|fault| !fault.about_this_best);
                }
                (None, Some(Fault { why, .. })) => {
                    let failed = format!("{} {why}", self.name);
                    session.warn(&format!("the proposer is asked no more: {failed}"));
                    told.failed = Some(failed);
                    state.talk = None;
                }
                (None, None) => state.exhausted = Some(session.best().fingerprint()),
            }
        }
        Ok(())
    }
}

impl ProposePass {
    /// The first interesting candidate it offers for the best, what it offered up to there, and how it misbehaved.
    fn ask(
        &self,
        state: &mut State,
        session: &mut Session<'_>,
    ) -> Result<(Option<Candidate>, Offers, Option<Fault>), Stop> {
        let files = session.best().files().clone();
        let best = Naturalness::of(session.best());
        if state.talk.is_none() {
            match Talk::begin(&self.command, &self.interrupt) {
                Ok(talk) => state.talk = Some(talk),
                Err(why) => {
                    return Ok((None, Offers::default(), Some(Fault { why, about_this_best: false })));
                }
            }
        }
        let talk = state.talk.as_mut().expect("it was started if it was not there");
        state.number += 1;
        talk.say(protocol::best(state.number, &files));
        let (mut offers, mut idle, mut fault) = (Offers::default(), 0, None);
        let mut seen: HashSet<Fingerprint> = HashSet::new();
        let mut asked: Vec<(Candidate, Offers)> = Vec::new();
        let candidates = std::iter::from_fn(|| {
            loop {
                let mut failed = |why, about_this_best| {
                    fault = Some(Fault { why, about_this_best });
                    None
                };
                let line = match talk.hear(self.patience, &self.interrupt) {
                    Ok(line) => line?,
                    Err(why) => return failed(why, false),
                };
                if line.trim_ascii().is_empty() {
                    continue;
                }
                let unclear = |problem: String| {
                    let line: String = String::from_utf8_lossy(&line).trim().chars().take(80).collect();
                    format!("said `{line}`, which is not understood: {problem}")
                };
                let files = match protocol::reply(&line, state.number, &files) {
                    Reply::Candidate(files) => files,
                    Reply::Late => continue,
                    Reply::Done => return None,
                    Reply::Wrong(problem) => return failed(unclear(problem), true),
                    Reply::Garbage(problem) => return failed(unclear(problem), false),
                };
                let candidate = Candidate::of_files(files);
                offers.offered += 1;
                if best.is_beaten_by(&candidate) && seen.insert(candidate.fingerprint()) {
                    idle = 0;
                    asked.push((candidate.clone(), offers));
                    return Some(candidate);
                }
                offers.ignored += 1;
                idle += 1;
                if idle > MOST_IDLE {
                    return failed(
                        format!("made {MOST_IDLE} offers in a row that were not new or not smaller"),
                        true,
                    );
                }
            }
        });
        let won = session.find(candidates)?;
        if self.interrupt.is_raised() {
            // Has the session see it, too.
            session.test(session.best().clone())?;
        }
        Ok(match won {
            Some(won) => {
                let (candidate, offers) = asked.swap_remove(won);
                (Some(candidate), offers, fault)
            }
            None => (None, offers, fault),
        })
    }
}
