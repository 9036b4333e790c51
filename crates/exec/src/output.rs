//! Writing results so that a reader, or a crash at any moment, finds the old content or the new one, whole.
//!
//! One file: the new content is written to a file without a name, made durable, given a name beside the target and
//! renamed over it. A directory: a new tree is written beside the old one and the two are exchanged in one step (where
//! the file system can; otherwise there is a moment without any). Then the directory above is made durable.
//!
//! A name beside the target exists for microseconds only; should a kill hit just then, the next writer removes it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use dwindle_core::Files;
use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, RenameFlags, access, linkat, openat, renameat_with};
use rustix::io::Errno;

use crate::root::remove_tree;

/// Why a result could not be written. What was there before is still there.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// No room for it.
    #[error(
        "no space left to write {path:?}: free some, or write elsewhere with -o; what was there before is unchanged"
    )]
    DiskFull {
        /// What was to be written.
        path: PathBuf,
    },
    /// No right to.
    #[error("no permission to write {path:?}: change that of its directory, or write elsewhere with -o")]
    Forbidden {
        /// What was to be written.
        path: PathBuf,
    },
    /// Its directory is not there.
    #[error("{path:?} cannot be written: its directory does not exist; create it first")]
    NoDirectory {
        /// What was to be written.
        path: PathBuf,
    },
    /// Replacing it would destroy something that is not a result.
    #[error("{path:?} is there and is {what}: name another place for the result with -o")]
    InTheWay {
        /// What was to be written.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// Anything else.
    #[error("cannot write {path:?}: {source}; write elsewhere with -o")]
    Other {
        /// What was to be written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl OutputError {
    fn on(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                OutputError::DiskFull { path }
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                OutputError::Forbidden { path }
            }
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => OutputError::NoDirectory { path },
            _ => OutputError::Other { path, source },
        }
    }
}

/// A place for results.
#[derive(Clone, Debug)]
pub struct Output {
    target: PathBuf,
    is_tree: bool,
}

impl Output {
    /// A file. Whoever gave us a link to one wants that one written.
    pub fn file(target: impl Into<PathBuf>) -> Result<Self, OutputError> {
        Self::new(target.into(), false)
    }

    /// A directory.
    pub fn tree(target: impl Into<PathBuf>) -> Result<Self, OutputError> {
        Self::new(target.into(), true)
    }

    fn new(given: PathBuf, is_tree: bool) -> Result<Self, OutputError> {
        let target = fs::canonicalize(&given).or_else(|_| std::path::absolute(&given));
        let target = target.map_err(|error| OutputError::on(&given, error))?;
        let what = match fs::metadata(&target) {
            Ok(meta) if meta.is_dir() && !is_tree => Some("a directory"),
            Ok(meta) if meta.is_file() && is_tree => Some("a file, not a directory"),
            // Renaming over /dev/null would be the end of it.
            Ok(meta) if !meta.is_dir() && !meta.is_file() => Some("a device or pipe"),
            _ => None,
        };
        if let Some(what) = what {
            return Err(OutputError::InTheWay { path: given, what });
        }
        let output = Output { target, is_tree };
        // Said now, not after hours of work.
        let above = output.directory();
        let usable = fs::metadata(above).and_then(|meta| match meta.is_dir() {
            true => Ok(access(above, Access::WRITE_OK | Access::EXEC_OK)?),
            false => Err(io::ErrorKind::NotADirectory.into()),
        });
        usable.map_err(|error| OutputError::on(&given, error))?;
        output.remove_leftovers();
        Ok(output)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.target
    }

    /// Writes a result: the only file of `files`, or all of them under the directory.
    pub fn write(&self, files: &Files) -> Result<(), OutputError> {
        let written = if self.is_tree { self.write_tree(files) } else { self.write_file(files) };
        written.map_err(|error| OutputError::on(&self.target, error))
    }

    fn directory(&self) -> &Path {
        self.target.parent().unwrap_or(Path::new("/"))
    }

    /// A name beside the target that no other process uses.
    fn beside(&self) -> PathBuf {
        let mut name = leftover_prefix(&self.target);
        name.push(std::process::id().to_string());
        self.target.with_file_name(name)
    }

