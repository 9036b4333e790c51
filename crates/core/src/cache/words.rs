//! Texts as sequences of words, cut the same way whoever made them.
//!
//! A word is a run of letters, digits and underscores (of bytes above 127, too); every other byte is by itself. Most
//! deletions take whole words, so what is left is part of what was there, whichever pass took them: lines, tokens and
//! subtrees share one alphabet. A word that only lost some letters is another word.

use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::candidate::{Candidate, fingerprint_of_named};
use crate::fingerprint::Fingerprint;

/// The end of a file's name, and of a file: numbers that are no bytes.
pub(super) const NAME_END: u32 = 256;
pub(super) const FILE_END: u32 = 257;
/// The number of the first word; below it bytes stand for themselves.
const FIRST: u32 = 258;

/// Numbers for words.
#[derive(Default)]
pub(super) struct Words {
    /// All words, one behind the other, and where each ends.
    text: Vec<u8>,
    ends: Vec<u32>,
    numbers: HashTable<u32>,
}

impl Words {
    /// The words of a candidate, each file with its name before it.
    pub(super) fn read(&mut self, candidate: &Candidate) -> Vec<u32> {
        let mut ids = Vec::new();
        for file in candidate.files().iter() {
            self.cut(file.path.as_os_str().as_encoded_bytes(), &mut ids);
            ids.push(NAME_END);
            self.cut(&file.bytes, &mut ids);
            ids.push(FILE_END);
        }
        ids
    }

    /// The fingerprint of the candidate that reads so.
    pub(super) fn fingerprint(&self, ids: &[u32]) -> Fingerprint {
        let (mut all, mut name, mut text) = (Fingerprint::EMPTY, Vec::new(), Vec::new());
        for &id in ids {
            match id {
                NAME_END => name = std::mem::take(&mut text),
                FILE_END => {
                    all = all.then(fingerprint_of_named(&name, Fingerprint::of(&text)));
                    text.clear();
                }
                ..NAME_END => text.push(id as u8),
                FIRST.. => text.extend_from_slice(&self.text[self.place(id)]),
            }
        }
        all
    }

    /// How many bytes a word has.
    pub(super) fn length(&self, id: u32) -> usize {
        if id < FIRST { usize::from(id < NAME_END) } else { self.place(id).len() }
    }

    /// Bytes allocated.
    pub(super) fn allocated(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<u32>() + self.numbers.allocation_size()
    }

    fn cut(&mut self, text: &[u8], ids: &mut Vec<u32>) {
        for run in text.chunk_by(|&a, &b| is_letter(a) && is_letter(b)) {
            ids.push(if run.len() == 1 { u32::from(run[0]) } else { self.number(run) });
        }
    }

    fn place(&self, id: u32) -> Range<usize> {
        place(&self.ends, id)
    }

    fn number(&mut self, word: &[u8]) -> u32 {
        let Words { text, ends, numbers } = self;
        let hash = |word: &[u8]| FixedState::default().hash_one(word);
        if let Some(&id) = numbers.find(hash(word), |&id| text[place(ends, id)] == *word) {
            return id;
        }
        let id = FIRST + u32::try_from(ends.len()).expect("no text has 2^32 different words");
        text.extend_from_slice(word);
        ends.push(u32::try_from(text.len()).expect("the words of a text are shorter than 4 GiB"));
        numbers.insert_unique(hash(word), id, |&id| hash(&text[place(ends, id)]));
        id
    }
}

fn place(ends: &[u32], id: u32) -> Range<usize> {
    let at = (id - FIRST) as usize;
    let start = at.checked_sub(1).map_or(0, |before| ends[before]);
    start as usize..ends[at] as usize
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte > 127
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::{File, Files};

    #[test]
    fn what_was_read_has_the_fingerprint_of_the_candidate() {
        let mut words = Words::default();
        for files in [
            Files::single("in.c", *b"int main() { return x_1 + x_1; }\n"),
            Files::single("x", *b""),
            Files::new([File::new("a b", *b"\0\xff\xfe a"), File::new("dir/b", *b"b")]),
            Files::default(),
        ] {
            let candidate = Candidate::of_files(files);
            let ids = words.read(&candidate);
            assert_eq!(words.fingerprint(&ids), candidate.fingerprint());
            let names: usize = candidate.files().iter().map(|file| file.path.as_os_str().len()).sum();
            let bytes: usize = ids.iter().map(|&id| words.length(id)).sum();
            assert_eq!(bytes, candidate.size() as usize + names);
        }
    }

    #[test]
    fn equal_words_have_equal_numbers_and_bytes_their_own() {
        let mut words = Words::default();
        let ids = words.read(&Candidate::of_files(Files::single("f", *b"ab (ab)\n")));
        assert_eq!(ids, [102, NAME_END, FIRST, 32, 40, FIRST, 41, 10, FILE_END]);
    }
}
