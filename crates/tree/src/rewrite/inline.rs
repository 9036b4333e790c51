//! Puts what a definition says in the place of the name it defines, and deletes the definition, in one step.
//!
//! `(define-fun y () Bool x)`, `typedef int y;`, `let y = x;`, `#define y x`: whatever of a definition may stand where the
//! name is used is a value. The last such part is tried, then the first: values mostly stand behind names, and types
//! before them. Definitions that use each other are put in together: what takes the place of one name is itself read
//! with the others taken out.

use std::collections::{BTreeMap, HashMap};

use dwindle_core::{Stop, Subset};
use dwindle_delta::ListMinimizer;
use dwindle_syntax::{Edit, NodeId, TokenId, Tree};

use super::definitions::{Definition, definitions};
use super::minimise;
use crate::asker::Asker;
use crate::source::Source;

pub(super) fn run(source: &Source, asker: &mut Asker<'_, '_>, list: &dyn ListMinimizer) -> Result<(), Stop> {
    let before = asker.session().best().fingerprint();
    let definitions = definitions(source);
    for which in [Which::Last, Which::First] {
        let sites = sites(source, &definitions, which);
        let gains: Vec<u64> = sites.iter().map(|site| site.gain).collect();
        let put_in = |kept: &Subset| {
            let chosen: Vec<&Site> = sites
                .iter()
                .enumerate()
                .filter(|(at, _)| !kept.contains(*at))
                .map(|(_, site)| site)
                .collect();
            source.of_tokens(&source.tree().edited(&inlined(source, &chosen)))
        };
        minimise(asker, list, &gains, put_in)?;
        // The tree is that of the text before: the others wait for the next round.
        if asker.session().best().fingerprint() != before {
            return Ok(());
        }
    }
    Ok(())
}

/// Which part of a definition is its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Last,
    First,
}

/// A definition that can go, and what stands for its name then.
struct Site<'d> {
    definition: &'d Definition,
    value: NodeId,
    gain: u64,
}

fn sites<'d>(source: &Source, definitions: &'d BTreeMap<Vec<u8>, Definition>, which: Which) -> Vec<Site<'d>> {
    let tree = source.tree();
    let site = |(name, definition): (&Vec<u8>, &'d Definition)| {
        let [part] = definition.parts.iter().copied().collect::<Vec<_>>()[..] else { return None };
        let values = values(source, name, definition, part);
        let value = match which {
            Which::Last => values.last(),
            Which::First => values.first().filter(|_| values.len() > 1),
        };
        let value = *value?;
        let tokens = |node| tree.inner_range(node).len() as u64;
        let (gone, come) = (tokens(part), (tokens(value) - 1) * definition.uses.len() as u64);
        let gain = gone.checked_sub(come).filter(|gain| *gain > 0)?;
        Some(Site { definition, value, gain })
    };
    definitions.iter().filter_map(site).collect()
}

/// The outermost parts of a definition that may stand wherever its name is used, in order. The name is in none of them.
fn values(source: &Source, name: &[u8], definition: &Definition, part: NodeId) -> Vec<NodeId> {
    let (tree, lexicon) = (source.tree(), source.lexicon());
    if definition.uses.is_empty() {
        return Vec::new();
    }
    let names_itself =
        |node: NodeId| tree.inner_range(node).any(|at| lexicon.text(tree.tokens()[at as usize]) == name);
    let fits = |node: NodeId| {
        !tree.inner_range(node).is_empty()
            && definition.uses.iter().all(|place| tree.replaceable(*place, node))
            && !names_itself(node)
    };
    let mut found: Vec<NodeId> = Vec::new();
    for node in tree.descendants(part) {
        let inside =
            found.last().is_some_and(|last| tree.inner_range(*last).end > tree.inner_range(node).start);
        if !inside && fits(node) {
            found.push(node);
        }
    }
    found
}

/// The edits that take these definitions out.
fn inlined(source: &Source, chosen: &[&Site]) -> Vec<Edit> {
    let (tree, mut lexicon) = (source.tree(), source.lexicon_mut());
    let mut places: HashMap<u32, usize> = HashMap::new();
    for (at, site) in chosen.iter().enumerate() {
        places.extend(site.definition.uses.iter().map(|place| (tree.inner_range(*place).start, at)));
    }
    let mut edits = Vec::new();
    for (at, site) in chosen.iter().enumerate() {
        edits.extend(site.definition.parts.iter().copied().map(Edit::Delete));
        let mut value = Vec::new();
        read_value(tree, chosen, &places, at, &mut vec![at], &mut value);
        let mut put = |node: &NodeId| {
            // The white space before the name is now before its value.
            let name = tree.tokens()[tree.inner_range(*node).start as usize];
            let mut by = value.clone();
            by[0] = lexicon.in_place_of(name, value[0]);
            Edit::Replace { node: *node, by }
        };
        edits.extend(site.definition.uses.iter().map(&mut put));
    }
    edits
}

/// The tokens of a value, with the values of others in it.
fn read_value(
    tree: &Tree,
    chosen: &[&Site],
    places: &HashMap<u32, usize>,
    site: usize,
    open: &mut Vec<usize>,
    out: &mut Vec<TokenId>,
) {
    for at in tree.inner_range(chosen[site].value) {
        match places.get(&at).filter(|inner| !open.contains(inner) && out.len() < LONGEST) {
            Some(inner) => {
                open.push(*inner);
                read_value(tree, chosen, places, *inner, open, out);
                open.pop();
            }
            None => out.push(tree.tokens()[at as usize]),
        }
    }
}

/// Values within values within values grow fast; none is worth while that is longer than this.
const LONGEST: usize = 10_000;
