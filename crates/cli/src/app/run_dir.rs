//! The run directory `.dwindle/<run>/`: all that is needed to go on with a run after a crash or a reboot.
//!
//! ```text
//! .dwindle/
//!   small-1/
//!     run.json     the command line and the version that made it
//!     input/       the input as it was
//!     journal      verdicts, see dwindle_core::Journal
//!     lock         held while a process works on the run
//! ```

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use dwindle::core::{File, Files};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

/// Where runs are kept, relative to where dwindle was started.
pub(crate) const HOME: &str = ".dwindle";

/// A run directory that this process works on.
pub(crate) struct RunDir {
    path: PathBuf,
    _lock: fs::File,
}

/// What a run was asked to do.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The version that began it.
    pub(crate) version: String,
    /// The words of the command line behind `dwindle`; escaped, for they need not be UTF-8.
    arguments: Vec<String>,
    /// The files of the input, in order.
    files: Vec<RecordedFile>,
    /// Where the result goes.
    output: String,
    /// The time limit of a test in milliseconds, fixed or learned.
    #[serde(default)]
    pub(crate) time_limit_ms: Option<u64>,
    /// Whether the input turned out to be interesting only outside the sandbox.
    #[serde(default)]
    pub(crate) left_sandbox: bool,
    /// The names of the checks, given or learned.
    #[serde(default)]
    pub(crate) checks: Vec<String>,
    /// What they are taken to cost, where each is a command of its own.
    #[serde(default)]
    pub(crate) check_costs: Vec<u64>,
}

#[derive(Debug, Serialize, Deserialize)]
struct RecordedFile {
    path: String,
    executable: bool,
}

impl Record {
    pub(crate) fn new(arguments: &[OsString], files: &Files, output: &Path) -> Self {
        let file =
            |file: &File| RecordedFile { path: escape(file.path.as_os_str()), executable: file.executable };
        Record {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            arguments: arguments.iter().map(|word| escape(word)).collect(),
            files: files.iter().map(file).collect(),
            output: escape(output.as_os_str()),
            time_limit_ms: None,
            left_sandbox: false,
            checks: Vec::new(),
            check_costs: Vec::new(),
        }
    }

    pub(crate) fn arguments(&self) -> Vec<OsString> {
        self.arguments.iter().map(|word| unescape(word)).collect()
    }

    pub(crate) fn output(&self) -> PathBuf {
        PathBuf::from(unescape(&self.output))
    }
}

impl RunDir {
    /// Makes a new run directory named after the input.
    pub(crate) fn create(record: &Record, input: &Files) -> Result<Self> {
        refuse_shared_output(&record.output(), None)?;
        let stem = input.first().and_then(|file| file.path.components().next()).map_or_else(
            || "run".to_owned(),
            |name| Path::new(name.as_os_str()).file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        );
        let path = claim(&stem).with_context(|| {
            format!("the run directory below `{HOME}` cannot be made; `--no-run-dir` goes without one")
        })?;
        let lock = lock(&path)?.context("a new run directory is in use")?;
        let run = RunDir { path, _lock: lock };
        for (number, file) in input.iter().enumerate() {
            write(&run.input_path(number), &file.bytes)?;
        }
        run.save(record)?;
        // Two that start at the same moment see each other now at the latest.
        match refuse_shared_output(&record.output(), Some(&run.path)) {
            Ok(()) => Ok(run),
            Err(refused) => {
                run.discard();
                Err(refused)
            }
        }
    }

