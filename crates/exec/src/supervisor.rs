//! One small process a worker slot that starts the tests, waits for them and ends whatever they leave behind.
//!
//! Why a process of its own: a test's stray descendants can only be attributed to it, and found without searching the
//! whole machine, if they all get the same new parent, and that parent does nothing else. And when dwindle itself is
//! killed, the supervisors see their socket close, end what runs, remove the work directories and go.
//!
//! A supervisor is the same program started again. The program has to call [`run_if_asked`] first thing in `main`.

mod link;
mod resident;
mod serve;
mod stray;
mod sweep;
mod tail;

pub(crate) use link::{Link, Outcome, Question};
pub(crate) use stray::MARK;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The name a supervisor is started under, which is how it knows what it is (and what a process list shows).
const NAME: &str = "dwindle-supervisor";

/// Set for supervisors, not for tests: a program that does not know the hook would otherwise start itself without end.
const ASKED: &str = "DWINDLE_SUPERVISOR";

/// The program to start supervisors with.
#[derive(Clone, Debug)]
pub struct Supervisor {
    program: PathBuf,
}

impl Supervisor {
    /// This very program, which must call [`run_if_asked`] first thing in its `main`.
    #[must_use]
    pub fn this_program() -> Self {
        // Still right when the file was replaced by a newer one meanwhile.
        Self::program("/proc/self/exe")
    }

    /// Another program that calls [`run_if_asked`].
    pub fn program(path: impl Into<PathBuf>) -> Self {
        Supervisor { program: path.into() }
    }

    /// Where the program is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.program
    }
}

/// Turns this process into a supervisor if it was started as one, and then never returns. Call it first thing in `main`.
pub fn run_if_asked() {
    let mut args = std::env::args_os();
    if args.next().as_deref() != Some(OsStr::new(NAME)) || std::env::var_os(ASKED).is_none() {
        return;
    }
    let Some(slot) = args.next() else { return };
    let served = serve::serve(Path::new(&slot));
    std::process::exit(if served.is_ok() { 0 } else { 1 });
}
