//! Whether two tokens without white space between them would read as one, or as something else.

use crate::language::Language;
use dwindle_grammar::{Rule, Rules, Sample};
use std::collections::HashSet;

/// What is known of a language's tokens for that question.
#[derive(Debug, Default)]
pub(crate) struct Fuse {
    /// Every beginning, two bytes or longer, of the language's punctuation and of its comments.
    beginnings: HashSet<Vec<u8>>,
    /// White space is a token of the language: a rule can demand it anywhere, so tokens that did not touch are kept
    /// apart, whatever they are.
    spaced: bool,
    /// Punctuation that is such only with white space behind it.
    apart: &'static [&'static str],
}

impl Fuse {
    pub(crate) fn new(language: Option<&Language>) -> Self {
        let mut fuse = Fuse::default();
        let Some(language) = language else { return fuse };
        let rules = language.grammar().rules();
        fuse.apart = language.entry().apart;
        fuse.spaced = rules.definitions.iter().any(|definition| demands_space(rules, &definition.body));
        for symbol in rules.symbols.iter().filter(|symbol| !symbol.named) {
            fuse.add(symbol.name.as_bytes());
        }
        for extra in &rules.extras {
            if let Some(text) = rules.samples[extra.index()].as_ref().and_then(|sample| sample.text.as_ref())
            {
                fuse.add(&text.as_bytes()[..text.len().min(2)]);
                if text.starts_with('/') {
                    fuse.add(b"//");
                    fuse.add(b"/*");
                }
            }
        }
        fuse
    }

    fn add(&mut self, punctuation: &[u8]) {
        if punctuation.first().is_some_and(|byte| !is_word(*byte)) {
            for length in 2..=punctuation.len() {
                self.beginnings.insert(punctuation[..length].to_vec());
            }
        }
    }

    /// Whether rules say themselves where white space stands.
    pub(crate) fn is_spaced(&self) -> bool {
        self.spaced
    }

    /// Whether the two texts must be kept apart.
    pub(crate) fn would_fuse(&self, first: &[u8], second: &[u8]) -> bool {
        let (Some(&end), Some(&start)) = (first.last(), second.first()) else {
            return false;
        };
        if self.spaced || self.apart.iter().any(|text| text.as_bytes() == first) {
            return true;
        }
        let (end_word, start_word) = (is_word(end), is_word(start));
        if end_word && start_word {
            return true;
        }
        let quote = |byte: u8| matches!(byte, b'"' | b'\'' | b'`');
        // Prefixes and suffixes of strings: r"", u8'', ""sv; and a quote that would be doubled.
        if (end_word && quote(start)) || (quote(end) && start_word) || (quote(end) && start == end) {
            return true;
        }
        // 1 . x is not 1. x
        if (first[0].is_ascii_digit() && start == b'.') || (end == b'.' && start.is_ascii_digit()) {
            return true;
        }
        if end_word || start_word {
            return false;
        }
        let mut joined = first.to_vec();
        joined.push(start);
        self.beginnings.contains(&joined)
    }
}

/// Whether white space, outside of extras, is a token somewhere in the rule.
fn demands_space(rules: &Rules, rule: &Rule) -> bool {
    match rule {
        Rule::Silent(text, _) => {
            let Sample { text, immediate, .. } = &rules.texts[text.index()];
            !immediate && text.as_deref() == Some(" ")
        }
        Rule::Seq(parts) | Rule::Choice(parts) => parts.iter().any(|part| demands_space(rules, part)),
        Rule::List { element, separator, .. } => {
            demands_space(rules, element) || separator.as_ref().is_some_and(|part| demands_space(rules, part))
        }
        Rule::Optional(_) | Rule::Blank | Rule::Child(_) | Rule::Own(..) | Rule::Call(_) => false,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_operators_that_would_merge_are_kept_apart() {
        let mut fuse = Fuse::default();
        for text in ["+", "++", "->", "-", "//", "<<="] {
            fuse.add(text.as_bytes());
        }
        for (first, second, expected) in [
            ("int", "x", true),
            ("x", "(", false),
            ("+", "+", true),
            ("+", "-", false),
            ("-", ">", true),
            ("/", "/x", true),
            ("<<", "=", true),
            ("1", ".", true),
            (".", "5", true),
            ("x", ".", false),
            ("L", "\"a\"", true),
            (")", ")", false),
            ("", "x", false),
        ] {
            assert_eq!(fuse.would_fuse(first.as_bytes(), second.as_bytes()), expected, "{first} {second}");
        }
    }

    #[test]
    fn where_white_space_is_a_token_everything_that_did_not_touch_is_kept_apart() {
        let spaced = |name: &str| crate::language(name).map(|language| Fuse::new(Some(&language)).spaced);
        assert_ne!(spaced("dtd"), Some(false));
        assert_ne!(spaced("c"), Some(true));
        assert_ne!(spaced("json"), Some(true));
    }
}
