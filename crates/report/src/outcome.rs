//! The facts of a run that is over, for both summaries.

use std::path::Path;

use dwindle_core::{Stop, Summary};
use serde::Serialize;

/// What a run came to.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    /// What the session counted.
    pub summary: &'a Summary,
    /// Size of the input.
    pub input_bytes: u64,
    /// Tokens of the input, if they were counted.
    pub input_tokens: Option<u64>,
    /// Size of the result.
    pub output_bytes: u64,
    /// Tokens of the result, if they were counted.
    pub output_tokens: Option<u64>,
    /// Runs of the test outside the session: at start-up and at the end.
    pub overhead_queries: u64,
    /// Over which units the pipeline gives a 1-minimal result, if it does. Ignored if the run was cut short.
    pub minimal_over: Option<&'a str>,
    /// Where the input can be read as it was (the `.orig` copy after a reduction in place), for the `diff` hint.
    pub original: Option<&'a Path>,
    /// Where the result is.
    pub output: Option<&'a Path>,
    /// The run directory, if there is one: `dwindle resume` takes it.
    pub run: Option<&'a Path>,
}

/// Items before and after, where items were reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ItemCounts {
    /// How many there were.
    pub items_before: u64,
    /// How many are kept.
    pub items_after: u64,
    /// The weight of all of them.
    pub weight_before: u64,
    /// The weight of those that are kept.
    pub weight_after: u64,
    /// The classes among them, of Java bytecode; the weight is that of the unpacked bytes then.
    #[serde(flatten)]
    pub classes: Option<ClassCounts>,
}

/// Classes before and after, where Java bytecode was reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ClassCounts {
    /// How many there were.
    pub classes_before: u64,
    /// How many are kept.
    pub classes_after: u64,
}

impl<'a> Outcome<'a> {
    /// Over which units the result is 1-minimal: nothing if the run was cut short.
    #[must_use]
    pub fn is_minimal_over(&self) -> Option<&'a str> {
        self.minimal_over.filter(|_| self.summary.stop.is_none())
    }

    /// Runs that a sequential run would not have made.
    #[must_use]
    pub fn speculative(&self) -> u64 {
        let counts = self.summary.counts;
        self.summary.started.saturating_sub(counts.queries - counts.replayed)
    }

    /// One word on why the run was cut short, and more if the test broke.
    #[must_use]
    pub fn stopped(&self) -> Option<String> {
        self.summary.stop.as_ref().map(|stop| match stop {
            Stop::OutOfTime => "time".to_owned(),
            Stop::OutOfQueries => "queries".to_owned(),
            Stop::Interrupted => "interrupt".to_owned(),
            Stop::Postponed => "postponed".to_owned(),
            Stop::Broken(broken) => format!("broken: {broken}"),
        })
    }

    /// Tests started a second, speculative ones included.
    #[must_use]
    pub fn tests_per_second(&self) -> f64 {
        let seconds = self.summary.time.as_secs_f64();
        let started = self.summary.started as f64;
        if seconds > 0.0 { started / seconds } else { 0.0 }
    }
}
