//! Rule files as text: what is written in them, line by line, before any language is known.

use std::fmt;

/// What is wrong with a rule file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong, and what to do.
    pub problem: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RuleError { file, line, problem } = self;
        write!(f, "{file}:{line}: {problem}")
    }
}

impl std::error::Error for RuleError {}

/// A text and the line it starts at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) line: usize,
    pub(super) text: String,
}

/// A pattern, and of which kinds of node it may be (any, if there are none).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Find {
    pub(super) kinds: Option<String>,
    pub(super) pattern: Text,
}

/// What happens to other places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Elsewhere {
    /// Only inside the nearest node of these kinds around the match.
    pub(super) scope: Option<String>,
    pub(super) find: Find,
    pub(super) becomes: Text,
}

/// A program, and what a rule makes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The program.
    pub before: String,
    /// What becomes of it.
    pub after: String,
    pub(super) line: usize,
}

/// One rule, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// What it does, in a line.
    pub about: String,
    /// The file it is from.
    pub file: String,
    /// Its parts, as they stand in the file.
    pub text: String,
    /// Programs and what it makes of them.
    pub examples: Vec<Example>,
    pub(super) line: usize,
    pub(super) find: Find,
    pub(super) becomes: Vec<Text>,
    pub(super) elsewhere: Vec<Elsewhere>,
    pub(super) conditions: Vec<Text>,
}

/// A file of rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleFile {
    /// Its name, for messages.
    pub name: String,
    /// The language its rules are for; any if it names none.
    pub language: Option<String>,
    /// Its rules.
    pub rules: Vec<Rule>,
    pub(super) includes: Vec<Text>,
    /// Characters that belong to words, beside letters, digits and `_`.
    pub(super) letters: String,
}

/// What stands between a pattern and what becomes of it.
const ARROW: &str = "~>";

impl RuleFile {
    /// Reads a rule file.
    ///
    /// # Errors
    /// If a line is not understood or a rule lacks a part.
    pub fn parse(name: &str, text: &str) -> Result<Self, RuleError> {
        let mut file = RuleFile { name: name.to_owned(), ..RuleFile::default() };
        let fail = |line, problem: String| RuleError { file: name.to_owned(), line, problem };
        for (Text { line, text }, source) in logical_lines(text) {
            let (word, kinds, rest) = keyword(&text).map_err(|problem| fail(line, problem))?;
            let value = Text { line, text: rest.to_owned() };
            match (word, kinds) {
                ("include", None) => file.includes.push(value),
                ("language", None) => file.language = Some(value.text),
                ("letters", None) => file.letters = value.text,
                ("rule", None) => {
                    let (rule, about) = rest
                        .split_once(':')
                        .ok_or_else(|| fail(line, "write `rule NAME: what it does`".to_owned()))?;
                    if file.rules.iter().any(|known| known.name == rule) {
                        return Err(fail(line, format!("there is a rule `{rule}` above: take another name")));
                    }
                    file.rules.push(Rule::new(&file.name, rule.trim(), about.trim(), line));
                }
                _ => {
                    let rule = file.rules.last_mut().ok_or_else(|| {
                        fail(
                            line,
                            format!(
                                "`{word}` stands before the first rule: write `rule NAME: what it does` first"
                            ),
                        )
                    })?;
                    rule.add(word, kinds, value).map_err(|problem| fail(line, problem))?;
                    if !matches!(word, "example" | "gives") {
                        rule.text += &source;
                    }
                }
            }
        }
        file.rules.iter().try_for_each(|rule| rule.whole().map_err(|problem| fail(rule.line, problem)))?;
        Ok(file)
    }
}

impl Rule {
    fn new(file: &str, name: &str, about: &str, line: usize) -> Self {
        Rule {
            file: file.to_owned(),
            name: name.to_owned(),
            about: about.to_owned(),
            text: String::new(),
            examples: Vec::new(),
            line,
            find: Find::default(),
            becomes: Vec::new(),
            elsewhere: Vec::new(),
            conditions: Vec::new(),
        }
    }

