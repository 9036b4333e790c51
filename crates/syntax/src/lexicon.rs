//! Tokens as numbers: each distinct token (its text, the white space before it, its manners) has one id.
//!
//! A candidate is a sequence of ids. [`Lexicon::render`] is a function of that sequence alone, so equal sequences are
//! equal texts, whatever tree they were cut from.

use crate::fuse::Fuse;
use crate::language::Language;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::Arc;

/// A token by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenId(pub u32);

/// A token's manners, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks(u16);

impl Marks {
    /// Ordinary.
    pub const NONE: Marks = Marks(0);
    /// No white space may be put before it (inside a string, say).
    pub const GLUED: Marks = Marks(1);
    /// Must be the first of its line (a preprocessor directive).
    pub const OWN_LINE: Marks = Marks(1 << 1);
    /// Must be the last of its line (a line comment).
    pub const LINE_END: Marks = Marks(1 << 2);
    /// No token of the language but the end of a line.
    pub const BREAK: Marks = Marks(1 << 3);
    /// A [`BREAK`](Self::BREAK) after which the indentation of the block stands.
    pub const REINDENT: Marks = Marks(1 << 4);
    /// The start of a block, its text the indentation it adds. Prints nothing.
    pub const INDENT: Marks = Marks(1 << 5);
    /// The end of a block. Prints nothing.
    pub const DEDENT: Marks = Marks(1 << 6);
    /// A comment.
    pub const COMMENT: Marks = Marks(1 << 7);
    /// The white space before it belongs to it even at the start of a line (indented code in Markdown).
    pub const INDENTED: Marks = Marks(1 << 8);

    /// Both sets.
    #[must_use]
    pub fn with(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    /// Whether all of `other` are in it.
    pub fn has(self, other: Marks) -> bool {
        self.0 & other.0 == other.0
    }

    /// Line ends and block borders: not tokens of the language.
    pub fn is_layout(self) -> bool {
        self.0 & (Self::BREAK.0 | Self::INDENT.0 | Self::DEDENT.0) != 0
    }
}

/// A token as it is looked up: its marks, the length of its white space, the white space, the text.
type Key = Arc<[u8]>;

/// Bytes before the white space in a key.
const HEADER: usize = 6;

#[derive(Debug)]
struct Entry {
    key: Key,
    /// Where the text starts.
    text: u32,
    marks: Marks,
    word: u32,
}

/// All tokens met so far, of one language.
#[derive(Debug)]
pub struct Lexicon {
    entries: Vec<Entry>,
    index: HashMap<Key, TokenId, foldhash::fast::FixedState>,
    /// The key being looked up.
    scratch: Vec<u8>,
    /// Pairs that look as if they would fuse but stood side by side in a text that was parsed.
    neighbours: HashSet<(TokenId, TokenId), foldhash::fast::FixedState>,
    fuse: Fuse,
}

impl Lexicon {
    /// An empty lexicon for a language (or for text of no known language).
    pub fn new(language: Option<&Language>) -> Self {
        Lexicon {
            entries: Vec::new(),
            index: HashMap::default(),
            scratch: Vec::new(),
            neighbours: HashSet::default(),
            fuse: Fuse::new(language),
        }
    }

    /// The id of a token.
    pub fn intern(&mut self, trivia: &[u8], text: &[u8], marks: Marks) -> TokenId {
        self.scratch.clear();
        self.scratch.extend_from_slice(&marks.0.to_le_bytes());
        self.scratch.extend_from_slice(&(trivia.len() as u32).to_le_bytes());
        self.scratch.extend_from_slice(trivia);
        self.scratch.extend_from_slice(text);
        if let Some(id) = self.index.get(self.scratch.as_slice()) {
            return *id;
        }
        let id = TokenId(self.entries.len() as u32);
        let key: Key = self.scratch.as_slice().into();
        let word = foldhash::fast::FixedState::default().hash_one(text) as u32;
        self.entries.push(Entry { key: Arc::clone(&key), text: (HEADER + trivia.len()) as u32, marks, word });
        self.index.insert(key, id);
        id
    }

    /// A token behind the white space that is before another one, whose place it takes.
    pub fn in_place_of(&mut self, other: TokenId, token: TokenId) -> TokenId {
        let (trivia, text) = (self.trivia(other).to_vec(), self.text(token).to_vec());
        self.intern(&trivia, &text, self.marks(token))
    }

    /// The same token with more marks.
    pub fn remark(&mut self, id: TokenId, marks: Marks) -> TokenId {
        let entry = &self.entries[id.0 as usize];
        let (key, start, all) = (Arc::clone(&entry.key), entry.text as usize, entry.marks.with(marks));
        self.intern(&key[HEADER..start], &key[start..], all)
    }

