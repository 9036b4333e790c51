//! The summary for people: a few lines at the end of a run.

use std::fmt;

use dwindle_core::{PassReport, Stop, Summary};
use unicode_width::UnicodeWidthStr;

use crate::checks::{CheckSummary, write_checks};
use crate::extras::Extras;
use crate::format::{count, counted, harmless, per_second, percent, plural, shell_word, time};
use crate::history::BARS;
use crate::outcome::{ClassCounts, ItemCounts, Outcome};

/// What is printed when a run is over; `Display` writes it, each line ended.
#[derive(Clone, Copy, Debug)]
pub struct SummaryText<'a> {
    outcome: &'a Outcome<'a>,
    verbose: bool,
    items: Option<ItemCounts>,
    checks: &'a [CheckSummary],
    extras: Option<&'a Extras>,
}

impl<'a> SummaryText<'a> {
    /// The summary of a run.
    #[must_use]
    pub fn new(outcome: &'a Outcome<'a>) -> Self {
        SummaryText { outcome, verbose: false, items: None, checks: &[], extras: None }
    }

    /// With a table of the passes, and what the cache held.
    #[must_use]
    pub fn verbose(self, verbose: bool) -> Self {
        SummaryText { verbose, ..self }
    }

    /// With what became of the items, where items were reduced: they count, not the bytes of their list.
    #[must_use]
    pub fn items(self, items: Option<ItemCounts>) -> Self {
        SummaryText { items, ..self }
    }

    /// With a table of the checks, where the test has several.
    #[must_use]
    pub fn checks(self, checks: &'a [CheckSummary]) -> Self {
        SummaryText { checks, ..self }
    }

    /// With what was done beside the reduction.
    #[must_use]
    pub fn extras(self, extras: &'a Extras) -> Self {
        SummaryText { extras: Some(extras), ..self }
    }

    fn size(&self) -> String {
        let Outcome { input_bytes: before, output_bytes: after, .. } = *self.outcome;
        if before == after {
            format!("{}, nothing could go", counted(after, "byte"))
        } else {
            format!("{} -> {} ({})", count(before), counted(after, "byte"), percent(after, before))
        }
    }

    fn tokens(&self) -> Option<String> {
        Some(shrunk(self.outcome.input_tokens?, self.outcome.output_tokens?))
    }

    fn queries(&self) -> String {
        let counts = self.outcome.summary.counts;
        let mut text = format!(
            "{}, and {} ({} of what was asked)",
            count(counts.queries),
            plural(counts.hits, "cache hit", "cache hits"),
            percent(counts.hits, (counts.queries + counts.hits).max(1)),
        );
        if counts.unresolved > 0 {
            text += &format!("; {} without an answer", count(counts.unresolved));
        }
        if counts.replayed > 0 {
            text += &format!("; {} from the journal", count(counts.replayed));
        }
        text
    }

    /// What the cache held at its peak, and over time: a bar a column, as high as its share of the most.
    fn cache(&self) -> String {
        const COLUMNS: u32 = 40;
        let Summary { cache, cache_samples: samples, time, .. } = self.outcome.summary;
        let most = samples.iter().map(|sample| sample.bytes).max().unwrap_or(0).max(1);
        let bar = |column: u32| {
            let after = samples.partition_point(|sample| sample.time <= *time * column / COLUMNS);
            let bytes = after.checked_sub(1).map_or(0, |last| samples[last].bytes);
            BARS[bytes * (BARS.len() - 1) / most]
        };
        format!(
            "{} at most, for {} {}",
            counted(cache.peak_bytes as u64, "byte"),
            plural(cache.peak_entries as u64, "verdict", "verdicts"),
            (1..=COLUMNS).map(bar).collect::<String>()
        )
    }

    fn runs(&self) -> String {
        let Outcome { overhead_queries, summary, .. } = *self.outcome;
        let mut text = format!(
            "{} of the test ({}), {} speculative",
            plural(summary.started, "run", "runs"),
            per_second(self.outcome.tests_per_second()),
            count(self.outcome.speculative()),
        );
        if overhead_queries > 0 {
            text += &format!("; {} more at start-up and end", count(overhead_queries));
        }
        text
    }

