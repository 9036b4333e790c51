//! What makes a run interesting: the test's own word, or a property of how a command ends and what it prints.

use dwindle_core::{Unresolved, Verdict};
use regex::bytes::Regex;

use crate::report::{Ending, RunReport};
use crate::wire::Capture;

/// How much of the end of each output stream an expression is matched against.
pub(crate) const MATCHED_OUTPUT: u32 = 1 << 20;

/// The signals of a program that broke, not of one that was ended: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS.
const CRASH_SIGNALS: [i32; 7] = [4, 5, 6, 7, 8, 11, 31];

/// Makes a verdict of a run.
#[derive(Clone, Debug)]
pub enum Judge {
    /// Exit status 0 is interesting, any other boring; a signal is a crash of the test and no answer.
    ExitStatus,
    /// A command whose behaviour is the property.
    Property(Property),
}

impl Judge {
    /// What a run that ended like this says about its candidate.
    #[must_use]
    pub fn verdict(&self, report: &RunReport) -> Verdict {
        match (report.ending, self) {
            (Ending::OutOfMemory, _) => Verdict::Unresolved(Unresolved::OutOfMemory),
            (Ending::TimedOut, Judge::Property(property)) if property.time_out => {
                property.holds(report).into()
            }
            (Ending::TimedOut, _) => Verdict::Unresolved(Unresolved::TimedOut),
            (Ending::Exited(code), Judge::ExitStatus) => (code == 0).into(),
            (Ending::Lost, _) | (Ending::Signalled(_), Judge::ExitStatus) => {
                Verdict::Unresolved(Unresolved::Crashed)
            }
            (_, Judge::Property(property)) => property.holds(report).into(),
        }
    }

    /// What has to be kept of the output.
    pub(crate) fn capture(&self) -> Capture {
        match self {
            Judge::Property(property) if property.stdout.is_some() || property.stderr.is_some() => {
                Capture::Apart(MATCHED_OUTPUT)
            }
            _ => Capture::Nothing,
        }
    }
}

/// Which signal is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalWanted {
    /// Any at all.
    Any,
    /// This one.
    Number(i32),
}

/// How a command has to behave for a candidate to be interesting: every condition that is given must hold.
///
/// A status is what a shell shows in `$?`: ended by signal *n* is the same as status 128 + *n*. So wrappers, compiler
/// drivers and sandboxes that pass a signal on as a status make no difference.
#[derive(Clone, Debug, Default)]
pub struct Property {
    exit: Option<i32>,
    signal: Option<SignalWanted>,
    crash: bool,
    stdout: Option<Regex>,
    stderr: Option<Regex>,
    time_out: bool,
}

/// Why conditions make no property.
#[derive(Debug, thiserror::Error)]
pub enum PropertyError {
    /// No condition at all.
    #[error(
        "say what makes a run interesting: --exit N, --signal, --crash, --stdout RE, --stderr RE or --timeout-is-interesting"
    )]
    Empty,
    /// No run can meet them all.
    #[error("{0} and {1} can never both hold: give one of them")]
    Contradiction(&'static str, &'static str),
    /// A status that no program can have.
    #[error("--exit {0}: an exit status is a number from 0 to 255")]
    NoSuchStatus(i32),
    /// A signal that does not exist.
    #[error("--signal {0}: a signal is a number from 1 to 64")]
    NoSuchSignal(i32),
    /// An expression that cannot be read.
    #[error("{option} {source}")]
    Expression {
        /// The option it was given to.
        option: &'static str,
        /// What is wrong with it.
        source: Box<regex::Error>,
    },
}

impl Property {
    /// No condition yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The status is `code`.
    #[must_use]
    pub fn exit(mut self, code: i32) -> Self {
        self.exit = Some(code);
        self
    }

    /// It is ended by a signal.
    #[must_use]
    pub fn signal(mut self, signal: SignalWanted) -> Self {
        self.signal = Some(signal);
        self
    }

