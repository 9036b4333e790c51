//! The first difference between two texts, and what is the same about two differences.

use std::fmt;

use serde::Serialize;

/// Where two texts first differ. Later differences are often only consequences of the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The line, counted from 1.
    pub line: usize,
    /// What was wanted there; nothing if the text should have ended.
    pub expected: Option<String>,
    /// What was found there; nothing if the text ended.
    pub found: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.expected, &self.found) {
            (Some(expected), Some(found)) => write!(f, "`{found}` instead of `{expected}`"),
            (Some(expected), None) => write!(f, "`{expected}` is missing"),
            (None, Some(found)) => write!(f, "`{found}` is too much"),
            (None, None) => f.write_str("no difference"),
        }
    }
}

/// The first line in which two texts differ.
#[must_use]
pub fn first_difference(expected: &str, found: &str) -> Option<Difference> {
    let (mut wanted, mut got) = (expected.lines(), found.lines());
    for line in 1.. {
        match (wanted.next(), got.next()) {
            (None, None) => return None,
            (a, b) if a == b => {}
            (a, b) => {
                return Some(Difference {
                    line,
                    expected: a.map(str::to_owned),
                    found: b.map(str::to_owned),
                });
            }
        }
    }
    None
}

/// A text without what changes from run to run and from input to input: numbers, in either base, become `#`.
#[must_use]
pub fn signature(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_word = false;
    while let Some(c) = rest.chars().next() {
        // `x86` and `utf8` are names; `0x7f3a` and `42` are not.
        let taken = if in_word || !c.is_ascii_digit() {
            0
        } else if let Some(hex) = rest.strip_prefix("0x") {
            2 + hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len())
        } else {
            rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())
        };
        if taken > 0 {
            out.push('#');
            rest = &rest[taken..];
        } else {
            out.push(c);
            in_word = c.is_alphanumeric() || c == '_';
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}
