//! Level by level: the blocks of a level are swept until none can go, then each is halved.

use dwindle_core::{Stop, Subset};

use crate::chunks::Chunks;
use crate::oracle::{ListMinimizer, ListOracle};
use crate::rounds::{Refine, Rounds, Visits};
use crate::visit::{Direction, LoopOrder, Visit};

/// ddmin over complements whose blocks keep their borders for good: a finer level halves each block by itself instead of
/// cutting the list anew. 1-minimal, and asks for the empty list if one element is left.
#[derive(Clone, Debug)]
pub struct Levels {
    /// The end at which a sweep begins.
    pub direction: Direction,
}

/// Halves each block by the number of its elements.
struct ByCount;

impl Refine for ByCount {
    fn refine(&self, _list: &Subset, chunks: &Chunks) -> (Chunks, Vec<bool>) {
        chunks.halved(|chunk| chunk.start + chunk.len() / 2)
    }
}

/// The loop of ddmin over complements only.
pub(crate) fn complements<'a>(direction: Direction, refine: &'a dyn Refine) -> Rounds<'a> {
    let complements = match direction {
        Direction::Forward => Visit::Forward,
        Direction::Backward => Visit::Backward,
    };
    let visits = Visits { subsets: Visit::Skip, complements, order: LoopOrder::ComplementsFirst, seed: 0 };
    Rounds { visits, refine, chained: true }
}

impl ListMinimizer for Levels {
    fn minimize_from(
        &self,
        start: Subset,
        _weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        let kept = complements(self.direction, &ByCount).run(start, oracle)?;
        if kept.len() == 1 && oracle.test(&Subset::empty())?.is_interesting() {
            return Ok(Subset::empty());
        }
        Ok(kept)
    }
}
