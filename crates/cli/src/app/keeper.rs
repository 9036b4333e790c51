//! Where results go, and the keeper that puts every new best there.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use dwindle::core::{Candidate, Files, Keeper};
use dwindle_exec::output::{Output, keep_original};

use super::UsageError;
use super::args::PlaceArgs;
use super::input::Input;
use super::writer::Writer;

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
    path: PathBuf,
    writer: Writer,
}

impl OutputKeeper {
    /// `strip` is what stands before every path and is not to be there in the output, which takes its place.
    pub(crate) fn new(output: Output, strip: Option<PathBuf>) -> Self {
        let path = output.path().to_owned();
        let write = move |best: &Candidate| {
            let files = best.files();
            let written = match &strip {
                None => output.write(files),
                Some(strip) => output.write(&stripped(files, strip)),
            };
            written.map_err(|error| error.to_string())
        };
        OutputKeeper { path, writer: Writer::new(Box::new(write)) }
    }

    /// Writes the result at the end, unless it is there: a disk that was full may have room for it once, not twice.
    pub(crate) fn finish(&self, result: &Candidate) -> Result<()> {
        let is_there = self.writer.settle() == Some(result.fingerprint()) && self.path.exists();
        if is_there { Ok(()) } else { self.writer.write(result).map_err(anyhow::Error::msg) }
    }
}

fn stripped(files: &Files, strip: &Path) -> Files {
    Files::new(files.iter().cloned().map(|mut file| {
        file.path = file.path.strip_prefix(strip).map_or(file.path.clone(), Path::to_owned);
        file
    }))
}

impl Keeper for &OutputKeeper {
    fn keep(&mut self, best: &Candidate) -> Result<(), String> {
        self.writer
            .hand_over(best)
            .map_err(|problem| format!("{problem}; the reduction goes on and tries again"))
    }
}
