//! ddmin as it is really executed, with every documented parameter.

use dwindle_core::{Stop, Subset};

use crate::chunks::{Chunks, Split, SplitFactor};
use crate::oracle::{ListMinimizer, ListOracle};
use crate::rounds::{Refine, Rounds, Visits};
use crate::visit::{LoopOrder, Visit};

/// Zeller and Hildebrandt's ddmin: chunks, complements, finer chunks.
///
/// The list is cut into chunks. A round tries single chunks, complements of a chunk, or both; a chunk that is
/// interesting alone becomes the list, a complement that is interesting becomes the list with its other borders
/// kept, and the next round begins beside the chunk that went. A round without success refines the chunks. Ends
/// after such a round over single elements, so the result is 1-minimal; the last element is never tried.
///
/// The defaults are those of Vince's dissertation: complements only, backward, Zeller's split, factor 2.
#[derive(Clone, Debug)]
pub struct Ddmin {
    /// How the list is cut.
    pub split: Split,
    /// How many times finer the next cut is.
    pub split_factor: SplitFactor,
    /// The order of the single chunks.
    pub subsets: Visit,
    /// The order of the complements. Without them the result need not be 1-minimal.
    pub complements: Visit,
    /// Which of the two comes first.
    pub order: LoopOrder,
    /// Decides random visits.
    pub seed: u64,
    /// Whether the oracle may look past the end of a round. Changes nothing but how well many workers are used;
    /// off only to count what the published parallel form starts.
    pub chained: bool,
}

impl Default for Ddmin {
    fn default() -> Self {
        Ddmin {
            split: Split::Zeller,
            split_factor: SplitFactor::Times(2),
            subsets: Visit::Skip,
            complements: Visit::Backward,
            order: LoopOrder::SubsetsFirst,
            seed: 0,
            chained: true,
        }
    }
}

impl Ddmin {
    pub(crate) fn rounds(&self) -> Rounds<'_> {
        let visits = Visits {
            subsets: self.subsets,
            complements: self.complements,
            order: self.order,
            seed: self.seed,
        };
        Rounds { visits, refine: self, chained: self.chained }
    }
}

impl Refine for Ddmin {
    fn refine(&self, list: &Subset, chunks: &Chunks) -> (Chunks, Vec<bool>) {
        let n = self.split_factor.next(chunks.len(), list.len());
        (Chunks::split(self.split, list.len(), n), Vec::new())
    }
}

impl ListMinimizer for Ddmin {
    fn minimize_from(
        &self,
        start: Subset,
        _weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        self.rounds().run(start, oracle)
    }
}
