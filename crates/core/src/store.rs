//! Verdicts that outlive a run: one file for each test, in a directory the user names.
//!
//! What a test says about a text it will say again, as long as the test is the same. A [`VerdictStore`] keeps the
//! verdicts of all runs with one test, so that a second run of the same reduction makes no query. Time-outs and crashes
//! are facts about one run and are not kept.
//!
//! New verdicts are answered at once and written by a thread of their own, in batches, each a transaction of its own:
//! a process that is killed loses what came in the last [`BATCH_TIME`] and the time of one write, and nothing else. A
//! file that is damaged, foreign or in use is reported, left alone, and the run goes on without it.
//!
//! The database checks its pages only after a process was killed, and where damage escapes it, it may panic. So a store
//! that is closed properly gets a *seal* beside it, a digest of the whole file, which is verified and removed before
//! the next opening. Panics are caught all the same.

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use foldhash::fast::FixedState;
use redb::{Database, DatabaseError, ReadableDatabase, TableDefinition};

use crate::fingerprint::Fingerprint;
use crate::journal::{RECORD, decode, encode};
use crate::verdict::Verdict;

/// How long verdicts are gathered before they are written. Longer batches write less (a transaction costs one or two
/// syncs, some milliseconds on a disk), shorter ones lose less when the process is killed.
const BATCH_TIME: Duration = Duration::from_millis(200);

const KEY: usize = 24;
/// A journal record, split: the fingerprint is the key, the verdict and the checksum over both are the value.
const VERDICTS: TableDefinition<'static, &[u8; KEY], &[u8; RECORD - KEY]> =
    TableDefinition::new("verdicts 1");

/// Identifies a test: equal keys must mean that it says the same about the same candidate.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TestKey([u8; 32]);

impl TestKey {
    /// The key of a test that is made of these parts, in this order: what it consists of (its content, not its path),
    /// its arguments, and whatever else it depends on.
    pub fn of<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            let part = part.as_ref();
            // With its length before it, so that bytes cannot move from one part to the next unseen.
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        TestKey(hasher.finalize().into())
    }
}

impl fmt::Display for TestKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for TestKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TestKey({self})")
    }
}

/// Why a store cannot be used, or no longer. The run can go on without it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The directory or the file cannot be made, read or written.
    #[error("the verdict store {} cannot be used ({problem}): this run neither finds nor keeps verdicts there", .path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        problem: String,
    },
    /// Another process has it open.
    #[error("the verdict store {} is in use by another run with the same test: this run goes on without it", .path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else, or was damaged.
    #[error(
        "{} is damaged or is no verdict store ({problem}): this run goes on without it; delete the file to start a new one",
        .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        problem: String,
    },
}

type Recent = HashMap<Fingerprint, Verdict, FixedState>;

/// What the store and its writer share.
struct Shared {
    path: PathBuf,
    /// There until the drop.
    database: Option<Database>,
    /// Verdicts that are not written yet.
    recent: Mutex<Recent>,
    problem: Mutex<Option<StoreError>>,
    /// Whether there ever was a problem: then no seal is put on the file.
    broken: AtomicBool,
}

/// The verdicts of one test, on disk.
pub struct VerdictStore {
    shared: Arc<Shared>,
    queue: Option<Sender<(Fingerprint, Verdict)>>,
    writer: Option<JoinHandle<()>>,
}

