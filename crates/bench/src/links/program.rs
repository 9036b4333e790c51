//! Programs of functions that call each other, in several languages, and a predicate like a compiler's: what is called
//! must be defined.

use std::collections::HashSet;
use std::fmt::Write;
use std::sync::Mutex;

use dwindle_syntax::{Reader, language};

use crate::rng::Rng;

/// How a language writes a function `{name}` with a body, and a call in it.
pub(super) struct Language {
    pub(super) name: &'static str,
    pub(super) extension: &'static str,
    /// Before all functions, and behind them.
    frame: [&'static str; 2],
    /// Before and behind the name of a function, and behind its body.
    function: [&'static str; 3],
    statement_end: &'static str,
}

/// The languages in which definitions are linked by the grammars' own queries.
pub(super) const LANGUAGES: &[Language] = &[
    braces("c", "c", ["", ""], ["int ", "(int x) {\n", "}\n"], ";"),
    braces("rust", "rs", ["", ""], ["fn ", "(x: i32) {\n", "}\n"], ";"),
    braces("java", "java", ["class A {\n", "}\n"], ["static void ", "(int x) {\n", "}\n"], ";"),
    braces("python", "py", ["", ""], ["def ", "(x):\n", ""], ""),
    braces("go", "go", ["package main\n", ""], ["func ", "(x int) {\n", "}\n"], ""),
    braces("javascript", "js", ["", ""], ["function ", "(x) {\n", "}\n"], ";"),
];

const fn braces(
    name: &'static str,
    extension: &'static str,
    frame: [&'static str; 2],
    function: [&'static str; 3],
    statement_end: &'static str,
) -> Language {
    Language { name, extension, frame, function, statement_end }
}

/// Calls that must stay.
const NEEDED: usize = 5;

/// A program and what makes a variant of it interesting.
pub(super) struct Program {
    pub(super) language: &'static Language,
    pub(super) text: String,
    reader: Mutex<Reader>,
}

impl Program {
    /// A program of so many functions, each of which calls some of those before it.
    pub(super) fn new(shape: &'static Language, functions: usize) -> Self {
        let mut rng = Rng::new(functions as u64);
        let mut text = shape.frame[0].to_owned();
        let [before, behind, end] = shape.function;
        for number in 0..functions {
            write!(text, "{before}f{number}{behind}").expect("strings take all");
            let mut call = |name: String| {
                writeln!(text, "    {name}(x + {number}){}", shape.statement_end).expect("strings take all");
            };
            call("work".to_owned());
            // Most functions call few others, and near ones, as in programs that people write.
            for _ in 0..rng.below(4).min(number) {
                let near = number.min(1 + rng.below(30));
                call(format!("f{}", number - 1 - rng.below(near)));
            }
            if (number + 1) * NEEDED / functions != number * NEEDED / functions {
                call(format!("need{}", number * NEEDED / functions));
            }
            text.push_str(end);
        }
        text.push_str(shape.frame[1]);
        let reader = Reader::new(&language(shape.name).expect("this program is built with it"));
        Program { language: shape, text, reader: Mutex::new(reader) }
    }

    /// Whether a variant has no syntax error and all needed calls, and calls nothing that it does not define.
    pub(super) fn holds(&self, text: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(text) else { return false };
        let is_name = |c: char| c.is_ascii_alphanumeric();
        let words: Vec<&str> = text.split(|c| !is_name(c)).filter(|word| !word.is_empty()).collect();
        let keyword = self.language.function[0].split_whitespace().last().unwrap_or_default();
        let is_function = |word: &str| word.strip_prefix('f').is_some_and(|rest| rest.parse::<u32>().is_ok());
        let pairs = words.windows(2).filter(|pair| pair[0] == keyword && is_function(pair[1]));
        let defined: HashSet<&str> = pairs.map(|pair| pair[1]).collect();
        let needed = (0..NEEDED).map(|number| format!("need{number}"));
        words.iter().filter(|word| is_function(word)).all(|word| defined.contains(word))
            && needed.into_iter().all(|name| words.contains(&name.as_str()))
            && self.reader.lock().expect("nobody panics with it").errors(text.as_bytes()) == Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_interesting_and_not_without_a_definition_that_is_called() {
        for language in LANGUAGES {
            let program = Program::new(language, 30);
            assert!(program.holds(program.text.as_bytes()), "{}\n{}", language.name, program.text);
            let called = (0..30).find(|number| program.text.contains(&format!("    f{number}("))).unwrap();
            let renamed = program.text.replace(&format!("{}f{called}(", language.function[0]), "");
            assert!(!program.holds(renamed.as_bytes()), "{}", language.name);
            assert!(!program.holds(program.text.replace("need3", "work").as_bytes()), "{}", language.name);
        }
    }
}
