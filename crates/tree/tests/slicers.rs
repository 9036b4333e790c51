//! What the slicers leave.

mod common;

use common::reduce;
use dwindle_tree::{Options, set};

const PROGRAM: &str = "int helper(int a) {\n  return a + 1;\n}\nint main() {\n  int x = helper(3);\n  if (x) {\n    puts(\"found\");\n  }\n  return 0;\n}\n";

fn unchecked() -> Options {
    let mut options = Options::default();
    set(&mut options, "slicer.parse=false").expect("it can be set");
    options
}

#[test]
fn slicers_take_only_what_parses() {
    for (preset, expected) in [
        // Brackets are further apart than any window is wide, once something is between them.
        ("token-slicer", "{ {\n    puts;\n  }\n}\n"),
        ("line-slicer", "int helper(int a) {\n  if (x) {\n    puts(\"found\");\n  }\n}\n"),
        ("tree-slicer", "int main {\n  if (x) {\n    puts;\n  }\n}\n"),
    ] {
        let (left, _) = reduce(preset, &Options::default(), ("p.c", PROGRAM), |text| text.contains("puts"));
        assert_eq!(left, expected, "{preset}");
    }
}

#[test]
fn the_widest_window_can_come_first() {
    let mut narrowing = Options::default();
    set(&mut narrowing, "slicer.narrowing=true").expect("it can be set");
    let text = "int a; int b; int c; int d;\n";
    let keep = |text: &str| text.contains("a;");
    let (left, widening) = reduce("token-slicer", &Options::default(), ("p.c", text), keep);
    let (also, narrowing) = reduce("token-slicer", &narrowing, ("p.c", text), keep);
    assert_eq!(left, also);
    assert!(narrowing.counts.queries < widening.counts.queries, "nine tokens go at once");
}

#[test]
fn unchecked_slicers_delete_what_no_grammar_would() {
    for (preset, expected) in
        [("token-slicer", "puts\n"), ("line-slicer", "puts(\"found\");\n"), ("tree-slicer", "puts\n")]
    {
        let (left, _) = reduce(preset, &unchecked(), ("p.c", PROGRAM), |text| text.contains("puts"));
        assert_eq!(left, expected, "{preset}");
    }
}

#[test]
fn windows_find_pairs_that_go_only_together() {
    let balanced = |text: &str| {
        let count = |bracket| text.matches(bracket).count();
        text.contains('x') && count('(') == count(')')
    };
    let (left, _) = reduce("token-slicer", &unchecked(), ("p.c", "int a = ((x));\n"), balanced);
    // Brackets around something are further apart than nothing: no window of neighbours has just the two.
    assert_eq!(left, "((x))\n");
    let (left, _) = reduce("token-slicer", &unchecked(), ("p.c", "int a = x()();\n"), balanced);
    assert_eq!(left, "x\n");
}
