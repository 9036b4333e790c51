//! What the passes beyond deletion make of small programs.

mod common;

use common::{passes, reduce_with};
use dwindle_core::Step;
use dwindle_tree::Options;

/// A pass to its fixpoint on a text, of which these words must stay.
fn rewritten(pass: &str, input: (&str, &str), words: &[&str]) -> String {
    let steps = vec![Step::Fixpoint(passes(&[pass], &Options::default()))];
    reduce_with(&steps, input, |text| words.iter().all(|word| text.contains(word))).0
}

#[test]
fn comments_go_unless_they_matter() {
    let text = "// a\nint x; /* b */\n// keep\nint y; // c\n";
    assert_eq!(rewritten("comments", ("p.c", text), &["int x;", "int y;"]), "int x;\nint y;\n");
    assert_eq!(rewritten("comments", ("p.c", text), &["keep"]), "int x;\n// keep\nint y;\n");
    assert_eq!(rewritten("comments", ("p.py", "x = 1  # a\n# b\ny = 2\n"), &["x", "y"]), "x = 1\ny = 2\n");
}

#[test]
fn what_is_not_used_goes_at_once_with_the_declarations_that_only_name_it() {
    let functions = |from: usize, to: usize| -> String {
        (from..to)
            .map(|at| format!("namespace n {{ int f{at}(int); }} using n::f{at}; int f{at}(char);\n"))
            .collect()
    };
    let text = format!("{}int used(int x);\nint main() {{ return used(1); }}\n", functions(0, 20));
    let steps = passes(&["unused"], &Options::default());
    let (left, summary) = reduce_with(&steps, ("p.cc", &text), |text| text.contains("main"));
    assert!(!left.contains("f1") && left.contains("int used(int x);"), "{left}");
    assert!(summary.counts.queries < 20, "{} queries", summary.counts.queries);
    // Few are left to other passes.
    let few = format!("{}int main() {{}}\n", functions(0, 3));
    let (left, summary) = reduce_with(&steps, ("p.cc", &few), |_| true);
    assert_eq!((left, summary.counts.queries), (few, 0));
}

#[test]
fn white_space_becomes_one_byte_or_none_and_lines_stay_lines() {
    for (input, words, expected) in [
        (
            ("p.c", "int  f ( int a )\n\n\n    {\n  return  a ;\n}\n"),
            &["return"],
            "int f(int a)\n{\nreturn a;\n}\n",
        ),
        (("p.c", "int  f ( int a ) {}\n"), &["f ("], "int f (int a){}\n"),
        (("p.py", "def f( a ):\n\n\n    return  a\n"), &["return"], "def f(a):\n    return a\n"),
        (("p.json", "[ 1 ,\n   2 ]\n"), &["1"], "[1,\n2]\n"),
        (("p.json", "\n\n [1]\n\n\n"), &["1"], "[1]\n"),
        (("p.json", " [1]  "), &["1"], "[1]"),
    ] {
        assert_eq!(rewritten("blanks", input, words), expected, "{input:?}");
    }
}

#[test]
fn identifiers_get_short_names_but_for_those_that_matter() {
    let text = "int counter(int number) { return number + a; }\n";
    assert_eq!(
        rewritten("names", ("p.c", text), &["return"]),
        "int c(int b) { return b + a; }\n",
        "`a` is taken"
    );
    assert_eq!(
        rewritten("names", ("p.c", text), &["counter"]),
        "int counter(int b) { return b + a; }\n",
        "a name that is looked for stays"
    );
    // `do` and `if` are words of the language.
    assert!(!rewritten("names", ("p.c", "int long_name;\n"), &["int"]).contains("long_name"));
}

#[test]
fn numbers_become_zero_or_one_and_literals_lose_characters() {
    for (input, words, expected) in [
        (("p.c", "int x = 12345 + 0x1f;\n"), &["int"][..], "int x = 0 + 0;\n"),
        (("p.c", "int x = 12345;\n"), &["3"], "int x = 3;\n"),
        (("p.c", "char *s = \"say hello\";\n"), &["ll"], "char *s = \"ll\";\n"),
        (("p.py", "x = 3.25\n"), &["x"], "x = 0\n"),
        (("p.json", "[1000, \"some text\"]"), &["ex"], "[0, \"ex\"]"),
    ] {
        assert_eq!(rewritten("literals", input, words), expected, "{input:?}");
    }
}

#[test]
fn a_definition_goes_with_its_uses() {
    let text = "int f(void) { return 1; }\nint main(void) { int x = 2; f(); return 0; }\n";
    // Nothing may use what is not there.
    let holds = |text: &str| {
        let both = |definition, uses: &str| text.contains(definition) || !text.contains(uses);
        text.contains("main")
            && text.contains("return 0")
            && both("int f", "f();")
            && (text.contains("int f") == text.contains("f();"))
    };
    let steps = vec![Step::Fixpoint(passes(&["definitions"], &Options::default()))];
    let (left, _) = reduce_with(&steps, ("p.c", text), holds);
    assert_eq!(left, "int main(void) { return 0; }\n");
}

