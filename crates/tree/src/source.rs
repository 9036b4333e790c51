//! One file of the best as a tree, and the candidates that can be made of it.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use dwindle_core::{Candidate, Files, Fingerprint};
use dwindle_syntax::{Filter, Lexicon, Name, Reader, TokenId, Tree};

use crate::luck::Luck;
use crate::printed::{Frame, Part, Printed};
use crate::sources::SharedReader;

/// Bytes of a file that is not read again to count the errors of a candidate. Nearly all changes are legal by the
/// grammar; and where they are all over 1 MB of C++, reading it takes up to a second, as long as many a test.
const LARGE: usize = 256 << 10;

/// One file of the best as a tree.
pub struct Source {
    read: LastRead,
    reader: SharedReader,
    filter: Filter,
    luck: Rc<RefCell<Luck>>,
    /// The text that candidates are parsed from.
    base: Cell<Option<Fingerprint>>,
}

/// What a reader has read last, which need not be read again.
#[derive(Clone)]
pub(crate) struct LastRead {
    tree: Rc<Tree>,
    frame: Arc<Frame>,
    /// How many texts the reader had read then.
    number: u64,
}

impl LastRead {
    fn new(files: &Files, at: usize, reader: &mut Reader) -> Option<Self> {
        let tree = reader.read(&files[at].bytes).ok()?;
        let frame = Frame::new(files, at, &tree, reader.lexicon());
        Some(LastRead { tree: Rc::new(tree), frame: Arc::new(frame), number: reader.reads() })
    }

    /// The same text with other files around it.
    fn among(self, files: &Files, at: usize, reader: &Reader) -> Self {
        if self.frame.files() == files {
            return self;
        }
        let frame = Frame::new(files, at, &self.tree, reader.lexicon());
        LastRead { frame: Arc::new(frame), ..self }
    }
}

impl Source {
    /// Reads a file, unless it is what `last` holds, and keeps there what was read.
    pub(crate) fn read(
        files: &Files,
        at: usize,
        reader: SharedReader,
        last: &mut Option<LastRead>,
        filter: Filter,
        luck: Rc<RefCell<Luck>>,
    ) -> Option<Self> {
        *last = {
            let mut reader = reader.borrow_mut();
            match last.take().filter(|last| last.frame.file() == &files[at]) {
                Some(same) => Some(same.among(files, at, &reader)),
                None => LastRead::new(files, at, &mut reader),
            }
        };
        let is_large = files[at].bytes.len() > LARGE;
        let filter = if filter == Filter::NoWorse && is_large { Filter::Off } else { filter };
        Some(Source { read: last.clone()?, reader, filter, luck, base: Cell::new(None) })
    }

    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.read.tree
    }

    /// The files it is one of.
    #[must_use]
    pub fn files(&self) -> &Files {
        self.read.frame.files()
    }

    /// The texts of its tokens.
    #[must_use]
    pub fn lexicon(&self) -> Ref<'_, Lexicon> {
        Ref::map(self.reader.borrow(), Reader::lexicon)
    }

    /// For adding tokens.
    #[must_use]
    pub fn lexicon_mut(&self) -> RefMut<'_, Lexicon> {
        RefMut::map(self.reader.borrow_mut(), Reader::lexicon_mut)
    }

    /// The names it defines and uses: a hint.
    #[must_use]
    pub fn names(&self) -> Vec<Name> {
        self.reader.borrow().names()
    }

    /// What there was no luck with before.
    pub(crate) fn luck(&self) -> RefMut<'_, Luck> {
        self.luck.borrow_mut()
    }

    /// The best itself, as a candidate that knows its tokens.
    #[must_use]
    pub fn whole(&self) -> Candidate {
        self.without(&[])
    }

    /// The candidate that is left when these runs of tokens go. They may overlap and come in any order.
    #[must_use]
    pub fn without(&self, dropped: &[Range<u32>]) -> Candidate {
        self.keeping(&kept_runs(dropped, self.read.tree.tokens().len() as u32))
    }

    /// The candidate of just these runs of tokens, which are in order and do not overlap.
    #[must_use]
    pub fn keeping(&self, kept: &[Range<u32>]) -> Candidate {
        self.of_parts(kept.iter().cloned().map(Part::Read))
    }

    /// The candidate of runs of its tokens, which are in order and do not overlap, with others put in between.
    #[must_use]
    pub fn of_parts<'t>(&self, parts: impl Iterator<Item = Part<'t>>) -> Candidate {
        Printed::of_parts(&self.read.frame, &self.read.tree, &self.lexicon(), parts)
    }

    /// The candidate of any tokens of the lexicon.
    #[must_use]
    pub fn of_tokens(&self, tokens: &[TokenId]) -> Candidate {
        Printed::of_tokens(&self.read.frame, &self.read.tree, &self.lexicon(), tokens)
    }

    /// The candidate of any text in the source's place.
    #[must_use]
    pub fn of_text(&self, text: impl Into<Arc<[u8]>>) -> Candidate {
        Candidate::of_files(self.read.frame.with_text(text.into()))
    }

    /// How many tokens of the language a candidate of this source has.
    #[must_use]
    pub fn token_count(&self, candidate: &Candidate) -> Option<usize> {
        candidate.variant::<Printed>().map(Printed::token_count)
    }

    /// Whether a candidate passes the syntax filter.
    #[must_use]
    pub fn admits(&self, candidate: &Candidate) -> bool {
        self.filter == Filter::Off || self.passes(candidate, self.filter)
    }

    /// Whether a candidate has no more syntax errors than the source, filter or not.
    #[must_use]
    pub fn parses(&self, candidate: &Candidate) -> bool {
        self.passes(candidate, Filter::NoWorse)
    }

    fn passes(&self, candidate: &Candidate, filter: Filter) -> bool {
        let Some(printed) = candidate.variant::<Printed>() else { return true };
        let (text, shared) = printed.variant();
        let mut reader = self.reader.borrow_mut();
        let shared = shared.filter(|_| reader.reads() == self.read.number && printed.is_of(&self.read.frame));
        reader.admits_variant(&text, shared.as_deref(), filter)
    }

    /// Tells that candidates are made from `best` now, so that the filter looks only at what they change in it.
    pub(crate) fn go_on_from(&self, best: &Candidate) {
        let Some(printed) = best.variant::<Printed>().filter(|_| self.filter != Filter::Off) else { return };
        let fingerprint = Some(printed.text_fingerprint());
        if self.base.get() == fingerprint || !printed.is_of(&self.read.frame) {
            return;
        }
        let mut reader = self.reader.borrow_mut();
        if let ((text, Some(shared)), true) = (printed.variant(), reader.reads() == self.read.number) {
            reader.go_on_from(&text, &shared);
            self.base.set(fingerprint);
        }
    }
}

/// What is left of `len` tokens without some runs of them, in order.
fn kept_runs(dropped: &[Range<u32>], len: u32) -> Vec<Range<u32>> {
    let mut dropped: Vec<_> = dropped.iter().filter(|run| !run.is_empty()).cloned().collect();
    dropped.sort_by_key(|run| run.start);
    let mut kept = Vec::with_capacity(dropped.len() + 1);
    let mut at = 0;
    for run in dropped {
        if run.start > at {
            kept.push(at..run.start);
        }
        at = at.max(run.end);
    }
    if at < len {
        kept.push(at..len);
    }
    kept
}
