//! Items: the named things that are kept or dropped.

use std::collections::HashMap;
use std::fmt;

use crate::set::ItemSet;

/// An item, by its position in the list of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemId(u32);

impl ItemId {
    /// The item at position `index`.
    ///
    /// # Panics
    /// If `index` does not fit 32 bits.
    #[must_use]
    pub fn new(index: usize) -> Self {
        ItemId(u32::try_from(index).expect("there are fewer than 2^32 items"))
    }

    /// The position.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One removable thing: a package, a feature, a method, a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What the user calls it; unique.
    pub name: String,
    /// The item it is part of: without the parent it cannot be kept.
    pub parent: Option<ItemId>,
    /// What keeping it costs, in bytes or whatever is to be made small.
    pub weight: u64,
    /// Whether it must always be kept.
    pub required: bool,
    /// The file that stands for it, where items are files.
    pub file: Option<String>,
}

impl Item {
    /// A free-standing item of weight 1.
    pub fn new(name: impl Into<String>) -> Self {
        Item { name: name.into(), parent: None, weight: 1, required: false, file: None }
    }
}

/// Why a list of items is not one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadItems {
    /// Two items have the same name.
    Twice {
        /// The name.
        name: String,
        /// Position of the first.
        first: usize,
        /// Position of the second.
        second: usize,
    },
    /// Following parents from this item leads back to it.
    Cycle {
        /// Its name.
        name: String,
    },
}

impl std::error::Error for BadItems {}

impl fmt::Display for BadItems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadItems::Twice { name, first, second } => write!(
                f,
                "items {first} and {second} (counted from 0) are both named `{name}`; rename one: the model and the \
                 test know items by name"
            ),
            BadItems::Cycle { name } => write!(
                f,
                "item `{name}` is its own ancestor; break the circle of parents (things that need each other are \
                 written as rules of the model)"
            ),
        }
    }
}

/// All items, in declaration order, with a way back from names.
#[derive(Clone, Debug, Default)]
pub struct Items {
    list: Vec<Item>,
    by_name: HashMap<String, ItemId>,
}

impl Items {
    /// Puts items together.
    ///
    /// # Errors
    /// If a name occurs twice or parents form a circle.
    pub fn new(list: Vec<Item>) -> Result<Self, BadItems> {
        let mut by_name = HashMap::with_capacity(list.len());
        for (index, item) in list.iter().enumerate() {
            if let Some(first) = by_name.insert(item.name.clone(), ItemId::new(index)) {
                return Err(BadItems::Twice { name: item.name.clone(), first: first.index(), second: index });
            }
        }
        let items = Items { list, by_name };
        items.check_parents()?;
        Ok(items)
    }

    fn check_parents(&self) -> Result<(), BadItems> {
        // 0 = not seen, otherwise the start whose walk saw it first: meeting one's own mark closes a circle.
        let mut seen_by = vec![0usize; self.list.len()];
        for start in 0..self.list.len() {
            let mut at = Some(ItemId::new(start));
            while let Some(item) = at {
                match seen_by[item.index()] {
                    0 => seen_by[item.index()] = start + 1,
                    mark if mark == start + 1 => {
                        return Err(BadItems::Cycle { name: self[item].name.clone() });
                    }
                    _ => break,
                }
                at = self[item].parent;
            }
        }
        Ok(())
    }

    /// Plain items, each of weight 1.
    ///
    /// # Errors
    /// If a name occurs twice.
    pub fn named<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Result<Self, BadItems> {
        Self::new(names.into_iter().map(Item::new).collect())
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The item called `name`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<ItemId> {
        self.by_name.get(name).copied()
    }

    /// The known name that is nearest to a mistyped one, if any is near.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<&str> {
        // Names within a third of their length count as near; beyond that a hint misleads more than it helps.
        let limit = name.chars().count() / 3 + 1;
        self.list
            .iter()
            .map(|item| (edit_distance(name, &item.name, limit), item.name.as_str()))
            .filter(|(distance, _)| *distance <= limit)
            .min()
            .map(|(_, near)| near)
    }

    /// All items with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (ItemId, &Item)> {
        self.list.iter().enumerate().map(|(index, item)| (ItemId::new(index), item))
    }

    /// All of them as a set.
    #[must_use]
    pub fn all(&self) -> ItemSet {
        ItemSet::full(self.len())
    }

    /// The items named, as a set; `None` if a name is unknown.
    pub fn set<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Option<ItemSet> {
        let ids: Option<Vec<ItemId>> = names.into_iter().map(|name| self.find(name)).collect();
        Some(ItemSet::of(self.len(), ids?))
    }

    /// The names in a set, in declaration order.
    pub fn names<'a>(&'a self, set: &'a ItemSet) -> impl Iterator<Item = &'a str> {
        set.iter().map(|item| self[item].name.as_str())
    }

    /// The sum of the weights in a set.
    #[must_use]
    pub fn weight(&self, set: &ItemSet) -> u64 {
        set.iter().map(|item| self[item].weight).sum()
    }
}

impl std::ops::Index<ItemId> for Items {
    type Output = Item;

    fn index(&self, item: ItemId) -> &Item {
        &self.list[item.index()]
    }
}

/// Levenshtein distance, or anything above `limit` once it is known to be above.
fn edit_distance(a: &str, b: &str, limit: usize) -> usize {
    let b: Vec<char> = b.chars().collect();
    if a.chars().count().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(x != *y)).min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_of_parents_is_refused() {
        let part = |name: &str, parent| Item { parent: Some(ItemId::new(parent)), ..Item::new(name) };
        let circle = Items::new(vec![part("a", 1), part("b", 2), part("c", 1)]);
        assert!(matches!(circle, Err(BadItems::Cycle { .. })));
        assert!(Items::new(vec![Item::new("root"), part("a", 0), part("b", 1)]).is_ok());
    }

    #[test]
    fn a_name_that_occurs_twice_is_refused_with_both_places() {
        let message = Items::named(["x", "y", "x"]).unwrap_err().to_string();
        assert!(message.contains("items 0 and 2"), "{message}");
    }

    #[test]
    fn the_nearest_name_is_found_only_when_it_is_near() {
        let items = Items::named(["libc6", "libssl3", "perl-base"]).unwrap();
        assert_eq!(items.nearest("libc"), Some("libc6"));
        assert_eq!(items.nearest("libsl3"), Some("libssl3"));
        assert_eq!(items.nearest("gcc"), None);
    }
}
