//! Compares tree presets on C programs without a compiler: a program is interesting if it parses, uses no name that is
//! not declared (but for those that the input does not declare either), and still has some kinds of node.
//!
//! `cargo run --release -p dwindle-tree --example surrogate -- PRESETS FILE...`, presets with commas between them.

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
    undeclared: BTreeSet<Vec<u8>>,
    errors: usize,
    tokens: usize,
}

fn facts(text: &[u8]) -> Facts {
    READER.with_borrow_mut(|reader| {
        let tree = reader.read(text).expect("C is read quickly");
        let (mut declared, mut undeclared) = (BTreeSet::new(), BTreeSet::new());
        let lexicon = reader.lexicon();
        for node in tree.nodes().filter(|node| tree.kind(*node) == Kind::Token) {
            let name = tree.name(node).unwrap_or_default();
            if !matches!(name, "identifier" | "type_identifier") {
                continue;
            }
            let word = lexicon.text(tree.tokens()[tree.inner_range(node).start as usize]).to_vec();
            if declares(&tree, node) {
                declared.insert(word);
            } else if !declared.contains(&word) {
                undeclared.insert(word);
            }
        }
        let kinds = tree.nodes().filter_map(|node| tree.name(node).map(str::to_owned)).collect();
        Facts { kinds, undeclared, errors: tree.errors(), tokens: tree.token_count(lexicon) }
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

fn main() {
    let mut arguments = std::env::args().skip(1);
    let chosen = arguments.next().expect("presets come first");
    for path in arguments {
        let text = std::fs::read(&path).expect("the file can be read");
        let input = facts(&text);
        for wanted in WANTED.iter().filter(|wanted| wanted.iter().all(|kind| input.kinds.contains(*kind))) {
            let runner = |candidate: &Candidate| {
                let facts = facts(&candidate.files()[0].bytes);
                facts.errors <= input.errors
                    && facts.undeclared.is_subset(&input.undeclared)
                    && wanted.iter().all(|kind| facts.kinds.contains(*kind))
            };
            print!("{path} {}:", wanted.join("+"));
            for name in chosen.split(',') {
                let preset = presets().find(|preset| preset.name == name).expect("there is such a preset");
                let sources = Rc::new(Sources::new(LanguageChoice::Detect, Filter::Off));
                let steps = preset.build(&Options::default(), &sources);
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
