//! What is looked at before a reduction starts, each finding with what to do about it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use dwindle_core::{Candidate, CheckId, File as CandidateFile, Files, Verdict};
use rustix::fs::Access;

use crate::error::ExecError;
use crate::report::{Ending, Probe, RunReport};
use crate::sandbox::Sandbox;

/// How often the input is run to see whether the test is of one mind.
pub const RUNS_OF_THE_INPUT: u32 = 3;
/// How much of a failing test's output is shown.
const SHOWN_LINES: usize = 10;
/// The kernel looks no further for the interpreter of a script.
const MAX_SHEBANG: usize = 256;

/// Something to tell the user before the start.
#[derive(Debug, thiserror::Error)]
pub enum Finding {
    /// There is no such test.
    #[error("the test {path:?} does not exist: check the path (the test comes first, then the input)")]
    TestMissing {
        /// What was given.
        path: PathBuf,
    },
    /// There is no such program in `PATH`.
    #[error("the command {program:?} was found neither here nor in PATH: check its name, or give its path")]
    CommandMissing {
        /// What was given.
        program: OsString,
    },
    /// The test is a directory.
    #[error("the test {path:?} is a directory: name the script or program in it")]
    TestIsDirectory {
        /// What was given.
        path: PathBuf,
    },
    /// The test may not be executed.
    #[error("the test {path:?} is not executable: chmod +x {path:?}")]
    TestNotExecutable {
        /// What was given.
        path: PathBuf,
    },
    /// The test is text without a first line that names its interpreter.
    #[error(
        "the test {path:?} does not say what runs it: make its first line #!/bin/sh, or that of another interpreter"
    )]
    TestWithoutShebang {
        /// What was given.
        path: PathBuf,
    },
    /// The test's first line names a program that is not there.
    #[error("the test {path:?} wants to be run by {interpreter:?}, which is not there: install it or change the first line{}", if *.carriage_return { " (which ends with a carriage return: save the file with Unix line ends)" } else { "" })]
    InterpreterMissing {
        /// The test.
        path: PathBuf,
        /// What its first line names.
        interpreter: OsString,
        /// The usual culprit.
        carriage_return: bool,
    },
    /// There is no such input.
    #[error("the input {path:?} does not exist: check the path (the test comes first, then the input)")]
    InputMissing {
        /// What was given.
        path: PathBuf,
    },
    /// The input cannot be read.
    #[error("the input {path:?} cannot be read: {source}; check its permissions")]
    InputUnreadable {
        /// What was given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The input is neither a file nor a directory.
    #[error("the input {path:?} is neither a file nor a directory: copy its content to a file first")]
    InputOddKind {
        /// What was given.
        path: PathBuf,
    },
    /// The test does not find the input interesting.
    #[error("{}", not_interesting(.report))]
    NotInteresting {
        /// What its run was like.
        report: RunReport,
        /// The check that says so, if the test told.
        failed: Option<CheckId>,
    },
    /// One check of the test does not hold for the input.
    #[error(
        "the check `{name}` does not hold for the input ({}): all of them must, in a directory that holds nothing but the input and what the checks it needs have left (--check-needs). {}",
        .report.ending,
        said(.report)
    )]
    CheckFails {
        /// What it is called.
        name: String,
        /// What its run was like.
        report: RunReport,
    },
    /// The command does not behave on the input as it should.
    #[error(
        "the command does not meet the conditions on the input ({}): all that are given must hold, in a directory that holds nothing but the input. {}",
        .report.ending,
        said(.report)
    )]
    ConditionsNotMet {
        /// What its run was like.
        report: RunReport,
    },
    /// The test finds nothing at all interesting, too.
    #[error(
        "the test is also interesting on an empty input, so the result will be empty: make it check that the problem is still there"
    )]
    InterestingWhenEmpty,
    /// The test is of two minds.
    #[error(
        "the test is flaky: {interesting} of {runs} runs on the same input were interesting; make it deterministic, or use --confirm N (an accepted candidate must then be interesting N times)"
    )]
    Flips {
        /// How often it was interesting.
        interesting: u32,
        /// Of how many runs.
        runs: u32,
    },
    /// A slip of the test would be a slip of root.
    #[error(
        "running tests as root without a sandbox: a test gone wrong can damage this machine; use --sandbox bwrap (apt install bubblewrap) or another user"
    )]
    RootWithoutSandbox,
    /// The test cannot be run at all.
    #[error(transparent)]
    CannotRun(#[from] ExecError),
}

