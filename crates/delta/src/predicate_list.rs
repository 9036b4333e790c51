//! A list judged by a predicate in the same process: for tests, measurements and embedding.

use std::collections::HashMap;

use dwindle_core::{Stop, Subset, Verdict};

use crate::oracle::{ListOracle, ListSearch};

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

/// A [`ListOracle`] over a closure, with a cache of configurations and counters. The closure gives a `bool`, or a
/// [`Verdict`] where it has checks.
///
/// `first` runs batches of `ahead` parts that are not in the cache and takes the first interesting one of a
/// batch: what a session with as many workers does at worst. With `ahead` 1 that is plain sequential search.
pub struct PredicateList<F> {
    predicate: F,
    cache: Option<HashMap<Subset, Verdict>>,
    ahead: usize,
    limit: u64,
    trace: Option<Vec<Asked>>,
    accepted: Vec<Subset>,
    queries: u64,
    hits: u64,
    windows: u64,
    checks: usize,
}

impl<F, V> PredicateList<F>
where
    F: FnMut(&Subset) -> V,
    V: Into<Verdict>,
{
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
            checks: 0,
        }
    }

    /// Has verdicts that speak of this many checks.
    #[must_use]
    pub fn with_checks(self, checks: usize) -> Self {
        PredicateList { checks, ..self }
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

    fn cached(&mut self, kept: &Subset) -> Option<Verdict> {
        let verdict = *self.cache.as_ref()?.get(kept)?;
        self.hits += 1;
        self.note(kept, verdict, true);
        Some(verdict)
    }

    fn answer(&mut self, kept: &Subset) -> Result<Verdict, Stop> {
        match self.cached(kept) {
            Some(known) => Ok(known),
            None => self.run(kept),
        }
    }

    fn run(&mut self, kept: &Subset) -> Result<Verdict, Stop> {
        if self.queries >= self.limit {
            return Err(Stop::OutOfQueries);
        }
        self.queries += 1;
        let verdict = (self.predicate)(kept).into();
        if let Some(cache) = &mut self.cache {
            cache.insert(kept.clone(), verdict);
        }
        self.note(kept, verdict, false);
        Ok(verdict)
    }

    fn note(&mut self, kept: &Subset, verdict: Verdict, hit: bool) {
        if let Some(trace) = &mut self.trace {
            trace.push(Asked { kept: kept.clone(), interesting: verdict.is_interesting(), hit });
        }
    }
}

impl<F, V> ListOracle for PredicateList<F>
where
    F: FnMut(&Subset) -> V,
    V: Into<Verdict>,
{
    fn test(&mut self, kept: &Subset) -> Result<Verdict, Stop> {
        let verdict = self.answer(kept)?;
        if verdict.is_interesting() {
            self.accepted.push(kept.clone());
        }
        Ok(verdict)
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
                    Some(Verdict::Interesting) => won = Some((index, kept)),
                    Some(_) => {}
                    None => batch.push((index, kept)),
                }
            }
            self.windows += u64::from(!batch.is_empty());
            // All of a batch is in flight before its first answer comes. Two of it may be the same part.
            let mut earliest = None;
            for (index, kept) in batch {
                if self.answer(&kept)?.is_interesting() && earliest.is_none() {
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
            verdicts.push(self.answer(kept)?);
        }
        self.windows += u64::from(self.queries > before);
        Ok(verdicts)
    }

    fn accept(&mut self, kept: &Subset) -> Result<(), Stop> {
        self.accepted.push(kept.clone());
        Ok(())
    }

    fn search(&mut self, search: &mut dyn ListSearch) -> Result<Option<usize>, Stop> {
        let mut settled = 0;
        loop {
            let mut batch = Vec::with_capacity(self.ahead);
            while batch.len() < self.ahead
                && let Some(kept) = search.next()
            {
                batch.push(kept);
            }
            if batch.is_empty() {
                return Ok(None);
            }
            // All of a batch is in flight before its first answer comes.
            let before = self.queries;
            let answers = batch.iter().map(|kept| self.answer(kept)).collect::<Result<Vec<_>, _>>()?;
            self.windows += u64::from(self.queries > before);
            for (kept, verdict) in batch.into_iter().zip(answers) {
                let foreseen = search.learn(verdict);
                if verdict.is_interesting() {
                    self.accepted.push(kept);
                    return Ok(Some(settled));
                }
                settled += 1;
                if !foreseen {
                    break;
                }
            }
        }
    }

    fn checks(&self) -> usize {
        self.checks
    }

    fn identity(&self, element: usize) -> Option<u64> {
        Some(element as u64)
    }
}
