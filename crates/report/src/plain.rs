//! Lines for a pipe or a log: one subject a line, the time in front, wording that can be searched for.

use std::io::Write;
use std::time::Duration;

use dwindle_core::{Candidate, CheckId, Event, Unresolved, Verdict};

use crate::format::{harmless, percent, time};
use crate::progress::{Measure, Progress};

/// Accepted candidates come by the hundred in the first second of a run; a log wants one line of them.
const BETWEEN_ACCEPTED: Duration = Duration::from_secs(1);

/// How much is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verbosity {
    /// Passes, warnings, an accepted candidate a second.
    Usual,
    /// Every accepted candidate.
    Accepted,
    /// Every answer.
    Answers,
}

/// Writes lines about a run.
pub(crate) struct Plain {
    out: Box<dyn Write + Send>,
    verbosity: Verbosity,
    progress: Progress,
    count_tokens: Box<dyn Fn(&Candidate) -> u64 + Send>,
    last_accepted: Option<Duration>,
    checks: Vec<String>,
}

impl Plain {
    /// Lines on `out`; `verbosity` is how often the user wrote `-v`.
    pub(crate) fn new(
        out: Box<dyn Write + Send>,
        verbosity: u8,
        progress: Progress,
        count_tokens: Box<dyn Fn(&Candidate) -> u64 + Send>,
    ) -> Self {
        let verbosity = match verbosity {
            0 => Verbosity::Usual,
            1 => Verbosity::Accepted,
            _ => Verbosity::Answers,
        };
        Plain { out, verbosity, progress, count_tokens, last_accepted: None, checks: Vec::new() }
    }

    /// What the checks of the test are called.
    pub(crate) fn name_checks(&mut self, names: Vec<String>) {
        self.checks = names;
    }

    /// Takes note of an event and writes what is to be said of it.
    pub(crate) fn on(&mut self, event: &Event<'_>, now: Duration) {
        self.progress.on(event, now);
        match *event {
            Event::PassStarted { name, size } => {
                self.line(now, &format!("pass {name}: starts at {}", self.size(size)));
            }
            Event::Answered { verdict, hit, .. } => {
                if self.verbosity >= Verbosity::Answers {
                    let source = if hit { "hit" } else { "query" };
                    self.line(now, &format!("{source}: {}", word(verdict, &self.checks)));
                }
            }
            Event::Accepted { best } => self.accepted(best, now),
            Event::PassEnded(report) => {
                let counts = report.counts;
                let text = format!(
                    "pass {}: ends at {} ({} of the input); {}, {}, {} accepted in {}",
                    report.name,
                    self.size(report.size_after),
                    percent(report.size_after, self.progress.input_bytes),
                    plural(counts.queries, "query", "queries"),
                    plural(counts.hits, "hit", "hits"),
                    counts.accepted,
                    time(report.time),
                );
                self.line(now, &text);
            }
            Event::Warning(text) => self.line(now, &format!("warning: {text}")),
            Event::Stopped(stop) => self.line(now, &format!("stopped: {stop}")),
        }
    }

    /// Writes a line that is no event.
    pub(crate) fn line(&mut self, now: Duration, text: &str) {
        // A log that cannot be written must not end the reduction.
        let _ = writeln!(self.out, "[{:8.1} s] {}", now.as_secs_f64(), harmless(text));
    }

    fn size(&self, size: u64) -> String {
        match self.progress.measure {
            Measure::Bytes => format!("{size} bytes"),
            Measure::Weight => format!("weight {size}"),
        }
    }

    fn accepted(&mut self, best: &Candidate, now: Duration) {
        let early = self.last_accepted.is_some_and(|last| now.saturating_sub(last) < BETWEEN_ACCEPTED);
        if early && self.verbosity < Verbosity::Accepted {
            return;
        }
        self.last_accepted = Some(now);
        if self.progress.uncounted().is_some() {
            self.progress.counted(best, (self.count_tokens)(best));
        }
        let Progress { measure, input_bytes, queries, hits, best_tokens, .. } = self.progress;
        let tokens = best_tokens.map_or_else(String::new, |tokens| {
            let part = measure.part();
            format!(", {}", plural(tokens, part, &format!("{part}s")))
        });
        let text = format!(
            "accepted: {} ({} of the input){tokens}; {}, {} so far",
            self.size(best.size()),
            percent(best.size(), input_bytes),
            plural(queries, "query", "queries"),
            plural(hits, "hit", "hits"),
        );
        self.line(now, &text);
    }
}