impl Finding {
    /// The same about a command whose behaviour is the property, not about a test with a verdict of its own.
    #[must_use]
    pub fn of_a_command(self) -> Self {
        match self {
            Finding::NotInteresting { report, .. } => Finding::ConditionsNotMet { report },
            other => other,
        }
    }

    /// The same about the check that failed, where the checks have these names.
    #[must_use]
    pub fn of_a_check(self, names: &[String]) -> Self {
        match self {
            Finding::NotInteresting { report, failed: Some(check) } if names.len() > usize::from(check.0) => {
                Finding::CheckFails { name: names[usize::from(check.0)].clone(), report }
            }
            other => other,
        }
    }

    /// Whether the reduction cannot start.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        !matches!(self, Finding::InterestingWhenEmpty | Finding::Flips { .. } | Finding::RootWithoutSandbox)
    }
}

fn not_interesting(report: &RunReport) -> String {
    let advice = match report.ending {
        Ending::TimedOut => "give it more time with --timeout",
        Ending::OutOfMemory => "give it more memory with --memory",
        Ending::Signalled(_) | Ending::Lost => "it must exit with status 0",
        Ending::Exited(_) => {
            "it must exit with status 0 in a directory that holds nothing but the input: use absolute paths for everything else it needs"
        }
    };
    let said = said(report);
    format!("the test does not find the input interesting ({}); {advice}. {said}", report.ending)
}

fn said(report: &RunReport) -> String {
    let lines = report.last_lines(SHOWN_LINES);
    match lines.is_empty() {
        true => "It printed nothing.".to_owned(),
        false => format!("The last of its output:\n{lines}"),
    }
}

/// Where a program is in `PATH`.
#[must_use]
pub fn in_path(program: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let candidates = std::env::split_paths(&path).map(|dir| dir.join(program));
    candidates
        .filter(|path| path.is_file())
        .find(|path| is_executable(path))
        .and_then(|path| std::path::absolute(path).ok())
}

fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

/// The test as an absolute path, if it can be run: a file here, or else a program in `PATH`.
pub fn find_test(given: &Path) -> Result<PathBuf, Finding> {
    let path = given.to_owned();
    let is_bare = !given.as_os_str().as_bytes().contains(&b'/');
    match fs::metadata(given) {
        Ok(meta) if meta.is_dir() => Err(Finding::TestIsDirectory { path }),
        Ok(_) => {
            let path = std::path::absolute(given).unwrap_or(path);
            check_test(&path)?;
            Ok(path)
        }
        Err(_) if is_bare => in_path(given.as_os_str()).ok_or(Finding::TestMissing { path }),
        Err(_) => Err(Finding::TestMissing { path }),
    }
}

/// The program of a command as an absolute path: as a shell would find it, or else a file here.
pub fn find_command(given: &OsStr) -> Result<PathBuf, Finding> {
    if given.as_bytes().contains(&b'/') {
        return find_test(Path::new(given));
    }
    if let Some(path) = in_path(given) {
        return Ok(path);
    }
    match find_test(Path::new(given)) {
        Err(Finding::TestMissing { .. }) => Err(Finding::CommandMissing { program: given.to_owned() }),
        found => found,
    }
}

