//! GTR, generalised tree reduction: level by level from the top, first ddmin over what may be deleted, then a greedy
//! search for children that may take their parent's place. What the original learns from a corpus, which variants are
//! worth a test, the grammar says here.

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use dwindle_core::{Pass, Session, Stop, Subset};
use dwindle_delta::{ListMinimizer, ListOracle};
use dwindle_syntax::{Kind, NodeId, Role};

use super::remains::{HoistLimits, Remains};
use super::whichever::Whichever;
use crate::asker::Asker;
use crate::sources::Sources;

/// One run over each file.
pub(crate) struct Gtr {
    pub(crate) minimizer: Box<dyn ListMinimizer>,
    pub(crate) sources: Rc<Sources>,
}

/// A child's place is the one right below its parent.
const CHILDREN: HoistLimits =
    HoistLimits { depth: 1, splice_depth: 1, most: usize::MAX, stop_at_first: false };

impl Pass for Gtr {
    fn name(&self) -> &str {
        "gtr"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        self.sources.each(session, |source, asker| {
            let mut remains = Remains::new(source);
            let tree = remains.tree();
            let mut level = vec![tree.root()];
            while !level.is_empty() {
                level = self.delete(&mut remains, asker, level)?;
                level = substitute(&mut remains, asker, level)?;
                let there = |node: &NodeId| {
                    tree.role(*node) != Role::Separator && tree.kind(*node) != Kind::Token
                        || tree.is_deletable(*node)
                };
                level = level.iter().flat_map(|node| tree.children(*node)).filter(there).collect();
            }
            Ok(())
        })
    }
}

impl Gtr {
    /// Deletes nodes of a level; gives those that are left.
    fn delete(
        &self,
        remains: &mut Remains<'_>,
        asker: &mut Asker<'_, '_>,
        level: Vec<NodeId>,
    ) -> Result<Vec<NodeId>, Stop> {
        let tree = remains.tree();
        let may_go =
            |node: &NodeId| tree.is_deletable(remains.place(*node)) && !tree.dropped_range(*node).is_empty();
        let nodes: Vec<NodeId> = level.iter().copied().filter(may_go).collect();
        if nodes.is_empty() {
            return Ok(level);
        }
        let gone = |kept: &Subset| -> Vec<NodeId> {
            Subset::full(nodes.len()).difference(kept).iter().map(|at| nodes[at]).collect()
        };
        let weights: Vec<u64> = nodes.iter().map(|node| u64::from(remains.weight(*node)).max(1)).collect();
        let kept = {
            let remains = &*remains;
            let candidate =
                |kept: &Subset| remains.without(&deletion(remains, &gone(kept)).unwrap_or_default());
            let allowed = |kept: &Subset| deletion(remains, &gone(kept)).is_some();
            let mut oracle = Whichever::new(asker.list(candidate), allowed);
            let kept = self.minimizer.minimize(&weights, &mut oracle)?;
            // Not every minimiser asks for the empty list.
            let last = kept.len() == 1 && oracle.test(&Subset::empty())?.is_interesting();
            if last { Subset::empty() } else { kept }
        };
        let gone: HashSet<NodeId> = gone(&kept).into_iter().collect();
        let runs = deletion(remains, &gone.iter().copied().collect::<Vec<_>>()).unwrap_or_default();
        for node in &gone {
            remains.delete(*node, Vec::new());
        }
        remains.drop_runs(runs);
        Ok(level.into_iter().filter(|node| !gone.contains(node)).collect())
    }
}

/// The runs that go with several nodes; nothing if a list would be left with too few elements.
fn deletion(remains: &Remains<'_>, nodes: &[NodeId]) -> Option<Vec<Range<u32>>> {
    let tree = remains.tree();
    let places: HashSet<NodeId> = nodes.iter().map(|node| remains.place(*node)).collect();
    let mut lists: Vec<NodeId> = Vec::new();
    let mut runs = Vec::new();
    for place in nodes.iter().map(|node| remains.place(*node)) {
        match tree.parent(place).filter(|_| tree.role(place) == Role::Element) {
            Some(list) => lists.push(list),
            None => runs.push(tree.dropped_range(place)),
        }
    }
    lists.sort_unstable();
    lists.dedup();
    for list in lists {
        let left: Vec<NodeId> =
            remains.elements(list).into_iter().filter(|element| !places.contains(element)).collect();
        if left.len() < remains.least(list) {
            return None;
        }
        let mut left = left.into_iter().peekable();
        runs.extend(tree.cut(list, |element| left.next_if_eq(&element).is_some()));
    }
    Some(runs)
}

/// Puts children in their parents' place, the first that will do, then smaller ones, until none will; gives the level
/// as it is then.
fn substitute(
    remains: &mut Remains<'_>,
    asker: &mut Asker<'_, '_>,
    mut level: Vec<NodeId>,
) -> Result<Vec<NodeId>, Stop> {
    let variants: Vec<Vec<NodeId>> = level.iter().map(|node| remains.hoists(*node, &CHILDREN)).collect();
    let places: Vec<NodeId> = level.iter().map(|node| remains.place(*node)).collect();
    loop {
        let mut improved = false;
        for (at, node) in level.iter_mut().enumerate() {
            let mut from = 0;
            loop {
                let smaller: Vec<(usize, NodeId)> = (from..variants[at].len())
                    .map(|index| (index, variants[at][index]))
                    .filter(|(_, by)| remains.weight(*by) < remains.weight(*node))
                    .collect();
                let candidates =
                    smaller.iter().map(|(_, by)| remains.without(&remains.tree().hoist(places[at], *by)));
                let Some(won) = asker.first(candidates)? else { break };
                let (index, by) = smaller[won];
                remains.drop_runs(remains.tree().hoist(places[at], by));
                remains.put(places[at], by);
                (*node, from, improved) = (by, index + 1, true);
            }
        }
        if !improved {
            return Ok(level);
        }
    }
}
