//! Candidates of a source: some of its tokens, or others, and how they are printed.
//!
//! Most candidates only drop tokens. Where lines and indentation mean nothing, their text is then made of runs of the
//! text that was read, with a byte put in where two tokens must not touch: such a candidate is fingerprinted and
//! written in time that grows with its runs, not with its text.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use dwindle_core::{
    Candidate, File, FileRuns, Files, Fingerprint, FingerprintIndex, Run, Tokens, Variant,
    fingerprint_of_file, fingerprint_of_files,
};
use dwindle_syntax::{Lexicon, TokenId, Tree};
use foldhash::fast::FixedState;

/// What all candidates of a source share: the files around it, and its text by tokens.
pub(crate) struct Frame {
    files: Files,
    at: usize,
    /// Where each token's text starts, with the white space before it, and the end of the last. Nothing where the text
    /// of a token depends on more than its neighbours.
    cuts: Option<Cuts>,
    tokens: Vec<u32>,
    /// How many of the tokens up to each are tokens of the language.
    counts: Vec<u32>,
    before: Fingerprint,
    after: Fingerprint,
    other_bytes: u64,
    universe: u64,
}

struct Cuts {
    starts: Vec<u32>,
    /// Bytes of white space before the first token and behind the last.
    head: usize,
    tail: usize,
    index: FingerprintIndex,
}

impl Frame {
    pub(crate) fn new(files: &Files, at: usize, tree: &Tree, lexicon: &Lexicon) -> Self {
        let text = &files[at].bytes;
        let mut count = 0;
        let counts = std::iter::once(0).chain(tree.tokens().iter().map(|token| {
            count += u32::from(!lexicon.marks(*token).is_layout());
            count
        }));
        let (before, after) = (fingerprint_of_files(&files[..at]), fingerprint_of_files(&files[at + 1..]));
        // Sequences can be compared as long as the same things come around them.
        let universe = FixedState::default().hash_one((before, after, tree.margins(), &files[at].path));
        Frame {
            at,
            cuts: Cuts::new(text, tree, lexicon),
            tokens: tree.tokens().iter().map(|token| token.0).collect(),
            counts: counts.collect(),
            before,
            after,
            other_bytes: files.size() - text.len() as u64,
            universe,
            files: files.clone(),
        }
    }

    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    fn file(&self) -> &File {
        &self.files[self.at]
    }

    /// The files with another text in the source's place.
    pub(crate) fn with_text(&self, text: Arc<[u8]>) -> Files {
        let mut files = self.files.to_vec();
        files[self.at] = File { bytes: text, ..self.file().clone() };
        Files::new(files)
    }
}

impl Cuts {
    /// The cuts, if the text is its tokens one after the other and nothing else.
    fn new(text: &[u8], tree: &Tree, lexicon: &Lexicon) -> Option<Self> {
        let (head, tail) = tree.margins();
        let mut at = head.len();
        let mut starts = Vec::with_capacity(tree.tokens().len() + 1);
        for (index, token) in tree.tokens().iter().enumerate() {
            let (marks, trivia, own) = (lexicon.marks(*token), lexicon.trivia(*token), lexicon.text(*token));
            starts.push(at as u32);
            // White space before the first token is in the margin.
            let trivia = if index == 0 { &[] } else { trivia };
            let end = at + trivia.len() + own.len();
            let same = text.get(at..end).is_some_and(|text| text.strip_prefix(trivia) == Some(own));
            if marks.is_layout() || !same {
                return None;
            }
            at = end;
        }
        starts.push(at as u32);
        let piece = |cut: &[u32]| Fingerprint::of(&text[cut[0] as usize..cut[1] as usize]);
        let index = FingerprintIndex::new(starts.windows(2).map(piece));
        (at + tail.len() == text.len()).then_some(Cuts { starts, head: head.len(), tail: tail.len(), index })
    }
}

/// A candidate of a source.
pub(crate) struct Printed {
    frame: Arc<Frame>,
    body: Body,
    token_count: usize,
    /// Of the text.
    fingerprint: Fingerprint,
}

enum Body {
    /// Runs of the tokens that were read.
    Runs(Vec<Piece>),
    /// Any tokens.
    Own { tokens: Vec<u32>, text: Arc<[u8]> },
}

/// A run of tokens, and what is put before it. The first one goes without its white space.
struct Piece {
    glue: Option<u8>,
    /// Leading bytes that are left out.
    skip: u32,
    tokens: Range<u32>,
}

/// The bytes that can be put in.
static GLUE: LazyLock<Arc<[u8]>> = LazyLock::new(|| Arc::from(*b" \n"));

