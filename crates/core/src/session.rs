//! The one place that answers passes: cache → budget → journal → workers → verdict → best → events.
//!
//! # Speculation
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
//! A verdict beyond the winner is kept aside (`ahead`) and used when a later question asks for it, but is counted only
//! then. So every number but [`Summary::started`], and every result, is that of a run with one job.
//!
//! Where candidates come from and what becomes of their verdicts is the business of `Questions`.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use foldhash::fast::FixedState;

use crate::cache::{HashCache, VerdictCache};
use crate::cancel::Cancel;
use crate::candidate::Candidate;
use crate::event::{Counts, Event, PassReport, Summary};
use crate::fingerprint::Fingerprint;
use crate::journal::Journal;
use crate::marks::CheckTally;
use crate::patience::{Patience, Rate};
use crate::pool::{Done, Pool, TaskId};
use crate::questions::{All, First, Learning, Questions, Reaction};
use crate::runner::{Answer, Runner};
use crate::search::Search;
use crate::stop::Stop;
use crate::store::VerdictStore;
use crate::verdict::Verdict;

/// Answered candidates that may wait in the window behind one that still runs. Bounds the work that is lost when
/// that one wins; large enough that a row of cache hits does not idle the workers.
const MAX_WINDOW: usize = 1024;

/// Verdicts by fingerprint.
pub type Known = HashMap<Fingerprint, Verdict, FixedState>;

/// Watches a session.
pub type Observer<'o> = Box<dyn FnMut(&Event<'_>) + 'o>;

/// Keeps the best candidate safe, on disk for instance.
pub trait Keeper {
    /// Called with each new best, as soon as it is found.
    ///
    /// # Errors
    /// If it cannot be kept; the session warns and goes on, the best stays in memory.
    fn keep(&mut self, best: &Candidate) -> Result<(), String>;
}

/// How a session is to run.
pub struct Options<'o> {
    /// How many tests may run at once.
    pub jobs: usize,
    /// How long the run may take.
    pub max_time: Option<Duration>,
    /// How many queries it may make.
    pub max_queries: Option<u64>,
    /// Where verdicts are remembered.
    pub cache: Box<dyn VerdictCache + 'o>,
    /// Where verdicts are recorded.
    pub journal: Option<Journal>,
    /// Verdicts of an earlier run, used instead of running the test.
    pub known: Known,
    /// Verdicts of all runs with this test, used and added to.
    pub store: Option<VerdictStore>,
    /// Raised from outside to stop the run.
    pub interrupt: Cancel,
    /// Where the best goes.
    pub keeper: Option<Box<dyn Keeper + 'o>>,
    /// Who watches.
    pub observer: Option<Observer<'o>>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            jobs: 1,
            max_time: None,
            max_queries: None,
            cache: Box::<HashCache>::default(),
            journal: None,
            known: Known::default(),
            store: None,
            interrupt: Cancel::new(),
            keeper: None,
            observer: None,
        }
    }
}

/// Answers the questions of passes and keeps the best candidate.
pub struct Session<'r> {
    best: Candidate,
    /// The smallest one, while passes go on from one that is not smaller: see [`Session::adopt`].
    smallest: Option<Candidate>,
    pool: Pool<'r>,
    cache: Box<dyn VerdictCache + 'r>,
    journal: Option<Journal>,
    known: Known,
    store: Option<VerdictStore>,
    ahead: Known,
    interrupt: Cancel,
    deadline: Option<Instant>,
    max_queries: Option<u64>,
    keeper: Option<Box<dyn Keeper + 'r>>,
    observer: Option<Observer<'r>>,
    counts: Counts,
    started: u64,
    passes: Vec<PassReport>,
    checks: CheckTally,
    /// In which way the runner runs candidates now, if it changes at all.
    way: Option<u32>,
    /// Runs up to this one were started in another way.
    outdated: TaskId,
    /// Whether a schedule decides which pass runs when.
    scheduled: bool,
    /// With the pass that runs now, if it is to be eager.
    patience: Option<Patience>,
    stop: Option<Stop>,
}

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

