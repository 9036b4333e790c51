//! Makes numbers and strings small: numbers become 0 or 1 where they can, and what is left loses characters.

use dwindle_core::{Stop, Subset};
use dwindle_delta::ListMinimizer;
use dwindle_syntax::{Marks, NodeId, TokenId, TokenKind};

use super::{Relabel, relabel};
use crate::asker::Asker;
use crate::source::Source;

/// Texts for numbers, in the order in which they are tried.
const NUMBERS: [&[u8]; 2] = [b"0", b"1"];

pub(super) fn run(source: &Source, asker: &mut Asker<'_, '_>, list: &dyn ListMinimizer) -> Result<(), Stop> {
    let places = literals(source);
    let mut tokens = source.tree().tokens().to_vec();
    for text in NUMBERS {
        let sites: Vec<Relabel> = {
            let mut lexicon = source.lexicon_mut();
            let mut site = |at: &u32| {
                let token = tokens[*at as usize];
                let (trivia, old, marks) = (lexicon.trivia(token), lexicon.text(token), lexicon.marks(token));
                let gain = old.len().checked_sub(text.len()).filter(|gain| *gain > 0)?;
                old.first().filter(|byte| byte.is_ascii_digit() || **byte == b'.')?;
                let trivia = trivia.to_vec();
                let new = lexicon.intern(&trivia, text, marks);
                Some(Relabel { tokens: vec![(*at, new)], gain: gain as u64 })
            };
            places.iter().filter_map(&mut site).collect()
        };
        tokens = relabel(source, asker, list, &tokens, &sites)?;
    }
    for at in places {
        shorten(source, asker, list, &mut tokens, at)?;
    }
    Ok(())
}

/// The tokens that are numbers, strings or parts of strings.
fn literals(source: &Source) -> Vec<u32> {
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
        lexicon.text(token).len() > 1 && !lexicon.marks(token).has(Marks::COMMENT)
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
    let (trivia, text, marks) = {
        let lexicon = source.lexicon();
        (lexicon.trivia(old).to_vec(), lexicon.text(old).to_vec(), lexicon.marks(old))
    };
    let Ok(characters) = std::str::from_utf8(&text) else { return Ok(()) };
    let cuts: Vec<usize> = characters.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    if cuts.len() < 3 {
        return Ok(());
    }
    let shortened = |kept: &Subset| -> Vec<TokenId> {
        let text: Vec<u8> = kept.iter().flat_map(|at| &text[cuts[at]..cuts[at + 1]]).copied().collect();
        let new = source.lexicon_mut().intern(&trivia, &text, marks);
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