    fn ending(&self) -> String {
        match (&self.outcome.summary.stop, self.outcome.is_minimal_over()) {
            (None, Some(over)) => format!("complete and 1-minimal over {over}: none of them can go alone"),
            (None, None) => "complete; this pipeline does not promise a 1-minimal result".to_owned(),
            (Some(Stop::OutOfTime), _) => "at the time limit; more time may give a smaller result".to_owned(),
            (Some(Stop::OutOfQueries), _) => {
                "at the query limit; more queries may give a smaller result".to_owned()
            }
            (Some(stop @ Stop::Postponed), _) => stop.to_string(),
            (Some(Stop::Interrupted), _) => "interrupted; this is the best so far".to_owned(),
            (Some(Stop::Broken(broken)), _) => {
                format!("the test can no longer be run: {broken}; this is the best so far")
            }
        }
    }
}

impl fmt::Display for SummaryText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcome = self.outcome;
        if self.verbose {
            write_passes(f, &outcome.summary.passes)?;
        }
        if !self.checks.is_empty() {
            write_checks(f, self.checks)?;
        }
        let mut line = |label: &str, text: &str| writeln!(f, "{label:9}{}", harmless(text));
        match self.items {
            None => line("size", &self.size())?,
            Some(ItemCounts { items_before, items_after, weight_before, weight_after, classes }) => {
                if let Some(ClassCounts { classes_before, classes_after }) = classes {
                    line("classes", &shrunk(classes_before, classes_after))?;
                }
                line("items", &shrunk(items_before, items_after))?;
                let weight = shrunk(weight_before, weight_after);
                match classes {
                    None => line("weight", &weight)?,
                    Some(_) => line("size", &format!("{}; unpacked {weight}", self.size()))?,
                }
            }
        }
        if let Some(tokens) = self.tokens() {
            line("tokens", &tokens)?;
        }
        line("queries", &self.queries())?;
        if self.verbose {
            line("cache", &self.cache())?;
        }
        line("tests", &self.runs())?;
        line("time", &time(outcome.summary.time))?;
        line("ended", &self.ending())?;
        if let Some(extras) = self.extras {
            extras.write(f, outcome.output_bytes)?;
        }
        let mut line = |label: &str, text: &str| writeln!(f, "{label:9}{}", harmless(text));
        if let (Some(run), Some(_)) = (outcome.run, &outcome.summary.stop) {
            line("go on", &format!("dwindle resume {}", shell_word(run.as_os_str())))?;
        }
        if let Some(output) = outcome.output {
            line("result", &output.to_string_lossy())?;
            if let Some(original) = outcome.original {
                let (original, output) = (shell_word(original.as_os_str()), shell_word(output.as_os_str()));
                line("diff", &format!("git diff --no-index -- {original} {output}"))?;
            }
        }
        Ok(())
    }
}

fn shrunk(before: u64, after: u64) -> String {
    format!("{} -> {} ({})", count(before), count(after), percent(after, before))
}

/// What all runs of one pass did together.
struct PassTotal<'a> {
    name: &'a str,
    runs: u64,
    counts: [u64; 3],
    removed: i64,
    time: std::time::Duration,
}

/// One line a pass, in the order in which they first ran: a schedule comes back to its passes many times.
fn totals(passes: &[PassReport]) -> Vec<PassTotal<'_>> {
    let mut totals: Vec<PassTotal<'_>> = Vec::new();
    for PassReport { name, counts, size_before, size_after, time } in passes {
        let at = totals.iter().position(|total| total.name == name).unwrap_or_else(|| {
            let none =
                PassTotal { name, runs: 0, counts: [0; 3], removed: 0, time: std::time::Duration::ZERO };
            totals.push(none);
            totals.len() - 1
        });
        let total = &mut totals[at];
        total.runs += 1;
        for (sum, count) in total.counts.iter_mut().zip([counts.queries, counts.hits, counts.accepted]) {
            *sum += count;
        }
        // A detour may end in something larger.
        total.removed += *size_before as i64 - *size_after as i64;
        total.time += *time;
    }
    totals
}

