//! What one run of a test was like.

use std::fmt;
use std::time::Duration;

use dwindle_core::{Candidate, Verdict};

use crate::error::ExecError;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It ended on its own with this status.
    Exited(i32),
    /// A signal that was not ours ended it.
    Signalled(i32),
    /// It was ended at its time limit.
    TimedOut,
    /// It failed at its memory limit.
    OutOfMemory,
    /// It took its supervisor down with it.
    Lost,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Exited(code) => write!(f, "exit status {code}"),
            Ending::Signalled(signal) => match signal_name(*signal) {
                Some(name) => write!(f, "ended by signal {signal} ({name})"),
                None => write!(f, "ended by signal {signal}"),
            },
            Ending::TimedOut => f.write_str("ended at its time limit"),
            Ending::OutOfMemory => f.write_str("out of memory at its limit"),
            Ending::Lost => f.write_str("it killed the process that watches over it"),
        }
    }
}

fn signal_name(signal: i32) -> Option<&'static str> {
    const NAMES: [(i32, &str); 16] = [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (5, "SIGTRAP"),
        (6, "SIGABRT"),
        (7, "SIGBUS"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (14, "SIGALRM"),
        (15, "SIGTERM"),
        (24, "SIGXCPU"),
        (25, "SIGXFSZ"),
        (31, "SIGSYS"),
    ];
    NAMES.iter().find(|(number, _)| *number == signal).map(|(_, name)| *name)
}

/// What one run of a test was like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReport {
    /// How it ended.
    pub ending: Ending,
    /// How long it took.
    pub wall: Duration,
    /// The most memory any of its processes had in use, in bytes; at least what the supervisor itself uses.
    pub max_rss: u64,
    /// The last bytes of its output, as far as it was captured; of both streams when they were captured together.
    pub stdout: Vec<u8>,
    /// The last bytes of its standard error, where captured apart.
    pub stderr: Vec<u8>,
}

impl RunReport {
    /// The last lines of what the test said, for a message.
    #[must_use]
    pub fn last_lines(&self, lines: usize) -> String {
        let both = [self.stdout.as_slice(), self.stderr.as_slice()].concat();
        let text = String::from_utf8_lossy(&both);
        let all: Vec<_> = text.trim_end().lines().collect();
        all[all.len().saturating_sub(lines)..].join("\n")
    }
}

/// A run that was looked at closely, for the checks at the start.
#[derive(Clone, Debug)]
pub struct Probed {
    /// What it means.
    pub verdict: Verdict,
    /// What it was like, with the last of its output.
    pub report: RunReport,
}

/// A test that can be run with its output captured.
pub trait Probe {
    /// Runs the test on a candidate in slot 0.
    fn probe(&self, candidate: &Candidate) -> Result<Probed, ExecError>;
}

/// The time limit that suits a test whose first run took this long: ten times that, at least five seconds.
///
/// Variants may well take longer than the input (an error path, an endless loop that ends), but a test that hangs
/// costs its whole limit.
#[must_use]
pub fn learned_time_limit(first_run: Duration) -> Duration {
    first_run.saturating_mul(10).max(Duration::from_secs(5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_learned_limit_is_ten_times_the_first_run_but_at_least_five_seconds() {
        assert_eq!(learned_time_limit(Duration::from_millis(3)), Duration::from_secs(5));
        assert_eq!(learned_time_limit(Duration::from_secs(2)), Duration::from_secs(20));
    }

    #[test]
    fn the_last_lines_survive_bytes_that_are_no_text() {
        let report = RunReport {
            ending: Ending::Signalled(11),
            wall: Duration::ZERO,
            max_rss: 0,
            stdout: b"one\ntwo\r\n\xff\xfe\n\n".to_vec(),
            stderr: Vec::new(),
        };
        assert_eq!(report.last_lines(2), "two\n\u{fffd}\u{fffd}");
        assert_eq!(report.ending.to_string(), "ended by signal 11 (SIGSEGV)");
    }
}
