//! The shortest text a token can have: a sample for every literal, pattern and composite token.

use crate::shortest::is_word;
use crate::source::Source;
use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind};

/// The shortest text of a token, or nothing when a pattern is beyond us. No parser reads a token without any text, even
/// where its pattern would allow that.
pub(crate) fn shortest(token: &Source) -> Option<String> {
    shortest_or_empty(token).filter(|text| !text.is_empty()).or_else(|| shortest_visible(token))
}

/// The shortest text that is not empty.
fn shortest_visible(token: &Source) -> Option<String> {
    match token {
        Source::Literal(_) | Source::Blank | Source::Name(_) => None,
        Source::Pattern(pattern) => String::from_utf8(visible(&parse(pattern)?)?).ok(),
        Source::Seq(members) | Source::Choice(members) => members.iter().find_map(shortest),
        Source::Repeat { content, .. } | Source::Alias { content, .. } | Source::Token { content, .. } => {
            shortest(content)
        }
    }
}

fn shortest_or_empty(token: &Source) -> Option<String> {
    match token {
        Source::Literal(text) => Some(text.clone()),
        Source::Pattern(pattern) => shortest_match(pattern),
        Source::Seq(members) => members.iter().map(shortest_or_empty).collect(),
        Source::Choice(members) => members
            .iter()
            .filter_map(shortest_or_empty)
            .min_by_key(|text| (text.len(), !is_word(text), text.clone())),
        Source::Blank | Source::Repeat { min: 0, .. } => Some(String::new()),
        Source::Repeat { content, .. } | Source::Alias { content, .. } | Source::Token { content, .. } => {
            shortest_or_empty(content)
        }
        Source::Name(_) => None,
    }
}

/// The shortest text a regular expression matches; among equals one that is easy to read.
fn shortest_match(pattern: &str) -> Option<String> {
    String::from_utf8(shortest_of(&parse(pattern)?)?).ok()
}

fn parse(pattern: &str) -> Option<Hir> {
    regex_syntax::ParserBuilder::new().build().parse(&to_rust_syntax(pattern)).ok()
}

/// Some short text that is not empty, for an expression whose shortest one is.
fn visible(hir: &Hir) -> Option<Vec<u8>> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => None,
        HirKind::Literal(_) | HirKind::Class(_) => shortest_of(hir),
        HirKind::Repetition(repetition) => visible(&repetition.sub),
        HirKind::Capture(capture) => visible(&capture.sub),
        HirKind::Concat(parts) => parts.iter().find_map(visible),
        HirKind::Alternation(parts) => parts.iter().filter_map(visible).min_by_key(Vec::len),
    }
}

fn shortest_of(hir: &Hir) -> Option<Vec<u8>> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(Vec::new()),
        HirKind::Literal(literal) => Some(literal.0.to_vec()),
        HirKind::Class(class) => readable_member(class),
        HirKind::Repetition(repetition) => {
            let once = if repetition.min == 0 { Vec::new() } else { shortest_of(&repetition.sub)? };
            Some(once.repeat(repetition.min as usize))
        }
        HirKind::Capture(capture) => shortest_of(&capture.sub),
        HirKind::Concat(parts) => {
            let parts = parts.iter().map(shortest_of).collect::<Option<Vec<_>>>()?;
            Some(parts.concat())
        }
        HirKind::Alternation(parts) => parts
            .iter()
            .filter_map(shortest_of)
            .min_by_key(|text| (text.len(), !is_word(&String::from_utf8_lossy(text)))),
    }
}

/// A member of a character class: `a` or `0` where possible, else something printable.
fn readable_member(class: &Class) -> Option<Vec<u8>> {
    let preferred = ['a', 'A', '0', '1'].into_iter().chain('!'..='~').chain([' ', '\n', '\t']);
    match class {
        Class::Unicode(class) => {
            let has = |c: &char| class.ranges().iter().any(|range| range.start() <= *c && *c <= range.end());
            let first =
                preferred.into_iter().find(has).or(class.ranges().first().map(ClassUnicodeRange::start))?;
            Some(first.to_string().into_bytes())
        }
        Class::Bytes(class) => class.ranges().first().map(|range| vec![range.start()]),
    }
}

/// JavaScript's regular expressions in Rust's dialect: inside a class `[`, `&` and `~` are plain characters there.
fn to_rust_syntax(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut in_class = false;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                out.push(c);
                out.extend(chars.next());
            }
            '[' if !in_class => {
                in_class = true;
                out.push(c);
                if chars.as_str().starts_with('^') {
                    out.extend(chars.next());
                }
            }
            ']' if in_class => {
                in_class = false;
                out.push(c);
            }
            '[' | '&' | '~' if in_class => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_short_readable_samples() {
        for (pattern, sample) in [
            ("[a-zA-Z_]\\w*", "a"),
            ("[0-9]+", "0"),
            ("[^\\n]*", "a"),
            ("( *|b?)c?", " "),
            ("<|[a-z]", "a"),
            ("0[xX][0-9a-f]+|[1-9]\\d*", "1"),
            ("[^[\\]]", "a"),
            ("\\r?\\n", "\n"),
            ("\\/\\/.*", "//"),
            ("[\\p{L}_]", "a"),
            ("a{3}", "aaa"),
            ("[$&~]", "$"),
        ] {
            let token = Source::Pattern(pattern.to_owned());
            assert_eq!(shortest(&token).as_deref(), Some(sample), "{pattern}");
        }
        assert_eq!(shortest(&Source::Pattern("(?<=x)y".to_owned())), None);
    }
}
