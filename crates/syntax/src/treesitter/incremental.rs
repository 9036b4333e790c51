//! Parsing variants of a text from its tree: only what differs is read again.
//!
//! What a variant shares with the text is told by whoever made it, or else found as a common start and a common end.
//! Variants are made of the text that was read, but most differ less from a later one, the best:
//!
//! ```text
//!   read        aaaabbbbccccdddd
//!   later       aaaabb  cc  dddd      the parse goes on from here
//!   variant     aaaabb  cc    dd      two letters less, though eight are gone from what was read
//! ```

use tree_sitter::{InputEdit, Point, Tree};

use super::Driver;
use crate::language::Language;

/// A run of bytes that a variant shares with the text that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedRun {
    /// Where it starts in the text that was read.
    pub read: usize,
    /// Where it starts in the variant.
    pub here: usize,
    /// How long it is.
    pub len: usize,
}

impl SharedRun {
    fn read_end(&self) -> usize {
        self.read + self.len
    }
}

/// How many times as long as a variant a text must be for a new parse to be quicker. An edit visits every node that goes,
/// which for a byte of C takes a fortieth of the time that reading it takes.
const MUCH: usize = 32;

/// A parser, the text that was read, and the text that variants are parsed from.
pub(crate) struct Incremental {
    driver: Driver,
    read: Parsed,
    /// Nothing if it is the text that was read.
    later: Option<Parsed>,
}

impl Incremental {
    pub(crate) fn new(language: &Language, text: &[u8]) -> Option<Self> {
        let mut driver = Driver::new(language.parser()?)?;
        let tree = driver.parse(text, None)?;
        Some(Incremental { driver, read: Parsed::whole(text, tree), later: None })
    }

    /// The tree of the text that was read.
    pub(crate) fn tree(&self) -> &Tree {
        &self.read.tree
    }

    /// The text that was read.
    pub(crate) fn text(&self) -> &[u8] {
        &self.read.text
    }

    /// The tree of a variant, and what it shares with the text that was read if that is known: runs in order, which do
    /// not overlap.
    pub(crate) fn variant(&mut self, text: &[u8], shared: Option<&[SharedRun]>) -> Option<Tree> {
        debug_assert!(
            shared
                .unwrap_or_default()
                .iter()
                .all(|run| { self.text()[run.read..run.read_end()] == text[run.here..run.here + run.len] })
        );
        let from = self.later.as_ref().unwrap_or(&self.read);
        if text.len() < from.text.len() / MUCH {
            return self.driver.parse(text, None);
        }
        let edits = match shared {
            Some(shared) => from.edits_to(text, shared),
            None => vec![from.edit_to(text)],
        };
        let mut old = from.tree.clone();
        // From the end, so that what stands before is where it was.
        edits.iter().rev().for_each(|edit| old.edit(edit));
        self.driver.parse(text, Some(&old))
    }

    /// Reads another text.
    pub(crate) fn read(&mut self, text: &[u8]) -> Option<()> {
        let tree = match self.later.take() {
            Some(later) if later.text == text => later.tree,
            later => {
                self.later = later;
                self.variant(text, None)?
            }
        };
        self.later = None;
        self.read = Parsed::whole(text, tree);
        Some(())
    }

    /// From now on variants are parsed from this one.
    pub(crate) fn go_on_from(&mut self, text: &[u8], shared: &[SharedRun]) {
        if text == self.read.text {
            self.later = None;
        } else if let Some(tree) = self.variant(text, Some(shared)) {
            self.later = Some(Parsed::new(text, tree, shared.to_vec()));
        }
    }
}

/// A text, its tree, and what it shares with the text that was read.
struct Parsed {
    text: Vec<u8>,
    /// Where each line starts.
    lines: Vec<usize>,
    tree: Tree,
    shared: Vec<SharedRun>,
}

impl Parsed {
    fn new(text: &[u8], tree: Tree, shared: Vec<SharedRun>) -> Self {
        let newlines = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(newlines).collect();
        Parsed { text: text.to_vec(), lines, tree, shared }
    }

    fn whole(text: &[u8], tree: Tree) -> Self {
        Self::new(text, tree, vec![SharedRun { read: 0, here: 0, len: text.len() }])
    }

    fn point(&self, at: usize) -> Point {
        let row = self.lines.partition_point(|start| *start <= at) - 1;
        Point::new(row, at - self.lines[row])
    }

    /// The edit that turns the text into `new`: one run of bytes that differs.
    fn edit_to(&self, new: &[u8]) -> InputEdit {
        let old = self.text.as_slice();
        let prefix = common_prefix(old, new);
        let shorter = old.len().min(new.len()) - prefix;
        let suffix = common_suffix(&old[old.len() - shorter..], &new[new.len() - shorter..]);
        self.edit(prefix, old.len() - suffix, &new[prefix..new.len() - suffix])
    }

    /// The edits that turn the text into `new`, each as if it were the only one.
    fn edits_to(&self, new: &[u8], shared: &[SharedRun]) -> Vec<InputEdit> {
        let mut edits = Vec::new();
        let mut told = (0, 0);
        for (old_at, new_at, len) in self.kept(shared).into_iter().chain([(self.text.len(), new.len(), 0)]) {
            let inserted = &new[told.1..new_at];
            if &self.text[told.0..old_at] != inserted {
                edits.push(self.edit(told.0, old_at, inserted));
            }
            told = (old_at + len, new_at + len);
        }
        edits
    }

