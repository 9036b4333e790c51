//! The two changes that are tried on a list of nodes: pruning them, and hoisting descendants of theirs.

use dwindle_core::{Stop, Subset, Verdict};
use dwindle_delta::{ListMinimizer, ListOracle, ListSearch};

use super::arena::{NodeId, ReductionTree, State};
use super::cuts::{Change, Cut};
use super::oracle::TreeOracle;

/// A list in which leaving an element out makes a change to the tree.
struct ChangeList<'a> {
    tree: &'a ReductionTree,
    /// The nodes that are asked about, where they keep their numbers from list to list.
    nodes: &'a [NodeId],
    len: usize,
    change: &'a dyn Fn(&Subset) -> Change,
    oracle: &'a mut dyn TreeOracle,
}

impl<'a> ChangeList<'a> {
    /// The variant in which just these elements are left as they are.
    fn variant(
        tree: &'a ReductionTree,
        change: &dyn Fn(&Subset) -> Change,
        len: usize,
        kept: &Subset,
    ) -> Vec<Cut<'a>> {
        tree.with(&change(&Subset::full(len).difference(kept)))
    }
}

impl ListOracle for ChangeList<'_> {
    fn test(&mut self, kept: &Subset) -> Result<Verdict, Stop> {
        self.oracle.test(Self::variant(self.tree, self.change, self.len, kept))
    }

    fn first(&mut self, parts: &mut dyn Iterator<Item = Subset>) -> Result<Option<usize>, Stop> {
        let (tree, change, len) = (self.tree, self.change, self.len);
        self.oracle.first(&mut parts.map(|kept| Self::variant(tree, change, len, &kept)))
    }

    fn all(&mut self, parts: &[Subset]) -> Result<Vec<Verdict>, Stop> {
        let (tree, change, len) = (self.tree, self.change, self.len);
        self.oracle.all(parts.iter().map(|kept| Self::variant(tree, change, len, kept)).collect())
    }

    fn accept(&mut self, kept: &Subset) -> Result<(), Stop> {
        self.oracle.accept(Self::variant(self.tree, self.change, self.len, kept))
    }

    fn search(&mut self, search: &mut dyn ListSearch) -> Result<Option<usize>, Stop> {
        let (tree, change, len) = (self.tree, self.change, self.len);
        self.oracle.search(search, &|kept: &Subset| Self::variant(tree, change, len, kept))
    }

    fn checks(&self) -> usize {
        self.oracle.checks()
    }

    fn identity(&self, element: usize) -> Option<u64> {
        self.nodes.get(element).map(|node| u64::from(node.0))
    }
}

/// Prunes as many of the nodes as a list minimiser can, the last one too, and says whether any went.
pub(super) fn prune(
    tree: &mut ReductionTree,
    nodes: &[NodeId],
    minimizer: &dyn ListMinimizer,
    oracle: &mut dyn TreeOracle,
) -> Result<bool, Stop> {
    if nodes.is_empty() {
        return Ok(false);
    }
    let change = |gone: &Subset| Change::Prune(gone.iter().map(|at| nodes[at]).collect());
    let weights: Vec<u64> = nodes.iter().map(|node| tree.node(*node).tokens.len() as u64).collect();
    let mut list = ChangeList { tree, nodes, len: nodes.len(), change: &change, oracle };
    let mut kept = minimizer.minimize(&weights, &mut list)?;
    // List minimisers never try the empty list; a tree without a node is as good as any.
    if kept.len() == 1 && list.test(&Subset::empty())?.is_interesting() {
        kept = Subset::empty();
    }
    let gone = Subset::full(nodes.len()).difference(&kept);
    let changed = !gone.is_empty();
    if changed {
        tree.apply(&change(&gone));
    }
    Ok(changed)
}

/// Which descendants may take a node's place.
pub(super) type Compatible<'c> = &'c dyn Fn(&ReductionTree, NodeId, NodeId) -> bool;

/// The descendants that may take a node's place: the topmost on every path, in order of the text. Nothing inside a
/// pruned node is looked at.
pub(super) fn hoists(tree: &ReductionTree, node: NodeId, compatible: Compatible<'_>) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut stack: Vec<NodeId> = tree.children(node).iter().rev().copied().collect();
    while let Some(below) = stack.pop() {
        match tree.state(below) {
            State::Removed => {}
            _ if compatible(tree, node, below) => found.push(below),
            State::Hidden => {}
            State::Keep => stack.extend(tree.children(below).iter().rev()),
        }
    }
    found
}

/// Hoists one descendant at a time until none of the nodes can be replaced any more, and says whether any was. `nodes`
/// then holds what stands in their places. After each success it begins again at the first node.
pub(super) fn hoist(
    tree: &mut ReductionTree,
    nodes: &mut [NodeId],
    compatible: Compatible<'_>,
    oracle: &mut dyn TreeOracle,
) -> Result<bool, Stop> {
    let mut changed = false;
    loop {
        let pairs = |at: usize| {
            let node = nodes[at];
            hoists(tree, node, compatible).into_iter().map(move |by| (at, by))
        };
        let mut asked = Vec::new();
        let mut variants = (0..nodes.len()).flat_map(pairs).map(|(at, by)| {
            asked.push((at, by));
            tree.with(&Change::Hoist(vec![(nodes[at], by)]))
        });
        let won = oracle.first(&mut variants)?;
        drop(variants);
        let Some(won) = won else { return Ok(changed) };
        let (at, by) = asked[won];
        tree.apply(&Change::Hoist(vec![(nodes[at], by)]));
        nodes[at] = by;
        changed = true;
    }
}

/// Hoists in as many of the nodes at once as a list minimiser can, each time the first descendant of each, until none of
/// those can take its place; and says whether any did.
pub(super) fn hoist_several(
    tree: &mut ReductionTree,
    nodes: &mut [NodeId],
    compatible: Compatible<'_>,
    minimizer: &dyn ListMinimizer,
    oracle: &mut dyn TreeOracle,
) -> Result<bool, Stop> {
    let mut changed = false;
    loop {
        let pair = |at: usize| {
            let by = hoists(tree, nodes[at], compatible).first().copied()?;
            Some((at, by))
        };
        let pairs: Vec<(usize, NodeId)> = (0..nodes.len()).filter_map(pair).collect();
        if pairs.is_empty() {
            return Ok(changed);
        }
        let change =
            |gone: &Subset| Change::Hoist(gone.iter().map(|i| (nodes[pairs[i].0], pairs[i].1)).collect());
        let weights: Vec<u64> =
            pairs.iter().map(|(at, _)| tree.node(nodes[*at]).tokens.len() as u64).collect();
        let mut list = ChangeList { tree, nodes: &[], len: pairs.len(), change: &change, oracle };
        let mut kept = minimizer.minimize(&weights, &mut list)?;
        if kept.len() == 1 && list.test(&Subset::empty())?.is_interesting() {
            kept = Subset::empty();
        }
        let gone = Subset::full(pairs.len()).difference(&kept);
        if gone.is_empty() {
            return Ok(changed);
        }
        tree.apply(&change(&gone));
        for at in gone.iter() {
            let (place, by) = pairs[at];
            nodes[place] = by;
        }
        changed = true;
    }
}
