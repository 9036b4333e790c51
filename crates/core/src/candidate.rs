//! A variant of the input that is to be tested.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::fingerprint::Fingerprint;

/// One file of an input or of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Where it is, relative to the work directory of the test.
    pub path: PathBuf,
    /// What is in it.
    pub bytes: Arc<[u8]>,
    /// Whether it may be executed.
    pub executable: bool,
}

impl File {
    /// A plain file.
    pub fn new(path: impl Into<PathBuf>, bytes: impl Into<Arc<[u8]>>) -> Self {
        File { path: path.into(), bytes: bytes.into(), executable: false }
    }
}

/// The files a test is to see, in a fixed order. One file is the usual case.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Files(Arc<[File]>);

impl Files {
    /// Puts files together.
    pub fn new(files: impl IntoIterator<Item = File>) -> Self {
        Files(files.into_iter().collect())
    }

    /// A single file.
    pub fn single(path: impl Into<PathBuf>, bytes: impl Into<Arc<[u8]>>) -> Self {
        Self::new([File::new(path, bytes)])
    }

    /// The numbers of the files, the largest first: where there is most to gain.
    #[must_use]
    pub fn largest_first(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.0.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(self.0[at].bytes.len()));
        order
    }

    /// All bytes of all files.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.0.iter().map(|file| file.bytes.len() as u64).sum()
    }

    /// Each file as a single run.
    #[must_use]
    pub fn runs(&self) -> Vec<FileRuns> {
        self.0.iter().map(FileRuns::from).collect()
    }

    /// The file at `path`, if it is among them.
    #[must_use]
    pub fn get(&self, path: &Path) -> Option<&File> {
        self.0.iter().find(|file| file.path == path)
    }
}

impl std::ops::Deref for Files {
    type Target = [File];

    fn deref(&self) -> &[File] {
        &self.0
    }
}

/// A file as runs of bytes that it shares with others: to write it, they need not be copied together first.
#[derive(Clone, Debug)]
pub struct FileRuns {
    /// Where it is, relative to the work directory of the test.
    pub path: PathBuf,
    /// Whether it may be executed.
    pub executable: bool,
    /// What is in it, in order.
    pub runs: Vec<Run>,
}

/// A part of some shared bytes.
#[derive(Clone, Debug)]
pub struct Run {
    /// The shared bytes.
    pub bytes: Arc<[u8]>,
    /// Which of them.
    pub range: Range<usize>,
}

impl std::ops::Deref for Run {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.range.clone()]
    }
}

impl FileRuns {
    /// The shared bytes, if they are the whole content.
    #[must_use]
    pub fn whole(&self) -> Option<&Arc<[u8]>> {
        match &self.runs[..] {
            [run] if run.range == (0..run.bytes.len()) => Some(&run.bytes),
            _ => None,
        }
    }
}

impl From<&File> for FileRuns {
    fn from(file: &File) -> Self {
        let run = Run { bytes: Arc::clone(&file.bytes), range: 0..file.bytes.len() };
        FileRuns { path: file.path.clone(), executable: file.executable, runs: vec![run] }
    }
}

/// A sequence of interned tokens, for caches that compare sequences.
///
/// Within one universe, equal sequences must render to equal content, and sequences that differ to content that
/// differs. So a universe stands for a table of token texts *and* a way to print them: a pass that reads the best
/// anew may go on in the same universe if it adds to the same table and prints alike; if the table is another one, or
/// other files or layout come around the tokens, it takes a new number. Numbers need not be the same from run to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// Which table the numbers index: sequences of different universes cannot be compared.
    pub universe: u64,
    /// The tokens, in order; equal text, equal number.
    pub ids: Vec<u32>,
}

/// What a candidate is made of. A pass brings its own: runs of lines, an edited tree, a set of items.
pub trait Variant: Any + Send + Sync {
    /// Identifies the content. Equal fingerprints must mean equal content, across all variants of a run.
    fn fingerprint(&self) -> Fingerprint;

    /// How large the content is, in bytes: what the session makes small.
    fn size(&self) -> u64;

