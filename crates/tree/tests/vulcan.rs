//! What Vulcan's auxiliary reducers ask, and what the whole leaves.

mod common;
mod minimal;

use std::rc::Rc;
use std::sync::Mutex;

use common::{content, reduce};
use dwindle_core::{Candidate, Files, Options as SessionOptions, Pass, Session, Summary};
use dwindle_syntax::Filter;
use dwindle_tree::{LanguageChoice, Options, Sources, passes, set};
use minimal::PROGRAMS;

fn options(assignments: &[&str]) -> Options {
    let mut options = Options::default();
    assignments.iter().for_each(|assignment| set(&mut options, assignment).expect("it can be set"));
    options
}

/// Runs one pass once. Gives what passes would go on from, all texts that were tested, in order, and the counts.
fn run_pass(
    pass: &str,
    options: &Options,
    (name, text): (&str, &str),
    interesting: impl Fn(&str) -> bool + Sync,
) -> (String, Vec<String>, Summary) {
    let pass = passes().find(|entry| entry.name == pass).expect("there is such a pass");
    let pass: Box<dyn Pass> =
        pass.build(options, &Rc::new(Sources::new(LanguageChoice::Detect, Filter::Off)));
    let tested = Mutex::new(Vec::new());
    let runner = |candidate: &Candidate| {
        let text = content(candidate);
        let verdict = interesting(&text);
        tested.lock().expect("nobody panics").push(text);
        verdict
    };
    let input = Candidate::of_files(Files::single(name, text.as_bytes()));
    let (left, _, summary) = Session::run(&runner, input, SessionOptions::default(), |session| {
        pass.run(session).expect("there is no limit");
        content(session.best())
    });
    (left, tested.into_inner().expect("nobody panics"), summary)
}

#[test]
fn windows_ask_as_often_as_table_1_says() {
    // The cell of width 8 is printed as 22,974.
    let table = [(2, 99), (3, 392), (4, 1067), (5, 2496), (6, 5415), (7, 11280), (8, 22971)];
    let text: Vec<String> = (0..100).map(|at| format!("v{at}")).collect();
    for (width, expected) in table {
        let options = options(&[&format!("vulcan.width={width}")]);
        let (left, _, summary) = run_pass("vulcan-windows", &options, ("p.smt2", &text.join(" ")), |_| false);
        assert_eq!(left, text.join(" "), "what finds nothing leaves the very same program");
        // Neighbouring windows share sets: those are answered by the cache.
        assert_eq!(summary.counts.queries + summary.counts.hits, expected, "{width}");
    }
}

#[test]
fn the_number_of_questions_follows_the_formula_for_other_lengths_too() {
    for (length, width) in [(3, 4), (4, 4), (5, 4), (10, 3), (50, 5)] {
        let text: Vec<String> = (0..length).map(|at| format!("v{at}")).collect();
        let options = options(&[&format!("vulcan.width={width}")]);
        let (_, _, summary) = run_pass("vulcan-windows", &options, ("p.smt2", &text.join(" ")), |_| false);
        let positions = (length as u64 + 1).saturating_sub(width);
        let expected = positions * ((1 << width) - 1 - width);
        assert_eq!(summary.counts.queries + summary.counts.hits, expected, "{length} {width}");
    }
}

#[test]
fn neighbours_that_go_only_together_go() {
    let word = |text: &str, word: &str| text.split_whitespace().any(|found| found == word);
    let interesting = |text: &str| {
        let has = |wanted: &str| word(text, wanted);
        has("a") && has("b") && has("if") == has("x") && has("else") == has("y") && has("if") == has("else")
    };
    let (left, tested, _) =
        run_pass("vulcan-windows", &Options::default(), ("p.smt2", "a if x else y b"), interesting);
    assert_eq!((left.as_str(), tested.len()), ("a b", 12));
}

#[test]
fn after_a_success_the_window_stays_and_takes_in_what_follows() {
    // Pairs of neighbours go, one pair after the other; with windows of two at any other step `b` would meet `c`.
    let pairs = |text: &str| {
        let left: Vec<&str> = text.split_whitespace().collect();
        left.len().is_multiple_of(2) && left.contains(&"z")
    };
    let (left, tested, _) =
        run_pass("vulcan-windows", &options(&["vulcan.width=2"]), ("p.smt2", "a b c d e z"), pairs);
    assert_eq!((left.as_str(), tested.len()), ("e z", 3));
}

