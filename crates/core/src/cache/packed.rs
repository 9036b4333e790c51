//! A set of runs with verdicts, packed: one stretch of bytes for all keys, and a table of where each one begins.
//!
//! A key is written as the differences of its numbers, seven bits to a byte, its verdict and its length in bytes
//! likewise. The typical key, a list with one block missing, takes 8 to 11 bytes, and 6 to 11 in the table.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::BuildHasher;

use super::meter::Meter;
use super::packed_verdict::PackedVerdict;
use crate::verdict::Verdict;

/// Runs with verdicts.
#[derive(Default)]
pub(super) struct PackedRuns {
    bytes: Vec<u8>,
    places: HashTable<u32>,
}

impl PackedRuns {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Bytes allocated.
    pub(super) fn allocated(&self) -> usize {
        self.bytes.capacity() + self.places.allocation_size()
    }

    /// The verdict stored with a packed key.
    pub(super) fn get(&self, key: &[u8]) -> Option<Verdict> {
        let place = self.places.find(hash(key), |&place| self.key_at(place).0 == key)?;
        let number = read_number(&mut self.key_at(*place).1);
        Some(PackedVerdict::from_number(number).into())
    }

    /// Stores a packed key, unless it is there; `beside` bytes are in use elsewhere while the tables grow.
    pub(super) fn insert(&mut self, key: &[u8], verdict: Verdict, beside: usize, meter: &mut Meter) {
        let start = self.bytes.len();
        // Four gigabytes of keys: the cache is full, what comes now is not remembered.
        let Ok(place) = u32::try_from(start) else { return };
        // The key, five bytes at most for its length, three for the verdict.
        let needed = start + key.len() + 8;
        if needed > self.bytes.capacity() {
            let before = self.bytes.capacity();
            // By a quarter, not by doubling: half the slack on average, and copying stays linear in all.
            self.bytes.reserve_exact(needed + start / 4 - start);
            meter.reach(self.allocated() + before + beside);
        }
        let before = self.places.allocation_size();
        let bytes = &self.bytes;
        let entry = self.places.entry(
            hash(key),
            |&place| key_at(bytes, place).0 == key,
            |&place| hash(key_at(bytes, place).0),
        );
        if let Entry::Vacant(entry) = entry {
            entry.insert(place);
            write_number(&mut self.bytes, key.len() as u32);
            self.bytes.extend_from_slice(key);
            write_number(&mut self.bytes, PackedVerdict::from(verdict).number());
        }
        if self.places.allocation_size() != before {
            meter.reach(self.allocated() + before + beside);
        }
    }

    /// Each packed key with its verdict, in the order in which they came.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], Verdict)> {
        let mut rest = &self.bytes[..];
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let len = read_number(&mut rest) as usize;
            let (key, behind) = rest.split_at(len);
            rest = behind;
            Some((key, PackedVerdict::from_number(read_number(&mut rest)).into()))
        })
    }

    fn key_at(&self, place: u32) -> (&[u8], &[u8]) {
        key_at(&self.bytes, place)
    }
}

/// The key at a place, and what is behind it.
fn key_at(bytes: &[u8], place: u32) -> (&[u8], &[u8]) {
    let mut rest = &bytes[place as usize..];
    let len = read_number(&mut rest) as usize;
    rest.split_at(len)
}

fn hash(key: &[u8]) -> u64 {
    FixedState::default().hash_one(key)
}

/// Packs runs.
pub(super) fn pack(runs: &[u32], out: &mut Vec<u8>) {
    out.clear();
    let mut last = 0;
    for &number in runs {
        write_number(out, number - last);
        last = number;
    }
}

/// Gives packed runs back.
pub(super) fn unpack(mut key: &[u8], out: &mut Vec<u32>) {
    out.clear();
    let mut last = 0;
    while !key.is_empty() {
        last += read_number(&mut key);
        out.push(last);
    }
}

fn write_number(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn read_number(bytes: &mut &[u8]) -> u32 {
    let mut number = 0;
    for shift in (0..35).step_by(7) {
        let Some((&byte, rest)) = bytes.split_first() else {
            break;
        };
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn packed_runs_come_back(numbers in proptest::collection::btree_set(any::<u32>(), 0..12)) {
            let numbers: Vec<u32> = numbers.into_iter().collect();
            let (mut key, mut back) = (Vec::new(), Vec::new());
            pack(&numbers, &mut key);
            unpack(&key, &mut back);
            prop_assert_eq!(back, numbers);
        }

        #[test]
        fn it_holds_what_a_map_holds(
            keys in proptest::collection::vec((proptest::collection::btree_set(0u32..40, 0..4), any::<bool>()), 0..200),
        ) {
            let (mut packed, mut map, mut meter) = (PackedRuns::default(), BTreeMap::new(), Meter::default());
            let mut key = Vec::new();
            for (runs, verdict) in keys {
                pack(&runs.iter().copied().collect::<Vec<_>>(), &mut key);
                packed.insert(&key, Verdict::from(verdict), 0, &mut meter);
                map.entry(key.clone()).or_insert(Verdict::from(verdict));
            }
            prop_assert_eq!(packed.len(), map.len());
            for (key, &verdict) in &map {
                prop_assert_eq!(packed.get(key), Some(verdict));
            }
            let listed: BTreeMap<_, _> = packed.iter().map(|(key, verdict)| (key.to_vec(), verdict)).collect();
            prop_assert_eq!(listed, map);
            prop_assert!(packed.allocated() <= meter.usage().peak_bytes);
        }
    }
}
