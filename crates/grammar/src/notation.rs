//! A small notation for grammars written by hand: ours for S-expressions, and those of the tests.
//!
//! ```text
//! program    = _statement*
//! _statement = call | block                # a leading underscore hides a rule, as in tree-sitter
//! call       = name "(" (name ("," name)*)? ")" ";"
//! block      = "{" _statement* "}"
//! name       = /[a-z]+/
//! ```

use crate::json::LoadError;
use crate::source::{Source, SourceGrammar};

/// Parses a grammar in this notation.
pub fn read(name: &str, text: &str) -> Result<SourceGrammar, LoadError> {
    let mut grammar = SourceGrammar { name: name.to_owned(), ..SourceGrammar::default() };
    for (index, line) in text.lines().enumerate() {
        let mut reader = Reader { rest: line, line: index + 1 };
        reader.skip_blanks();
        if reader.rest.is_empty() {
            continue;
        }
        let name = reader.name().ok_or_else(|| reader.error("expected the name of a rule"))?;
        if !reader.take("=") {
            return Err(reader.error("expected `=` after the name of the rule"));
        }
        let body = reader.choice()?;
        if !reader.rest.is_empty() {
            return Err(reader.error("expected the end of the rule"));
        }
        grammar.rules.push((name, body));
    }
    Ok(grammar)
}

struct Reader<'t> {
    rest: &'t str,
    line: usize,
}

impl Reader<'_> {
    fn error(&self, problem: &str) -> LoadError {
        LoadError::Notation { line: self.line, problem: format!("{problem}, found `{}`", self.rest) }
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
        if self.rest.starts_with('#') {
            self.rest = "";
        }
    }

    fn take(&mut self, token: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(token) else {
            return false;
        };
        self.rest = rest;
        self.skip_blanks();
        true
    }

    fn name(&mut self) -> Option<String> {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let name = self.rest[..end].to_owned();
        self.rest = &self.rest[end..];
        self.skip_blanks();
        (!name.is_empty()).then_some(name)
    }

    fn choice(&mut self) -> Result<Source, LoadError> {
        let mut members = vec![self.sequence()?];
        while self.take("|") {
            members.push(self.sequence()?);
        }
        Ok(one_or(members, Source::Choice))
    }

    fn sequence(&mut self) -> Result<Source, LoadError> {
        let mut members = Vec::new();
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            members.push(self.item()?);
        }
        if members.is_empty() {
            return Ok(Source::Blank);
        }
        Ok(one_or(members, Source::Seq))
    }

    fn item(&mut self) -> Result<Source, LoadError> {
        let mut item = if self.take("(") {
            let inner = self.choice()?;
            if !self.take(")") {
                return Err(self.error("expected `)`"));
            }
            inner
        } else if let Some(text) = self.delimited('"')? {
            Source::Literal(text)
        } else if let Some(text) = self.delimited('/')? {
            Source::Pattern(text)
        } else {
            Source::Name(self.name().ok_or_else(|| self.error("expected a part of a rule"))?)
        };
        loop {
            item = if self.take("*") {
                Source::Repeat { content: Box::new(item), min: 0 }
            } else if self.take("+") {
                Source::Repeat { content: Box::new(item), min: 1 }
            } else if self.take("?") {
                Source::Choice(vec![item, Source::Blank])
            } else {
                return Ok(item);
            };
        }
    }

    /// A text between two delimiters; a backslash protects the next character (and stays, in a pattern).
    fn delimited(&mut self, delimiter: char) -> Result<Option<String>, LoadError> {
        let Some(rest) = self.rest.strip_prefix(delimiter) else {
            return Ok(None);
        };
        let mut text = String::new();
        let mut chars = rest.char_indices();
        while let Some((index, c)) = chars.next() {
            match c {
                '\\' => {
                    let (_, next) = chars.next().ok_or_else(|| self.error("expected the end of a text"))?;
                    if delimiter == '/' {
                        text.push('\\');
                    }
                    text.push(if delimiter == '"' && next == 'n' { '\n' } else { next });
                }
                _ if c == delimiter => {
                    self.rest = &rest[index + 1..];
                    self.skip_blanks();
                    return Ok(Some(text));
                }
                _ => text.push(c),
            }
        }
        Err(self.error("expected the end of a text"))
    }
}

fn one_or(mut members: Vec<Source>, many: impl Fn(Vec<Source>) -> Source) -> Source {
    if members.len() == 1 { members.remove(0) } else { many(members) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_bind_to_the_item_before_them() {
        let grammar = read("t", "a = b \"x\"* | (c d)? # note\n\nb = /[a\\/]/").unwrap();
        let name = |n: &str| Source::Name(n.to_owned());
        let star = Source::Repeat { content: Box::new(Source::Literal("x".to_owned())), min: 0 };
        let group = Source::Choice(vec![Source::Seq(vec![name("c"), name("d")]), Source::Blank]);
        assert_eq!(grammar.rules[0].1, Source::Choice(vec![Source::Seq(vec![name("b"), star]), group]));
        assert_eq!(grammar.rules[1].1, Source::Pattern("[a\\/]".to_owned()));
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        for (text, message) in [
            ("a = b\n= c", "line 2: expected the name of a rule"),
            ("a b", "line 1: expected `=`"),
            ("a = (b", "line 1: expected `)`"),
            ("a = \"b", "line 1: expected the end of a text"),
            ("a = b)", "line 1: expected the end of the rule"),
        ] {
            let error = read("t", text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }
}
