//! Reads texts of one language: the parser, the matcher and the lexicon together, and the last text as a starting
//! point for the next.

use crate::hand_written;
use crate::label;
use crate::language::{FrontEnd, Language};
use crate::lexicon::Lexicon;
use crate::names::{self, Name};
use crate::raw::RawTree;
use crate::tree::Tree;
use crate::treesitter::{self, Incremental, Numbers, SharedRun};
use dwindle_grammar::Matcher;
use std::cell::OnceCell;
use std::sync::Arc;
use tree_sitter::Query;

/// Why a text has no tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The parser did not come to an end.
    #[error(
        "the {0} parser did not finish; is the input really {0}? Try another --language, or --language text"
    )]
    TooSlow(&'static str),
    /// Offsets are 32 bits wide.
    #[error("the input is larger than 4 GB")]
    TooLarge,
}

/// How strictly candidates are filtered by syntax before they are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Filter {
    /// Only texts without any error.
    Strict,
    /// No more errors than the best text so far has.
    #[default]
    NoWorse,
    /// Everything.
    Off,
}

/// A reader for one language.
pub struct Reader {
    language: Language,
    matcher: Matcher,
    numbers: Option<Numbers>,
    lexicon: Lexicon,
    last: Option<Incremental>,
    best_errors: usize,
    reads: u64,
    /// Prepared when they are first used.
    queries: OnceCell<Vec<Query>>,
}

impl Reader {
    /// A reader with an empty lexicon.
    pub fn new(language: &Language) -> Self {
        let grammar = language.grammar();
        Reader {
            language: language.clone(),
            matcher: Matcher::new(Arc::clone(grammar)),
            numbers: language.parser().map(|parser| Numbers::new(parser, grammar)),
            lexicon: Lexicon::new(Some(language)),
            last: None,
            best_errors: 0,
            reads: 0,
            queries: OnceCell::new(),
        }
    }

    /// The language it reads.
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// The tokens of all texts read so far.
    pub fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// For adding tokens of one's own.
    pub fn lexicon_mut(&mut self) -> &mut Lexicon {
        &mut self.lexicon
    }

    /// The quantified tree of a text. The text becomes the best: later questions compare with it, and later parses
    /// start from it.
    pub fn read(&mut self, text: &[u8]) -> Result<Tree, ReadError> {
        if u32::try_from(text.len()).is_err() {
            return Err(ReadError::TooLarge);
        }
        self.reads += 1;
        let raw = self.parse(text).ok_or(ReadError::TooSlow(self.language.name()))?;
        self.best_errors = raw.errors;
        Ok(label::label(&self.language, &raw, text, &mut self.matcher, &mut self.lexicon))
    }

    fn parse(&mut self, text: &[u8]) -> Option<RawTree> {
        match (&self.language.entry().front_end, &self.numbers) {
            (FrontEnd::HandWritten(parser), _) => {
                Some(hand_written::parse(parser, self.language.grammar(), text))
            }
            (_, numbers) => {
                let numbers = numbers.as_ref()?;
                if let Some(last) = &mut self.last {
                    last.read(text)?;
                } else {
                    self.last = Some(Incremental::new(&self.language, text)?);
                }
                let last = self.last.as_ref()?;
                Some(treesitter::read(last.tree(), numbers))
            }
        }
    }

    /// How many texts it has read.
    pub fn reads(&self) -> u64 {
        self.reads
    }

    /// How many syntax errors a text has; nothing when the parser does not come to an end. Quick for texts that
    /// differ little from the last one read.
    pub fn errors(&mut self, text: &[u8]) -> Option<usize> {
        self.errors_of(text, None)
    }

    fn errors_of(&mut self, text: &[u8], shared: Option<&[SharedRun]>) -> Option<usize> {
        match self.language.entry().front_end {
            FrontEnd::HandWritten(parser) => {
                Some(hand_written::parse(parser, self.language.grammar(), text).errors)
            }
            _ => {
                if self.last.is_none() {
                    self.last = Some(Incremental::new(&self.language, text)?);
                }
                let tree = self.last.as_mut()?.variant(text, shared)?;
                Some(treesitter::errors(&tree))
            }
        }
    }

    /// The names that the last text read defines and uses, by position. A hint, from the grammar's own queries; empty
    /// where it has none.
    pub fn names(&self) -> Vec<Name> {
        let Some(last) = &self.last else { return Vec::new() };
        let queries = self.queries.get_or_init(|| names::queries(&self.language));
        names::names(queries, last.tree(), last.text())
    }

    /// Whether a candidate passes the filter.
    pub fn admits(&mut self, text: &[u8], filter: Filter) -> bool {
        self.admits_variant(text, None, filter)
    }

    /// Whether a candidate passes the filter. If it is known what it shares with the last text read (runs in order,
    /// which do not overlap) this takes the longer the more they differ, not the longer they are.
    pub fn admits_variant(&mut self, text: &[u8], shared: Option<&[SharedRun]>, filter: Filter) -> bool {
        let limit = match filter {
            Filter::Strict => 0,
            Filter::NoWorse => self.best_errors,
            Filter::Off => return true,
        };
        self.errors_of(text, shared).is_some_and(|errors| errors <= limit)
    }

    /// Tells which variant of the last text read candidates are variants of from now on, and what it shares with that
    /// text: they are parsed from there.
    pub fn go_on_from(&mut self, text: &[u8], shared: &[SharedRun]) {
        if let Some(last) = &mut self.last {
            last.go_on_from(text, shared);
        }
    }
}
