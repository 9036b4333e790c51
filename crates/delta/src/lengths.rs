//! Sweeps of falling block lengths, each swept once.

use dwindle_core::{Stop, Subset};

use crate::oracle::{ListOracle, Pulled, first_tagged};
use crate::visit::Direction;

/// Sweeps the list once for each of `lengths`, deleting every block of that many neighbours that can go. A block that
/// went is not gone back behind: its successor is the next stretch of the list that is left.
pub(crate) fn sweep_lengths(
    start: Subset,
    lengths: &[usize],
    direction: Direction,
    oracle: &mut dyn ListOracle,
) -> Result<Subset, Stop> {
    let mut list = start;
    let (mut turn, mut done) = (0, 0);
    loop {
        let len = list.len();
        let positions = |turn: usize, done: usize| {
            let width = lengths[turn].clamp(1, len - done);
            match direction {
                Direction::Forward => done..done + width,
                Direction::Backward => len - done - width..len - done,
            }
        };
        let won = first_tagged(oracle, || {
            if done >= len {
                (turn, done) = (turn + 1, 0);
            }
            if turn >= lengths.len() || len == 0 {
                return None;
            }
            let asked = (turn, done);
            let block = positions(turn, done);
            done += block.len();
            Some((asked, list.without(block)))
        })?;
        let Some(asked) = won.map(Pulled::winner) else {
            return Ok(list);
        };
        (turn, done) = asked;
        list = list.without(positions(turn, done));
    }
}
