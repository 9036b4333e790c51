//! How often something happened lately.

use std::collections::VecDeque;
use std::time::Duration;

/// How far back a rate looks: long enough to be readable at 10 frames a second, short enough to follow a new pass.
const WINDOW: Duration = Duration::from_secs(10);

/// Slow tests need a longer look: at least this many events, however long ago they were.
const AT_LEAST: u64 = 10;

/// Events closer together than this share a sample, so at most 40 or so are kept.
const GRAIN: Duration = Duration::from_millis(250);

/// Counts events and knows their recent rate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rate {
    total: u64,
    /// Moments, and how many events there had been by then.
    samples: VecDeque<(Duration, u64)>,
}

impl Rate {
    /// Time counts from here on, if it does not already.
    pub(crate) fn start(&mut self, now: Duration) {
        if self.samples.is_empty() {
            self.samples.push_back((now, self.total));
        }
    }

    /// Counts one event.
    pub(crate) fn count(&mut self, now: Duration) {
        self.total += 1;
        if self.samples.back().is_none_or(|&(last, _)| now.saturating_sub(last) >= GRAIN) {
            self.samples.push_back((now, self.total));
        }
        while self.samples.get(1).is_some_and(|&sample| self.reaches_back(sample, now)) {
            self.samples.pop_front();
        }
    }

    /// Events per second over the last seconds, or the last few events.
    pub(crate) fn per_second(&self, now: Duration) -> f64 {
        let far_enough = self.samples.iter().rev().find(|&&sample| self.reaches_back(sample, now));
        let Some(&(since, before)) = far_enough.or(self.samples.front()) else {
            return 0.0;
        };
        let time = now.saturating_sub(since).as_secs_f64();
        let events = (self.total - before) as f64;
        if time > 0.0 { events / time } else { 0.0 }
    }

    fn reaches_back(&self, (since, before): (Duration, u64), now: Duration) -> bool {
        now.saturating_sub(since) >= WINDOW && self.total - before >= AT_LEAST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < right * 0.05
    }

    #[test]
    fn a_rate_follows_a_change_of_pace_within_its_window() {
        let mut rate = Rate::default();
        rate.start(Duration::ZERO);
        for n in 1..=3000 {
            rate.count(Duration::from_millis(10 * n));
        }
        assert!(close(rate.per_second(Duration::from_secs(30)), 100.0));
        for n in 1..=60 {
            rate.count(Duration::from_secs(30) + Duration::from_millis(250 * n));
        }
        assert!(close(rate.per_second(Duration::from_secs(45)), 4.0));
        assert!(rate.samples.len() < 50, "{}", rate.samples.len());
    }

    #[test]
    fn slow_tests_have_a_steady_rate() {
        let mut rate = Rate::default();
        rate.start(Duration::ZERO);
        for n in 1..=100 {
            rate.count(Duration::from_secs(20 * n));
            assert!(close(rate.per_second(Duration::from_secs(20 * n)), 0.05));
        }
        assert!(rate.samples.len() < 15);
    }

    #[test]
    fn nothing_counted_is_no_rate() {
        assert!(Rate::default().per_second(Duration::from_secs(1)).abs() < f64::EPSILON);
    }
}
