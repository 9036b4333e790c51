//! The languages that are built in: their data, their parsers and, loaded on first use, their grammars.

use dwindle_grammar::{Grammar, Rules};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};
use tree_sitter_language::LanguageFn;

/// How a language is parsed.
pub(crate) enum FrontEnd {
    /// By the parser of a grammar crate.
    TreeSitter(LanguageFn),
    /// By a parser of ours, known by this name.
    HandWritten(&'static str),
    /// By a parser the user brought.
    #[cfg(feature = "user-grammars")]
    Loaded,
}

/// What `build.rs` writes for each enabled language, from its file in `languages/`.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) package: &'static str,
    pub(crate) version: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) extensions: &'static [&'static str],
    pub(crate) filenames: &'static [&'static str],
    pub(crate) shebangs: &'static [&'static str],
    pub(crate) layout: &'static [&'static str],
    /// Punctuation that is such only with white space behind it.
    pub(crate) apart: &'static [&'static str],
    /// Kinds of node that the language cannot do without, although its parser can.
    pub(crate) needed: &'static [&'static str],
    pub(crate) identifiers: &'static [&'static str],
    pub(crate) literals: &'static [&'static str],
    pub(crate) newline: bool,
    pub(crate) directives: bool,
    pub(crate) front_end: FrontEnd,
    pub(crate) rules: &'static [u8],
    /// The grammar's queries for definitions and uses of names; often empty.
    pub(crate) tags: &'static str,
    pub(crate) locals: &'static str,
}

/// A language that dwindle knows and this build was made without.
#[derive(Debug)]
pub struct Absent {
    /// The short name it would have.
    pub name: &'static str,
    /// The name as people write it.
    pub title: &'static str,
    /// The crate its grammar comes from, and that crate's version.
    pub origin: (&'static str, &'static str),
    /// The cargo feature it comes with.
    pub feature: &'static str,
    /// Other names it would have.
    pub aliases: &'static [&'static str],
    /// Endings of file names that mean it, without the dot.
    pub extensions: &'static [&'static str],
    /// Whole file names that mean it.
    pub filenames: &'static [&'static str],
}

include!(concat!(env!("OUT_DIR"), "/registry.rs"));

/// A language: cheap to clone, its grammar is shared and loaded when first asked for.
#[derive(Clone)]
pub struct Language(Arc<Inner>);

struct Inner {
    entry: &'static Entry,
    parser: Option<tree_sitter::Language>,
    grammar: OnceLock<Arc<Grammar>>,
}

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let language = |entry: &'static Entry| {
        let parser = match &entry.front_end {
            FrontEnd::TreeSitter(function) => Some(tree_sitter::Language::new(*function)),
            _ => None,
        };
        Language(Arc::new(Inner { entry, parser, grammar: OnceLock::new() }))
    };
    ENTRIES.iter().map(language).collect()
});

/// All languages of this build, by name.
pub fn languages() -> &'static [Language] {
    &LANGUAGES
}

/// The languages that are known and not in this build, by name.
pub fn absent_languages() -> &'static [Absent] {
    ABSENT
}

/// The files of rewrite rules, by the name of the language each is for.
pub fn rewrite_rules() -> &'static [(&'static str, &'static str)] {
    REWRITES
}

/// What is known of a language beyond its grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Knowledge {
    /// Its parser is ours.
    pub hand_written: bool,
    /// A query finds definitions and uses (`tags.scm`).
    pub tags: bool,
    /// A query finds local names (`locals.scm`).
    pub locals: bool,
    /// Line breaks count.
    pub lines: bool,
    /// Indentation counts.
    pub layout: bool,
    /// Lines that start with `#` are directives.
    pub directives: bool,
}

/// The language with this name or alias, in any case.
pub fn language(name: &str) -> Option<Language> {
    static BY_NAME: LazyLock<HashMap<String, usize>> = LazyLock::new(|| {
        let mut names = HashMap::new();
        for (index, language) in languages().iter().enumerate() {
            for name in std::iter::once(language.name()).chain(language.0.entry.aliases.iter().copied()) {
                names.entry(name.to_lowercase()).or_insert(index);
            }
        }
        names
    });
    BY_NAME.get(&name.to_lowercase()).map(|index| languages()[*index].clone())
}

impl Language {
    #[cfg(feature = "user-grammars")]
    pub(crate) fn loaded(
        entry: &'static Entry,
        parser: tree_sitter::Language,
        grammar: Arc<Grammar>,
    ) -> Self {
        Language(Arc::new(Inner { entry, parser: Some(parser), grammar: OnceLock::from(grammar) }))
    }

    pub(crate) fn entry(&self) -> &'static Entry {
        self.0.entry
    }

    /// The short name, as `--language` takes it.
    pub fn name(&self) -> &'static str {
        self.0.entry.name
    }

    /// The name as people write it.
    pub fn title(&self) -> &'static str {
        self.0.entry.title
    }

    /// The crate its grammar comes from, and that crate's version.
    pub fn origin(&self) -> (&'static str, &'static str) {
        (self.0.entry.package, self.0.entry.version)
    }

    /// Endings of file names that mean this language, without the dot.
    pub fn extensions(&self) -> &'static [&'static str] {
        self.0.entry.extensions
    }

    /// Whole file names that mean this language.
    pub fn filenames(&self) -> &'static [&'static str] {
        self.0.entry.filenames
    }

    /// Programs behind `#!` that mean this language.
    pub fn shebangs(&self) -> &'static [&'static str] {
        self.0.entry.shebangs
    }

    /// Other names it is known by.
    pub fn aliases(&self) -> &'static [&'static str] {
        self.0.entry.aliases
    }

    /// What is known of it beyond its grammar. Takes some milliseconds: queries are compiled to see whether they fit.
    pub fn knowledge(&self) -> Knowledge {
        let entry = self.0.entry;
        Knowledge {
            hand_written: matches!(entry.front_end, FrontEnd::HandWritten(_)),
            tags: crate::names::query(self, entry.tags).is_some(),
            locals: crate::names::query(self, entry.locals).is_some(),
            lines: entry.newline,
            layout: !entry.layout.is_empty(),
            directives: entry.directives,
        }
    }

    /// The end of a line can end a statement, so line breaks must be kept.
    pub fn newlines_count(&self) -> bool {
        self.0.entry.newline
    }

    /// The tree-sitter parser, where it is one.
    pub fn parser(&self) -> Option<&tree_sitter::Language> {
        self.0.parser.as_ref()
    }

    /// The grammar.
    pub fn grammar(&self) -> &Arc<Grammar> {
        self.0.grammar.get_or_init(|| {
            let bytes = miniz_oxide::inflate::decompress_to_vec(self.0.entry.rules)
                .expect("rules were compressed at build time");
            Arc::new(Grammar::new(Rules::decode(&bytes).expect("rules were encoded at build time")))
        })
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0.entry, other.0.entry)
    }
}

impl Eq for Language {}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Language({})", self.name())
    }
}
