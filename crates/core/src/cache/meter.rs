//! What a cache weighs: now, at its peak, and over time.
//!
//! Bytes are the sizes of the allocations a cache holds, by the capacities it owns: keys, tables with their empty
//! slots, base sequences, the key of the last look-up. While a table grows the old and the new one exist together, and
//! the peak counts both. Not counted: what a look-up needs and gives back (a rendering, the state of a compressor),
//! and the bookkeeping of the memory allocator itself.

use std::time::{Duration, Instant};

/// What a cache holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheUsage {
    /// Verdicts stored now.
    pub entries: usize,
    /// Bytes allocated for them now.
    pub bytes: usize,
    /// The most bytes that were ever allocated at once.
    pub peak_bytes: usize,
    /// Verdicts stored when that was.
    pub peak_entries: usize,
    /// Verdicts dropped so far because they could not be asked any more.
    pub evicted: u64,
}

/// What a cache held at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSample {
    /// How many changes (verdicts stored, bulk evictions) came before.
    pub changes: u64,
    /// Time since the cache was made.
    pub time: Duration,
    /// Verdicts stored.
    pub entries: usize,
    /// Bytes allocated.
    pub bytes: usize,
}

/// A plot needs no more points; when there are so many, every second one goes.
const MAX_SAMPLES: usize = 256;
/// A change below one part in this many is not worth a point: at first, and when there were many.
const FINEST: usize = 50;
const COARSEST: usize = 4;

/// Follows the usage of one cache.
#[derive(Debug)]
pub(super) struct Meter {
    usage: CacheUsage,
    samples: Vec<CacheSample>,
    begin: Instant,
    changes: u64,
    /// A sample is taken when the bytes differ from the last by more than one part in this many.
    resolution: usize,
    /// Nothing is followed: only to see what following costs.
    is_off: bool,
}

impl Default for Meter {
    fn default() -> Self {
        Meter {
            usage: CacheUsage::default(),
            // At once: what the meter itself takes must not grow with what it measures.
            samples: Vec::with_capacity(MAX_SAMPLES),
            begin: Instant::now(),
            changes: 0,
            resolution: FINEST,
            is_off: false,
        }
    }
}

impl Meter {
    /// A meter that follows nothing.
    pub(super) fn off() -> Self {
        Meter { is_off: true, ..Meter::default() }
    }

    /// What was followed so far.
    pub(super) fn usage(&self) -> CacheUsage {
        self.usage
    }

    /// The usage over time.
    pub(super) fn samples(&self) -> &[CacheSample] {
        &self.samples
    }

    /// The cache holds this much from now on.
    pub(super) fn set(&mut self, entries: usize, bytes: usize) {
        if self.is_off {
            return;
        }
        self.changes += 1;
        (self.usage.entries, self.usage.bytes) = (entries, bytes);
        self.reach(bytes);
        let last = self.samples.last().map_or(0, |sample| sample.bytes);
        if differs(last, bytes, self.resolution) {
            self.sample();
        }
    }

    /// The cache holds this much for a moment, while it reorganises.
    pub(super) fn reach(&mut self, bytes: usize) {
        // Of equal peaks the last one counts: the slack that was paid for has been filled by then.
        if bytes >= self.usage.peak_bytes && !self.is_off {
            self.usage.peak_bytes = bytes;
            self.usage.peak_entries = self.usage.entries;
        }
    }

    /// So many entries were dropped.
    pub(super) fn evict(&mut self, entries: usize) {
        self.usage.evicted += entries as u64;
    }

    fn sample(&mut self) {
        self.samples.push(CacheSample {
            changes: self.changes,
            time: self.begin.elapsed(),
            entries: self.usage.entries,
            bytes: self.usage.bytes,
        });
        if self.samples.len() == MAX_SAMPLES {
            let mut number = 0;
            self.samples.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.resolution = (self.resolution * 2 / 3).max(COARSEST);
        }
    }
}

fn differs(a: usize, b: usize, resolution: usize) -> bool {
    a.abs_diff(b).saturating_mul(resolution) > a.max(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_counts_what_is_held_only_for_a_moment() {
        let mut meter = Meter::default();
        meter.set(1, 100);
        meter.reach(300);
        meter.set(2, 200);
        let usage = meter.usage();
        assert_eq!((usage.bytes, usage.peak_bytes, usage.peak_entries), (200, 300, 1));
    }

    #[test]
    fn samples_stay_bounded_and_show_rise_and_fall() {
        let mut meter = Meter::default();
        for round in 0..40 {
            for i in 0..1000 {
                meter.set(i, i * 24);
            }
            meter.set(round, round * 24);
        }
        assert!(meter.samples().len() < MAX_SAMPLES);
        assert!(meter.samples().len() > 20);
        let high = meter.samples().iter().map(|sample| sample.bytes).max();
        assert!(high > Some(600 * 24), "{high:?}");
        let falls = meter.samples().windows(2).filter(|w| w[1].bytes < w[0].bytes).count();
        assert!(falls >= 10, "{falls}");
        assert!(meter.samples().is_sorted_by_key(|sample| sample.changes));
    }

    #[test]
    fn small_changes_take_no_sample() {
        let mut meter = Meter::default();
        for i in 0..100 {
            meter.set(i, 100_000 + i);
        }
        assert_eq!(meter.samples().len(), 1);
    }
}
