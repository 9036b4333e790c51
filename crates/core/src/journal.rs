//! The append-only record of verdicts that lets a killed run go on where it was.
//!
//! A run is deterministic, so its journal needs no positions and no states: fed with the verdicts that are already
//! known, the same passes walk the same way again without running the test, and arrive where they were stopped.
//!
//! The file is a short header and fixed-size records, each with a checksum. Every record is handed to the operating
//! system before the session goes on, so it survives SIGKILL; a torn or damaged tail is cut off on reading.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::fingerprint::Fingerprint;
use crate::marks::Marks;
use crate::verdict::{Unresolved, Verdict};

const MAGIC: &[u8; 16] = b"dwindle journal1";
pub(crate) const RECORD: usize = 32;

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    file: File,
}

impl Journal {
    /// Opens the journal at `path`, making it if there is none, and gives the verdicts it holds.
    ///
    /// # Errors
    /// If the file cannot be opened or written, or is something else than a journal.
    pub fn open(path: &Path) -> io::Result<(Journal, Vec<(Fingerprint, Verdict)>)> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        // A file shorter than the magic, but starting like it, was torn while it was made.
        if bytes.len() < MAGIC.len() && MAGIC.starts_with(&bytes) {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(MAGIC)?;
            return Ok((Journal { file }, Vec::new()));
        }
        let Some(body) = bytes.strip_prefix(MAGIC) else {
            let text = format!("{} is not a dwindle journal", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        };
        let verdicts: Vec<_> = body.chunks_exact(RECORD).map_while(decode).collect();
        let end = (MAGIC.len() + verdicts.len() * RECORD) as u64;
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok((Journal { file }, verdicts))
    }

    /// Adds one verdict.
    ///
    /// # Errors
    /// If the file cannot be written; the journal then ends before this record.
    pub fn append(&mut self, fingerprint: Fingerprint, verdict: Verdict) -> io::Result<()> {
        self.file.write_all(&encode(fingerprint, verdict))
    }
}

pub(crate) fn encode(fingerprint: Fingerprint, verdict: Verdict) -> [u8; RECORD] {
    let (kind, marks) = match verdict {
        Verdict::Interesting => (0u8, 0u32),
        Verdict::Boring { marks: Marks::NONE } => (1, 0),
        Verdict::Boring { marks } => (2, marks.number()),
        Verdict::Unresolved(Unresolved::TimedOut) => (3, 0),
        Verdict::Unresolved(Unresolved::Crashed) => (4, 0),
        Verdict::Unresolved(Unresolved::OutOfMemory) => (5, 0),
    };
    let mut record = [0; RECORD];
    record[0..8].copy_from_slice(&fingerprint.len.to_le_bytes());
    record[8..16].copy_from_slice(&fingerprint.lanes[0].to_le_bytes());
    record[16..24].copy_from_slice(&fingerprint.lanes[1].to_le_bytes());
    // The number of marks fits into the three bytes that are left for it.
    record[24..28].copy_from_slice(&(u32::from(kind) | marks << 8).to_le_bytes());
    let sum = checksum(&record[..28]);
    record[28..].copy_from_slice(&sum);
    record
}

pub(crate) fn decode(record: &[u8]) -> Option<(Fingerprint, Verdict)> {
    let number = |at: usize| Some(u64::from_le_bytes(record.get(at..at + 8)?.try_into().ok()?));
    if record.get(28..)? != checksum(&record[..28]) {
        return None;
    }
    let fingerprint = Fingerprint { len: number(0)?, lanes: [number(8)?, number(16)?] };
    let verdict = match record[24] {
        0 => Verdict::Interesting,
        1 => Verdict::BORING,
        2 => {
            let number = u32::from_le_bytes([record[25], record[26], record[27], 0]);
            Verdict::Boring { marks: Marks::from_number(number) }
        }
        3 => Verdict::Unresolved(Unresolved::TimedOut),
        4 => Verdict::Unresolved(Unresolved::Crashed),
        5 => Verdict::Unresolved(Unresolved::OutOfMemory),
        _ => return None,
    };
    Some((fingerprint, verdict))
}

/// Guards against torn and overwritten records, not against malice: the content hash we have anyway.
fn checksum(bytes: &[u8]) -> [u8; 4] {
    let [a, b] = Fingerprint::of(bytes).lanes;
    ((a ^ b.rotate_left(29)) as u32).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::CheckId;

    fn verdicts() -> Vec<(Fingerprint, Verdict)> {
        [
            Verdict::Interesting,
            Verdict::BORING,
            Verdict::failed_at(CheckId(14)),
            Verdict::Unresolved(Unresolved::TimedOut),
            Verdict::Unresolved(Unresolved::Crashed),
            Verdict::Unresolved(Unresolved::OutOfMemory),
        ]
        .into_iter()
        .enumerate()
        .map(|(i, verdict)| (Fingerprint::of(&[i as u8; 9]), verdict))
        .collect()
    }

    fn written() -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let (mut journal, known) = Journal::open(&path).unwrap();
        assert!(known.is_empty());
        for (fingerprint, verdict) in verdicts() {
            journal.append(fingerprint, verdict).unwrap();
        }
        (dir, path)
    }

    #[test]
    fn every_kind_of_verdict_comes_back() {
        let (_dir, path) = written();
        assert_eq!(Journal::open(&path).unwrap().1, verdicts());
    }

    #[test]
    fn cut_at_any_byte_the_whole_records_before_the_cut_come_back_and_more_can_be_added() {
        let (_dir, path) = written();
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (mut journal, known) = Journal::open(&path).unwrap();
            let expected = cut.saturating_sub(MAGIC.len()) / RECORD;
            assert_eq!(known, verdicts()[..expected]);
            journal.append(Fingerprint::of(b"more"), Verdict::Interesting).unwrap();
            drop(journal);
            assert_eq!(Journal::open(&path).unwrap().1.len(), expected + 1);
        }
    }

    #[test]
    fn a_damaged_record_ends_the_journal() {
        let (_dir, path) = written();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[MAGIC.len() + 2 * RECORD + 5] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(Journal::open(&path).unwrap().1, verdicts()[..2]);
    }

    #[test]
    fn a_foreign_file_is_refused_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        std::fs::write(&path, "something else entirely").unwrap();
        let error = Journal::open(&path).unwrap_err().to_string();
        assert!(error.contains("is not a dwindle journal"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"something else entirely");
    }
}