#[test]
fn what_does_not_parse_is_not_taken() {
    let lost_bracket = |text: &str| !text.contains("d");
    let (left, _, _) = run_pass(
        "vulcan-windows",
        &options(&["vulcan.width=2"]),
        ("p.json", "[[1, 2], 3, {\"d\": 4}]"),
        lost_bracket,
    );
    let text: Vec<char> = left.chars().filter(|c| "[]{}".contains(*c)).collect();
    assert!(
        text.iter().filter(|c| **c == '[').count() == text.iter().filter(|c| **c == ']').count(),
        "{left}"
    );
    assert!(!left.contains('d'));
}

#[test]
fn rare_names_give_way_first_and_to_frequent_ones_first() {
    let text = "int f(int a, int b) { return a + b + b; }";
    let (left, tested, _) = run_pass("vulcan-identifiers", &Options::default(), ("p.c", text), |_| false);
    assert_eq!(left, text);
    let head = |header: &str, body: &str| format!("int {header} {{ return {body}; }}");
    let expected = [
        // All but the first: `f` has no other, then `a` (two), then `b` (three).
        head("f(int a, int b)", "b + b + b"),
        head("f(int a, int b)", "f + b + b"),
        head("f(int a, int b)", "a + a + a"),
        head("f(int a, int b)", "a + f + f"),
        // Single ones, first occurrences too.
        head("b(int a, int b)", "a + b + b"),
        head("a(int a, int b)", "a + b + b"),
        head("f(int b, int b)", "a + b + b"),
        head("f(int f, int b)", "a + b + b"),
        // The one use of `a` has been tried.
        head("f(int a, int a)", "a + b + b"),
        head("f(int a, int f)", "a + b + b"),
        head("f(int a, int b)", "a + a + b"),
        head("f(int a, int b)", "a + f + b"),
        head("f(int a, int b)", "a + b + a"),
        head("f(int a, int b)", "a + b + f"),
    ];
    assert_eq!(tested, expected);
}

#[test]
fn types_that_the_grammar_knows_are_names_where_the_program_defines_them() {
    let text = "typedef unsigned uint32_t; uint32_t main() { uint32_t x; }";
    let (_, tested, _) = run_pass("vulcan-identifiers", &Options::default(), ("p.c", text), |_| false);
    // As in the paper's last figure: a variable that bears the name of its type.
    assert!(tested.iter().any(|text| text.contains("uint32_t uint32_t;")), "{tested:?}");
}

#[test]
fn a_type_can_be_produced_in_another_way() {
    let text = "int16_t f() { return 1; }";
    let (_, tested, _) = run_pass("vulcan-subtrees", &Options::default(), ("p.c", text), |_| false);
    assert!(tested.iter().any(|tested| tested == "short f() { return 1; }"), "{tested:?}");
    assert!(
        tested.iter().all(|tested| tested.split_whitespace().count() <= text.split_whitespace().count() + 1)
    );
}

#[test]
fn what_the_node_lacks_is_not_made_up() {
    let text = "int f() { g(h); }";
    let (_, tested, _) = run_pass("vulcan-subtrees", &Options::default(), ("p.c", text), |_| false);
    // There is no number in it.
    assert!(tested.iter().all(|tested| !tested.contains(|c: char| c.is_ascii_digit())), "{tested:?}");
}

/// A C program in which every name must be declared before it is used.
fn is_declared(text: &str) -> bool {
    let spaced: String = text
        .chars()
        .flat_map(|c| if c.is_alphanumeric() || c == '_' { vec![c] } else { vec![' ', c, ' '] })
        .collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let is_type = |word: &str, known: &[&str]| {
        ["int", "short", "unsigned", "long", "void"].contains(&word) || known.contains(&word)
    };
    let (mut known, mut types) = (Vec::new(), Vec::new());
    for (at, word) in words.iter().enumerate() {
        if !word.starts_with(|c: char| c.is_alphabetic())
            || is_type(word, &[])
            || ["typedef", "return", "if", "else", "for", "goto", "static"].contains(word)
        {
            continue;
        }
        let declares = at > 0 && is_type(words[at - 1], &types);
        if declares {
            if words[..at].iter().rev().take(2).any(|before| *before == "typedef") {
                &mut types
            } else {
                &mut known
            }
            .push(*word);
        } else if !known.contains(word) && !types.contains(word) {
            return false;
        }
    }
    true
}