fn check_test(path: &Path) -> Result<(), Finding> {
    if !is_executable(path) {
        return Err(Finding::TestNotExecutable { path: path.to_owned() });
    }
    let mut start = Vec::new();
    // A program may be executable without being readable: then there is nothing to look at.
    if let Ok(file) = File::open(path) {
        let _ = file.take(MAX_SHEBANG as u64).read_to_end(&mut start);
    } else {
        return Ok(());
    }
    let Some(line) = start.strip_prefix(b"#!") else {
        // What is no text may have a handler of its own in the kernel.
        let is_text = !start.contains(&0) && std::str::from_utf8(&start).is_ok();
        return if is_text { Err(Finding::TestWithoutShebang { path: path.to_owned() }) } else { Ok(()) };
    };
    let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut words = line.split(|&byte| byte == b' ' || byte == b'\t').filter(|word| !word.is_empty());
    let Some(interpreter) = words.next() else {
        return Err(Finding::TestWithoutShebang { path: path.to_owned() });
    };
    let missing = |interpreter: &[u8]| Finding::InterpreterMissing {
        path: path.to_owned(),
        carriage_return: interpreter.ends_with(b"\r"),
        interpreter: OsString::from_vec(interpreter.strip_suffix(b"\r").unwrap_or(interpreter).to_vec()),
    };
    if !is_executable(Path::new(OsStr::from_bytes(interpreter))) {
        return Err(missing(interpreter));
    }
    // `#!/usr/bin/env python3`: env is there, but is python3?
    if interpreter.ends_with(b"/env")
        && let Some(program) = words.find(|word| !word.starts_with(b"-") && !word.contains(&b'='))
        && !program.contains(&b'/')
        && in_path(OsStr::from_bytes(program)).is_none()
    {
        return Err(missing(program));
    }
    Ok(())
}

/// Whether an input is a file or directory that can be read.
pub fn check_input(given: &Path) -> Result<(), Finding> {
    let path = || given.to_owned();
    let meta = match fs::metadata(given) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Finding::InputMissing { path: path() });
        }
        Err(source) => return Err(Finding::InputUnreadable { path: path(), source }),
    };
    let readable = match (meta.is_dir(), meta.is_file()) {
        (true, _) => fs::read_dir(given).map(drop),
        (_, true) => File::open(given).map(drop),
        _ => return Err(Finding::InputOddKind { path: path() }),
    };
    readable.map_err(|source| Finding::InputUnreadable { path: path(), source })
}

/// What the runs before the start have shown.
#[derive(Debug)]
pub struct Baseline {
    /// The longest of the interesting runs of the input.
    pub slowest: Duration,
    /// How many runs it took: they are no queries of any pass.
    pub runs: u32,
    /// What the user should know.
    pub warnings: Vec<Finding>,
}

/// Runs the test on the input, several times, and on nothing.
pub fn check_runs(test: &impl Probe, input: &Candidate) -> Result<Baseline, Finding> {
    let mut baseline = Baseline { slowest: Duration::ZERO, runs: 0, warnings: Vec::new() };
    let mut interesting = 0;
    let mut last = None;
    // A test that was never interesting need not be asked for ever; a second look tells a flaky one from a wrong one.
    while baseline.runs < RUNS_OF_THE_INPUT && (interesting > 0 || baseline.runs < 2) {
        let probed = test.probe(input)?;
        baseline.runs += 1;
        if probed.verdict == Verdict::Interesting {
            interesting += 1;
            baseline.slowest = baseline.slowest.max(probed.report.wall);
        } else {
            last = Some((probed.report, probed.verdict.failed()));
        }
    }
    match last {
        Some((report, failed)) if interesting == 0 => return Err(Finding::NotInteresting { report, failed }),
        Some(_) => baseline.warnings.push(Finding::Flips { interesting, runs: baseline.runs }),
        None => {}
    }
    let empty = emptied(input.files());
    if empty != **input.files() {
        baseline.runs += 1;
        if test.probe(&Candidate::of_files(Files::new(empty)))?.verdict == Verdict::Interesting {
            baseline.warnings.push(Finding::InterestingWhenEmpty);
        }
    }
    Ok(baseline)
}

fn emptied(files: &Files) -> Vec<CandidateFile> {
    files.iter().map(|file| CandidateFile { bytes: [].into(), ..file.clone() }).collect()
}

/// A warning if tests run as root with nothing to hold them.
#[must_use]
pub fn root_without_sandbox(sandbox: &Sandbox) -> Option<Finding> {
    (sandbox.is_none() && rustix::process::geteuid().is_root()).then_some(Finding::RootWithoutSandbox)
}