impl VerdictStore {
    /// Opens the store of a test in `dir`, making both if need be.
    ///
    /// # Errors
    /// If it cannot be used; say so to the user and go on without.
    pub fn open(dir: &Path, test: TestKey) -> Result<Self, StoreError> {
        let path = dir.join(format!("{test}.verdicts"));
        let unusable =
            |error: &std::io::Error| StoreError::Unusable { path: path.clone(), problem: error.to_string() };
        std::fs::create_dir_all(dir).map_err(|error| unusable(&error))?;
        unseal(&path)?;
        let database = guarded(&path, || {
            let database = Database::create(&path).map_err(|error| opening(&path, error))?;
            // Made now, so that reading never meets a file without it, and a foreign database shows at once.
            let transaction = database.begin_write().map_err(|error| failing(&path, error))?;
            transaction.open_table(VERDICTS).map_err(|error| failing(&path, error))?;
            transaction.commit().map_err(|error| failing(&path, error))?;
            Ok(database)
        })?;
        let shared = Arc::new(Shared {
            path,
            database: Some(database),
            recent: Mutex::default(),
            problem: Mutex::default(),
            broken: AtomicBool::new(false),
        });
        let (queue, verdicts) = unbounded();
        let writer = std::thread::Builder::new().name("verdict store".into()).spawn({
            let shared = Arc::clone(&shared);
            move || shared.write_all(&verdicts)
        });
        let writer = writer.map_err(|error| StoreError::Unusable {
            path: shared.path.clone(),
            problem: error.to_string(),
        })?;
        Ok(VerdictStore { shared, queue: Some(queue), writer: Some(writer) })
    }

    /// The verdict that this run or an earlier one had on a candidate.
    #[must_use]
    pub fn get(&self, fingerprint: Fingerprint) -> Option<Verdict> {
        if let Some(&verdict) = lock(&self.shared.recent).get(&fingerprint) {
            return Some(verdict);
        }
        self.shared.note(self.shared.read(fingerprint)).flatten()
    }

    /// Keeps a verdict, unless it is one of those that another run may not see.
    pub fn put(&self, fingerprint: Fingerprint, verdict: Verdict) {
        if verdict.is_resolved()
            && let Some(queue) = &self.queue
        {
            lock(&self.shared.recent).insert(fingerprint, verdict);
            // A writer that is gone has left its reason in `problem`.
            let _ = queue.send((fingerprint, verdict));
        }
    }

    /// How many verdicts are not on disk yet.
    #[must_use]
    pub fn unwritten(&self) -> usize {
        lock(&self.shared.recent).len()
    }

    /// What went wrong since it was opened, if anything did: told once.
    #[must_use]
    pub fn problem(&self) -> Option<StoreError> {
        lock(&self.shared.problem).take()
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// If that fails.
    pub fn close(mut self) -> Result<(), StoreError> {
        self.finish();
        self.problem().map_or(Ok(()), Err)
    }

    fn finish(&mut self) {
        self.queue = None;
        if let Some(writer) = self.writer.take() {
            // Panics of the database are caught in the thread, and there is nothing else that could.
            let _ = writer.join();
        }
    }
}

impl Drop for VerdictStore {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let database = self.database.take();
        let closed = guarded(&self.path, || {
            drop(database);
            Ok(())
        });
        if closed.is_ok() && !self.broken.load(Ordering::Relaxed) {
            // Without a seal the next opening has to trust the database: no harm done.
            let _ = digest(&self.path).and_then(|digest| std::fs::write(seal_path(&self.path), digest));
        }
    }
}

impl Shared {
    fn database(&self) -> &Database {
        self.database.as_ref().expect("it is taken in the drop alone")
    }

    fn read(&self, fingerprint: Fingerprint) -> Result<Option<Verdict>, StoreError> {
        guarded(&self.path, || {
            let (key, _) = split(&encode(fingerprint, Verdict::BORING));
            let transaction = self.database().begin_read().map_err(|error| failing(&self.path, error))?;
            let table = transaction.open_table(VERDICTS).map_err(|error| failing(&self.path, error))?;
            let found = table.get(&key).map_err(|error| failing(&self.path, error))?;
            let Some(value) = found else { return Ok(None) };
            let mut record = [0; RECORD];
            record[..KEY].copy_from_slice(&key);
            record[KEY..].copy_from_slice(value.value());
            match decode(&record) {
                Some((_, verdict)) => Ok(Some(verdict)),
                None => Err(StoreError::Damaged {
                    path: self.path.clone(),
                    problem: "a verdict has a wrong checksum".into(),
                }),
            }
        })
    }

