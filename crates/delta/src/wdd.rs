//! WDD: ddmin that cuts a block at half its weight.

use std::ops::Range;

use dwindle_core::{Stop, Subset};

use crate::chunks::Chunks;
use crate::levels::complements;
use crate::one_minimal::CLOSING;
use crate::oracle::{ListMinimizer, ListOracle};
use crate::rounds::Refine;
use crate::visit::Direction;

/// ddmin over complements in which a finer level cuts each block at half its weight, not half its count, so that heavy
/// elements are soon alone and light ones stay together; closes with a sweep. 1-minimal, may empty the list.
#[derive(Clone, Debug)]
pub struct Wdd {
    /// The end at which a round begins.
    pub direction: Direction,
}

/// Cuts each block at half its weight.
struct ByWeight<'a> {
    weights: &'a [u64],
}

impl Refine for ByWeight<'_> {
    fn refine(&self, list: &Subset, chunks: &Chunks) -> (Chunks, Vec<bool>) {
        // Weight in front of each position of the list, once a level.
        let mut sums = Vec::with_capacity(list.len() + 1);
        sums.push(0);
        let mut sum = 0;
        for element in list.iter() {
            sum += u128::from(self.weights[element]);
            sums.push(sum);
        }
        chunks.halved(|chunk| middle(&sums, chunk))
    }
}

/// The border inside `chunk` that comes nearest to half of its weight; the earlier of two that are as near.
fn middle(sums: &[u128], chunk: Range<usize>) -> usize {
    let (before, after) = (sums[chunk.start], sums[chunk.end]);
    let above = chunk.start + sums[chunk.clone()].partition_point(|&sum| 2 * sum < before + after);
    let off = |at: usize| (2 * sums[at]).abs_diff(before + after);
    if above > chunk.start + 1 && off(above - 1) <= off(above) { above - 1 } else { above }
}

impl ListMinimizer for Wdd {
    fn minimize_from(
        &self,
        start: Subset,
        weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        let kept = complements(self.direction, &ByWeight { weights }).run(start, oracle)?;
        CLOSING.minimize_from(kept, weights, oracle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_cut_at_half_their_weight() {
        let table: &[(&[u64], usize)] = &[
            (&[1, 1, 1, 1], 2),
            (&[100, 1, 1, 1], 1),
            (&[1, 1, 1, 100], 3),
            (&[5, 1, 1, 5], 2),
            (&[1, 2, 3], 2),
            (&[0, 0, 0], 1),
            (&[3, 1], 1),
        ];
        for (weights, expected) in table {
            let chunks = Chunks::whole(weights.len());
            let (halved, _) = ByWeight { weights }.refine(&Subset::full(weights.len()), &chunks);
            assert_eq!(halved.range(0).end, *expected, "{weights:?}");
        }
    }
}
