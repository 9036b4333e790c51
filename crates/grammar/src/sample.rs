//! The shortest text a token can have: a sample for every literal, pattern and composite token.

use crate::source::Source;
use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind};

/// The shortest text of a token, or nothing when a pattern is beyond us.
pub(crate) fn shortest(token: &Source) -> Option<String> {
    match token {
        Source::Literal(text) => Some(text.clone()),
        Source::Pattern(pattern) => shortest_match(pattern),
        Source::Seq(members) => members.iter().map(shortest).collect(),
        Source::Choice(members) => {
            members.iter().filter_map(shortest).min_by(|a, b| (a.len(), a).cmp(&(b.len(), b)))
        }
        Source::Blank | Source::Repeat { min: 0, .. } => Some(String::new()),
        Source::Repeat { content, .. } | Source::Alias { content, .. } | Source::Token { content, .. } => {
            shortest(content)
        }
        Source::Name(_) => None,
    }
}

/// The shortest text a regular expression matches; among equals one that is easy to read.
fn shortest_match(pattern: &str) -> Option<String> {
    let hir = regex_syntax::ParserBuilder::new().build().parse(&to_rust_syntax(pattern)).ok()?;
    String::from_utf8(shortest_of(&hir)?).ok()
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
        HirKind::Alternation(parts) => parts.iter().filter_map(shortest_of).min_by_key(Vec::len),
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
            ("[^\\n]*", ""),
            ("0[xX][0-9a-f]+|[1-9]\\d*", "1"),
            ("[^[\\]]", "a"),
            ("\\r?\\n", "\n"),
            ("\\/\\/.*", "//"),
            ("[\\p{L}_]", "a"),
            ("a{3}", "aaa"),
            ("[$&~]", "$"),
        ] {
            assert_eq!(shortest_match(pattern).as_deref(), Some(sample), "{pattern}");
        }
        assert_eq!(shortest_match("(?<=x)y"), None);
    }
}
