//! Edits: what a tree allows to be taken out or put elsewhere, and the tokens that remain.
//!
//! Deleting and hoisting only ever drop tokens, so a candidate is a set of runs over [`Tree::tokens`].

use crate::lexicon::{Lexicon, Marks, TokenId};
use crate::tree::{Body, Kind, NodeId, Role, Tree};
use std::collections::HashSet;
use std::ops::Range;

/// One change to a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Takes the node out: a list element (its separator goes along), an optional part, a comment, a free node.
    Delete(NodeId),
    /// Puts a descendant in the node's place.
    Hoist {
        /// What is replaced.
        node: NodeId,
        /// A descendant of it, see [`Tree::hoists`].
        by: NodeId,
    },
    /// Puts new tokens in the node's place.
    Replace {
        /// What is replaced.
        node: NodeId,
        /// What stands there instead.
        by: Vec<TokenId>,
    },
}

impl Edit {
    fn node(&self) -> NodeId {
        match self {
            Edit::Delete(node) | Edit::Hoist { node, .. } | Edit::Replace { node, .. } => *node,
        }
    }
}

impl Tree {
    /// Whether the node may be taken out on its own. A list's minimum is the list's business: see [`Tree::cut`].
    pub fn is_deletable(&self, node: NodeId) -> bool {
        matches!(self.role(node), Role::Element | Role::Optional | Role::Extra | Role::Free)
    }

    /// The elements of a list, in order.
    pub fn elements(&self, list: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.children(list).filter(|child| self.role(*child) == Role::Element)
    }

    /// The token runs to drop so that only the elements for which `keep` says so remain in the list.
    ///
    /// Between two kept elements the separator behind the first one stays: where lines count, it has to stand on that one's line.
    /// One behind the last element stays when there was one and any element is left.
    pub fn cut(&self, list: NodeId, mut keep: impl FnMut(NodeId) -> bool) -> Vec<Range<u32>> {
        let mut dropped = Vec::new();
        let mut behind: Option<NodeId> = None;
        let (mut kept_any, mut trailing) = (false, false);
        for child in self.children(list) {
            match self.role(child) {
                Role::Separator => {
                    trailing = true;
                    if kept_any && behind.is_none() {
                        behind = Some(child);
                    } else {
                        dropped.push(self.dropped_range(child));
                    }
                }
                Role::Element => {
                    trailing = false;
                    if keep(child) {
                        kept_any = true;
                        behind = None;
                    } else {
                        dropped.push(self.dropped_range(child));
                    }
                }
                _ => {}
            }
        }
        dropped.extend(behind.filter(|_| !trailing).map(|last| self.dropped_range(last)));
        dropped.retain(|run| !run.is_empty());
        dropped.sort_by_key(|run| run.start);
        self.with_line_breaks(dropped, self.token_range(list).start)
    }

    /// Joins runs that touch; a line of which nothing stays goes with the line break before it.
    fn with_line_breaks(&self, dropped: Vec<Range<u32>>, first: u32) -> Vec<Range<u32>> {
        let is_break = |at: u32| self.breaks.get(at as usize).is_none_or(|is_break| *is_break);
        let mut joined: Vec<Range<u32>> = Vec::with_capacity(dropped.len());
        for run in dropped {
            match joined.last_mut().filter(|last| last.end == run.start) {
                Some(last) => last.end = run.end,
                None => joined.push(run),
            }
        }
        for run in &mut joined {
            if run.start > first && is_break(run.start - 1) && is_break(run.end) {
                run.start -= 1;
            }
        }
        joined
    }

    /// The token runs to drop so that `by`, a descendant, stands in the node's place. The line break before the node
    /// stays, the one before the descendant goes.
    pub fn hoist(&self, node: NodeId, by: NodeId) -> Vec<Range<u32>> {
        let (outer, inner) = (self.inner_range(node), self.hoisted_range(node, by));
        [outer.start..inner.start, inner.end..outer.end].into_iter().filter(|run| !run.is_empty()).collect()
    }

    /// Whether the grammar allows `by` in the node's place.
    pub fn replaceable(&self, node: NodeId, by: NodeId) -> bool {
        let grammar = self.language.grammar();
        match (self.slot(node), self.symbol(by), self.symbol(node)) {
            // Punctuation fits many places in theory (an operator can be a name). Here it only counts where the node's
            // own rule comes down to it: `;` for a statement.
            (Some(_), Some(symbol), Some(own)) if !grammar.rules().symbols[symbol.index()].named => {
                grammar.replaceable(grammar.slot_of_symbol(own), symbol)
            }
            (Some(slot), Some(symbol), _) => grammar.replaceable(slot, symbol) && self.body_fits(node, by),
            _ => false,
        }
    }

