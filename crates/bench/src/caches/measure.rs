//! One reduction with one cache: what was asked, what the cache weighed, and the processor time it took.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result};
use dwindle_core::cache::{CacheOptions, CacheSample, CacheUsage, VerdictCache, by_name};
use dwindle_core::{Candidate, Options, Session, Verdict};

use super::program::kept;
use super::source::Source;
use super::walks::Walk;
use crate::machine::cpu_time;

/// What a reduction with one cache did.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) queries: u64,
    pub(super) hits: u64,
    /// Tokens left.
    pub(super) left: usize,
    pub(super) usage: CacheUsage,
    /// Processor time spent in the cache, renderings that it asked for included.
    pub(super) time: Duration,
}

impl Run {
    /// Seconds in the cache for each candidate.
    pub(super) fn per_answer(&self) -> f64 {
        self.time.as_secs_f64() / (self.queries + self.hits).max(1) as f64
    }

    /// The share of the cache in a run whose tests take so long.
    pub(super) fn share(&self, test: Duration) -> f64 {
        self.time.as_secs_f64() / (self.queries as f64 * test.as_secs_f64() + self.time.as_secs_f64())
    }

    /// Bytes an entry, when the cache held the most bytes.
    pub(super) fn bytes_an_entry(&self) -> f64 {
        self.usage.peak_bytes as f64 / self.usage.peak_entries.max(1) as f64
    }
}

/// Runs one walk with one scheme.
pub(super) fn measure(source: &Source, walk: Walk, scheme: &str) -> Result<Run> {
    let time = Rc::new(Cell::new(Duration::ZERO));
    let inner = by_name(scheme, &CacheOptions::default()).with_context(|| {
        format!("there is no cache scheme `{scheme}`: `dwindle reduce --help` lists them")
    })?;
    let cache = Timed { inner, time: Rc::clone(&time) };
    let options = Options { cache: Box::new(cache), ..Options::default() };
    let runner = |candidate: &Candidate| source.is_interesting(kept(candidate));
    let (result, best, summary) =
        Session::run(&runner, source.program.whole(), options, |session| walk(session, source));
    result.context("the reduction was stopped")?;
    Ok(Run {
        queries: summary.counts.queries,
        hits: summary.counts.hits,
        left: kept(&best).len(),
        usage: summary.cache,
        time: time.get(),
    })
}

/// Counts the processor time spent in a cache.
struct Timed {
    inner: Box<dyn VerdictCache>,
    time: Rc<Cell<Duration>>,
}

impl Timed {
    fn timed<R>(&mut self, body: impl FnOnce(&mut dyn VerdictCache) -> R) -> R {
        let begin = cpu_time();
        let result = body(&mut *self.inner);
        self.time.set(self.time.get() + (cpu_time() - begin));
        result
    }
}

impl VerdictCache for Timed {
    fn get(&mut self, candidate: &Candidate) -> Option<Verdict> {
        self.timed(|cache| cache.get(candidate))
    }

    fn put(&mut self, candidate: &Candidate, verdict: Verdict) {
        self.timed(|cache| cache.put(candidate, verdict));
    }

    fn accepted(&mut self, best: &Candidate) {
        self.timed(|cache| cache.accepted(best));
    }

    fn recast(&mut self, best: &Candidate) {
        self.inner.recast(best);
    }

    fn usage(&self) -> CacheUsage {
        self.inner.usage()
    }

    fn samples(&self) -> &[CacheSample] {
        self.inner.samples()
    }
}
