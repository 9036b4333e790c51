//! One round of Perses' main reducer over one file: nodes in order of their weight, each by its kind.

use std::collections::BinaryHeap;
use std::ops::Range;

use dwindle_core::{Candidate, Stop, Subset};
use dwindle_delta::ListMinimizer;
use dwindle_syntax::{Kind, NodeId, Role};

use super::remains::{HoistLimits, Remains};
use super::whichever::Whichever;
use crate::asker::Asker;

/// How a round goes about it.
pub(crate) struct Plan {
    /// Makes lists smaller.
    pub(crate) minimizer: Box<dyn ListMinimizer>,
    /// How far to look for what may take a node's place.
    pub(crate) limits: HoistLimits,
    /// Whether nodes nested in nodes of their kind are reduced as lists.
    pub(crate) chains: bool,
    /// Which node comes next.
    pub(crate) order: Order,
}

/// Which of the nodes that wait comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The one with the most tokens; of equals the last in the text.
    #[default]
    Weight,
    /// Level by level from the top, each from the left.
    Level,
}

/// A change to one node that is tried on its own.
enum Change {
    Delete,
    Hoist(NodeId),
    /// Of a list all but the first element goes.
    KeepFirst,
}

/// One round over what is left of a tree.
pub(crate) struct Round<'p, 's> {
    plan: &'p Plan,
    remains: Remains<'s>,
    queue: BinaryHeap<(i64, i64)>,
}

impl<'p, 's> Round<'p, 's> {
    /// A round that has not begun.
    pub(crate) fn new(plan: &'p Plan, remains: Remains<'s>) -> Self {
        Round { plan, remains, queue: BinaryHeap::new() }
    }

