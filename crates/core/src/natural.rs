//! Which of two variants reads more naturally: the order by which a canonical result is chosen among equals.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::candidate::Candidate;

/// The bytes of a text from plain to odd; those that are not named follow in their own order.
const PLAIN_FIRST: &[u8] =
    b" \n0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_+=-*/<>&|!%^~?.,:;()[]{}\"'";

const RANKS: [u8; 256] = {
    let (mut ranks, mut ranked) = ([0; 256], [false; 256]);
    let (mut byte, mut next) = (0, 0);
    while next < PLAIN_FIRST.len() {
        ranks[PLAIN_FIRST[next] as usize] = next as u8;
        ranked[PLAIN_FIRST[next] as usize] = true;
        next += 1;
    }
    while byte < 256 {
        if !ranked[byte] {
            ranks[byte] = next as u8;
            next += 1;
        }
        byte += 1;
    }
    ranks
};

/// Orders texts of one length by their characters: plain ones first.
#[must_use]
pub fn plainer(one: &[u8], other: &[u8]) -> Ordering {
    let ranks = |text: &'_ [u8]| text.iter().map(|byte| RANKS[*byte as usize]).collect::<Vec<u8>>();
    one.len().cmp(&other.len()).then_with(|| ranks(one).cmp(&ranks(other)))
}

/// How natural a variant is: a smaller one is more so; then one with fewer kinds of words and marks; then one with
/// plainer characters, compared from the start.
///
/// This is a total order on contents, and below any content there are finitely many others: a search that only ever
/// goes to a smaller one comes to an end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Naturalness {
    size: u64,
    kinds: usize,
    ranks: Vec<u8>,
}

impl Naturalness {
    /// Of a candidate; its files one after the other.
    #[must_use]
    pub fn of(candidate: &Candidate) -> Self {
        let files = candidate.files();
        let mut kinds = HashSet::new();
        files.iter().for_each(|file| kinds.extend(words(&file.bytes)));
        let bytes = files.iter().flat_map(|file| file.bytes.iter());
        Naturalness {
            size: candidate.size(),
            kinds: kinds.len(),
            ranks: bytes.map(|byte| RANKS[*byte as usize]).collect(),
        }
    }

    /// Whether a candidate is more natural than this. One that is smaller need not be looked at closely.
    #[must_use]
    pub fn is_beaten_by(&self, candidate: &Candidate) -> bool {
        match candidate.size().cmp(&self.size) {
            Ordering::Less => true,
            Ordering::Equal => Naturalness::of(candidate) < *self,
            Ordering::Greater => false,
        }
    }
}

/// Runs of letters and digits, and every other byte alone.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    text.chunk_by(move |one, next| is_word(*one) && is_word(*next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::Files;

    fn candidate(text: &str) -> Candidate {
        Candidate::of_files(Files::single("x", text.as_bytes()))
    }

    #[test]
    fn shorter_comes_before_fewer_kinds_before_plainer_characters() {
        for (natural, other) in [
            ("zz", "aaa"),
            ("x+x", "a+b"),
            ("a+b", "b+a"),
            ("0", "1"),
            ("9", "a"),
            ("a", "B"),
            ("a+b", "a-b"),
            ("z", "\u{7f}"),
            ("b=7, c=7", "b=0, c=7"),
            ("while(a)", "while(e)"),
        ] {
            let (natural, other) = (candidate(natural), candidate(other));
            assert!(Naturalness::of(&other).is_beaten_by(&natural), "{natural:?} {other:?}");
            assert!(!Naturalness::of(&natural).is_beaten_by(&other), "{natural:?} {other:?}");
        }
    }

    #[test]
    fn no_two_bytes_have_the_same_rank_and_nothing_beats_itself() {
        let ranks: HashSet<u8> = RANKS.into_iter().collect();
        assert_eq!((ranks.len(), RANKS[b' ' as usize], RANKS[0xff]), (256, 0, 255));
        let text = candidate("int a = 0;");
        assert!(!Naturalness::of(&text).is_beaten_by(&text));
    }
}