    /// Notes that two tokens stood side by side without anything between them.
    pub(crate) fn note_neighbours(&mut self, first: TokenId, second: TokenId) {
        if self.would_fuse(first, second) {
            self.neighbours.insert((first, second));
        }
    }

    /// A token's text.
    pub fn text(&self, id: TokenId) -> &[u8] {
        let entry = &self.entries[id.0 as usize];
        &entry.key[entry.text as usize..]
    }

    /// A number for a token's text, whatever white space stands before it. Other texts hardly ever have the same.
    pub fn word(&self, id: TokenId) -> u32 {
        self.entries[id.0 as usize].word
    }

    /// The white space before a token.
    pub fn trivia(&self, id: TokenId) -> &[u8] {
        let entry = &self.entries[id.0 as usize];
        &entry.key[HEADER..entry.text as usize]
    }

    /// A token's manners.
    pub fn marks(&self, id: TokenId) -> Marks {
        self.entries[id.0 as usize].marks
    }

    /// How many distinct tokens there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// No token yet.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether rules of the language say themselves where white space stands.
    pub(crate) fn is_spaced(&self) -> bool {
        self.fuse.is_spaced()
    }

    fn would_fuse(&self, first: TokenId, second: TokenId) -> bool {
        self.fuse.would_fuse(self.text(first), self.text(second))
    }

    /// What has to be put between two tokens that now stand side by side, beside the white space of the second: a line
    /// break or a space where they could not do without. Neither is layout.
    pub fn glue(&self, last: TokenId, next: TokenId) -> Option<u8> {
        let trivia = self.trivia(next);
        if self.needs_newline(last, next, trivia) {
            return Some(b'\n');
        }
        let white = self.text(last).last().is_none_or(u8::is_ascii_whitespace);
        let apart = white || !trivia.is_empty() || self.marks(next).has(Marks::GLUED);
        (!apart && self.needs_space(last, next)).then_some(b' ')
    }

    /// Whether a line must end between two tokens, and does not do so by itself or in the white space between them.
    fn needs_newline(&self, last: TokenId, next: TokenId, between: &[u8]) -> bool {
        let wanted = self.marks(last).has(Marks::LINE_END) || self.marks(next).has(Marks::OWN_LINE);
        let text = self.text(next);
        wanted
            && !text.starts_with(b"\n")
            && !text.starts_with(b"\r\n")
            && !self.text(last).ends_with(b"\n")
            && !between.contains(&b'\n')
    }

    fn needs_space(&self, last: TokenId, next: TokenId) -> bool {
        !self.neighbours.contains(&(last, next)) && self.would_fuse(last, next)
    }

    /// The text of a sequence of tokens. White space before the first one is left out.
    pub fn render(&self, tokens: impl IntoIterator<Item = TokenId>) -> Vec<u8> {
        let mut printer = Printer {
            lexicon: self,
            out: Vec::new(),
            last: None,
            last_end: 0,
            line: LineState::Inside,
            blocks: vec![Vec::new()],
        };
        for token in tokens {
            printer.print(token);
        }
        printer.flush();
        printer.out
    }
}

/// What stands at the end of the text so far.
enum LineState {
    /// Some token.
    Inside,
    /// A line break is due, in this form.
    Break(TokenId),
}

struct Printer<'l> {
    lexicon: &'l Lexicon,
    out: Vec<u8>,
    last: Option<TokenId>,
    /// Where that token ends.
    last_end: usize,
    line: LineState,
    /// Indentation of the open blocks, innermost last.
    blocks: Vec<Vec<u8>>,
}

