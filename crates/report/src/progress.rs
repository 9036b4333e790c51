//! The state of a run as those who watch it see it, fed with events.

use std::time::Duration;

use dwindle_core::{Candidate, Event, Unresolved, Verdict};

use crate::history::History;
use crate::rate::Rate;

/// Tokens of a best above this size are not counted while the reduction runs: lexing goes at some 100 MB/s, and a
/// count should cost no more than a short test.
const MAX_BYTES_TO_COUNT: u64 = 256 << 10;

/// What the size of a candidate is a number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Measure {
    /// Bytes of text, which is made of tokens.
    #[default]
    Bytes,
    /// The weight of items.
    Weight,
}

impl Measure {
    /// What the parts are called.
    pub(crate) fn part(self) -> &'static str {
        match self {
            Measure::Bytes => "token",
            Measure::Weight => "item",
        }
    }
}

/// What is known of a run. Moments are given as the time since the run began, so that tests choose them.
#[derive(Clone, Debug)]
pub struct Progress {
    /// What sizes are a number of.
    pub measure: Measure,
    /// Size of the input.
    pub input_bytes: u64,
    /// Tokens of the input, if they were counted.
    pub input_tokens: Option<u64>,
    /// Size of the best.
    pub best_bytes: u64,
    /// Tokens of the best, if they were counted.
    pub best_tokens: Option<u64>,
    /// The pass that runs.
    pub pass: Option<String>,
    /// How many passes have begun.
    pub passes: u64,
    /// Runs of the test that counted.
    pub queries: u64,
    /// Candidates answered by the cache.
    pub hits: u64,
    /// Candidates that became the best.
    pub accepted: u64,
    /// Queries that ran into their time limit.
    pub timed_out: u64,
    /// Queries whose test crashed.
    pub crashed: u64,
    /// Queries that ran into their memory limit.
    pub out_of_memory: u64,
    /// How many candidates the sweep may still ask for, if the pass knows.
    pub sweep_left: Option<u64>,
    /// How many warnings there were.
    pub warnings: u64,
    /// Why the session answers no more, once it does not.
    pub stopped: Option<String>,
    best: Option<Candidate>,
    history: History,
    query_rate: Rate,
    answer_rate: Rate,
}

impl Progress {
    /// The state before anything was asked.
    #[must_use]
    pub fn new(input_bytes: u64, input_tokens: Option<u64>) -> Self {
        Progress {
            measure: Measure::default(),
            input_bytes,
            input_tokens,
            best_bytes: input_bytes,
            best_tokens: input_tokens,
            pass: None,
            passes: 0,
            queries: 0,
            hits: 0,
            accepted: 0,
            timed_out: 0,
            crashed: 0,
            out_of_memory: 0,
            sweep_left: None,
            warnings: 0,
            stopped: None,
            best: None,
            history: History::new(input_bytes),
            query_rate: Rate::default(),
            answer_rate: Rate::default(),
        }
    }

    /// Takes note of an event.
    pub fn on(&mut self, event: &Event<'_>, now: Duration) {
        match *event {
            Event::PassStarted { name, size } => {
                self.pass = Some(name.to_owned());
                self.passes += 1;
                self.sweep_left = None;
                self.best_bytes = size;
                self.query_rate.start(now);
                self.answer_rate.start(now);
            }
            Event::Answered { verdict, hit, sweep_left } => {
                self.answered(verdict, hit, now);
                // A sweep of one candidate is a single question; it has no position worth showing.
                self.sweep_left = sweep_left.filter(|&left| left > 0).map(|left| left as u64);
            }
            Event::Accepted { best } => {
                self.accepted += 1;
                self.best_bytes = best.size();
                self.best_tokens = None;
                self.best = Some(best.clone());
                self.history.push(now, best.size());
            }
            Event::PassEnded(_) => {
                self.pass = None;
                self.sweep_left = None;
            }
            Event::Warning(_) => self.warnings += 1,
            Event::Stopped(stop) => self.stopped = Some(stop.to_string()),
        }
    }

    fn answered(&mut self, verdict: Verdict, hit: bool, now: Duration) {
        self.answer_rate.count(now);
        if hit {
            self.hits += 1;
            return;
        }
        self.queries += 1;
        self.query_rate.count(now);
        match verdict {
            Verdict::Unresolved(Unresolved::TimedOut) => self.timed_out += 1,
            Verdict::Unresolved(Unresolved::Crashed) => self.crashed += 1,
            Verdict::Unresolved(Unresolved::OutOfMemory) => self.out_of_memory += 1,
            Verdict::Interesting | Verdict::Boring { .. } => {}
        }
    }

