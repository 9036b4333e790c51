//! Sub-tree replacement: what the grammar would write in a node's place if it had to write something.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use dwindle_core::{Candidate, Session, Stop};
use dwindle_grammar::{Piece, SlotId, SymbolId};
use dwindle_syntax::{Kind, Marks, NodeId, TokenId, Tree};

use super::Auxiliary;
use super::history::History;
use super::schedule::Change;
use super::templates::templates;
use crate::source::Source;
use crate::sources::Sources;

/// Puts the shortest texts of other productions in the place of nodes.
pub(crate) struct Subtrees {
    pub(crate) sources: Rc<Sources>,
    pub(crate) history: RefCell<History>,
}

impl Auxiliary for Subtrees {
    fn name(&self) -> &'static str {
        "vulcan-subtrees"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<Change, Stop> {
        let mut change = Change::Nothing;
        let mut history = self.history.borrow_mut();
        history.note(session.best());
        self.sources.each(session, |source, asker| {
            if change == Change::Nothing
                && let Some(smaller) = history.take_first(asker, replacements(source))?
            {
                change = if smaller { Change::Smaller } else { Change::SameSize };
            }
            Ok(())
        })?;
        Ok(change)
    }
}

/// All replacements, and whether they leave fewer tokens: nodes level by level, for each the shortest text first.
fn replacements(source: &Source) -> impl Iterator<Item = (bool, Candidate)> + '_ {
    let tree = source.tree();
    let mut known: HashMap<SlotId, Rc<Vec<Vec<Piece>>>> = HashMap::new();
    let mut order: Vec<NodeId> = Vec::with_capacity(tree.len());
    let mut level = vec![tree.root()];
    while !level.is_empty() {
        order.extend(&level);
        level = level.iter().flat_map(|node| tree.children(*node)).collect();
    }
    order.into_iter().flat_map(move |node| {
        let texts = match tree.slot(node).filter(|_| !tree.inner_range(node).is_empty()) {
            Some(slot) => {
                let grammar = tree.language().grammar();
                Rc::clone(known.entry(slot).or_insert_with(|| Rc::new(templates(grammar, slot))))
            }
            None => Rc::default(),
        };
        let own = own_tokens(tree, node);
        let size = tree.inner_range(node).filter(|at| !is_layout(source, *at)).count();
        (0..texts.len()).filter_map(move |at| {
            let text = &texts[at];
            let fits = !text.is_empty() && text.len() <= size;
            let tokens = fits.then(|| filled(source, node, text, &own)).flatten()?;
            Some((text.len() < size, tokens))
        })
    })
}

fn is_layout(source: &Source, at: u32) -> bool {
    source.lexicon().marks(source.tree().tokens()[at as usize]).is_layout()
}

/// The first token of each kind inside the node, by position.
fn own_tokens(tree: &Tree, node: NodeId) -> HashMap<SymbolId, u32> {
    let mut own = HashMap::new();
    for inside in std::iter::once(node).chain(tree.descendants(node)) {
        let range = tree.inner_range(inside);
        if let Some(symbol) =
            tree.symbol(inside).filter(|_| tree.kind(inside) == Kind::Token && range.len() == 1)
        {
            own.entry(symbol).or_insert(range.start);
        }
    }
    own
}

/// The program with a text in the node's place; nothing if the text needs a name or literal and the node has none.
fn filled(source: &Source, node: NodeId, text: &[Piece], own: &HashMap<SymbolId, u32>) -> Option<Candidate> {
    let tree = source.tree();
    let range = tree.inner_range(node);
    let mut tokens: Vec<TokenId> = tree.tokens()[..range.start as usize].to_vec();
    {
        let mut lexicon = source.lexicon_mut();
        let mut trivia = lexicon.trivia(tree.tokens()[range.start as usize]).to_vec();
        for piece in text {
            let (text, marks) = if piece.fixed {
                (piece.text.clone().into_bytes(), if piece.immediate { Marks::GLUED } else { Marks::NONE })
            } else {
                let token = tree.tokens()[*own.get(&piece.symbol?)? as usize];
                (lexicon.text(token).to_vec(), lexicon.marks(token))
            };
            tokens.push(lexicon.intern(&std::mem::take(&mut trivia), &text, marks));
        }
    }
    tokens.extend_from_slice(&tree.tokens()[range.end as usize..]);
    Some(source.of_tokens(&tokens))
}
