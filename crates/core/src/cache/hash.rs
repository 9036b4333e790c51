//! The default scheme: 122-bit fingerprints with their length and verdict, 24 bytes each, and nothing else.
//!
//! Buckets of about [`FILL`] entries are split one at a time (linear hashing), so that growing never holds two copies
//! of the table, and a bucket grows by a few entries, so that there is little slack: 26 to 28 bytes an entry once
//! there are some hundreds, where a map that doubles takes 29 to 57, and half as much again while it doubles.
//!
//! ```text
//!   buckets   0  1  2  3 | 4  5        N = 6, base = 4: the last bits of a hash name the bucket
//!             '--'         '--'        0 and 4, 1 and 5 are told apart by one bit more than 2 and 3;
//!             split        their twins the next split moves half of 2 to a new bucket 6
//! ```
//!
//! An accepted best makes every longer entry useless. Looking at all entries for each of thousands of accepts would
//! cost more than it frees, so a sweep waits until as many verdicts as [`SWEEP_SHARE`] asks for have been stored since
//! the last one, or the best has halved: amortised, a sweep costs each of them a visit to sixteen entries in
//! sequence, and meanwhile the table grows by a sixteenth at most. Look-ups do not count: their number depends on
//! how far the session looks ahead, and what is in the cache must not.

use super::meter::Meter;
use super::packed_verdict::PackedVerdict;
use super::{CacheSample, CacheUsage, VerdictCache};
use crate::candidate::Candidate;
use crate::fingerprint::Fingerprint;
use crate::verdict::Verdict;

/// The two lanes of the fingerprint, and its length above the bits of the verdict.
type Entry = [u64; 3];

/// Entries a bucket has on average. Measured with 200,000 entries: 16, 24 and 32 differ by 0.4 bytes an entry and a
/// fifth in time, 12 is slower; with some hundreds of entries large buckets lose, as a split copies one of them.
const FILL: usize = 16;
/// A full bucket grows by this many entries: 3 would cost 0.8 bytes an entry more.
const STEP: usize = 2;
/// A sweep may cost a visit to at most this many entries for each verdict stored since the last one.
const SWEEP_SHARE: usize = 16;

/// Remembers the fingerprint of every tested candidate that is no longer than the best.
#[derive(Debug)]
pub struct HashCache {
    buckets: Vec<Vec<Entry>>,
    entries: usize,
    /// Room in all buckets, in entries.
    room: usize,
    /// No candidate longer than this will be asked.
    longest: u64,
    /// What `longest` was at the last sweep.
    swept: u64,
    /// Verdicts stored since then.
    stored: usize,
    meter: Meter,
}

impl Default for HashCache {
    fn default() -> Self {
        let mut cache = HashCache {
            buckets: vec![Vec::new()],
            entries: 0,
            room: 0,
            longest: u64::MAX,
            swept: u64::MAX,
            stored: 0,
            meter: Meter::default(),
        };
        cache.meter.set(0, cache.bytes());
        cache
    }
}

impl HashCache {
    /// An empty cache that does not count its bytes: what the cost of counting is measured against.
    #[must_use]
    pub fn unmetered() -> Self {
        HashCache { meter: Meter::off(), ..HashCache::default() }
    }

    fn bytes(&self) -> usize {
        self.room * size_of::<Entry>() + self.buckets.capacity() * size_of::<Vec<Entry>>()
    }

    fn bucket(&self, lanes: [u64; 2]) -> usize {
        let base = largest_power_of_two(self.buckets.len());
        let at = mixed(lanes) as usize & (2 * base - 1);
        if at < self.buckets.len() { at } else { at - base }
    }

    fn find(&self, fingerprint: Fingerprint) -> (usize, Option<usize>) {
        let bucket = self.bucket(fingerprint.lanes);
        let same = |entry: &Entry| entry[..2] == fingerprint.lanes && length(entry) == fingerprint.len;
        (bucket, self.buckets[bucket].iter().position(same))
    }

    fn push(&mut self, bucket: usize, entry: Entry) {
        let before = self.buckets[bucket].capacity();
        if self.buckets[bucket].len() == before {
            self.buckets[bucket].reserve_exact(STEP);
            let after = self.buckets[bucket].capacity();
            self.room += after - before;
            // For a moment there were both.
            self.meter.reach(self.bytes() + before * size_of::<Entry>());
        }
        self.buckets[bucket].push(entry);
    }

