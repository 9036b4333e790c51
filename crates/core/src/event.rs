//! What a session tells those who watch: terminals, reports, tests.

use std::time::Duration;

use crate::cache::{CacheSample, CacheUsage};
use crate::candidate::Candidate;
use crate::marks::CheckTally;
use crate::stop::Stop;
use crate::verdict::Verdict;

/// Something that happened, in the order of a sequential run whatever the number of jobs.
#[derive(Debug)]
pub enum Event<'a> {
    /// A pass begins.
    PassStarted {
        /// Its name.
        name: &'a str,
        /// Size of the best it starts from.
        size: u64,
    },
    /// A candidate was answered.
    Answered {
        /// The answer.
        verdict: Verdict,
        /// Whether the cache gave it.
        hit: bool,
        /// How many candidates the pass may still ask in this sweep, if it knows.
        sweep_left: Option<usize>,
    },
    /// A smaller interesting candidate was found and is the best from now on.
    Accepted {
        /// The new best.
        best: &'a Candidate,
    },
    /// A pass is through, or was stopped.
    PassEnded(&'a PassReport),
    /// Something went wrong that does not end the run.
    Warning(&'a str),
    /// The session answers no more.
    Stopped(&'a Stop),
}

/// Counters of a run or of one pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Runs of the test that a sequential run would have made.
    pub queries: u64,
    /// Candidates answered by the cache.
    pub hits: u64,
    /// Candidates that became the best.
    pub accepted: u64,
    /// Queries that gave no answer (time-outs, crashes of the test).
    pub unresolved: u64,
    /// Queries answered from the journal of an earlier run or a verdict store, without running the test.
    pub replayed: u64,
}

impl Counts {
    /// What was counted since `earlier`.
    #[must_use]
    pub fn since(self, earlier: Counts) -> Counts {
        Counts {
            queries: self.queries - earlier.queries,
            hits: self.hits - earlier.hits,
            accepted: self.accepted - earlier.accepted,
            unresolved: self.unresolved - earlier.unresolved,
            replayed: self.replayed - earlier.replayed,
        }
    }
}

/// What one pass did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassReport {
    /// Its name.
    pub name: String,
    /// What it asked.
    pub counts: Counts,
    /// Size of the best before it, in bytes.
    pub size_before: u64,
    /// Size of the best after it, in bytes.
    pub size_after: u64,
    /// How long it took.
    pub time: Duration,
}

/// What a whole run did.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// What was asked in all.
    pub counts: Counts,
    /// Test runs really started, speculative ones included.
    pub started: u64,
    /// Each pass, in order.
    pub passes: Vec<PassReport>,
    /// What the verdicts of all queries say about the checks of the test.
    pub checks: CheckTally,
    /// What the cache held.
    pub cache: CacheUsage,
    /// What it held over time: a bounded list, with an entry for each noticeable change.
    pub cache_samples: Vec<CacheSample>,
    /// How long the run took.
    pub time: Duration,
    /// Why the run ended early, if it did.
    pub stop: Option<Stop>,
}
