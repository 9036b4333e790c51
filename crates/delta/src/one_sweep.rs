//! One sweep for each granularity, then single elements to the end.

use dwindle_core::{Stop, Subset};

use crate::lengths::sweep_lengths;
use crate::oracle::{ListMinimizer, ListOracle};
use crate::sweep::Sweep;
use crate::visit::Direction;

/// Blocks of half the list's length, a quarter … two, each length swept once without going back; then a sweep of single
/// elements until none can go. 1-minimal with far fewer repetitions than ddmin; may empty the list.
#[derive(Clone, Debug)]
pub struct OneSweep {
    /// The end at which each sweep begins.
    pub direction: Direction,
}

impl ListMinimizer for OneSweep {
    fn minimize_from(
        &self,
        start: Subset,
        weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        let halves = std::iter::successors(Some(start.len().div_ceil(2)), |length| Some(length.div_ceil(2)));
        let lengths: Vec<usize> = halves.take_while(|&length| length > 1).collect();
        let kept = sweep_lengths(start, &lengths, self.direction, oracle)?;
        Sweep { direction: self.direction, adaptive: true }.minimize_from(kept, weights, oracle)
    }
}