    /// Goes through the whole tree.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub(crate) fn run(mut self, asker: &mut Asker<'_, '_>) -> Result<(), Stop> {
        let tree = self.remains.tree();
        self.drop_comments(asker)?;
        self.push([tree.root()], 0);
        while let Some((priority, id)) = self.queue.pop() {
            let (node, depth) = match self.plan.order {
                Order::Weight => (NodeId(id as u32), 0),
                Order::Level => (NodeId(-id as u32), -priority),
            };
            let next = match tree.kind(node) {
                Kind::Token => self.try_changes(asker, node, &[])?.unwrap_or_default(),
                Kind::List(_) => self.visit_list(asker, node)?,
                Kind::Opaque => self.visit_opaque(asker, node)?,
                Kind::Rule | Kind::Group => self.visit_regular(asker, node)?,
            };
            self.push(next, depth + 1);
        }
        Ok(())
    }

    fn push(&mut self, nodes: impl IntoIterator<Item = NodeId>, depth: i64) {
        for node in nodes {
            let wanted = match self.remains.tree().role(self.remains.place(node)) {
                Role::Separator | Role::Extra => false,
                _ => !self.remains.tree().inner_range(node).is_empty(),
            };
            if wanted {
                self.queue.push(match self.plan.order {
                    Order::Weight => (i64::from(self.remains.weight(node)), i64::from(node.0)),
                    Order::Level => (-depth, -i64::from(node.0)),
                });
            }
        }
    }

    /// Comments are no tokens of the language: all of them are one list, wherever they stand.
    fn drop_comments(&mut self, asker: &mut Asker<'_, '_>) -> Result<(), Stop> {
        let tree = self.remains.tree();
        let extra = |node: &NodeId| tree.role(*node) == Role::Extra && !tree.dropped_range(*node).is_empty();
        let comments: Vec<NodeId> = tree.nodes().filter(extra).collect();
        if comments.is_empty() {
            return Ok(());
        }
        let runs = |kept: &Subset| {
            let all = Subset::full(comments.len());
            all.difference(kept).iter().map(|at| tree.dropped_range(comments[at])).collect::<Vec<_>>()
        };
        let remains = &self.remains;
        let none = runs(&Subset::empty());
        if asker.test(&remains.without(&none))?.is_interesting() {
            self.remains.drop_runs(none);
            return Ok(());
        }
        let mut list = asker.list(|kept| remains.without(&runs(kept)));
        let kept = self.plan.minimizer.minimize(&vec![1; comments.len()], &mut list)?;
        self.remains.drop_runs(runs(&kept));
        Ok(())
    }

    /// A list that may be empty is minimised; of one that may not, first the two smallest forms are tried.
    fn visit_list(&mut self, asker: &mut Asker<'_, '_>, list: NodeId) -> Result<Vec<NodeId>, Stop> {
        let tree = self.remains.tree();
        let least = self.remains.least(list);
        let first: &[Change] =
            if least > 0 && tree.elements(list).nth(1).is_some() { &[Change::KeepFirst] } else { &[] };
        if let Some(next) = self.try_changes(asker, list, first)? {
            return Ok(next);
        }
        let elements: Vec<NodeId> = tree.elements(list).collect();
        let kept = self.minimize(asker, &elements, least, |remains, kept| remains.cut(list, kept))?;
        self.remains.keep_elements(list, kept.clone());
        // Parts that are neither element nor separator stay, and may have something inside.
        let others = tree.children(list).filter(|child| tree.role(*child) != Role::Element);
        Ok(kept.into_iter().chain(others).collect())
    }

    /// Nobody knows what may go from a node with errors in it: its children are a list.
    fn visit_opaque(&mut self, asker: &mut Asker<'_, '_>, node: NodeId) -> Result<Vec<NodeId>, Stop> {
        let tree = self.remains.tree();
        if let Some(next) = self.try_changes(asker, node, &[])? {
            return Ok(next);
        }
        let (free, others): (Vec<NodeId>, Vec<NodeId>) =
            tree.children(node).partition(|child| tree.role(*child) == Role::Free);
        let gone = |_: &Remains<'_>, kept: &Subset| {
            let all = Subset::full(free.len());
            all.difference(kept).iter().map(|at| tree.dropped_range(free[at])).collect()
        };
        let kept = self.minimize(asker, &free, 0, gone)?;
        Ok(kept.into_iter().chain(others).collect())
    }

    fn visit_regular(&mut self, asker: &mut Asker<'_, '_>, node: NodeId) -> Result<Vec<NodeId>, Stop> {
        let tree = self.remains.tree();
        if let Some(chain) = self.plan.chains.then(|| tree.chain(node)).flatten() {
            if let Some(next) = self.try_changes(asker, node, &[])? {
                return Ok(next);
            }
            let kept =
                self.minimize(asker, &chain.parts, 1, |remains, kept| remains.cut_chain(&chain, kept))?;
            if let [only] = kept[..] {
                self.remains.put(node, only);
            }
            return Ok(kept);
        }
        let hoists = self.remains.hoists(node, &self.plan.limits);
        let changes: Vec<Change> = hoists.into_iter().map(Change::Hoist).collect();
        Ok(self.try_changes(asker, node, &changes)?.unwrap_or_else(|| tree.children(node).collect()))
    }

    /// Tries to delete the node, if it may go, and the other changes, those that leave the fewest tokens first. If one
    /// of them is taken, what is left to be looked at.
    fn try_changes(
        &mut self,
        asker: &mut Asker<'_, '_>,
        node: NodeId,
        others: &[Change],
    ) -> Result<Option<Vec<NodeId>>, Stop> {
        let remains = &self.remains;
        let tree = remains.tree();
        let left = |change: &Change| match change {
            Change::Delete => 0,
            Change::Hoist(by) => remains.weight(*by),
            Change::KeepFirst => tree.elements(node).next().map_or(0, |first| remains.weight(first)),
        };
        let runs = |change: &Change| match change {
            Change::Delete => remains.deletion(node).unwrap_or_default(),
            Change::Hoist(by) => remains.hoist(node, *by),
            Change::KeepFirst => remains.cut(node, &Subset::full(1)),
        };
        let delete = remains.deletion(node).map(|_| &Change::Delete);
        let mut changes: Vec<&Change> = delete.into_iter().chain(others).collect();
        changes.sort_by_key(|change| left(change));
        let candidates = changes.iter().map(|change| remains.without(&runs(change)));
        let Some(won) = asker.first(candidates)? else { return Ok(None) };
        let change = changes[won];
        let runs = runs(change);
        Ok(Some(match change {
            Change::Delete => {
                self.remains.delete(node, runs);
                Vec::new()
            }
            Change::Hoist(by) => {
                self.remains.drop_runs(runs);
                self.remains.put(node, *by);
                vec![*by]
            }
            Change::KeepFirst => {
                self.remains.drop_runs(runs);
                let first: Vec<NodeId> = tree.elements(node).take(1).collect();
                self.remains.keep_elements(node, first.clone());
                first
            }
        }))
    }

    /// What is left of some parts of the tree, given the runs that go when only some of them are kept.
    fn minimize(
        &mut self,
        asker: &mut Asker<'_, '_>,
        parts: &[NodeId],
        least: usize,
        gone: impl Fn(&Remains<'_>, &Subset) -> Vec<Range<u32>>,
    ) -> Result<Vec<NodeId>, Stop> {
        if parts.len() <= least {
            return Ok(parts.to_vec());
        }
        let weights: Vec<u64> =
            parts.iter().map(|part| u64::from(self.remains.weight(*part)).max(1)).collect();
        let remains = &self.remains;
        let candidate = |kept: &Subset| -> Candidate { remains.without(&gone(remains, kept)) };
        // The same text in a later round is the same part, wherever it stands then.
        let identity = |at: usize| remains.text_hash(parts[at]);
        let list = asker.list(candidate).identified(&identity);
        let mut oracle = Whichever::new(list, |kept: &Subset| kept.len() >= least);
        let kept = self.plan.minimizer.minimize(&weights, &mut oracle)?;
        let runs = gone(remains, &kept);
        self.remains.drop_runs(runs);
        Ok(kept.iter().map(|at| parts[at]).collect())
    }
}
