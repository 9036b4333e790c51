//! One file of the best as a tree, and the candidates that can be made of it.

use std::cell::{Ref, RefCell, RefMut};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use dwindle_core::{Candidate, Files};
use dwindle_syntax::{Filter, Lexicon, Name, Reader, TokenId, Tree};

use crate::luck::Luck;
use crate::printed::{Frame, Part, Printed};
use crate::sources::SharedReader;

/// Bytes of a file that is not read again to count the errors of a candidate. Nearly all changes are legal by the
/// grammar; and 1 MB of C++ takes up to a second to read, as long as many a test.
const LARGE: usize = 256 << 10;

/// One file of the best as a tree.
pub struct Source {
    tree: Tree,
    frame: Arc<Frame>,
    reader: SharedReader,
    filter: Filter,
    luck: Rc<RefCell<Luck>>,
}

impl Source {
    pub(crate) fn read(
        files: &Files,
        at: usize,
        reader: SharedReader,
        filter: Filter,
        luck: Rc<RefCell<Luck>>,
    ) -> Option<Self> {
        let text = &files[at].bytes;
        let tree = reader.borrow_mut().read(text).ok()?;
        let filter = if filter == Filter::NoWorse && text.len() > LARGE { Filter::Off } else { filter };
        let frame = Frame::new(files, at, &tree, reader.borrow().lexicon());
        Some(Source { tree, frame: Arc::new(frame), reader, filter, luck })
    }

    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The files it is one of.
    #[must_use]
    pub fn files(&self) -> &Files {
        self.frame.files()
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
        self.keeping(&kept_runs(dropped, self.tree.tokens().len() as u32))
    }

    /// The candidate of just these runs of tokens, which are in order and do not overlap.
    #[must_use]
    pub fn keeping(&self, kept: &[Range<u32>]) -> Candidate {
        self.of_parts(kept.iter().cloned().map(Part::Read))
    }

    /// The candidate of runs of its tokens, which are in order and do not overlap, with others put in between.
    #[must_use]
    pub fn of_parts<'t>(&self, parts: impl Iterator<Item = Part<'t>>) -> Candidate {
        Printed::of_parts(&self.frame, &self.tree, &self.lexicon(), parts)
    }

    /// The candidate of any tokens of the lexicon.
    #[must_use]
    pub fn of_tokens(&self, tokens: &[TokenId]) -> Candidate {
        Printed::of_tokens(&self.frame, &self.tree, &self.lexicon(), tokens)
    }

    /// The candidate of any text in the source's place.
    #[must_use]
    pub fn of_text(&self, text: impl Into<Arc<[u8]>>) -> Candidate {
        Candidate::of_files(self.frame.with_text(text.into()))
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
        let text = candidate.variant::<Printed>().map(Printed::text);
        text.is_none_or(|text| self.reader.borrow_mut().admits(&text, filter))
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
