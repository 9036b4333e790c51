//! Identifier replacement: one name in the place of another, so that a definition has no use any more.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use dwindle_core::{Candidate, Session, Stop};
use dwindle_syntax::{Kind, TokenKind};

use super::Auxiliary;
use super::history::History;
use super::schedule::Change;
use crate::source::Source;
use crate::sources::Sources;

/// Renames identifiers to other identifiers of the program.
pub(crate) struct Identifiers {
    pub(crate) sources: Rc<Sources>,
    pub(crate) history: RefCell<History>,
}

impl Auxiliary for Identifiers {
    fn name(&self) -> &'static str {
        "vulcan-identifiers"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<Change, Stop> {
        let mut change = Change::Nothing;
        let mut history = self.history.borrow_mut();
        history.note(session.best());
        self.sources.each(session, |source, asker| {
            if change == Change::Nothing && history.take_first(asker, renamings(source))?.is_some() {
                change = Change::SameSize;
            }
            Ok(())
        })?;
        Ok(change)
    }
}

/// An identifier and the tokens that are it, by position.
struct Group {
    text: Vec<u8>,
    at: Vec<u32>,
}

/// The identifiers of a program, rare ones first.
fn groups(source: &Source) -> Vec<Group> {
    let (tree, lexicon) = (source.tree(), source.lexicon());
    let mut by_text: BTreeMap<&[u8], Vec<u32>> = BTreeMap::new();
    for node in tree.nodes().filter(|node| tree.kind(*node) == Kind::Token) {
        let range = tree.inner_range(node);
        let Some(symbol) = tree.symbol(node).filter(|_| range.len() == 1) else { continue };
        let text = lexicon.text(tree.tokens()[range.start as usize]);
        if is_name(tree.language().token_kind(symbol), text) {
            by_text.entry(text).or_default().push(range.start);
        }
    }
    let mut groups: Vec<Group> =
        by_text.into_iter().map(|(text, at)| Group { text: text.to_vec(), at }).collect();
    groups.sort_by_key(|group| group.at.len());
    groups
}

/// Whether a token is a name that somebody gave. Some grammars know the names of a library: C's takes `uint32_t` for a
/// type of the language, like `int`. No keyword has an underscore inside.
fn is_name(kind: TokenKind, text: &[u8]) -> bool {
    let word = |text: &[u8]| {
        text.first().is_some_and(u8::is_ascii_alphabetic)
            && text.contains(&b'_')
            && text.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    kind == TokenKind::Identifier || kind == TokenKind::Other && word(text)
}

/// All renamings, in order: first all but the first occurrence of a name (that is its definition, mostly), then single
/// occurrences. Rare names give way first, and to frequent ones first.
fn renamings(source: &Source) -> impl Iterator<Item = ((), Candidate)> + '_ {
    let groups = Rc::new(groups(source));
    let pairs = {
        let groups = Rc::clone(&groups);
        move || {
            let groups = Rc::clone(&groups);
            let len = groups.len();
            (0..len)
                .flat_map(move |from| (0..len).rev().filter(move |to| *to != from).map(move |to| (from, to)))
        }
    };
    let whole = {
        let groups = Rc::clone(&groups);
        pairs().filter_map(move |(from, to)| {
            let uses = &groups[from].at[1..];
            (!uses.is_empty()).then(|| ((), renamed(source, uses, &groups[to].text)))
        })
    };
    let single = (0..groups.len()).flat_map(move |from| {
        let groups = Rc::clone(&groups);
        let len = groups.len();
        let occurrences = 0..groups[from].at.len();
        occurrences.flat_map(move |occurrence| {
            let groups = Rc::clone(&groups);
            (0..len).rev().filter(move |to| *to != from).map(move |to| {
                let at = groups[from].at[occurrence];
                ((), renamed(source, &[at], &groups[to].text))
            })
        })
    });
    whole.chain(single)
}

fn renamed(source: &Source, at: &[u32], text: &[u8]) -> Candidate {
    let mut tokens = source.tree().tokens().to_vec();
    {
        let mut lexicon = source.lexicon_mut();
        for at in at {
            let old = tokens[*at as usize];
            let (trivia, marks) = (lexicon.trivia(old).to_vec(), lexicon.marks(old));
            tokens[*at as usize] = lexicon.intern(&trivia, text, marks);
        }
    }
    source.of_tokens(&tokens)
}
