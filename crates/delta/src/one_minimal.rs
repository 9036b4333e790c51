//! Any minimiser, closed by a sweep that proves its result 1-minimal.

use dwindle_core::{Stop, Subset};

use crate::oracle::{ListMinimizer, ListOracle};
use crate::sweep::Sweep;
use crate::visit::Direction;

/// Runs a minimiser, then an adaptive [`Sweep`] from the back.
#[derive(Clone, Debug)]
pub struct OneMinimal<M>(pub M);

/// The sweep that closes a minimiser.
pub(crate) const CLOSING: Sweep = Sweep { direction: Direction::Backward, adaptive: true };

impl<M: ListMinimizer> ListMinimizer for OneMinimal<M> {
    fn minimize_from(
        &self,
        start: Subset,
        weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        let kept = self.0.minimize_from(start, weights, oracle)?;
        CLOSING.minimize_from(kept, weights, oracle)
    }
}
