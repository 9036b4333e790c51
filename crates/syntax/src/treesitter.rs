//! The bridge to tree-sitter: parsing, parsing again after an edit, counting errors. The only module that knows it.

use crate::language::Language;
use crate::raw::{RawNode, RawTree};
use dwindle_grammar::{Grammar, RuleId, SymbolId};
use std::ops::ControlFlow;
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
            symbols: ids.clone().map(|id| grammar.symbol(name(id), parser.node_kind_is_named(id))).collect(),
            rules: ids.map(|id| grammar.rule(name(id))).collect(),
        }
    }
}

/// How often the parser may report progress before it is stopped, and how many more times for each byte of the text.
/// It reports every 100 steps; a megabyte of C takes some 10,000 reports and a third of a second, a hostile text is
/// stopped after seconds instead of hours. Counted, not timed: whether a text has a tree must not depend on how busy the
/// machine is.
const REPORTS: usize = 200_000;
const REPORTS_PER_BYTE: f64 = 0.25;

/// A parser for one language that gives up after a while.
pub(crate) struct Driver {
    parser: Parser,
}

impl Driver {
    pub(crate) fn new(language: &tree_sitter::Language) -> Option<Self> {
        let mut parser = Parser::new();
        parser.set_language(language).ok()?;
        Some(Driver { parser })
    }

    /// Parses, reusing what an edited old tree still says. Nothing when it takes too many steps.
    pub(crate) fn parse(&mut self, text: &[u8], old: Option<&Tree>) -> Option<Tree> {
        let mut left = REPORTS + (text.len() as f64 * REPORTS_PER_BYTE) as usize;
        let mut progress = |_: &tree_sitter::ParseState| {
            left = left.saturating_sub(1);
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
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

/// A text whose lines are known, to find the position of an edit quickly.
struct Lines {
    text: Vec<u8>,
    /// Where each line starts.
    starts: Vec<usize>,
}

impl Lines {
    fn new(text: &[u8]) -> Self {
        let newlines = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        Lines { text: text.to_vec(), starts: std::iter::once(0).chain(newlines).collect() }
    }

    fn point(&self, at: usize) -> Point {
        let row = self.starts.partition_point(|start| *start <= at) - 1;
        Point::new(row, at - self.starts[row])
    }

    /// The edit that turns the text into `new`: one run of bytes that differs.
    fn edit_to(&self, new: &[u8]) -> InputEdit {
        let old = self.text.as_slice();
        let prefix = common_prefix(old, new);
        let shorter = old.len().min(new.len()) - prefix;
        let suffix = old.iter().rev().zip(new.iter().rev()).take(shorter).take_while(|(a, b)| a == b).count();
        let (old_end, new_end) = (old.len() - suffix, new.len() - suffix);
        let start = self.point(prefix);
        let inserted = &new[prefix..new_end];
        let new_end_position = match inserted.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => {
                let rows = inserted.iter().filter(|byte| **byte == b'\n').count();
                Point::new(start.row + rows, inserted.len() - last - 1)
            }
            None => Point::new(start.row, start.column + inserted.len()),
        };
        InputEdit {
            start_byte: prefix,
            old_end_byte: old_end,
            new_end_byte: new_end,
            start_position: start,
            old_end_position: self.point(old_end),
            new_end_position,
        }
    }
}

/// How many bytes two texts share at their start; blocks at a time, texts are long and differ little.
fn common_prefix(old: &[u8], new: &[u8]) -> usize {
    const BLOCK: usize = 4096;
    let blocks =
        old.chunks_exact(BLOCK).zip(new.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count() * BLOCK;
    blocks + old[blocks..].iter().zip(&new[blocks..]).take_while(|(a, b)| a == b).count()
}

/// The parse as raw nodes.
pub(crate) fn read(tree: &Tree, numbers: &Numbers) -> RawTree {
    let mut raw =
        RawTree { nodes: Vec::with_capacity(tree.root_node().descendant_count()), errors: errors(tree) };
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
        renamed: node.kind_id() != node.grammar_id(),
        start: node.start_byte() as u32,
        end: node.end_byte() as u32,
        next: 0,
        extra: node.is_extra() && !node.is_error(),
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
    lines: Lines,
    tree: Tree,
}

impl Incremental {
    pub(crate) fn new(language: &Language, text: &[u8]) -> Option<Self> {
        let mut driver = Driver::new(language.parser()?)?;
        let tree = driver.parse(text, None)?;
        Some(Incremental { driver, lines: Lines::new(text), tree })
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.lines.text
    }

    /// The tree of a variant of the text.
    pub(crate) fn variant(&mut self, text: &[u8]) -> Option<Tree> {
        let mut old = self.tree.clone();
        old.edit(&self.lines.edit_to(text));
        self.driver.parse(text, Some(&old))
    }

    /// Makes a variant the text that others are variants of.
    pub(crate) fn accept(&mut self, text: &[u8], tree: Tree) {
        self.lines = Lines::new(text);
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
            let edit = Lines::new(old.as_bytes()).edit_to(new.as_bytes());
            assert_eq!((edit.start_byte, edit.old_end_byte, edit.new_end_byte), expected, "{old} {new}");
        }
        let edit = Lines::new(b"a\nbc\nd").edit_to(b"a\nx\ny\nd");
        assert_eq!((edit.start_position, edit.old_end_position), (Point::new(1, 0), Point::new(1, 2)));
        assert_eq!(edit.new_end_position, Point::new(2, 1));
    }
}
