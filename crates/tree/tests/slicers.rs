//! What the slicers leave.

mod common;

use common::reduce;
use dwindle_tree::Options;

const PROGRAM: &str = "int helper(int a) {\n  return a + 1;\n}\nint main() {\n  int x = helper(3);\n  if (x) {\n    puts(\"found\");\n  }\n  return 0;\n}\n";

#[test]
fn slicers_delete_what_no_grammar_would() {
    for (preset, expected) in
        [("token-slicer", "puts\n"), ("line-slicer", "puts(\"found\");\n"), ("tree-slicer", "puts\n")]
    {
        let (left, _) = reduce(preset, &Options::default(), ("p.c", PROGRAM), |text| text.contains("puts"));
        assert_eq!(left, expected, "{preset}");
    }
}

#[test]
fn windows_find_pairs_that_go_only_together() {
    let balanced = |text: &str| {
        let count = |bracket| text.matches(bracket).count();
        text.contains('x') && count('(') == count(')')
    };
    let (left, _) = reduce("token-slicer", &Options::default(), ("p.c", "int a = ((x));\n"), balanced);
    // Brackets around something are further apart than nothing: no window of neighbours has just the two.
    assert_eq!(left, "((x))\n");
    let (left, _) = reduce("token-slicer", &Options::default(), ("p.c", "int a = x()();\n"), balanced);
    assert_eq!(left, "x\n");
}
