//! The bridge to tree-sitter: parsing, parsing again after an edit, counting errors. The only module that knows it.

mod incremental;

use crate::raw::{RawNode, RawTree};
use dwindle_grammar::{Grammar, RuleId, SymbolId};
use std::ops::ControlFlow;
use tree_sitter::{Node, ParseOptions, Parser, Point, Tree};

pub(crate) use incremental::Incremental;
pub use incremental::SharedRun;

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
