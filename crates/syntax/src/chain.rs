//! Chains: nodes nested in themselves, read as one list.
//!
//! `a + b - c` is parsed as `((a + b) - c)`: three nodes deep, although its parts are as equal as those of a list. Read
//! as a chain it is a first part and links:
//!
//! ```text
//! a        first
//! + b      link
//! - c      link
//! ```
//!
//! Links can be dropped in any number; when the first part is dropped, the first link kept loses its operator.

use crate::tree::{Kind, NodeId, Tree};
use std::ops::Range;

/// A node and those of its kind nested in it, read as a list of parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The parts, in order of the text.
    pub parts: Vec<NodeId>,
    /// The tokens between each two neighbours, operators mostly: one fewer than parts.
    pub between: Vec<Range<u32>>,
}

impl Tree {
    /// The chain that starts at a node: its kind repeats at its left end (as `-` does) or at its right end (as `=`
    /// and `::` lists do), at least once. Nothing when the node is itself inside the chain, when it has more than two parts, or
    /// when the grammar does not allow a part in place of the whole.
    pub fn chain(&self, node: NodeId) -> Option<Chain> {
        let nested = |outer: NodeId, inner: NodeId| {
            self.kind(inner) == Kind::Rule && self.symbol(inner) == self.symbol(outer)
        };
        let (left, right) = self.ends(node)?;
        let leftwards = nested(node, left);
        if !leftwards && !nested(node, right) {
            return None;
        }
        if let Some(parent) = self.parent(node).filter(|parent| nested(*parent, node))
            && let Some((left, right)) = self.ends(parent)
            && (if nested(parent, left) { left } else { right }) == node
        {
            return None;
        }
        let mut parts = Vec::new();
        let mut between = Vec::new();
        let mut at = node;
        loop {
            let Some((left, right)) = self
                .ends(at)
                .filter(|(left, right)| self.replaceable(node, *left) && self.replaceable(node, *right))
            else {
                parts.push(at);
                break;
            };
            between.push(self.token_range(left).end..self.token_range(right).start);
            let (part, next) = if leftwards { (right, left) } else { (left, right) };
            parts.push(part);
            if !nested(node, next) {
                parts.push(next);
                break;
            }
            at = next;
        }
        if leftwards {
            parts.reverse();
            between.reverse();
        }
        (parts.len() > 2).then_some(Chain { parts, between })
    }

    /// The first and the last child, when both are nodes and not the same.
    fn ends(&self, node: NodeId) -> Option<(NodeId, NodeId)> {
        if self.kind(node) != Kind::Rule {
            return None;
        }
        let first = self.children(node).next()?;
        let last = self.children(node).last()?;
        (first != last && self.symbol(first).is_some() && self.symbol(last).is_some())
            .then_some((first, last))
    }

    /// The token runs to drop so that only the parts for which `keep` says so remain. At least one must.
    pub fn cut_chain(&self, chain: &Chain, mut keep: impl FnMut(NodeId) -> bool) -> Vec<Range<u32>> {
        let mut dropped = Vec::new();
        let mut kept_any = false;
        for (index, part) in chain.parts.iter().enumerate() {
            let operator = index.checked_sub(1).map(|before| chain.between[before].clone());
            let kept = keep(*part);
            if !kept || !kept_any {
                dropped.extend(operator);
            }
            if !kept {
                dropped.push(self.token_range(*part));
            }
            kept_any |= kept;
        }
        dropped.retain(|run| !run.is_empty());
        dropped
    }
}
