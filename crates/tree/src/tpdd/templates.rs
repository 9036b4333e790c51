//! The replacements that T-PDD leaves to its host, Perses: a descendant in the place of a node, each tried once.

use std::collections::BinaryHeap;
use std::rc::Rc;

use dwindle_core::{Pass, Session, Stop};
use dwindle_syntax::{Kind, NodeId};

use crate::asker::Asker;
use crate::perses::remains::{HoistLimits, Remains};
use crate::source::Source;
use crate::sources::Sources;

/// Replaces nodes by fitting descendants, the largest node first, the smallest descendant first. What was replaced is
/// looked at again, what could not be is left for its children; nothing is tried twice.
pub(super) struct Templates {
    pub(super) limits: HoistLimits,
    pub(super) sources: Rc<Sources>,
}

impl Pass for Templates {
    fn name(&self) -> &str {
        "t-pdd-templates"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        self.sources.each(session, |source, asker| self.replace(source, asker))
    }
}

impl Templates {
    fn replace(&self, source: &Source, asker: &mut Asker<'_, '_>) -> Result<(), Stop> {
        let tree = source.tree();
        let mut remains = Remains::new(source);
        let mut queue: BinaryHeap<(u32, NodeId)> = BinaryHeap::from([(0, tree.root())]);
        while let Some((_, node)) = queue.pop() {
            let mut by = match tree.kind(node) {
                Kind::Rule => remains.hoists(node, &self.limits),
                _ => Vec::new(),
            };
            by.sort_by_key(|by| remains.weight(*by));
            let candidates = by.iter().map(|by| remains.without(&remains.hoist(node, *by)));
            match asker.first(candidates)? {
                Some(won) => {
                    remains.drop_runs(remains.hoist(node, by[won]));
                    remains.put(node, by[won]);
                    queue.push((remains.weight(by[won]), by[won]));
                }
                None => queue.extend(tree.children(node).map(|child| (remains.weight(child), child))),
            }
        }
        Ok(())
    }
}
