//! Why a test cannot be run at all, each with what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use dwindle_core::Broken;
use rustix::io::Errno;

/// Why a test cannot be run at all.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// No room for the candidate.
    #[error(
        "no space left in {path:?}, where the test's work directories are: free some, or choose another place with --work-dir"
    )]
    DiskFull {
        /// What could not be written.
        path: PathBuf,
    },
    /// A work directory could not be made, cleaned or filled.
    #[error(
        "cannot {what} {path:?}: {source}; choose another place for the test's work directories with --work-dir"
    )]
    WorkDir {
        /// What was tried.
        what: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A candidate's file would lie outside its work directory.
    #[error("{path:?} is not a plain relative path: a candidate's files must stay inside the work directory")]
    PathOutside {
        /// The path in question.
        path: PathBuf,
    },
    /// The test could not be started.
    #[error("cannot start {program:?}: {source}; {}", what_to_do(.source))]
    CannotStart {
        /// The test.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The helper process that watches over a test could not be started.
    #[error(
        "cannot start the supervisor process of the tests: {source}; the limit of processes may be too low (ulimit -u)"
    )]
    CannotStartSupervisor {
        /// What the system said.
        source: io::Error,
    },
    /// The program that was started as a supervisor does not behave like one.
    #[error(
        "{program:?} does not act as a supervisor: it must call dwindle_exec::supervisor::run_if_asked() first thing in main"
    )]
    NotASupervisor {
        /// The program in question.
        program: PathBuf,
    },
    /// The sandbox does not work (any more).
    #[error(transparent)]
    Sandbox(#[from] crate::sandbox::Unavailable),
    /// A persistent test said something that is no number.
    #[error(
        "the persistent test answered {answer:?}: it must print one number a candidate on standard output (0 = interesting), and everything else on standard error"
    )]
    NotAnAnswer {
        /// What it said.
        answer: String,
    },
    /// A test speaks of a check that nobody knows.
    #[error(
        "the test reports on a check `{name}` that is not known (known: {known}): report `NAME ok` for every check that holds on the input, or name them all with --check-names"
    )]
    UnknownCheck {
        /// What it is called.
        name: String,
        /// Those that are.
        known: String,
    },
    /// A line in the file of checks that says nothing.
    #[error("the test wrote {line:?} to $DWINDLE_CHECKS: each line must be `NAME ok` or `NAME fail`")]
    NotACheckLine {
        /// What it says.
        line: String,
    },
    /// Two checks of one name.
    #[error("the check `{name}` is there twice: give each a name of its own")]
    CheckTwice {
        /// The name in question.
        name: String,
    },
    /// More checks than verdicts can carry.
    #[error("there are {count} checks, and 15 is the most: join some of them into one")]
    TooManyChecks {
        /// How many there are.
        count: usize,
    },
    /// A line cannot carry this path.
    #[error("{path:?} has a line break in its name, which a persistent test cannot be told: rename it")]
    LineBreakInPath {
        /// The path in question.
        path: PathBuf,
    },
}

fn what_to_do(error: &io::Error) -> &'static str {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOEXEC) => {
            "if it is a script, its first line must name its interpreter, for example #!/bin/sh"
        }
        Some(Errno::NOENT) => "it, or the interpreter its first line names, is not there (any more)",
        Some(Errno::ACCESS) => "make it executable with chmod +x",
        Some(Errno::AGAIN | Errno::NOMEM) => {
            "too many processes or too little memory: lower -j, or raise ulimit -u"
        }
        Some(Errno::TXTBSY) => "somebody is writing to it",
        Some(Errno::MFILE | Errno::NFILE) => "too many open files: raise ulimit -n",
        _ => "check that it can be run by hand",
    }
}

impl ExecError {
    /// An error of the system on a path of a work directory.
    pub(crate) fn on(what: &'static str, path: &Path, source: impl Into<io::Error>) -> Self {
        let (path, source) = (path.to_owned(), source.into());
        if matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) {
            ExecError::DiskFull { path }
        } else {
            ExecError::WorkDir { what, path, source }
        }
    }
}

impl From<ExecError> for Broken {
    fn from(error: ExecError) -> Self {
        Broken(Box::new(error))
    }
}
