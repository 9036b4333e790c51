//! Gives identifiers short names.

use std::collections::{BTreeMap, HashSet};

use dwindle_core::Stop;
use dwindle_delta::ListMinimizer;
use dwindle_syntax::NodeId;

use super::{Relabel, relabel, reworded};
use crate::asker::Asker;
use crate::identifiers::identifiers;
use crate::source::Source;

pub(super) fn run(source: &Source, asker: &mut Asker<'_, '_>, list: &dyn ListMinimizer) -> Result<(), Stop> {
    let sites = sites(source);
    relabel(source, asker, list, source.tree().tokens(), &sites)?;
    Ok(())
}

/// The nodes that are identifiers, by text: in order of the texts, and those of one text in order of the program.
pub(super) fn by_text(source: &Source) -> BTreeMap<Vec<u8>, Vec<NodeId>> {
    let mut found: BTreeMap<Vec<u8>, Vec<NodeId>> = BTreeMap::new();
    for (node, text) in identifiers(source) {
        found.entry(text).or_default().push(node);
    }
    found
}

fn sites(source: &Source) -> Vec<Relabel> {
    let identifiers = by_text(source);
    // Every word of the text and of the language is taken, whatever it is there.
    let taken: HashSet<Vec<u8>> = words_of_language(source).chain(identifiers.keys().cloned()).collect();
    let mut fresh = short_names().filter(|name| !taken.contains(name));
    // The longest and most frequent ones get the shortest names.
    let mut order: Vec<(&Vec<u8>, &Vec<NodeId>)> = identifiers.iter().collect();
    order.sort_by_key(|(name, places)| std::cmp::Reverse(name.len() * places.len()));
    let mut lexicon = source.lexicon_mut();
    let mut sites = Vec::new();
    for (name, places) in order.into_iter().filter(|(name, _)| name.len() > 1) {
        let Some(new) = fresh.next() else { break };
        if new.len() >= name.len() {
            continue;
        }
        // Sigils belong to the name: `$x`, `@x`, `%x`.
        let sigils = name.iter().take_while(|byte| !byte.is_ascii_alphanumeric() && **byte != b'_').count();
        let text = [&name[..sigils], &new].concat();
        if text.len() >= name.len() || !name.is_ascii() {
            continue;
        }
        let relabelled = places.iter().map(|node| {
            let at = source.tree().inner_range(*node).start;
            let token = source.tree().tokens()[at as usize];
            (at, reworded(&mut lexicon, token, &text))
        });
        let gain = ((name.len() - text.len()) * places.len()) as u64;
        sites.push(Relabel { tokens: relabelled.collect(), gain });
    }
    sites
}

/// The words that the language has for itself.
pub(super) fn words_of_language(source: &Source) -> impl Iterator<Item = Vec<u8>> {
    let symbols = &source.tree().language().grammar().rules().symbols;
    symbols.iter().filter(|symbol| !symbol.named).map(|symbol| symbol.name.clone().into_bytes())
}

/// `a` to `z`, then `aa` to `zz`.
pub(super) fn short_names() -> impl Iterator<Item = Vec<u8>> {
    let letters = b'a'..=b'z';
    let pairs = letters.clone().flat_map(|first| (b'a'..=b'z').map(move |second| vec![first, second]));
    letters.map(|letter| vec![letter]).chain(pairs)
}