    /// Opens the directory of an earlier run.
    pub(crate) fn open(path: &Path) -> Result<(Self, Record, Files)> {
        let text = fs::read(path.join("run.json")).with_context(|| {
            format!(
                "`{}` is no run directory: give the path or the name of a directory below `{HOME}`",
                path.display()
            )
        })?;
        let record: Record = serde_json::from_slice(&text)
            .with_context(|| format!("`{}/run.json` is damaged: start the reduction anew", path.display()))?;
        let Some(lock) = lock(path)? else {
            bail!("another dwindle is working on `{}`: wait for it or stop it first", path.display());
        };
        let run = RunDir { path: path.to_owned(), _lock: lock };
        let files = record.files.iter().enumerate().map(|(number, file)| {
            let bytes = fs::read(run.input_path(number))
                .with_context(|| format!("`{}` has lost its copy of the input", path.display()))?;
            Ok(File { path: unescape(&file.path).into(), bytes: bytes.into(), executable: file.executable })
        });
        let files = Files::new(files.collect::<Result<Vec<_>>>()?);
        Ok((run, record, files))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.path.join("journal")
    }

    pub(crate) fn save(&self, record: &Record) -> Result<()> {
        write(&self.path.join("run.json"), &serde_json::to_vec_pretty(record)?)
    }

    /// Removes the directory again: the run never began.
    pub(crate) fn discard(self) {
        // Whatever is left behind is only in the way of nothing.
        let _ = fs::remove_dir_all(&self.path);
        let _ = fs::remove_dir(HOME);
    }

    fn input_path(&self, number: usize) -> PathBuf {
        self.path.join("input").join(number.to_string())
    }
}

/// The directory a run lives in, by its path or its name.
pub(crate) fn find(run: &Path) -> Option<PathBuf> {
    let places = [run.to_owned(), Path::new(HOME).join(run)];
    places
        .into_iter()
        .find(|path| path.join("run.json").is_file())
        .and_then(|path| fs::canonicalize(path).ok())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed =
        || format!("`{}` cannot be written; `--no-run-dir` goes without a run directory", path.display());
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).with_context(failed)?;
    }
    let new = path.with_extension("new");
    fs::write(&new, bytes).and_then(|()| fs::rename(&new, path)).with_context(failed)
}

/// Makes the first of `stem-1`, `stem-2` … that does not exist yet.
fn claim(stem: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(HOME)?;
    for number in 1.. {
        let path = Path::new(HOME).join(format!("{stem}-{number}"));
        match fs::create_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => return result.map(|()| path),
        }
    }
    unreachable!("there is a free number")
}

fn lock(run: &Path) -> Result<Option<fs::File>> {
    let path = run.join("lock");
    let file = fs::File::create(&path).with_context(|| format!("`{}` cannot be made", path.display()))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error).with_context(|| format!("`{}` cannot be locked", path.display())),
    }
}

/// Two runs that write the same result would overwrite each other.
fn refuse_shared_output(output: &Path, own: Option<&Path>) -> Result<()> {
    for entry in fs::read_dir(HOME).into_iter().flatten().flatten() {
        if own == Some(&entry.path()) {
            continue;
        }
        let Ok(text) = fs::read(entry.path().join("run.json")) else {
            continue;
        };
        let Ok(record) = serde_json::from_slice::<Record>(&text) else {
            continue;
        };
        if place(&record.output()) == place(output) && matches!(lock(&entry.path()), Ok(None)) {
            let (run, output) = (entry.path(), output.display());
            bail!("run `{}` is writing `{output}` right now: give another place with `-o`", run.display());
        }
    }
    Ok(())
}

/// A path by which two names of one file that need not exist yet can be told to be the same.
fn place(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (absolute.parent().map(fs::canonicalize), absolute.file_name()) {
        (Some(Ok(parent)), Some(name)) => parent.join(name),
        _ => absolute,
    }
}

/// Bytes beyond printable ASCII, and `%`, become `%XX`.
fn escape(text: &OsStr) -> String {
    let mut out = String::new();
    for &byte in text.as_bytes() {
        if (b' '..=b'~').contains(&byte) && byte != b'%' {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn unescape(text: &str) -> OsString {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    OsString::from_vec(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_survives_the_record() {
        for name in [&b"plain name.c"[..], b"100%", b"%41", b"\xff\xfe\n\"q\"", "größe".as_bytes(), b""] {
            let name = OsStr::from_bytes(name);
            assert_eq!(unescape(&escape(name)), name);
        }
    }
}