    /// Queries per second, lately.
    #[must_use]
    pub fn queries_per_second(&self, now: Duration) -> f64 {
        self.query_rate.per_second(now)
    }

    /// How long the current sweep takes at most if nothing in it is interesting.
    #[must_use]
    pub fn sweep_time(&self, now: Duration) -> Option<Duration> {
        let rate = self.answer_rate.per_second(now);
        let seconds = self.sweep_left? as f64 / rate;
        Duration::try_from_secs_f64(seconds).ok()
    }

    /// The sizes since the run began, in so many bars.
    #[must_use]
    pub fn sparkline(&self, now: Duration, columns: usize) -> String {
        self.history.sparkline(now, columns)
    }

    /// The best, if its tokens were not counted yet and can be counted quickly.
    #[must_use]
    pub fn uncounted(&self) -> Option<&Candidate> {
        let wanted = self.input_tokens.is_some() && self.best_tokens.is_none();
        let quick = |best: &Candidate| self.measure == Measure::Weight || best.size() <= MAX_BYTES_TO_COUNT;
        self.best.as_ref().filter(|best| wanted && quick(best))
    }

    /// Takes note of how many tokens a candidate has, if it is still the best.
    pub fn counted(&mut self, candidate: &Candidate, tokens: u64) {
        if self.best.as_ref().is_some_and(|best| best.fingerprint() == candidate.fingerprint()) {
            self.best_tokens = Some(tokens);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{candidate, query, report};

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn queries_and_hits_are_counted_apart() {
        let mut progress = Progress::new(100, None);
        let hit = Event::Answered {
            verdict: Verdict::Unresolved(Unresolved::TimedOut),
            hit: true,
            sweep_left: None,
        };
        progress.on(&query(Verdict::Unresolved(Unresolved::TimedOut)), SECOND);
        progress.on(&query(Verdict::Unresolved(Unresolved::Crashed)), SECOND);
        progress.on(&query(Verdict::Unresolved(Unresolved::OutOfMemory)), SECOND);
        progress.on(&query(Verdict::Interesting), SECOND);
        progress.on(&hit, SECOND);
        assert_eq!((progress.queries, progress.hits), (4, 1));
        assert_eq!((progress.timed_out, progress.crashed, progress.out_of_memory), (1, 1, 1));
    }

    #[test]
    fn the_time_of_a_sweep_follows_from_the_pace_of_its_answers() {
        let mut progress = Progress::new(100, None);
        progress.on(&Event::PassStarted { name: "line", size: 100 }, Duration::ZERO);
        for answered in 1..=20 {
            let left = Some(100 - answered);
            let event =
                Event::Answered { verdict: Verdict::BORING, hit: answered % 2 == 0, sweep_left: left };
            progress.on(&event, SECOND * u32::try_from(answered).unwrap() / 2);
        }
        assert_eq!(progress.sweep_left, Some(80));
        assert_eq!(progress.sweep_time(SECOND * 10), Some(SECOND * 40));
        let ended = report("line", 10, 10, 0, (100, 100));
        progress.on(&Event::PassEnded(&ended), SECOND * 10);
        assert_eq!(progress.sweep_time(SECOND * 10), None);
    }

    #[test]
    fn a_count_that_comes_late_does_not_count_for_the_next_best() {
        let mut progress = Progress::new(100, Some(50));
        let (old, new) = (candidate(40), candidate(30));
        progress.on(&Event::Accepted { best: &old }, SECOND);
        assert_eq!(progress.uncounted().map(Candidate::size), Some(40));
        progress.on(&Event::Accepted { best: &new }, SECOND);
        progress.counted(&old, 20);
        assert_eq!(progress.best_tokens, None);
        progress.counted(&new, 15);
        assert_eq!(progress.best_tokens, Some(15));
        assert!(progress.uncounted().is_none());
    }

    #[test]
    fn tokens_of_a_large_best_are_not_counted_on_the_way() {
        let mut progress = Progress::new(1 << 30, Some(50));
        let (large, small) = (candidate(MAX_BYTES_TO_COUNT + 1), candidate(MAX_BYTES_TO_COUNT));
        progress.on(&Event::Accepted { best: &large }, SECOND);
        assert!(progress.uncounted().is_none());
        progress.on(&Event::Accepted { best: &small }, SECOND);
        assert!(progress.uncounted().is_some());
    }
}
