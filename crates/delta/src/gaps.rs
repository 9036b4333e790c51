//! Group testing along the list: jump over what can go, bisect to what is needed.

use std::ops::Range;

use dwindle_core::{Stop, Subset};

use crate::one_minimal::CLOSING;
use crate::oracle::{ListMinimizer, ListOracle, Pulled, first_tagged};
use crate::visit::Direction;

/// Walks the list once. Deletes a stretch about as long as the last gaps between needed elements were; a stretch that
/// can go is followed by one twice as long, one that cannot is bisected down to the element that holds it back. Right
/// behind such an element a single one is tried first, for needed elements come in groups. Closes with a sweep.
///
/// Where elements are independent this comes near the fewest questions that any search needs: m needed of n elements
/// cost about m · log₂(n / m), as in Hwang's generalised binary splitting. Where elements can only go together it tries
/// fewer groups than ddmin. 1-minimal, may empty the list.
#[derive(Clone, Debug)]
pub struct Gaps {
    /// The end at which the walk begins.
    pub direction: Direction,
}

/// Where the walk is. Small enough to be copied for every question.
#[derive(Clone, Copy)]
struct Walk {
    /// How many needed elements lie behind it.
    kept: usize,
    /// How many elements are tried next, if nothing is known of them.
    stride: usize,
    /// So many elements in front of it are known not to go together; 0 if nothing is known.
    boring: usize,
    /// How many went since the last needed one.
    gone: usize,
    /// What the gaps between needed elements were lately, those of 0 aside.
    gap: usize,
}

impl Walk {
    /// How many elements to try next; `None` at the end. Passes over elements that are known to be needed.
    fn next(&mut self, len: usize) -> Option<usize> {
        while self.boring == 1 {
            self.keep();
        }
        let left = len - self.kept;
        match self.boring {
            0 => (left > 0).then(|| self.stride.min(left)),
            // The answer for the second half follows from that for the first.
            boring => Some(boring / 2),
        }
    }

    /// The element in front is needed: no stretch without it could go.
    fn keep(&mut self) {
        if self.gone > 0 {
            self.gap = if self.gap == 0 { self.gone } else { self.gap.midpoint(self.gone) };
        }
        *self = Walk { kept: self.kept + 1, stride: 1, boring: 0, gone: 0, gap: self.gap };
    }

    /// So many elements went.
    fn went(&mut self, width: usize) {
        self.gone += width;
        if self.boring > 0 {
            // The rest of a stretch that could not go is, as a whole, the same question again.
            self.boring -= width;
        } else if width == 1 {
            // As likely as not there is a needed element within this many.
            self.stride = (self.gap * 7 / 10).max(2);
        } else {
            self.stride = 2 * width;
        }
    }
}

impl Gaps {
    fn positions(&self, kept: usize, width: usize, len: usize) -> Range<usize> {
        match self.direction {
            Direction::Forward => kept..kept + width,
            Direction::Backward => len - kept - width..len - kept,
        }
    }
}

impl ListMinimizer for Gaps {
    fn minimize_from(
        &self,
        start: Subset,
        weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        let mut list = start;
        let mut walk = Walk { kept: 0, stride: list.len().div_ceil(2), boring: 0, gone: 0, gap: 0 };
        loop {
            let len = list.len();
            let won = first_tagged(oracle, || {
                let width = walk.next(len)?;
                let asked = walk;
                walk.boring = width;
                Some(((asked, width), list.without(self.positions(asked.kept, width, len))))
            })?;
            let Some((asked, width)) = won.map(Pulled::winner) else {
                break;
            };
            list = list.without(self.positions(asked.kept, width, len));
            walk = asked;
            walk.went(width);
        }
        CLOSING.minimize_from(list, weights, oracle)
    }
}
