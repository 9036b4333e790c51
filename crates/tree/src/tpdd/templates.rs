//! The replacements that T-PDD leaves to its host: a descendant in the place of a node, each tried once.

use std::collections::BinaryHeap;
use std::ops::Range;
use std::rc::Rc;

use dwindle_core::{Pass, Session, Stop};
use dwindle_syntax::{Kind, NodeId, Tree};

use super::plan::Counts;
use crate::asker::Asker;
use crate::slicer::merged;
use crate::source::Source;
use crate::sources::Sources;

/// How far below a node its replacements are looked for, in nodes of the parser: as Perses does.
const DEEPEST: usize = 5;

/// The most replacements that are tried for one node: as Perses does.
const MOST: usize = 100;

/// Replaces nodes by fitting descendants, the largest node first, the smallest descendant first. What was replaced is
/// looked at again, what could not be is left for its children; nothing is tried twice.
pub(super) struct Templates {
    pub(super) sources: Rc<Sources>,
}

impl Pass for Templates {
    fn name(&self) -> &str {
        "t-pdd-templates"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        self.sources.each(session, replace)
    }
}

fn replace(source: &Source, asker: &mut Asker<'_, '_>) -> Result<(), Stop> {
    let tree = source.tree();
    let counts = Counts::new(source);
    let size = |node: NodeId| counts.of(&tree.token_range(node));
    let mut dropped: Vec<Range<u32>> = Vec::new();
    let mut queue: BinaryHeap<(u32, NodeId)> = BinaryHeap::from([(size(tree.root()), tree.root())]);
    while let Some((_, node)) = queue.pop() {
        let by = replacements(tree, node, &counts);
        let candidate = |by: &NodeId| {
            let runs = tree.hoist(node, *by);
            source.without(&dropped.iter().cloned().chain(runs).collect::<Vec<_>>())
        };
        match asker.first(by.iter().map(candidate))? {
            Some(won) => {
                dropped.extend(tree.hoist(node, by[won]));
                dropped = merged(dropped);
                queue.push((size(by[won]), by[won]));
            }
            None => queue.extend(tree.children(node).map(|child| (size(child), child))),
        }
    }
    Ok(())
}

/// The descendants that may stand in the node's place and are not too far below it, those with fewest tokens first.
fn replacements(tree: &Tree, node: NodeId, counts: &Counts) -> Vec<NodeId> {
    if tree.kind(node) != Kind::Rule {
        return Vec::new();
    }
    let depth = |by: NodeId| {
        let up = std::iter::successors(tree.parent(by), |at| tree.parent(*at));
        up.take_while(|at| *at != node)
            .filter(|at| matches!(tree.kind(*at), Kind::Rule | Kind::Opaque))
            .count()
    };
    let mut by = tree.hoists(node);
    by.retain(|by| depth(*by) < DEEPEST);
    by.truncate(MOST);
    by.sort_by_key(|by| counts.of(&tree.inner_range(*by)));
    by
}
