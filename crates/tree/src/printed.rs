//! Candidates of a source: some of its tokens, or others, and how they are printed.
//!
//! Most candidates only drop tokens, or put a few new ones in their place. Where lines and indentation mean nothing,
//! their text is then made of runs of the text that was read, with a byte put in where two tokens must not touch: such
//! a candidate is fingerprinted and written in time that grows with its runs, not with its text.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use dwindle_core::{
    Candidate, File, FileRuns, Files, Fingerprint, FingerprintIndex, Run, Tokens, Variant,
    fingerprint_of_file, fingerprint_of_files,
};
use dwindle_syntax::{Lexicon, SharedRun, TokenId, Tree};
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

    pub(crate) fn file(&self) -> &File {
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
    /// Runs of the tokens that were read, and new ones, with the text of the latter.
    Pieces { pieces: Vec<Piece>, new: Arc<[u8]> },
    /// Any tokens.
    Own { tokens: Vec<u32>, text: Arc<[u8]> },
}

enum Piece {
    /// A run of tokens that were read, and what is put before it. The first one goes without its white space.
    Read {
        glue: Option<u8>,
        /// Leading bytes that are left out.
        skip: u32,
        tokens: Range<u32>,
    },
    /// New tokens, and where their text is.
    New { tokens: Vec<u32>, bytes: Range<usize> },
}

/// A part of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'t> {
    /// A run of the tokens that were read.
    Read(Range<u32>),
    /// Other tokens of the lexicon.
    New(&'t [TokenId]),
}

/// The bytes that can be put in.
static GLUE: LazyLock<Arc<[u8]>> = LazyLock::new(|| Arc::from(*b" \n"));

impl Printed {
    /// The candidate of these parts; the runs among them are in order and do not overlap, and nothing new stands before
    /// the first token of the text.
    pub(crate) fn of_parts<'t>(
        frame: &Arc<Frame>,
        tree: &Tree,
        lexicon: &Lexicon,
        parts: impl Iterator<Item = Part<'t>>,
    ) -> Candidate {
        let Some(cuts) = &frame.cuts else {
            let mut tokens = Vec::with_capacity(tree.tokens().len());
            for part in parts {
                tokens.extend_from_slice(match &part {
                    Part::Read(run) => &tree.tokens()[run.start as usize..run.end as usize],
                    Part::New(new) => new,
                });
            }
            return Self::of_tokens(frame, tree, lexicon, &tokens);
        };
        let text = &frame.file().bytes;
        let mut assembly = Assembly {
            pieces: Vec::with_capacity(parts.size_hint().0),
            new: Vec::new(),
            fingerprint: Fingerprint::of(&text[..cuts.head]),
            token_count: 0,
            last: None,
        };
        for part in parts {
            match part {
                Part::Read(run) if run.is_empty() => {}
                Part::Read(run) => assembly.read(frame, cuts, tree, lexicon, run),
                Part::New(tokens) => assembly.put_in(lexicon, tokens),
            }
        }
        let Assembly { pieces, new, fingerprint, token_count, .. } = assembly;
        let fingerprint = fingerprint.then(Fingerprint::of(&text[text.len() - cuts.tail..]));
        let body = Body::Pieces { pieces, new: new.into() };
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
            Body::Pieces { .. } => {
                let mut text = Vec::with_capacity(self.fingerprint.len as usize);
                self.file_runs().iter().for_each(|run| text.extend_from_slice(run));
                text.into()
            }
        }
    }

    /// Its text, and what that shares with the text of the frame if it is made of runs of it.
    pub(crate) fn variant(&self) -> (Vec<u8>, Option<Vec<SharedRun>>) {
        let Body::Pieces { .. } = self.body else { return (self.text().to_vec(), None) };
        let mut text = Vec::with_capacity(self.fingerprint.len as usize);
        let mut shared = Vec::new();
        for run in self.file_runs() {
            if Arc::ptr_eq(&run.bytes, &self.frame.file().bytes) {
                shared.push(SharedRun { read: run.range.start, here: text.len(), len: run.len() });
            }
            text.extend_from_slice(&run);
        }
        (text, Some(shared))
    }

    /// What identifies its text.
    pub(crate) fn text_fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Whether it is a candidate of the source with this frame.
    pub(crate) fn is_of(&self, frame: &Arc<Frame>) -> bool {
        Arc::ptr_eq(&self.frame, frame)
    }

    fn file_runs(&self) -> Vec<Run> {
        let (Body::Pieces { pieces, new }, Some(cuts)) = (&self.body, &self.frame.cuts) else {
            let text = self.text();
            return vec![Run { range: 0..text.len(), bytes: text }];
        };
        let text = &self.frame.file().bytes;
        let part = |range: Range<usize>| Run { bytes: Arc::clone(text), range };
        let mut runs = vec![part(0..cuts.head)];
        for piece in pieces {
            match piece {
                Piece::Read { glue, skip, tokens } => {
                    if let Some(glue) = glue {
                        let at = usize::from(*glue == b'\n');
                        runs.push(Run { bytes: Arc::clone(&GLUE), range: at..at + 1 });
                    }
                    let cut = |at: u32| cuts.starts[at as usize] as usize;
                    runs.push(part(cut(tokens.start) + *skip as usize..cut(tokens.end)));
                }
                Piece::New { bytes, .. } => runs.push(Run { bytes: Arc::clone(new), range: bytes.clone() }),
            }
        }
        runs.push(part(text.len() - cuts.tail..text.len()));
        runs.retain(|run| !run.range.is_empty());
        runs
    }
}

