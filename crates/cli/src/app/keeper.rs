//! Where results go, and the keeper that puts every new best there.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use dwindle::core::{Candidate, Files, Fingerprint, Keeper};
use dwindle_exec::output::{Output, keep_original};

use super::UsageError;
use super::args::PlaceArgs;
use super::input::Input;

/// Opens the place for the result.
pub(crate) fn output(path: &Path, single: bool) -> Result<Output> {
    if single && path.is_dir() {
        return Err(UsageError::new(format!("the output {path:?} is a directory: name a file")));
    }
    let output = if single { Output::file(path) } else { Output::tree(path) };
    output.map_err(UsageError::new)
}

/// Where the result is to go.
pub(crate) fn output_path(args: &PlaceArgs, input: &Input) -> Result<PathBuf> {
    match (&args.output, args.in_place) {
        (Some(path), _) => Ok(path.clone()),
        (None, true) if input.given.len() > 1 => {
            Err(UsageError::new("--in-place takes one file or one directory: give -o DIR for several inputs"))
        }
        (None, true) => Ok(input.given[0].clone()),
        (None, false) => Ok(input.default_output()),
    }
}

/// Keeps a copy of an input that is about to be written over, and says where it is. A run that goes on has done so.
pub(crate) fn save_original(path: &Path, resumed: bool) -> Result<PathBuf> {
    if resumed {
        let mut copy = path.as_os_str().to_owned();
        copy.push(".orig");
        return Ok(copy.into());
    }
    keep_original(path).context("the input is left as it is")
}

/// Writes every new best to its place.
pub(crate) struct OutputKeeper {
    output: Output,
    /// For a directory given as input, its name stands before every path; the output itself takes its place.
    strip: Option<PathBuf>,
    /// What is there.
    kept: Cell<Option<Fingerprint>>,
}

impl OutputKeeper {
    pub(crate) fn new(output: Output, strip: Option<PathBuf>) -> Self {
        OutputKeeper { output, strip, kept: Cell::default() }
    }

    /// Writes the result at the end, unless it is there: a disk that was full may have room for it once, not twice.
    pub(crate) fn finish(&self, result: &Candidate) -> Result<()> {
        let is_there = self.kept.get() == Some(result.fingerprint()) && self.output.path().exists();
        if is_there { Ok(()) } else { self.write(result) }
    }

    fn write(&self, result: &Candidate) -> Result<()> {
        let files = result.files();
        let stripped = match &self.strip {
            None => files.clone(),
            Some(strip) => Files::new(files.iter().cloned().map(|mut file| {
                file.path = file.path.strip_prefix(strip).map_or(file.path.clone(), Path::to_owned);
                file
            })),
        };
        self.output.write(&stripped)?;
        self.kept.set(Some(result.fingerprint()));
        Ok(())
    }
}

impl Keeper for &OutputKeeper {
    fn keep(&mut self, best: &Candidate) -> Result<(), String> {
        self.write(best).map_err(|error| format!("{error:#}; the reduction goes on and tries again"))
    }
}
