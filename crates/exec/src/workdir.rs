//! The directory a test runs in: only the candidate is in it, under its own names, written anew for every run.
//!
//! ```text
//! root/slot-0/work/     the test's current directory: the candidate's files and nothing else
//! root/slot-0/tmp/      its TMPDIR, emptied after every run
//! ```
//!
//! A test may do to these directories what it likes: add files, change or remove the candidate, make links, take away
//! permissions, remove the directory itself. Everything is put right before the next run, through descriptors that
//! never follow a link, so nothing outside is ever touched.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use dwindle_core::FileRuns;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};

use crate::error::ExecError;
use crate::root::remove_tree;

const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// How much a test may say about its checks: some hundred lines would be a lot.
const MAX_TOLD: u64 = 64 << 10;

/// The work directory of one slot.
#[derive(Debug)]
pub struct WorkDir {
    slot: PathBuf,
    work: PathBuf,
    tmp: PathBuf,
    opened: Option<Opened>,
    /// What we wrote, by path.
    written: HashMap<PathBuf, Written>,
    /// The coarse clock when the last run was about to begin: what is older than this and unchanged was not touched.
    handed_over: (i64, i64),
}

#[derive(Debug)]
struct Opened {
    fd: OwnedFd,
    inode: (u64, u64),
}

/// What a file looked like right after we wrote it.
#[derive(Debug)]
struct Written {
    bytes: Arc<[u8]>,
    executable: bool,
    stamp: Stamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

/// What [`WorkDir::fill`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filled {
    /// The directory is a new one: a process that stays in the old one sees nothing of it.
    pub fresh: bool,
    /// How many files had to be written.
    pub files_written: usize,
}

impl WorkDir {
    /// The work directory inside `slot`; made when it is first filled.
    #[must_use]
    pub fn new(slot: PathBuf) -> Self {
        let (work, tmp) = (slot.join("work"), slot.join("tmp"));
        WorkDir { slot, work, tmp, opened: None, written: HashMap::new(), handed_over: (i64::MIN, 0) }
    }

    /// The slot's directory.
    #[must_use]
    pub fn slot(&self) -> &Path {
        &self.slot
    }

