//! Keeping tests from doing harm: bubblewrap, where it is installed.
//!
//! Inside: the whole file system read-only but for the work directory and its `TMPDIR`, an empty private `/tmp`, a fresh
//! `/dev` and `/proc`, no network, no processes but the test's own, all of which end with it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::workdir::WorkDir;

/// What was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// Bubblewrap where it works.
    #[default]
    Auto,
    /// Bubblewrap or nothing.
    Bubblewrap,
    /// No sandbox.
    None,
}

/// What tests are kept from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sandbox {
    /// Nothing.
    #[default]
    None,
    /// Everything bubblewrap, which is here, can keep them from.
    Bubblewrap(PathBuf),
}

/// Why there is no sandbox.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// bubblewrap is not installed.
    #[error("bubblewrap (the program bwrap) is not installed: apt install bubblewrap, or use --sandbox none")]
    Missing,
    /// It worked at the start, but not any more.
    #[error(
        "bubblewrap could not start the test, though it could before: the limits on processes or namespaces may be reached; lower -j, or use --sandbox none"
    )]
    Failed,
    /// It is installed, but cannot make a sandbox.
    #[error(
        "bubblewrap is installed but does not work here ({message}): allow user namespaces, or use --sandbox none"
    )]
    Useless {
        /// What it said.
        message: String,
    },
}

impl Sandbox {
    /// The sandbox for what was asked for.
    pub fn choose(choice: Choice) -> Result<Self, Unavailable> {
        match choice {
            Choice::None => Ok(Sandbox::None),
            Choice::Bubblewrap => available().map(Sandbox::Bubblewrap),
            Choice::Auto => Ok(available().map_or(Sandbox::None, Sandbox::Bubblewrap)),
        }
    }

    /// Whether there is any.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Sandbox::None
    }

    /// The words to put before a test's own.
    pub(crate) fn wrapper(&self, dir: &WorkDir, test: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
        let Sandbox::Bubblewrap(program) = self else {
            return None;
        };
        let mut words = base(program);
        let mut bind = |how: &str, path: &Path| {
            words.extend([how.into(), path.as_os_str().to_owned(), path.as_os_str().to_owned()]);
        };
        // The private /tmp hides a test that lies in the real one, and the files beside it that it may use.
        let named = test.iter().map(|word| Path::new(OsStr::from_bytes(word)));
        for path in named.filter(|path| path.starts_with("/tmp") && !path.starts_with(dir.slot())) {
            match path.parent() {
                Some(parent) if parent != Path::new("/tmp") && parent.is_dir() => bind("--ro-bind", parent),
                Some(_) if path.is_file() => bind("--ro-bind", path),
                _ => {}
            }
        }
        // After the file systems that would hide them.
        bind("--bind", dir.path());
        bind("--bind", dir.tmp());
        words.extend(["--chdir".into(), dir.path().as_os_str().to_owned(), "--".into()]);
        Some(words.into_iter().map(OsString::into_vec).collect())
    }
}

/// The option that takes the number of a descriptor to report the test's exit to: how its own failure is told apart.
pub(crate) const REPORT: &str = "--json-status-fd";

/// Whether a report says that the test was run, whatever its status.
pub(crate) fn has_run(report: &[u8]) -> bool {
    report.windows(9).any(|part| part == b"exit-code")
}

fn base(program: &Path) -> Vec<OsString> {
    let mut words = vec![program.as_os_str().to_owned()];
    let options =
        "--unshare-all --die-with-parent --new-session --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp";
    words.extend(options.split(' ').map(OsString::from));
    words
}

/// Where bubblewrap is, if a trial run shows that it works.
pub fn available() -> Result<PathBuf, Unavailable> {
    let program = crate::preflight::in_path("bwrap".as_ref()).ok_or(Unavailable::Missing)?;
    let words = base(&program);
    let trial = Command::new(&program)
        .args(&words[1..])
        .args([REPORT, "1", "--", "/bin/sh", "-c", "exit 0"])
        .stdin(Stdio::null())
        .output();
    match trial {
        Ok(trial) if trial.status.success() => Ok(program),
        Ok(trial) => {
            let said = String::from_utf8_lossy(&trial.stderr);
            Err(Unavailable::Useless { message: said.lines().last().unwrap_or("it says nothing").to_owned() })
        }
        Err(error) => Err(Unavailable::Useless { message: error.to_string() }),
    }
}
