//! What a user may set on HDD and hoisting. The defaults are those of the experiments they were published with.

use std::collections::VecDeque;
use std::str::FromStr;

use super::arena::NodeId;
use super::prepare::Preparation;

/// What HDD and hoisting are to do.
#[derive(Clone, Debug, Default)]
pub struct HddOptions {
    /// How the tree is prepared.
    pub preparation: Preparation,
    /// How lists with separators are read.
    pub lists: Lists,
    /// The order in which the recursive forms go through the tree.
    pub traversal: Traversal,
    /// Whether the result is parsed again, and all begun anew, until nothing changes.
    pub reparse: bool,
    /// Which descendant may take a node's place.
    pub compatible: Compatibility,
    /// Whether several descendants are hoisted in one test.
    pub several: bool,
    /// Whether the hoisting before a coarse phase is coarse too, as defined but not as measured.
    pub filtered: bool,
}

/// How lists with separators are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lists {
    /// The first element can never go: `x (',' x)*`.
    #[default]
    Published,
    /// Any element can go, and a separator with it.
    Separators,
}

/// Which descendant may take a node's place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compatibility {
    /// One with the same label.
    #[default]
    Label,
    /// One that the grammar allows there.
    Grammar,
}

/// The order in which the recursive forms go through the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Traversal {
    /// Depth first, the last child before the others: what the experiments ran.
    #[default]
    DepthLast,
    /// Depth first, the first child before the others.
    DepthFirst,
    /// Breadth first, from first to last.
    BreadthFirst,
    /// Breadth first, from last to first.
    BreadthLast,
}

impl Traversal {
    pub(super) fn next(self, queue: &mut VecDeque<NodeId>) -> Option<NodeId> {
        match self {
            Traversal::DepthLast | Traversal::DepthFirst => queue.pop_back(),
            Traversal::BreadthFirst | Traversal::BreadthLast => queue.pop_front(),
        }
    }

    pub(super) fn append(self, queue: &mut VecDeque<NodeId>, nodes: &[NodeId]) {
        match self {
            Traversal::DepthLast | Traversal::BreadthFirst => queue.extend(nodes),
            Traversal::DepthFirst | Traversal::BreadthLast => queue.extend(nodes.iter().rev()),
        }
    }
}

impl FromStr for Lists {
    type Err = &'static str;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "published" => Ok(Lists::Published),
            "separators" => Ok(Lists::Separators),
            _ => Err("use published or separators"),
        }
    }
}

impl FromStr for Compatibility {
    type Err = &'static str;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "label" => Ok(Compatibility::Label),
            "grammar" => Ok(Compatibility::Grammar),
            _ => Err("use label or grammar"),
        }
    }
}

impl FromStr for Traversal {
    type Err = &'static str;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "depth-last" => Ok(Traversal::DepthLast),
            "depth-first" => Ok(Traversal::DepthFirst),
            "breadth-first" => Ok(Traversal::BreadthFirst),
            "breadth-last" => Ok(Traversal::BreadthLast),
            _ => Err("use depth-last, depth-first, breadth-first or breadth-last"),
        }
    }
}

/// A switch as users write it.
pub(super) fn switch(word: &str) -> Result<bool, String> {
    match word {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("`{word}`: use on or off")),
    }
}