    /// Where the test runs.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.work
    }

    /// The test's `TMPDIR`.
    #[must_use]
    pub fn tmp(&self) -> &Path {
        &self.tmp
    }

    /// The file to which a test may write about its checks.
    #[must_use]
    pub fn checks_file(&self) -> PathBuf {
        self.tmp.join(".dwindle-checks")
    }

    /// What the test has written about its checks: the first 64 KiB, nothing if that is no plain file.
    pub(crate) fn told(&self) -> Vec<u8> {
        // A test may have put anything there, even something that never answers.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut told = Vec::new();
        if let Ok(fd) = rustix::fs::open(self.checks_file(), flags, Mode::empty())
            && rustix::fs::fstat(&fd)
                .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile)
        {
            let _ = File::from(fd).take(MAX_TOLD).read_to_end(&mut told);
        }
        told
    }

    /// Empties the file about checks; a test that stays may hold it open.
    pub(crate) fn forget_told(&self) {
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        if let Ok(fd) = rustix::fs::open(self.checks_file(), flags, Mode::empty()) {
            let _ = rustix::fs::ftruncate(&fd, 0);
        }
    }

    /// Makes the directory hold these files and nothing else.
    pub fn fill(&mut self, files: &[FileRuns]) -> Result<Filled, ExecError> {
        for file in files {
            if file.path.as_os_str().is_empty()
                || !file.path.components().all(|part| matches!(part, Component::Normal(_)))
            {
                return Err(ExecError::PathOutside { path: file.path.clone() });
            }
        }
        let fresh = self.open()?;
        let opened = self.opened.as_ref().expect("just opened");
        let wanted = Wanted::new(files);
        let mut kept = HashSet::new();
        clean(opened.fd.as_fd(), Path::new(""), &mut |dir, path, kind| {
            if wanted.dirs.contains(path) && kind == FileType::Directory {
                return Fate::Enter;
            }
            let Some(file) = wanted.files.get(path) else {
                return Fate::Remove;
            };
            if kind == FileType::RegularFile && self.is_untouched(dir, file) {
                kept.insert(path.to_owned());
                return Fate::Keep;
            }
            Fate::Remove
        })
        .map_err(|error| ExecError::on("clean", &self.work, error))?;
        self.written.retain(|path, _| kept.contains(path));
        let mut files_written = 0;
        for file in files.iter().filter(|file| !kept.contains(&file.path)) {
            let stamp = write(opened.fd.as_fd(), file)
                .map_err(|error| ExecError::on("write", &self.work.join(&file.path), error))?;
            files_written += 1;
            // Bytes that nobody else holds were made for this candidate: they will not come again, so why keep them?
            if let Some(bytes) = file.whole().filter(|bytes| Arc::strong_count(bytes) > 1) {
                let written = Written { bytes: Arc::clone(bytes), executable: file.executable, stamp };
                self.written.insert(file.path.clone(), written);
            }
        }
        let now = clock_gettime(ClockId::RealtimeCoarse);
        self.handed_over = (now.tv_sec, now.tv_nsec);
        Ok(Filled { fresh, files_written })
    }

    /// Removes what the test left in its `TMPDIR`.
    pub fn empty_tmp(&mut self) -> Result<(), ExecError> {
        match rustix::fs::open(&self.tmp, OFlags::RDONLY | DIRECTORY, Mode::empty()) {
            Ok(tmp) => clean(tmp.as_fd(), Path::new(""), &mut |_, _, _| Fate::Remove),
            Err(_) => replace_by_directory(&self.tmp),
        }
        .map_err(|error| ExecError::on("clean", &self.tmp, error))
    }

    /// Makes sure that the directory is there and is ours; true if it had to be made.
    fn open(&mut self) -> Result<bool, ExecError> {
        let there = fs::symlink_metadata(&self.work);
        if let (Some(opened), Ok(there)) = (&self.opened, &there)
            && opened.inode == (there.dev(), there.ino())
        {
            if there.mode() & 0o700 != 0o700 {
                rustix::fs::fchmod(&opened.fd, Mode::from_raw_mode(0o755))
                    .map_err(|error| ExecError::on("open", &self.work, error))?;
            }
            return Ok(false);
        }
        self.opened = None;
        self.written.clear();
        let make = || -> io::Result<Opened> {
            if !fs::symlink_metadata(&self.slot).is_ok_and(|slot| slot.is_dir()) {
                let _ = fs::remove_file(&self.slot);
                fs::create_dir_all(&self.slot)?;
            }
            for dir in [&self.work, &self.tmp] {
                replace_by_directory(dir)?;
            }
            let fd = rustix::fs::open(&self.work, OFlags::RDONLY | DIRECTORY, Mode::empty())?;
            let stat = rustix::fs::fstat(&fd)?;
            Ok(Opened { fd, inode: (stat.st_dev, stat.st_ino) })
        };
        self.opened = Some(make().map_err(|error| ExecError::on("create", &self.work, error))?);
        Ok(true)
    }

    /// Whether the file is what we wrote last time, and is what is wanted now.
    fn is_untouched(&self, dir: BorrowedFd<'_>, file: &FileRuns) -> bool {
        let (Some(written), Some(bytes)) = (self.written.get(&file.path), file.whole()) else {
            return false;
        };
        if !Arc::ptr_eq(&written.bytes, bytes) || written.executable != file.executable {
            return false;
        }
        let name = file.path.file_name().unwrap_or_default();
        let same = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| stamp(&stat) == written.stamp);
        // Clocks of file systems tick every few milliseconds: a change within the tick of our own write does not show
        // in the time. Then the content has to be looked at; from the next run on the time alone will do.
        same && (written.stamp.changed < self.handed_over || holds(dir, name, bytes))
    }
}

/// Whether the file holds just these bytes.
fn holds(dir: BorrowedFd<'_>, name: &OsStr, bytes: &[u8]) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(there) = rustix::fs::openat(dir, name, flags, Mode::empty()) else {
        return false;
    };
    let (mut there, mut rest, mut buffer) = (File::from(there), bytes, vec![0; 64 << 10]);
    loop {
        match there.read(&mut buffer) {
            Ok(0) => return rest.is_empty(),
            Ok(count) => match rest.strip_prefix(&buffer[..count]) {
                Some(after) => rest = after,
                None => return false,
            },
            Err(_) => return false,
        }
    }
}

