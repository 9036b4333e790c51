//! What is left of a tree in the course of a round: edits only ever drop tokens, so it is the tree that was read and
//! the runs that are gone.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use dwindle_core::{Candidate, Subset};
use dwindle_syntax::{Chain, Kind, Marks, NodeId, Role, Tree};

use crate::source::Source;

/// What is left of a source's tree.
pub(crate) struct Remains<'s> {
    source: &'s Source,
    tree: &'s Tree,
    /// In order, none of them touching.
    dropped: Vec<Range<u32>>,
    /// In whose place a node stands that took that of another.
    places: HashMap<NodeId, NodeId>,
    /// The elements left of lists that are no longer whole.
    lists: HashMap<NodeId, Vec<NodeId>>,
    /// How many of the tokens up to each are tokens of the language.
    counts: Vec<u32>,
}

impl<'s> Remains<'s> {
    /// All of it.
    pub(crate) fn new(source: &'s Source) -> Self {
        let (tree, lexicon) = (source.tree(), source.lexicon());
        let mut count = 0;
        let counts = std::iter::once(0).chain(tree.tokens().iter().map(|token| {
            let marks = lexicon.marks(*token);
            count += u32::from(!marks.is_layout() && !marks.has(Marks::COMMENT));
            count
        }));
        Remains {
            source,
            tree,
            dropped: Vec::new(),
            places: HashMap::new(),
            lists: HashMap::new(),
            counts: counts.collect(),
        }
    }

