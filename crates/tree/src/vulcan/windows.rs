//! Local exhaustive enumeration: of each window of neighbours, at every level of the tree, all sets of two and more
//! are deleted, whether the grammar knows of them or not.

use std::ops::Range;
use std::rc::Rc;

use dwindle_core::{Session, Stop};
use dwindle_syntax::{Kind, NodeId, Tree};

use super::Auxiliary;
use super::history::take;
use super::schedule::Change;
use crate::asker::Asker;
use crate::source::Source;
use crate::sources::Sources;

/// Deletes neighbours that go only together.
pub(crate) struct Windows {
    pub(crate) sources: Rc<Sources>,
    /// How many neighbours are looked at together.
    pub(crate) width: usize,
}

impl Auxiliary for Windows {
    fn name(&self) -> &'static str {
        "vulcan-windows"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<Change, Stop> {
        let mut change = Change::Nothing;
        self.sources.each(session, |source, asker| {
            if Frontier::new(source).run(asker, self.width)? {
                change = Change::Smaller;
            }
            Ok(())
        })?;
        Ok(change)
    }
}

/// A cut through the tree: each token below exactly one of the nodes, or dropped.
struct Frontier<'s> {
    source: &'s Source,
    tree: &'s Tree,
    nodes: Vec<NodeId>,
    dropped: Vec<Range<u32>>,
}

impl<'s> Frontier<'s> {
    fn new(source: &'s Source) -> Self {
        let tree = source.tree();
        Frontier { source, tree, nodes: vec![tree.root()], dropped: Vec::new() }
    }

    /// Goes down level by level. Says whether anything went.
    fn run(mut self, asker: &mut Asker<'_, '_>, width: usize) -> Result<bool, Stop> {
        while self.nodes.len() < width && self.descend() {}
        let sets = sets(width);
        loop {
            self.slide(asker, width, &sets)?;
            if !self.descend() {
                return Ok(!self.dropped.is_empty());
            }
        }
    }

    /// Puts the children in the place of every node that has any; says whether one had.
    fn descend(&mut self) -> bool {
        let mut below = Vec::with_capacity(self.nodes.len() * 2);
        let mut any = false;
        for node in &self.nodes {
            let children: Vec<NodeId> = self.children(*node);
            any |= !children.is_empty();
            if children.is_empty() { below.push(*node) } else { below.extend(children) }
        }
        self.nodes = below;
        any
    }

    /// The children that have tokens; those of an only child, as that is no level of its own.
    fn children(&self, node: NodeId) -> Vec<NodeId> {
        let tree = self.tree;
        let mut above = node;
        loop {
            if tree.kind(above) == Kind::Token {
                return if above == node { Vec::new() } else { vec![above] };
            }
            let mut children = tree.children(above).filter(|child| !tree.dropped_range(*child).is_empty());
            match (children.next(), children.next()) {
                (Some(only), None) => above = only,
                (Some(first), Some(second)) => return [first, second].into_iter().chain(children).collect(),
                (None, _) => return Vec::new(),
            }
        }
    }

    /// Slides the window over the nodes from left to right. Where something goes it stays, and takes in what follows.
    fn slide(&mut self, asker: &mut Asker<'_, '_>, width: usize, sets: &[Vec<usize>]) -> Result<(), Stop> {
        let mut from = 0;
        while from + width <= self.nodes.len() {
            let windows = from..=self.nodes.len() - width;
            let tries = windows.flat_map(|at| sets.iter().map(move |set| (at, set)));
            let (source, tree, nodes, dropped) = (self.source, self.tree, &self.nodes, &self.dropped);
            let candidates = tries.clone().map(|(at, set)| {
                let gone = set.iter().map(|offset| tree.dropped_range(nodes[at + offset]));
                source.without(&dropped.iter().cloned().chain(gone).collect::<Vec<_>>())
            });
            let Some((won, candidate)) = asker.find_that_parses(candidates)? else { return Ok(()) };
            take(asker, &candidate)?;
            let (at, set) = (from + won / sets.len(), &sets[won % sets.len()]);
            for offset in set.iter().rev() {
                self.dropped.push(tree.dropped_range(self.nodes.remove(at + offset)));
            }
            from = at;
        }
        Ok(())
    }
}

/// All sets of two and more of so many neighbours: the larger first, then from left to right.
fn sets(width: usize) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = (0..1u32 << width)
        .filter(|mask| mask.count_ones() >= 2)
        .map(|mask| (0..width).filter(|at| mask >> at & 1 == 1).collect())
        .collect();
    sets.sort_by_key(|set| (std::cmp::Reverse(set.len()), set.clone()));
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_sets_as_the_paper_says() {
        for (width, count) in [(2, 1), (3, 4), (4, 11), (5, 26), (6, 57), (7, 120), (8, 247)] {
            assert_eq!(sets(width).len(), count, "{width}");
        }
        assert_eq!(sets(3), [vec![0, 1, 2], vec![0, 1], vec![0, 2], vec![1, 2]]);
    }
}
