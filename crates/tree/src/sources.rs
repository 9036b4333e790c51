//! The files of a run as trees, across passes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use dwindle_core::{Files, Session, Stop};
use dwindle_syntax::{Filter, Language, Reader, detect};

use crate::asker::Asker;
use crate::luck::Luck;
use crate::source::{LastRead, Source};

/// Which language the files of an input are in.
#[derive(Clone, Debug, Default)]
pub enum LanguageChoice {
    /// The one that name and content of each file tell.
    #[default]
    Detect,
    /// This one, all of them.
    Known(Language),
    /// None: they are text.
    Text,
}

/// Reads the files of a run as trees. Passes share it: a file's language is settled when it is first read, and all
/// its tokens are numbered in one lexicon.
pub struct Sources {
    choice: LanguageChoice,
    filter: Filter,
    readers: RefCell<HashMap<PathBuf, Option<KnownFile>>>,
    luck: Rc<RefCell<Luck>>,
}

pub(crate) type SharedReader = Rc<RefCell<Reader>>;

/// A file whose language is known.
struct KnownFile {
    reader: SharedReader,
    last: Option<LastRead>,
}

impl Sources {
    /// Reads files as `choice` says; candidates that `filter` turns down are never tested.
    #[must_use]
    pub fn new(choice: LanguageChoice, filter: Filter) -> Self {
        Sources { choice, filter, readers: RefCell::default(), luck: Rc::default() }
    }

    /// The same languages with another filter.
    #[must_use]
    pub fn with_filter(&self, filter: Filter) -> Self {
        Sources::new(self.choice.clone(), filter)
    }

    /// File number `at` as a tree; nothing if its language is not known or its parser gives up.
    #[must_use]
    pub fn read(&self, files: &Files, at: usize) -> Option<Source> {
        let file = &files[at];
        let mut readers = self.readers.borrow_mut();
        let known = readers.entry(file.path.clone()).or_insert_with(|| {
            let language = match &self.choice {
                LanguageChoice::Detect => detect(&file.path, &file.bytes),
                LanguageChoice::Known(language) => Some(language.clone()),
                LanguageChoice::Text => None,
            };
            let reader = Reader::new(&language?);
            Some(KnownFile { reader: Rc::new(RefCell::new(reader)), last: None })
        });
        let KnownFile { reader, last } = known.as_mut()?;
        Source::read(files, at, Rc::clone(reader), last, self.filter, Rc::clone(&self.luck))
    }

    /// The language of each file, where it has one.
    #[must_use]
    pub fn languages(&self, files: &Files) -> Vec<Option<Language>> {
        let name = |at| self.read(files, at).map(|source| source.tree().language().clone());
        (0..files.len()).map(name).collect()
    }

    /// Runs `body` on each file of the best that has a tree, the largest file first, each read anew from the best.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn each(
        &self,
        session: &mut Session<'_>,
        mut body: impl FnMut(&Source, &mut Asker<'_, '_>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        self.each_while(session, |source, asker| body(source, asker).map(|()| false))
    }

    /// The same, and each file is read anew for as long as `body` says that it has more to do.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn each_while(
        &self,
        session: &mut Session<'_>,
        mut body: impl FnMut(&Source, &mut Asker<'_, '_>) -> Result<bool, Stop>,
    ) -> Result<(), Stop> {
        self.luck.borrow_mut().next_run(session.best().size());
        for at in session.best().files().largest_first() {
            loop {
                let files = session.best().files().clone();
                let Some(source) = self.read(&files, at) else { break };
                session.recast(source.whole());
                if !body(&source, &mut Asker::new(session, &source))? {
                    break;
                }
            }
        }
        Ok(())
    }
}