/// A candidate being put together.
struct Assembly {
    pieces: Vec<Piece>,
    /// The text of new tokens.
    new: Vec<u8>,
    fingerprint: Fingerprint,
    token_count: usize,
    last: Option<TokenId>,
}

impl Assembly {
    /// Adds a run of tokens that were read.
    fn read(&mut self, frame: &Frame, cuts: &Cuts, tree: &Tree, lexicon: &Lexicon, run: Range<u32>) {
        let first = tree.tokens()[run.start as usize];
        let glue = self.last.and_then(|last| lexicon.glue(last, first));
        let skip = if self.last.is_none() && run.start > 0 { lexicon.trivia(first).len() as u32 } else { 0 };
        let mut fingerprint = self.fingerprint;
        if let Some(glue) = glue {
            fingerprint = fingerprint.then(Fingerprint::of(&[glue]));
        }
        let mut whole = run.start as usize..run.end as usize;
        debug_assert!(
            run.start > 0 || self.last.is_none(),
            "the white space of the first token is in the margin"
        );
        if skip > 0 {
            let bytes =
                cuts.starts[whole.start] as usize + skip as usize..cuts.starts[whole.start + 1] as usize;
            fingerprint = fingerprint.then(Fingerprint::of(&frame.file().bytes[bytes]));
            whole.start += 1;
        }
        self.fingerprint = fingerprint.then(cuts.index.range(whole));
        self.token_count += (frame.counts[run.end as usize] - frame.counts[run.start as usize]) as usize;
        self.last = Some(tree.tokens()[run.end as usize - 1]);
        self.pieces.push(Piece::Read { glue, skip, tokens: run });
    }

    /// Adds new tokens.
    fn put_in(&mut self, lexicon: &Lexicon, tokens: &[TokenId]) {
        let from = self.new.len();
        for &token in tokens {
            if let Some(last) = self.last {
                self.new.extend(lexicon.glue(last, token));
                self.new.extend_from_slice(lexicon.trivia(token));
            }
            self.new.extend_from_slice(lexicon.text(token));
            self.token_count += usize::from(!lexicon.marks(token).is_layout());
            self.last = Some(token);
        }
        let bytes = from..self.new.len();
        self.fingerprint = self.fingerprint.then(Fingerprint::of(&self.new[bytes.clone()]));
        let tokens = tokens.iter().map(|token| token.0).collect();
        self.pieces.push(Piece::New { tokens, bytes });
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
            Body::Pieces { pieces, .. } => {
                let mut ids = Vec::new();
                for piece in pieces {
                    ids.extend_from_slice(match piece {
                        Piece::Read { tokens, .. } => {
                            &self.frame.tokens[tokens.start as usize..tokens.end as usize]
                        }
                        Piece::New { tokens, .. } => tokens,
                    });
                }
                ids
            }
        };
        Some(Tokens { universe: self.frame.universe, ids })
    }
}
