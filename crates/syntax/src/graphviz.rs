//! The front-end for Graphviz files, which have no grammar crate that goes with the others.

use crate::raw::{RawNode, RawTree};
use dwindle_grammar::{Grammar, SymbolId};

/// Parses a Graphviz file.
pub(crate) fn parse(grammar: &Grammar, text: &[u8]) -> RawTree {
    let mut parser = Parser { grammar, text, at: 0, raw: RawTree::default(), open: Vec::new() };
    parser.run();
    parser.raw
}

/// A node being read.
enum Open {
    Graph(usize),
    Body(usize),
    Subgraph(usize),
    /// A node or an edge.
    Statement(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lexeme {
    /// A bracket, an arrow, a separator or a word of the language, by its text.
    Sign(&'static str),
    /// An identifier, by its kind.
    Id(&'static str),
    Comment,
    Other,
}

struct Parser<'t> {
    grammar: &'t Grammar,
    text: &'t [u8],
    at: usize,
    raw: RawTree,
    open: Vec<Open>,
}

impl Parser<'_> {
    fn run(&mut self) {
        let root = self.node("source");
        while let Some(next) = self.peek() {
            match self.open.last() {
                None => self.graph(next),
                Some(Open::Body(_)) => self.statement(next),
                Some(Open::Statement(node)) => {
                    let node = *node;
                    self.rest_of_statement(next, node);
                }
                Some(Open::Graph(_) | Open::Subgraph(_)) => self.body(next),
            }
        }
        while let Some(open) = self.open.pop() {
            // The text ends inside: nothing explains that.
            self.raw.errors += 1;
            let (Open::Graph(node) | Open::Body(node) | Open::Subgraph(node) | Open::Statement(node)) = open;
            self.raw.nodes[node].error = true;
            self.end(node);
        }
        self.end(root);
        self.raw.nodes[root].end = self.text.len() as u32;
    }

    fn graph(&mut self, next: Lexeme) {
        let Lexeme::Sign("strict" | "graph" | "digraph") = next else { return self.error() };
        let node = self.node("graph");
        if next == Lexeme::Sign("strict") {
            self.take();
        }
        if matches!(self.peek(), Some(Lexeme::Sign("graph" | "digraph"))) {
            self.take();
        }
        self.id();
        self.open.push(Open::Graph(node));
    }

    /// The braces of a graph or subgraph whose head has been read.
    fn body(&mut self, next: Lexeme) {
        if next != Lexeme::Sign("{") {
            return self.error();
        }
        let node = self.node("body");
        self.take();
        self.open.push(Open::Body(node));
    }

    fn statement(&mut self, next: Lexeme) {
        match next {
            Lexeme::Sign("}") => self.close_body(),
            Lexeme::Sign(";") => self.take(),
            Lexeme::Sign("graph" | "node" | "edge") => {
                let node = self.node("defaults");
                self.take();
                self.attributes();
                self.semicolon();
                self.end(node);
            }
            Lexeme::Id(_) if self.second() == Some(Lexeme::Sign("=")) => {
                let node = self.node("assignment");
                self.take();
                self.take();
                self.id();
                self.semicolon();
                self.end(node);
            }
            Lexeme::Id(_) | Lexeme::Sign("subgraph" | "{") => {
                let node = self.node("node");
                self.open.push(Open::Statement(node));
                self.end_point(next);
            }
            _ => self.error(),
        }
    }

    fn rest_of_statement(&mut self, next: Lexeme, node: usize) {
        if let Lexeme::Sign("->" | "--") = next {
            self.take();
            self.raw.nodes[node].symbol = self.grammar.symbol("edge", true);
            match self.peek() {
                Some(next @ (Lexeme::Id(_) | Lexeme::Sign("subgraph" | "{"))) => return self.end_point(next),
                _ => self.error(),
            }
        }
        self.attributes();
        self.semicolon();
        self.open.pop();
        self.end(node);
    }

    /// One end of an edge, or the only one of a node statement.
    fn end_point(&mut self, next: Lexeme) {
        if let Lexeme::Id(_) = next {
            let node = self.node("reference");
            self.take();
            if self.peek() == Some(Lexeme::Sign(":")) {
                let port = self.node("port");
                for _ in 0..2 {
                    if self.peek() == Some(Lexeme::Sign(":")) {
                        self.take();
                        self.id();
                    }
                }
                self.end(port);
            }
            self.end(node);
            return;
        }
        let node = self.node("subgraph");
        if next == Lexeme::Sign("subgraph") {
            self.take();
            self.id();
        }
        self.open.push(Open::Subgraph(node));
    }

    fn close_body(&mut self) {
        self.take();
        for _ in 0..2 {
            if let Some(Open::Body(node) | Open::Graph(node) | Open::Subgraph(node)) = self.open.pop() {
                self.end(node);
            }
        }
    }

    fn attributes(&mut self) {
        while self.peek() == Some(Lexeme::Sign("[")) {
            let list = self.node("attribute_list");
            self.take();
            while let Some(Lexeme::Id(_)) = self.peek() {
                let attribute = self.node("attribute");
                self.take();
                if self.peek() == Some(Lexeme::Sign("=")) {
                    self.take();
                    self.id();
                }
                if matches!(self.peek(), Some(Lexeme::Sign("," | ";"))) {
                    self.take();
                }
                self.end(attribute);
            }
            match self.peek() {
                Some(Lexeme::Sign("]")) => self.take(),
                Some(_) => self.error(),
                None => {}
            }
            self.end(list);
        }
    }

    fn semicolon(&mut self) {
        if self.peek() == Some(Lexeme::Sign(";")) {
            self.take();
        }
    }

    fn id(&mut self) {
        if let Some(Lexeme::Id(_)) = self.peek() {
            self.take();
        }
    }

    fn node(&mut self, kind: &str) -> usize {
        self.comments();
        let (symbol, at) = (self.grammar.symbol(kind, true), self.at as u32);
        self.raw.nodes.push(RawNode {
            symbol,
            rule: None,
            renamed: false,
            start: at,
            end: at,
            next: 0,
            extra: false,
            error: false,
        });
        self.raw.nodes.len() - 1
    }

    fn end(&mut self, node: usize) {
        // Nodes end in the order they are ended, so the last one read is the last one inside.
        let end = self.raw.nodes.last().map_or(0, |last| last.end);
        self.raw.nodes[node].next = self.raw.nodes.len() as u32;
        self.raw.nodes[node].end = end.max(self.raw.nodes[node].start);
    }

    fn leaf(&mut self, symbol: Option<SymbolId>, start: usize, extra: bool, error: bool) {
        let next = self.raw.nodes.len() as u32 + 1;
        let (start, end) = (start as u32, self.at as u32);
        self.raw.nodes.push(RawNode { symbol, rule: None, renamed: false, start, end, next, extra, error });
    }

    /// Reads the next token as a child of the node being read.
    fn take(&mut self) {
        self.comments();
        let start = self.at;
        let Some((lexeme, end)) = self.lex(start) else { return };
        self.at = end;
        let symbol = match lexeme {
            Lexeme::Sign(text) => self.grammar.symbol(text, false),
            Lexeme::Id(kind) => self.grammar.symbol(kind, true),
            Lexeme::Comment | Lexeme::Other => None,
        };
        self.leaf(symbol, start, false, false);
    }

    /// Reads a token that has no business here.
    fn error(&mut self) {
        self.take();
        self.raw.errors += 1;
        if let Some(last) = self.raw.nodes.last_mut() {
            last.error = true;
        }
    }

    /// Reads white space, and comments as nodes.
    fn comments(&mut self) {
        loop {
            while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
                self.at += 1;
            }
            let start = self.at;
            let Some((Lexeme::Comment, end)) = self.lex(start) else { return };
            self.at = end;
            self.leaf(None, start, true, false);
        }
    }

    fn peek(&mut self) -> Option<Lexeme> {
        self.comments();
        self.lex(self.at).map(|(lexeme, _)| lexeme)
    }

    /// The token behind the next one, white space between.
    fn second(&self) -> Option<Lexeme> {
        let (_, mut at) = self.lex(self.at)?;
        while self.text.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        self.lex(at).map(|(lexeme, _)| lexeme)
    }

    /// The token at a position, and where it ends.
    fn lex(&self, at: usize) -> Option<(Lexeme, usize)> {
        const SIGNS: [&str; 11] = ["->", "--", "{", "}", "[", "]", "=", ";", ",", ":", "+"];
        const WORDS: [&str; 6] = ["strict", "graph", "digraph", "subgraph", "node", "edge"];
        let rest = &self.text[at..];
        let first = *rest.first()?;
        let find = |what: &[u8]| {
            rest.windows(what.len()).skip(1).position(|window| window == what).map(|found| found + 1)
        };
        let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        let line_start =
            self.text[..at].iter().rev().find(|byte| **byte != b' ').is_none_or(|byte| *byte == b'\n');
        let (lexeme, length) = if rest.starts_with(b"//") || (first == b'#' && line_start) {
            (Lexeme::Comment, find(b"\n").unwrap_or(rest.len()))
        } else if rest.starts_with(b"/*") {
            (Lexeme::Comment, find(b"*/").map_or(rest.len(), |found| found + 2))
        } else if first == b'"' {
            (Lexeme::Id("string"), string(rest))
        } else if first == b'<' {
            (Lexeme::Id("markup"), markup(rest))
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes())) {
            (Lexeme::Sign(sign), sign.len())
        } else if first.is_ascii_digit() || matches!(first, b'-' | b'.') {
            let digits =
                rest.iter().skip(1).take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
            (Lexeme::Id("number"), digits + 1)
        } else if in_word(&first) {
            let length = rest.iter().take_while(|byte| in_word(byte)).count();
            let word = WORDS.iter().find(|word| word.as_bytes().eq_ignore_ascii_case(&rest[..length]));
            (word.map_or(Lexeme::Id("name"), |word| Lexeme::Sign(word)), length)
        } else {
            (Lexeme::Other, 1)
        };
        Some((lexeme, at + length))
    }
}

fn string(rest: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a text in angle brackets, which nest.
fn markup(rest: &[u8]) -> usize {
    let mut depth = 0usize;
    for (at, byte) in rest.iter().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    rest.len()
}
