//! Front-ends for languages of nested lists that have no grammar crate: SMT-LIB, WebAssembly text, S-expressions.
//!
//! The reader is one for all; a [`Dialect`] says what a list or an atom is called where it stands.

use crate::graphviz;
use crate::raw::{RawNode, RawTree};
use dwindle_grammar::{Grammar, SymbolId};

/// Parses a text with the front-end of the given name.
pub(crate) fn parse(name: &str, grammar: &Grammar, text: &[u8]) -> RawTree {
    if name == "dot" {
        return graphviz::parse(grammar, text);
    }
    let dialect = match name {
        "smtlib" => Dialect::SmtLib,
        "wat" => Dialect::Wat,
        _ => Dialect::Plain,
    };
    let mut parser = Parser { dialect, grammar, text, at: 0, raw: RawTree::default(), open: Vec::new() };
    parser.run();
    parser.raw
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    SmtLib,
    Wat,
    Plain,
}

/// What is expected where an item stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Command,
    Term,
    Sort,
    Variable,
    Binding,
    Any,
    /// A list that is no node of its own: its brackets and items are its parent's children.
    Inline(&'static Place),
}

/// A list being read.
struct Open {
    /// Its node, unless it is inline.
    node: Option<usize>,
    kind: &'static str,
    /// Items read so far, without the word that names a special form.
    items: usize,
    /// What every item of an inline list is.
    each: Option<Place>,
}

struct Parser<'t> {
    dialect: Dialect,
    grammar: &'t Grammar,
    text: &'t [u8],
    at: usize,
    raw: RawTree,
    open: Vec<Open>,
}

/// A lexical token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lexeme {
    Open,
    Close,
    Comment,
    Atom,
}

