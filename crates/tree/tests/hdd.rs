//! HDD and hoisting on small programs of many languages: what they promise, looked at from outside.

mod common;
mod hdd_programs;

use std::sync::Mutex;

use common::{passes, reduce, reduce_at_once, reduce_with, sources};
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
    for program in PROGRAMS {
        look_at(program, &options(&["hdd.reparse=on"]));
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
        let (left, _) =
            reduce("hddr-star", &options(&[&format!("hdd.lists={lists}")]), ("p.json", text), interesting);
        assert_eq!(left, expected, "{lists}");
    }
}

fn options(assignments: &[&str]) -> Options {
    let mut options = Options::default();
    for assignment in assignments {
        dwindle_tree::set(&mut options, assignment).expect("there is such a parameter");
    }
    options
}

#[test]
fn the_grammar_allows_more_to_be_hoisted_than_labels_do() {
    let text = "{\"a\": [1, 22, 333]}\n";
    let interesting =
        |text: &str| text.contains("333") && serde_json::from_str::<serde_json::Value>(text).is_ok();
    for (compatible, expected) in [("label", "[0, 333]\n"), ("grammar", "333\n")] {
        let options = options(&[&format!("hoist.compatible={compatible}")]);
        let (left, _) = reduce("hddhr-star", &options, ("p.json", text), interesting);
        assert_eq!(left, expected, "{compatible}");
    }
}

#[test]
fn several_hoists_in_one_test_save_tests_and_lead_to_the_same() {
    let nested: String = (0..40).map(|at| format!("  if (x) {{ call_{at}(); }}\n")).collect();
    let text = format!("int main(void) {{\n{nested}}}\n");
    let checker = Checker::new("p.c", &text);
    let interesting =
        |text: &str| (0..40).all(|at| text.contains(&format!("call_{at}();"))) && checker.errors(text) == 0;
    let run = |several: &str| {
        let options = options(&["hoist.compatible=grammar", &format!("hoist.several={several}")]);
        let (left, summary) = reduce_with(&passes(&["hoistr"], &options), ("p.c", &text), interesting);
        (left, summary.counts.queries)
    };
    let (one, several) = (run("off"), run("on"));
    assert!(!one.0.contains("if"), "{}", one.0);
    assert_eq!(size(&one.0), size(&several.0), "{}", several.0);
    assert!(several.1 * 3 < one.1 * 2, "{} queries instead of {}", several.1, one.1);
}

#[test]
fn a_coarse_phase_hoists_nothing_and_neither_does_the_filtered_form_before_it() {
    for program in PROGRAMS.iter().filter(|program| ["p.c", "p.java", "p.js"].contains(&program.name)) {
        let checker = Checker::new(program.name, program.text);
        let interesting = |text: &str| program.holds(text) && checker.errors(text) == 0;
        let run = |preset, options: &Options| {
            let (left, summary) = reduce(preset, options, (program.name, program.text), interesting);
            (left, summary.counts.queries)
        };
        let plain = Options::default();
        let (coarse, interlaced) = (run("coarse-hdd-star", &plain), run("coarse-hddh-star", &plain));
        assert_eq!(coarse, interlaced, "{}", program.name);
        assert_eq!(
            run("coarse-hoist-hdd-star", &options(&["hoist.filtered=on"])),
            coarse,
            "{}",
            program.name
        );
        assert!(run("coarse-hoist-hdd-star", &plain).1 > coarse.1, "{}", program.name);
    }
}

#[test]
fn parameters_take_the_words_they_name() {
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
