//! Makes white space short. Line breaks stay where there were some, so that the result can be read.

use dwindle_core::Stop;
use dwindle_delta::ListMinimizer;
use dwindle_syntax::{Marks, TokenId};

use super::{Relabel, relabel};
use crate::asker::Asker;
use crate::source::Source;

pub(super) fn run(source: &Source, asker: &mut Asker<'_, '_>, list: &dyn ListMinimizer) -> Result<(), Stop> {
    let mut tokens = source.tree().tokens().to_vec();
    for shorten in [one, none] {
        let sites = sites(source, &tokens, shorten);
        tokens = relabel(source, asker, list, &tokens, &sites)?;
    }
    let (head, tail) = source.tree().margins();
    let end = if tail.contains(&b'\n') { &b"\n"[..] } else { b"" };
    if head.is_empty() && tail == end {
        return Ok(());
    }
    let mut text = source.lexicon().render(tokens);
    text.extend_from_slice(end);
    asker.test(&source.of_text(text)).map(drop)
}

/// One byte: a line break if there was one.
fn one(blank: &[u8]) -> Option<&'static [u8]> {
    (blank.len() > 1).then_some(if blank.contains(&b'\n') { &b"\n"[..] } else { b" " })
}

/// Nothing; what must not touch is kept apart where the text is printed.
fn none(blank: &[u8]) -> Option<&'static [u8]> {
    (!blank.is_empty() && !blank.contains(&b'\n')).then_some(&[])
}

fn sites(source: &Source, tokens: &[TokenId], shorten: fn(&[u8]) -> Option<&'static [u8]>) -> Vec<Relabel> {
    let mut lexicon = source.lexicon_mut();
    let mut sites = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let (marks, trivia, text) = (lexicon.marks(*token), lexicon.trivia(*token), lexicon.text(*token));
        let (old, new) =
            if marks.has(Marks::BREAK) { (text, shorten(text)) } else { (trivia, shorten(trivia)) };
        let Some(new) = new.filter(|new| !(marks.has(Marks::BREAK) && new.is_empty())) else { continue };
        let gain = (old.len() - new.len()) as u64;
        let (trivia, text) = (trivia.to_vec(), text.to_vec());
        let token = if marks.has(Marks::BREAK) {
            lexicon.intern(&trivia, new, marks)
        } else {
            lexicon.intern(new, &text, marks)
        };
        sites.push(Relabel { tokens: vec![(at as u32, token)], gain });
    }
    sites
}
