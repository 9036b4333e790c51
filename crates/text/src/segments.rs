//! A text cut into pieces, and the candidates that keep some of them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use dwindle_core::{
    Candidate, File, FileRuns, Files, Fingerprint, FingerprintIndex, Run, Subset, Variant,
    fingerprint_of_file, fingerprint_of_files,
};

/// One file of a set of files, cut into pieces that cover it.
///
/// Cheap to clone. Candidates share it: they hold only the runs of pieces they keep.
#[derive(Clone)]
pub struct Segments(Arc<Inner>);

struct Inner {
    files: Files,
    /// Which of the files is cut; the others stay as they are.
    at: usize,
    /// Where each piece begins, and the end of the last.
    cuts: Vec<usize>,
    index: FingerprintIndex,
    before: Fingerprint,
    after: Fingerprint,
    other_bytes: u64,
}

impl Segments {
    /// Cuts file number `at` of `files` where `cut` says; the ranges it gives cover the text in order.
    pub fn new(files: &Files, at: usize, cut: impl Fn(&[u8]) -> Vec<Range<usize>>) -> Self {
        let text = &files[at].bytes;
        let pieces = cut(text);
        debug_assert_eq!(
            pieces.iter().map(ExactSizeIterator::len).sum::<usize>(),
            text.len(),
            "pieces cover the text"
        );
        let index = FingerprintIndex::new(pieces.iter().map(|piece| Fingerprint::of(&text[piece.clone()])));
        let cuts = std::iter::once(0).chain(pieces.iter().map(|piece| piece.end)).collect();
        Segments(Arc::new(Inner {
            before: fingerprint_of_files(&files[..at]),
            after: fingerprint_of_files(&files[at + 1..]),
            other_bytes: files.size() - text.len() as u64,
            files: files.clone(),
            at,
            cuts,
            index,
        }))
    }

    /// How many pieces there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.index.pieces()
    }

    /// Whether the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The size of each piece in bytes.
    #[must_use]
    pub fn weights(&self) -> Vec<u64> {
        self.0.cuts.windows(2).map(|cut| (cut[1] - cut[0]) as u64).collect()
    }

    /// What tells each piece from others, also when it is at another place of a later text: its content, and which of
    /// the pieces of this content it is.
    #[must_use]
    pub fn identities(&self) -> Vec<u64> {
        let (text, cuts) = (&self.file().bytes, &self.0.cuts);
        let mut seen: HashMap<&[u8], u64> = HashMap::new();
        let identity = |cut: &[usize]| {
            let piece = &text[cut[0]..cut[1]];
            let number = seen.entry(piece).or_default();
            *number += 1;
            let [a, b] = Fingerprint::of(piece).lanes;
            (a ^ b.rotate_left(32)).wrapping_mul(2 * *number + 1)
        };
        cuts.windows(2).map(identity).collect()
    }

    /// The candidate that keeps just these pieces.
    #[must_use]
    pub fn keep(&self, kept: &Subset) -> Candidate {
        Candidate::new(Kept { segments: self.clone(), kept: kept.clone() })
    }

    fn file(&self) -> &File {
        &self.0.files[self.0.at]
    }

    fn text(&self, kept: &Subset) -> Arc<[u8]> {
        let (text, cuts) = (&self.file().bytes, &self.0.cuts);
        let len = self.0.index.runs(kept.ranges()).len as usize;
        // Straight into its final place: a `Vec` would have to be copied, and candidates can be many megabytes.
        let mut out: Arc<[u8]> = std::iter::repeat_n(0, len).collect();
        let mut rest = Arc::get_mut(&mut out).expect("nobody else has it yet");
        for run in kept.ranges() {
            let piece = &text[cuts[run.start]..cuts[run.end]];
            let (here, behind) = rest.split_at_mut(piece.len());
            here.copy_from_slice(piece);
            rest = behind;
        }
        out
    }
}

/// Some pieces of a text, in their order.
struct Kept {
    segments: Segments,
    kept: Subset,
}

impl Variant for Kept {
    fn fingerprint(&self) -> Fingerprint {
        let inner = &*self.segments.0;
        let text = inner.index.runs(self.kept.ranges());
        inner.before.then(fingerprint_of_file(&self.segments.file().path, text)).then(inner.after)
    }

    fn size(&self) -> u64 {
        self.segments.0.other_bytes + self.segments.0.index.runs(self.kept.ranges()).len
    }

    fn runs(&self) -> Vec<FileRuns> {
        let inner = &*self.segments.0;
        let mut files = inner.files.runs();
        let bytes = &self.segments.file().bytes;
        let run = |run: Range<usize>| Run {
            bytes: Arc::clone(bytes),
            range: inner.cuts[run.start]..inner.cuts[run.end],
        };
        files[inner.at].runs = self.kept.ranges().map(run).collect();
        files
    }

    fn render(&self) -> Files {
        let inner = &*self.segments.0;
        let file = File { bytes: self.segments.text(&self.kept), ..self.segments.file().clone() };
        let mut files = inner.files.to_vec();
        files[inner.at] = file;
        Files::new(files)
    }
}
