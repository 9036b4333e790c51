//! Where the work directories of a run lie, and how those of a dead run are recognised and removed.
//!
//! A root holds a lock file, locked as long as its dwindle lives, and one directory a worker slot. The kernel
//! releases the lock of a process that died, so whoever gets the lock of a root may remove it.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::StatVfsMountFlags;

use crate::error::ExecError;

const PREFIX: &str = "dwindle-slots-";
const LOCK: &str = "lock";
/// First line of a lock file: a directory that merely has our kind of name is never removed.
const MARK: &str = "dwindle work directories\n";
/// What else may be needed beside the candidates, which tests fill: objects, executables, logs.
const SPARE_ROOM: u64 = 256 << 20;
/// Tests often write several times their input; a slot is given this many times the candidate.
const ROOM_FACTOR: u64 = 8;

/// Where to put work directories.
#[derive(Clone, Debug, Default)]
pub enum Place {
    /// In memory where the machine has room for it, else in the directory for temporary files.
    #[default]
    Auto,
    /// Under this directory.
    Under(PathBuf),
}

impl Place {
    /// The directory to use for `jobs` work directories of an input of `size` bytes.
    #[must_use]
    pub fn choose(&self, jobs: usize, size: u64) -> PathBuf {
        match self {
            Place::Under(path) => path.clone(),
            Place::Auto => {
                let memory = PathBuf::from("/dev/shm");
                let need =
                    size.saturating_mul(ROOM_FACTOR).saturating_mul(jobs as u64).saturating_add(SPARE_ROOM);
                if is_memory_with_room(&memory, need) { memory } else { std::env::temp_dir() }
            }
        }
    }
}

fn is_memory_with_room(path: &Path, need: u64) -> bool {
    const TMPFS_MAGIC: u64 = 0x0102_1994;
    let is_tmpfs = rustix::fs::statfs(path).is_ok_and(|fs| fs.f_type as u64 == TMPFS_MAGIC);
    let Ok(fs) = rustix::fs::statvfs(path) else {
        return false;
    };
    // Containers often mount it so that nothing in it can be executed; tests compile and run things.
    let usable = !fs.f_flag.intersects(StatVfsMountFlags::NOEXEC | StatVfsMountFlags::RDONLY);
    let writable =
        rustix::fs::access(path, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK).is_ok();
    is_tmpfs && usable && writable && fs.f_bavail.saturating_mul(fs.f_frsize) >= need
}

/// The directory that holds the work directories of one run; removed when dropped.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    _lock: File,
}

impl Root {
    /// Makes a root under `base`, after removing those of runs that died.
    pub fn create(base: &Path) -> Result<Self, ExecError> {
        remove_stale(base);
        let base = fs::canonicalize(base).map_err(|error| ExecError::on("find", base, error))?;
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = base.join(format!("{PREFIX}{}-{number}", std::process::id()));
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(ExecError::on("create", &path, error)),
            }
            match lock(&path) {
                Ok(Some(lock)) => return Ok(Root { path, _lock: lock }),
                // Somebody took our new root for a dead one.
                Ok(None) => {}
                Err(error) => {
                    let _ = remove_tree(&path);
                    return Err(ExecError::on("create", &path.join(LOCK), error));
                }
            }
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the directory of a slot is (or will be).
    pub(crate) fn slot(&self, slot: usize) -> PathBuf {
        self.path.join(format!("slot-{slot}"))
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let _ = remove_tree(&self.path);
    }
}

fn lock(root: &Path) -> io::Result<Option<File>> {
    let path = root.join(LOCK);
    let mut file = match File::options().read(true).write(true).create_new(true).open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    if file.try_lock().is_err() {
        return Ok(None);
    }
    file.write_all(format!("{MARK}{}\n", std::process::id()).as_bytes())?;
    let same =
        fs::metadata(&path).is_ok_and(|there| there.ino() == file.metadata().map_or(0, |ours| ours.ino()));
    Ok(same.then_some(file))
}

