//! Single elements, around and around, until each one has been boring against the list that is left.

use dwindle_core::{Stop, Subset};

use crate::oracle::{ListMinimizer, ListOracle, Pulled, first_tagged};
use crate::visit::Direction;

/// Deletes single elements until none can go: the proof of 1-minimality, the last element included.
///
/// The adaptive form doubles its step while deletions succeed and falls back to 1 when one does not, so a stretch
/// that can go costs the logarithm of its length. Behind another minimiser nearly all its questions are answered by
/// the cache.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The end at which it begins.
    pub direction: Direction,
    /// Whether several neighbours are tried together after a success.
    pub adaptive: bool,
}

/// Where a sweep is.
#[derive(Clone, Copy)]
struct Cursor {
    /// How many positions of the list lie behind it, as seen in its direction.
    done: usize,
    /// How many elements are tried together.
    step: usize,
    /// How many single elements in a row were boring.
    settled: usize,
}

impl Sweep {
    fn positions(&self, cursor: Cursor, len: usize) -> std::ops::Range<usize> {
        let step = cursor.step.min(len - cursor.done);
        match self.direction {
            Direction::Forward => cursor.done..cursor.done + step,
            Direction::Backward => len - cursor.done - step..len - cursor.done,
        }
    }
}

impl ListMinimizer for Sweep {
    fn minimize_from(
        &self,
        start: Subset,
        _weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        let mut list = start;
        let mut cursor = Cursor { done: 0, step: 1, settled: 0 };
        loop {
            let len = list.len();
            let won = first_tagged(oracle, || {
                if cursor.settled == len {
                    return None;
                }
                if cursor.done >= len {
                    cursor.done = 0;
                }
                let asked = cursor;
                let positions = self.positions(asked, len);
                // As if it were boring: a single element is settled, several are tried one by one.
                if positions.len() == 1 {
                    cursor.done += 1;
                    cursor.settled += 1;
                }
                cursor.step = 1;
                Some((asked, list.without(positions)))
            })?;
            let Some(asked) = won.map(Pulled::winner) else {
                return Ok(list);
            };
            list = list.without(self.positions(asked, len));
            let step = if self.adaptive { asked.step * 2 } else { 1 };
            cursor = Cursor { done: asked.done, step, settled: 0 };
        }
    }
}
