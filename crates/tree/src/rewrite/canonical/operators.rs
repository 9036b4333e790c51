//! Operators become the plainest ones that the grammar has in their place: `+` for `-`, `=` for `<<=`, `.` for `->`.

use std::collections::HashMap;
use std::sync::Arc;

use dwindle_core::{Stop, plainer};
use dwindle_delta::ListMinimizer;
use dwindle_grammar::{Matcher, SymbolId};
use dwindle_syntax::{Kind, NodeId, Role, TokenId, Tree};

use crate::asker::Asker;
use crate::rewrite::{Relabel, relabel, reworded};
use crate::source::Source;

/// How many operators are tried in the place of one, plainest first. The first that fits the types is nearly always
/// among `+`, `=`, `-`, `<`, `==`.
const TRIED: usize = 3;

/// Operators stand in nodes of few parts; a long list is no place for one.
const MOST_PARTS: usize = 8;

pub(super) fn run(
    source: &Source,
    asker: &mut Asker<'_, '_>,
    list: &dyn ListMinimizer,
    tokens: &mut Vec<TokenId>,
) -> Result<(), Stop> {
    let operators = operators(source);
    for round in 0..TRIED {
        let sites: Vec<Relabel> = operators
            .iter()
            .filter_map(|(at, plainest)| {
                let new = plainest.get(round)?;
                let mut lexicon = source.lexicon_mut();
                let old = tokens[*at as usize];
                let text = lexicon.text(old);
                let gain = text.len().checked_sub(new.len())?;
                plainer(new, text).is_lt().then(|| {
                    let token = reworded(&mut lexicon, old, new);
                    Relabel { tokens: vec![(*at, token)], gain: gain as u64 + 1 }
                })
            })
            .collect();
        *tokens = relabel(source, asker, list, tokens, &sites)?;
    }
    Ok(())
}

/// Each operator of the tree, with those that may stand in its place, plainest first.
fn operators(source: &Source) -> Vec<(u32, Vec<Vec<u8>>)> {
    let tree = source.tree();
    let mut matcher = Matcher::new(Arc::clone(tree.language().grammar()));
    let mut known: HashMap<(SymbolId, Vec<SymbolId>, usize), Vec<Vec<u8>>> = HashMap::new();
    let mut found = Vec::new();
    for node in tree.nodes().filter(|node| is_operator(tree, *node)) {
        let Some((parent, parts, at)) = place(tree, node) else { continue };
        let plainest = known
            .entry((parent, parts, at))
            .or_insert_with_key(|(parent, parts, at)| alike(tree, &mut matcher, *parent, parts, *at));
        if !plainest.is_empty() {
            found.push((tree.inner_range(node).start, plainest.clone()));
        }
    }
    found
}

fn is_operator(tree: &Tree, node: NodeId) -> bool {
    let symbols = &tree.language().grammar().rules().symbols;
    let symbol = tree.symbol(node).map(|symbol| &symbols[symbol.index()]);
    tree.kind(node) == Kind::Token && symbol.is_some_and(|symbol| !symbol.named && is_sign(&symbol.name))
}

/// Marks that work on what is beside them, not brackets, quotes and separators.
fn is_sign(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_punctuation() && !"()[]{}\"'`\\,;#$".contains(c))
}

/// The kind of node an operator stands in, the kinds of that node's parts, and which of them it is.
fn place(tree: &Tree, node: NodeId) -> Option<(SymbolId, Vec<SymbolId>, usize)> {
    let mut parent = tree.parent(node)?;
    while matches!(tree.kind(parent), Kind::List(_) | Kind::Group) {
        parent = tree.parent(parent)?;
    }
    if tree.kind(parent) != Kind::Rule {
        return None;
    }
    let (mut parts, mut at) = (Vec::new(), None);
    let mut open: Vec<NodeId> = tree.children(parent).collect();
    open.reverse();
    while let Some(part) = open.pop() {
        if tree.role(part) == Role::Extra {
            continue;
        }
        if matches!(tree.kind(part), Kind::List(_) | Kind::Group) {
            let from = open.len();
            open.extend(tree.children(part));
            open[from..].reverse();
            continue;
        }
        if part == node {
            at = Some(parts.len());
        }
        parts.push(tree.symbol(part)?);
        if parts.len() > MOST_PARTS {
            return None;
        }
    }
    Some((tree.symbol(parent)?, parts, at?))
}

/// The plainest operators with which the node's rule has these parts, too.
fn alike(
    tree: &Tree,
    matcher: &mut Matcher,
    parent: SymbolId,
    parts: &[SymbolId],
    at: usize,
) -> Vec<Vec<u8>> {
    let grammar = tree.language().grammar();
    let symbols = &grammar.rules().symbols;
    let name = |symbol: SymbolId| symbols[symbol.index()].name.as_bytes();
    let (own, mut parts) = (name(parts[at]), parts.to_vec());
    let mut signs: Vec<SymbolId> = (0..symbols.len() as u32)
        .map(SymbolId)
        .filter(|sign| !symbols[sign.index()].named && is_sign(&symbols[sign.index()].name))
        .filter(|sign| plainer(name(*sign), own).is_lt())
        .collect();
    signs.sort_by(|one, other| plainer(name(*one), name(*other)));
    let fits = |sign: &SymbolId| {
        parts[at] = *sign;
        grammar.bodies(parent).iter().any(|body| matcher.derive(*body, &parts).is_some())
    };
    signs.into_iter().filter(fits).take(TRIED).map(|sign| name(sign).to_vec()).collect()
}
