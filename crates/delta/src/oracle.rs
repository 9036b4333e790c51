//! What a list minimiser asks, and whom.

use dwindle_core::{Stop, Subset, Verdict};

/// Answers whether a part of a list is still interesting.
///
/// The elements are numbered; a [`Subset`] says which are kept. Implemented by [`SessionList`](crate::SessionList)
/// for real reductions and by [`PredicateList`](crate::PredicateList) for predicates in the same process.
pub trait ListOracle {
    /// The verdict on one part. An interesting part becomes the new best.
    fn test(&mut self, kept: &Subset) -> Result<Verdict, Stop>;

    /// The index of the first interesting part, in the order given. That part becomes the new best.
    ///
    /// `parts` is lazy and must be written as if every earlier part had been boring: more of it may be pulled
    /// than turns out to be needed.
    fn first(&mut self, parts: &mut dyn Iterator<Item = Subset>) -> Result<Option<usize>, Stop>;

    /// The verdicts on a window of parts, every one of which is wanted. Interesting ones are not taken as the
    /// new best until [`ListOracle::accept`] names one.
    fn all(&mut self, parts: &[Subset]) -> Result<Vec<Verdict>, Stop>;

    /// Takes a part that [`ListOracle::all`] found interesting.
    fn accept(&mut self, kept: &Subset) -> Result<(), Stop>;

    /// The index of the first interesting part of a search that learns from every verdict. That part becomes the new
    /// best. Without more of its own, an oracle asks for one part at a time.
    fn search(&mut self, search: &mut dyn ListSearch) -> Result<Option<usize>, Stop> {
        for asked in 0.. {
            let Some(kept) = search.next() else { break };
            let verdict = self.test(&kept)?;
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

    /// What tells an element from others, also in later lists that hold it at another place; nothing if nobody knows.
    fn identity(&self, _element: usize) -> Option<u64> {
        None
    }
}

/// Parts of a list of which each depends on what was said of the earlier ones; see [`dwindle_core::Search`].
pub trait ListSearch {
    /// The next part, as if the earlier ones had got the verdicts that were foreseen for them.
    fn next(&mut self) -> Option<Subset>;

    /// The verdict on the first part that has none yet. True if it is the one that was foreseen, so that all that was
    /// given since holds; else everything given since is forgotten.
    fn learn(&mut self, verdict: Verdict) -> bool;
}

/// Makes a list smaller while it stays interesting.
pub trait ListMinimizer {
    /// What is left of the part `start` of a list whose elements weigh `weights` (bytes, tokens: only their ratio
    /// counts; one for each element of the whole list).
    ///
    /// `start` is known to be interesting and is not tested again.
    fn minimize_from(
        &self,
        start: Subset,
        weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop>;

    /// What is left of a whole list, which is known to be interesting.
    fn minimize(&self, weights: &[u64], oracle: &mut dyn ListOracle) -> Result<Subset, Stop> {
        self.minimize_from(Subset::full(weights.len()), weights, oracle)
    }
}

impl<M: ListMinimizer + ?Sized> ListMinimizer for Box<M> {
    fn minimize_from(
        &self,
        start: Subset,
        weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        (**self).minimize_from(start, weights, oracle)
    }
}

/// The part that won, and what each pulled part stood for.
pub(crate) struct Pulled<T> {
    /// Index of the first interesting part.
    pub(crate) won: usize,
    /// The tags of all parts that were pulled, those behind `won` too.
    pub(crate) tags: Vec<T>,
}

impl<T> Pulled<T> {
    /// What the winning part stood for.
    pub(crate) fn winner(mut self) -> T {
        self.tags.swap_remove(self.won)
    }
}

/// [`ListOracle::first`] over parts that carry a tag, so that the caller can find its way back to the winner.
pub(crate) fn first_tagged<T>(
    oracle: &mut dyn ListOracle,
    mut next: impl FnMut() -> Option<(T, Subset)>,
) -> Result<Option<Pulled<T>>, Stop> {
    let mut tags = Vec::new();
    let won = oracle.first(&mut std::iter::from_fn(|| {
        let (tag, kept) = next()?;
        tags.push(tag);
        Some(kept)
    }))?;
    Ok(won.map(|won| Pulled { won, tags }))
}