/// Removes the roots under `base` whose dwindle is gone.
pub fn remove_stale(base: &Path) {
    let me = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if !ours || !entry.metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == me) {
            continue;
        }
        let path = entry.path();
        match File::open(path.join(LOCK)) {
            Ok(lock) => {
                let mut mark = String::new();
                let is_lock = (&lock).take(100).read_to_string(&mut mark).is_ok() && mark.starts_with(MARK);
                if is_lock && lock.try_lock().is_ok() {
                    let _ = remove_tree(&path);
                } else if mark.is_empty() && is_alone(&path) && lock.try_lock().is_ok() {
                    // It died before it had written its mark; should it live, it chooses another name.
                    let _ = fs::remove_file(path.join(LOCK));
                    let _ = fs::remove_dir(&path);
                }
            }
            // It died before it had a lock, or is about to make one: then this only makes it choose another name.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let _ = fs::remove_dir(&path);
            }
            Err(_) => {}
        }
    }
}

/// Whether there is nothing in a root but its lock.
fn is_alone(root: &Path) -> bool {
    let rest = fs::read_dir(root).into_iter().flatten().flatten();
    rest.map(|entry| entry.file_name()).all(|name| name == LOCK)
}

/// Removes a slot's directory, and the root with the last of them: what a supervisor does when dwindle is gone.
pub(crate) fn remove_slot(slot: &Path) {
    let _ = remove_tree(slot);
    let Some(root) = slot.parent() else { return };
    if is_alone(root) {
        let _ = fs::remove_file(root.join(LOCK));
        let _ = fs::remove_dir(root);
    }
}

/// Removes a directory and all in it, also where a test has taken away the right to do so; absence is success.
pub(crate) fn remove_tree(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            allow_all(path);
            fs::remove_dir_all(path)
        }
        result => result,
    }
}

fn allow_all(dir: &Path) {
    let _ = fs::set_permissions(dir, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            allow_all(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_live_root_is_left_alone_and_a_dead_one_is_removed() {
        let base = tempfile::tempdir().unwrap();
        let live = Root::create(base.path()).unwrap();
        // What SIGKILL leaves: all there, but the lock is free.
        let dead = base.path().join(format!("{PREFIX}1-0"));
        fs::create_dir_all(dead.join("slot-0/work/deep")).unwrap();
        fs::write(dead.join(LOCK), format!("{MARK}1\n")).unwrap();
        let unmarked = base.path().join(format!("{PREFIX}2-0"));
        fs::create_dir(&unmarked).unwrap();
        fs::write(unmarked.join(LOCK), "").unwrap();
        // Not ours, whatever they are called.
        let other = base.path().join(format!("{PREFIX}notes"));
        fs::create_dir_all(&other).unwrap();
        fs::write(other.join(LOCK), "a lock of mine").unwrap();
        let file = base.path().join("dwindle-notes");
        fs::write(&file, "x").unwrap();

        let second = Root::create(base.path()).unwrap();
        assert!(live.path().exists() && second.path().exists());
        assert!(!dead.exists() && !unmarked.exists());
        assert!(other.exists() && file.exists());
        let path = live.path().to_owned();
        drop(live);
        assert!(!path.exists());
    }

    #[test]
    fn the_last_slot_takes_the_root_with_it() {
        let base = tempfile::tempdir().unwrap();
        let root = base.path().join("root");
        for slot in ["slot-0", "slot-1"] {
            fs::create_dir_all(root.join(slot).join("work")).unwrap();
        }
        fs::write(root.join(LOCK), MARK).unwrap();
        remove_slot(&root.join("slot-0"));
        assert!(root.join("slot-1").exists());
        remove_slot(&root.join("slot-1"));
        assert!(!root.exists());
    }

    #[test]
    fn memory_without_room_is_not_chosen() {
        assert_eq!(Place::Auto.choose(4, u64::MAX / 64), std::env::temp_dir());
        assert_eq!(Place::Under("/x".into()).choose(4, u64::MAX), PathBuf::from("/x"));
    }
}
