//! The bridge to tree-sitter: parsing, parsing again after an edit, counting errors. The only module that knows it.

use crate::language::Language;
use crate::raw::{RawNode, RawTree};
use dwindle_grammar::{Grammar, RuleId, SymbolId};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tree_sitter::{InputEdit, Node, ParseOptions, Parser, Point, Tree};

/// How a parser's numbers translate to the grammar's.
pub(crate) struct Numbers {
    symbols: Vec<Option<SymbolId>>,
    rules: Vec<Option<RuleId>>,
}

impl Numbers {
    pub(crate) fn new(parser: &tree_sitter::Language, grammar: &Grammar) -> Self {
        let ids = 0..parser.node_kind_count() as u16;
        let name = |id: u16| parser.node_kind_for_id(id).unwrap_or_default();
        Numbers {
            symbols: ids
                .clone()
                .map(|id| grammar.symbol(name(id), parser.node_kind_is_named(id)))
                .collect(),
            rules: ids.map(|id| grammar.rule(name(id))).collect(),
        }
    }
}

/// A parser for one language that gives up after a while.
pub(crate) struct Driver {
    parser: Parser,
    limit: Duration,
}

impl Driver {
    pub(crate) fn new(language: &tree_sitter::Language, limit: Duration) -> Option<Self> {
        let mut parser = Parser::new();
        parser.set_language(language).ok()?;
        Some(Driver { parser, limit })
    }

    /// Parses, reusing what an edited old tree still says. Nothing when it takes longer than the limit.
    pub(crate) fn parse(&mut self, text: &[u8], old: Option<&Tree>) -> Option<Tree> {
        let start = Instant::now();
        let limit = self.limit;
        let mut progress = |_: &tree_sitter::ParseState| {
            if start.elapsed() > limit {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let mut read = |offset: usize, _: Point| text.get(offset..).unwrap_or_default();
        let tree = self.parser.parse_with_options(&mut read, old, Some(options));
        if tree.is_none() {
            self.parser.reset();
        }
        tree
    }
}

/// The edit that turns `old` into `new`, if one run of bytes is all that differs.
pub(crate) fn difference(old: &[u8], new: &[u8]) -> InputEdit {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - prefix;
    let suffix = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(rest)
        .take_while(|(a, b)| a == b)
        .count();
    let (old_end, new_end) = (old.len() - suffix, new.len() - suffix);
    InputEdit {
        start_byte: prefix,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position: point(old, prefix),
        old_end_position: point(old, old_end),
        new_end_position: point(new, new_end),
    }
}

fn point(text: &[u8], at: usize) -> Point {
    let before = &text[..at];
    let line_start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1);
    Point::new(
        before.iter().filter(|byte| **byte == b'\n').count(),
        at - line_start,
    )
}

/// The parse as raw nodes.
pub(crate) fn read(tree: &Tree, numbers: &Numbers) -> RawTree {
    let mut raw = RawTree {
        nodes: Vec::with_capacity(tree.root_node().descendant_count()),
        errors: errors(tree),
    };
    let mut cursor = tree.walk();
    let mut open: Vec<usize> = Vec::new();
    'walk: loop {
        let node = cursor.node();
        open.push(raw.nodes.len());
        raw.nodes.push(raw_node(&node, numbers));
        if cursor.goto_first_child() {
            continue;
        }
        loop {
            let done = open.pop().expect("every visited node is open");
            raw.nodes[done].next = raw.nodes.len() as u32;
            if cursor.goto_next_sibling() {
                continue 'walk;
            }
            if !cursor.goto_parent() {
                return raw;
            }
        }
    }
}

fn raw_node(node: &Node<'_>, numbers: &Numbers) -> RawNode {
    RawNode {
        symbol: numbers.symbols.get(node.kind_id() as usize).copied().flatten(),
        rule: numbers.rules.get(node.grammar_id() as usize).copied().flatten(),
        start: node.start_byte() as u32,
        end: node.end_byte() as u32,
        next: 0,
        extra: node.is_extra(),
        error: node.is_error() || node.is_missing(),
    }
}

/// The number of errors: ERROR and MISSING nodes, and nodes that hold an error the tree does not show.
pub(crate) fn errors(tree: &Tree) -> usize {
    let mut count = 0;
    let mut cursor = tree.walk();
    if !cursor.node().has_error() {
        return 0;
    }
    // For each open node: whether an error below it was seen.
    let mut open: Vec<bool> = Vec::new();
    'walk: loop {
        let node = cursor.node();
        let faulty = node.has_error() || node.is_error() || node.is_missing();
        if faulty && let Some(parent) = open.last_mut() {
            *parent = true;
        }
        let own = node.is_error() || node.is_missing();
        count += usize::from(own);
        if faulty && cursor.goto_first_child() {
            open.push(own);
            continue;
        }
        if faulty && !own {
            count += 1;
        }
        loop {
            if cursor.goto_next_sibling() {
                continue 'walk;
            }
            if !cursor.goto_parent() {
                return count;
            }
            if open.pop() == Some(false) {
                count += 1;
            }
        }
    }
}

/// A parser and the last tree it accepted, to parse variants of that text quickly.
pub(crate) struct Incremental {
    driver: Driver,
    text: Vec<u8>,
    tree: Tree,
}

impl Incremental {
    pub(crate) fn new(language: &Language, text: &[u8], limit: Duration) -> Option<Self> {
        let mut driver = Driver::new(language.parser()?, limit)?;
        let tree = driver.parse(text, None)?;
        Some(Incremental {
            driver,
            text: text.to_vec(),
            tree,
        })
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The tree of a variant of the text.
    pub(crate) fn variant(&mut self, text: &[u8]) -> Option<Tree> {
        let mut old = self.tree.clone();
        old.edit(&difference(&self.text, text));
        self.driver.parse(text, Some(&old))
    }

    /// Makes a variant the text that others are variants of.
    pub(crate) fn accept(&mut self, text: &[u8], tree: Tree) {
        self.text = text.to_vec();
        self.tree = tree;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_of_two_texts_is_one_run_of_bytes() {
        for (old, new, expected) in [
            ("abc", "abc", (3, 3, 3)),
            ("abc", "ac", (1, 2, 1)),
            ("aaa", "aa", (2, 3, 2)),
            ("a\nbc\nd", "a\nd", (2, 5, 2)),
            ("", "xy", (0, 0, 2)),
        ] {
            let edit = difference(old.as_bytes(), new.as_bytes());
            assert_eq!(
                (edit.start_byte, edit.old_end_byte, edit.new_end_byte),
                expected,
                "{old} {new}"
            );
        }
        let edit = difference(b"a\nbc\nd", b"a\nd");
        assert_eq!(
            (edit.start_position, edit.old_end_position),
            (Point::new(1, 0), Point::new(2, 0))
        );
    }
}