    /// What the text has in common with a variant that shares these runs with the text that was read: where it starts
    /// in both, and how long it is.
    fn kept(&self, shared: &[SharedRun]) -> Vec<(usize, usize, usize)> {
        let mut kept = Vec::new();
        let (mut mine, mut theirs) = (self.shared.iter().peekable(), shared.iter().peekable());
        while let (Some(my), Some(their)) = (mine.peek(), theirs.peek()) {
            let (from, to) = (my.read.max(their.read), my.read_end().min(their.read_end()));
            if from < to {
                kept.push((my.here + from - my.read, their.here + from - their.read, to - from));
            }
            if my.read_end() <= their.read_end() {
                mine.next()
            } else {
                theirs.next()
            };
        }
        kept
    }

    /// The edit that puts `inserted` in place of the bytes from `start` to `end`.
    fn edit(&self, start: usize, end: usize, inserted: &[u8]) -> InputEdit {
        let start_position = self.point(start);
        let new_end_position = match inserted.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => {
                let rows = inserted.iter().filter(|byte| **byte == b'\n').count();
                Point::new(start_position.row + rows, inserted.len() - last - 1)
            }
            None => Point::new(start_position.row, start_position.column + inserted.len()),
        };
        InputEdit {
            start_byte: start,
            old_end_byte: end,
            new_end_byte: start + inserted.len(),
            start_position,
            old_end_position: self.point(end),
            new_end_position,
        }
    }
}

/// Bytes that are compared at once: texts are long and differ little.
const BLOCK: usize = 4096;

/// How many bytes two texts share at their start.
fn common_prefix(old: &[u8], new: &[u8]) -> usize {
    let blocks = old.chunks_exact(BLOCK).zip(new.chunks_exact(BLOCK));
    let same = blocks.take_while(|(old, new)| old == new).count() * BLOCK;
    same + old[same..].iter().zip(&new[same..]).take_while(|(old, new)| old == new).count()
}

/// How many bytes two texts share at their end.
fn common_suffix(old: &[u8], new: &[u8]) -> usize {
    let blocks = old.rchunks_exact(BLOCK).zip(new.rchunks_exact(BLOCK));
    let same = blocks.take_while(|(old, new)| old == new).count() * BLOCK;
    let rest = old[..old.len() - same].iter().rev().zip(new[..new.len() - same].iter().rev());
    same + rest.take_while(|(old, new)| old == new).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Parsed {
        let json = crate::language("json").expect("JSON is built in");
        let mut driver = Driver::new(json.parser().expect("it has a parser")).expect("it fits");
        Parsed::whole(text.as_bytes(), driver.parse(text.as_bytes(), None).expect("it ends"))
    }

    fn bytes(edit: InputEdit) -> (usize, usize, usize) {
        (edit.start_byte, edit.old_end_byte, edit.new_end_byte)
    }

    #[test]
    fn the_difference_of_two_texts_is_one_run_of_bytes() {
        for (old, new, expected) in [
            ("abc", "abc", (3, 3, 3)),
            ("abc", "ac", (1, 2, 1)),
            ("aaa", "aa", (2, 3, 2)),
            ("a\nbc\nd", "a\nd", (2, 5, 2)),
            ("", "xy", (0, 0, 2)),
        ] {
            assert_eq!(bytes(parsed(old).edit_to(new.as_bytes())), expected, "{old} {new}");
        }
        let edit = parsed("a\nbc\nd").edit_to(b"a\nx\ny\nd");
        assert_eq!((edit.start_position, edit.old_end_position), (Point::new(1, 0), Point::new(1, 2)));
        assert_eq!(edit.new_end_position, Point::new(2, 1));
    }

    #[test]
    fn long_texts_are_compared_to_the_byte() {
        let old = "x".repeat(3 * BLOCK);
        for at in [0, 1, BLOCK - 1, BLOCK, 2 * BLOCK + 5, 3 * BLOCK - 1] {
            let mut new = old.clone();
            new.replace_range(at..=at, "yz");
            assert_eq!(bytes(parsed(&old).edit_to(new.as_bytes())), (at, at + 1, at + 2), "{at}");
        }
    }

    #[test]
    fn what_a_variant_shares_with_a_later_text_is_no_edit() {
        let run = |read, here, len| SharedRun { read, here, len };
        // Read: 0123456789. Later: 01-56789, where - was put in.
        let later = Parsed { shared: vec![run(0, 0, 2), run(5, 3, 5)], ..parsed("01-56789") };
        let edits = |new: &str, shared: &[SharedRun]| -> Vec<_> {
            later.edits_to(new.as_bytes(), shared).into_iter().map(bytes).collect()
        };
        assert_eq!(edits("01-56789", &[run(0, 0, 2), run(5, 3, 5)]), []);
        assert_eq!(edits("01-569", &[run(0, 0, 2), run(5, 3, 2), run(9, 5, 1)]), [(5, 7, 5)]);
        assert_eq!(edits("0-789", &[run(0, 0, 1), run(7, 2, 3)]), [(1, 5, 2)]);
        assert_eq!(edits("0123456789", &[run(0, 0, 10)]), [(2, 3, 5)]);
        assert_eq!(edits("new", &[]), [(0, 8, 3)]);
    }
}
