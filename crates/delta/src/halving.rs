//! Halving: a block that cannot go is cut in two, each half is tried once.

use std::ops::Range;

use dwindle_core::{Stop, Subset};

use crate::oracle::{ListMinimizer, ListOracle, Pulled, first_tagged};
use crate::visit::Direction;

/// Which half of a block is tried next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// The halves of the block that was just boring: first the one at the end the search began at.
    DepthFirst,
    /// All blocks of one size before their halves.
    BreadthFirst,
}

/// Deletes blocks on the way through the tree of halves, each block at most once. Few queries, no guarantee of
/// 1-minimality where one deletion enables an earlier one; may empty the list.
#[derive(Clone, Debug)]
pub struct Halving {
    /// The order of the blocks.
    pub search: Search,
    /// The end at which the search begins.
    pub direction: Direction,
}

/// Positions of the list that the run began with.
type Block = Range<usize>;

impl Halving {
    /// The halves of a block, the one to be tried first in front.
    fn halves(&self, block: &Block) -> Vec<Block> {
        if block.len() < 2 {
            return Vec::new();
        }
        let middle = block.start + block.len() / 2;
        let (left, right) = (block.start..middle, middle..block.end);
        match self.direction {
            Direction::Forward => vec![left, right],
            Direction::Backward => vec![right, left],
        }
    }

    fn roots(&self, len: usize) -> Vec<Block> {
        if len == 1 { vec![Block { start: 0, end: 1 }] } else { self.halves(&(0..len)) }
    }

    fn depth_first(&self, start: &Subset, oracle: &mut dyn ListOracle) -> Result<Subset, Stop> {
        let mut list = start.clone();
        let mut stack = self.roots(start.len());
        stack.reverse();
        loop {
            let won = first_tagged(oracle, || {
                let block = stack.pop()?;
                // At most one block for each level is waiting, so a copy of the stack is a few dozen numbers.
                let rest = stack.clone();
                stack.extend(self.halves(&block).into_iter().rev());
                let kept = list.difference(&start.slice(block.clone()));
                Some(((rest, block), kept))
            })?;
            let Some((rest, block)) = won.map(Pulled::winner) else {
                return Ok(list);
            };
            stack = rest;
            list = list.difference(&start.slice(block));
        }
    }

    fn breadth_first(&self, start: &Subset, oracle: &mut dyn ListOracle) -> Result<Subset, Stop> {
        let mut list = start.clone();
        // Only ever grows while nothing is found: a success cuts off what was put behind since.
        let mut queue = self.roots(start.len());
        let mut head = 0;
        loop {
            let won = first_tagged(oracle, || {
                let block = queue.get(head)?.clone();
                head += 1;
                let tag = (head, queue.len());
                queue.extend(self.halves(&block));
                Some((tag, list.difference(&start.slice(block))))
            })?;
            let Some((next, before)) = won.map(Pulled::winner) else {
                return Ok(list);
            };
            list = list.difference(&start.slice(queue[next - 1].clone()));
            queue.truncate(before);
            head = next;
        }
    }
}

impl ListMinimizer for Halving {
    fn minimize_from(
        &self,
        start: Subset,
        _weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        if start.is_empty() {
            return Ok(start);
        }
        match self.search {
            Search::DepthFirst => self.depth_first(&start, oracle),
            Search::BreadthFirst => self.breadth_first(&start, oracle),
        }
    }
}
