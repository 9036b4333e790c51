//! Variants of a reduction tree as cuts in its text.

use std::ops::Range;

use dwindle_syntax::TokenId;

use super::arena::{Applied, Node, NodeId, ReductionTree, State};

/// A run of tokens that gives way to others, or to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut<'t> {
    /// What gives way.
    pub range: Range<u32>,
    /// What is printed instead.
    pub by: &'t [TokenId],
}

/// A change to a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The nodes give way to their minimal texts.
    Prune(Vec<NodeId>),
    /// Nodes give way to descendants of theirs.
    Hoist(Vec<(NodeId, NodeId)>),
}

impl ReductionTree {
    /// The variant that a change makes of the tree as it is now: its cuts in order, none of them overlapping.
    pub(super) fn with(&self, change: &Change) -> Vec<Cut<'_>> {
        let applied = merge(self.cuts_of(change), &self.cuts);
        applied.into_iter().map(|cut| Cut { range: cut.range, by: self.text(&cut.by) }).collect()
    }

    /// Makes a change.
    pub(super) fn apply(&mut self, change: &Change) {
        self.cuts = merge(self.cuts_of(change), &self.cuts);
        match change {
            Change::Prune(nodes) => {
                for node in nodes {
                    self.node_mut(*node).state = State::Removed;
                }
            }
            Change::Hoist(pairs) => {
                for (node, by) in pairs {
                    self.put_in_place(*node, *by);
                }
            }
        }
    }

    /// Puts a descendant where a node stands.
    fn put_in_place(&mut self, node: NodeId, by: NodeId) {
        let parent = self.node(node).parent;
        match parent {
            Some(parent) => {
                let children = &mut self.node_mut(parent).children;
                let at = children.iter().position(|child| *child == node);
                children[at.expect("it is its parent's child")] = by;
            }
            None => self.root = by,
        }
        if let Some(list) = self.node(node).list {
            let elements = &mut self.lists[list as usize].elements;
            elements
                .iter_mut()
                .filter(|(element, _)| *element == node)
                .for_each(|(element, _)| *element = by);
        }
        let (place, list) = (self.node(node).place, self.node(node).list);
        let hoisted = self.node_mut(by);
        (hoisted.parent, hoisted.place, hoisted.list) = (parent, place, list);
    }

    fn cuts_of(&self, change: &Change) -> Vec<Applied> {
        let mut cuts = Vec::new();
        match change {
            Change::Prune(nodes) => {
                for node in nodes {
                    let Node { minimal, dropped, inner, .. } = self.node(*node);
                    let by = minimal.clone().unwrap_or_default();
                    let range = if by.is_empty() { dropped } else { inner }.clone();
                    cuts.push(Applied { range, by });
                }
                if !self.lists.is_empty() {
                    self.cut_separators(nodes, &mut cuts);
                }
            }
            Change::Hoist(pairs) => {
                for (node, by) in pairs {
                    let (outer, inner) = (&self.node(*node).inner, self.hoisted(*node, *by));
                    for range in [outer.start..inner.start, inner.end..outer.end] {
                        cuts.push(Applied { range, by: 0..0 });
                    }
                }
            }
        }
        cuts.retain(|cut| !cut.range.is_empty());
        cuts.sort_by_key(|cut| (cut.range.start, std::cmp::Reverse(cut.range.end)));
        cuts
    }

    /// What has to stay of a descendant that takes a node's place. The statements of a block start lines: the first one
    /// cannot go without its line break.
    fn hoisted(&self, node: NodeId, by: NodeId) -> Range<u32> {
        if self.is_block(node) { self.node(by).tokens.clone() } else { self.node(by).inner.clone() }
    }

    /// Whether the line structure allows a descendant in the node's place.
    pub(super) fn layout_allows(&self, node: NodeId, by: NodeId) -> bool {
        let starts_line = self.node(by).tokens.start < self.node(by).inner.start && !self.is_block(by);
        !self.is_block(node) || starts_line
    }

    /// A block has a token at its end that is none of its inner ones.
    fn is_block(&self, node: NodeId) -> bool {
        let Node { tokens, inner, .. } = self.node(node);
        inner.end < tokens.end
    }

    /// The separators that go with elements: one that stood before the first element that is left, and the last one
    /// when none is left. The others go with the element behind them.
    fn cut_separators(&self, pruned: &[NodeId], cuts: &mut Vec<Applied>) {
        let mut touched: Vec<u32> = pruned.iter().filter_map(|node| self.node(*node).list).collect();
        touched.sort_unstable();
        touched.dedup();
        if touched.is_empty() {
            return;
        }
        let mut pruned = pruned.to_vec();
        pruned.sort_unstable();
        let gone = |node: NodeId| self.state(node) == State::Removed || pruned.binary_search(&node).is_ok();
        for list in touched {
            let list = &self.lists[list as usize];
            let first = list.elements.iter().find(|(element, _)| !gone(*element));
            let range = first.map_or(&list.trailing, |(_, separator)| separator);
            if !range.is_empty() {
                cuts.push(Applied { range: range.clone(), by: 0..0 });
            }
        }
    }
}

/// New cuts and old ones, in order. New ones swallow the old ones inside them, and win where both start at one place.
fn merge(new: Vec<Applied>, old: &[Applied]) -> Vec<Applied> {
    let mut merged: Vec<Applied> = Vec::with_capacity(new.len() + old.len());
    let (mut new, mut old) = (new.into_iter().peekable(), old.iter().peekable());
    loop {
        let newer = match (new.peek(), old.peek()) {
            (Some(a), Some(b)) => {
                (a.range.start, std::cmp::Reverse(a.range.end))
                    <= (b.range.start, std::cmp::Reverse(b.range.end))
            }
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => return merged,
        };
        let cut = if newer { new.next() } else { old.next().cloned() };
        push(&mut merged, cut.expect("just seen"), newer);
    }
}

fn push(merged: &mut Vec<Applied>, mut cut: Applied, newer: bool) {
    if let Some(last) = merged.last_mut() {
        if cut.range.end <= last.range.end {
            // Neighbours that went before may have become one cut around all that is left of this node; what is printed
            // for it now stands inside of that.
            if newer && !cut.by.is_empty() && last.by.is_empty() {
                let rest = Applied { range: cut.range.end..last.range.end, by: 0..0 };
                last.range.end = cut.range.start;
                if last.range.is_empty() {
                    merged.pop();
                }
                merged.push(cut);
                if !rest.range.is_empty() {
                    merged.push(rest);
                }
            }
            return;
        }
        // A line break can be part of two cuts.
        cut.range.start = cut.range.start.max(last.range.end);
        if cut.range.start == last.range.end && last.by.is_empty() && cut.by.is_empty() {
            last.range.end = cut.range.end;
            return;
        }
    }
    merged.push(cut);
}
