//! Exit codes, which scripts may rely on.

use std::process::ExitCode;

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The reduction came to its end, or to the limit of time or queries that was set.
    Done = 0,
    /// The reduction could not begin or go on: the input is not interesting, the test cannot be run, the disk is full.
    CannotGoOn = 1,
    /// The command line makes no sense, or names a file that is not there.
    Usage = 2,
    /// Ended by Ctrl-C (or SIGTERM); the best so far is kept.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}
