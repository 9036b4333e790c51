//! The reduction tree: what a node is called, what is printed when it is pruned, and whether it still stands.
//!
//! A node covers a run of the text's tokens, its children cover parts of that run, in order. Nothing ever moves: a
//! pruned node is a run that is replaced by its minimal text, a node that was hoisted leaves what stood around it out.
//! A variant of the tree is therefore a list of [cuts](super::Cut) in the text.

use std::ops::Range;

use dwindle_syntax::{NodeId as SyntaxNode, TokenId};

use super::cuts::Cut;

/// A node by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node is called: nodes of one label can stand for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub u32);

/// Whether a node still stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Printed, and may be pruned.
    Keep,
    /// Printed as it is: pruning would print the same.
    Hidden,
    /// Pruned: its minimal text is printed.
    Removed,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Nothing for quantifiers and groups.
    pub(super) label: Option<Label>,
    /// What is printed when it is pruned; nothing if it is not known what could be.
    pub(super) minimal: Option<Range<u32>>,
    pub(super) children: Vec<NodeId>,
    pub(super) parent: Option<NodeId>,
    pub(super) state: State,
    /// All its tokens.
    pub(super) tokens: Range<u32>,
    /// Those that go when nothing is printed for it.
    pub(super) dropped: Range<u32>,
    /// Those that give way when something is printed for it: not the line break before it.
    pub(super) inner: Range<u32>,
    /// The node of the syntax tree it stands for, if it is the outermost that does.
    pub(super) origin: Option<SyntaxNode>,
    /// The node of the syntax tree whose place it has: its own, until it is hoisted.
    pub(super) place: Option<SyntaxNode>,
    /// The separated list it is an element of, where such lists are known.
    pub(super) list: Option<u32>,
}

/// A list whose elements have separators between them.
#[derive(Clone, Debug, Default)]
pub(super) struct SeparatedList {
    /// Its elements and the separator before each, which all but the first have.
    pub(super) elements: Vec<(NodeId, Range<u32>)>,
    /// The separator behind the last element; empty if there is none.
    pub(super) trailing: Range<u32>,
}

/// A tree that shrinks.
#[derive(Clone, Debug)]
pub struct ReductionTree {
    pub(super) nodes: Vec<Node>,
    pub(super) root: NodeId,
    /// The minimal texts, one after the other.
    pub(super) texts: Vec<TokenId>,
    pub(super) lists: Vec<SeparatedList>,
    /// What has changed so far.
    pub(super) cuts: Vec<Applied>,
}

/// A cut that was made: see [`Cut`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Applied {
    pub(super) range: Range<u32>,
    pub(super) by: Range<u32>,
}

impl ReductionTree {
    pub(super) fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }

    pub(super) fn node_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node.index()]
    }

    /// The node that holds all others.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// The nodes directly below, in order, whatever their state.
    #[must_use]
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        &self.node(node).children
    }

    /// What the node is called; quantifiers and groups have no name.
    #[must_use]
    pub fn label(&self, node: NodeId) -> Option<Label> {
        self.node(node).label
    }

    /// Whether the node still stands.
    #[must_use]
    pub fn state(&self, node: NodeId) -> State {
        self.node(node).state
    }

    /// The tokens of the text that the node covers.
    #[must_use]
    pub fn tokens(&self, node: NodeId) -> Range<u32> {
        self.node(node).tokens.clone()
    }

    /// What is printed when the node is pruned; nothing if nobody knows.
    #[must_use]
    pub fn minimal(&self, node: NodeId) -> Option<&[TokenId]> {
        self.node(node).minimal.as_ref().map(|range| self.text(range))
    }

    /// Whether pruning the node prints nothing.
    #[must_use]
    pub fn vanishes(&self, node: NodeId) -> bool {
        self.node(node).minimal.as_ref().is_some_and(Range::is_empty)
    }

    /// Whether the node can be asked about at all.
    pub(super) fn is_candidate(&self, node: NodeId) -> bool {
        self.state(node) == State::Keep && self.node(node).minimal.is_some()
    }

    pub(super) fn text(&self, range: &Range<u32>) -> &[TokenId] {
        &self.texts[range.start as usize..range.end as usize]
    }

    /// The children that still stand.
    pub(super) fn standing(&self, node: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + '_ {
        self.children(node).iter().copied().filter(|child| self.state(*child) == State::Keep)
    }

    /// All nodes, parents before children, in order of the text.
    #[must_use]
    pub fn preorder(&self) -> Vec<NodeId> {
        self.preorder_from(self.root)
    }

    pub(super) fn preorder_from(&self, top: NodeId) -> Vec<NodeId> {
        let mut order = Vec::new();
        let mut stack = vec![top];
        while let Some(node) = stack.pop() {
            order.push(node);
            stack.extend(self.children(node).iter().rev());
        }
        order
    }

    /// Statistics of what is left and visible: levels, nodes with children, tokens.
    #[must_use]
    pub fn shape(&self) -> Shape {
        let mut shape = Shape::default();
        let mut level: Vec<NodeId> = vec![self.root];
        while !level.is_empty() {
            shape.height += 1;
            for node in &level {
                let leaf = self.children(*node).is_empty();
                *if leaf { &mut shape.tokens } else { &mut shape.rules } += 1;
            }
            level = level.iter().flat_map(|node| self.standing(*node)).collect();
        }
        shape
    }

    /// What has changed so far, in order.
    #[must_use]
    pub fn cuts(&self) -> Vec<Cut<'_>> {
        self.cuts.iter().map(|cut| Cut { range: cut.range.clone(), by: self.text(&cut.by) }).collect()
    }
}

/// How large a tree is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Levels.
    pub height: usize,
    /// Rules and quantifiers that still stand.
    pub rules: usize,
    /// Tokens that could still go.
    pub tokens: usize,
}
