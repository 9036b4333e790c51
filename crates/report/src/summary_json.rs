//! The summary for programs: one JSON object. Its field names are a promise; fields may be added, none is renamed.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use dwindle_core::PassReport;
use serde::Serialize;

use crate::checks::CheckSummary;
use crate::extras::Extras;
use crate::outcome::{ItemCounts, Outcome};

/// What `--json` prints. Written out with `to_string`, in one line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SummaryJson {
    /// Size of the input.
    pub input_bytes: u64,
    /// Tokens of the input, if they were counted.
    pub input_tokens: Option<u64>,
    /// Size of the result.
    pub output_bytes: u64,
    /// Tokens of the result, if they were counted.
    pub output_tokens: Option<u64>,
    /// Runs of the test that the passes asked for; the same for every `-j`.
    pub queries: u64,
    /// Candidates answered by the cache.
    pub hits: u64,
    /// Candidates that became the best.
    pub accepted: u64,
    /// Queries without an answer: time-outs, crashes, memory limits.
    pub unresolved: u64,
    /// Queries answered from the journal of an earlier run.
    pub replayed: u64,
    /// Runs of the test at start-up and at the end.
    pub overhead_queries: u64,
    /// Runs of the test really started for the passes, speculative ones included.
    pub started: u64,
    /// How long the run took.
    pub seconds: f64,
    /// `started` by `seconds`.
    pub tests_per_second: f64,
    /// Each pass, in order.
    pub passes: Vec<PassJson>,
    /// Whether the result is 1-minimal.
    pub minimal: bool,
    /// Over what it is.
    pub minimal_over: Option<String>,
    /// Why the run was cut short: `time`, `queries`, `interrupt`, `broken: ...`, or nothing.
    pub stopped: Option<String>,
    /// Where the result is. Bytes that are not UTF-8 are replaced.
    pub output: Option<String>,
    /// The run directory.
    pub run: Option<String>,
    /// The most bytes the cache ever held.
    pub cache_peak_bytes: u64,
    /// How many verdicts that were.
    pub cache_peak_entries: u64,
    /// What the cache held over time: seconds since the start, verdicts, bytes; a point for each noticeable change.
    pub cache_over_time: Vec<(f64, u64, u64)>,
    /// Each check, in order, where the test has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckSummary>,
    /// The items, where items were reduced; sizes of passes are weights then.
    #[serde(flatten)]
    pub items: Option<ItemCounts>,
    /// What was done beside the reduction.
    #[serde(flatten)]
    pub extras: Extras,
}

impl SummaryJson {
    /// With what became of the items, where items were reduced.
    #[must_use]
    pub fn items(self, items: Option<ItemCounts>) -> Self {
        SummaryJson { items, ..self }
    }

    /// With what was done beside the reduction.
    #[must_use]
    pub fn extras(self, extras: Extras) -> Self {
        SummaryJson { extras, ..self }
    }

    /// With what became of the checks, where the test has several.
    #[must_use]
    pub fn checks(self, checks: Vec<CheckSummary>) -> Self {
        SummaryJson { checks, ..self }
    }
}

/// What one pass did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PassJson {
    /// Its name.
    pub name: String,
    /// Runs of the test it asked for.
    pub queries: u64,
    /// Candidates answered by the cache.
    pub hits: u64,
    /// Candidates that became the best.
    pub accepted: u64,
    /// Size of the best before it.
    pub bytes_before: u64,
    /// Size of the best after it.
    pub bytes_after: u64,
    /// How long it took.
    pub seconds: f64,
}

impl From<&Outcome<'_>> for SummaryJson {
    fn from(outcome: &Outcome<'_>) -> Self {
        let summary = outcome.summary;
        let counts = summary.counts;
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let minimal_over = outcome.is_minimal_over();
        SummaryJson {
            input_bytes: outcome.input_bytes,
            input_tokens: outcome.input_tokens,
            output_bytes: outcome.output_bytes,
            output_tokens: outcome.output_tokens,
            queries: counts.queries,
            hits: counts.hits,
            accepted: counts.accepted,
            unresolved: counts.unresolved,
            replayed: counts.replayed,
            overhead_queries: outcome.overhead_queries,
            started: summary.started,
            seconds: seconds(summary.time),
            tests_per_second: (outcome.tests_per_second() * 1000.0).round() / 1000.0,
            passes: summary.passes.iter().map(PassJson::from).collect(),
            minimal: minimal_over.is_some(),
            minimal_over: minimal_over.map(str::to_owned),
            stopped: outcome.stopped(),
            output: outcome.output.map(path),
            run: outcome.run.map(path),
            cache_peak_bytes: summary.cache.peak_bytes as u64,
            cache_peak_entries: summary.cache.peak_entries as u64,
            cache_over_time: summary
                .cache_samples
                .iter()
                .map(|sample| (seconds(sample.time), sample.entries as u64, sample.bytes as u64))
                .collect(),
            checks: Vec::new(),
            items: None,
            extras: Extras::default(),
        }
    }
}

impl From<&PassReport> for PassJson {
    fn from(report: &PassReport) -> Self {
        PassJson {
            name: report.name.clone(),
            queries: report.counts.queries,
            hits: report.counts.hits,
            accepted: report.counts.accepted,
            bytes_before: report.size_before,
            bytes_after: report.size_after,
            seconds: seconds(report.time),
        }
    }
}

/// To the microsecond: more digits are noise.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e6
}

impl fmt::Display for SummaryJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{outcome, summary};
    use dwindle_core::Stop;

    #[test]
    fn the_field_names_are_a_promise() {
        let summary = summary(None);
        let json = SummaryJson::from(&outcome(&summary));
        insta::assert_snapshot!(serde_json::to_string_pretty(&json).unwrap(), @r#"
        {
          "input_bytes": 10034,
          "input_tokens": 2001,
          "output_bytes": 168,
          "output_tokens": 35,
          "queries": 1234,
          "hits": 678,
          "accepted": 8,
          "unresolved": 2,
          "replayed": 0,
          "overhead_queries": 5,
          "started": 1300,
          "seconds": 65.25,
          "tests_per_second": 19.923,
          "passes": [
            {
              "name": "line",
              "queries": 1000,
              "hits": 600,
              "accepted": 5,
              "bytes_before": 10034,
              "bytes_after": 779,
              "seconds": 160.0
            },
            {
              "name": "char",
              "queries": 234,
              "hits": 78,
              "accepted": 3,
              "bytes_before": 779,
              "bytes_after": 168,
              "seconds": 31.2
            }
          ],
          "minimal": true,
          "minimal_over": "char",
          "stopped": null,
          "output": "my case.reduced.c",
          "run": ".dwindle/7",
          "cache_peak_bytes": 40000,
          "cache_peak_entries": 900,
          "cache_over_time": []
        }
        "#);
        assert_eq!(json.to_string().lines().count(), 1);
    }

    #[test]
    fn a_run_that_was_cut_short_is_not_minimal_and_says_why() {
        let broken = dwindle_core::Broken("no space left".into());
        let table = [
            (Stop::OutOfTime, "time"),
            (Stop::OutOfQueries, "queries"),
            (Stop::Interrupted, "interrupt"),
            (Stop::Broken(broken.into()), "broken: no space left"),
        ];
        for (stop, word) in table {
            let summary = summary(Some(stop));
            let json = SummaryJson::from(&outcome(&summary));
            assert_eq!((json.minimal, json.minimal_over), (false, None));
            assert_eq!(json.stopped.as_deref(), Some(word));
        }
    }
}
