//! Believing a flaky test only when it says so several times.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use dwindle_core::{Answer, Cancel, Candidate, Runner, Verdict};

/// Runs a test again before it calls a candidate interesting.
///
/// A candidate is interesting only if it is so a number of times in a row; the first other answer is the answer. Most
/// candidates are boring at once and cost nothing more.
pub struct Confirming<R> {
    runner: R,
    times: u32,
    extra: AtomicU64,
}

impl<R: Runner> Confirming<R> {
    /// Wants `times` interesting runs in a row; 1 is the test as it is.
    pub fn new(runner: R, times: u32) -> Self {
        Confirming { runner, times: times.max(1), extra: AtomicU64::new(0) }
    }

    /// How many runs there were beyond the first of each candidate.
    pub fn extra_runs(&self) -> u64 {
        self.extra.load(Ordering::Relaxed)
    }

    /// The test itself.
    pub fn inner(&self) -> &R {
        &self.runner
    }
}

impl<R: Runner> Runner for Confirming<R> {
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
        let mut answer = self.runner.run_meanwhile(slot, candidate, cancel, meanwhile);
        for _ in 1..self.times {
            if !matches!(answer, Answer::Verdict(Verdict::Interesting)) {
                break;
            }
            self.extra.fetch_add(1, Ordering::Relaxed);
            answer = self.runner.run(slot, candidate, cancel);
        }
        answer
    }

    fn time_limit(&self) -> Option<Duration> {
        self.runner.time_limit()
    }

    fn checks(&self) -> usize {
        self.runner.checks()
    }

    fn settled(&self, candidate: &Candidate, verdict: Verdict) {
        self.runner.settled(candidate, verdict);
    }

    fn adapt(&self) -> Option<u32> {
        self.runner.adapt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwindle_core::Files;

    #[test]
    fn a_candidate_must_be_interesting_every_time() {
        let runs = AtomicU64::new(0);
        // Interesting but for the third run.
        let flaky = |_: &Candidate| runs.fetch_add(1, Ordering::SeqCst) != 2;
        let candidate = Candidate::of_files(Files::single("a", *b"x"));
        let is_interesting = |test: &Confirming<_>| {
            matches!(test.run(0, &candidate, &Cancel::new()), Answer::Verdict(Verdict::Interesting))
        };
        let test = Confirming::new(&flaky, 3);
        assert!(!is_interesting(&test));
        assert_eq!((runs.load(Ordering::SeqCst), test.extra_runs()), (3, 2));
        assert!(is_interesting(&test));
        assert_eq!((runs.load(Ordering::SeqCst), test.extra_runs()), (6, 4));
    }
}
