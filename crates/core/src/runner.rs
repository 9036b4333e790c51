//! The seam between the session and whatever really runs a test: a process, a cluster, a closure.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use crate::cancel::Cancel;
use crate::candidate::Candidate;
use crate::verdict::Verdict;

/// How one run of the test ended.
#[derive(Debug)]
pub enum Answer {
    /// The test said something.
    Verdict(Verdict),
    /// The run was ended because nobody wants its result any more, or its deadline had come.
    Cancelled,
    /// The test cannot be run at all (it was removed, no process can be started, the disk is full).
    Broken(Broken),
}

/// Why no test can be run any more; the message says what to do.
#[derive(Debug)]
pub struct Broken(pub Box<dyn Error + Send + Sync>);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Broken {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// Runs the test on candidates. Called from several threads at once, each with its own `slot` below the number of jobs.
pub trait Runner: Sync {
    /// Runs the test on one candidate, to its end, its time limit, or until `cancel` is raised or its deadline comes.
    fn run(&self, slot: usize, candidate: &Candidate, cancel: &Cancel) -> Answer;

    /// As [`Runner::run`], but calls `meanwhile` while the test runs, where the runner only waits then: the session gets
    /// the next candidate ready.
    fn run_meanwhile(
        &self,
        slot: usize,
        candidate: &Candidate,
        cancel: &Cancel,
        _meanwhile: &mut dyn FnMut(),
    ) -> Answer {
        self.run(slot, candidate, cancel)
    }

    /// The longest a test may take, where the runner enforces one (for progress displays).
    fn time_limit(&self) -> Option<Duration> {
        None
    }

    /// How many checks its verdicts may speak of.
    fn checks(&self) -> usize {
        0
    }

    /// Told every verdict that counts as a query, in the order of a run with one job, and what it is on.
    fn settled(&self, _candidate: &Candidate, _verdict: Verdict) {}

    /// Lets a runner change how it runs candidates (the order of checks, say) in the light of what was settled; called
    /// before each question. Gives the number of the way it has from now on, nothing if it never changes. The marks of
    /// a verdict may depend on the way, whether it is interesting must not: what was run ahead in another way and is
    /// not settled yet is run again, so that every number of jobs sees the same marks.
    fn adapt(&self) -> Option<u32> {
        None
    }
}

/// A test that is a function in this process.
impl<F, V> Runner for F
where
    F: Fn(&Candidate) -> V + Sync,
    V: Into<Verdict>,
{
    fn run(&self, _slot: usize, candidate: &Candidate, _cancel: &Cancel) -> Answer {
        Answer::Verdict(self(candidate).into())
    }
}