    /// Removes what writers that were killed have left beside the target.
    fn remove_leftovers(&self) {
        let prefix = leftover_prefix(&self.target);
        for entry in fs::read_dir(self.directory()).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(pid) = name.as_bytes().strip_prefix(prefix.as_bytes()) else {
                continue;
            };
            let Some(pid) = std::str::from_utf8(pid).ok().and_then(|pid| pid.parse::<u32>().ok()) else {
                continue;
            };
            if pid != std::process::id() && Path::new("/proc").join(pid.to_string()).exists() {
                continue;
            }
            let _ = if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                remove_tree(&entry.path())
            } else {
                fs::remove_file(entry.path())
            };
        }
    }

    fn write_file(&self, files: &Files) -> io::Result<()> {
        let [file] = &**files else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a file can hold one file only"));
        };
        let mode = match fs::metadata(&self.target) {
            Ok(old) => Some(old.permissions()),
            Err(_) => None,
        };
        let fresh_mode = if file.executable { 0o777 } else { 0o666 };
        let beside = self.beside();
        let fill = |mut new: &File| -> io::Result<()> {
            new.write_all(&file.bytes)?;
            if let Some(mode) = &mode {
                new.set_permissions(mode.clone())?;
            }
            new.sync_all()
        };
        let nameless = openat(
            CWD,
            self.directory(),
            OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC,
            Mode::from_raw_mode(fresh_mode),
        );
        match nameless {
            Ok(new) => {
                let new = File::from(new);
                fill(&new)?;
                let itself = format!("/proc/self/fd/{}", new.as_raw_fd());
                let _ = fs::remove_file(&beside);
                linkat(CWD, &itself, CWD, &beside, AtFlags::SYMLINK_FOLLOW)?;
            }
            // Some network file systems know no files without a name.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => {
                let new =
                    File::options().write(true).create(true).truncate(true).mode(fresh_mode).open(&beside)?;
                fill(&new).inspect_err(|_| drop(fs::remove_file(&beside)))?;
            }
            Err(error) => return Err(error.into()),
        }
        fs::rename(&beside, &self.target).inspect_err(|_| drop(fs::remove_file(&beside)))?;
        sync_dir(self.directory())
    }

    fn write_tree(&self, files: &Files) -> io::Result<()> {
        let new = self.beside();
        remove_tree(&new)?;
        let written = fill_tree(&new, files).and_then(|()| self.exchange(&new));
        if written.is_err() {
            let _ = remove_tree(&new);
        }
        written
    }

    fn exchange(&self, new: &Path) -> io::Result<()> {
        if let Ok(old) = fs::metadata(&self.target) {
            fs::set_permissions(new, old.permissions())?;
            match renameat_with(CWD, new, CWD, &self.target, RenameFlags::EXCHANGE) {
                Ok(()) => {}
                // File systems that cannot exchange: here is the moment without any.
                Err(Errno::INVAL | Errno::NOSYS) => {
                    // A name that is never cleaned up: after a kill just here it is the only tree there is.
                    let mut old = self.beside().into_os_string();
                    old.push(".old");
                    fs::rename(&self.target, &old)?;
                    fs::rename(new, &self.target).inspect_err(|_| drop(fs::rename(&old, &self.target)))?;
                    fs::rename(&old, new)?;
                }
                Err(error) => return Err(error.into()),
            }
            sync_dir(self.directory())?;
            // The old tree.
            return remove_tree(new);
        }
        fs::rename(new, &self.target)?;
        sync_dir(self.directory())
    }
}

fn leftover_prefix(target: &Path) -> OsString {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".dwindle-");
    name
}

fn fill_tree(root: &Path, files: &Files) -> io::Result<()> {
    fs::create_dir(root)?;
    let mut dirs = vec![root.to_owned()];
    for file in files.iter() {
        let path = root.join(&file.path);
        for dir in path.ancestors().skip(1).take_while(|dir| *dir != root) {
            if !dirs.iter().any(|known| known == dir) {
                fs::create_dir_all(dir)?;
                dirs.push(dir.to_owned());
            }
        }
        let mode = if file.executable { 0o777 } else { 0o666 };
        let mut new = File::options().write(true).create_new(true).mode(mode).open(&path)?;
        new.write_all(&file.bytes)?;
        new.sync_all()?;
    }
    dirs.iter().try_for_each(|dir| sync_dir(dir))
}

fn sync_dir(dir: &Path) -> io::Result<()> {
    match File::open(dir)?.sync_all() {
        // Some file systems cannot do this to a directory.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        result => result,
    }
}

/// Keeps a copy of an original that is about to be replaced, as `NAME.orig`, and says where.
///
/// An older copy is never overwritten: if it differs the new one becomes `NAME.orig.1`, and so on.
pub fn keep_original(original: &Path) -> Result<PathBuf, OutputError> {
    // Of what a link leads to, beside the link.
    let name = original.file_name().unwrap_or_default().to_owned();
    let content = fs::canonicalize(original).map_err(|error| OutputError::on(original, error))?;
    for number in 0_u32.. {
        let mut copy = name.clone();
        copy.push(".orig");
        if number > 0 {
            copy.push(format!(".{number}"));
        }
        let copy = original.with_file_name(copy);
        let same = same_content(&content, &copy).map_err(|error| OutputError::on(original, error))?;
        match same {
            Some(true) => return Ok(copy),
            Some(false) => {}
            None => {
                copy_all(&content, &copy).map_err(|error| {
                    let _ = if copy.is_dir() { remove_tree(&copy) } else { fs::remove_file(&copy) };
                    OutputError::on(&copy, error)
                })?;
                return Ok(copy);
            }
        }
    }
    unreachable!("some number is free")
}

/// Whether two files or trees hold the same; `None` if there is no second one.
fn same_content(one: &Path, other: &Path) -> io::Result<Option<bool>> {
    let Ok(there) = fs::symlink_metadata(other) else {
        return Ok(None);
    };
    let meta = fs::symlink_metadata(one)?;
    if meta.file_type() != there.file_type() {
        return Ok(Some(false));
    }
    if meta.is_symlink() {
        return Ok(Some(fs::read_link(one)? == fs::read_link(other)?));
    }
    if !meta.is_dir() {
        return Ok(Some(meta.size() == there.size() && fs::read(one)? == fs::read(other)?));
    }
    let names = |dir: &Path| -> io::Result<Vec<OsString>> {
        let mut names =
            fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    };
    let (ours, theirs) = (names(one)?, names(other)?);
    if ours != theirs {
        return Ok(Some(false));
    }
    for name in ours {
        if same_content(&one.join(&name), &other.join(&name))? != Some(true) {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}

fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    let meta = fs::symlink_metadata(from)?;
    if meta.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    if meta.is_file() {
        let mut copy = File::options().write(true).create_new(true).mode(meta.mode()).open(to)?;
        io::copy(&mut File::open(from)?, &mut copy)?;
        copy.sync_all()?;
        // A bare name lies here.
        let above = to.parent().filter(|dir| !dir.as_os_str().is_empty());
        return sync_dir(above.unwrap_or(Path::new(".")));
    }
    if !meta.is_dir() {
        let message = format!("{from:?} is neither a file nor a directory");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy_all(&entry.path(), &to.join(entry.file_name()))?;
    }
    sync_dir(to)
}