    /// It crashes: any signal ends it, or its status is 128 + *n* for a signal *n* of a broken program
    /// (SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS), as shells and compiler drivers report it.
    #[must_use]
    pub fn crash(mut self) -> Self {
        self.crash = true;
        self
    }

    /// It does not end within its time limit.
    #[must_use]
    pub fn time_out(mut self) -> Self {
        self.time_out = true;
        self
    }

    /// Its standard output (the last MiB of it) matches this expression, which is over bytes; `(?m)` and the like work.
    pub fn stdout(mut self, expression: &str) -> Result<Self, PropertyError> {
        self.stdout = Some(compile("--stdout", expression)?);
        Ok(self)
    }

    /// Its standard error (the last MiB of it) matches this expression.
    pub fn stderr(mut self, expression: &str) -> Result<Self, PropertyError> {
        self.stderr = Some(compile("--stderr", expression)?);
        Ok(self)
    }

    /// A judge, if there is any condition and they can all hold.
    pub fn judge(self) -> Result<Judge, PropertyError> {
        let ends =
            [("--exit", self.exit.is_some()), ("--signal", self.signal.is_some()), ("--crash", self.crash)];
        if !ends.iter().any(|(_, given)| *given)
            && !self.time_out
            && self.stdout.is_none()
            && self.stderr.is_none()
        {
            return Err(PropertyError::Empty);
        }
        if let (Some((option, _)), true) = (ends.iter().find(|(_, given)| *given), self.time_out) {
            return Err(PropertyError::Contradiction(option, "--timeout-is-interesting"));
        }
        if let Some(code) = self.exit.filter(|code| !(0..256).contains(code)) {
            return Err(PropertyError::NoSuchStatus(code));
        }
        if let Some(SignalWanted::Number(signal)) = self.signal
            && !(1..=64).contains(&signal)
        {
            return Err(PropertyError::NoSuchSignal(signal));
        }
        let holds_for = |status| self.status_holds(Ending::Exited(status));
        if ends.iter().any(|(_, given)| *given)
            && !(0..256).any(holds_for)
            && !(1..=64).any(|signal| self.status_holds(Ending::Signalled(signal)))
        {
            let given: Vec<_> = ends.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
            return Err(PropertyError::Contradiction(given[0], given[1]));
        }
        Ok(Judge::Property(self))
    }

    fn holds(&self, report: &RunReport) -> bool {
        let matches = |wanted: &Option<Regex>, output: &[u8]| {
            wanted.as_ref().is_none_or(|wanted| wanted.is_match(output))
        };
        let ended = match report.ending {
            Ending::TimedOut => self.time_out,
            ending => !self.time_out && self.status_holds(ending),
        };
        ended && matches(&self.stdout, &report.stdout) && matches(&self.stderr, &report.stderr)
    }

    fn status_holds(&self, ending: Ending) -> bool {
        let (status, signal, by_signal) = match ending {
            Ending::Exited(code) => (code, (129..=192).contains(&code).then(|| code - 128), false),
            Ending::Signalled(signal) => (128 + signal, Some(signal), true),
            _ => return false,
        };
        let exit = self.exit.is_none_or(|wanted| wanted == status);
        let signalled = match self.signal {
            None => true,
            Some(SignalWanted::Any) => signal.is_some(),
            Some(SignalWanted::Number(wanted)) => signal == Some(wanted),
        };
        let crashed =
            !self.crash || by_signal || signal.is_some_and(|signal| CRASH_SIGNALS.contains(&signal));
        exit && signalled && crashed
    }
}

