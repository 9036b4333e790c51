//! Plain list reducers, for comparison, and the seam for better ones.
//!
//! A list of `n` things is reduced by asking a [`Probe`] about sets of positions `0..n`; wrappers turn positions into
//! items or into unions of closures. A reducer from elsewhere joins by implementing [`ListReducer`].

use dwindle_core::Stop;

use crate::clause::Clause;
use crate::item::ItemId;
use crate::model::Model;
use crate::probe::Probe;
use crate::set::ItemSet;

/// Something that finds few positions of a list that are enough. All of them are taken to be.
pub trait ListReducer {
    /// Reduces the list `0..len`; the probe is asked about sets of positions.
    ///
    /// # Errors
    /// If the probe says stop.
    fn reduce(&mut self, len: usize, probe: &mut dyn Probe) -> Result<ItemSet, Stop>;
}

fn positions(universe: usize, list: &[usize]) -> ItemSet {
    ItemSet::of(universe, list.iter().copied().map(ItemId::new))
}

/// Delta debugging with chunks of equal size, rounded up; asks again what it asked before, as the published one does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ddmin;

impl ListReducer for Ddmin {
    fn reduce(&mut self, len: usize, probe: &mut dyn Probe) -> Result<ItemSet, Stop> {
        let mut list: Vec<usize> = (0..len).collect();
        let mut parts = 2;
        loop {
            let size = list.len().div_ceil(parts).max(1);
            if list.len() <= size {
                return Ok(positions(len, &list));
            }
            let chunks: Vec<&[usize]> = list.chunks(size).collect();
            if let Some(index) = probe.first(&mut chunks.iter().map(|chunk| positions(len, chunk)))? {
                (list, parts) = (chunks[index].to_vec(), 2);
                continue;
            }
            let without = |index: usize| [&chunks[..index], &chunks[index + 1..]].concat().concat();
            // With two parts the complements are the parts.
            if parts > 2
                && let Some(index) =
                    probe.first(&mut (0..chunks.len()).map(|i| positions(len, &without(i))))?
            {
                (list, parts) = (without(index), (parts - 1).max(2));
                continue;
            }
            if parts >= list.len() {
                return Ok(positions(len, &list));
            }
            parts = (2 * parts).min(list.len());
        }
    }
}

/// Leaves out one position after the other, the last one first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Linear;

impl ListReducer for Linear {
    fn reduce(&mut self, len: usize, probe: &mut dyn Probe) -> Result<ItemSet, Stop> {
        let mut kept = ItemSet::full(len);
        let mut untried = len;
        loop {
            let without = |position: usize| {
                let mut rest = kept.clone();
                rest.remove(ItemId::new(position));
                rest
            };
            let Some(skipped) = probe.first(&mut (0..untried).rev().map(without))? else {
                return Ok(kept);
            };
            untried -= skipped + 1;
            kept.remove(ItemId::new(untried));
        }
    }
}

/// Reduces the plain list of items; the test has to reject what is invalid.
///
/// # Errors
/// If the probe says stop.
pub fn over_items(
    items: usize,
    reducer: &mut dyn ListReducer,
    probe: &mut dyn Probe,
) -> Result<ItemSet, Stop> {
    reducer.reduce(items, probe)
}

/// Reduces the plain list of items, but asks the test only about sets that the model allows.
///
/// # Errors
/// If the probe says stop.
pub fn over_valid_items(
    model: &Model,
    reducer: &mut dyn ListReducer,
    probe: &mut dyn Probe,
) -> Result<ItemSet, Stop> {
    reducer.reduce(model.items().len(), &mut Verified { model, probe })
}

/// Reduces a family of sets as a list; a candidate is the union of the members and `base`.
///
/// # Errors
/// If the probe says stop.
pub fn over_family(
    base: &ItemSet,
    family: &[ItemSet],
    reducer: &mut dyn ListReducer,
    probe: &mut dyn Probe,
) -> Result<ItemSet, Stop> {
    let mut unions = Unions { base, family, probe };
    let left = reducer.reduce(family.len(), &mut unions)?;
    Ok(unions.union(&left))
}

/// Answers "boring" by itself where the model does not allow a set.
struct Verified<'a> {
    model: &'a Model,
    probe: &'a mut dyn Probe,
}

impl Probe for Verified<'_> {
    fn test(&mut self, kept: &ItemSet) -> Result<bool, Stop> {
        if self.model.allows(kept) { self.probe.test(kept) } else { Ok(false) }
    }

    fn first(&mut self, candidates: &mut dyn Iterator<Item = ItemSet>) -> Result<Option<usize>, Stop> {
        let mut asked = Vec::new();
        let valid = candidates.enumerate().filter(|(_, kept)| self.model.allows(kept));
        let found = self.probe.first(&mut valid.map(|(index, kept)| {
            asked.push(index);
            kept
        }))?;
        Ok(found.map(|index| asked[index]))
    }

    fn lessons(&mut self) -> Vec<Clause> {
        self.probe.lessons()
    }
}

/// Turns positions of a family into the union of its members.
struct Unions<'a> {
    base: &'a ItemSet,
    family: &'a [ItemSet],
    probe: &'a mut dyn Probe,
}

fn union_of(base: &ItemSet, family: &[ItemSet], members: &ItemSet) -> ItemSet {
    members.iter().fold(base.clone(), |mut set, member| {
        set.extend_by(&family[member.index()]);
        set
    })
}

impl Unions<'_> {
    fn union(&self, members: &ItemSet) -> ItemSet {
        union_of(self.base, self.family, members)
    }
}

impl Probe for Unions<'_> {
    fn test(&mut self, kept: &ItemSet) -> Result<bool, Stop> {
        self.probe.test(&union_of(self.base, self.family, kept))
    }

    fn first(&mut self, candidates: &mut dyn Iterator<Item = ItemSet>) -> Result<Option<usize>, Stop> {
        self.probe.first(&mut candidates.map(|kept| union_of(self.base, self.family, &kept)))
    }

    fn all(&mut self, candidates: &[ItemSet]) -> Result<Vec<bool>, Stop> {
        let unions: Vec<ItemSet> =
            candidates.iter().map(|kept| union_of(self.base, self.family, kept)).collect();
        self.probe.all(&unions)
    }
}
