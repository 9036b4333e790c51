//! The heaviest part first: what is left, in which order it is asked for, and that jobs change nothing.

mod common;

use common::{passes, reduce_at_once};
use dwindle_core::Step;
use dwindle_tree::Options;
use std::sync::Mutex;

/// Functions with bodies of one statement, and one whose body is heavy.
fn program(functions: usize) -> String {
    let light = |at: usize| format!("int f{at}(int a) {{ return a + {at}; }}\n");
    let heavy: String = (0..200).map(|at| format!("x = x * {at} + y;\n")).collect();
    let lights: String = (0..functions).map(light).collect();
    format!("{lights}int main(void) {{ int x = 0, y = 1;\n{heavy}return x; }}\n")
}

/// All functions are needed, what is in them is not.
fn holds(text: &str, functions: usize) -> bool {
    text.contains("int main(") && (0..functions).all(|at| text.contains(&format!("int f{at}(")))
}

#[test]
fn a_heavy_body_goes_before_light_neighbours_are_asked_for_one_by_one() {
    let (text, sizes) = (program(100), Mutex::new(Vec::new()));
    let steps = passes(&["heaviest"], &Options::default());
    let test = |text: &str| {
        sizes.lock().expect("nobody panics").push(text.len());
        holds(text, 100)
    };
    let (left, _) = reduce_at_once(&steps, ("p.c", &text), test, 1);
    assert!(!left.contains("x * 3"), "{left}");
    let sizes = sizes.into_inner().expect("nobody panics");
    let when = sizes.iter().position(|size| *size == text.len() - heavy_bytes(&text)).expect("the body went");
    assert!(when < 20, "after {when} questions");
}

/// Bytes of what is inside the heavy body.
fn heavy_bytes(text: &str) -> usize {
    let body = text.find("int x = 0").expect("it is there")..text.rfind(" }").expect("it is there");
    body.len() + 1
}

#[test]
fn every_number_of_jobs_asks_and_leaves_the_same() {
    let text = program(12);
    let tests: [&(dyn Fn(&str) -> bool + Sync); 3] =
        [&|text| holds(text, 12), &|text| text.contains("x * 77") && text.contains("f7"), &|text| {
            text.len().is_multiple_of(7) || text.contains("x * 199") || text.len() > 2_000
        }];
    for test in tests {
        let run = |jobs| {
            let steps = vec![Step::Fixpoint(passes(&["heaviest"], &Options::default()))];
            let (left, summary) = reduce_at_once(&steps, ("p.c", &text), test, jobs);
            (left, summary.counts)
        };
        let alone = run(1);
        assert_eq!(run(2), alone);
        assert_eq!(run(8), alone);
    }
}

#[test]
fn lists_keep_as_many_elements_as_the_grammar_wants() {
    let parses = |text: &str| text.contains("enum E") && !text.contains("{}") && !text.contains("{ }");
    let steps = vec![Step::Fixpoint(passes(&["heaviest"], &Options::default()))];
    let (left, _) = reduce_at_once(
        &steps,
        ("p.rs", "fn f() { match x { 1 => a, 2 => b, _ => c } }\nenum E { A, B }\n"),
        parses,
        1,
    );
    assert_eq!(left, "enum E { A }\n");
}

#[test]
fn what_the_parser_does_not_understand_goes_like_anything_else() {
    let steps = vec![Step::Fixpoint(passes(&["heaviest"], &Options::default()))];
    let text = "int a; @ @ int b; @ int needed; @";
    let (left, _) = reduce_at_once(&steps, ("p.c", text), |text| text.contains("needed"), 1);
    assert_eq!(left, "int needed;");
}