fn compile(option: &'static str, expression: &str) -> Result<Regex, PropertyError> {
    Regex::new(expression).map_err(|source| PropertyError::Expression { option, source: Box::new(source) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn run(ending: Ending, stdout: &[u8], stderr: &[u8]) -> RunReport {
        RunReport {
            ending,
            wall: Duration::ZERO,
            max_rss: 0,
            stdout: stdout.to_vec(),
            stderr: stderr.to_vec(),
        }
    }

    #[test]
    fn every_condition_given_must_hold() {
        use Ending::{Exited, OutOfMemory, Signalled, TimedOut};
        let yes = Verdict::Interesting;
        let no = Verdict::BORING;
        let p = Property::new;
        let out = |re: &str| p().stdout(re).unwrap();
        let table = [
            (p().exit(3), run(Exited(3), b"", b""), yes),
            (p().exit(3), run(Exited(4), b"", b""), no),
            (p().exit(139), run(Signalled(11), b"", b""), yes),
            (p().signal(SignalWanted::Any), run(Signalled(15), b"", b""), yes),
            (p().signal(SignalWanted::Any), run(Exited(0), b"", b""), no),
            (p().signal(SignalWanted::Any), run(Exited(128), b"", b""), no),
            (p().signal(SignalWanted::Number(6)), run(Signalled(11), b"", b""), no),
            (p().signal(SignalWanted::Number(11)), run(Exited(139), b"", b""), yes),
            (p().crash(), run(Signalled(9), b"", b""), yes),
            (p().crash(), run(Exited(134), b"", b""), yes),
            (p().crash(), run(Exited(130), b"", b""), no),
            (p().crash(), run(Exited(1), b"", b""), no),
            (out("a.c"), run(Exited(0), b"xa\xffcx", b""), no),
            (out("(?-u)a.c"), run(Exited(0), b"xa\xffcx", b""), yes),
            (out("abc"), run(Exited(9), b"", b"abc"), no),
            (out("abc").stderr("^def$").unwrap(), run(Exited(9), b"abc", b"def"), yes),
            (out("abc").exit(1), run(Exited(9), b"abc", b""), no),
            (out("abc"), run(TimedOut, b"abc", b""), Verdict::Unresolved(Unresolved::TimedOut)),
            (p().time_out(), run(TimedOut, b"", b""), yes),
            (p().time_out(), run(Exited(0), b"", b""), no),
            (out("abc").time_out(), run(TimedOut, b"ab", b""), no),
            (p().crash(), run(OutOfMemory, b"", b""), Verdict::Unresolved(Unresolved::OutOfMemory)),
        ];
        for (property, report, verdict) in table {
            let judge = property.clone().judge().unwrap();
            assert_eq!(judge.verdict(&report), verdict, "{property:?} {report:?}");
        }
    }

    #[test]
    fn a_tests_signal_is_no_answer_but_its_status_is() {
        let verdict = |ending| Judge::ExitStatus.verdict(&run(ending, b"", b""));
        assert_eq!(verdict(Ending::Exited(0)), Verdict::Interesting);
        assert_eq!(verdict(Ending::Exited(1)), Verdict::BORING);
        assert_eq!(verdict(Ending::Exited(139)), Verdict::BORING);
        assert_eq!(verdict(Ending::Signalled(11)), Verdict::Unresolved(Unresolved::Crashed));
        assert_eq!(verdict(Ending::Lost), Verdict::Unresolved(Unresolved::Crashed));
        assert_eq!(verdict(Ending::TimedOut), Verdict::Unresolved(Unresolved::TimedOut));
    }

    #[test]
    fn conditions_that_make_no_sense_are_refused_with_what_to_do() {
        let p = Property::new;
        let table = [
            (p(), "say what makes a run interesting"),
            (p().exit(0).time_out(), "--exit and --timeout-is-interesting can never both hold"),
            (p().exit(1).crash(), "--exit and --crash can never both hold"),
            (p().exit(300), "a number from 0 to 255"),
            (p().signal(SignalWanted::Number(99)), "a number from 1 to 64"),
        ];
        for (property, message) in table {
            let error = property.judge().unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        assert!(p().stdout("(").unwrap_err().to_string().starts_with("--stdout "));
        assert!(p().exit(134).crash().judge().is_ok());
    }
}
