//! HDD and hoisting on small programs of many languages: what they promise, looked at from outside.

mod common;
mod hdd_programs;

use std::sync::Mutex;

use common::reduce;
use dwindle_syntax::{Kind, NodeId, Reader, Role, Tree, detect};
use dwindle_tree::{Options, presets};
use hdd_programs::PROGRAMS;

/// Reads texts of one language.
struct Checker(Mutex<Reader>);

impl Checker {
    fn new(name: &str, text: &str) -> Self {
        let language = detect(name.as_ref(), text.as_bytes()).expect("its language is known");
        Checker(Mutex::new(Reader::new(&language)))
    }

    fn errors(&self, text: &str) -> usize {
        let mut reader = self.0.lock().expect("nobody panicked with it");
        reader.errors(text.as_bytes()).expect("small texts are parsed")
    }

    /// All texts that are the given one with one node left out or put as short as the grammar allows.
    fn neighbours(&self, text: &str) -> Vec<String> {
        let mut reader = self.0.lock().expect("nobody panicked with it");
        let tree = reader.read(text.as_bytes()).expect("small texts are parsed");
        let mut texts = Vec::new();
        for node in tree.nodes() {
            let bytes = tree.byte_range(node, reader.lexicon());
            let mut put = |by: &str| texts.push(format!("{}{by}{}", &text[..bytes.start], &text[bytes.end..]));
            if !bytes.is_empty() {
                minimal_texts(&tree, node).iter().for_each(|by| put(by));
            }
            if goes_alone(&tree, node) {
                let run = tree.dropped_range(node);
                let kept = [0..run.start, run.end..tree.tokens().len() as u32];
                texts.push(String::from_utf8_lossy(&tree.render_runs(reader.lexicon(), &kept)).into_owned());
            }
        }
        texts
    }
}

/// The shortest texts of a node's kind and of its place.
fn minimal_texts(tree: &Tree, node: NodeId) -> Vec<String> {
    let grammar = tree.language().grammar();
    let kind = tree.symbol(node).and_then(|symbol| grammar.shortest_of_symbol(symbol));
    let place = tree.slot(node).and_then(|slot| grammar.alternatives(slot).first().map(|(_, text)| *text));
    let named = tree.symbol(node).is_some_and(|symbol| grammar.rules().symbols[symbol.index()].named);
    kind.into_iter().chain(place).filter(|_| named).map(|template| template.text()).collect()
}

/// Whether a node may be left out without anything beside it.
fn goes_alone(tree: &Tree, node: NodeId) -> bool {
    match tree.role(node) {
        Role::Optional | Role::Extra | Role::Free => true,
        Role::Element => {
            let list = tree.parent(node).expect("an element is in a list");
            matches!(tree.kind(list), Kind::List(list) if !tree.language().grammar().list(list).separated)
        }
        Role::Fixed | Role::Separator => false,
    }
}

#[test]
fn every_preset_leaves_something_interesting_that_parses_and_is_minimal_if_it_says_so() {
    for program in PROGRAMS {
        let checker = Checker::new(program.name, program.text);
        let errors = checker.errors(program.text);
        let interesting = |text: &str| program.holds(text) && checker.errors(text) <= errors;
        assert!(interesting(program.text), "{}", program.name);
        for preset in presets().filter(|preset| preset.name.contains("hdd")) {
            let input = (program.name, program.text);
            let (left, summary) = reduce(preset.name, &Options::default(), input, &interesting);
            let what = format!("{} on {}: {left}", preset.name, program.name);
            assert!(interesting(&left), "{what}");
            assert!(left.len() <= program.text.len(), "{what}");
            assert!(summary.counts.queries > 0, "{what}");
            if preset.minimal_over.is_some() {
                for smaller in checker.neighbours(&left) {
                    let shorter = smaller.len() < left.len();
                    assert!(!shorter || !interesting(&smaller), "{what}\nis not minimal:\n{smaller}");
                }
            }
        }
    }
}