    /// Takes one of its lines.
    fn add(&mut self, word: &str, kinds: Option<&str>, value: Text) -> Result<(), String> {
        let kinds = kinds.map(str::to_owned);
        let line = value.line;
        match word {
            "find" if !self.find.pattern.text.is_empty() => {
                return Err("a rule has one `find`: make two rules of it".to_owned());
            }
            "find" => self.find = Find { kinds, pattern: value },
            "becomes" => self.becomes.push(value),
            "where" => self.conditions.push(value),
            "everywhere" | "inside" => {
                let (pattern, becomes) = value
                    .text
                    .split_once(ARROW)
                    .ok_or_else(|| format!("write `{word} PATTERN {ARROW} REPLACEMENT`"))?;
                let text = |text: &str| Text { line, text: text.trim().to_owned() };
                let (scope, kinds) = if word == "inside" { (kinds, None) } else { (None, kinds) };
                if word == "inside" && scope.is_none() {
                    return Err("name the node around: `inside(KIND) PATTERN ~> REPLACEMENT`".to_owned());
                }
                let find = Find { kinds, pattern: text(pattern) };
                self.elsewhere.push(Elsewhere { scope, find, becomes: text(becomes) });
            }
            "example" => {
                self.examples.push(Example { before: value.text, after: String::new(), line });
            }
            "gives" => {
                let example = self.examples.last_mut().ok_or("`gives` needs an `example` before it")?;
                example.after = value.text;
            }
            _ => {
                return Err(format!(
                    "`{word}` is no part of a rule: there are find, becomes, everywhere, inside, where, example and gives"
                ));
            }
        }
        Ok(())
    }

    /// Whether it has all its parts.
    fn whole(&self) -> Result<(), String> {
        let Rule { name, find, becomes, elsewhere, .. } = self;
        if find.pattern.text.is_empty() {
            return Err(format!("rule `{name}` has no pattern: add `find PATTERN`"));
        }
        if becomes.is_empty() && elsewhere.is_empty() {
            return Err(format!(
                "rule `{name}` changes nothing: add `becomes REPLACEMENT` (with nothing behind it to delete)"
            ));
        }
        Ok(())
    }
}

/// The lines that say something, each with those that go on with it (they start with `|`), and as it was written.
fn logical_lines(text: &str) -> Vec<(Text, String)> {
    let mut lines: Vec<(Text, String)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        match (trimmed.strip_prefix('|'), lines.last_mut()) {
            (Some(more), Some((last, source))) => {
                last.text += if last.text.contains(char::is_whitespace) { "\n" } else { " " };
                last.text += more.strip_prefix(' ').unwrap_or(more);
                *source += &format!("{line}\n");
            }
            _ => lines.push((Text { line: at + 1, text: trimmed.to_owned() }, format!("{line}\n"))),
        }
    }
    lines
}

/// A line's first word, the kinds in brackets behind it, and the rest.
fn keyword(line: &str) -> Result<(&str, Option<&str>, &str), String> {
    let end = line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    let Some(inside) = rest.strip_prefix('(') else { return Ok((word, None, rest.trim())) };
    let (kinds, rest) = inside.split_once(')').ok_or_else(|| format!("`{word}(` lacks its `)`"))?;
    Ok((word, Some(kinds), rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_file_is_told_by_line_and_by_what_to_do() {
        for (text, line, words) in [
            ("find x", 1, "write `rule NAME: what it does` first"),
            ("rule a", 1, "write `rule NAME: what it does`"),
            ("rule a: b\nbecomes x", 1, "add `find PATTERN`"),
            ("rule a: b\nfind x", 1, "add `becomes REPLACEMENT`"),
            ("# c\n\nrule a: b\nfind x\nfind y", 5, "make two rules of it"),
            ("rule a: b\nfind x\neverywhere y", 3, "write `everywhere PATTERN ~> REPLACEMENT`"),
            ("rule a: b\nfind x\ninside y ~> z", 3, "name the node around"),
            ("rule a: b\nfind(x", 2, "lacks its `)`"),
            ("rule a: b\ngives x", 2, "needs an `example`"),
            ("rule a: b\nfound x", 2, "`found` is no part of a rule"),
            ("rule a: b\nfind x\nbecomes\nrule a: b", 4, "take another name"),
        ] {
            let error = RuleFile::parse("my.rules", text).expect_err(text);
            assert_eq!(error.line, line, "{text}: {error}");
            assert!(error.to_string().contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn lines_that_start_with_a_bar_go_on_with_the_line_before() {
        let text = "rule a: b\n  find x\n  becomes\n  example\n    | if x:\n    |   y\n  gives y\n";
        let file = RuleFile::parse("p.rules", text).expect("it is well formed");
        let rule = &file.rules[0];
        assert_eq!((rule.examples[0].before.as_str(), rule.examples[0].after.as_str()), ("if x:\n  y", "y"));
        assert_eq!(rule.becomes, [Text { line: 3, text: String::new() }]);
    }
}