    /// The content itself. Called only when the test really runs, or when the candidate has become the best.
    fn render(&self) -> Files;

    /// The content as runs of bytes it shares with others, for a single use. Worth having for large content.
    fn runs(&self) -> Vec<FileRuns> {
        self.render().runs()
    }

    /// The content as a token sequence, where there is one.
    fn tokens(&self) -> Option<Tokens> {
        None
    }
}

/// A variant to be tested, cheap to clone; renders its files when somebody asks.
#[derive(Clone)]
pub struct Candidate(Arc<Inner>);

struct Inner {
    fingerprint: Fingerprint,
    size: u64,
    files: OnceLock<Files>,
    variant: Box<dyn Variant>,
}

impl Candidate {
    /// Wraps a variant.
    pub fn new(variant: impl Variant) -> Self {
        Candidate(Arc::new(Inner {
            fingerprint: variant.fingerprint(),
            size: variant.size(),
            files: OnceLock::new(),
            variant: Box::new(variant),
        }))
    }

    /// A candidate that is just these files.
    #[must_use]
    pub fn of_files(files: Files) -> Self {
        Self::new(Whole(files))
    }

    /// Identifies the content.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        self.0.fingerprint
    }

    /// How large the content is, in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.0.size
    }

    /// The content as files, kept for as long as the candidate is.
    #[must_use]
    pub fn files(&self) -> &Files {
        self.0.files.get_or_init(|| self.0.variant.render())
    }

    /// The content for a single use: a candidate that waits for its verdict need not hold megabytes.
    #[must_use]
    pub fn runs(&self) -> Vec<FileRuns> {
        let kept = self.0.files.get();
        kept.map_or_else(|| self.0.variant.runs(), Files::runs)
    }

    /// The content as a token sequence, where there is one.
    #[must_use]
    pub fn tokens(&self) -> Option<Tokens> {
        self.0.variant.tokens()
    }

    /// The variant itself, if it is of type `V`.
    #[must_use]
    pub fn variant<V: Variant>(&self) -> Option<&V> {
        (&*self.0.variant as &dyn Any).downcast_ref()
    }
}

impl fmt::Debug for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Candidate")
            .field("fingerprint", &self.0.fingerprint)
            .field("size", &self.0.size)
            .finish()
    }
}

/// The fingerprint of a set of files.
#[must_use]
pub fn fingerprint_of_files(files: &[File]) -> Fingerprint {
    files.iter().fold(Fingerprint::EMPTY, |f, file| {
        f.then(fingerprint_of_file(&file.path, Fingerprint::of(&file.bytes)))
    })
}

/// The fingerprint of one file, given that of its text. The name and the length go first, so that bytes cannot move
/// from one file to the next unseen.
#[must_use]
pub fn fingerprint_of_file(path: &Path, text: Fingerprint) -> Fingerprint {
    fingerprint_of_named(path.as_os_str().as_encoded_bytes(), text)
}

/// The fingerprint of a file whose path has these bytes.
pub(crate) fn fingerprint_of_named(path: &[u8], text: Fingerprint) -> Fingerprint {
    let mut header = b"\0file\0".to_vec();
    header.extend_from_slice(path);
    header.push(0);
    header.extend_from_slice(&text.len.to_le_bytes());
    Fingerprint::of(&header).then(text)
}

struct Whole(Files);

impl Variant for Whole {
    fn fingerprint(&self) -> Fingerprint {
        fingerprint_of_files(&self.0)
    }

    fn size(&self) -> u64 {
        self.0.size()
    }

    fn render(&self) -> Files {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_bytes_between_files_changes_the_fingerprint() {
        let split =
            |a: &[u8], b: &[u8]| Candidate::of_files(Files::new([File::new("a", a), File::new("b", b)]));
        assert_ne!(split(b"xy", b"z").fingerprint(), split(b"x", b"yz").fingerprint());
        assert_eq!(split(b"xy", b"z").fingerprint(), split(b"xy", b"z").fingerprint());
    }
}
