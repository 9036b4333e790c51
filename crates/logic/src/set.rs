//! Sets of items: what a candidate keeps.

use std::fmt;

use fixedbitset::FixedBitSet;

use crate::item::ItemId;

/// A set of items out of a fixed number of them; one bit each.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemSet(FixedBitSet);

impl ItemSet {
    /// None of `universe` items.
    #[must_use]
    pub fn empty(universe: usize) -> Self {
        ItemSet(FixedBitSet::with_capacity(universe))
    }

    /// All of `universe` items.
    #[must_use]
    pub fn full(universe: usize) -> Self {
        let mut bits = FixedBitSet::with_capacity(universe);
        bits.insert_range(..);
        ItemSet(bits)
    }

    /// The items given, out of `universe` many.
    ///
    /// # Panics
    /// If an item lies outside the universe.
    pub fn of(universe: usize, items: impl IntoIterator<Item = ItemId>) -> Self {
        let mut set = Self::empty(universe);
        for item in items {
            set.insert(item);
        }
        set
    }

    /// How many items there are to choose from.
    #[must_use]
    pub fn universe(&self) -> usize {
        self.0.len()
    }

    /// How many items are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.count_ones(..)
    }

    /// Whether no item is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_clear()
    }

    /// Whether `item` is in the set.
    #[must_use]
    pub fn contains(&self, item: ItemId) -> bool {
        self.0.contains(item.index())
    }

    /// Puts `item` in.
    ///
    /// # Panics
    /// If the item lies outside the universe.
    pub fn insert(&mut self, item: ItemId) {
        self.0.insert(item.index());
    }

    /// Takes `item` out.
    pub fn remove(&mut self, item: ItemId) {
        if item.index() < self.0.len() {
            self.0.remove(item.index());
        }
    }

    /// The items, ascending.
    pub fn iter(&self) -> impl Iterator<Item = ItemId> + '_ {
        self.0.ones().map(ItemId::new)
    }

    /// Puts all items of `other` in.
    pub fn extend_by(&mut self, other: &Self) {
        self.0.union_with(&other.0);
    }

    /// Takes all items of `other` out.
    pub fn subtract(&mut self, other: &Self) {
        self.0.difference_with(&other.0);
    }

    /// What is in either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.extend_by(other);
        both
    }

    /// What is in this set and not in `other`.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut rest = self.clone();
        rest.subtract(other);
        rest
    }

    /// Whether every item of this set is in `other`.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.is_subset(&other.0)
    }

    /// How many items are in both sets.
    #[must_use]
    pub fn common(&self, other: &Self) -> usize {
        self.0.intersection_count(&other.0)
    }
}

impl fmt::Debug for ItemSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.ones()).finish()
    }
}