#[test]
fn the_three_reducers_reach_what_deletion_cannot() {
    // The moves of the paper's worked example: a use takes another name, so that assignments become needless; a type
    // is produced in another way, so that its definition can go; a loop and an `else` go only together.
    let text =
        "typedef int int16_t; int g; int16_t f() { int l = 1; g = l; if (g) g = 2; else g = 3; return g; }";
    let interesting = |text: &str| {
        let known = is_declared(text) && text.contains("f() {") && text.contains("return g;");
        let branches = text.contains("else") == text.contains("g = 3");
        known && branches && text.contains("g = ") && text.matches('=').count() != 3
    };
    assert!(interesting(text));
    let (perses, _) = reduce("perses", &Options::default(), ("p.c", text), interesting);
    // Most other productions lead nowhere, and come first.
    let (vulcan, _) = reduce("vulcan", &options(&["vulcan.limit=40"]), ("p.c", text), interesting);
    assert!(interesting(&vulcan));
    assert!(perses.contains("typedef"), "{perses}");
    assert!(!vulcan.contains("typedef"), "{vulcan}");
    assert!(vulcan.len() < perses.len(), "{vulcan}");
}

#[test]
fn the_first_occurrence_can_be_renamed_and_its_definition_go() {
    let text = "int a; int b; int f() { return a + b; }";
    let interesting = |text: &str| is_declared(text) && text.contains("return") && text.contains('+');
    let (left, _) = reduce("vulcan", &Options::default(), ("p.c", text), interesting);
    assert_eq!(left.matches("int").count(), 1, "{left}");
}

#[test]
fn programs_of_the_same_size_do_not_come_again() {
    // Every renaming will do, so there is a way back from each to the one before.
    let text = "int f(int a, int b) { return a + b + b; }";
    let marks = |text: &str| text.chars().filter(|c| "();{},+".contains(*c)).count();
    let pass = passes().find(|entry| entry.name == "vulcan-identifiers").expect("there is such a pass");
    let sources = Rc::new(Sources::new(LanguageChoice::Detect, Filter::Off));
    let pass = pass.build(&options(&["vulcan.limit=1000"]), &sources);
    let runner = |candidate: &Candidate| marks(&content(candidate)) == marks(text);
    let input = Candidate::of_files(Files::single("p.c", text.as_bytes()));
    let (seen, ..) = Session::run(&runner, input, SessionOptions::default(), |session| {
        let mut seen = vec![content(session.best())];
        loop {
            pass.run(session).expect("there is no limit");
            let now = content(session.best());
            if seen.last() == Some(&now) {
                return seen;
            }
            assert!(!seen.contains(&now), "{now} again, after {seen:?}");
            seen.push(now);
        }
    });
    assert!(seen.len() > 3, "{seen:?}");
}

#[test]
fn a_detour_that_leads_nowhere_ends_where_it_began() {
    let text = "int f(int a, int b) { return a + b + b; }";
    // Longer names are as good, but no program has fewer tokens.
    let interesting = |other: &str| other.split_whitespace().count() == text.split_whitespace().count();
    let (left, _) = reduce("vulcan", &Options::default(), ("p.c", text), interesting);
    assert!(left.len() <= text.len(), "{left}");
}

#[test]
fn results_are_interesting_parse_and_are_tree_minimal_in_all_languages() {
    for program in &PROGRAMS {
        for preset in ["vulcan", "vulcan-plus"] {
            let (left, _) = program.reduce(preset, &Options::default(), 1);
            program.assert_tree_minimal(preset, &left);
        }
    }
}

#[test]
fn results_and_counts_are_the_same_at_every_number_of_jobs() {
    for program in &PROGRAMS {
        let (left, summary) = program.reduce("vulcan", &Options::default(), 1);
        for jobs in [2, 8] {
            let (again, parallel) = program.reduce("vulcan", &Options::default(), jobs);
            assert_eq!((&again, parallel.counts), (&left, summary.counts), "{}", program.file);
        }
    }
}

#[test]
fn it_can_start_from_what_another_reducer_left() {
    for program in &PROGRAMS {
        let (whole, _) = program.reduce("vulcan", &Options::default(), 1);
        let (perses, _) = program.reduce("perses", &Options::default(), 1);
        let (left, _) = reduce("vulcan", &Options::default(), (program.file, &perses), |text| {
            program.is_interesting(text)
        });
        assert_eq!(left, whole, "{}", program.file);
    }
}

#[test]
fn the_reducers_can_be_put_in_any_order_and_left_out() {
    for order in ["", "subtrees", "identifiers,windows", "subtrees,identifiers,windows", "windows,windows"] {
        let options = options(&[&format!("vulcan.order={order}"), "vulcan.fixpoint=true"]);
        for program in PROGRAMS.iter().take(3) {
            let (left, _) = program.reduce("vulcan", &options, 1);
            program.assert_tree_minimal(order, &left);
        }
    }
    let mut options = Options::default();
    for wrong in ["vulcan.order=windows,window", "vulcan.width=1", "vulcan.width=13", "vulcan.limit=x"] {
        assert!(set(&mut options, wrong).is_err(), "{wrong}");
    }
}
