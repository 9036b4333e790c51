//! Reduction trees made by hand, printed as the reference prints them, and asked about by a predicate.

use std::collections::HashMap;
use std::ops::Range;

use dwindle_core::{Stop, Verdict};
use dwindle_syntax::TokenId;
use dwindle_tree::hdd::{Builder, Cut, Label, Preparation, ReductionTree, TreeOracle};

/// A node of a tree made by hand.
pub(crate) enum Hand {
    /// A rule: its name, its minimal text, its children.
    Rule(&'static str, &'static str, Vec<Hand>),
    /// A part that may be missing or is one of many.
    Quantifier(Vec<Hand>),
    /// A token with a name: the name, its text, its minimal text.
    Token(&'static str, &'static str, &'static str),
    /// A token that is always the same.
    Literal(&'static str),
}

pub(crate) fn rule(name: &'static str, minimal: &'static str, children: Vec<Hand>) -> Hand {
    Hand::Rule(name, minimal, children)
}

pub(crate) fn some(children: Vec<Hand>) -> Hand {
    Hand::Quantifier(children)
}

pub(crate) fn token(name: &'static str, text: &'static str, minimal: &'static str) -> Hand {
    Hand::Token(name, text, minimal)
}

pub(crate) fn literal(text: &'static str) -> Hand {
    Hand::Literal(text)
}

/// Where a token starts or ends: line and column.
type Place = (usize, usize);

/// A tree, its tokens and where they stood.
pub(crate) struct Document {
    pub(crate) tree: ReductionTree,
    tokens: Vec<(String, Place, Place)>,
    minimal: Vec<String>,
}

impl Document {
    /// The tree of a text. The tokens are found in it one after the other.
    pub(crate) fn new(text: &str, root: &Hand) -> Self {
        let mut made = Maker {
            rest: text,
            at: (0, 0),
            builder: Builder::new(),
            labels: HashMap::new(),
            document: (Vec::new(), Vec::new()),
        };
        made.add(root);
        assert_eq!(made.rest.trim(), "", "the tokens are all of the text");
        let (tokens, minimal) = made.document;
        Document { tree: made.builder.build(), tokens, minimal }
    }

    pub(crate) fn prepared(mut self, preparation: Preparation) -> Self {
        let (tokens, minimal) = (&self.tokens, &self.minimal);
        self.tree.prepare(preparation, |run: Range<u32>, texts: &[TokenId]| {
            let read: String = run.map(|at| tokens[at as usize].0.as_str()).collect();
            let texts: String = texts.iter().map(|text| minimal[text.0 as usize].as_str()).collect();
            texts.replace(' ', "") == read
        });
        self
    }

    /// The text of a variant. White space is put in by where things stood: a line break before what stood on a later
    /// line than what was before it ended, a space before what stood further right; none before what prints nothing.
    pub(crate) fn print(&self, cuts: &[Cut<'_>]) -> String {
        let mut parts: Vec<(String, Place, Place)> = Vec::new();
        let mut at = 0;
        let read = |parts: &mut Vec<_>, run: Range<usize>| parts.extend_from_slice(&self.tokens[run]);
        for cut in cuts {
            let (from, to) = (cut.range.start as usize, cut.range.end as usize);
            read(&mut parts, at..from);
            let by: String = cut.by.iter().map(|text| self.minimal[text.0 as usize].as_str()).collect();
            parts.push((by, self.tokens[from].1, self.tokens[to - 1].2));
            at = to;
        }
        read(&mut parts, at..self.tokens.len());
        let mut text = String::new();
        let mut before: Option<Place> = None;
        for (part, start, end) in parts {
            if let Some(before) = before.filter(|_| !part.is_empty()) {
                if start.0 > before.0 {
                    text.push('\n');
                } else if start.1 > before.1 {
                    text.push(' ');
                }
            }
            text.push_str(&part);
            before = Some(end);
        }
        text
    }

    /// What the tree is now.
    pub(crate) fn text(&self) -> String {
        self.print(&self.tree.cuts())
    }
}

struct Maker<'t> {
    rest: &'t str,
    at: Place,
    builder: Builder,
    labels: HashMap<&'static str, Label>,
    document: (Vec<(String, Place, Place)>, Vec<String>),
}

impl Maker<'_> {
    fn add(&mut self, node: &Hand) {
        match node {
            Hand::Rule(name, minimal, children) => {
                let (label, minimal) = (self.label(name), self.minimal(minimal));
                self.builder.open(Some(label), &minimal);
                children.iter().for_each(|child| self.add(child));
                self.builder.close();
            }
            Hand::Quantifier(children) => {
                self.builder.open(None, &[]);
                children.iter().for_each(|child| self.add(child));
                self.builder.close();
            }
            Hand::Token(name, text, minimal) => {
                let (label, minimal) = (self.label(name), self.minimal(minimal));
                self.read(text);
                self.builder.token(Some(label), &minimal);
            }
            Hand::Literal(text) => {
                let minimal = self.minimal(text);
                self.read(text);
                self.builder.token(None, &minimal);
            }
        }
    }

    fn label(&mut self, name: &'static str) -> Label {
        let next = Label(self.labels.len() as u32);
        *self.labels.entry(name).or_insert(next)
    }

    fn minimal(&mut self, text: &str) -> Vec<TokenId> {
        if text.is_empty() {
            return Vec::new();
        }
        self.document.1.push(text.to_owned());
        vec![TokenId(self.document.1.len() as u32 - 1)]
    }

    fn read(&mut self, text: &str) {
        let blank = self.rest.len() - self.rest.trim_start().len();
        self.skip(blank);
        assert!(self.rest.starts_with(text), "{text:?} comes next, not {:?}", self.rest);
        let start = self.at;
        self.skip(text.len());
        self.document.0.push((text.to_owned(), start, self.at));
    }

    fn skip(&mut self, bytes: usize) {
        for c in self.rest[..bytes].chars() {
            self.at = if c == '\n' { (self.at.0 + 1, 0) } else { (self.at.0, self.at.1 + 1) };
        }
        self.rest = &self.rest[bytes..];
    }
}

/// Answers by a predicate on the text, and remembers by content what it was asked.
pub(crate) struct Predicate<'p> {
    document: &'p Document,
    interesting: &'p dyn Fn(&str) -> bool,
    known: HashMap<String, bool>,
}

