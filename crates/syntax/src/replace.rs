//! Shortest texts for a node's place: what the grammar would write there if it had to write something.

use crate::lexicon::{Lexicon, Marks, TokenId};
use crate::tree::{NodeId, Tree};
use dwindle_grammar::{Piece, SymbolId, Template};
use std::collections::HashMap;

/// Longest text proposed, in tokens: beyond that, moving parts of the node itself does better.
const LONGEST: usize = 8;

impl Tree {
    /// Texts that may stand in the node's place, as tokens, shortest first: one for each kind of node the place
    /// takes. All have fewer tokens than the node. Names and literals in them are taken from the node where it has
    /// such, so that they are likely to mean something.
    pub fn alternatives(&self, lexicon: &mut Lexicon, node: NodeId) -> Vec<Vec<TokenId>> {
        let Some(slot) = self.slot(node) else { return Vec::new() };
        let own = self.own_tokens(lexicon, node);
        let limit = (self.inner_range(node).len()).min(LONGEST + 1);
        let grammar = self.language().grammar();
        let mut found: Vec<Vec<TokenId>> = Vec::new();
        for (_, template) in grammar.alternatives(slot) {
            if template.is_empty() || template.len() >= limit {
                continue;
            }
            let tokens = self.fill(lexicon, node, template, &own);
            if !found.contains(&tokens) {
                found.push(tokens);
            }
        }
        found
    }

    /// The first token of each kind inside the node.
    fn own_tokens(&self, lexicon: &Lexicon, node: NodeId) -> HashMap<SymbolId, Vec<u8>> {
        let mut own = HashMap::new();
        for descendant in self.descendants(node) {
            if let Some(symbol) = self.symbol(descendant).filter(|_| self.inner_range(descendant).len() == 1)
            {
                let token = self.tokens()[self.inner_range(descendant).start as usize];
                own.entry(symbol).or_insert_with(|| lexicon.text(token).to_vec());
            }
        }
        own
    }

    fn fill(
        &self,
        lexicon: &mut Lexicon,
        node: NodeId,
        template: &Template,
        own: &HashMap<SymbolId, Vec<u8>>,
    ) -> Vec<TokenId> {
        let first = self.tokens()[self.inner_range(node).start as usize];
        let mut trivia = lexicon.trivia(first).to_vec();
        let text = |piece: &Piece| {
            let taken = piece.symbol.filter(|_| !piece.fixed).and_then(|symbol| own.get(&symbol));
            taken.cloned().unwrap_or_else(|| piece.text.as_bytes().to_vec())
        };
        // Where rules say themselves where white space stands, there is none elsewhere; nor between quotes.
        let spaced = lexicon.is_spaced();
        let mut open = None;
        let token = |piece: &Piece| {
            let text = text(piece);
            let trivia = std::mem::take(&mut trivia);
            let glued = piece.immediate || open.is_some() || (spaced && trivia.is_empty());
            open = match open {
                Some(quote) => (text != [quote]).then_some(quote),
                None => opened_quote(&text),
            };
            lexicon.intern(&trivia, &text, if glued { Marks::GLUED } else { Marks::NONE })
        };
        template.pieces().iter().map(token).collect()
    }
}

/// The quote that a token opens and leaves open: `"` and `L"` do, `""` does not.
fn opened_quote(text: &[u8]) -> Option<u8> {
    let last = text.last().copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    (text.iter().filter(|byte| **byte == last).count() % 2 == 1).then_some(last)
}
