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
    let ran = case.reduce(["--preset", "perses", "t.sh", "p.c"]).ended_with(0);
    assert_eq!(case.text("p.reduced.c"), "puts;\n");
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

#[test]
fn more_effort_gives_a_smaller_result_for_more_queries() {
    let case = case();
    case.script("t.sh", "grep -q put p.c");
    let reduced = |effort: &str| {
        let ran = case.reduce(["--effort", effort, "--json", "t.sh", "p.c"]).ended_with(0);
        let summary = ran.json();
        (case.text("p.reduced.c"), summary["queries"].as_u64().unwrap())
    };
    let (fast, normal, max) = (reduced("fast"), reduced("normal"), reduced("max"));
    assert_eq!(fast.0, "int main() {\n  puts();\n}\n");
    assert_eq!((&*normal.0, &*max.0), ("put", "put"), "small results are gone through by characters");
    assert!(fast.1 < normal.1 && normal.1 < max.1, "{} {} {}", fast.1, normal.1, max.1);
}

#[test]
fn a_file_of_no_known_language_is_reduced_as_text_beside_one_that_has() {
    let case = Case::new();
    case.script("t.sh", "grep -q puts p.c && grep -q key notes");
    case.file("p.c", PROGRAM);
    case.file("notes", "one\nthe key line\nthree\n");
    case.reduce(["-o", "out", "t.sh", "p.c", "notes"]).ended_with(0);
    assert_eq!((case.text("out/p.c"), case.text("out/notes")), ("puts".to_owned(), "key".to_owned()));
}