impl<'p> Predicate<'p> {
    pub(crate) fn new(document: &'p Document, interesting: &'p dyn Fn(&str) -> bool) -> Self {
        Predicate { document, interesting, known: HashMap::new() }
    }

    /// How many different texts were asked about.
    pub(crate) fn tests(&self) -> usize {
        self.known.len()
    }

    fn ask(&mut self, cuts: &[Cut<'_>]) -> bool {
        let text = self.document.print(cuts);
        let interesting = self.interesting;
        *self.known.entry(text).or_insert_with_key(|text| interesting(text))
    }
}

impl TreeOracle for Predicate<'_> {
    fn first<'t>(
        &mut self,
        mut variants: &mut dyn Iterator<Item = Vec<Cut<'t>>>,
    ) -> Result<Option<usize>, Stop> {
        Ok(Iterator::position(&mut variants, |cuts| self.ask(&cuts)))
    }

    fn all(&mut self, variants: Vec<Vec<Cut<'_>>>) -> Result<Vec<Verdict>, Stop> {
        let verdict = |cuts: Vec<Cut<'_>>| match self.ask(&cuts) {
            true => Verdict::Interesting,
            false => Verdict::BORING,
        };
        Ok(variants.into_iter().map(verdict).collect())
    }

    fn accept(&mut self, _: Vec<Cut<'_>>) -> Result<(), Stop> {
        Ok(())
    }
}
