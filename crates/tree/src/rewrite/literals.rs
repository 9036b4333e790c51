//! Makes numbers and strings short: numbers become 0 or 1 where they can, or lose digits, and what is left loses
//! characters.

use dwindle_core::{Stop, Subset};
use dwindle_delta::ListMinimizer;
use dwindle_syntax::{Marks, NodeId, TokenId, TokenKind};

use super::numbers::Numbers;
use super::reworded;
use crate::asker::Asker;
use crate::source::Source;

pub(super) fn run(source: &Source, asker: &mut Asker<'_, '_>, list: &dyn ListMinimizer) -> Result<(), Stop> {
    let places = literals(source, 2);
    let mut tokens = source.tree().tokens().to_vec();
    let numbers = Numbers::among(source, list, &places);
    numbers.plain(asker, &mut tokens)?;
    numbers.decimal(asker, &mut tokens)?;
    numbers.fewer_digits(asker, &mut tokens)?;
    for at in places {
        shorten(source, asker, list, &mut tokens, at)?;
    }
    Ok(())
}

/// The tokens of this length at least that are numbers, strings or parts of strings.
pub(super) fn literals(source: &Source, shortest: usize) -> Vec<u32> {
    let (tree, lexicon) = (source.tree(), source.lexicon());
    let is_literal = |node: &NodeId| {
        let symbol = tree.symbol(*node).filter(|_| tree.inner_range(*node).len() == 1);
        match symbol.map(|symbol| tree.language().token_kind(symbol)) {
            Some(TokenKind::Literal) => true,
            // The inside of a string; other words of unknown kind are types and the like.
            Some(TokenKind::Other) => {
                let token = tree.tokens()[tree.inner_range(*node).start as usize];
                lexicon.marks(token).has(Marks::GLUED)
            }
            _ => false,
        }
    };
    let mut places: Vec<u32> =
        tree.nodes().filter(is_literal).map(|node| tree.inner_range(node).start).collect();
    places.dedup();
    let long = |at: &u32| {
        let token = tree.tokens()[*at as usize];
        lexicon.text(token).len() >= shortest && !lexicon.marks(token).has(Marks::COMMENT)
    };
    places.retain(long);
    places
}

/// Deletes characters of one token.
fn shorten(
    source: &Source,
    asker: &mut Asker<'_, '_>,
    list: &dyn ListMinimizer,
    tokens: &mut [TokenId],
    at: u32,
) -> Result<(), Stop> {
    let old = tokens[at as usize];
    let text = source.lexicon().text(old).to_vec();
    let Ok(characters) = std::str::from_utf8(&text) else { return Ok(()) };
    let cuts: Vec<usize> = characters.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    if cuts.len() < 3 {
        return Ok(());
    }
    let shortened = |kept: &Subset| -> Vec<TokenId> {
        let text: Vec<u8> = kept.iter().flat_map(|at| &text[cuts[at]..cuts[at + 1]]).copied().collect();
        let new = reworded(&mut source.lexicon_mut(), old, &text);
        let mut tokens = tokens.to_vec();
        tokens[at as usize] = new;
        tokens
    };
    let kept = list.minimize(
        &vec![1; cuts.len() - 1],
        &mut asker.list(|kept: &Subset| source.of_tokens(&shortened(kept))),
    )?;
    let shortened = shortened(&kept);
    tokens.copy_from_slice(&shortened);
    Ok(())
}