impl<'r> Session<'r> {
    /// Runs `body` in a session on `input`, which must be interesting, and gives its value and what was done.
    pub fn run<R>(
        runner: &'r dyn Runner,
        input: Candidate,
        options: Options<'r>,
        body: impl FnOnce(&mut Session<'r>) -> R,
    ) -> (R, Candidate, Summary) {
        std::thread::scope(|scope| {
            // The threads need no longer than the scope, but `Pool` is tied to the runner's lifetime.
            let begin = Instant::now();
            let mut session = Session {
                best: input,
                smallest: None,
                pool: Pool::new(runner, options.jobs.max(1), scope),
                cache: options.cache,
                journal: options.journal,
                known: options.known,
                store: options.store,
                ahead: Known::default(),
                interrupt: options.interrupt,
                deadline: options.max_time.map(|time| begin + time),
                max_queries: options.max_queries,
                keeper: options.keeper,
                observer: options.observer,
                counts: Counts::default(),
                started: 0,
                passes: Vec::new(),
                checks: CheckTally::new(runner.checks()),
                way: runner.adapt(),
                outdated: 0,
                scheduled: false,
                patience: None,
                stop: None,
            };
            session.cache.recast(&session.best);
            let value = body(&mut session);
            session.drain();
            let summary = Summary {
                counts: session.counts,
                started: session.started,
                passes: session.passes,
                checks: session.checks,
                cache: session.cache.usage(),
                cache_samples: session.cache.samples().to_vec(),
                time: begin.elapsed(),
                stop: session.stop,
            };
            (value, session.smallest.unwrap_or(session.best), summary)
        })
    }

    /// The interesting candidate that passes go on from: the smallest so far, but for detours ([`Session::adopt`]).
    #[must_use]
    pub fn best(&self) -> &Candidate {
        &self.best
    }

    /// What was asked so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// What the cache holds now.
    #[must_use]
    pub fn cache_usage(&self) -> crate::cache::CacheUsage {
        self.cache.usage()
    }

    /// The verdict on one candidate. An interesting one that is smaller than the best becomes the best.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn test(&mut self, candidate: Candidate) -> Result<Verdict, Stop> {
        let mut candidates = std::iter::once(candidate);
        let mut first = First::of(&mut candidates);
        self.drive(&mut first)?;
        let (verdict, winner) = (first.last, first.winner);
        if let Some((_, candidate)) = winner {
            self.accept(&candidate)?;
        }
        Ok(verdict)
    }

