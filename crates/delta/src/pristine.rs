//! Zeller's ddmin as Perses runs it: parts, then one sweep of complements that goes on after a success.

use dwindle_core::{Stop, Subset};

use crate::chunks::{Chunks, Split};
use crate::oracle::{ListMinimizer, ListOracle, Pulled, first_tagged};

/// Tries n parts alone (one that is interesting becomes the list, n = 2 again), then deletes every part that can go in one
/// sweep, then doubles the number of parts that are left. 1-minimal; never tries the last element.
#[derive(Clone, Debug, Default)]
pub struct Pristine;

/// One granularity.
struct Grain {
    chunks: Chunks,
    /// The next candidate: a part alone while below the number of parts, complements from then on.
    next: usize,
    /// How many parts there were at first.
    parts: usize,
    /// Whether a part went.
    deleted: bool,
}

impl Grain {
    fn new(len: usize, parts: usize) -> Self {
        let parts = parts.clamp(2, len);
        Grain { chunks: Chunks::split(Split::Zeller, len, parts), next: 0, parts, deleted: false }
    }

    fn kept(&self, complement: bool, i: usize, list: &Subset) -> Subset {
        let part = self.chunks.range(i);
        if complement { list.without(part) } else { list.slice(part) }
    }

    /// The granularity that follows, unless single elements were swept in vain.
    fn finer(&self, len: usize) -> Option<Self> {
        let units = self.parts == len && !self.deleted;
        (!units).then(|| Grain::new(len, 2 * self.chunks.len()))
    }
}

impl ListMinimizer for Pristine {
    fn minimize_from(
        &self,
        start: Subset,
        _weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        let mut list = start;
        if list.len() < 2 {
            return Ok(list);
        }
        let mut grain = Grain::new(list.len(), 2);
        while list.len() > 1 {
            // All that may be asked until something is found; the winner is looked up in it.
            let mut grains = vec![grain];
            let len = list.len();
            let won = first_tagged(oracle, || {
                loop {
                    let level = grains.len() - 1;
                    let grain = grains.last_mut().expect("there is one");
                    let complement = grain.next >= grain.parts;
                    // Parts that went have moved the others up, so complements are counted from the last part.
                    let i = if complement { grain.next - grain.parts } else { grain.next };
                    if i < grain.chunks.len() && grain.chunks.len() > 1 {
                        grain.next += 1;
                        return Some(((level, complement, i), grain.kept(complement, i, &list)));
                    }
                    let next = grain.finer(len)?;
                    grains.push(next);
                }
            })?;
            let Some((level, complement, i)) = won.map(Pulled::winner) else {
                break;
            };
            grain = grains.swap_remove(level);
            list = grain.kept(complement, i, &list);
            if complement {
                grain.chunks.remove(i);
                grain.next = grain.parts + i;
                grain.deleted = true;
            } else if list.len() > 1 {
                grain = Grain::new(list.len(), 2);
            }
        }
        Ok(list)
    }
}
