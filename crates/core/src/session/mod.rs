//! The one place that answers passes: cache → budget → journal → workers → verdict → best → events.
//!
//! What passes ask and what becomes of the best is here; how questions are answered, many tests at once, is in `drive`.

mod drive;

use std::collections::HashMap;
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
use crate::pool::{Pool, TaskId};
use crate::questions::{All, First, Learning};
use crate::runner::Runner;
use crate::search::Search;
use crate::stop::Stop;
use crate::store::VerdictStore;
use crate::verdict::Verdict;

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
}