impl Printed {
    pub(crate) fn of_runs(
        frame: &Arc<Frame>,
        tree: &Tree,
        lexicon: &Lexicon,
        kept: &[Range<u32>],
    ) -> Candidate {
        let Some(cuts) = &frame.cuts else {
            let tokens = kept.iter().flat_map(|run| &tree.tokens()[run.start as usize..run.end as usize]);
            return Self::of_tokens(frame, tree, lexicon, &tokens.copied().collect::<Vec<_>>());
        };
        let mut pieces = Vec::with_capacity(kept.len());
        let mut last: Option<TokenId> = None;
        let text = &frame.file().bytes;
        let mut fingerprint = Fingerprint::of(&text[..cuts.head]);
        let mut token_count = 0;
        for run in kept.iter().filter(|run| !run.is_empty()) {
            let first = tree.tokens()[run.start as usize];
            let glue = last.and_then(|last| lexicon.glue(last, first));
            let skip = if last.is_none() && run.start > 0 { lexicon.trivia(first).len() as u32 } else { 0 };
            if let Some(glue) = glue {
                fingerprint = fingerprint.then(Fingerprint::of(&[glue]));
            }
            let mut whole = run.start as usize..run.end as usize;
            if skip > 0 {
                let bytes =
                    cuts.starts[whole.start] as usize + skip as usize..cuts.starts[whole.start + 1] as usize;
                fingerprint = fingerprint.then(Fingerprint::of(&text[bytes]));
                whole.start += 1;
            }
            fingerprint = fingerprint.then(cuts.index.range(whole));
            token_count += (frame.counts[run.end as usize] - frame.counts[run.start as usize]) as usize;
            last = Some(tree.tokens()[run.end as usize - 1]);
            pieces.push(Piece { glue, skip, tokens: run.clone() });
        }
        fingerprint = fingerprint.then(Fingerprint::of(&text[text.len() - cuts.tail..]));
        let body = Body::Runs(pieces);
        Candidate::new(Printed { frame: Arc::clone(frame), body, token_count, fingerprint })
    }

    pub(crate) fn of_tokens(
        frame: &Arc<Frame>,
        tree: &Tree,
        lexicon: &Lexicon,
        tokens: &[TokenId],
    ) -> Candidate {
        let text: Arc<[u8]> = tree.render(lexicon, tokens.iter().copied()).into();
        let token_count = tokens.iter().filter(|token| !lexicon.marks(**token).is_layout()).count();
        Candidate::new(Printed {
            frame: Arc::clone(frame),
            token_count,
            fingerprint: Fingerprint::of(&text),
            body: Body::Own { tokens: tokens.iter().map(|token| token.0).collect(), text },
        })
    }

    /// How many tokens of the language it has.
    pub(crate) fn token_count(&self) -> usize {
        self.token_count
    }

    /// Its text.
    pub(crate) fn text(&self) -> Arc<[u8]> {
        match &self.body {
            Body::Own { text, .. } => Arc::clone(text),
            Body::Runs(_) => {
                let mut text = Vec::with_capacity(self.fingerprint.len as usize);
                self.file_runs().iter().for_each(|run| text.extend_from_slice(run));
                text.into()
            }
        }
    }

    fn file_runs(&self) -> Vec<Run> {
        let (Body::Runs(pieces), Some(cuts)) = (&self.body, &self.frame.cuts) else {
            let text = self.text();
            return vec![Run { range: 0..text.len(), bytes: text }];
        };
        let text = &self.frame.file().bytes;
        let part = |range: Range<usize>| Run { bytes: Arc::clone(text), range };
        let mut runs = vec![part(0..cuts.head)];
        for piece in pieces {
            if let Some(glue) = piece.glue {
                let at = usize::from(glue == b'\n');
                runs.push(Run { bytes: Arc::clone(&GLUE), range: at..at + 1 });
            }
            let cut = |at: u32| cuts.starts[at as usize] as usize;
            runs.push(part(cut(piece.tokens.start) + piece.skip as usize..cut(piece.tokens.end)));
        }
        runs.push(part(text.len() - cuts.tail..text.len()));
        runs.retain(|run| !run.range.is_empty());
        runs
    }
}

impl Variant for Printed {
    fn fingerprint(&self) -> Fingerprint {
        let file = fingerprint_of_file(&self.frame.file().path, self.fingerprint);
        self.frame.before.then(file).then(self.frame.after)
    }

    fn size(&self) -> u64 {
        self.frame.other_bytes + self.fingerprint.len
    }

    fn runs(&self) -> Vec<FileRuns> {
        let mut files = self.frame.files.runs();
        files[self.frame.at].runs = self.file_runs();
        files
    }

    fn render(&self) -> Files {
        self.frame.with_text(self.text())
    }

    fn tokens(&self) -> Option<Tokens> {
        let ids = match &self.body {
            Body::Own { tokens, .. } => tokens.clone(),
            Body::Runs(pieces) => pieces
                .iter()
                .flat_map(|piece| &self.frame.tokens[piece.tokens.start as usize..piece.tokens.end as usize])
                .copied()
                .collect(),
        };
        Some(Tokens { universe: self.frame.universe, ids })
    }
}
