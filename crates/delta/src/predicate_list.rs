//! A list judged by a predicate in the same process: for tests, measurements and embedding.

use std::collections::HashMap;

use dwindle_core::{Stop, Subset, Verdict};

use crate::oracle::ListOracle;

/// One question that was put to a [`PredicateList`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The part in question.
    pub kept: Subset,
    /// The answer.
    pub interesting: bool,
    /// Whether the cache gave it.
    pub hit: bool,
}

/// A [`ListOracle`] over a closure, with a cache of configurations and counters.
///
/// `first` runs batches of `ahead` parts that are not in the cache and takes the first interesting one of a
/// batch: what a session with as many workers does at worst. With `ahead` 1 that is plain sequential search.
pub struct PredicateList<F> {
    predicate: F,
    cache: Option<HashMap<Subset, bool>>,
    ahead: usize,
    limit: u64,
    trace: Option<Vec<Asked>>,
    accepted: Vec<Subset>,
    queries: u64,
    hits: u64,
    windows: u64,
}

impl<F: FnMut(&Subset) -> bool> PredicateList<F> {
    /// A list that is interesting where `predicate` says so; sequential, cached, without a limit.
    pub fn new(predicate: F) -> Self {
        PredicateList {
            predicate,
            cache: Some(HashMap::new()),
            ahead: 1,
            limit: u64::MAX,
            trace: None,
            accepted: Vec::new(),
            queries: 0,
            hits: 0,
            windows: 0,
        }
    }

    /// Forgets every answer at once.
    #[must_use]
    pub fn without_cache(self) -> Self {
        PredicateList { cache: None, ..self }
    }

    /// Runs batches of `ahead` parts in `first`.
    ///
    /// # Panics
    /// If `ahead` is 0.
    #[must_use]
    pub fn looking_ahead(self, ahead: usize) -> Self {
        assert!(ahead > 0, "a batch has at least one part");
        PredicateList { ahead, ..self }
    }

    /// Stops with [`Stop::OutOfQueries`] instead of running the predicate more than `limit` times.
    #[must_use]
    pub fn limited_to(self, limit: u64) -> Self {
        PredicateList { limit, ..self }
    }

    /// Keeps every question for [`PredicateList::trace`].
    #[must_use]
    pub fn traced(self) -> Self {
        PredicateList { trace: Some(Vec::new()), ..self }
    }

    /// How often the predicate was run.
    #[must_use]
    pub fn queries(&self) -> u64 {
        self.queries
    }

    /// How many questions the cache answered.
    #[must_use]
    pub fn hits(&self) -> u64 {
        self.hits
    }

    /// How many batches were run: the time it would have taken with as many workers as a batch has parts.
    #[must_use]
    pub fn windows(&self) -> u64 {
        self.windows
    }

    /// The questions so far, in order, if they are kept.
    #[must_use]
    pub fn trace(&self) -> &[Asked] {
        self.trace.as_deref().unwrap_or_default()
    }

    /// The parts that became the best one, in order.
    #[must_use]
    pub fn accepted(&self) -> &[Subset] {
        &self.accepted
    }

    fn cached(&mut self, kept: &Subset) -> Option<bool> {
        let interesting = *self.cache.as_ref()?.get(kept)?;
        self.hits += 1;
        self.note(kept, interesting, true);
        Some(interesting)
    }

    fn answer(&mut self, kept: &Subset) -> Result<bool, Stop> {
        match self.cached(kept) {
            Some(known) => Ok(known),
            None => self.run(kept),
        }
    }

    fn run(&mut self, kept: &Subset) -> Result<bool, Stop> {
        if self.queries >= self.limit {
            return Err(Stop::OutOfQueries);
        }
        self.queries += 1;
        let interesting = (self.predicate)(kept);
        if let Some(cache) = &mut self.cache {
            cache.insert(kept.clone(), interesting);
        }
        self.note(kept, interesting, false);
        Ok(interesting)
    }

    fn note(&mut self, kept: &Subset, interesting: bool, hit: bool) {
        if let Some(trace) = &mut self.trace {
            trace.push(Asked { kept: kept.clone(), interesting, hit });
        }
    }
}

impl<F: FnMut(&Subset) -> bool> ListOracle for PredicateList<F> {
    fn test(&mut self, kept: &Subset) -> Result<Verdict, Stop> {
        let interesting = self.answer(kept)?;
        if interesting {
            self.accepted.push(kept.clone());
        }
        Ok(interesting.into())
    }

    fn first(&mut self, parts: &mut dyn Iterator<Item = Subset>) -> Result<Option<usize>, Stop> {
        let mut parts = parts.enumerate();
        let mut exhausted = false;
        while !exhausted {
            let mut batch: Vec<(usize, Subset)> = Vec::with_capacity(self.ahead);
            let mut won = None;
            while won.is_none() && batch.len() < self.ahead {
                let Some((index, kept)) = parts.next() else {
                    exhausted = true;
                    break;
                };
                match self.cached(&kept) {
                    Some(true) => won = Some((index, kept)),
                    Some(false) => {}
                    None => batch.push((index, kept)),
                }
            }
            self.windows += u64::from(!batch.is_empty());
            // All of a batch is in flight before its first answer comes. Two of it may be the same part.
            let mut earliest = None;
            for (index, kept) in batch {
                if self.answer(&kept)? && earliest.is_none() {
                    earliest = Some((index, kept));
                }
            }
            if let Some((index, kept)) = earliest.or(won) {
                self.accepted.push(kept);
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    fn all(&mut self, parts: &[Subset]) -> Result<Vec<Verdict>, Stop> {
        let before = self.queries;
        let mut verdicts = Vec::with_capacity(parts.len());
        for kept in parts {
            verdicts.push(self.answer(kept)?.into());
        }
        self.windows += u64::from(self.queries > before);
        Ok(verdicts)
    }

    fn accept(&mut self, kept: &Subset) -> Result<(), Stop> {
        self.accepted.push(kept.clone());
        Ok(())
    }
}
