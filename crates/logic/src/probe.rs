//! The seam to the test: strategies ask whether a set of items still shows what the user is after.

use dwindle_core::Stop;

use crate::clause::Clause;
use crate::item::Items;
use crate::set::ItemSet;

/// Answers whether sets of items are interesting. The full set is taken to be.
pub trait Probe {
    /// Whether keeping exactly these items is interesting.
    ///
    /// # Errors
    /// If the reduction is to stop.
    fn test(&mut self, kept: &ItemSet) -> Result<bool, Stop>;

    /// The first interesting set in the order given. The sets may be tested several at once.
    ///
    /// # Errors
    /// If the reduction is to stop.
    fn first(&mut self, candidates: &mut dyn Iterator<Item = ItemSet>) -> Result<Option<usize>, Stop> {
        for (index, kept) in candidates.enumerate() {
            if self.test(&kept)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// The verdict on every one of these sets.
    ///
    /// # Errors
    /// If the reduction is to stop.
    fn all(&mut self, candidates: &[ItemSet]) -> Result<Vec<bool>, Stop> {
        candidates.iter().map(|kept| self.test(kept)).collect()
    }

    /// What the sets tested since the last call have taught about validity, if they failed for being invalid: clauses
    /// over items ("`a` needs one of `b`, `c`") that the model lacks.
    fn lessons(&mut self) -> Vec<Clause> {
        Vec::new()
    }
}

/// A test that is a function.
impl<F: FnMut(&ItemSet) -> bool> Probe for F {
    fn test(&mut self, kept: &ItemSet) -> Result<bool, Stop> {
        Ok(self(kept))
    }
}

/// Notes what is asked of another probe and remembers the lightest interesting set, which survives a stop.
#[derive(Debug)]
pub struct Tracker<'p, P: ?Sized> {
    inner: &'p mut P,
    weights: Vec<u64>,
    best: Option<(u64, ItemSet)>,
    calls: Vec<(ItemSet, bool)>,
    limit: usize,
}

impl<'p, P: Probe + ?Sized> Tracker<'p, P> {
    /// Watches a probe; items weigh what they say.
    pub fn new(inner: &'p mut P, items: &Items) -> Self {
        let weights = items.iter().map(|(_, item)| item.weight).collect();
        Tracker { inner, weights, best: None, calls: Vec::new(), limit: usize::MAX }
    }

    /// Stops after this many calls.
    #[must_use]
    pub fn at_most(mut self, calls: usize) -> Self {
        self.limit = calls;
        self
    }

    /// Every set that was tested, with its verdict, in order.
    #[must_use]
    pub fn calls(&self) -> &[(ItemSet, bool)] {
        &self.calls
    }

    /// The lightest set that was found interesting.
    #[must_use]
    pub fn best(&self) -> Option<&ItemSet> {
        self.best.as_ref().map(|(_, set)| set)
    }
}

impl<P: Probe + ?Sized> Probe for Tracker<'_, P> {
    fn test(&mut self, kept: &ItemSet) -> Result<bool, Stop> {
        if self.calls.len() >= self.limit {
            return Err(Stop::OutOfQueries);
        }
        let interesting = self.inner.test(kept)?;
        self.calls.push((kept.clone(), interesting));
        if interesting {
            let weight = kept.iter().map(|item| self.weights[item.index()]).sum();
            if self.best.as_ref().is_none_or(|(least, _)| weight < *least) {
                self.best = Some((weight, kept.clone()));
            }
        }
        Ok(interesting)
    }

    fn lessons(&mut self) -> Vec<Clause> {
        self.inner.lessons()
    }
}
