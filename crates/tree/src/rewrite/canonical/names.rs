//! Identifiers get the plainest names of their length, in the order in which they first occur.

use std::collections::{BTreeMap, HashSet};

use dwindle_core::{Stop, Subset};
use dwindle_delta::ListMinimizer;
use dwindle_syntax::TokenId;

use crate::asker::Asker;
use crate::rewrite::names::{by_text, short_names, words_of_language};
use crate::rewrite::{minimise, reworded};
use crate::source::Source;

/// Longer names are rarely there once `names` has run: what is left of them means something to somebody else.
const LONGEST: usize = 2;

/// A name and where it stands.
struct Name {
    text: Vec<u8>,
    places: Vec<u32>,
}

pub(super) fn run(
    source: &Source,
    asker: &mut Asker<'_, '_>,
    list: &dyn ListMinimizer,
    tokens: &mut [TokenId],
) -> Result<(), Stop> {
    let (names, mut taken) = names(source);
    if names.is_empty() {
        return Ok(());
    }
    taken.extend(words_of_language(source));
    // The plainest choice there is when these names stay as they are: the others give theirs up.
    let renamed = |kept: &Subset| -> Vec<TokenId> {
        let staying: HashSet<&[u8]> = kept.iter().map(|at| names[at].text.as_slice()).collect();
        let free = |name: &Vec<u8>| !taken.contains(name) && !staying.contains(name.as_slice());
        let mut fresh: BTreeMap<usize, Box<dyn Iterator<Item = Vec<u8>>>> = BTreeMap::new();
        let mut tokens = tokens.to_vec();
        let mut lexicon = source.lexicon_mut();
        for (_, name) in names.iter().enumerate().filter(|(at, _)| !kept.contains(*at)) {
            let length = name.text.len();
            let of_length = || Box::new(short_names().filter(move |new| new.len() == length)) as Box<_>;
            let names = fresh.entry(length).or_insert_with(of_length);
            // Its own name at the latest is free.
            let new = names.by_ref().find(free).unwrap_or_else(|| name.text.clone());
            for &at in &name.places {
                tokens[at as usize] = reworded(&mut lexicon, tokens[at as usize], &new);
            }
        }
        tokens
    };
    let gains = vec![1; names.len()];
    let kept = minimise(asker, list, &gains, |kept| source.of_tokens(&renamed(kept)))?;
    let renamed = renamed(&kept);
    tokens.copy_from_slice(&renamed);
    Ok(())
}

/// The short names in the order in which they first occur, and the names that are taken by others.
fn names(source: &Source) -> (Vec<Name>, HashSet<Vec<u8>>) {
    let is_plain = |text: &[u8]| text.len() <= LONGEST && text.iter().all(u8::is_ascii_alphabetic);
    let (mut names, mut taken) = (Vec::new(), HashSet::new());
    for (text, nodes) in by_text(source) {
        if is_plain(&text) {
            let places = nodes.iter().map(|node| source.tree().inner_range(*node).start).collect();
            names.push(Name { text, places });
        } else {
            taken.insert(text);
        }
    }
    names.sort_by_key(|name: &Name| name.places.first().copied());
    (names, taken)
}
