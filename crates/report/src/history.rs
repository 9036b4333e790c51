//! The size of the best over time, bounded however long a run takes, and its drawing in one line.

use std::time::Duration;

/// More points than a wide terminal has columns, twice over.
const MAX_POINTS: usize = 512;

pub(crate) const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Sizes over time. When it is full, points that are close together are merged, everywhere alike: what is old is as
/// finely drawn as what is new.
#[derive(Clone, Debug)]
pub(crate) struct History {
    first: u64,
    /// No two points but the last are closer than this.
    gap: Duration,
    points: Vec<(Duration, u64)>,
}

impl History {
    /// A history that begins with the size of the input.
    pub(crate) fn new(input: u64) -> Self {
        History { first: input, gap: Duration::ZERO, points: Vec::new() }
    }

    /// From `now` on the best has this size.
    pub(crate) fn push(&mut self, now: Duration, size: u64) {
        if self.points.len() == MAX_POINTS {
            self.gap = now / u32::try_from(MAX_POINTS / 2).expect("a small constant");
            let points = std::mem::take(&mut self.points);
            for (time, size) in points {
                self.add(time, size);
            }
        }
        self.add(now, size);
    }

    fn add(&mut self, now: Duration, size: u64) {
        // The last point moves on until it is far enough from the one before it.
        if let [.., (earlier, _), last] = &mut self.points[..]
            && last.0.saturating_sub(*earlier) < self.gap
        {
            *last = (now, size);
        } else {
            self.points.push((now, size));
        }
    }

    fn at(&self, moment: Duration) -> u64 {
        let after = self.points.partition_point(|&(time, _)| time <= moment);
        after.checked_sub(1).map_or(self.first, |last| self.points[last].1)
    }

    /// One bar a column, from the start of the run to `now`.
    ///
    /// The scale is logarithmic, else the second half of a good reduction would be a flat line at the bottom. It spans
    /// from the input to the best, and a factor of ten at least, so that little progress looks little.
    ///
    /// ```text
    ///   100 KB ██▇▆▆▅▄▄▄▃▃▂▂▁▁▁▁ 90 B
    /// ```
    pub(crate) fn sparkline(&self, now: Duration, columns: usize) -> String {
        let log = |size: u64| (size.max(1) as f64).log10();
        let top = log(self.first);
        let bottom = log(self.at(now)).min(top - 1.0);
        let bar = |size: u64| {
            let height = (log(size) - bottom) / (top - bottom) * (BARS.len() - 1) as f64;
            let level = height.round().clamp(0.0, (BARS.len() - 1) as f64) as usize;
            BARS[level]
        };
        let columns = u32::try_from(columns).unwrap_or(u32::MAX);
        (1..=columns).map(|column| bar(self.at(now * column / columns))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    #[test]
    fn the_line_falls_with_the_logarithm_of_the_size() {
        let mut history = History::new(10_000_000);
        for (time, size) in (1..=7).zip([1_000_000, 100_000, 10_000, 1000, 100, 10, 1]) {
            history.push(seconds(time), size);
        }
        assert_eq!(history.sparkline(Duration::from_millis(7999), 8), "█▇▆▅▄▃▂▁");
    }

    #[test]
    fn little_progress_looks_little() {
        let mut history = History::new(1000);
        history.push(seconds(1), 900);
        assert_eq!(history.sparkline(seconds(4), 8), "████████");
        history.push(seconds(2), 500);
        assert_eq!(history.sparkline(seconds(4), 8), "███▆▆▆▆▆");
    }

    #[test]
    fn a_long_history_stays_bounded_and_keeps_its_shape() {
        let mut history = History::new(1_000_000);
        for step in 1..=100_000 {
            history.push(seconds(step), 1_000_000 - 9 * step);
        }
        assert!(history.points.len() <= MAX_POINTS);
        assert_eq!(history.at(seconds(100_000)), 100_000);
        assert!(history.at(seconds(50_000)).abs_diff(550_000) < 20_000);
    }

    #[test]
    fn an_empty_input_and_no_time_can_be_drawn() {
        assert_eq!(History::new(0).sparkline(Duration::ZERO, 3), "███");
        assert_eq!(History::new(7).sparkline(seconds(1), 0), "");
    }
}