impl Parser<'_> {
    fn run(&mut self) {
        let root = if self.dialect == Dialect::SmtLib { "script" } else { "source" };
        let root = self.node(self.named(root), 0, self.text.len(), false, false);
        while let Some((lexeme, start, end)) = self.lex() {
            match lexeme {
                Lexeme::Comment => {
                    self.leaf(None, start, end, true, false);
                }
                Lexeme::Open => self.open(start, end),
                Lexeme::Close => self.close(start, end),
                Lexeme::Atom => {
                    let symbol = self.atom(start, end);
                    self.leaf(symbol, start, end, false, false);
                    self.count_item();
                }
            }
        }
        while let Some(open) = self.open.pop() {
            // A bracket that is never closed: its list cannot be explained.
            self.raw.errors += 1;
            if let Some(node) = open.node {
                self.raw.nodes[node].error = true;
                self.end(node, self.text.len());
            }
        }
        self.end(root, self.text.len());
    }

    fn open(&mut self, start: usize, end: usize) {
        let place = self.place();
        let bracket = self.grammar.symbol("(", false);
        if let Place::Inline(each) = place {
            self.leaf(bracket, start, end, false, false);
            self.open.push(Open { node: None, kind: "", items: 0, each: Some(*each) });
            return;
        }
        let (head, after) = self.head();
        let (kind, special) = self.kind_of_list(place, head);
        let node = self.node(self.named(kind), start, start, false, false);
        self.leaf(bracket, start, end, false, false);
        if special {
            let symbol = self.grammar.symbol(std::str::from_utf8(head).unwrap_or_default(), false);
            let (from, to) = (after - head.len(), after);
            // Comments before the word are read where the word is.
            while let Some((lexeme, start, end)) = self.lex() {
                if lexeme == Lexeme::Comment {
                    self.leaf(None, start, end, true, false);
                } else {
                    break;
                }
            }
            self.at = to;
            self.leaf(symbol, from, to, false, false);
        }
        self.open.push(Open { node: Some(node), kind, items: 0, each: None });
    }

    fn close(&mut self, start: usize, end: usize) {
        let Some(open) = self.open.pop() else {
            self.raw.errors += 1;
            self.leaf(None, start, end, false, true);
            return;
        };
        self.leaf(self.grammar.symbol(")", false), start, end, false, false);
        if let Some(node) = open.node {
            self.end(node, end);
        }
        self.count_item();
    }

    fn count_item(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.items += 1;
        }
    }

    /// What is expected here.
    fn place(&self) -> Place {
        const SORTS: Place = Place::Inline(&Place::Sort);
        const TERMS: Place = Place::Inline(&Place::Term);
        const VARIABLES: Place = Place::Inline(&Place::Variable);
        const BINDINGS: Place = Place::Inline(&Place::Binding);
        if self.dialect != Dialect::SmtLib {
            return Place::Any;
        }
        let Some(open) = self.open.last() else {
            return Place::Command;
        };
        if let Some(each) = open.each {
            return each;
        }
        match (open.kind, open.items) {
            ("assert" | "annotated" | "qualified", 0)
            | ("binding" | "let" | "quantified", 1)
            | ("define_fun", 3)
            | ("application", _) => Place::Term,
            ("variable" | "declare_const" | "qualified", 1)
            | ("declare_fun" | "define_fun", 2)
            | ("sort", _) => Place::Sort,
            ("declare_fun", 1) => SORTS,
            ("define_fun", 1) | ("quantified", 0) => VARIABLES,
            ("let", 0) => BINDINGS,
            ("check_sat_assuming", 0) => TERMS,
            _ => Place::Any,
        }
    }

    /// The kind of list that starts here, and whether its first word is part of the rule.
    fn kind_of_list(&self, place: Place, head: &[u8]) -> (&'static str, bool) {
        match self.dialect {
            Dialect::Plain => ("list", false),
            Dialect::Wat => {
                let keyword = head.first().is_some_and(u8::is_ascii_lowercase);
                (if keyword { "form" } else { "list" }, false)
            }
            Dialect::SmtLib => match (place, head) {
                (Place::Command, b"assert") => ("assert", true),
                (Place::Command, b"declare-fun") => ("declare_fun", true),
                (Place::Command, b"declare-const") => ("declare_const", true),
                (Place::Command, b"define-fun" | b"define-fun-rec") => ("define_fun", true),
                (Place::Command, b"check-sat-assuming") => ("check_sat_assuming", true),
                (Place::Command, b"set-logic" | b"set-option" | b"set-info") => ("setting", true),
                (Place::Command, _) => ("other", false),
                (Place::Term, b"let") => ("let", true),
                (Place::Term, b"forall" | b"exists" | b"lambda") => ("quantified", true),
                (Place::Term, b"!") => ("annotated", true),
                (Place::Term | Place::Sort, b"_") => ("indexed", true),
                (Place::Term, b"as") => ("qualified", true),
                (Place::Term, _) => ("application", false),
                (Place::Sort, _) => ("sort", false),
                (Place::Variable, _) => ("variable", false),
                (Place::Binding, _) => ("binding", false),
                (Place::Any | Place::Inline(_), _) => ("list", false),
            },
        }
    }

    fn atom(&self, start: usize, end: usize) -> Option<SymbolId> {
        let text = &self.text[start..end];
        let digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
        let kind = match (self.dialect, text[0]) {
            (_, b'"') => "string",
            (Dialect::Plain, _) => "atom",
            (Dialect::Wat, b'$') => "identifier",
            (Dialect::Wat, first) if digit(0) || (matches!(first, b'+' | b'-') && digit(1)) => "number",
            (Dialect::Wat, _) | (Dialect::SmtLib, b':') => "keyword",
            (Dialect::SmtLib, b'#') => {
                if text.get(1) == Some(&b'b') {
                    "binary"
                } else {
                    "hexadecimal"
                }
            }
            (Dialect::SmtLib, _) if digit(0) => {
                if text.contains(&b'.') {
                    "decimal"
                } else {
                    "numeral"
                }
            }
            (Dialect::SmtLib, _) => "symbol",
        };
        self.named(kind)
    }

    fn named(&self, name: &str) -> Option<SymbolId> {
        self.grammar.symbol(name, true)
    }

    fn node(
        &mut self,
        symbol: Option<SymbolId>,
        start: usize,
        end: usize,
        extra: bool,
        error: bool,
    ) -> usize {
        let (start, end) = (start as u32, end as u32);
        self.raw.nodes.push(RawNode {
            symbol,
            rule: None,
            renamed: false,
            start,
            end,
            next: 0,
            extra,
            error,
        });
        self.raw.nodes.len() - 1
    }

    fn leaf(&mut self, symbol: Option<SymbolId>, start: usize, end: usize, extra: bool, error: bool) {
        let node = self.node(symbol, start, end, extra, error);
        self.raw.nodes[node].next = node as u32 + 1;
    }

    fn end(&mut self, node: usize, end: usize) {
        self.raw.nodes[node].end = end as u32;
        self.raw.nodes[node].next = self.raw.nodes.len() as u32;
    }

    /// The first word behind an opening bracket, and where it ends; empty when there is none. Reads nothing.
    fn head(&mut self) -> (&'static [u8], usize) {
        let at = self.at;
        let mut head = (&b""[..], at);
        while let Some((lexeme, start, end)) = self.lex() {
            match lexeme {
                Lexeme::Comment => continue,
                Lexeme::Atom => head = (known_word(&self.text[start..end]), end),
                Lexeme::Open | Lexeme::Close => {}
            }
            break;
        }
        self.at = at;
        head
    }

    fn lex(&mut self) -> Option<(Lexeme, usize, usize)> {
        while self.text.get(self.at).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == 0x0b) {
            self.at += 1;
        }
        let start = self.at;
        let rest = &self.text[start..];
        let until = |from: usize, stop: &dyn Fn(u8) -> bool| {
            rest.iter().skip(from).position(|byte| stop(*byte)).map_or(rest.len(), |found| found + from)
        };
        let (lexeme, length) = match (*rest.first()?, rest.get(1)) {
            (b'(', Some(b';')) if self.dialect == Dialect::Wat => (Lexeme::Comment, block_comment(rest)),
            (b'(', _) => (Lexeme::Open, 1),
            (b')', _) => (Lexeme::Close, 1),
            (b';', _) => (Lexeme::Comment, until(0, &|byte| byte == b'\n')),
            (b'"', _) => (Lexeme::Atom, self.string(rest)),
            (b'|', _) if self.dialect == Dialect::SmtLib => {
                (Lexeme::Atom, (until(1, &|byte| byte == b'|') + 1).min(rest.len()))
            }
            _ => (Lexeme::Atom, until(1, &|byte| byte.is_ascii_whitespace() || b"();\"".contains(&byte))),
        };
        self.at = start + length;
        Some((lexeme, start, self.at))
    }

    /// The length of a string: in SMT-LIB a doubled quote stands for one, elsewhere a backslash protects.
    fn string(&self, rest: &[u8]) -> usize {
        let mut at = 1;
        while let Some(byte) = rest.get(at) {
            match byte {
                b'"' if self.dialect == Dialect::SmtLib && rest.get(at + 1) == Some(&b'"') => at += 2,
                b'"' => return at + 1,
                b'\\' if self.dialect != Dialect::SmtLib => at += 2,
                _ => at += 1,
            }
        }
        rest.len()
    }
}

/// The length of a nested block comment `(; … ;)`.
fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    while at < rest.len() {
        match (rest[at], rest.get(at + 1)) {
            (b'(', Some(b';')) => (depth, at) = (depth + 1, at + 2),
            (b';', Some(b')')) => {
                (depth, at) = (depth - 1, at + 2);
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    rest.len()
}

/// The word itself if it is one that names a form; any other word as a stand-in of its kind.
fn known_word(word: &[u8]) -> &'static [u8] {
    const WORDS: &[&[u8]] = &[
        b"assert",
        b"declare-fun",
        b"declare-const",
        b"define-fun",
        b"define-fun-rec",
        b"check-sat-assuming",
        b"set-logic",
        b"set-option",
        b"set-info",
        b"let",
        b"forall",
        b"exists",
        b"lambda",
        b"!",
        b"_",
        b"as",
    ];
    let other: &[u8] = if word.first().is_some_and(u8::is_ascii_lowercase) { b"x" } else { b"X" };
    WORDS.iter().copied().find(|known| *known == word).unwrap_or(other)
}
