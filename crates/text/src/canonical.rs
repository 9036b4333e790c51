//! The canonical result of plain text: letters become `a` and digits `0`, as far as they can.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use dwindle_core::{Candidate, File, Files, Pass, Session, Stop, Subset};
use dwindle_delta::{ListOracle, NaturalList};

use crate::passes::SharedMinimizer;
use crate::units::Unit;

/// Makes the characters of each file plain: all that are the same, then all of a word, then single ones. Each time all
/// of these groups are one list, and nothing is taken that is not more natural than the best.
pub struct CanonicalPass {
    minimizer: SharedMinimizer,
}

impl CanonicalPass {
    /// A pass over the characters that are not plain.
    #[must_use]
    pub fn new(minimizer: SharedMinimizer) -> Self {
        CanonicalPass { minimizer }
    }

    /// Makes as many groups of characters plain as can be.
    fn rewrite(&self, session: &mut Session<'_>, at: usize, group: Grouping) -> Result<(), Stop> {
        let files = session.best().files().clone();
        let text = Arc::clone(&files[at].bytes);
        let groups = group(&text);
        if groups.is_empty() {
            return Ok(());
        }
        let rewritten = |kept: &Subset| {
            let made = groups.iter().enumerate().filter(|(group, _)| !kept.contains(*group));
            let mut characters: Vec<&Range<usize>> = made.flat_map(|(_, group)| group).collect();
            characters.sort_by_key(|character| character.start);
            let mut files = files.to_vec();
            let plain = characters.iter().map(|at| ((*at).clone(), vec![plain(text[at.start])]));
            files[at] = File { bytes: spliced(&text, plain).into(), ..files[at].clone() };
            Candidate::of_files(Files::new(files))
        };
        let weights: Vec<u64> = groups.iter().map(|group| group.len() as u64).collect();
        let mut list = NaturalList::new(session, rewritten);
        // Minimisers of the ddmin family never ask for the empty list.
        if !list.test(&Subset::empty())?.is_interesting() {
            self.minimizer.minimize(&weights, &mut list)?;
        }
        Ok(())
    }
}

impl Pass for CanonicalPass {
    fn name(&self) -> &str {
        "canonical-text"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        for at in session.best().files().largest_first() {
            for group in [same as Grouping, of_a_word, single] {
                self.rewrite(session, at, group)?;
            }
        }
        Ok(())
    }
}

type Grouping = fn(&[u8]) -> Vec<Vec<Range<usize>>>;

/// The characters that are not plain, in groups of equals.
fn same(text: &[u8]) -> Vec<Vec<Range<usize>>> {
    let mut groups: BTreeMap<&[u8], Vec<Range<usize>>> = BTreeMap::new();
    for character in odd(text, 0..text.len()) {
        groups.entry(&text[character.clone()]).or_default().push(character);
    }
    groups.into_values().collect()
}

fn of_a_word(text: &[u8]) -> Vec<Vec<Range<usize>>> {
    Unit::Token
        .pieces(text)
        .map(|word| odd(text, word).collect())
        .filter(|group: &Vec<_>| group.len() > 1)
        .collect()
}

fn single(text: &[u8]) -> Vec<Vec<Range<usize>>> {
    odd(text, 0..text.len()).map(|character| vec![character]).collect()
}

fn odd(text: &[u8], part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let characters = Unit::Char.pieces(&text[part.clone()]);
    let moved = characters.map(move |character| character.start + part.start..character.end + part.start);
    moved.filter(|character| text[character.clone()] != [plain(text[character.start])])
}

/// What a character that begins with this byte is at its plainest. Marks mean something, and line ends shape a text.
fn plain(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => b'0',
        b'\n' => byte,
        b' ' | b'\t' | b'\r' | 0x0b | 0x0c => b' ',
        _ if byte.is_ascii_punctuation() => byte,
        _ => b'a',
    }
}

/// The text with other bytes in some places, which are in order.
pub(crate) fn spliced(text: &[u8], edits: impl IntoIterator<Item = (Range<usize>, Vec<u8>)>) -> Vec<u8> {
    let mut new = Vec::with_capacity(text.len());
    let mut at = 0;
    for (place, by) in edits {
        new.extend_from_slice(&text[at..place.start]);
        new.extend_from_slice(&by);
        at = place.end;
    }
    new.extend_from_slice(&text[at..]);
    new
}