    /// Writes batches until nobody can send any more.
    fn write_all(&self, verdicts: &Receiver<(Fingerprint, Verdict)>) {
        while let Ok(first) = verdicts.recv() {
            let until = Instant::now() + BATCH_TIME;
            let mut batch = vec![first];
            while let Ok(next) = verdicts.recv_deadline(until) {
                batch.push(next);
            }
            if self.note(self.write(&batch)).is_none() {
                return;
            }
            let mut recent = lock(&self.recent);
            for (fingerprint, _) in batch {
                recent.remove(&fingerprint);
            }
        }
    }

    fn write(&self, batch: &[(Fingerprint, Verdict)]) -> Result<(), StoreError> {
        guarded(&self.path, || {
            let transaction = self.database().begin_write().map_err(|error| failing(&self.path, error))?;
            {
                let mut table =
                    transaction.open_table(VERDICTS).map_err(|error| failing(&self.path, error))?;
                for &(fingerprint, verdict) in batch {
                    let (key, value) = split(&encode(fingerprint, verdict));
                    table.insert(&key, &value).map_err(|error| failing(&self.path, error))?;
                }
            }
            transaction.commit().map_err(|error| failing(&self.path, error))
        })
    }

    fn note<T>(&self, result: Result<T, StoreError>) -> Option<T> {
        let problem = match result {
            Ok(value) => return Some(value),
            Err(problem) => problem,
        };
        self.broken.store(true, Ordering::Relaxed);
        *lock(&self.problem) = Some(problem);
        None
    }
}

/// Verifies the seal of a file that has one, and takes it off.
fn unseal(path: &Path) -> Result<(), StoreError> {
    let seal = seal_path(path);
    let Ok(sealed) = std::fs::read(&seal) else {
        return Ok(());
    };
    let unusable =
        |error: &std::io::Error| StoreError::Unusable { path: path.to_owned(), problem: error.to_string() };
    let digest = digest(path).map_err(|error| unusable(&error))?;
    // A seal that was cut short by a kill says nothing.
    if sealed.len() == digest.len() && sealed != digest {
        return Err(if seal.exists() {
            StoreError::Damaged {
                path: path.to_owned(),
                problem: "it was changed since it was closed".into(),
            }
        } else {
            // Another process has opened it meanwhile.
            StoreError::Busy { path: path.to_owned() }
        });
    }
    std::fs::remove_file(&seal).map_err(|error| unusable(&error))
}

fn seal_path(path: &Path) -> PathBuf {
    path.with_extension("seal")
}

fn digest(path: &Path) -> std::io::Result<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(std::fs::File::open(path)?)?;
    Ok(hasher.finalize().into())
}

fn split(record: &[u8; RECORD]) -> ([u8; KEY], [u8; RECORD - KEY]) {
    let (mut key, mut value) = ([0; KEY], [0; RECORD - KEY]);
    key.copy_from_slice(&record[..KEY]);
    value.copy_from_slice(&record[KEY..]);
    (key, value)
}

/// A poisoned lock guards plain data here: whatever was being changed was changed in one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Damage that the database does not see coming makes it panic; that must not end the run.
fn guarded<T>(path: &Path, body: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        Err(StoreError::Damaged { path: path.to_owned(), problem: "the database gave up".into() })
    })
}

fn opening(path: &Path, error: DatabaseError) -> StoreError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => StoreError::Busy { path: path.to_owned() },
        error => failing(path, error),
    }
}

fn failing(path: &Path, error: impl Into<redb::Error>) -> StoreError {
    let (path, error) = (path.to_owned(), error.into());
    let problem = error.to_string();
    match error {
        redb::Error::Io(error) if error.kind() != std::io::ErrorKind::InvalidData => {
            StoreError::Unusable { path, problem }
        }
        redb::Error::PreviousIo | redb::Error::DatabaseClosed => StoreError::Unusable { path, problem },
        _ => StoreError::Damaged { path, problem },
    }
}