#[test]
fn where_a_use_cannot_go_a_literal_takes_its_place() {
    let text = "int g = 5;\nint main(void) { return g; }\n";
    let holds = |text: &str| {
        (text.contains("return g") || text.contains("return 0"))
            && (text.contains("int g") || !text.contains("return g"))
    };
    let steps = vec![Step::Fixpoint(passes(&["definitions"], &Options::default()))];
    let (left, _) = reduce_with(&steps, ("p.c", text), holds);
    assert_eq!(left, "int main(void) { return 0; }\n");
}

#[test]
fn one_name_stands_for_two() {
    let text = "int f(int a, int b) { int c = 1; return a + b + c; }\n";
    let holds = |text: &str| {
        let defined = |name: &str| text.contains(&format!("int {name}"));
        let used = |name: &str| text.contains(&format!(" {name} +")) || text.contains(&format!(" {name};"));
        text.matches('+').count() == 2 && ["a", "b", "c"].iter().all(|name| defined(name) || !used(name))
    };
    assert!(holds(text));
    let steps = vec![Step::Fixpoint(passes(&["merge"], &Options::default()))];
    let (left, _) = reduce_with(&steps, ("p.c", text), holds);
    assert_eq!(left, "int f() { return f + f + f; }\n", "what is defined alike is taken for one type");
}

#[test]
fn what_a_definition_says_takes_the_place_of_its_name() {
    let chain = "(declare-fun x () Bool)\n(define-fun y () Bool (not x))\n(define-fun z () Bool y)\n(assert (or z x))\n";
    for (input, defined, words, expected) in [
        (
            ("p.smt2", chain),
            &[("fun y", " y)"), ("fun z", "or z")][..],
            &["or", "declare"][..],
            "(declare-fun x () Bool)\n(assert (or (not x) x))\n",
        ),
        (
            ("p.c", "typedef unsigned T;\nT f(T a) { return a; }\n"),
            &[("typedef", "T f"), ("typedef", "(T")],
            &["return a"],
            "unsigned f(unsigned a) { return a; }\n",
        ),
        (("p.js", "let y = x + 1;\nprint(y);\n"), &[("let y", "(y)")], &["print(", "x"], "print(x + 1);\n"),
    ] {
        let holds = |text: &str| {
            words.iter().all(|word| text.contains(word))
                && defined.iter().all(|(definition, uses)| text.contains(definition) || !text.contains(uses))
        };
        assert!(holds(input.1), "{input:?}");
        let steps = vec![Step::Fixpoint(passes(&["inline"], &Options::default()))];
        assert_eq!(reduce_with(&steps, input, holds).0, expected, "{input:?}");
    }
}

#[test]
fn what_is_repeated_changes_everywhere_at_once() {
    // The two types must agree.
    let text =
        "(declare-fun x () (_ BitVec 32))\n(declare-fun y () (_ BitVec 32))\n(declare-fun z () Bool)\n";
    let holds = |text: &str| {
        let types: Vec<&str> = text.lines().filter_map(|line| line.split(" () ").nth(1)).collect();
        text.lines().count() == 3
            && types.len() == 3
            && types[0] == types[1]
            && (types[0].contains("BitVec 32") || types[0] == types[2])
    };
    assert!(holds(text));
    let steps = vec![Step::Fixpoint(passes(&["repeats"], &Options::default()))];
    let (left, _) = reduce_with(&steps, ("p.smt2", text), holds);
    assert_eq!(left, "(declare-fun x () Bool)\n(declare-fun y () Bool)\n(declare-fun z () Bool)\n");
}

#[test]
fn small_texts_take_the_place_of_larger_parts() {
    let text = "int f(int x) { return g(x + 1, h(2)) * k(3); }\n";
    // The call of `g` must stay, whatever it is given.
    let holds = |text: &str| text.contains("int f(int x) { return g(") && text.contains(", ");
    let steps = vec![Step::Fixpoint(passes(&["replace"], &Options::default()))];
    let (left, _) = reduce_with(&steps, ("p.c", text), holds);
    assert_eq!(left, "int f(int x) { return g(0, 0) * 0; }\n");
}

#[test]
fn a_part_becomes_another_production_of_its_own_pieces() {
    for (input, holds, expected) in [
        (
            ("p.c", "int f(int *a, int b) { return a[b]; }\n"),
            (|text: &str| {
                text.starts_with("int f(int *a, int b) { return ")
                    && (text.contains("a[") || text.contains(" *a;"))
            }) as fn(&str) -> bool,
            "int f(int *a, int b) { return *a; }\n",
        ),
        (
            ("p.rs", "use core::{ops};\n"),
            |text: &str| text.contains("use core::{ops") || text.contains("use core::ops"),
            "use core::ops;\n",
        ),
    ] {
        assert!(holds(input.1));
        let steps = vec![Step::Fixpoint(passes(&["convert"], &Options::default()))];
        assert_eq!(reduce_with(&steps, input, holds).0, expected, "{input:?}");
    }
}
