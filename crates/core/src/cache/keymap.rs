//! A hash map that knows exactly what it has allocated.

use std::borrow::Borrow;
use std::hash::Hash;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::meter::Meter;
use super::{CacheSample, CacheUsage};

/// A key that may own memory of its own.
pub(super) trait StoredKey: Hash + Eq {
    /// Bytes it has allocated, apart from its own size.
    fn heap_bytes(&self) -> usize;
}

impl<const N: usize> StoredKey for [u8; N] {
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl<T: Hash + Eq> StoredKey for Box<[T]> {
    fn heap_bytes(&self) -> usize {
        size_of_val::<[T]>(self)
    }
}

/// Keys with small values, metered.
pub(super) struct KeyMap<K, V> {
    map: HashMap<K, V, FixedState>,
    heap: usize,
    /// Bytes that the owner holds besides: a base, the key of the last look-up.
    beside: usize,
    meter: Meter,
}

impl<K, V> Default for KeyMap<K, V> {
    fn default() -> Self {
        KeyMap { map: HashMap::default(), heap: 0, beside: 0, meter: Meter::default() }
    }
}

impl<K: StoredKey, V: Copy> KeyMap<K, V> {
    fn bytes(&self) -> usize {
        self.map.allocation_size() + self.heap + self.beside
    }

    pub(super) fn get<Q>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.map.get(key).copied()
    }

    /// Stores a value; the owner holds `beside` bytes of its own by then.
    pub(super) fn insert(&mut self, key: K, value: V, beside: usize) {
        let (heap, before) = (key.heap_bytes(), self.map.allocation_size());
        if self.map.insert(key, value).is_none() {
            self.heap += heap;
        }
        if self.map.allocation_size() != before {
            // A table that grows is copied: for a moment there are two.
            self.meter.reach(self.bytes() + before);
        }
        self.note(beside);
    }

    /// Drops the entries that `keep` refuses, and room that is no longer needed.
    pub(super) fn retain(&mut self, beside: usize, mut keep: impl FnMut(&K, V) -> bool) {
        let (before, mut freed) = (self.map.len(), 0);
        self.map.retain(|key, value| {
            let keep = keep(key, *value);
            freed += if keep { 0 } else { key.heap_bytes() };
            keep
        });
        self.heap -= freed;
        self.meter.evict(before - self.map.len());
        if self.map.capacity() > 4 * self.map.len() {
            let before = self.map.allocation_size();
            self.map.shrink_to_fit();
            self.meter.reach(self.bytes() + before);
        }
        self.note(beside);
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self, beside: usize) {
        self.meter.evict(self.map.len());
        self.map = HashMap::default();
        self.heap = 0;
        self.note(beside);
    }

    /// The owner holds `beside` bytes of its own from now on.
    pub(super) fn note(&mut self, beside: usize) {
        self.beside = beside;
        self.meter.set(self.map.len(), self.bytes());
    }

    pub(super) fn usage(&self) -> CacheUsage {
        self.meter.usage()
    }

    pub(super) fn samples(&self) -> &[CacheSample] {
        self.meter.samples()
    }
}
