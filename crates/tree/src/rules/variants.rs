//! Candidates out of sites: some of them are made, the others left as they are.
//!
//! Where one change is inside another, the outer one wins, and the inner one is made inside what the outer one copies.

use std::ops::Range;

use dwindle_core::{Candidate, Subset};
use dwindle_syntax::{Lexicon, TokenId};

use super::sites::{Change, Piece, Site};
use crate::printed::Part;
use crate::source::Source;

/// The deepest nesting of changes that is followed; what is deeper waits for another round.
const DEEPEST: usize = 100;

/// The candidate in which all sites but the kept ones are made.
pub(super) fn candidate(source: &Source, sites: &[Site], kept: &Subset) -> Candidate {
    let made = sites.iter().enumerate().filter(|(at, _)| !kept.contains(*at));
    let mut changes: Vec<&Change> = made.flat_map(|(_, site)| &site.changes).collect();
    changes.sort_by_key(|change| (change.range.start, std::cmp::Reverse(change.range.end)));
    let writer = Writer { tokens: source.tree().tokens(), changes: &changes };
    let mut written = Vec::new();
    let mut at = 0;
    for change in &changes {
        if change.range.start >= at {
            written
                .push((at..change.range.start, writer.changed(&mut source.lexicon_mut(), change, DEEPEST)));
            at = change.range.end;
        }
    }
    let rest = at..source.tree().tokens().len() as u32;
    let mut filled = written.iter().filter(|(before, new)| !before.is_empty() || !new.is_empty());
    if filled.next().is_some_and(|(before, _)| before.is_empty()) {
        let read = |range: &Range<u32>| &source.tree().tokens()[range.start as usize..range.end as usize];
        let parts = written.iter().flat_map(|(before, new)| [read(before), new]);
        let tokens: Vec<TokenId> = parts.chain([read(&rest)]).flatten().copied().collect();
        source.of_tokens(&tokens)
    } else {
        let parts = written.iter().flat_map(|(before, new)| [Part::Read(before.clone()), Part::New(new)]);
        let parts = parts.filter(|part| !matches!(part, Part::New([])));
        source.of_parts(parts.chain([Part::Read(rest)]))
    }
}

struct Writer<'w> {
    tokens: &'w [TokenId],
    changes: &'w [&'w Change],
}

impl Writer<'_> {
    /// The tokens that take a change's place. White space before it stays.
    fn changed(&self, lexicon: &mut Lexicon, change: &Change, depth: usize) -> Vec<TokenId> {
        let mut out = Vec::new();
        for piece in &change.pieces {
            match piece {
                Piece::New(token) => out.push(*token),
                Piece::Copy(range) => self.copy(lexicon, range, (change, depth), &mut out),
                Piece::Filled { range, arguments } => {
                    let mut at = range.start;
                    for (place, argument) in arguments {
                        out.extend_from_slice(&self.tokens[at as usize..*place as usize]);
                        let from = out.len();
                        self.copy(lexicon, argument, (change, depth), &mut out);
                        take_over_space(lexicon, self.tokens[*place as usize], &mut out[from..]);
                        at = place + 1;
                    }
                    out.extend_from_slice(&self.tokens[at as usize..range.end as usize]);
                }
            }
        }
        take_over_space(lexicon, self.tokens[change.range.start as usize], &mut out);
        out
    }

    /// Copies a run for a change: with the smaller changes inside it if it is a part of what the change replaces, else
    /// as it is (a body that calls itself would never end).
    fn copy(
        &self,
        lexicon: &mut Lexicon,
        run: &Range<u32>,
        (whole, depth): (&Change, usize),
        out: &mut Vec<TokenId>,
    ) {
        let mut at = run.start;
        if depth > 0 && whole.range.start <= run.start && run.end <= whole.range.end {
            let from = self.changes.partition_point(|change| change.range.start < run.start);
            for change in self.changes[from..].iter().take_while(|change| change.range.start < run.end) {
                let inside = change.range.start >= at && change.range.end <= run.end;
                if inside && change.range.len() < whole.range.len() {
                    out.extend_from_slice(&self.tokens[at as usize..change.range.start as usize]);
                    out.extend(self.changed(lexicon, change, depth - 1));
                    at = change.range.end;
                }
            }
        }
        out.extend_from_slice(&self.tokens[at as usize..run.end as usize]);
    }
}

/// Gives the first of some tokens the white space of the token whose place it takes.
fn take_over_space(lexicon: &mut Lexicon, old: TokenId, new: &mut [TokenId]) {
    if let Some(first) = new.first_mut() {
        let (space, text, marks) =
            (lexicon.trivia(old).to_vec(), lexicon.text(*first).to_vec(), lexicon.marks(*first));
        *first = lexicon.intern(&space, &text, marks);
    }
}
