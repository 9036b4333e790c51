//! C programs of nested statements, of which some calls are needed, and the predicate that says so.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt::Write;

use clap::ValueEnum;
use dwindle_syntax::{Reader, language};

use crate::rng::Rng;

/// Where the needed calls are, and what else must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shape {
    /// Needed calls all over the program
    Scattered,
    /// Needed calls in one function
    Clustered,
    /// Needed calls inside of many blocks
    Deep,
    /// Scattered, and what a statement uses must be declared
    Dependent,
}

impl Shape {
    pub(super) fn name(self) -> &'static str {
        match self {
            Shape::Scattered => "scattered",
            Shape::Clustered => "clustered",
            Shape::Deep => "deep",
            Shape::Dependent => "dependent",
        }
    }
}

/// A program and what makes a variant of it interesting.
pub(super) struct Workload {
    pub(super) text: String,
    needed: Vec<String>,
    /// Whether variables must be declared.
    declared: bool,
}

/// Tokens a function has on average.
const FUNCTION: usize = 110;

struct Maker {
    text: String,
    rng: Rng,
    variables: usize,
    /// Calls that are still to be placed in this function.
    due: Vec<String>,
}

impl Maker {
    fn line(&mut self, depth: usize, line: &str) {
        writeln!(self.text, "{:1$}{line}", "", 4 * depth).expect("strings take all");
    }

    fn block(&mut self, depth: usize, deepest: usize) {
        for _ in 0..2 + self.rng.below(4) {
            let variable = self.rng.below(self.variables);
            match self.rng.below(6) {
                0 => {
                    let value = self.rng.below(90);
                    self.line(depth, &format!("int v{} = {value};", self.variables));
                    self.variables += 1;
                }
                1 if depth < deepest => {
                    self.line(depth, &format!("if (v{variable} < {}) {{", variable % 9));
                    self.block(depth + 1, deepest);
                    self.line(depth, "}");
                }
                2 if depth < deepest => {
                    self.line(depth, &format!("while (v{variable}) {{"));
                    self.block(depth + 1, deepest);
                    self.line(depth, "}");
                }
                _ => self.line(depth, &format!("v{variable} = v{variable} * {} + 1;", variable % 7)),
            }
        }
    }

    fn function(&mut self, number: usize, shape: Shape) {
        self.line(0, &format!("void f{number}(int a, char *b) {{"));
        self.block(1, 4);
        for call in std::mem::take(&mut self.due) {
            let around = if shape == Shape::Deep { 6 } else { 0 };
            for depth in 0..around {
                self.line(1 + depth, "if (a) {");
            }
            self.line(1 + around, &call);
            for depth in (0..around).rev() {
                self.line(1 + depth, "}");
            }
        }
        self.block(1, 3);
        self.line(0, "}");
    }
}

impl Workload {
    /// A program of about so many tokens, with so many calls that are needed, or one in each function if those are fewer.
    pub(super) fn new(shape: Shape, tokens: usize, needed: usize) -> Self {
        let functions = (tokens / FUNCTION).max(2);
        let calls = needed.min(functions);
        let rng = Rng::new(tokens as u64 + shape as u64);
        let mut maker = Maker { text: "int v0 = 1;\n".to_owned(), rng, variables: 1, due: Vec::new() };
        let mut needed = Vec::new();
        for number in 0..functions {
            let here = match shape {
                Shape::Clustered if number == functions / 2 => calls,
                Shape::Clustered => 0,
                _ => usize::from(number * calls / functions != (number + 1) * calls / functions),
            };
            for _ in 0..here {
                let name = format!("need{}", needed.len());
                let variable = maker.rng.below(maker.variables);
                maker.due.push(format!("{name}(v{variable});"));
                needed.push(format!("{name}("));
            }
            maker.function(number, shape);
        }
        Workload { text: maker.text, needed, declared: shape == Shape::Dependent }
    }

    /// Whether a variant is a program without syntax errors that has what is needed.
    pub(super) fn holds(&self, text: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(text) else { return false };
        let squeezed: String = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" (", "(");
        self.needed.iter().all(|call| squeezed.contains(call))
            && (!self.declared || declares_what_it_uses(text))
            && is_well_formed(text)
    }
}

/// Every `v…` that occurs is declared by an `int` before it somewhere.
fn declares_what_it_uses(text: &str) -> bool {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_variable = |word: &str| word.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
    let declared: HashSet<&str> = words.windows(2).filter(|two| two[0] == "int").map(|two| two[1]).collect();
    words.iter().filter(|word| is_variable(word)).all(|word| declared.contains(word))
}

fn is_well_formed(text: &str) -> bool {
    thread_local! {
        static READER: RefCell<Reader> =
            RefCell::new(Reader::new(&language("c").expect("this program is built with it")));
    }
    READER.with_borrow_mut(|reader| reader.errors(text.as_bytes()) == Some(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_interesting_as_a_whole_and_not_without_a_call_or_a_brace() {
        for &shape in Shape::value_variants() {
            let workload = Workload::new(shape, 1_000, 6);
            assert!(workload.holds(workload.text.as_bytes()), "{shape:?}\n{}", workload.text);
            for part in [workload.needed[1].as_str(), "}"] {
                let less = workload.text.replacen(part, "", 1);
                assert!(!workload.holds(less.as_bytes()), "{shape:?} without {part}");
            }
            let undeclared = workload.text.replacen("int v0 = 1;", "", 1);
            assert_eq!(workload.holds(undeclared.as_bytes()), shape != Shape::Dependent, "{shape:?}");
        }
    }
}
