//! What a parser says, in one form for all parsers: visible nodes in preorder, nothing explained yet.

use dwindle_grammar::{RuleId, SymbolId};

/// One visible node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawNode {
    /// Its kind; nothing when the grammar does not know it.
    pub(crate) symbol: Option<SymbolId>,
    /// The rule that made it, where the parser tells.
    pub(crate) rule: Option<RuleId>,
    /// It shows under another name than that rule's.
    pub(crate) renamed: bool,
    /// Its bytes.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The index behind its last descendant.
    pub(crate) next: u32,
    /// May stand between any two tokens.
    pub(crate) extra: bool,
    /// Text the parser could not make sense of, or a token it made up.
    pub(crate) error: bool,
}

impl RawNode {
    /// Whether it is text the parser could not make sense of. A token that it made up has no text, but its place.
    pub(crate) fn is_error(&self) -> bool {
        self.error && self.start < self.end
    }
}

/// A parse in preorder.
#[derive(Debug, Default)]
pub(crate) struct RawTree {
    pub(crate) nodes: Vec<RawNode>,
    /// How many errors it has.
    pub(crate) errors: usize,
}

impl RawTree {
    /// The children of a node, in order.
    pub(crate) fn children(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.nodes[node as usize].next;
        let mut at = node + 1;
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let child = at;
                at = self.nodes[child as usize].next;
                child
            })
        })
    }

    pub(crate) fn is_leaf(&self, node: u32) -> bool {
        self.nodes[node as usize].next == node + 1
    }
}
