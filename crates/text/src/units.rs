//! Where a text can be cut: lines, characters, tokens.

use std::ops::Range;

/// What the elements of a text are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Lines, with their ends.
    Line,
    /// Characters; single bytes where the text is not UTF-8.
    Char,
    /// Words, numbers, strings and punctuation, by one rule for every language, with the space behind them.
    Token,
}

impl Unit {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Unit::Line => "line",
            Unit::Char => "char",
            Unit::Token => "token",
        }
    }

    /// The pieces of a text; they cover it without gaps.
    #[must_use]
    pub fn cut(self, text: &[u8]) -> Vec<Range<usize>> {
        self.pieces(text).collect()
    }

    /// The same one by one: the pieces of a large text can take many times its size.
    pub(crate) fn pieces(self, text: &[u8]) -> impl Iterator<Item = Range<usize>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
            let piece = at..at + self.first_len(rest);
            at = piece.end;
            Some(piece)
        })
    }

    /// The length of the first piece of a text that is not empty.
    fn first_len(self, text: &[u8]) -> usize {
        match self {
            Unit::Line => text.iter().position(|&b| b == b'\n').map_or(text.len(), |at| at + 1),
            Unit::Char => char_len(text),
            Unit::Token => {
                let token = token_len(text);
                let blank = text[token..].iter().take_while(|b| b.is_ascii_whitespace());
                token + blank.count()
            }
        }
    }
}

/// How many tokens a text has, by the language-neutral rule that all our tables use.
#[must_use]
pub fn count_tokens(text: &[u8]) -> u64 {
    let (mut count, mut at) = (0, 0);
    while at < text.len() {
        let blank = text[at].is_ascii_whitespace();
        at += token_len(&text[at..]);
        count += u64::from(!blank);
    }
    count
}

fn char_len(rest: &[u8]) -> usize {
    let width = match rest[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    match rest.get(..width) {
        Some(bytes) if std::str::from_utf8(bytes).is_ok() => width,
        _ => 1,
    }
}

/// The length of the token that `rest` begins with: a string that ends on its line, a word, a number, a run of white
/// space, or one character.
fn token_len(rest: &[u8]) -> usize {
    let run = |holds: fn(u8) -> bool| rest.iter().take_while(|&&b| holds(b)).count();
    match rest[0] {
        quote @ (b'"' | b'\'') => string_len(rest, quote).unwrap_or(1),
        b if is_word_start(b) => run(is_word),
        b if b.is_ascii_digit() => run(|b| is_word(b) && b != b'$' || b == b'.'),
        b if b.is_ascii_whitespace() => run(|b| b.is_ascii_whitespace()),
        _ => char_len(rest),
    }
}

fn string_len(rest: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    loop {
        match *rest.get(at)? {
            b'\\' if rest.get(at + 1) != Some(&b'\n') => at += 2,
            b'\n' | b'\\' => return None,
            b if b == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// Bytes of letters beyond ASCII count as parts of words.
fn is_word_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b == b'$' || b >= 0x80
}

fn is_word(b: u8) -> bool {
    is_word_start(b) || b.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(unit: Unit, text: &str) -> Vec<&str> {
        unit.cut(text.as_bytes()).into_iter().map(|piece| &text[piece]).collect()
    }

    #[test]
    fn lines_keep_their_ends_and_the_last_needs_none() {
        assert_eq!(cut(Unit::Line, "a\r\n\nb"), ["a\r\n", "\n", "b"]);
    }

    #[test]
    fn characters_are_whole_and_bytes_where_the_text_is_not_utf8() {
        assert_eq!(cut(Unit::Char, "aé€😀"), ["a", "é", "€", "😀"]);
        assert_eq!(Unit::Char.cut(b"\xff\xc3\xa9\xc3").len(), 3);
    }

    #[test]
    fn tokens_are_strings_words_numbers_and_single_marks() {
        let text = "x_1 = f(\"a \\\" b\", 0x1F.5, 'c');\n  it's";
        assert_eq!(
            cut(Unit::Token, text),
            [
                "x_1 ",
                "= ",
                "f",
                "(",
                "\"a \\\" b\"",
                ", ",
                "0x1F.5",
                ", ",
                "'c'",
                ")",
                ";\n  ",
                "it",
                "'",
                "s"
            ]
        );
        assert_eq!(count_tokens(text.as_bytes()), 14);
    }

    proptest! {
        #[test]
        fn pieces_cover_any_bytes(text in proptest::collection::vec(any::<u8>(), 0..80)) {
            for unit in [Unit::Line, Unit::Char, Unit::Token] {
                let whole: Vec<u8> = unit.cut(&text).into_iter().flat_map(|piece| text[piece].to_vec()).collect();
                prop_assert_eq!(&whole, &text);
            }
        }
    }
}
