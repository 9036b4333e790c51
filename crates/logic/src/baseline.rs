//! Plain list reducers, for comparison, and the seam for better ones.

use crate::item::ItemId;
use crate::model::Model;
use crate::probe::{Probe, Stop};
use crate::set::ItemSet;

/// Asks whether some positions of a list, ascending, are enough.
pub type ListTest<'t> = dyn FnMut(&[usize]) -> Result<bool, Stop> + 't;

/// Something that finds few positions of a list that are enough. All of them are taken to be.
pub trait ListReducer {
    /// Reduces the list `0..len`.
    ///
    /// # Errors
    /// If the test says stop.
    fn reduce(&mut self, len: usize, test: &mut ListTest<'_>) -> Result<Vec<usize>, Stop>;
}

/// Delta debugging with chunks of equal size, rounded up; asks again what it asked before, as the published one does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ddmin;

impl ListReducer for Ddmin {
    fn reduce(&mut self, len: usize, test: &mut ListTest<'_>) -> Result<Vec<usize>, Stop> {
        let mut list: Vec<usize> = (0..len).collect();
        let mut parts = 2;
        'rounds: loop {
            let size = list.len().div_ceil(parts).max(1);
            if list.len() <= size {
                return Ok(list);
            }
            for chunk in list.chunks(size) {
                if test(chunk)? {
                    (list, parts) = (chunk.to_vec(), 2);
                    continue 'rounds;
                }
            }
            // With two parts the complements are the parts.
            if parts > 2 {
                for start in (0..list.len()).step_by(size) {
                    let end = (start + size).min(list.len());
                    let rest = [&list[..start], &list[end..]].concat();
                    if test(&rest)? {
                        (list, parts) = (rest, (parts - 1).max(2));
                        continue 'rounds;
                    }
                }
            }
            if parts >= list.len() {
                return Ok(list);
            }
            parts = (2 * parts).min(list.len());
        }
    }
}

/// Leaves out one position after the other, the last one first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Linear;

impl ListReducer for Linear {
    fn reduce(&mut self, len: usize, test: &mut ListTest<'_>) -> Result<Vec<usize>, Stop> {
        let mut list: Vec<usize> = (0..len).collect();
        for position in (0..len).rev() {
            let rest: Vec<usize> = list.iter().copied().filter(|other| *other != position).collect();
            if test(&rest)? {
                list = rest;
            }
        }
        Ok(list)
    }
}

fn items_at(universe: usize, positions: &[usize]) -> ItemSet {
    ItemSet::of(universe, positions.iter().copied().map(ItemId::new))
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
    let left = reducer.reduce(items, &mut |positions| probe.test(&items_at(items, positions)))?;
    Ok(items_at(items, &left))
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
    let mut verified = |kept: &ItemSet| {
        if model.allows(kept) {
            probe.test(kept)
        } else {
            Ok(false)
        }
    };
    let items = model.items().len();
    let left = reducer.reduce(items, &mut |positions| verified(&items_at(items, positions)))?;
    Ok(items_at(items, &left))
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
    let union = |positions: &[usize]| {
        positions.iter().fold(base.clone(), |mut set, position| {
            set.extend_by(&family[*position]);
            set
        })
    };
    let left = reducer.reduce(family.len(), &mut |positions| probe.test(&union(positions)))?;
    Ok(union(&left))
}