    /// Whether the body of `by` is one that can be expected to fit the node's place: a declaration that ended a block,
    /// without semicolon, takes the place of another such only.
    fn body_fits(&self, node: NodeId, by: NodeId) -> bool {
        match self.nodes[by.index()].body {
            Body::Only => true,
            Body::Own => self.nodes[node.index()].body != Body::Other,
            Body::Other => self.nodes[node.index()].body == Body::Other,
        }
    }

    /// The descendants that may stand in the node's place, outermost first: nodes of a fitting kind, and for a list
    /// element also lists of fitting elements (a block's statements for the block).
    pub fn hoists(&self, node: NodeId) -> Vec<NodeId> {
        self.descendants(node).filter(|descendant| self.can_hoist(node, *descendant)).collect()
    }

    /// Whether a descendant may stand in the node's place, and that would change anything.
    pub fn can_hoist(&self, node: NodeId, descendant: NodeId) -> bool {
        let range = self.inner_range(descendant);
        !range.is_empty()
            && range != self.inner_range(node)
            && self.layout_allows(node, descendant)
            && !(self.nodes[descendant.index()].enclosed && range.start > self.inner_range(node).start)
            && match self.kind(descendant) {
                Kind::Rule | Kind::Token | Kind::Opaque => self.replaceable(node, descendant),
                Kind::List(_) => self.splices(node, descendant),
                Kind::Group => false,
            }
    }

    /// Whether all elements of a list may stand where one element of another list stands.
    fn splices(&self, node: NodeId, list: NodeId) -> bool {
        let Some(parent) = self.parent(node).filter(|_| self.role(node) == Role::Element) else {
            return false;
        };
        let (Kind::List(outer), Kind::List(inner)) = (self.kind(parent), self.kind(list)) else {
            return false;
        };
        let grammar = self.language.grammar();
        let (outer, inner) = (grammar.list(outer), grammar.list(inner));
        let Some(slot) = outer.slot.filter(|_| outer.separated == inner.separated) else { return false };
        let fits = |element| {
            self.symbol(element).is_some_and(|symbol| grammar.replaceable(slot, symbol))
                && self.body_fits(node, element)
        };
        self.elements(list).all(fits)
    }

    /// The tokens after the edits. Edits inside a node that another edit removes have no effect.
    pub fn edited(&self, edits: &[Edit]) -> Vec<TokenId> {
        let mut changes: Vec<(Range<u32>, &[TokenId])> = Vec::new();
        let deleted: HashSet<NodeId> =
            edits.iter().filter(|edit| matches!(edit, Edit::Delete(_))).map(Edit::node).collect();
        let mut lists: HashSet<NodeId> = HashSet::new();
        for edit in edits {
            let node = edit.node();
            match edit {
                Edit::Delete(_) => match self.parent(node).filter(|_| self.role(node) == Role::Element) {
                    Some(list) if lists.insert(list) => {
                        changes.extend(
                            self.cut(list, |element| !deleted.contains(&element))
                                .into_iter()
                                .map(|run| (run, &[][..])),
                        );
                    }
                    Some(_) => {}
                    None => changes.push((self.dropped_range(node), &[])),
                },
                Edit::Hoist { by, .. } => {
                    changes.extend(self.hoist(node, *by).into_iter().map(|run| (run, &[][..])));
                }
                Edit::Replace { by, .. } => changes.push((self.inner_range(node), by)),
            }
        }
        changes.sort_by_key(|(run, _)| (run.start, std::cmp::Reverse(run.end)));
        let mut out = Vec::with_capacity(self.tokens.len());
        let mut at = 0;
        for (run, new) in changes {
            if run.start < at {
                at = at.max(run.end);
                continue;
            }
            out.extend_from_slice(&self.tokens[at as usize..run.start as usize]);
            out.extend_from_slice(new);
            at = run.end;
        }
        out.extend_from_slice(&self.tokens[at as usize..]);
        out
    }

    /// The text after the edits.
    pub fn apply(&self, lexicon: &Lexicon, edits: &[Edit]) -> Vec<u8> {
        self.render(lexicon, self.edited(edits))
    }

    /// Tokens for a text that is to stand in the node's place: it takes over the white space before the node.
    pub fn as_tokens(&self, lexicon: &mut Lexicon, node: NodeId, texts: &[&str]) -> Vec<TokenId> {
        let first = self.inner_range(node).start as usize;
        let trivia = self.tokens.get(first).map(|token| lexicon.trivia(*token).to_vec()).unwrap_or_default();
        texts
            .iter()
            .enumerate()
            .map(|(index, text)| {
                let before = if index == 0 { trivia.as_slice() } else { &[] };
                lexicon.intern(before, text.as_bytes(), Marks::NONE)
            })
            .collect()
    }
}
