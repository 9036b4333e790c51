//! Characters of strings, and of single characters, become `a`: all of a token, then those that can.

use std::ops::Range;

use dwindle_core::{Stop, Subset};
use dwindle_delta::ListMinimizer;
use dwindle_syntax::{Marks, TokenId};

use crate::asker::Asker;
use crate::rewrite::{Relabel, minimise, relabel, reworded};
use crate::source::Source;

/// A token with characters that may become plain.
struct Text {
    at: u32,
    bytes: Vec<u8>,
    /// The characters that are not.
    odd: Vec<Range<usize>>,
}

pub(super) fn run(
    source: &Source,
    asker: &mut Asker<'_, '_>,
    list: &dyn ListMinimizer,
    tokens: &mut Vec<TokenId>,
    places: &[u32],
) -> Result<(), Stop> {
    let plain = |text: &Text| {
        let all: Vec<&Range<usize>> = text.odd.iter().collect();
        let new = with_plain(&text.bytes, &all);
        let token = reworded(&mut source.lexicon_mut(), tokens[text.at as usize], &new);
        Relabel { tokens: vec![(text.at, token)], gain: text.odd.len() as u64 }
    };
    let sites: Vec<Relabel> = texts(source, tokens, places).iter().map(plain).collect();
    *tokens = relabel(source, asker, list, tokens, &sites)?;

    let texts = texts(source, tokens, places);
    let characters: Vec<(usize, &Range<usize>)> = texts
        .iter()
        .enumerate()
        .filter(|(_, text)| text.odd.len() > 1)
        .flat_map(|(number, text)| text.odd.iter().map(move |character| (number, character)))
        .collect();
    let rewritten = |kept: &Subset| -> Vec<TokenId> {
        let mut tokens = tokens.clone();
        let mut chosen: Vec<Vec<&Range<usize>>> = vec![Vec::new(); texts.len()];
        for (at, (text, character)) in characters.iter().enumerate() {
            if !kept.contains(at) {
                chosen[*text].push(*character);
            }
        }
        for (text, chosen) in std::iter::zip(&texts, &chosen).filter(|(_, chosen)| !chosen.is_empty()) {
            let new = with_plain(&text.bytes, chosen);
            let token = &mut tokens[text.at as usize];
            *token = reworded(&mut source.lexicon_mut(), *token, &new);
        }
        tokens
    };
    let gains = vec![1; characters.len()];
    let kept = minimise(asker, list, &gains, |kept| source.of_tokens(&rewritten(kept)))?;
    *tokens = rewritten(&kept);
    Ok(())
}

/// The tokens among these that are texts and have characters that are not plain.
fn texts(source: &Source, tokens: &[TokenId], places: &[u32]) -> Vec<Text> {
    let lexicon = source.lexicon();
    let text = |at: &u32| {
        let token = tokens[*at as usize];
        let bytes = lexicon.text(token);
        let first = *bytes.first()?;
        // Numbers have their own way, an escape is no text, and a word alone is a truth value or the like.
        let is_text = match first {
            b'\\' => false,
            b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => lexicon.marks(token).has(Marks::GLUED),
            _ => true,
        };
        let characters = std::str::from_utf8(bytes).ok().filter(|_| is_text)?;
        let is_odd = |c: char| c != 'a' && !matches!(c, '"' | '\'' | '`' | '\\' | '\n' | '\r');
        let odd: Vec<Range<usize>> = characters
            .char_indices()
            .filter(|(_, c)| is_odd(*c))
            .map(|(at, c)| at..at + c.len_utf8())
            .collect();
        (!odd.is_empty()).then(|| Text { at: *at, bytes: bytes.to_vec(), odd })
    };
    places.iter().filter_map(text).collect()
}

/// The text with an `a` for each of some characters.
fn with_plain(bytes: &[u8], characters: &[&Range<usize>]) -> Vec<u8> {
    let mut new = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for character in characters {
        new.extend_from_slice(&bytes[at..character.start]);
        new.push(b'a');
        at = character.end;
    }
    new.extend_from_slice(&bytes[at..]);
    new
}
