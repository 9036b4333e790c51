//! HDD and hoisting on small programs of many languages: what they promise, looked at from outside.

mod common;
mod hdd_programs;

use std::sync::Mutex;

use common::{reduce, reduce_at_once, sources};
use dwindle_grammar::Template;
use dwindle_syntax::{Edit, Kind, NodeId, Reader, Role, Tree, detect};
use dwindle_tree::{Options, presets};
use hdd_programs::{PROGRAMS, Program};

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
        for node in tree.nodes().filter(|node| !tree.inner_range(*node).is_empty()) {
            for pieces in minimal_texts(&tree, node) {
                let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
                let by = tree.as_tokens(reader.lexicon_mut(), node, &pieces);
                let changed = tree.apply(reader.lexicon(), &[Edit::Replace { node, by }]);
                texts.push(String::from_utf8_lossy(&changed).into_owned());
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

/// The shortest texts of a node's kind and of its place, as tokens.
fn minimal_texts(tree: &Tree, node: NodeId) -> Vec<Vec<String>> {
    let grammar = tree.language().grammar();
    let kind = tree.symbol(node).and_then(|symbol| grammar.shortest_of_symbol(symbol));
    let place = tree.slot(node).and_then(|slot| grammar.alternatives(slot).first().map(|(_, text)| *text));
    let named = tree.symbol(node).is_some_and(|symbol| grammar.rules().symbols[symbol.index()].named);
    let tokens = |template: &Template| {
        let mut tokens: Vec<String> = Vec::new();
        for piece in template.pieces() {
            // The ends of an empty string stand together.
            match tokens.last_mut().filter(|last| **last == piece.text && last.as_str() == "\"") {
                Some(last) => last.push_str(&piece.text),
                None => tokens.push(piece.text.clone()),
            }
        }
        tokens
    };
    kind.into_iter().chain(place).filter(|_| named).map(tokens).collect()
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

/// Characters, as the publications count them: white space is none.
fn size(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

/// Runs every preset on a program and looks at what it leaves.
fn look_at(program: &Program, options: &Options) {
    let checker = Checker::new(program.name, program.text);
    let errors = checker.errors(program.text);
    let interesting = |text: &str| program.holds(text) && checker.errors(text) <= errors;
    assert!(interesting(program.text), "{}", program.name);
    for preset in presets().filter(|preset| preset.name.contains("hdd")) {
        let (left, summary) = reduce(preset.name, options, (program.name, program.text), interesting);
        let what = format!("{} on {}: {left}", preset.name, program.name);
        assert!(interesting(&left), "{what}");
        assert!(left.len() <= program.text.len(), "{what}");
        assert!(summary.counts.queries > 0, "{what}");
        if preset.minimal_over.is_some() {
            for smaller in checker.neighbours(&left) {
                let shorter = size(&smaller) < size(&left);
                assert!(!shorter || !interesting(&smaller), "{what}\nis not minimal:\n{smaller}");
            }
        }
    }
}

#[test]
fn every_preset_leaves_something_interesting_that_parses_and_is_minimal_if_it_says_so() {
    for program in PROGRAMS {
        look_at(program, &Options::default());
    }
}

#[test]
fn a_coarse_preset_leaves_what_a_minimal_one_does_not() {
    let program = &PROGRAMS[0];
    let checker = Checker::new(program.name, program.text);
    let interesting = |text: &str| program.holds(text) && checker.errors(text) == 0;
    let left = |preset| reduce(preset, &Options::default(), (program.name, program.text), interesting).0;
    let coarse = left("coarse-hddr-star");
    let neighbours = checker.neighbours(&coarse);
    assert!(
        neighbours.iter().any(|smaller| size(smaller) < size(&coarse) && interesting(smaller)),
        "{coarse}"
    );
    assert!(size(&left("hddr-star")) < size(&coarse));
}

#[test]
fn that_holds_as_well_when_the_result_is_parsed_again_and_all_is_begun_anew() {
    let mut options = Options::default();
    dwindle_tree::set(&mut options, "hdd.reparse=on").expect("there is such a parameter");
    for program in PROGRAMS {
        look_at(program, &options);
    }
}

#[test]
fn the_answer_is_the_same_however_many_tests_run_at_once() {
    for program in PROGRAMS.iter().filter(|program| ["p.c", "p.js", "p.py"].contains(&program.name)) {
        let checker = Checker::new(program.name, program.text);
        let interesting = |text: &str| program.holds(text) && checker.errors(text) == 0;
        for name in ["hdd-star", "hddr-star", "hoist-hddh-star", "p-hddr-star", "hddhr-plus"] {
            let preset = presets().find(|preset| preset.name == name).expect("there is such a preset");
            let run = |jobs| {
                let steps = preset.build(&Options::default(), &sources());
                let (left, summary) = reduce_at_once(&steps, (program.name, program.text), interesting, jobs);
                (left, summary.counts.queries, summary.counts.hits)
            };
            let alone = run(1);
            for jobs in [2, 8] {
                assert_eq!(run(jobs), alone, "{name} on {} with {jobs} jobs", program.name);
            }
        }
    }
}

#[test]
fn the_first_element_of_a_list_goes_where_separators_are_known() {
    let text = "{\"a\": [1, 22, 333]}\n";
    let interesting =
        |text: &str| text.contains("333") && serde_json::from_str::<serde_json::Value>(text).is_ok();
    for (lists, expected) in [("published", "{\"\": [0, 333]}\n"), ("separators", "{\"\": [ 333]}\n")] {
        let mut options = Options::default();
        dwindle_tree::set(&mut options, &format!("hdd.lists={lists}")).expect("there is such a parameter");
        let (left, _) = reduce("hddr-star", &options, ("p.json", text), interesting);
        assert_eq!(left, expected, "{lists}");
    }
}

#[test]
fn presets_are_the_published_ones_and_their_parameters_say_what_they_take() {
    let mut options = Options::default();
    for (assignment, fine) in [
        ("hdd.flatten=off", true),
        ("hdd.squeeze=off", true),
        ("hdd.hide=off", true),
        ("hdd.traversal=breadth-last", true),
        ("hdd.lists=commas", false),
        ("hoist.compatible=maybe", false),
        ("hoist.several=2", false),
        ("hoist.filtered=on", true),
    ] {
        assert_eq!(dwindle_tree::set(&mut options, assignment).is_ok(), fine, "{assignment}");
    }
    assert!(options.hdd.filtered && !options.hdd.preparation.flatten);
}
