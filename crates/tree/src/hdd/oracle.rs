//! Who is asked about variants of a reduction tree.

use dwindle_core::{Candidate, Stop, Subset, Verdict};
use dwindle_delta::{ListOracle, ListSearch};

use crate::asker::Asker;
use crate::printed::Part;
use crate::source::Source;

use super::cuts::Cut;

/// Answers whether variants of a tree, given by their cuts in the text, are still interesting.
pub trait TreeOracle {
    /// The verdict on one variant.
    ///
    /// # Errors
    /// When the run has been stopped.
    fn test(&mut self, variant: Vec<Cut<'_>>) -> Result<Verdict, Stop> {
        let won = self.first(&mut std::iter::once(variant))?;
        Ok(if won.is_some() { Verdict::Interesting } else { Verdict::BORING })
    }

    /// The index of the first interesting variant, in the order given. `variants` is lazy and written as if every
    /// earlier one had been boring.
    ///
    /// # Errors
    /// When the run has been stopped.
    fn first<'t>(&mut self, variants: &mut dyn Iterator<Item = Vec<Cut<'t>>>) -> Result<Option<usize>, Stop>;

    /// The verdicts on a window of variants. None of them is taken until [`TreeOracle::accept`] names it.
    ///
    /// # Errors
    /// When the run has been stopped.
    fn all(&mut self, variants: Vec<Vec<Cut<'_>>>) -> Result<Vec<Verdict>, Stop>;

    /// Takes a variant that was found interesting.
    ///
    /// # Errors
    /// When the run has been stopped.
    fn accept(&mut self, variant: Vec<Cut<'_>>) -> Result<(), Stop>;

    /// The index of the first interesting variant of a search that learns from every verdict; `variant` gives that in
    /// which just some nodes are kept. Without more of its own, an oracle asks for one at a time.
    ///
    /// # Errors
    /// When the run has been stopped.
    fn search<'t>(
        &mut self,
        search: &mut dyn ListSearch,
        variant: &dyn Fn(&Subset) -> Vec<Cut<'t>>,
    ) -> Result<Option<usize>, Stop> {
        for asked in 0.. {
            let Some(kept) = search.next() else { break };
            let verdict = self.test(variant(&kept))?;
            search.learn(verdict);
            if verdict.is_interesting() {
                return Ok(Some(asked));
            }
        }
        Ok(None)
    }

    /// How many checks its verdicts may speak of.
    fn checks(&self) -> usize {
        0
    }
}

/// The variant of a source that some cuts make.
pub(super) fn candidate(source: &Source, cuts: &[Cut<'_>]) -> Candidate {
    let len = source.tree().tokens().len() as u32;
    let starts = std::iter::once(0).chain(cuts.iter().map(|cut| cut.range.end));
    let ends = cuts.iter().map(|cut| cut.range.start).chain([len]);
    let read = starts.zip(ends).map(|(start, end)| Part::Read(start..end));
    let new = cuts.iter().map(|cut| Part::New(cut.by)).chain([Part::New(&[])]);
    let parts = read.zip(new).flat_map(|(read, new)| [read, new]);
    source.of_parts(parts.filter(|part| !matches!(part, Part::New([]))))
}

impl TreeOracle for Asker<'_, '_> {
    fn test(&mut self, variant: Vec<Cut<'_>>) -> Result<Verdict, Stop> {
        let candidate = candidate(self.source(), &variant);
        Asker::test(self, &candidate)
    }

    fn first<'t>(&mut self, variants: &mut dyn Iterator<Item = Vec<Cut<'t>>>) -> Result<Option<usize>, Stop> {
        let source = self.source();
        Asker::first(self, variants.map(|cuts| candidate(source, &cuts)))
    }

    fn all(&mut self, variants: Vec<Vec<Cut<'_>>>) -> Result<Vec<Verdict>, Stop> {
        let source = self.source();
        Asker::all(self, variants.iter().map(|cuts| candidate(source, cuts)).collect())
    }

    fn accept(&mut self, variant: Vec<Cut<'_>>) -> Result<(), Stop> {
        let candidate = candidate(self.source(), &variant);
        Asker::accept(self, &candidate)
    }

    fn search<'t>(
        &mut self,
        search: &mut dyn ListSearch,
        variant: &dyn Fn(&Subset) -> Vec<Cut<'t>>,
    ) -> Result<Option<usize>, Stop> {
        let source = self.source();
        self.list(|kept: &Subset| candidate(source, &variant(kept))).search(search)
    }

    fn checks(&self) -> usize {
        Asker::checks(self)
    }
}
