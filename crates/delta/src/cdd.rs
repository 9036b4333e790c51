//! CDD: the block lengths of a probabilistic minimiser, by counting instead of probabilities.

use dwindle_core::{Stop, Subset};

use crate::lengths::sweep_lengths;
use crate::oracle::{ListMinimizer, ListOracle};
use crate::visit::Direction;

/// Each element counts how often a deletion that held it was boring. An element that was boring r times is needed with
/// probability p₀ / (1 − 1/e)ʳ, so blocks of ⌊that⁻¹⌋ elements with the lowest counts promise most; with the default
/// p₀ = 0.1 their lengths are 10, 6, 3, 2, 1.
///
/// Blocks hold elements of one count only. As all elements pass from one count to the next in list order, this is a
/// fixed series of sweeps, known ahead. Every element that stays was boring alone once, but against a larger list: close
/// with a sweep for 1-minimality. May empty the list.
#[derive(Clone, Debug)]
pub struct Cdd {
    /// p₀, the share of elements expected to stay.
    pub sigma: f64,
    /// The end at which each sweep begins.
    pub direction: Direction,
}

/// Keeps 1/p from falling below a whole number by rounding.
const TOLERANCE: f64 = 1e-9;

/// The block lengths for a share `sigma` of needed elements, falling to 1.
pub(crate) fn lengths(sigma: f64) -> Vec<usize> {
    let growth = 1.0 - (-1.0_f64).exp();
    let mut lengths = Vec::new();
    let mut p = sigma;
    loop {
        let length = (1.0 / p + TOLERANCE) as usize;
        lengths.push(length.max(1));
        if length <= 1 {
            return lengths;
        }
        p /= growth;
    }
}

impl ListMinimizer for Cdd {
    fn minimize_from(
        &self,
        start: Subset,
        _weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        sweep_lengths(start, &lengths(self.sigma), self.direction, oracle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_lengths_fall_to_one() {
        assert_eq!(lengths(0.1), [10, 6, 3, 2, 1]);
        assert_eq!(lengths(0.25), [4, 2, 1]);
        assert_eq!(lengths(0.9), [1]);
    }
}
