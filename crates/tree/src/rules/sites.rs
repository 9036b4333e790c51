//! From matches to sites: what is to be changed where, and what that saves.

use std::collections::HashSet;
use std::ops::Range;

use dwindle_syntax::{Kind, Marks, NodeId, Role, TokenId};

use super::matching::{Bindings, Index, Match};
use super::pattern::{Compiled, Item};
use crate::source::Source;

/// A part of what takes a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Piece {
    New(TokenId),
    Copy(Range<u32>),
    /// A copy with arguments in the place of some of its tokens.
    Filled {
        range: Range<u32>,
        arguments: Vec<(u32, Range<u32>)>,
    },
}

/// What becomes of a run of tokens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Change {
    pub(super) range: Range<u32>,
    pub(super) pieces: Vec<Piece>,
}

/// Changes that belong together.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) changes: Vec<Change>,
    /// Tokens that it saves; at least 1, so that each site weighs something.
    pub(super) gain: u64,
}

/// The sites of a rule: each makes the text smaller.
pub(super) fn sites(source: &Source, index: &Index<'_>, rule: &Compiled) -> Vec<Site> {
    let maker = SiteMaker { source, index, rule };
    let everything = 0..index.tree.tokens().len() as u32;
    let found = index.matches(&rule.pattern, &rule.conditions, &vec![None; rule.holes], everything, false);
    let mut sites = Vec::new();
    for found in found {
        // What the place itself becomes: one of several texts, or it stays.
        if rule.becomes.is_empty() {
            sites.extend(maker.site(&found, None));
        }
        sites.extend(rule.becomes.iter().filter_map(|becomes| maker.site(&found, Some(becomes))));
    }
    // What happens everywhere is the same from wherever it starts.
    let mut seen = HashSet::new();
    sites.retain(|site| seen.insert(site.changes.clone()));
    sites
}

struct SiteMaker<'m> {
    source: &'m Source,
    index: &'m Index<'m>,
    rule: &'m Compiled,
}

impl SiteMaker<'_> {
    fn site(&self, found: &Match, becomes: Option<&[Item]>) -> Option<Site> {
        let mut changes = Vec::new();
        if let Some(items) = becomes {
            self.change(found, items, &mut changes)?;
        }
        let here = changes.len();
        for part in &self.rule.elsewhere {
            let scope = match &part.scope {
                None => 0..self.index.tree.tokens().len() as u32,
                Some(kinds) => self.index.around(&found.range, kinds)?,
            };
            let others =
                self.index.matches(&part.pattern, &self.rule.conditions, &found.bindings, scope, true);
            for other in others.iter().filter(|other| becomes.is_none() || other.range != found.range) {
                self.change(other, &part.becomes, &mut changes)?;
            }
        }
        // A definition without uses is for passes that delete.
        let nothing_else = changes.len() == here && !self.rule.elsewhere.is_empty();
        if nothing_else && changes.iter().all(|change| change.pieces.is_empty()) {
            return None;
        }
        changes.sort_by_key(|change| (change.range.start, change.range.end));
        let (mut tokens, mut bytes) = (0, 0);
        for change in &changes {
            let (more_tokens, more_bytes) = self.growth(change);
            tokens += more_tokens;
            bytes += more_bytes;
        }
        (!changes.is_empty() && (tokens, bytes) < (0, 0))
            .then(|| Site { changes, gain: tokens.unsigned_abs().max(1) })
    }

    /// What becomes of one match.
    fn change(&self, found: &Match, items: &[Item], changes: &mut Vec<Change>) -> Option<()> {
        let pieces = self.pieces(items, &found.bindings)?;
        if pieces.is_empty() {
            changes.extend(self.deleted(found).into_iter().map(|range| Change { range, pieces: Vec::new() }));
        } else {
            changes.push(Change { range: found.range.clone(), pieces });
        }
        Some(())
    }

    /// The tokens that go when a match goes: a separator and a line break go along.
    fn deleted(&self, found: &Match) -> Vec<Range<u32>> {
        let tree = self.index.tree;
        // An element that brings its comma along: the group of both goes.
        let with_comma = |node: NodeId| {
            let group = tree.parent(node).filter(|parent| tree.kind(*parent) == Kind::Group)?;
            let tokens = tree.inner_range(group);
            let is_little = self.index.count(&tokens) == self.index.count(&found.range) + 1;
            (tree.is_deletable(group) && is_little).then_some(group)
        };
        let alone = found.node.filter(|node| tree.is_deletable(*node));
        let Some(node) = alone.or_else(|| found.node.and_then(with_comma)) else {
            return vec![found.range.clone()];
        };
        match tree.parent(node).filter(|_| tree.role(node) == Role::Element) {
            Some(list) if matches!(tree.kind(list), Kind::List(_)) => {
                tree.cut(list, |element| element != node)
            }
            _ => vec![tree.dropped_range(node)],
        }
    }

    fn pieces(&self, items: &[Item], bindings: &Bindings) -> Option<Vec<Piece>> {
        let is_empty = |hole: &Option<usize>| {
            hole.is_some_and(|hole| bindings[hole].as_ref().is_none_or(|bound| bound.range.is_empty()))
        };
        let mut pieces = Vec::new();
        for item in items {
            match item {
                Item::Word(word) => {
                    pieces.push(Piece::New(self.source.lexicon_mut().intern(&[], word, Marks::NONE)));
                }
                Item::Comma { left, right } => {
                    if !is_empty(left) && !is_empty(right) {
                        pieces.push(Piece::New(self.source.lexicon_mut().intern(&[], b",", Marks::NONE)));
                    }
                }
                Item::Hole { hole, .. } | Item::Run { hole } => {
                    let range = bindings[*hole].as_ref()?.range.clone();
                    if !range.is_empty() {
                        pieces.push(Piece::Copy(range));
                    }
                }
                Item::Filled { hole, name, parameters, arguments } => {
                    let [body, parameters, arguments] =
                        [hole, parameters, arguments].map(|hole| bindings[*hole].as_ref());
                    let arguments = self.index.substitution(body?, *name, parameters?, arguments?)?;
                    pieces.push(Piece::Filled { range: body?.range.clone(), arguments });
                }
            }
        }
        Some(pieces)
    }

    /// How many tokens and bytes more there are after a change.
    fn growth(&self, change: &Change) -> (i64, i64) {
        let lexicon = self.source.lexicon();
        let size = |range: &Range<u32>| {
            let bytes = range.clone().map(|at| lexicon.text(self.index.tree.tokens()[at as usize]).len());
            (self.index.count(range) as i64, bytes.sum::<usize>() as i64)
        };
        let (mut tokens, mut bytes) = size(&change.range);
        (tokens, bytes) = (-tokens, -bytes);
        let mut add = |(more_tokens, more_bytes): (i64, i64)| {
            tokens += more_tokens;
            bytes += more_bytes;
        };
        for piece in &change.pieces {
            match piece {
                Piece::New(token) => add((1, lexicon.text(*token).len() as i64)),
                Piece::Copy(range) => add(size(range)),
                Piece::Filled { range, arguments } => {
                    add(size(range));
                    for (at, argument) in arguments {
                        let (tokens, bytes) = size(&(*at..*at + 1));
                        add((-tokens, -bytes));
                        add(size(argument));
                    }
                }
            }
        }
        (tokens, bytes)
    }
}
