//! Reading what is to be reduced, and naming what comes out.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use dwindle::core::{File, Files};
use dwindle_exec::preflight;

use super::{UsageError, run_dir};

/// What the user gave, as the test is to see it.
pub(crate) struct Input {
    /// The files, under the names they have in the work directory.
    pub(crate) files: Files,
    /// What the test gets as its argument: the file, the first of several, or the directory.
    pub(crate) argument: PathBuf,
    /// Whether one plain file was given, so that one plain file comes out.
    pub(crate) single: bool,
    /// The paths as they were given.
    pub(crate) given: Vec<PathBuf>,
}

impl Input {
    pub(crate) fn read(given: &[PathBuf]) -> Result<Input> {
        let mut files = Vec::new();
        let mut argument = None;
        let mut single = given.len() == 1;
        for path in given {
            preflight::check_input(path).map_err(UsageError::new)?;
            let name = name_in_work_dir(path, given.len() > 1);
            if path.is_dir() {
                single = false;
                let before = files.len();
                read_tree(path, &name, &mut files)?;
                if files.len() == before {
                    return Err(UsageError::new(format!(
                        "the directory {path:?} has no files: there is nothing to reduce"
                    )));
                }
            } else {
                files.push(read_file(path, name.clone())?);
            }
            argument.get_or_insert(name);
        }
        let mut names: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let name = twice[0];
            return Err(UsageError::new(format!(
                "two inputs would both be {name:?} in the test's directory: give paths relative to a common directory"
            )));
        }
        let argument = argument.expect("the command line demands one input at least");
        Ok(Input { files: Files::new(files), argument, single, given: given.to_vec() })
    }

    /// An input that was read by an earlier process from the paths given.
    pub(crate) fn recorded(files: Files, given: &[PathBuf]) -> Input {
        let depth = files.first().map_or(0, |file| file.path.components().count());
        let argument = match (given, files.first()) {
            ([_], Some(file)) => {
                file.path.components().next().map_or_else(PathBuf::new, |top| PathBuf::from(&top))
            }
            _ => name_in_work_dir(&given[0], true),
        };
        Input { single: given.len() == 1 && depth == 1, files, argument, given: given.to_vec() }
    }

    /// The directory that stands before every path, if one was given as the input.
    pub(crate) fn top(&self) -> Option<PathBuf> {
        (!self.single && self.given.len() == 1).then(|| self.argument.clone())
    }

    /// Where the result goes if the user does not say.
    pub(crate) fn default_output(&self) -> PathBuf {
        let first = &self.given[0];
        if self.single || self.given.len() == 1 {
            return with_reduced(first);
        }
        let stem = first.file_stem().unwrap_or(first.as_os_str()).to_owned();
        first.with_file_name(appended(stem, ".reduced"))
    }
}

/// `a.c` → `a.reduced.c`, `Makefile` → `Makefile.reduced`, `.profile` → `.profile.reduced`, `src/` → `src.reduced`.
fn with_reduced(path: &Path) -> PathBuf {
    let path: PathBuf = path.components().collect();
    let name = match (path.file_stem(), path.extension()) {
        (Some(stem), Some(extension)) if !path.is_dir() => {
            let mut name = appended(stem.to_owned(), ".reduced.");
            name.push(extension);
            name
        }
        _ => appended(path.file_name().unwrap_or("input".as_ref()).to_owned(), ".reduced"),
    };
    path.with_file_name(name)
}

pub(crate) fn appended(mut name: OsString, suffix: &str) -> OsString {
    name.push(suffix);
    name
}

/// One input goes by its own name; of several, those given relative to here keep their directories.
fn name_in_work_dir(path: &Path, several: bool) -> PathBuf {
    let plain: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
    let inside = plain.components().all(|part| matches!(part, Component::Normal(_)));
    if several && inside {
        return plain;
    }
    // `..` and `/` have no name of their own.
    let named = fs::canonicalize(path).unwrap_or(plain);
    PathBuf::from(named.file_name().unwrap_or("input".as_ref()))
}

pub(crate) fn read_file(path: &Path, name: PathBuf) -> Result<File> {
    let unreadable = || format!("the input {path:?} cannot be read");
    let bytes = fs::read(path).with_context(unreadable)?;
    let mode = fs::metadata(path).with_context(unreadable)?.permissions().mode();
    Ok(File { path: name, bytes: bytes.into(), executable: mode & 0o111 != 0 })
}

/// All plain files below `dir`, by name; links are followed when they lead to files, never to directories.
fn read_tree(dir: &Path, name: &Path, files: &mut Vec<File>) -> Result<()> {
    let unreadable = || format!("the input {dir:?} cannot be read");
    let mut entries: Vec<_> = fs::read_dir(dir).and_then(Iterator::collect).with_context(unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), name.join(entry.file_name()));
        if entry.file_type().with_context(unreadable)?.is_dir() {
            if entry.file_name() != run_dir::HOME {
                read_tree(&path, &name, files)?;
            }
        } else if path.is_file() {
            files.push(read_file(&path, name)?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_is_named_after_the_input() {
        let table = [
            ("a.c", "a.reduced.c"),
            ("dir/a.tar.gz", "dir/a.tar.reduced.gz"),
            ("Makefile", "Makefile.reduced"),
            (".profile", ".profile.reduced"),
            ("x/../b.rs", "x/../b.reduced.rs"),
        ];
        for (input, output) in table {
            assert_eq!(with_reduced(Path::new(input)), Path::new(output));
        }
    }

    #[test]
    fn one_input_goes_by_its_name_and_several_keep_their_directories() {
        assert_eq!(name_in_work_dir(Path::new("x/y/a.c"), false), Path::new("a.c"));
        assert_eq!(name_in_work_dir(Path::new("./x/a.c"), true), Path::new("x/a.c"));
        assert_eq!(name_in_work_dir(Path::new("../z/a.c"), true), Path::new("a.c"));
    }
}
