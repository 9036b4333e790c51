//! By-catch: runs that are not interesting, but misbehave in another way that somebody would like to know of.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use dwindle_core::{Candidate, Verdict};
use regex::bytes::{Captures, Regex};

use crate::report::{Ending, RunReport};

/// How much of a matching text tells one finding from another, in characters.
const LONGEST_TEXT: usize = 200;

/// One run of a test, for those who want more of it than its verdict.
#[derive(Clone, Copy, Debug)]
pub struct Heard<'a> {
    /// What it ran on.
    pub candidate: &'a Candidate,
    /// What it said.
    pub verdict: Verdict,
    /// What it was like, with the last of its output.
    pub report: &'a RunReport,
    /// Where it ran.
    pub work_dir: &'a Path,
}

/// Something to look out for.
#[derive(Clone, Debug)]
pub enum BycatchRule {
    /// Output (of either stream) that matches this expression.
    Output(Regex),
    /// An end of this class.
    End(EndClass),
}

/// A class of ends of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndClass {
    /// A status as a shell shows it (128 + *n* for signal *n*), from the first to the last of these.
    Status(i32, i32),
    /// Its time limit.
    TimedOut,
    /// Its memory limit.
    OutOfMemory,
}

impl EndClass {
    fn holds(&self, ending: Ending) -> bool {
        match (self, ending) {
            (EndClass::Status(first, last), Ending::Exited(status)) => (*first..=*last).contains(&status),
            (EndClass::Status(first, last), Ending::Signalled(signal)) => {
                (*first..=*last).contains(&(128 + signal))
            }
            (EndClass::TimedOut, Ending::TimedOut) | (EndClass::OutOfMemory, Ending::OutOfMemory) => true,
            _ => false,
        }
    }
}

impl FromStr for EndClass {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let status = |text: &str| text.trim().parse::<i32>().ok().filter(|status| (0..256).contains(status));
        match text.split_once('-').unwrap_or((text, text)) {
            _ if text == "timeout" => Ok(EndClass::TimedOut),
            _ if text == "memory" => Ok(EndClass::OutOfMemory),
            (first, last) => match (status(first), status(last)) {
                (Some(first), Some(last)) if first <= last => Ok(EndClass::Status(first, last)),
                _ => Err(format!(
                    "`{text}` is no class of ends: give a status from 0 to 255 (128 + n for signal n), a range such as \
                     129-192, `timeout` or `memory`"
                )),
            },
        }
    }
}

impl fmt::Display for BycatchRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BycatchRule::Output(expression) => write!(f, "{expression}"),
            BycatchRule::End(EndClass::Status(first, last)) if first == last => write!(f, "exit {first}"),
            BycatchRule::End(EndClass::Status(first, last)) => write!(f, "exit {first}-{last}"),
            BycatchRule::End(EndClass::TimedOut) => f.write_str("timeout"),
            BycatchRule::End(EndClass::OutOfMemory) => f.write_str("memory"),
        }
    }
}

impl BycatchRule {
    /// Looks out for output that matches this expression, which is over bytes.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn output(expression: &str) -> Result<Self, regex::Error> {
        Regex::new(expression).map(BycatchRule::Output)
    }

    /// What tells this run from others that fit the rule, if it fits: the text that matches first (that of the first
    /// group, if the expression has one), or how the run ended. Where it ran is left out, for that differs from run to
    /// run.
    #[must_use]
    pub fn text(&self, heard: &Heard<'_>) -> Option<String> {
        match self {
            BycatchRule::End(class) => {
                class.holds(heard.report.ending).then(|| heard.report.ending.to_string())
            }
            BycatchRule::Output(expression) => {
                let streams = [&heard.report.stdout, &heard.report.stderr];
                let found = streams.into_iter().find_map(|output| expression.captures(output))?;
                Some(shortened(&found, heard.work_dir))
            }
        }
    }
}

fn shortened(found: &Captures<'_>, work_dir: &Path) -> String {
    let text = found.get(1).or_else(|| found.get(0)).map_or(&[][..], |text| text.as_bytes());
    let text = String::from_utf8_lossy(text);
    let text = text.replace(&format!("{}/", work_dir.display()), "");
    text.trim().chars().take(LONGEST_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwindle_core::Files;
    use std::time::Duration;

    fn text(rule: &BycatchRule, ending: Ending, stdout: &[u8], stderr: &[u8]) -> Option<String> {
        let candidate = Candidate::of_files(Files::single("a", *b"x"));
        let report = RunReport {
            ending,
            wall: Duration::ZERO,
            max_rss: 0,
            stdout: stdout.to_vec(),
            stderr: stderr.to_vec(),
        };
        let heard = Heard {
            candidate: &candidate,
            verdict: Verdict::BORING,
            report: &report,
            work_dir: Path::new("/w/0"),
        };
        rule.text(&heard)
    }

    #[test]
    fn a_run_is_told_by_the_text_that_matches_first_wherever_it_ran() {
        let rule = |expression: &str| BycatchRule::Output(Regex::new(expression).unwrap());
        let told = |expression: &str, stdout: &[u8], stderr: &[u8]| {
            text(&rule(expression), Ending::Exited(1), stdout, stderr)
        };
        assert_eq!(told("assert.*", b"x\nassert a\nassert b", b""), Some("assert a".to_owned()));
        assert_eq!(told("assert (.)", b"assert a", b""), Some("a".to_owned()));
        assert_eq!(told("at .*", b"", b"at /w/0/p.c:3"), Some("at p.c:3".to_owned()));
        assert_eq!(told("assert", b"\xff", b""), None);
        assert_eq!(told("a+", &[b'a'; 1000], b"").map(|text| text.len()), Some(LONGEST_TEXT));
    }

    #[test]
    fn ends_have_classes() {
        use Ending::{Exited, OutOfMemory, Signalled, TimedOut};
        for (class, ending, holds) in [
            ("139", Exited(139), true),
            ("139", Signalled(11), true),
            ("139", Exited(1), false),
            ("129-192", Signalled(6), true),
            ("129-192", TimedOut, false),
            ("timeout", TimedOut, true),
            ("memory", OutOfMemory, true),
        ] {
            let rule = BycatchRule::End(class.parse().unwrap());
            assert_eq!(text(&rule, ending, b"", b"").is_some(), holds, "{class} {ending}");
        }
        for class in ["", "256", "-1", "5-3", "crash", "1-", "1-2-3"] {
            assert!(class.parse::<EndClass>().unwrap_err().contains("no class of ends"), "{class}");
        }
    }
}
