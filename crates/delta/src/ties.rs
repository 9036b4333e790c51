//! Who goes first among elements that are needed with the same probability.

use crate::rng::mix;

/// Who goes first among elements of the same probability.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Ties {
    /// The first in the list.
    #[default]
    Index,
    /// An order drawn from the seed, anew for each element whenever its probability changes.
    Random(u64),
    /// Told: for elements that were boring r times, the r-th order (elements not named come last, by index).
    Scripted(Vec<Vec<usize>>),
}

impl Ties {
    /// An element's place among those of the same probability, lower being first.
    pub(crate) fn rank(&self, element: u32, failures: u32) -> u32 {
        match self {
            Ties::Index => 0,
            Ties::Random(seed) => mix(seed ^ mix(u64::from(element) << 32 | u64::from(failures))) as u32,
            Ties::Scripted(orders) => orders
                .get(failures as usize)
                .and_then(|order| order.iter().position(|&named| named == element as usize))
                .map_or(u32::MAX, |at| at as u32),
        }
    }
}
