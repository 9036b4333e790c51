//! How a test with several checks tells which of them failed: by its exit status, or by lines in a file.

use std::sync::OnceLock;

use dwindle_core::{CheckId, Mark, Marks, Verdict};

use crate::error::ExecError;
use crate::report::{Ending, RunReport};

/// The variable that names the file to which a test may append `NAME ok` and `NAME fail`.
pub(crate) const CHECKS: &str = "DWINDLE_CHECKS";

/// The names of a test's checks, and the exit statuses that stand for them.
///
/// Without names given, those count that the test reports on the input, in the order in which it does so: they are
/// learned from its first interesting run.
#[derive(Debug, Default)]
pub struct Stages {
    names: OnceLock<Vec<String>>,
    statuses: Vec<(i32, CheckId)>,
}

impl Stages {
    /// Checks by name, in the order in which the test runs them, and the status with which it ends if one fails.
    ///
    /// # Errors
    /// If there are too many, or one is named twice.
    pub fn new(checks: impl IntoIterator<Item = (String, Option<i32>)>) -> Result<Self, ExecError> {
        let (mut names, mut statuses) = (Vec::new(), Vec::new());
        for (name, status) in checks {
            if names.contains(&name) {
                return Err(ExecError::CheckTwice { name });
            }
            statuses.extend(status.map(|status| (status, CheckId(names.len() as u16))));
            names.push(name);
        }
        few_enough(&names)?;
        Ok(Stages { names: names.into(), statuses })
    }

    /// The names, as far as they are known by now.
    #[must_use]
    pub fn names(&self) -> &[String] {
        self.names.get().map_or(&[], Vec::as_slice)
    }

    /// The names that an earlier run has learned.
    pub fn set_names(&self, names: Vec<String>) {
        // Those that were given stay.
        let _ = self.names.set(names);
    }

    /// Whether there is anything to be told.
    pub(crate) fn are_wanted(&self) -> bool {
        self.names.get().is_none_or(|names| !names.is_empty())
    }

    /// What the run of a test says, with the lines it has left and a look at its exit status.
    pub(crate) fn verdict(
        &self,
        verdict: Verdict,
        report: &RunReport,
        told: &[u8],
    ) -> Result<Verdict, ExecError> {
        match verdict {
            Verdict::Unresolved(_) => return Ok(verdict),
            Verdict::Interesting if self.names.get().is_some() => {}
            Verdict::Interesting => {
                let mut names = Vec::new();
                for (name, _) in lines(told)? {
                    if !names.iter().any(|known| known == name) {
                        names.push(name.to_owned());
                    }
                }
                few_enough(&names)?;
                self.set_names(names);
            }
            Verdict::Boring { .. } => {}
        }
        let mut marks = Marks::NONE;
        if let Ending::Exited(status) = report.ending
            && let Some(&(_, check)) = self.statuses.iter().find(|(known, _)| *known == status)
        {
            marks = Marks::failed_at(check);
        }
        for (name, mark) in lines(told)? {
            let Some(names) = self.names.get() else { continue };
            let Some(at) = names.iter().position(|known| known == name) else {
                return Err(ExecError::UnknownCheck { name: name.to_owned(), known: names.join(", ") });
            };
            let check = CheckId(at as u16);
            // A check may be made of several steps: the first that fails decides.
            if marks.get(check) != Mark::Failed {
                marks = marks.with(check, mark);
            }
        }
        Ok(if verdict.is_interesting() { verdict } else { Verdict::Boring { marks } })
    }
}

fn few_enough(names: &[String]) -> Result<(), ExecError> {
    if names.len() > Marks::MAX_CHECKS {
        return Err(ExecError::TooManyChecks { count: names.len() });
    }
    Ok(())
}

/// The lines `NAME ok` and `NAME fail`.
fn lines(told: &[u8]) -> Result<Vec<(&str, Mark)>, ExecError> {
    let refused = |line: &[u8]| ExecError::NotACheckLine {
        line: String::from_utf8_lossy(line).chars().take(80).collect(),
    };
    let lines = told.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let text = std::str::from_utf8(line).map_err(|_| refused(line))?;
            let (name, mark) = text.rsplit_once([' ', '\t']).ok_or_else(|| refused(line))?;
            match mark {
                "ok" => Ok((name.trim(), Mark::Ok)),
                "fail" => Ok((name.trim(), Mark::Failed)),
                _ => Err(refused(line)),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn report(status: i32) -> RunReport {
        let (stdout, stderr) = (Vec::new(), Vec::new());
        RunReport { ending: Ending::Exited(status), wall: Duration::ZERO, max_rss: 0, stdout, stderr }
    }

    fn stages(checks: &[(&str, Option<i32>)]) -> Stages {
        Stages::new(checks.iter().map(|&(name, status)| (name.to_owned(), status))).unwrap()
    }

    fn say(stages: &Stages, status: i32, told: &str) -> Result<Verdict, String> {
        let verdict = Verdict::from(status == 0);
        stages.verdict(verdict, &report(status), told.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn an_exit_status_names_the_check_and_those_before_it_held() {
        let stages = stages(&[("compiles", Some(3)), ("sanitizer", Some(4)), ("bug", None)]);
        assert_eq!(say(&stages, 4, ""), Ok(Verdict::failed_at(CheckId(1))));
        assert_eq!(say(&stages, 1, ""), Ok(Verdict::BORING));
        assert_eq!(say(&stages, 0, ""), Ok(Verdict::Interesting));
        assert_eq!(
            say(&stages, 1, "compiles ok\nsanitizer ok\nbug fail\n"),
            Ok(Verdict::failed_at(CheckId(2)))
        );
    }

    #[test]
    fn names_are_learned_from_the_first_interesting_run() {
        let stages = Stages::default();
        assert!(stages.are_wanted());
        assert_eq!(say(&stages, 0, "a b ok\nc ok\na b ok\n"), Ok(Verdict::Interesting));
        assert_eq!(stages.names(), ["a b", "c"]);
        let both = Marks::NONE.with(CheckId(0), Mark::Failed).with(CheckId(1), Mark::Failed);
        assert_eq!(say(&stages, 1, "c fail\n\n  a b fail\r\na b ok\n"), Ok(Verdict::Boring { marks: both }));
        let unknown = say(&stages, 1, "d fail\n").unwrap_err();
        assert!(unknown.contains("`d`") && unknown.contains("a b, c"), "{unknown}");
        let silent = Stages::default();
        assert_eq!(say(&silent, 0, ""), Ok(Verdict::Interesting));
        assert!(!silent.are_wanted());
    }

    #[test]
    fn what_is_no_line_of_a_check_is_refused() {
        let stages = stages(&[("a", None)]);
        for line in ["a", "a yes", "ok", "\u{fffd}"] {
            assert!(say(&stages, 1, line).unwrap_err().contains("NAME ok"), "{line}");
        }
        let twice = Stages::new([("a".to_owned(), Some(1)), ("a".to_owned(), Some(2))]).unwrap_err();
        assert!(twice.to_string().contains("twice"));
        let many = Stages::new((0..16).map(|i| (i.to_string(), None))).unwrap_err();
        assert!(many.to_string().contains("15"), "{many}");
    }
}