    /// Adds a bucket and moves to it what belongs there.
    fn split(&mut self) {
        let before = self.buckets.capacity();
        if self.buckets.len() == before {
            // By an eighth: the list of buckets is small against them, but both copies of it count.
            self.buckets.reserve_exact(before.div_ceil(8));
            self.meter.reach(self.bytes() + before * size_of::<Vec<Entry>>());
        }
        let new = self.buckets.len();
        let twin = new - largest_power_of_two(new);
        self.buckets.push(Vec::new());
        let old = std::mem::take(&mut self.buckets[twin]);
        let moves = |entry: &&Entry| self.bucket([entry[0], entry[1]]) == new;
        let moved = old.iter().filter(moves).count();
        let (mut stay, mut go) = (Vec::with_capacity(old.len() - moved), Vec::with_capacity(moved));
        for entry in &old {
            if moves(&entry) { &mut go } else { &mut stay }.push(*entry);
        }
        self.room += stay.capacity() + go.capacity();
        self.meter.reach(self.bytes());
        self.room -= old.capacity();
        (self.buckets[twin], self.buckets[new]) = (stay, go);
    }

    /// Takes the last bucket away; what is in it goes back to its twin.
    fn merge(&mut self) {
        let Some(last) = self.buckets.pop() else { return };
        let twin = self.buckets.len() - largest_power_of_two(self.buckets.len());
        for &entry in &last {
            self.push(twin, entry);
        }
        self.room -= last.capacity();
    }

    fn sweep_pays(&self) -> bool {
        self.longest < self.swept
            && (self.longest <= self.swept / 2 || self.stored.saturating_mul(SWEEP_SHARE) >= self.entries)
    }

    /// Drops what is longer than the best, and gives the room back.
    fn sweep(&mut self) {
        let (longest, before) = (self.longest, self.entries);
        (self.swept, self.stored) = (longest, 0);
        (self.entries, self.room) = (0, 0);
        for bucket in &mut self.buckets {
            bucket.retain(|entry| length(entry) <= longest);
            self.entries += bucket.len();
            if bucket.capacity() > bucket.len() + STEP {
                bucket.shrink_to_fit();
            }
            self.room += bucket.capacity();
        }
        while self.buckets.len() > 1 && self.entries < self.buckets.len() * FILL / 2 {
            self.merge();
        }
        if self.buckets.capacity() > 2 * self.buckets.len() {
            self.buckets.shrink_to_fit();
        }
        self.meter.evict(before - self.entries);
    }

    /// Remembers the verdict on the candidate with this fingerprint.
    pub(super) fn insert(&mut self, fingerprint: Fingerprint, verdict: Verdict) {
        let number = u64::from(PackedVerdict::from(verdict).number());
        let [a, b] = fingerprint.lanes;
        // The fingerprint of 8 GiB and more cannot be taken, so 33 of these 39 bits are in use.
        let entry = [a, b, fingerprint.len << PackedVerdict::BITS | number];
        if let (bucket, Some(at)) = self.find(fingerprint) {
            self.buckets[bucket][at] = entry;
            return;
        }
        if self.entries >= self.buckets.len() * FILL {
            if self.sweep_pays() {
                self.sweep();
            }
            if self.entries >= self.buckets.len() * FILL {
                self.split();
            }
        }
        self.push(self.bucket(fingerprint.lanes), entry);
        self.entries += 1;
        self.stored += 1;
        self.meter.set(self.entries, self.bytes());
    }
}

impl VerdictCache for HashCache {
    fn get(&mut self, candidate: &Candidate) -> Option<Verdict> {
        let (bucket, at) = self.find(candidate.fingerprint());
        at.map(|at| verdict(&self.buckets[bucket][at]))
    }

    fn put(&mut self, candidate: &Candidate, verdict: Verdict) {
        self.insert(candidate.fingerprint(), verdict);
    }

    fn accepted(&mut self, best: &Candidate) {
        self.longest = best.fingerprint().len;
        if self.sweep_pays() {
            self.sweep();
            self.meter.set(self.entries, self.bytes());
        }
    }

