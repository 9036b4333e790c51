//! `config`: a tree of token sequences, in which common beginnings are shared.
//!
//! The oldest scheme: outcomes kept by the numbers of the units a configuration has, in a trie. Our units are the
//! tokens of a candidate, so units of equal text share a number and are found again where unit numbers would not be.
//! Nothing is forgotten, unless the numbers lose their meaning.

use super::alphabet::{Reader, Reading};
use super::content::{bare, unpack};
use super::meter::Meter;
use super::{CacheSample, CacheUsage, VerdictCache};
use crate::candidate::Candidate;
use crate::verdict::Verdict;

/// No node, or no verdict.
const NONE: u32 = u32::MAX;

/// A stretch of tokens that all sequences below share.
struct Node {
    label: Box<[u32]>,
    verdict: u32,
    child: u32,
    sibling: u32,
}

/// Remembers configurations in a trie.
#[derive(Default)]
pub struct ConfigCache {
    reader: Reader,
    /// Node 0 is the root, with an empty label. Chains of prefixes are deep: no recursion here.
    nodes: Vec<Node>,
    entries: usize,
    labels: usize,
    meter: Meter,
}

/// How far a sequence leads into the tree.
struct Walk {
    node: u32,
    /// Tokens of the sequence that are behind us at the end of the node's label, or where they differ.
    used: usize,
    /// Tokens of the node's label that are like the sequence.
    inside: usize,
}

impl ConfigCache {
    /// An empty cache that reads words.
    #[must_use]
    pub fn of_words() -> Self {
        ConfigCache { reader: Reader::of_words(), ..Self::default() }
    }

    fn walk(&self, ids: &[u32]) -> Walk {
        let mut at = Walk { node: 0, used: 0, inside: 0 };
        loop {
            let rest = &ids[at.used..];
            let mut next = self.nodes[at.node as usize].child;
            while next != NONE && rest.first() != self.nodes[next as usize].label.first() {
                next = self.nodes[next as usize].sibling;
            }
            if next == NONE {
                return at;
            }
            let label = &self.nodes[next as usize].label;
            let inside = label.iter().zip(rest).take_while(|(a, b)| a == b).count();
            at = Walk { node: next, used: at.used + inside, inside };
            if inside < label.len() {
                return at;
            }
        }
    }

    fn add(&mut self, node: Node) -> u32 {
        let before = self.nodes.capacity();
        if self.nodes.len() == before {
            self.nodes.reserve_exact(before / 4 + 4);
            self.meter.reach(self.bytes() + before * size_of::<Node>());
        }
        self.labels += size_of_val::<[u32]>(&node.label);
        self.nodes.push(node);
        u32::try_from(self.nodes.len() - 1).expect("no memory holds 2^32 nodes")
    }

    fn store(&mut self, ids: &[u32], verdict: u32) {
        if self.nodes.is_empty() {
            self.add(Node { label: Box::default(), verdict: NONE, child: NONE, sibling: NONE });
        }
        let Walk { node, used, inside } = self.walk(ids);
        let at = node as usize;
        if inside < self.nodes[at].label.len() {
            // The sequence leaves in the middle of a label: what is behind becomes a node of its own.
            let whole = std::mem::take(&mut self.nodes[at].label);
            let (head, tail) = whole.split_at(inside);
            self.labels -= size_of_val::<[u32]>(tail);
            self.nodes[at].label = head.into();
            let below = Node {
                label: tail.into(),
                verdict: self.nodes[at].verdict,
                child: self.nodes[at].child,
                sibling: NONE,
            };
            let below = self.add(below);
            (self.nodes[at].child, self.nodes[at].verdict) = (below, NONE);
        }
        let mut end = at;
        if used < ids.len() {
            let leaf =
                Node { label: ids[used..].into(), verdict: NONE, child: NONE, sibling: self.nodes[at].child };
            let leaf = self.add(leaf);
            self.nodes[at].child = leaf;
            end = leaf as usize;
        }
        self.entries += usize::from(self.nodes[end].verdict == NONE);
        self.nodes[end].verdict = verdict;
    }

    fn find(&self, ids: &[u32]) -> Option<u32> {
        if self.nodes.is_empty() {
            return None;
        }
        let Walk { node, used, inside } = self.walk(ids);
        let node = &self.nodes[node as usize];
        (used == ids.len() && inside == node.label.len() && node.verdict != NONE).then_some(node.verdict)
    }

    fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.labels + self.reader.allocated()
    }

    fn clear(&mut self) {
        self.meter.evict(self.entries);
        (self.nodes, self.entries, self.labels) = (Vec::new(), 0, 0);
        self.meter.set(0, self.bytes());
    }

    fn read(&mut self, candidate: &Candidate) -> Option<Vec<u32>> {
        match self.reader.read(candidate) {
            Reading::Same(ids) => Some(ids),
            Reading::Changed { ids, .. } => {
                self.clear();
                Some(ids)
            }
            Reading::Baseless => None,
        }
    }
}

impl VerdictCache for ConfigCache {
    fn get(&mut self, candidate: &Candidate) -> Option<Verdict> {
        let ids = self.read(candidate)?;
        self.find(&ids).map(unpack)
    }

    fn put(&mut self, candidate: &Candidate, verdict: Verdict) {
        if let Some(ids) = self.read(candidate) {
            self.store(&ids, bare(verdict));
            self.meter.set(self.entries, self.bytes());
        }
    }

    fn accepted(&mut self, best: &Candidate) {
        if let Reading::Changed { .. } = self.reader.accept(best) {
            self.clear();
        }
    }

    fn recast(&mut self, best: &Candidate) {
        if self.reader.recast(best).1 {
            self.clear();
        }
    }

    fn usage(&self) -> CacheUsage {
        self.meter.usage()
    }

    fn samples(&self) -> &[CacheSample] {
        self.meter.samples()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn inner_nodes_have_no_outcome_of_their_own() {
        let mut trie = ConfigCache::default();
        trie.store(&[1, 2], 1);
        trie.store(&[1, 2, 3], 0);
        trie.store(&[1, 4, 5], 1);
        assert_eq!(
            [&[1, 2][..], &[1, 2, 3], &[1, 4, 5]].map(|ids| trie.find(ids)),
            [Some(1), Some(0), Some(1)]
        );
        for ids in [&[][..], &[1], &[1, 4], &[1, 2, 3, 4], &[2]] {
            assert_eq!(trie.find(ids), None, "{ids:?}");
        }
        assert_eq!(trie.entries, 3);
    }

    proptest! {
        #[test]
        fn it_holds_what_a_map_holds(
            stored in proptest::collection::vec((proptest::collection::vec(0u32..3, 0..7), 0u32..5), 0..120),
            asked in proptest::collection::vec(proptest::collection::vec(0u32..3, 0..7), 60),
        ) {
            let (mut trie, mut map) = (ConfigCache::default(), BTreeMap::new());
            for (ids, verdict) in stored {
                trie.store(&ids, verdict);
                map.insert(ids, verdict);
            }
            prop_assert_eq!(trie.entries, map.len());
            for ids in map.keys().cloned().chain(asked) {
                prop_assert_eq!(trie.find(&ids), map.get(&ids).copied());
            }
            let labels: usize = trie.nodes.iter().map(|node| node.label.len() * 4).sum();
            prop_assert_eq!(trie.labels, labels);
        }
    }
}
