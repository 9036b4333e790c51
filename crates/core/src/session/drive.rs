//! Answers questions with many tests at once, as if it were one after the other.
//!
//! [`Session::first`] looks ahead in the candidates it is given, as far as there are idle workers, and *settles* them
//! in their order. Only what is settled counts: queries, hits, cache contents, accepted candidates.
//!
//! ```text
//!   settled (boring)      running        not yet pulled
//!   0  1  2  3  4     |   5  6  7  8  |  9 ...
//!                         ^      ^
//!                 settled next   7 is interesting: 8 is cancelled, 9 is never pulled,
//!                                and 7 wins if 5 and 6 turn out boring
//! ```
//!
//! While the tests run, the candidate behind them is got ready (`NextUp`), so that the next test need not wait for it.
//!
//! A verdict beyond the winner is kept aside (`ahead`) and used when a later question asks for it, but is counted only
//! then. So every number but [`Summary::started`](crate::Summary::started), and every result, is that of a run with one job.
//!
//! Where candidates come from and what becomes of their verdicts is the business of `Questions`.

use std::collections::VecDeque;
use std::time::Instant;

use super::Session;
use crate::candidate::Candidate;
use crate::event::Event;
use crate::patience::Patience;
use crate::pool::{Done, TaskId};
use crate::questions::{Questions, Reaction};
use crate::runner::Answer;
use crate::stop::Stop;
use crate::store::VerdictStore;
use crate::verdict::Verdict;

/// Answered candidates that may wait in the window behind one that still runs. Bounds the work that is lost when
/// that one wins; large enough that a row of cache hits does not idle the workers.
const MAX_WINDOW: usize = 1024;

/// A candidate that was pulled and is not settled yet.
struct Pulled {
    candidate: Candidate,
    state: State,
    sweep_left: Option<usize>,
}

#[derive(Clone, Copy)]
enum State {
    Running(TaskId),
    Ready(Verdict, Source),
}

#[derive(Clone, Copy)]
enum Source {
    Test,
    Cache,
    Journal,
}

/// What is next in line, if it was pulled before it could be started.
#[derive(Default)]
struct NextUp(Option<Option<(Candidate, Option<usize>)>>);

impl NextUp {
    /// Pulls it; while tests run there is time for that.
    fn get_ready(&mut self, questions: &mut dyn Questions) {
        self.0.get_or_insert_with(|| pull(questions));
    }

    fn take(&mut self, questions: &mut dyn Questions) -> Option<(Candidate, Option<usize>)> {
        self.0.take().unwrap_or_else(|| pull(questions))
    }
}

/// The next candidate, and how many there may be behind it.
fn pull(questions: &mut dyn Questions) -> Option<(Candidate, Option<usize>)> {
    let candidate = questions.next()?;
    Some((candidate, questions.left()))
}