fn write_passes(f: &mut fmt::Formatter<'_>, passes: &[PassReport]) -> fmt::Result {
    let header = ["pass", "runs", "queries", "hits", "accepted", "removed", "time"].map(str::to_owned);
    let row = |pass: &PassTotal<'_>| {
        let [queries, hits, accepted] = pass.counts.map(count);
        let sign = if pass.removed < 0 { "-" } else { "" };
        let removed = format!("{sign}{}", count(pass.removed.unsigned_abs()));
        [harmless(pass.name), count(pass.runs), queries, hits, accepted, removed, time(pass.time)]
    };
    let passes = totals(passes);
    let rows: Vec<_> = std::iter::once(header).chain(passes.iter().map(row)).collect();
    let widths: [usize; 7] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].width()).max().unwrap_or(0));
    for row in &rows {
        let name = widths[0] - row[0].width();
        write!(f, "{}{:name$}", row[0], "")?;
        for (cell, width) in row.iter().zip(widths).skip(1) {
            write!(f, "  {cell:>width$}")?;
        }
        writeln!(f)?;
    }
    writeln!(f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{outcome, summary};
    use dwindle_core::Counts;
    use dwindle_core::cache::CacheSample;

    #[test]
    fn a_complete_run_says_what_is_minimal_and_where_it_is() {
        let summary = summary(None);
        insta::assert_snapshot!(SummaryText::new(&outcome(&summary)).to_string(), @r"
        size     10,034 -> 168 bytes (1.7 %)
        tokens   2,001 -> 35 (1.7 %)
        queries  1,234, and 678 cache hits (35.5 % of what was asked); 2 without an answer
        tests    1,300 runs of the test (19.9/s), 66 speculative; 5 more at start-up and end
        time     1 min 05 s
        ended    complete and 1-minimal over char: none of them can go alone
        result   my case.reduced.c
        diff     git diff --no-index -- 'my case.c' 'my case.reduced.c'
        ");
    }

    #[test]
    fn where_items_were_reduced_they_are_counted_instead_of_bytes() {
        let summary = summary(None);
        let outcome = Outcome { input_tokens: None, output_tokens: None, ..outcome(&summary) };
        let mut items = ItemCounts {
            items_before: 1760,
            items_after: 120,
            weight_before: 90_000,
            weight_after: 4500,
            classes: None,
        };
        let text = SummaryText::new(&outcome).items(Some(items)).to_string();
        let lines: Vec<_> = text.lines().take(3).collect();
        assert_eq!(lines[..2], ["items    1,760 -> 120 (6.8 %)", "weight   90,000 -> 4,500 (5.0 %)"]);
        assert!(lines[2].starts_with("queries"), "{text}");

        items.classes = Some(ClassCounts { classes_before: 40, classes_after: 2 });
        let text = SummaryText::new(&outcome).items(Some(items)).to_string();
        let lines: Vec<_> = text.lines().take(3).collect();
        assert_eq!(lines[..2], ["classes  40 -> 2 (5.0 %)", "items    1,760 -> 120 (6.8 %)"]);
        assert_eq!(lines[2], "size     10,034 -> 168 bytes (1.7 %); unpacked 90,000 -> 4,500 (5.0 %)");
    }

    #[test]
    fn a_test_with_several_checks_gets_a_table_of_them() {
        let mut summary = summary(None);
        summary.checks = dwindle_core::CheckTally::new(2);
        for _ in 0..20 {
            summary.checks.add(dwindle_core::Verdict::failed_at(dwindle_core::CheckId(0)));
            summary.checks.add(dwindle_core::Verdict::Interesting);
        }
        let names = ["compiles", "größe"].map(str::to_owned);
        let times = [61_000, 1500].map(std::time::Duration::from_millis);
        let checks = CheckSummary::all(&names, &summary.checks, Some(&times));
        let text = SummaryText::new(&outcome(&summary)).checks(&checks).to_string();
        let lines: Vec<_> = text.lines().take(5).collect();
        assert_eq!(
            lines,
            [
                "check     executed  failed  alone        time",
                "compiles        40      20     20  1 min 01 s",
                "größe           20       0      0      1.50 s",
                "redundant: größe (the other checks rejected all that was rejected; see --checks dedup)",
                "",
            ]
        );
        assert!(CheckSummary::all(&names, &summary.checks, None).iter().all(|check| check.seconds.is_none()));
    }

    #[test]
    fn verbose_adds_a_table_of_the_passes_and_what_the_cache_held_over_time() {
        let mut summary = summary(None);
        let sample = |(seconds, bytes)| CacheSample {
            changes: 0,
            time: std::time::Duration::from_secs(seconds),
            entries: 0,
            bytes,
        };
        summary.cache_samples = [(0, 1_000), (10, 20_000), (30, 40_000), (50, 3_000)].map(sample).into();
        insta::assert_snapshot!(SummaryText::new(&outcome(&summary)).verbose(true).to_string(), @r"
        pass  runs  queries  hits  accepted  removed        time
        line     1    1,000   600         5    9,255  2 min 40 s
        char     1      234    78         3      611      31.2 s

        size     10,034 -> 168 bytes (1.7 %)
        tokens   2,001 -> 35 (1.7 %)
        queries  1,234, and 678 cache hits (35.5 % of what was asked); 2 without an answer
        cache    40,000 bytes at most, for 900 verdicts ▁▁▁▁▁▁▄▄▄▄▄▄▄▄▄▄▄▄████████████▁▁▁▁▁▁▁▁▁▁
        tests    1,300 runs of the test (19.9/s), 66 speculative; 5 more at start-up and end
        time     1 min 05 s
        ended    complete and 1-minimal over char: none of them can go alone
        result   my case.reduced.c
        diff     git diff --no-index -- 'my case.c' 'my case.reduced.c'
        ");
    }

    #[test]
    fn a_run_at_its_time_limit_says_how_to_go_on() {
        let summary = summary(Some(Stop::OutOfTime));
        insta::assert_snapshot!(SummaryText::new(&outcome(&summary)).to_string(), @r"
        size     10,034 -> 168 bytes (1.7 %)
        tokens   2,001 -> 35 (1.7 %)
        queries  1,234, and 678 cache hits (35.5 % of what was asked); 2 without an answer
        tests    1,300 runs of the test (19.9/s), 66 speculative; 5 more at start-up and end
        time     1 min 05 s
        ended    at the time limit; more time may give a smaller result
        go on    dwindle resume .dwindle/7
        result   my case.reduced.c
        diff     git diff --no-index -- 'my case.c' 'my case.reduced.c'
        ");
    }

    #[test]
    fn every_ending_has_its_words() {
        let broken = dwindle_core::Broken("no space left".into());
        let stops =
            [None, Some(Stop::OutOfQueries), Some(Stop::Interrupted), Some(Stop::Broken(broken.into()))];
        let endings: String = stops
            .into_iter()
            .map(|stop| {
                let summary = summary(stop);
                let outcome = Outcome { minimal_over: None, run: None, ..outcome(&summary) };
                let text = SummaryText::new(&outcome).to_string();
                text.lines().filter(|line| line.starts_with("ended")).collect::<String>() + "\n"
            })
            .collect();
        insta::assert_snapshot!(endings, @r"
        ended    complete; this pipeline does not promise a 1-minimal result
        ended    at the query limit; more queries may give a smaller result
        ended    interrupted; this is the best so far
        ended    the test can no longer be run: no space left; this is the best so far
        ");
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        let summary = Summary {
            counts: Counts { queries: 1, hits: 0, replayed: 1, ..Counts::default() },
            ..Summary::default()
        };
        let outcome = Outcome {
            summary: &summary,
            input_bytes: 1,
            input_tokens: None,
            output_bytes: 1,
            output_tokens: None,
            overhead_queries: 0,
            minimal_over: Some("char"),
            original: None,
            output: None,
            run: None,
        };
        insta::assert_snapshot!(SummaryText::new(&outcome).to_string(), @r"
        size     1 byte, nothing could go
        queries  1, and 0 cache hits (0 % of what was asked); 1 from the journal
        tests    0 runs of the test (0.00/s), 0 speculative
        time     0.00 s
        ended    complete and 1-minimal over char: none of them can go alone
        ");
    }
}