impl Printer<'_> {
    fn print(&mut self, id: TokenId) {
        let (text, marks) = (self.lexicon.text(id), self.lexicon.marks(id));
        if marks.has(Marks::INDENT) {
            let mut indentation = self.blocks.last().cloned().unwrap_or_default();
            indentation.extend_from_slice(text);
            self.blocks.push(indentation);
        } else if marks.has(Marks::DEDENT) {
            if self.blocks.len() > 1 {
                self.blocks.pop();
            }
        } else if marks.has(Marks::BREAK) {
            // Of several breaks in a row (what stood between them is gone) the last counts; none starts a text.
            if self.last.is_some() {
                self.line = LineState::Break(id);
            }
        } else {
            // A token that has moved to the start of a line leaves the white space it had behind.
            let fresh = (self.flush() && !marks.has(Marks::INDENTED)) || self.last.is_none();
            let trivia = if fresh { &[] } else { self.lexicon.trivia(id) };
            if self.needs_newline(id, trivia) {
                self.out.push(b'\n');
            } else if trivia.is_empty() && !marks.has(Marks::GLUED) && self.needs_space(id) {
                self.out.push(b' ');
            }
            self.out.extend_from_slice(trivia);
            self.out.extend_from_slice(text);
            self.last = Some(id);
            self.last_end = self.out.len();
        }
    }

    /// Whether a line must end here, and does not do so by itself.
    fn needs_newline(&self, next: TokenId, trivia: &[u8]) -> bool {
        let broken = self.out[self.last_end..].contains(&b'\n');
        !broken && self.last.is_some_and(|last| self.lexicon.needs_newline(last, next, trivia))
    }

    fn needs_space(&self, next: TokenId) -> bool {
        let white = self.out.last().is_none_or(u8::is_ascii_whitespace);
        !white && self.last.is_some_and(|last| self.lexicon.needs_space(last, next))
    }

    /// Writes a line break that is due, and says whether there was one. Its indentation is that of the block the next
    /// token is in.
    fn flush(&mut self) -> bool {
        let LineState::Break(id) = self.line else {
            return false;
        };
        self.line = LineState::Inside;
        self.out.extend_from_slice(self.lexicon.text(id));
        if self.lexicon.marks(id).has(Marks::REINDENT) {
            let indentation = self.blocks.last().expect("the outermost block stays");
            self.out.extend_from_slice(indentation);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(tokens: &[(&str, &str, Marks)]) -> String {
        let mut lexicon = Lexicon::new(None);
        let ids: Vec<_> = tokens
            .iter()
            .map(|(trivia, text, marks)| lexicon.intern(trivia.as_bytes(), text.as_bytes(), *marks))
            .collect();
        String::from_utf8_lossy(&lexicon.render(ids)).into_owned()
    }

    #[test]
    fn tokens_keep_their_white_space_and_never_fuse() {
        let plain = Marks::NONE;
        for (tokens, expected) in [
            (&[("  ", "a", plain), (" ", "b", plain)][..], "a b"),
            (&[("", "a", plain), ("", "b", plain)], "a b"),
            (&[("", "a", plain), ("", "(", plain)], "a("),
            (&[("", "a", plain), ("", "b", Marks::GLUED)], "ab"),
            (&[("", "//x", Marks::LINE_END), (" ", "b", plain)], "//x\n b"),
            (&[("", "//x", Marks::LINE_END), ("\n", "b", plain)], "//x\nb"),
            (&[("", "a", plain), (" ", "#if", Marks::OWN_LINE)], "a\n #if"),
            (&[("", "#if", Marks::OWN_LINE), (" ", "a", plain)], "#if a"),
        ] {
            assert_eq!(print(tokens), expected, "{tokens:?}");
        }
    }

    #[test]
    fn blocks_are_indented_as_deep_as_they_are_nested() {
        let line = ("", "\n", Marks::BREAK.with(Marks::REINDENT));
        let (deeper, back) = (("", "  ", Marks::INDENT), ("", "", Marks::DEDENT));
        let word = |text| ("", text, Marks::NONE);
        let tokens =
            [word("a"), deeper, line, word("b"), deeper, line, word("c"), back, back, line, word("d")];
        assert_eq!(print(&tokens), "a\n  b\n    c\nd");
        // The same without the outer block.
        let tokens = [word("a"), line, word("b"), deeper, line, word("c"), back, line, word("d")];
        assert_eq!(print(&tokens), "a\nb\n  c\nd");
    }

    #[test]
    fn of_several_line_breaks_the_last_counts_and_none_starts_a_text() {
        let line = |text| ("", text, Marks::BREAK);
        let word = |text| (" ", text, Marks::NONE);
        assert_eq!(print(&[line("\n"), word("a"), line("\n\n"), line("\n "), word("b")]), "a\n b");
    }

    #[test]
    fn equal_tokens_have_equal_ids() {
        let mut lexicon = Lexicon::new(None);
        let a = lexicon.intern(b" ", b"a", Marks::NONE);
        assert_eq!(lexicon.intern(b" ", b"a", Marks::NONE), a);
        assert_ne!(lexicon.intern(b"", b"a", Marks::NONE), a);
        assert_ne!(lexicon.intern(b"", b" a", Marks::NONE), a);
        assert_ne!(lexicon.remark(a, Marks::GLUED), a);
        assert_eq!(lexicon.len(), 4);
    }
}
