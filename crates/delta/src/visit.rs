//! In which order the chunks of a round are visited.

use crate::rng::{mix, shuffled};

/// The order in which one kind of candidate (the chunks, or their complements) is visited in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Visit {
    /// From the first chunk to the last.
    Forward,
    /// From the last chunk to the first.
    #[default]
    Backward,
    /// In an order drawn anew for each round from the seed.
    Random,
    /// Not at all.
    Skip,
}

/// From which end a sweep begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the first element to the last.
    Forward,
    /// From the last element to the first: in programs uses come behind definitions, so they go first.
    Backward,
}

/// Which kind of candidate comes first in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LoopOrder {
    /// Single chunks, then complements.
    #[default]
    SubsetsFirst,
    /// Complements, then single chunks.
    ComplementsFirst,
}

/// The numbers `0..n` in the order of a [`Visit`].
pub(crate) enum Sequence {
    Forward(usize),
    Backward(usize),
    Drawn(Vec<u32>),
}

impl Sequence {
    /// The visiting order of `n` chunks; `seed` and `round` matter to random visits only.
    pub(crate) fn new(visit: Visit, n: usize, seed: u64, round: u64) -> Self {
        match visit {
            Visit::Forward => Sequence::Forward(n),
            Visit::Backward => Sequence::Backward(n),
            Visit::Random => Sequence::Drawn(shuffled(n, mix(seed ^ mix(round)))),
            Visit::Skip => Sequence::Forward(0),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Sequence::Forward(n) | Sequence::Backward(n) => *n,
            Sequence::Drawn(order) => order.len(),
        }
    }

    /// The `k`-th chunk visited.
    pub(crate) fn at(&self, k: usize) -> usize {
        match self {
            Sequence::Forward(_) => k,
            Sequence::Backward(n) => n - 1 - k,
            Sequence::Drawn(order) => order[k] as usize,
        }
    }
}
