//! Changes what stands in several places in all of them at once: a type that must be the same everywhere, an argument that
//! every call has.
//!
//! Parts of the tree with the same text are one site. All of them go, or the same smaller part of theirs takes their place,
//! or the smallest text that stands in such a place elsewhere.

use std::collections::{BTreeMap, HashMap};

use dwindle_core::Stop;
use dwindle_delta::ListMinimizer;
use dwindle_grammar::SlotId;
use dwindle_syntax::{Edit, NodeId, TokenId};

use super::{Rewrite, larger_parts, rewrite};
use crate::asker::Asker;
use crate::source::Source;

/// How many smaller texts are tried in a repeated part's place.
const TEXTS: usize = 3;

pub(super) fn run(source: &Source, asker: &mut Asker<'_, '_>, list: &dyn ListMinimizer) -> Result<(), Stop> {
    let before = asker.session().best().fingerprint();
    let repeated = repeated(source);
    let small = SmallTexts::new(source);
    let smaller = (0..TEXTS).flat_map(|which| [Way::Hoist(which), Way::Text(which)]);
    for way in std::iter::once(Way::Delete).chain(smaller) {
        let site = |places: &Vec<NodeId>| match way {
            Way::Delete => deleted(source, places),
            Way::Hoist(which) => hoisted(source, places, which),
            Way::Text(which) => small.in_place_of(source, places, which),
        };
        let sites: Vec<Rewrite> = repeated.iter().filter_map(site).collect();
        rewrite(source, asker, list, &sites)?;
        // The tree is that of the text before: the other ways wait for the next round.
        if asker.session().best().fingerprint() != before {
            return Ok(());
        }
    }
    Ok(())
}

/// What becomes of a part in all its places.
#[derive(Clone, Copy)]
enum Way {
    Delete,
    Hoist(usize),
    Text(usize),
}

/// Parts whose text stands in several places, the heaviest text first.
fn repeated(source: &Source) -> Vec<Vec<NodeId>> {
    let tree = source.tree();
    let mut places: BTreeMap<Vec<u8>, Vec<NodeId>> = BTreeMap::new();
    for node in larger_parts(tree) {
        places.entry(text(source, node)).or_default().push(node);
    }
    let mut repeated: Vec<Vec<NodeId>> = places.into_values().filter(|places| places.len() > 1).collect();
    repeated.sort_by_key(|places| std::cmp::Reverse(places.len() * tree.inner_range(places[0]).len()));
    repeated
}

/// A node's tokens, without the white space between them.
fn text(source: &Source, node: NodeId) -> Vec<u8> {
    let (tree, lexicon) = (source.tree(), source.lexicon());
    let mut text = Vec::new();
    for at in tree.inner_range(node) {
        text.extend_from_slice(lexicon.text(tree.tokens()[at as usize]));
        text.push(0);
    }
    text
}

fn gain(source: &Source, places: &[NodeId], left: usize) -> u64 {
    (source.tree().inner_range(places[0]).len().saturating_sub(left) * places.len()) as u64
}

fn deleted(source: &Source, places: &[NodeId]) -> Option<Rewrite> {
    let may_go = places.iter().all(|node| source.tree().is_deletable(*node));
    let edits = || places.iter().copied().map(Edit::Delete).collect();
    may_go.then(|| Rewrite { edits: edits(), gain: gain(source, places, 0) })
}

/// The same descendant takes the place of each: the one of so many with the fewest tokens.
fn hoisted(source: &Source, places: &[NodeId], which: usize) -> Option<Rewrite> {
    let tree = source.tree();
    let (first, others) = places.split_first()?;
    let mut hoists = tree.hoists(*first);
    hoists.sort_by_key(|by| (tree.inner_range(*by).len(), *by));
    hoists.dedup_by_key(|by| tree.inner_range(*by));
    let by = *hoists.get(which)?;
    // Nodes of one text mostly are of one shape as well; those that are not stay as they are.
    let offset = by.0 - first.0;
    let same = |node: &NodeId| {
        let twin = NodeId(node.0 + offset);
        let fits = tree.descendants(*node).any(|inside| inside == twin)
            && text(source, twin) == text(source, by)
            && tree.can_hoist(*node, twin);
        fits.then_some(Edit::Hoist { node: *node, by: twin })
    };
    let mut edits = vec![Edit::Hoist { node: *first, by }];
    edits.extend(others.iter().filter_map(same));
    Some(Rewrite { edits, gain: gain(source, places, tree.inner_range(by).len()) })
}

/// For each kind of place the single tokens that stand in such places, the most frequent first.
pub(super) struct SmallTexts(HashMap<SlotId, Vec<TokenId>>);

impl SmallTexts {
    pub(super) fn new(source: &Source) -> Self {
        let (tree, lexicon) = (source.tree(), source.lexicon());
        let mut found: HashMap<SlotId, BTreeMap<&[u8], (usize, TokenId)>> = HashMap::new();
        for node in tree.nodes() {
            let range = tree.inner_range(node);
            let named = || tree.symbol(node).is_some_and(|symbol| is_named(source, symbol));
            let Some(slot) = tree.slot(node).filter(|_| range.len() == 1 && named()) else { continue };
            let token = tree.tokens()[range.start as usize];
            found.entry(slot).or_default().entry(lexicon.text(token)).or_insert((0, token)).0 += 1;
        }
        let sorted = |texts: BTreeMap<&[u8], (usize, TokenId)>| {
            let mut texts: Vec<(usize, &[u8], TokenId)> =
                texts.into_iter().map(|(text, (count, token))| (count, text, token)).collect();
            texts.sort_by_key(|(count, text, _)| (std::cmp::Reverse(*count), text.len(), *text));
            texts.into_iter().map(|(.., token)| token).collect()
        };
        SmallTexts(found.into_iter().map(|(slot, texts)| (slot, sorted(texts))).collect())
    }

    /// A token that may stand in a node's place, with the white space that is before the node.
    pub(super) fn in_place(&self, source: &Source, node: NodeId, which: usize) -> Option<TokenId> {
        let tree = source.tree();
        let token = *self.0.get(&tree.slot(node)?)?.get(which)?;
        let before = tree.tokens()[tree.inner_range(node).start as usize];
        Some(source.lexicon_mut().in_place_of(before, token))
    }

    fn in_place_of(&self, source: &Source, places: &[NodeId], which: usize) -> Option<Rewrite> {
        let put = |node: &NodeId| {
            Some(Edit::Replace { node: *node, by: vec![self.in_place(source, *node, which)?] })
        };
        let edits: Vec<Edit> = places.iter().filter_map(put).collect();
        (!edits.is_empty()).then(|| Rewrite { edits, gain: gain(source, places, 1) })
    }
}

fn is_named(source: &Source, symbol: dwindle_grammar::SymbolId) -> bool {
    source.tree().language().grammar().rules().symbols[symbol.index()].named
}
