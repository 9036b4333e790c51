//! Words of a text of no language become short, everywhere at once: what renaming is to a program.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use dwindle_core::{Candidate, File, Files, Pass, Session, Stop, Subset};
use dwindle_delta::{ListOracle, SessionList};

use crate::canonical::spliced;
use crate::passes::SharedMinimizer;

/// Gives each word of each file a short name, at all its places, and makes numbers `0`. All words are one list: those
/// that cannot be renamed (keywords, say) are what is left of it.
pub struct WordPass {
    minimizer: SharedMinimizer,
}

impl WordPass {
    /// A pass over the words that are not as short as can be.
    #[must_use]
    pub fn new(minimizer: SharedMinimizer) -> Self {
        WordPass { minimizer }
    }
}

impl Pass for WordPass {
    fn name(&self) -> &str {
        "words"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        for at in session.best().files().largest_first() {
            let files = session.best().files().clone();
            let text = Arc::clone(&files[at].bytes);
            let words = renamed(&text);
            if words.is_empty() {
                continue;
            }
            let rewritten = |kept: &Subset| {
                let mut files = files.to_vec();
                let shorter = words.iter().enumerate().filter(|(word, _)| !kept.contains(*word));
                let bytes = with_names(&text, shorter.map(|(_, word)| word));
                files[at] = File { bytes: bytes.into(), ..files[at].clone() };
                Candidate::of_files(Files::new(files))
            };
            let weights: Vec<u64> = words.iter().map(Word::gain).collect();
            let mut list = SessionList::new(session, rewritten);
            // Minimisers of the ddmin family never ask for the empty list.
            if !list.test(&Subset::empty())?.is_interesting() {
                self.minimizer.minimize(&weights, &mut list)?;
            }
        }
        Ok(())
    }
}

/// A word, where it stands and what it becomes.
struct Word {
    places: Vec<Range<usize>>,
    name: Vec<u8>,
}

impl Word {
    /// How many bytes its name saves.
    fn gain(&self) -> u64 {
        let saved = self.places[0].len() - self.name.len();
        (saved * self.places.len()) as u64
    }
}

/// The words that a name makes shorter, in the order of the text: the one that saves most has the shortest name.
fn renamed(text: &[u8]) -> Vec<Word> {
    let mut places: BTreeMap<&[u8], Vec<Range<usize>>> = BTreeMap::new();
    for place in words(text) {
        places.entry(&text[place.clone()]).or_default().push(place);
    }
    let taken: HashSet<&[u8]> = places.keys().copied().collect();
    let mut long: Vec<(&[u8], Vec<Range<usize>>)> = places
        .iter()
        .filter(|(word, _)| word.len() > 1)
        .map(|(word, places)| (*word, places.clone()))
        .collect();
    // Equals stay in the order of their letters, which the map has made.
    long.sort_by_key(|(word, places)| std::cmp::Reverse(word.len() * places.len()));
    let mut names = names().filter(|name| !taken.contains(name.as_slice()));
    let mut renamed: Vec<Word> = long
        .into_iter()
        .filter_map(|(word, places)| {
            let name = if word[0].is_ascii_digit() { b"0".to_vec() } else { names.next()? };
            (name.len() < word.len()).then_some(Word { places, name })
        })
        .collect();
    renamed.sort_by_key(|word| word.places[0].start);
    renamed
}

/// The places of words and numbers.
fn words(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].iter().position(is_word)?;
        at = start + text[start..].iter().take_while(|byte| is_word(byte)).count();
        Some(start..at)
    })
}

/// Names, the shorter ones first: `a` to `z`, then `aa` and so on.
fn names() -> impl Iterator<Item = Vec<u8>> {
    (1..).flat_map(|length: u32| {
        (0..26_u64.pow(length)).map(move |mut number| {
            let mut name = vec![b'a'; length as usize];
            for letter in name.iter_mut().rev() {
                *letter += (number % 26) as u8;
                number /= 26;
            }
            name
        })
    })
}

fn with_names<'w>(text: &[u8], words: impl Iterator<Item = &'w Word>) -> Vec<u8> {
    let at_places = |word: &'w Word| word.places.iter().map(|place| (place.clone(), word.name.clone()));
    let mut edits: Vec<(Range<usize>, Vec<u8>)> = words.flat_map(at_places).collect();
    edits.sort_by_key(|(place, _)| place.start);
    spliced(text, edits)
}