impl Session<'_> {
    /// Settles candidates in order until the question is answered.
    pub(super) fn drive(&mut self, questions: &mut dyn Questions) -> Result<(), Stop> {
        self.adapt();
        let mut window: VecDeque<Pulled> = VecDeque::new();
        let mut next_up = NextUp::default();
        // No candidate behind an interesting one can win.
        let mut closed = false;
        loop {
            while matches!(window.front(), Some(Pulled { state: State::Ready(..), .. })) {
                let pulled = window.pop_front().expect("just seen");
                let verdict = self.settle(&pulled)?;
                match questions.settled(pulled.candidate, verdict) {
                    Reaction::GoOn => {}
                    Reaction::Over => {
                        self.abandon(&window, &VecDeque::new());
                        return Ok(());
                    }
                    Reaction::Rethink => {
                        self.abandon(&window, &VecDeque::new());
                        window.clear();
                        next_up = NextUp::default();
                        closed = false;
                    }
                }
            }
            // One candidate at a time when it can be settled at once: sequential runs start nothing ahead.
            while !closed && window.len() < MAX_WINDOW && self.pool.has_room() && self.may_start(&window)? {
                let Some((candidate, sweep_left)) = next_up.take(questions) else {
                    closed = true;
                    break;
                };
                let mut meanwhile = || next_up.get_ready(questions);
                let state = self.look_up_or_start(&candidate, &window, &mut meanwhile);
                let ready = matches!(state, State::Ready(..));
                closed =
                    questions.ends_with_success() && matches!(state, State::Ready(Verdict::Interesting, _));
                window.push_back(Pulled { candidate, state, sweep_left });
                if ready && window.len() == 1 {
                    break;
                }
            }
            match window.front() {
                None if closed => return Ok(()),
                None | Some(Pulled { state: State::Ready(..), .. }) => {}
                Some(_) => {
                    if !closed && self.pool.is_busy() {
                        next_up.get_ready(questions);
                    }
                    closed |= self.wait_for_one(&mut window, questions.ends_with_success())?;
                }
            }
        }
    }

    /// Lets the runner learn; what it has run ahead in another way than from now on is forgotten.
    pub(super) fn adapt(&mut self) {
        let way = self.pool.runner().adapt();
        if way != self.way {
            self.way = way;
            self.ahead.clear();
            self.outdated = self.pool.last_started();
        }
    }

    /// Whether the budget allows to pull one more candidate; an error if it does not and nothing is left to settle.
    fn may_start(&mut self, window: &VecDeque<Pulled>) -> Result<bool, Stop> {
        let over_queries = |max: u64| {
            let unsettled =
                window.iter().filter(|p| !matches!(p.state, State::Ready(_, Source::Cache))).count();
            self.counts.queries + unsettled as u64 >= max
        };
        let stop = if self.stop.is_some() {
            self.stop.clone()
        } else if self.patience.as_ref().is_some_and(Patience::is_over) {
            Some(Stop::Postponed)
        } else if self.interrupt.is_raised() {
            Some(Stop::Interrupted)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(Stop::OutOfTime)
        } else if self.max_queries.is_some_and(over_queries) {
            Some(Stop::OutOfQueries)
        } else {
            None
        };
        match stop {
            None => Ok(true),
            // A query limit still lets the cache answer what is in the window.
            Some(Stop::OutOfQueries) if !window.is_empty() => Ok(false),
            Some(stop) => Err(self.stop_for(stop, window)),
        }
    }

    fn look_up_or_start(
        &mut self,
        candidate: &Candidate,
        window: &VecDeque<Pulled>,
        meanwhile: &mut dyn FnMut(),
    ) -> State {
        let fingerprint = candidate.fingerprint();
        if let Some(verdict) = self.cache.get(candidate) {
            return State::Ready(verdict, Source::Cache);
        }
        if let Some(&verdict) = self.ahead.get(&fingerprint) {
            return State::Ready(verdict, Source::Test);
        }
        if let Some(&verdict) = self.known.get(&fingerprint) {
            return State::Ready(verdict, Source::Journal);
        }
        if let Some(verdict) = self.store.as_ref().and_then(|store| store.get(fingerprint)) {
            return State::Ready(verdict, Source::Journal);
        }
        if let Some(twin) = window.iter().find(|pulled| pulled.candidate.fingerprint() == fingerprint) {
            return twin.state;
        }
        self.started += 1;
        State::Running(self.pool.start(candidate.clone(), self.interrupt.child(self.deadline), meanwhile))
    }

    /// Waits until some test has ended; true if it was interesting and nothing behind it is wanted.
    fn wait_for_one(&mut self, window: &mut VecDeque<Pulled>, ends: bool) -> Result<bool, Stop> {
        let done = self.pool.wait();
        let mine = |pulled: &Pulled| matches!(pulled.state, State::Running(id) if id == done.id);
        let Some(at) = window.iter().position(mine) else {
            // Started for an earlier question and cancelled since; perhaps it ended before it heard.
            self.keep_aside(&done);
            return Ok(false);
        };
        let verdict = match done.answer {
            Answer::Verdict(verdict) => verdict,
            Answer::Cancelled => {
                let stop = if self.interrupt.is_raised() { Stop::Interrupted } else { Stop::OutOfTime };
                return Err(self.stop_for(stop, window));
            }
            Answer::Broken(broken) => return Err(self.stop_for(Stop::Broken(broken.into()), window)),
        };
        if self.way.is_none() {
            self.record(&done.candidate, verdict);
        }
        for pulled in window.iter_mut().filter(|pulled| mine(pulled)) {
            pulled.state = State::Ready(verdict, Source::Test);
        }
        let closed = ends && verdict.is_interesting();
        if closed {
            let behind = window.split_off(at + 1);
            self.abandon(&behind, window);
        }
        Ok(closed)
    }

    /// Counts a candidate whose verdict is there, exactly as a sequential run would.
    fn settle(&mut self, pulled: &Pulled) -> Result<Verdict, Stop> {
        let State::Ready(verdict, source) = pulled.state else {
            unreachable!("only answered candidates are settled")
        };
        // A sequential run would not have pulled it.
        if self.patience.as_ref().is_some_and(Patience::is_over) {
            return Err(Stop::Postponed);
        }
        // Something settled since it was pulled may have brought the same candidate into the cache.
        let hit = self.cache.get(&pulled.candidate).is_some();
        if hit {
            self.counts.hits += 1;
        } else {
            if self.max_queries.is_some_and(|max| self.counts.queries >= max) {
                return Err(self.stop_for(Stop::OutOfQueries, &VecDeque::new()));
            }
            self.counts.queries += 1;
            if let Some(patience) = &mut self.patience {
                patience.asked(self.best.size());
            }
            self.counts.unresolved += u64::from(!verdict.is_resolved());
            if matches!(source, Source::Journal) {
                self.counts.replayed += 1;
            }
            // Verdicts whose marks depend on what was settled before count only now, see `Runner::adapt`.
            if self.way.is_some() && matches!(source, Source::Test) {
                self.record(&pulled.candidate, verdict);
            }
            self.ahead.remove(&pulled.candidate.fingerprint());
            self.cache.put(&pulled.candidate, verdict);
            self.checks.add(verdict);
            self.pool.runner().settled(&pulled.candidate, verdict);
        }
        self.tell(&Event::Answered { verdict, hit, sweep_left: pulled.sweep_left });
        Ok(verdict)
    }

    /// Cancels what still runs for candidates that nobody wants, and keeps the verdicts that are already there.
    /// A run that a candidate of `wanted` waits for as well goes on.
    fn abandon(&mut self, unwanted: &VecDeque<Pulled>, wanted: &VecDeque<Pulled>) {
        for pulled in unwanted {
            match pulled.state {
                State::Running(id) => {
                    let shared =
                        |other: &Pulled| matches!(other.state, State::Running(theirs) if theirs == id);
                    if !wanted.iter().any(shared) {
                        self.pool.cancel(id);
                    }
                }
                State::Ready(verdict, Source::Test) => {
                    self.ahead.insert(pulled.candidate.fingerprint(), verdict);
                }
                State::Ready(..) => {}
            }
        }
    }

    fn keep_aside(&mut self, done: &Done) {
        let Answer::Verdict(verdict) = done.answer else { return };
        if self.way.is_none() {
            self.record(&done.candidate, verdict);
        }
        if done.id > self.outdated {
            self.ahead.insert(done.candidate.fingerprint(), verdict);
        }
    }

    fn record(&mut self, candidate: &Candidate, verdict: Verdict) {
        if let Some(store) = &self.store {
            store.put(candidate.fingerprint(), verdict);
            if let Some(problem) = store.problem() {
                self.store = None;
                self.warn(&problem.to_string());
            }
        }
        if let Some(journal) = &mut self.journal
            && let Err(error) = journal.append(candidate.fingerprint(), verdict)
        {
            self.journal = None;
            self.warn(&format!(
                "the journal cannot be written ({error}): this run cannot be resumed from here on"
            ));
        }
    }

    fn stop_for(&mut self, stop: Stop, window: &VecDeque<Pulled>) -> Stop {
        self.abandon(window, &VecDeque::new());
        if matches!(stop, Stop::Postponed) {
            return stop;
        }
        if self.stop.is_none() {
            self.tell(&Event::Stopped(&stop));
        }
        self.stop.get_or_insert(stop).clone()
    }

    pub(super) fn drain(&mut self) {
        for done in self.pool.drain() {
            self.keep_aside(&done);
        }
        if let Some(Err(problem)) = self.store.take().map(VerdictStore::close) {
            self.warn(&problem.to_string());
        }
    }
}
