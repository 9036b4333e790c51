//! The bytes of a text as tokens: every byte is in one, or in the white space before one.

use super::Labeller;
use crate::lexicon::{Marks, TokenId};
use crate::tree::{Block, Kind, Role};
use std::ops::Range;

impl Labeller<'_> {
    /// The bytes between here and there that no node shows: hand-written scanners and anonymous patterns leave some.
    /// They become tokens without a name.
    pub(super) fn hidden(&mut self, until: usize, parent: u32, role: Role) {
        loop {
            let start = self.cursor + white_space(&self.text[self.cursor..until]);
            if start >= until {
                return;
            }
            let rest = &self.text[start..until];
            let end = start + if role == Role::Free { word(rest) } else { visible(rest) };
            let node = self.open(Kind::Token, role, None, None, parent);
            let quoted = self.frames.last().is_some_and(|frame| frame.quoted);
            let marks = if quoted && start == self.cursor { Marks::GLUED } else { Marks::NONE };
            self.token(start, end, marks);
            self.close(node);
        }
    }

    /// Where the end of a line counts: makes it a token of its own, the first of the node that starts the line.
    pub(super) fn line_break(&mut self, node: u32, start: usize) {
        let gap = &self.text[self.cursor..start];
        let Some(newline) = gap.iter().rposition(|byte| *byte == b'\n') else {
            return;
        };
        if !self.language.entry().newline || self.tree.tokens.is_empty() {
            return;
        }
        let (lines, indentation) = gap.split_at(newline + 1);
        let block = self.blocks.last().expect("the outermost block stays");
        if !self.language.entry().layout.is_empty() && indentation == block.as_slice() {
            let lines = lines.to_vec();
            self.push_layout(self.cursor, &lines, Marks::BREAK.with(Marks::REINDENT));
        } else {
            let gap = gap.to_vec();
            self.push_layout(self.cursor, &gap, Marks::BREAK);
        }
        self.tree.nodes[node as usize].lead = 1;
        self.cursor = start;
        self.directive = false;
    }

    /// Starts a block of its own indentation, if the node starts a line that is indented further, or has several lines
    /// and starts further right, behind something else: its other lines are indented as far.
    pub(super) fn indent(&mut self, node: u32, text: Range<usize>) -> bool {
        let gap = &self.text[self.cursor..text.start];
        let block = self.blocks.last().expect("the outermost block stays");
        let inline = !gap.contains(&b'\n');
        let line = self.text[..text.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let deeper = if inline {
            let columns = (text.start - line).saturating_sub(block.len());
            let starts_line = self.text[line..text.start].trim_ascii().is_empty();
            if columns == 0 || starts_line || !self.text[text].contains(&b'\n') {
                return false;
            }
            vec![b' '; columns]
        } else {
            match self.text[line..text.start].strip_prefix(block.as_slice()) {
                Some(deeper) => deeper.to_vec(),
                None => return false,
            }
        };
        let indentation = [block.as_slice(), &deeper].concat();
        self.push_layout(self.cursor, &deeper, Marks::INDENT);
        self.blocks.push(indentation);
        self.tree.nodes[node as usize].lead = 1;
        self.tree.nodes[node as usize].block = if inline { Block::Inline } else { Block::Line };
        true
    }

    pub(super) fn push_layout(&mut self, at: usize, text: &[u8], marks: Marks) {
        let id = self.lexicon.intern(&[], text, marks);
        self.tree.tokens.push(id);
        self.tree.starts.push(at as u32);
    }

    /// Makes the bytes a token, the white space before them its trivia.
    pub(super) fn token(&mut self, start: usize, end: usize, mut marks: Marks) {
        let trivia = &self.text[self.cursor..start];
        let text = &self.text[start..end];
        if trivia.contains(&b'\n') {
            self.directive = false;
        }
        let line_ends = || {
            let rest = &self.text[end..];
            let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
            rest.get(blanks).is_none_or(|byte| *byte == b'\n')
        };
        if self.language.entry().directives {
            let starts_line = self.text[..start]
                .iter()
                .rev()
                .find(|byte| !matches!(byte, b' ' | b'\t'))
                .is_none_or(|byte| *byte == b'\n');
            if text.first() == Some(&b'#') && starts_line {
                marks = marks.with(Marks::OWN_LINE);
                self.directive = true;
            }
        }
        let unfinished = text.last() != Some(&b'\n');
        if (self.directive || marks.has(Marks::COMMENT)) && unfinished && line_ends() {
            marks = marks.with(Marks::LINE_END);
        }
        let mut trivia = trivia.to_vec();
        let after_break =
            self.tree.tokens.last().is_some_and(|last| self.lexicon.marks(*last).has(Marks::BREAK));
        if after_break && !trivia.is_empty() {
            marks = marks.with(Marks::INDENTED);
        }
        if self.tree.tokens.is_empty() {
            self.tree.head = std::mem::take(&mut trivia);
        }
        self.push(start, &trivia, end, marks);
        if self.text[start..end].contains(&b'\n') && self.text[end - 1] == b'\n' {
            self.directive = false;
        }
    }

    pub(super) fn push(&mut self, start: usize, trivia: &[u8], end: usize, marks: Marks) {
        let id = self.lexicon.intern(trivia, &self.text[start..end], marks);
        if trivia.is_empty()
            && let Some(last) = self.last_token()
        {
            self.lexicon.note_neighbours(last, id);
        }
        self.tree.tokens.push(id);
        self.tree.starts.push(start as u32);
        self.cursor = end;
    }

    /// The token before, unless a line break stands between.
    fn last_token(&self) -> Option<TokenId> {
        let is_border = |id: &TokenId| {
            let marks = self.lexicon.marks(*id);
            marks.is_layout() && !marks.has(Marks::BREAK)
        };
        let last = self.tree.tokens.iter().rev().copied().find(|id| !is_border(id));
        last.filter(|last| !self.lexicon.marks(*last).is_layout())
    }
}

/// The length of the text up to the next white space.
fn visible(text: &[u8]) -> usize {
    text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len())
}

/// The length of the word at the start, or of one character that is in no word: small pieces for text that nobody
/// understands.
fn word(text: &[u8]) -> usize {
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    text.iter().take_while(|byte| in_word(byte)).count().max(1)
}

/// How many bytes at the start are white space; an escaped line end counts as such.
fn white_space(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match (byte, text.get(at + 1), text.get(at + 2)) {
            (b'\\', Some(b'\n'), _) => at += 2,
            (b'\\', Some(b'\r'), Some(b'\n')) => at += 3,
            _ if byte.is_ascii_whitespace() || *byte == 0x0b => at += 1,
            _ => break,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escaped_line_end_is_white_space() {
        for (text, expected) in
            [("", 0), ("x", 0), (" \t\nx", 3), (" \\\n  x", 5), ("\\\r\nx", 3), ("\\x", 0)]
        {
            assert_eq!(white_space(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn text_that_nobody_understands_falls_into_words_and_single_characters() {
        for (text, expected) in [("ab1_c+", 5), ("+-", 1), ("(", 1), ("äö x", 4)] {
            assert_eq!(word(text.as_bytes()), expected, "{text:?}");
        }
    }
}
