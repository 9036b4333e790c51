//! Tree presets and passes from the command line.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod common;

use common::Case;

const PROGRAM: &str = "int helper(int a) {\n  return a + 1;\n}\nint main() {\n  puts(\"x\");\n}\n";

fn case() -> Case {
    let case = Case::new();
    case.script("t.sh", "grep -q puts p.c");
    case.file("p.c", PROGRAM);
    case
}

#[test]
fn a_tree_preset_reduces_a_program_and_says_over_what_it_is_minimal() {
    let case = case();
    let ran = case.reduce(["--preset", "tree-slicer", "t.sh", "p.c"]).ended_with(0);
    assert_eq!(case.text("p.reduced.c"), "puts\n");
    assert!(ran.stderr.contains("1-minimal over tree node"), "{}", ran.stderr);
}

#[test]
fn passes_run_in_the_order_given_and_to_a_fixpoint_if_asked() {
    let case = case();
    let passes = |words: &[&str]| {
        let ran = case.reduce(words.iter().copied().chain(["--json", "t.sh", "p.c"])).ended_with(0);
        let summary: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let names = summary["passes"].as_array().unwrap().iter();
        names.map(|pass| pass["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(passes(&["--passes", "line-slicer,tree-slicer"]), ["line-slicer", "tree-slicer"]);
    assert_eq!(passes(&["--passes", "line,char", "--fixpoint"]), ["line", "char", "line", "char"]);
    assert_eq!(case.text("p.reduced.c"), "puts");
}
