//! Lets one identifier stand for another and deletes the other's definition, in one step.
//!
//! Two names can stand for each other if they are of one type. Types are not known here, but definitions of one type
//! look alike: `int a = 1;` and `int b = 2;` up to the name, `(declare-fun x () Int)` and `(declare-fun y () Int)` behind
//! it. So names are grouped by how their definitions begin, and the first of each group takes over from the others.

use std::collections::BTreeMap;

use dwindle_core::Stop;
use dwindle_delta::ListMinimizer;
use dwindle_syntax::{Edit, NodeId};

use super::definitions::{Definition, definitions};
use super::{Rewrite, reworded, rewrite};
use crate::asker::Asker;
use crate::source::Source;

/// How many tokens of a definition are compared where what stands behind the name counts too: enough for a keyword, a
/// name, a separator and most types.
const COMPARED: usize = 10;

pub(super) fn run(source: &Source, asker: &mut Asker<'_, '_>, list: &dyn ListMinimizer) -> Result<(), Stop> {
    let before = asker.session().best().fingerprint();
    let definitions = definitions(source);
    for behind_name in [true, false] {
        let sites = sites(source, &definitions, behind_name);
        rewrite(source, asker, list, &sites)?;
        // The tree is that of the text before: other groups wait for the next round.
        if asker.session().best().fingerprint() != before {
            return Ok(());
        }
    }
    Ok(())
}

fn sites(source: &Source, definitions: &BTreeMap<Vec<u8>, Definition>, behind_name: bool) -> Vec<Rewrite> {
    let mut groups: BTreeMap<Look, Vec<(&Vec<u8>, &Definition)>> = BTreeMap::new();
    for (name, definition) in definitions {
        if let Some(look) = look(source, name, definition, behind_name) {
            groups.entry(look).or_default().push((name, definition));
        }
    }
    let mut sites = Vec::new();
    for mut group in groups.into_values() {
        group.sort_by_key(|(_, definition)| definition.parts.first().copied());
        let Some(((first, _), others)) = group.split_first() else { continue };
        sites.extend(others.iter().filter_map(|(_, definition)| merged(source, definition, first)));
    }
    sites
}

/// The texts of tokens, an empty one for the name.
type Look = Vec<Vec<u8>>;

/// How a definition begins, its own name left out.
fn look(source: &Source, name: &[u8], definition: &Definition, behind_name: bool) -> Option<Look> {
    let (tree, lexicon) = (source.tree(), source.lexicon());
    let part = definition.parts.first()?;
    let tokens = tree.inner_range(*part).map(|at| lexicon.text(tree.tokens()[at as usize]));
    let mut look = Vec::new();
    for text in tokens.take(COMPARED) {
        if text == name && !behind_name {
            break;
        }
        look.push(if text == name { Vec::new() } else { text.to_vec() });
    }
    Some(look)
}

/// The definition goes, and another name stands where it was used.
fn merged(source: &Source, definition: &Definition, target: &[u8]) -> Option<Rewrite> {
    let tree = source.tree();
    let mut lexicon = source.lexicon_mut();
    let mut renamed = |node: &NodeId| {
        let token = tree.tokens()[tree.inner_range(*node).start as usize];
        Edit::Replace { node: *node, by: vec![reworded(&mut lexicon, token, target)] }
    };
    let edits: Vec<Edit> = definition.uses.iter().map(&mut renamed).collect();
    let gain = definition.parts.iter().map(|part| tree.token_range(*part).len() as u64).sum();
    let deleted = definition.parts.iter().copied().map(Edit::Delete);
    (!edits.is_empty()).then(|| Rewrite { edits: deleted.chain(edits).collect(), gain })
}
