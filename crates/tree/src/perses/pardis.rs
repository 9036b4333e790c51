//! PARDIS' order: one queue for everything that may go. A heavy list does not draw its light elements to the front:
//! each of them waits for its turn.

use std::collections::{BinaryHeap, HashSet};
use std::rc::Rc;

use dwindle_core::{Candidate, Pass, Session, Stop};
use dwindle_syntax::{NodeId, Role};

use super::remains::Remains;
use crate::asker::Asker;
use crate::sources::Sources;

/// One round: the heaviest node that may go is deleted, or its children join the queue.
pub(crate) struct Pardis {
    pub(crate) sources: Rc<Sources>,
}

impl Pass for Pardis {
    fn name(&self) -> &str {
        "pardis"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        self.sources.each(session, |source, asker| run(Remains::new(source), asker))
    }
}

/// A node that was taken from the queue, and what its children added to it.
struct Taken {
    node: NodeId,
    children: Vec<NodeId>,
}

fn run(mut remains: Remains<'_>, asker: &mut Asker<'_, '_>) -> Result<(), Stop> {
    let mut queue = BinaryHeap::from([(u32::MAX, remains.tree().root())]);
    loop {
        let mut taken: Vec<Taken> = Vec::new();
        // Those of which a candidate was made, by their position in `taken`.
        let mut asked = Vec::new();
        let won = {
            let next = std::iter::from_fn(|| {
                loop {
                    let (_, node) = queue.pop()?;
                    let children: Vec<NodeId> =
                        remains.tree().children(node).filter(|child| waits(&remains, *child)).collect();
                    queue.extend(children.iter().map(|child| (remains.weight(*child), *child)));
                    taken.push(Taken { node, children });
                    if let Some(candidate) = deletion(&remains, node) {
                        asked.push(taken.len() - 1);
                        return Some(candidate);
                    }
                }
            });
            asker.first(next)?
        };
        let Some(won) = won else { return Ok(()) };
        let at = asked[won];
        let runs = remains.deletion(taken[at].node).expect("it was asked about");
        remains.delete(taken[at].node, runs);
        // What was taken ahead of its turn goes back, and what came in by it or by the deleted node goes out again.
        let void: HashSet<NodeId> =
            taken[at..].iter().flat_map(|taken| taken.children.iter().copied()).collect();
        queue.retain(|(_, node)| !void.contains(node));
        let early = taken[at + 1..].iter().map(|taken| taken.node).filter(|node| !void.contains(node));
        queue.extend(early.map(|node| (remains.weight(node), node)));
    }
}

fn waits(remains: &Remains<'_>, node: NodeId) -> bool {
    let tree = remains.tree();
    tree.role(node) != Role::Separator && !tree.dropped_range(node).is_empty()
}

/// The program without a node, if it may go.
fn deletion(remains: &Remains<'_>, node: NodeId) -> Option<Candidate> {
    remains.deletion(node).map(|runs| remains.without(&runs))
}