    fn recast(&mut self, best: &Candidate) {
        // A detour to something larger: its parts will be asked for, too.
        self.longest = self.longest.max(best.fingerprint().len);
    }

    fn usage(&self) -> CacheUsage {
        self.meter.usage()
    }

    fn samples(&self) -> &[CacheSample] {
        self.meter.samples()
    }
}

fn length(entry: &Entry) -> u64 {
    entry[2] >> PackedVerdict::BITS
}

fn verdict(entry: &Entry) -> Verdict {
    let number = entry[2] & ((1 << PackedVerdict::BITS) - 1);
    PackedVerdict::from_number(number as u32).into()
}

fn largest_power_of_two(n: usize) -> usize {
    1 << n.ilog2()
}

/// Spreads the lanes of short contents, which are small numbers, over all bits.
fn mixed([a, b]: [u64; 2]) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd1b5_4a32_d192_ed03);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::candidate::Files;

    fn candidate(number: u32, len: usize) -> Candidate {
        let mut bytes = vec![0; len];
        bytes[..4].copy_from_slice(&number.to_le_bytes());
        Candidate::of_files(Files::single("f", bytes))
    }

    #[test]
    fn at_most_32_bytes_an_entry_at_every_moment() {
        let mut cache = HashCache::default();
        let mut worst = 0.0f64;
        for i in 0..40_000u32 {
            cache.put(&candidate(i, 8), Verdict::BORING);
            let usage = cache.usage();
            assert_eq!(usage.entries, i as usize + 1);
            // Below, splitting one bucket copies a good part of the whole.
            if i >= 128 {
                worst = worst.max(usage.bytes as f64 / usage.entries as f64);
                assert!(usage.peak_bytes <= 32 * usage.entries, "{usage:?}");
            }
        }
        assert!(worst < 29.0, "{worst}");
        assert!((0..40_000).all(|i| cache.get(&candidate(i, 8)) == Some(Verdict::BORING)));
        assert_eq!(cache.get(&candidate(40_000, 8)), None);
    }

    #[test]
    fn nothing_that_can_still_be_asked_is_forgotten_and_the_rest_goes() {
        let mut cache = HashCache::default();
        let mut kept = HashMap::new();
        for i in 0..20_000u32 {
            let len = 4 + (i % 400) as usize;
            cache.put(&candidate(i, len), Verdict::from(i % 7 == 0));
            kept.insert(i, (len, Verdict::from(i % 7 == 0)));
        }
        for best in (4..404).rev().step_by(3) {
            cache.accepted(&candidate(u32::MAX, best));
            kept.retain(|_, (len, _)| *len <= best);
            for (&i, &(len, verdict)) in &kept {
                assert_eq!(cache.get(&candidate(i, len)), Some(verdict));
            }
        }
        // Nothing was stored meanwhile: each time the best halved there was a sweep, so a part of the rest is there.
        let entries = cache.usage().entries;
        assert!(entries >= kept.len() && entries < 400, "{entries} {}", kept.len());
        assert!(cache.usage().bytes < cache.usage().peak_bytes / 20);
        assert_eq!(cache.usage().evicted as usize + cache.usage().entries, 20_000);
    }

    #[test]
    fn many_accepts_do_not_sweep_each_time() {
        let mut cache = HashCache::default();
        for i in 0..10_000u32 {
            cache.put(&candidate(i, 300), Verdict::BORING);
        }
        let mut sweeps = 0;
        for best in (600..900u32).rev() {
            cache.put(&candidate(best, 5), Verdict::BORING);
            let swept = cache.swept;
            cache.accepted(&candidate(0, best as usize));
            sweeps += usize::from(cache.swept != swept);
        }
        assert_eq!(sweeps, 1, "with so little stored between them all but the first wait");
    }

    #[test]
    fn a_second_verdict_replaces_the_first() {
        let mut cache = HashCache::default();
        cache.put(&candidate(1, 9), Verdict::BORING);
        cache.put(&candidate(1, 9), Verdict::Interesting);
        assert_eq!(cache.get(&candidate(1, 9)), Some(Verdict::Interesting));
        assert_eq!(cache.usage().entries, 1);
    }
}
