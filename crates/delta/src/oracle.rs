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
