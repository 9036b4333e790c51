//! Preparing a tree: fewer nodes to ask about, the same text.

use std::ops::Range;

use dwindle_syntax::TokenId;

use super::arena::{NodeId, ReductionTree, State};
use super::build::Builder;

/// Which preparations are made, in the order of the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preparation {
    /// Reads recursion as repetition: `rule: a | rule b` as `rule: a b*`.
    pub flatten: bool,
    /// Puts a node with one child, and the same minimal text, together with it.
    pub squeeze: bool,
    /// Does not ask about nodes that print the same when they are pruned.
    pub hide: bool,
}

impl Default for Preparation {
    fn default() -> Self {
        Preparation { flatten: true, squeeze: true, hide: true }
    }
}

impl ReductionTree {
    /// Prepares the tree. `reads` tells whether a run of the text's tokens reads like other tokens, white space aside.
    pub fn prepare(&mut self, preparation: Preparation, reads: impl Fn(Range<u32>, &[TokenId]) -> bool) {
        self.drop_empty();
        if preparation.flatten {
            self.flatten();
        }
        if preparation.squeeze {
            self.squeeze();
        }
        if preparation.hide {
            self.hide(reads);
        }
    }

    /// Drops nodes that cover no token.
    fn drop_empty(&mut self) {
        for node in self.preorder() {
            let mut children = std::mem::take(&mut self.node_mut(node).children);
            children.retain(|child| !self.node(*child).tokens.is_empty());
            self.node_mut(node).children = children;
        }
    }

    /// Reads recursion as repetition. A node whose first child has its label takes that child's children, and puts its
    /// own others into a group, and so from the right.
    fn flatten(&mut self) {
        for node in self.preorder().into_iter().rev() {
            let Some(label) = self.label(node) else { continue };
            let recursive = |tree: &Self, child: NodeId| {
                tree.label(child) == Some(label) && !tree.children(child).is_empty()
            };
            if let [first, .., last] = self.children(node)[..] {
                if recursive(self, first) {
                    let own = std::mem::take(&mut self.node_mut(node).children);
                    let mut children = std::mem::take(&mut self.node_mut(first).children);
                    children.push(self.group(own[1..].to_vec()));
                    self.adopt(node, children);
                } else if recursive(self, last) {
                    let own = std::mem::take(&mut self.node_mut(node).children);
                    let mut children = std::mem::take(&mut self.node_mut(last).children);
                    children.insert(0, self.group(own[..own.len() - 1].to_vec()));
                    self.adopt(node, children);
                }
            }
            if let [only] = self.children(node)[..]
                && recursive(self, only)
            {
                let children = std::mem::take(&mut self.node_mut(only).children);
                self.adopt(node, children);
            }
        }
    }

    /// A new node around some neighbours that prints nothing when it is pruned.
    fn group(&mut self, children: Vec<NodeId>) -> NodeId {
        let tokens = self.span(&children).unwrap_or_default();
        let group = NodeId(self.nodes.len() as u32);
        let mut node = Builder::node(None, None, Some(0..0), tokens);
        node.children = children;
        for child in &node.children {
            self.nodes[child.index()].parent = Some(group);
        }
        self.nodes.push(node);
        group
    }

    fn adopt(&mut self, node: NodeId, children: Vec<NodeId>) {
        for child in &children {
            self.node_mut(*child).parent = Some(node);
        }
        self.node_mut(node).children = children;
    }

    /// Puts nodes with one child, and the same minimal text, together with it; the child's label stays.
    fn squeeze(&mut self) {
        self.root = self.squeezed(self.root);
        let mut stack = vec![self.root];
        while let Some(node) = stack.pop() {
            for at in 0..self.children(node).len() {
                let child = self.squeezed(self.children(node)[at]);
                self.node_mut(node).children[at] = child;
                stack.push(child);
            }
        }
    }

    /// What a node becomes.
    fn squeezed(&mut self, mut node: NodeId) -> NodeId {
        while let [only] = self.children(node)[..]
            && self.minimal(node).is_some()
            && self.minimal(node) == self.minimal(only)
        {
            let outer = self.node(node).clone();
            let inner = self.node_mut(only);
            (inner.parent, inner.list) = (outer.parent, outer.list);
            (inner.tokens, inner.dropped, inner.inner) = (outer.tokens, outer.dropped, outer.inner);
            (inner.origin, inner.place) = (inner.origin.or(outer.origin), outer.place.or(inner.place));
            if let Some(list) = outer.list {
                let elements = &mut self.lists[list as usize].elements;
                elements.iter_mut().filter(|element| element.0 == node).for_each(|element| element.0 = only);
            }
            node = only;
        }
        node
    }

    /// Hides the nodes that print the same when they are pruned, and tokens that nothing can stand for.
    fn hide(&mut self, reads: impl Fn(Range<u32>, &[TokenId]) -> bool) {
        for node in self.preorder() {
            let same = match self.minimal(node) {
                Some(minimal) => reads(self.node(node).inner.clone(), minimal),
                None => self.children(node).is_empty(),
            };
            if same {
                self.node_mut(node).state = State::Hidden;
            }
        }
    }
}