    /// The tree that was read.
    pub(crate) fn tree(&self) -> &'s Tree {
        self.tree
    }

    /// How many tokens a node had when it was read.
    pub(crate) fn weight(&self, node: NodeId) -> u32 {
        let range = self.tree.inner_range(node);
        self.counts[range.end as usize] - self.counts[range.start as usize]
    }

    /// A number for the text that a node had when it was read.
    pub(crate) fn text_hash(&self, node: NodeId) -> u64 {
        let range = self.tree.inner_range(node);
        let mut hasher = DefaultHasher::new();
        self.tree.tokens()[range.start as usize..range.end as usize].hash(&mut hasher);
        hasher.finish()
    }

    /// The candidate without these runs.
    pub(crate) fn without(&self, runs: &[Range<u32>]) -> Candidate {
        let mut all = Vec::with_capacity(self.dropped.len() + runs.len());
        all.extend_from_slice(&self.dropped);
        all.extend_from_slice(runs);
        self.source.without(&all)
    }

    /// Drops some runs for good.
    pub(crate) fn drop_runs(&mut self, runs: Vec<Range<u32>>) {
        self.dropped.extend(runs);
        self.dropped.retain(|run| !run.is_empty());
        self.dropped.sort_by_key(|run| run.start);
        self.dropped.dedup_by(|next, last| {
            let touching = next.start <= last.end;
            if touching {
                last.end = last.end.max(next.end);
            }
            touching
        });
    }

    /// In whose place a node stands: its own, mostly.
    pub(crate) fn place(&self, node: NodeId) -> NodeId {
        self.places.get(&node).copied().unwrap_or(node)
    }

    /// Notes that a descendant has taken a node's place.
    pub(crate) fn put(&mut self, node: NodeId, by: NodeId) {
        let place = self.place(node);
        self.places.insert(by, place);
    }

    /// The elements left of a list.
    pub(crate) fn elements(&self, list: NodeId) -> Vec<NodeId> {
        self.lists.get(&list).cloned().unwrap_or_else(|| self.tree.elements(list).collect())
    }

    /// Notes which elements are left of a list.
    pub(crate) fn keep_elements(&mut self, list: NodeId, elements: Vec<NodeId>) {
        self.lists.insert(list, elements);
    }

    /// The fewest elements a list may be left with. One that was put into another list may not vanish unseen: the
    /// separator beside it would stay.
    pub(crate) fn least(&self, list: NodeId) -> usize {
        self.tree.min(list).max(usize::from(self.place(list) != list))
    }

    /// The runs that go when a node goes from where it stands; nothing if it is needed there.
    pub(crate) fn deletion(&self, node: NodeId) -> Option<Vec<Range<u32>>> {
        let place = self.place(node);
        match self.tree.role(place) {
            Role::Optional | Role::Extra | Role::Free => Some(vec![self.tree.dropped_range(place)]),
            Role::Fixed | Role::Separator => None,
            Role::Element => {
                let list = self.tree.parent(place)?;
                let left = self.elements(list);
                (left.len() > self.least(list)).then(|| {
                    let mut left = left.into_iter().filter(|element| *element != place).peekable();
                    self.tree.cut(list, |element| left.next_if_eq(&element).is_some())
                })
            }
        }
    }

    /// Deletes a node, given its runs.
    pub(crate) fn delete(&mut self, node: NodeId, runs: Vec<Range<u32>>) {
        let place = self.place(node);
        if let (Role::Element, Some(list)) = (self.tree.role(place), self.tree.parent(place)) {
            let mut left = self.elements(list);
            left.retain(|element| *element != place);
            self.lists.insert(list, left);
        }
        self.drop_runs(runs);
    }

    /// The runs that go when only some of a list's elements stay, all of which are there.
    pub(crate) fn cut(&self, list: NodeId, kept: &Subset) -> Vec<Range<u32>> {
        let mut kept = kept.iter().peekable();
        let mut index = 0;
        self.tree.cut(list, |_| {
            let keep = kept.next_if_eq(&index).is_some();
            index += 1;
            keep
        })
    }

    /// The runs that go when only some parts of a chain stay.
    pub(crate) fn cut_chain(&self, chain: &Chain, kept: &Subset) -> Vec<Range<u32>> {
        let mut kept = kept.iter().peekable();
        let mut index = 0;
        self.tree.cut_chain(chain, |_| {
            let keep = kept.next_if_eq(&index).is_some();
            index += 1;
            keep
        })
    }

    /// The runs that go when a descendant takes a node's place.
    pub(crate) fn hoist(&self, node: NodeId, by: NodeId) -> Vec<Range<u32>> {
        self.tree.hoist(self.place(node), by)
    }

    /// The descendants that may take a node's place, nearest first: of those nodes that fit, at most `limits.most`
    /// down to `limits.depth`, and before them the first lists met down to `limits.splice_depth` whose elements could
    /// stand there one after the other.
    ///
    /// A node that is all there is to its parent is as deep as that.
    pub(crate) fn hoists(&self, node: NodeId, limits: &HoistLimits) -> Vec<NodeId> {
        let place = self.place(node);
        let (mut lists, mut nodes) = (Vec::new(), Vec::new());
        // Nodes whose children come next, and whether lists are still looked for below them.
        let mut level = vec![(node, true)];
        let mut depth = 0;
        while depth < limits.depth.max(limits.splice_depth) && !level.is_empty() {
            let mut next = Vec::new();
            for (above, splice) in level {
                for (child, descend) in self.below(above) {
                    let list = matches!(self.tree.kind(child), Kind::List(_));
                    let wanted =
                        if list { splice && depth < limits.splice_depth } else { depth < limits.depth };
                    let fits = wanted && self.tree.can_hoist(place, child);
                    if fits {
                        if list { &mut lists } else { &mut nodes }.push(child);
                    }
                    if descend && !(fits && limits.stop_at_first) {
                        next.push((child, splice && !(fits && list)));
                    }
                }
            }
            level = next;
            depth += 1;
            if nodes.len() >= limits.most {
                break;
            }
        }
        lists.into_iter().chain(nodes).take(limits.most).collect()
    }

    /// The children of a node, and whether theirs are a level deeper: those of an only child come along with it.
    fn below(&self, node: NodeId) -> Vec<(NodeId, bool)> {
        let mut found: Vec<(NodeId, bool)> = Vec::new();
        let mut above = node;
        loop {
            let before = found.len();
            found.extend(self.tree.children(above).map(|child| (child, true)));
            match &mut found[before..] {
                [(only, descend)] if self.tree.kind(*only) != Kind::Token => {
                    *descend = false;
                    above = *only;
                }
                _ => return found,
            }
        }
    }
}

/// How far to look for what may take a node's place.
#[derive(Clone, Debug)]
pub(crate) struct HoistLimits {
    /// How deep to look for single nodes.
    pub(crate) depth: usize,
    /// How deep to look for lists.
    pub(crate) splice_depth: usize,
    /// The most to be found.
    pub(crate) most: usize,
    /// Whether to look no further below a node that fits.
    pub(crate) stop_at_first: bool,
}