/// A count without thousands set apart: these lines are read by programs too.
fn plural(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn word(verdict: Verdict, checks: &[String]) -> String {
    match verdict {
        Verdict::Interesting => "interesting".to_owned(),
        Verdict::Boring { marks } => {
            let name = |check: CheckId| checks.get(usize::from(check.0)).cloned().unwrap_or_default();
            let failed: Vec<String> = marks.failed().map(name).collect();
            if failed.is_empty() { "boring".to_owned() } else { format!("boring ({})", failed.join(", ")) }
        }
        Verdict::Unresolved(Unresolved::TimedOut) => "timed out".to_owned(),
        Verdict::Unresolved(Unresolved::Crashed) => "crashed".to_owned(),
        Verdict::Unresolved(Unresolved::OutOfMemory) => "out of memory".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{Shared, play};

    fn lines(verbosity: u8) -> String {
        let out = Shared::default();
        let count_tokens = Box::new(|best: &Candidate| best.size() / 5);
        let mut plain =
            Plain::new(Box::new(out.clone()), verbosity, Progress::new(10_034, Some(2001)), count_tokens);
        play(&mut |event, now| plain.on(event, now));
        out.text()
    }

    #[test]
    fn usual_lines_tell_of_passes_warnings_and_one_accepted_candidate_a_second() {
        insta::assert_snapshot!(lines(0), @r"
        [     0.0 s] pass line: starts at 10034 bytes
        [     0.8 s] accepted: 6020 bytes (60.0 % of the input), 1204 tokens; 7 queries, 1 hit so far
        [     2.4 s] accepted: 2167 bytes (21.6 % of the input), 433 tokens; 20 queries, 4 hits so far
        [     4.0 s] accepted: 780 bytes (7.8 % of the input), 156 tokens; 33 queries, 7 hits so far
        [     4.0 s] pass line: ends at 780 bytes (7.8 % of the input); 33 queries, 7 hits, 5 accepted in 4.00 s
        [     4.0 s] pass char: starts at 780 bytes
        [     5.6 s] accepted: 280 bytes (2.8 % of the input), 56 tokens; 46 queries, 10 hits so far
        [     6.4 s] warning: the disk is nearly full
        [     6.4 s] stopped: the time limit of the run was reached
        [     6.4 s] pass char: ends at 168 bytes (1.7 % of the input); 20 queries, 4 hits, 3 accepted in 2.40 s
        ");
    }

    #[test]
    fn verbose_lines_tell_of_every_accepted_candidate() {
        insta::assert_snapshot!(lines(1), @r"
        [     0.0 s] pass line: starts at 10034 bytes
        [     0.8 s] accepted: 6020 bytes (60.0 % of the input), 1204 tokens; 7 queries, 1 hit so far
        [     1.6 s] accepted: 3612 bytes (36.0 % of the input), 722 tokens; 13 queries, 3 hits so far
        [     2.4 s] accepted: 2167 bytes (21.6 % of the input), 433 tokens; 20 queries, 4 hits so far
        [     3.2 s] accepted: 1300 bytes (13.0 % of the input), 260 tokens; 26 queries, 6 hits so far
        [     4.0 s] accepted: 780 bytes (7.8 % of the input), 156 tokens; 33 queries, 7 hits so far
        [     4.0 s] pass line: ends at 780 bytes (7.8 % of the input); 33 queries, 7 hits, 5 accepted in 4.00 s
        [     4.0 s] pass char: starts at 780 bytes
        [     4.8 s] accepted: 468 bytes (4.7 % of the input), 93 tokens; 40 queries, 8 hits so far
        [     5.6 s] accepted: 280 bytes (2.8 % of the input), 56 tokens; 46 queries, 10 hits so far
        [     6.4 s] accepted: 168 bytes (1.7 % of the input), 33 tokens; 53 queries, 11 hits so far
        [     6.4 s] warning: the disk is nearly full
        [     6.4 s] stopped: the time limit of the run was reached
        [     6.4 s] pass char: ends at 168 bytes (1.7 % of the input); 20 queries, 4 hits, 3 accepted in 2.40 s
        ");
    }

    #[test]
    fn very_verbose_lines_tell_of_every_answer() {
        let lines = lines(2);
        let number_of = |word: &str| lines.lines().filter(|line| line.contains(word)).count();
        assert_eq!(number_of("] query: boring"), 45);
        assert_eq!(number_of("] query: interesting"), 8);
        assert_eq!(number_of("] query: timed out"), 1);
        assert_eq!(number_of("] hit: boring"), 11);
        assert_eq!(number_of("] accepted: "), 8);
    }

    #[test]
    fn a_boring_verdict_names_the_checks_that_failed() {
        let names = ["compiles", "runs"].map(str::to_owned);
        assert_eq!(word(Verdict::failed_at(CheckId(1)), &names), "boring (runs)");
        assert_eq!(word(Verdict::BORING, &names), "boring");
    }

    #[test]
    fn a_message_cannot_steer_the_terminal() {
        let out = Shared::default();
        let mut plain =
            Plain::new(Box::new(out.clone()), 0, Progress::new(1, None), Box::new(Candidate::size));
        plain.line(Duration::from_millis(1500), "no such file: \x1b[2J");
        assert_eq!(out.text(), "[     1.5 s] no such file: \u{fffd}[2J\n");
    }
}
