//! Deletes a definition together with its uses: neither can go before the other.
//!
//! What defines a name is told by the grammar's queries where there are some, and else taken to be where the name stands
//! first. Two ways are tried: each use goes with the smallest part around it that may go, or a literal takes its place.

use std::collections::{BTreeMap, BTreeSet};

use dwindle_core::Stop;
use dwindle_delta::ListMinimizer;
use dwindle_syntax::{Edit, NodeId, TokenId, TokenKind, Tree};

use super::names::by_text;
use super::{Rewrite, rewrite};
use crate::asker::Asker;
use crate::source::Source;

pub(super) fn run(source: &Source, asker: &mut Asker<'_, '_>, list: &dyn ListMinimizer) -> Result<(), Stop> {
    let before = asker.session().best().fingerprint();
    let definitions = definitions(source);
    let deleted: Vec<Rewrite> = definitions.values().map(|found| found.deleted(source.tree())).collect();
    rewrite(source, asker, list, &deleted)?;
    // The tree is that of the text before; what is made up for uses is tried on the next round if anything went.
    if asker.session().best().fingerprint() != before {
        return Ok(());
    }
    for levels in [0, 1] {
        let repaired: Vec<Rewrite> =
            definitions.values().filter_map(|found| found.made_up_for(source, levels)).collect();
        rewrite(source, asker, list, &repaired)?;
        if asker.session().best().fingerprint() != before {
            return Ok(());
        }
    }
    Ok(())
}

/// A name: the parts that define it, and its other occurrences.
pub(super) struct Definition {
    pub(super) parts: BTreeSet<NodeId>,
    pub(super) uses: Vec<NodeId>,
    /// The parts around the uses that may go.
    users: BTreeSet<NodeId>,
}

/// The names whose definitions may go.
pub(super) fn definitions(source: &Source) -> BTreeMap<Vec<u8>, Definition> {
    let tree = source.tree();
    let defined: BTreeSet<u32> = {
        let lexicon = source.lexicon();
        let names = source.names().into_iter().filter(|name| name.definition);
        names.filter_map(|name| tree.token_at(name.bytes.start, &lexicon)).collect()
    };
    let identifiers = by_text(source);
    let density = Density::new(tree, &identifiers);
    let mut found = BTreeMap::new();
    for (name, nodes) in identifiers {
        let is_defined = |node: &&NodeId| defined.contains(&tree.inner_range(**node).start);
        let mut definers: Vec<NodeId> = nodes.iter().filter(is_defined).copied().collect();
        if definers.is_empty() {
            definers.extend(nodes.first());
        }
        let Some(parts) =
            definers.iter().map(|node| density.part(tree, *node)).collect::<Option<BTreeSet<_>>>()
        else {
            continue;
        };
        let inside = |node: &NodeId| {
            let range = tree.token_range(*node);
            parts
                .iter()
                .map(|part| tree.token_range(*part))
                .any(|part| part.start <= range.start && range.end <= part.end)
        };
        let uses: Vec<NodeId> = nodes.into_iter().filter(|node| !inside(node)).collect();
        let users = uses.iter().filter_map(|node| density.part(tree, *node)).collect();
        found.insert(name, Definition { parts, uses, users });
    }
    found
}

/// Where identifiers stand, counted from the start.
struct Density(Vec<u32>);

impl Density {
    fn new(tree: &Tree, identifiers: &BTreeMap<Vec<u8>, Vec<NodeId>>) -> Self {
        let mut counts = vec![0; tree.tokens().len() + 1];
        for node in identifiers.values().flatten() {
            counts[tree.inner_range(*node).start as usize + 1] = 1;
        }
        for at in 1..counts.len() {
            counts[at] += counts[at - 1];
        }
        Density(counts)
    }

    fn identifiers_in(&self, tree: &Tree, node: NodeId) -> u32 {
        let range = tree.token_range(node);
        self.0[range.end as usize] - self.0[range.start as usize]
    }

    /// The part around an identifier that is to go with it: the smallest that may be deleted, or a larger one if no
    /// other identifier is in it (`int x = 1;` rather than `x = 1`).
    fn part(&self, tree: &Tree, node: NodeId) -> Option<NodeId> {
        let above = std::iter::successors(Some(node), |node| tree.parent(*node));
        let mut parts = above.filter(|node| tree.is_deletable(*node));
        let smallest = parts.next()?;
        let names = self.identifiers_in(tree, smallest);
        Some(parts.take_while(|part| self.identifiers_in(tree, *part) == names).last().unwrap_or(smallest))
    }
}

impl Definition {
    fn parts_deleted(&self) -> impl Iterator<Item = Edit> + '_ {
        self.parts.iter().copied().map(Edit::Delete)
    }

    fn gain(&self, tree: &Tree) -> u64 {
        self.parts.iter().map(|part| tree.token_range(*part).len() as u64).sum()
    }

    /// Everything that has to do with it goes.
    fn deleted(&self, tree: &Tree) -> Rewrite {
        let users: BTreeSet<NodeId> = self.users.difference(&self.parts).copied().collect();
        let gain =
            self.gain(tree) + users.iter().map(|node| tree.token_range(*node).len() as u64).sum::<u64>();
        Rewrite { edits: self.parts_deleted().chain(users.into_iter().map(Edit::Delete)).collect(), gain }
    }

    /// Each use, or what stands so many levels above it, becomes a literal.
    fn made_up_for(&self, source: &Source, levels: usize) -> Option<Rewrite> {
        let tree = source.tree();
        let mut edits: Vec<Edit> = self.parts_deleted().collect();
        for node in &self.uses {
            let place = (0..levels).try_fold(*node, |node, _| tree.parent(node))?;
            edits.push(Edit::Replace { node: place, by: vec![literal(source, place)?] });
        }
        (!self.uses.is_empty()).then(|| Rewrite { edits, gain: self.gain(tree) })
    }
}

/// The shortest literal that may stand in a node's place.
pub(super) fn literal(source: &Source, node: NodeId) -> Option<TokenId> {
    let tree = source.tree();
    let grammar = tree.language().grammar();
    let alternatives = grammar.alternatives(tree.slot(node)?);
    let text = alternatives.iter().find_map(|(symbol, template)| match template.pieces() {
        [piece] if tree.language().token_kind(*symbol) == TokenKind::Literal => Some(piece.text.to_string()),
        _ => None,
    })?;
    source_tokens(source, node, &text)
}

fn source_tokens(source: &Source, node: NodeId, text: &str) -> Option<TokenId> {
    source.tree().as_tokens(&mut source.lexicon_mut(), node, &[text]).first().copied()
}