    /// The index of the first interesting candidate, in the order given; it becomes the best if it is smaller.
    ///
    /// The candidates must be made as if every earlier one had been boring, for up to `jobs` of them run at once.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn first(&mut self, candidates: impl IntoIterator<Item = Candidate>) -> Result<Option<usize>, Stop> {
        let mut candidates = candidates.into_iter();
        let mut first = First::of(&mut candidates);
        self.drive(&mut first)?;
        self.take(first.winner)
    }

    /// The index of the first interesting candidate of a search that learns from every verdict; it becomes the best if
    /// it is smaller.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn search(&mut self, search: &mut dyn Search) -> Result<Option<usize>, Stop> {
        let mut learning = Learning { search, settled: 0, winner: None };
        self.drive(&mut learning)?;
        self.take(learning.winner)
    }

    fn take(&mut self, winner: Option<(usize, Candidate)>) -> Result<Option<usize>, Stop> {
        let Some((index, candidate)) = winner else {
            return Ok(None);
        };
        self.accept(&candidate)?;
        Ok(Some(index))
    }

    /// As [`Session::first`], but the best stays what it was until [`Session::accept`] or [`Session::adopt`] names
    /// another: for passes that ask more of a winner than to be interesting.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn find(&mut self, candidates: impl IntoIterator<Item = Candidate>) -> Result<Option<usize>, Stop> {
        let mut candidates = candidates.into_iter();
        let mut first = First::of(&mut candidates);
        self.drive(&mut first)?;
        Ok(first.winner.map(|(index, _)| index))
    }

    /// The verdicts on a window of candidates. None of them becomes the best until [`Session::accept`] names it.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn all(&mut self, window: Vec<Candidate>) -> Result<Vec<Verdict>, Stop> {
        let mut all = All { verdicts: Vec::with_capacity(window.len()), window: window.into_iter() };
        self.drive(&mut all)?;
        Ok(all.verdicts)
    }

    /// How many checks verdicts may speak of.
    #[must_use]
    pub fn checks(&self) -> usize {
        self.pool.runner().checks()
    }

    /// Takes a candidate that was found interesting; if it is smaller than the best it becomes the best.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn accept(&mut self, candidate: &Candidate) -> Result<(), Stop> {
        if candidate.size() >= self.best.size() {
            return Ok(());
        }
        self.best = candidate.clone();
        self.cache.accepted(candidate);
        let longest = candidate.fingerprint().len;
        self.ahead.retain(|fingerprint, _| fingerprint.len <= longest);
        match &self.smallest {
            Some(smallest) if smallest.size() <= candidate.size() => return Ok(()),
            _ => self.smallest = None,
        }
        self.announce();
        Ok(())
    }

    /// Counts and keeps the best, and says that it is there.
    fn announce(&mut self) {
        self.counts.accepted += 1;
        if let Some(keeper) = &mut self.keeper
            && let Err(problem) = keeper.keep(&self.best)
        {
            self.warn(&problem);
        }
        if let Some(observer) = &mut self.observer {
            observer(&Event::Accepted { best: &self.best });
        }
    }

    /// Goes on from a candidate that was found interesting even if it is not smaller than the best: a detour to a
    /// smaller one, perhaps. What is smallest stays safe, and is the result unless something smaller comes.
    ///
    /// A pass that does so must see to it that it comes to an end.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn adopt(&mut self, candidate: &Candidate) -> Result<(), Stop> {
        if candidate.size() < self.best.size() {
            return self.accept(candidate);
        }
        let left = std::mem::replace(&mut self.best, candidate.clone());
        self.smallest.get_or_insert(left);
        self.cache.recast(candidate);
        Ok(())
    }

    /// The smallest candidate, if passes go on from another one.
    #[must_use]
    pub fn left_behind(&self) -> Option<&Candidate> {
        self.smallest.as_ref()
    }

    /// Makes the candidate that passes go on from the result, whatever was smaller: for passes that measure by more
    /// than bytes.
    pub fn stay(&mut self) {
        if self.smallest.take().is_some() {
            self.announce();
        }
    }

    /// Takes a candidate that was found interesting in place of the best although it need not be smaller: for passes that
    /// measure by more than bytes, and see to it that they come to an end. On a detour it is for the pass that took it to
    /// say what was worth while, so there the smallest stays safe.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn prefer(&mut self, candidate: &Candidate) -> Result<(), Stop> {
        let detour = self.smallest.is_some();
        self.adopt(candidate)?;
        if !detour {
            self.stay();
        }
        Ok(())
    }

    /// Goes back to the smallest candidate, if a detour led away from it.
    pub fn return_to_smallest(&mut self) {
        if let Some(smallest) = self.smallest.take() {
            self.cache.recast(&smallest);
            self.best = smallest;
        }
    }

    /// Puts the best into another form: the same content, cut into other pieces or tokens. A pass whose candidates
    /// have tokens calls this first, with the best in them, so that caches which compare sequences can read those.
    /// Anything that is not the content of the best is ignored.
    pub fn recast(&mut self, best: Candidate) {
        if best.fingerprint() == self.best.fingerprint() {
            self.cache.recast(&best);
            self.best = best;
        }
    }

    /// Runs a pass under a name and records what it did. A pass that runs others under names of their own is charged for
    /// the rest only, so that reports add up.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn pass<R>(
        &mut self,
        name: &str,
        body: impl FnOnce(&mut Session<'r>) -> Result<R, Stop>,
    ) -> Result<R, Stop> {
        let (begin, counts, size_before) = (Instant::now(), self.counts, self.best.size());
        let first_inside = self.passes.len();
        self.tell(&Event::PassStarted { name, size: size_before });
        let result = body(self);
        let inside = &self.passes[first_inside..];
        let report = PassReport {
            name: name.to_owned(),
            counts: inside.iter().fold(self.counts.since(counts), |left, pass| left.since(pass.counts)),
            size_before,
            size_after: self.best.size(),
            time: inside.iter().fold(begin.elapsed(), |left, pass| left.saturating_sub(pass.time)),
        };
        self.tell(&Event::PassEnded(&report));
        self.passes.push(report);
        result
    }

    /// Runs a pass eagerly ([`Session::is_eager`]) for as long as it gains at least `floor` a query, and says whether
    /// it came to its end, and what it gains now.
    pub(crate) fn eagerly(
        &mut self,
        expected: Rate,
        floor: Rate,
        body: impl FnOnce(&mut Session<'r>) -> Result<(), Stop>,
    ) -> Result<(bool, Rate), Stop> {
        self.patience = Some(Patience::new(expected, floor, self.best.size()));
        let result = body(self);
        let mut patience = self.patience.take().expect("it was there, and passes do not nest");
        // What the last query brought.
        patience.credit(self.best.size());
        match result {
            Ok(()) => Ok((true, patience.rate())),
            Err(Stop::Postponed) => {
                self.return_to_smallest();
                Ok((false, patience.rate()))
            }
            Err(stop) => Err(stop),
        }
    }

    /// From now on a schedule decides which pass runs when.
    pub(crate) fn schedule(&mut self) {
        self.scheduled = true;
    }

    /// Whether passes run again and again, some of them eagerly, so that it is worth while to remember what was boring.
    #[must_use]
    pub fn is_scheduled(&self) -> bool {
        self.scheduled
    }

    /// Whether the pass that runs now should leave out what was boring when it was last tried in this place, if the
    /// place has not changed since. What it leaves out is tried when nothing else is left to do.
    #[must_use]
    pub fn is_eager(&self) -> bool {
        self.patience.is_some()
    }

    fn tell(&mut self, event: &Event<'_>) {
        if let Some(observer) = &mut self.observer {
            observer(event);
        }
    }

    /// Tells who watches that something went wrong that does not end the run.
    pub fn warn(&mut self, text: &str) {
        self.tell(&Event::Warning(text));
    }

    /// Settles candidates in order until the question is answered.
    fn drive(&mut self, questions: &mut dyn Questions) -> Result<(), Stop> {
        self.adapt();
        let mut window: VecDeque<Pulled> = VecDeque::new();
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
                        closed = false;
                    }
                }
            }
            // One candidate at a time when it can be settled at once: sequential runs must not look ahead.
            while !closed && window.len() < MAX_WINDOW && self.pool.has_room() && self.may_start(&window)? {
                let Some(candidate) = questions.next() else {
                    closed = true;
                    break;
                };
                let state = self.look_up_or_start(&candidate, &window);
                let ready = matches!(state, State::Ready(..));
                closed =
                    questions.ends_with_success() && matches!(state, State::Ready(Verdict::Interesting, _));
                window.push_back(Pulled { candidate, state, sweep_left: questions.left() });
                if ready && window.len() == 1 {
                    break;
                }
            }
            match window.front() {
                None if closed => return Ok(()),
                None | Some(Pulled { state: State::Ready(..), .. }) => {}
                Some(_) => closed |= self.wait_for_one(&mut window, questions.ends_with_success())?,
            }
        }
    }

    /// Lets the runner learn; what it has run ahead in another way than from now on is forgotten.
    fn adapt(&mut self) {
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

    fn look_up_or_start(&mut self, candidate: &Candidate, window: &VecDeque<Pulled>) -> State {
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
        State::Running(self.pool.start(candidate.clone(), self.interrupt.child(self.deadline)))
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

    fn drain(&mut self) {
        for done in self.pool.drain() {
            self.keep_aside(&done);
        }
        if let Some(Err(problem)) = self.store.take().map(VerdictStore::close) {
            self.warn(&problem.to_string());
        }
    }
}