fn stamp(stat: &rustix::fs::Stat) -> Stamp {
    Stamp {
        inode: stat.st_ino,
        size: stat.st_size as u64,
        changed: (stat.st_ctime, stat.st_ctime_nsec as i64),
    }
}

/// The files and directories that are to be there.
struct Wanted<'a> {
    files: HashMap<&'a Path, &'a FileRuns>,
    dirs: HashSet<&'a Path>,
}

impl<'a> Wanted<'a> {
    fn new(files: &'a [FileRuns]) -> Self {
        let parents = |path: &'a Path| path.ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty());
        Wanted {
            files: files.iter().map(|file| (file.path.as_path(), file)).collect(),
            dirs: files.iter().flat_map(|file| parents(&file.path)).collect(),
        }
    }
}

enum Fate {
    Keep,
    Remove,
    Enter,
}

/// Walks a directory and does with each entry as `fate` says. `prefix` is its path as `fate` is to see it.
fn clean(
    dir: BorrowedFd<'_>,
    prefix: &Path,
    fate: &mut dyn FnMut(BorrowedFd<'_>, &Path, FileType) -> Fate,
) -> io::Result<()> {
    let mut entries = Vec::new();
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            entries.push((OsStr::from_bytes(name).to_owned(), entry.file_type()));
        }
    }
    for (name, kind) in entries {
        let path = prefix.join(&name);
        match fate(dir, &path, kind) {
            Fate::Keep => {}
            Fate::Remove => remove(dir, &name, kind)?,
            Fate::Enter => {
                let inner = open_dir(dir, &name)?;
                clean(inner.as_fd(), &path, fate)?;
            }
        }
    }
    Ok(())
}

/// Opens a directory in `dir`, also if a test has taken away our right to do so.
fn open_dir(dir: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    let open = || rustix::fs::openat(dir, name, OFlags::RDONLY | DIRECTORY, Mode::empty());
    match open() {
        Err(Errno::ACCESS) => {
            rustix::fs::chmodat(dir, name, Mode::RWXU, AtFlags::empty())?;
            Ok(open()?)
        }
        result => Ok(result?),
    }
}

fn remove(dir: BorrowedFd<'_>, name: &OsStr, kind: FileType) -> io::Result<()> {
    let unlink = |flags| rustix::fs::unlinkat(dir, name, flags);
    if kind != FileType::Directory {
        match unlink(AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => return Ok(()),
            // File systems that do not tell the kind in a listing.
            Err(Errno::ISDIR | Errno::PERM) if kind == FileType::Unknown => {}
            Err(Errno::ACCESS) => {
                rustix::fs::fchmod(dir, Mode::RWXU)?;
                return Ok(unlink(AtFlags::empty())?);
            }
            Err(error) => return Err(error.into()),
        }
    }
    let inner = open_dir(dir, name)?;
    // Without the right to write in it nothing in it can be removed.
    rustix::fs::fchmod(&inner, Mode::RWXU)?;
    clean(inner.as_fd(), Path::new(""), &mut |_, _, _| Fate::Remove)?;
    Ok(unlink(AtFlags::REMOVEDIR)?)
}

/// Makes an empty directory of whatever is there.
fn replace_by_directory(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_dir() => remove_tree(path)?,
        Ok(_) => fs::remove_file(path)?,
        Err(_) => {}
    }
    fs::create_dir_all(path)
}

/// Writes a new file, with the directories above it.
fn write(work: BorrowedFd<'_>, file: &FileRuns) -> io::Result<Stamp> {
    let mode = Mode::from_raw_mode(if file.executable { 0o777 } else { 0o666 });
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || rustix::fs::openat(work, &file.path, flags, mode);
    let fd = match open() {
        Err(Errno::NOENT) => {
            let parents: Vec<_> =
                file.path.ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty()).collect();
            for dir in parents.iter().rev() {
                match rustix::fs::mkdirat(work, *dir, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            open()?
        }
        result => result?,
    };
    let there = File::from(fd);
    // Runs may be single characters, or megabytes: those go past the buffer.
    let mut out = BufWriter::new(&there);
    file.runs.iter().try_for_each(|run| out.write_all(run))?;
    out.flush()?;
    drop(out);
    Ok(stamp(&rustix::fs::fstat(&there)?))
}
