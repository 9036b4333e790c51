//! The two ways through a tree, level by level and from siblings to siblings, and what is done on the way.

use std::collections::HashMap;

use dwindle_core::Stop;
use dwindle_delta::ListMinimizer;

use super::arena::{NodeId, ReductionTree, State};
use super::changes::{hoist, hoist_several, prune};
use super::options::Traversal;
use super::oracle::TreeOracle;

/// One phase of an algorithm: what is done with each list of nodes on the way, and how the way goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Siblings are a list, instead of all nodes of a level.
    pub recursive: bool,
    /// Nodes are pruned.
    pub prune: bool,
    /// Descendants take the place of those that are left.
    pub hoist: bool,
    /// Only nodes that print nothing when they are pruned are asked about.
    pub coarse: bool,
    /// Repeated until a whole pass changes nothing.
    pub star: bool,
}

/// What a phase works with.
pub struct Tools<'t> {
    /// Makes lists of nodes smaller.
    pub minimizer: &'t dyn ListMinimizer,
    /// Which descendant may take a node's place.
    pub compatible: &'t dyn Fn(&ReductionTree, NodeId, NodeId) -> bool,
    /// Whether several are hoisted in one test.
    pub several: bool,
    /// The order of siblings.
    pub traversal: Traversal,
}

impl Phase {
    /// Runs the phase; says whether anything changed.
    ///
    /// # Errors
    /// When the run has been stopped.
    pub fn run(
        &self,
        tree: &mut ReductionTree,
        tools: &Tools<'_>,
        oracle: &mut dyn TreeOracle,
    ) -> Result<bool, Stop> {
        let mut changed = false;
        loop {
            let again = if self.recursive {
                self.siblings(tree, tools, oracle)?
            } else {
                self.levels(tree, tools, oracle)?
            };
            changed |= again;
            if !(again && self.star) {
                return Ok(changed);
            }
        }
    }

    /// Level by level from the root, which is one itself.
    fn levels(
        &self,
        tree: &mut ReductionTree,
        tools: &Tools<'_>,
        oracle: &mut dyn TreeOracle,
    ) -> Result<bool, Stop> {
        let mut changed = false;
        let mut level = vec![tree.root()];
        level.retain(|node| tree.state(*node) == State::Keep);
        while !level.is_empty() {
            changed |= self.transform(tree, &mut level, tools, oracle)?;
            level = level.iter().flat_map(|node| tree.standing(*node)).collect();
        }
        Ok(changed)
    }

    /// From siblings to siblings. The root is never pruned.
    fn siblings(
        &self,
        tree: &mut ReductionTree,
        tools: &Tools<'_>,
        oracle: &mut dyn TreeOracle,
    ) -> Result<bool, Stop> {
        let mut changed = false;
        let mut queue = std::collections::VecDeque::from([tree.root()]);
        while let Some(node) = tools.traversal.next(&mut queue) {
            let mut siblings: Vec<NodeId> = tree.standing(node).collect();
            if !siblings.is_empty() {
                changed |= self.transform(tree, &mut siblings, tools, oracle)?;
                tools.traversal.append(&mut queue, &siblings);
            }
        }
        Ok(changed)
    }

    /// Does with some nodes what is to be done; `nodes` then holds those that are left, and what took their places.
    fn transform(
        &self,
        tree: &mut ReductionTree,
        nodes: &mut Vec<NodeId>,
        tools: &Tools<'_>,
        oracle: &mut dyn TreeOracle,
    ) -> Result<bool, Stop> {
        let asked = |tree: &ReductionTree, node: NodeId| !self.coarse || tree.vanishes(node);
        let mut changed = false;
        if self.prune {
            let candidates: Vec<NodeId> =
                nodes.iter().copied().filter(|node| tree.is_candidate(*node) && asked(tree, *node)).collect();
            changed |= prune(tree, &candidates, tools.minimizer, oracle)?;
            nodes.retain(|node| tree.state(*node) == State::Keep);
        }
        if self.hoist {
            let at: Vec<usize> = (0..nodes.len()).filter(|at| asked(tree, nodes[*at])).collect();
            let mut chosen: Vec<NodeId> = at.iter().map(|at| nodes[*at]).collect();
            if tools.several {
                let places: Vec<NodeId> = chosen.iter().flat_map(|node| named(tree, *node)).collect();
                let mut taken = places.clone();
                changed |= hoist_several(tree, &mut taken, tools.compatible, tools.minimizer, oracle)?;
                let images: HashMap<NodeId, NodeId> = places.into_iter().zip(taken).collect();
                chosen.iter_mut().for_each(|node| *node = images.get(node).copied().unwrap_or(*node));
            }
            changed |= hoist(tree, &mut chosen, tools.compatible, oracle)?;
            for (at, node) in at.into_iter().zip(chosen) {
                nodes[at] = node;
            }
            nodes.retain(|node| tree.state(*node) == State::Keep);
        }
        Ok(changed)
    }
}

/// A node, or the nodes in it that have a name if it has none: an element of a list stands in a quantifier of its own, so
/// that neighbours would otherwise never meet.
fn named(tree: &ReductionTree, node: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        match tree.label(node) {
            Some(_) => found.push(node),
            None => stack.extend(tree.standing(node).rev()),
        }
    }
    found
}

/// Labels that are the same, as published.
pub(super) fn by_label(tree: &ReductionTree, node: NodeId, by: NodeId) -> bool {
    tree.label(node).is_some() && tree.label(node) == tree.label(by) && tree.layout_allows(node, by)
}
