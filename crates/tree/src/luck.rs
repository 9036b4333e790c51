//! What there was no luck with: changes that were boring when they were tried before, wherever the rest of the text has
//! changed since. In eager runs of a pass ([`Session::is_eager`](dwindle_core::Session::is_eager)) they are left out.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

use dwindle_core::Candidate;
use dwindle_syntax::{Lexicon, TokenId};
use foldhash::fast::FixedState;

/// A change of a text, told by what goes, what comes and what stands around it, not by the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Change(u64);

impl Change {
    fn of(old: &[u32], new: &[u32]) -> Change {
        let mut hash = FixedState::default().build_hasher();
        let before = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        let behind = old[before..].iter().rev().zip(new[before..].iter().rev());
        let behind = behind.take_while(|(old, new)| old == new).count();
        let (gone, come) = (&old[before..old.len() - behind], &new[before..new.len() - behind]);
        let neighbour = |at: Option<&u32>| at.map_or(0, |word| word.wrapping_add(1));
        hash.write_u32(neighbour(old[..before].last()));
        hash.write_u32(neighbour(old[old.len() - behind..].first()));
        // If the candidate only lacks tokens, those are the change, and not what stays between them.
        let mut left = come.iter().peekable();
        let mut missing = FixedState::default().build_hasher();
        for token in gone {
            if left.peek() == Some(&token) {
                left.next();
            } else {
                missing.write_u32(*token);
            }
        }
        if left.peek().is_none() {
            hash.write_u64(missing.finish());
        } else {
            gone.iter().for_each(|token| hash.write_u32(*token));
            hash.write_u32(u32::MAX);
            come.iter().for_each(|token| hash.write_u32(*token));
        }
        Change(hash.finish())
    }
}

/// What changes start from: the words of the best.
pub(crate) struct Start {
    universe: u64,
    words: Vec<u32>,
}

impl Start {
    /// The best as it is now; nothing where its tokens are not known.
    pub(crate) fn at(best: &Candidate, lexicon: &Lexicon) -> Option<Start> {
        let tokens = best.tokens()?;
        Some(Start { universe: tokens.universe, words: words(tokens.ids, lexicon) })
    }

    /// What makes `candidate` of it, white space aside; nothing where tokens are not known.
    pub(crate) fn change(&self, candidate: &Candidate, lexicon: &Lexicon) -> Option<Change> {
        let tokens = candidate.tokens().filter(|tokens| tokens.universe == self.universe)?;
        Some(Change::of(&self.words, &words(tokens.ids, lexicon)))
    }
}

fn words(mut ids: Vec<u32>, lexicon: &Lexicon) -> Vec<u32> {
    ids.iter_mut().for_each(|id| *id = lexicon.word(TokenId(*id)));
    ids
}

/// The changes that were boring, and when each was tried last.
#[derive(Default)]
pub(crate) struct Luck {
    now: Moment,
    boring: HashMap<Change, Moment, FixedState>,
}

/// A run of a pass, and the size of the best when it began.
#[derive(Clone, Copy, Default)]
struct Moment {
    run: u32,
    size: u64,
}

impl Luck {
    /// Another run of a pass begins.
    pub(crate) fn next_run(&mut self, size: u64) {
        self.now = Moment { run: self.now.run + 1, size };
    }

    /// Whether a change was boring in an earlier run, when the best was less than twice as large. In the same run it may
    /// be another place that looks alike; and if half of the text has gone, what was needed then may not be now.
    pub(crate) fn is_known_boring(&self, change: Change) -> bool {
        let still = |then: &Moment| then.run < self.now.run && then.size < self.now.size.saturating_mul(2);
        self.boring.get(&change).is_some_and(still)
    }
}

/// Takes in changes that were boring.
impl Extend<Change> for Luck {
    fn extend<I: IntoIterator<Item = Change>>(&mut self, changes: I) {
        self.boring.extend(changes.into_iter().map(|change| (change, self.now)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_by_what_goes_and_its_neighbours() {
        let gone = Change::of(&[1, 2, 3, 4, 5, 6], &[1, 2, 5, 6]);
        assert_eq!(gone, Change::of(&[9, 9, 2, 3, 4, 5], &[9, 9, 2, 5]), "the rest is another");
        assert_ne!(gone, Change::of(&[1, 2, 3, 4, 5, 6], &[1, 2, 6]), "more goes");
        assert_ne!(gone, Change::of(&[1, 7, 3, 4, 5, 6], &[1, 7, 5, 6]), "it stands behind something else");
    }

    #[test]
    fn what_stays_between_two_parts_that_go_does_not_matter() {
        let gone = Change::of(&[1, 2, 3, 4, 5, 6, 7], &[1, 4, 5, 7]);
        assert_eq!(gone, Change::of(&[1, 2, 3, 8, 6, 7], &[1, 8, 7]));
    }

    #[test]
    fn what_comes_instead_is_part_of_the_change() {
        let other = Change::of(&[1, 2, 3], &[1, 9, 3]);
        assert_ne!(other, Change::of(&[1, 2, 3], &[1, 8, 3]));
        assert_ne!(other, Change::of(&[1, 2, 3], &[1, 3]));
        assert_eq!(other, Change::of(&[5, 1, 2, 3], &[5, 1, 9, 3]));
    }

    #[test]
    fn a_change_is_left_out_in_later_runs_until_much_has_gone() {
        let change = Change::of(&[1, 2, 3], &[1, 3]);
        let mut luck = Luck::default();
        luck.next_run(100);
        luck.extend([change]);
        assert!(!luck.is_known_boring(change));
        luck.next_run(90);
        assert!(luck.is_known_boring(change));
        luck.next_run(50);
        assert!(!luck.is_known_boring(change), "half of the text has gone since");
    }
}
