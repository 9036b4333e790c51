//! Compares tree presets on C programs without a compiler: a program is interesting if it parses, uses no name that is
//! not declared (but for those that the input does not declare either), and still has some kinds of node; or, with
//! `--calls N`, still calls N of its functions, which are taken at equal distances from all it calls.
//!
//! `cargo run --release -p dwindle-tree --example surrogate -- [--calls N,...] PRESETS FILE...`, presets with commas between
//! them, each with `+MINIMISER` behind it for another list minimiser inside.

#![allow(clippy::print_stdout)] // a table is what it is for

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use dwindle_core::{Candidate, Files, Options as SessionOptions, Session};
use dwindle_syntax::{Filter, Kind, NodeId, Reader, Tree, language};
use dwindle_tree::{LanguageChoice, Options, Sources, presets};

/// Kinds of node that must stay together.
const WANTED: [&[&str]; 4] = [
    &["for_statement", "subscript_expression", "call_expression"],
    &["conditional_expression", "if_statement", "update_expression"],
    &["pointer_expression", "assignment_expression", "for_statement", "call_expression"],
    &["while_statement", "cast_expression", "binary_expression", "assignment_expression"],
];

thread_local! {
    static READER: RefCell<Reader> = RefCell::new(Reader::new(&language("c").expect("C is built in")));
}

/// What a program is made of: its kinds of node, the names it uses and does not declare, its errors.
struct Facts {
    kinds: BTreeSet<String>,
    calls: BTreeSet<Vec<u8>>,
    undeclared: BTreeSet<Vec<u8>>,
    errors: usize,
    tokens: usize,
}

fn facts(text: &[u8]) -> Facts {
    READER.with_borrow_mut(|reader| {
        let tree = reader.read(text).expect("C is read quickly");
        let (mut declared, mut undeclared, mut calls) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let lexicon = reader.lexicon();
        for node in tree.nodes().filter(|node| tree.kind(*node) == Kind::Token) {
            let name = tree.name(node).unwrap_or_default();
            if !matches!(name, "identifier" | "type_identifier") {
                continue;
            }
            let word = lexicon.text(tree.tokens()[tree.inner_range(node).start as usize]).to_vec();
            if tree.parent(node).is_some_and(|above| tree.name(above) == Some("call_expression")) {
                calls.insert(word.clone());
            }
            if declares(&tree, node) {
                declared.insert(word);
            } else if !declared.contains(&word) {
                undeclared.insert(word);
            }
        }
        let kinds = tree.nodes().filter_map(|node| tree.name(node).map(str::to_owned)).collect();
        Facts { kinds, calls, undeclared, errors: tree.errors(), tokens: tree.token_count(lexicon) }
    })
}

/// Whether a name is declared where it stands.
fn declares(tree: &Tree, node: NodeId) -> bool {
    let mut above = tree.parent(node);
    while let Some(parent) = above {
        match tree.name(parent) {
            None => above = tree.parent(parent),
            Some("init_declarator") => return tree.children(parent).next() == Some(node),
            Some("declaration" | "parameter_declaration" | "type_definition") => {
                return tree.children(parent).next() != Some(node);
            }
            Some(name) => return name.ends_with("declarator") || name.ends_with("_specifier"),
        }
    }
    false
}

/// What must stay, and what to call it.
struct Wanted {
    name: String,
    holds: Box<dyn Fn(&Facts) -> bool + Sync>,
}

fn of_kinds(input: &Facts) -> Vec<Wanted> {
    let there = WANTED.iter().filter(|kinds| kinds.iter().all(|kind| input.kinds.contains(*kind)));
    let wanted = |kinds: &&'static [&'static str]| {
        let kinds: &'static [&'static str] = kinds;
        let holds = move |facts: &Facts| kinds.iter().all(|kind| facts.kinds.contains(*kind));
        Wanted { name: kinds.join("+"), holds: Box::new(holds) }
    };
    there.map(wanted).collect()
}

fn of_calls(input: &Facts, numbers: &str) -> Vec<Wanted> {
    let calls: Vec<&Vec<u8>> = input.calls.iter().collect();
    let wanted = |number: &str| {
        let number: usize = number.parse().expect("--calls takes numbers");
        let step = (calls.len() / number.max(1)).max(1);
        let chosen: Vec<Vec<u8>> =
            calls.iter().step_by(step).take(number).map(|call| call.to_vec()).collect();
        let holds = move |facts: &Facts| chosen.iter().all(|call| facts.calls.contains(call));
        Wanted { name: format!("{number} of {} calls", calls.len()), holds: Box::new(holds) }
    };
    numbers.split(',').map(wanted).collect()
}

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let calls = arguments.next_if_eq("--calls").map(|_| arguments.next().expect("--calls takes numbers"));
    let chosen = arguments.next().expect("presets come first");
    for path in arguments {
        let text = std::fs::read(&path).expect("the file can be read");
        let input = facts(&text);
        let wanted = calls.as_deref().map_or_else(|| of_kinds(&input), |numbers| of_calls(&input, numbers));
        for Wanted { name, holds } in wanted {
            let runner = |candidate: &Candidate| {
                let facts = facts(&candidate.files()[0].bytes);
                facts.errors <= input.errors && facts.undeclared.is_subset(&input.undeclared) && holds(&facts)
            };
            print!("{path} {name}:");
            for name in chosen.split(',') {
                let (preset, minimizer) = match name.split_once('+') {
                    Some((preset, minimizer)) => (preset, Some(minimizer.to_owned())),
                    None => (name, None),
                };
                let preset = presets().find(|entry| entry.name == preset).expect("there is such a preset");
                let sources = Rc::new(Sources::new(LanguageChoice::Detect, Filter::Off));
                let options = Options { list_minimizer: minimizer, ..Options::default() };
                let steps = preset.build(&options, &sources);
                let files = Candidate::of_files(Files::single("input.c", &text[..]));
                let (result, best, summary) =
                    Session::run(&runner, files, SessionOptions::default(), |session| {
                        steps.iter().try_for_each(|step| step.run(session))
                    });
                result.expect("there is no limit");
                let tokens = facts(&best.files()[0].bytes).tokens;
                print!(" {name} {tokens} tokens {} queries;", summary.counts.queries);
            }
            println!();
        }
    }
}
