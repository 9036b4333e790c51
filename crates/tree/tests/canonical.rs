//! The canonical result: of variants of one size the most natural one, whatever it was made from.

mod common;

use common::{passes, reduce_at_once, reduce_with};
use dwindle_core::Step;
use dwindle_tree::Options;
use proptest::prelude::*;

fn canonical() -> Vec<Step> {
    vec![Step::Fixpoint(passes(&["canonical"], &Options::default()))]
}

/// What is left of a text of which this must hold.
fn plain(input: (&str, &str), holds: impl Fn(&str) -> bool + Sync) -> String {
    reduce_with(&canonical(), input, holds).0
}

/// The number behind `=`.
fn number(text: &str) -> Option<u64> {
    text.split("= ").nth(1)?.split(';').next()?.trim().parse().ok()
}

#[test]
fn names_come_in_the_order_of_their_first_use() {
    let renamed = |text: &str, word: &str| plain(("p.c", text), |text| text.contains(word));
    assert_eq!(renamed("int q(int b) { return b + a; }\n", "return"), "int a(int b) { return b + c; }\n");
    assert_eq!(
        renamed("int q(int b) { return b + a; }\n", "int q"),
        "int q(int a) { return a + b; }\n",
        "a name that must stay is not given to others"
    );
    assert_eq!(renamed("int xy, x, main;\n", "main"), "int aa, a, main;\n", "each of its own length");
}

#[test]
fn two_names_never_become_one() {
    let text = "int f(int z, int y) { return z - y; }\n";
    let left = plain(("p.c", text), |text| text.contains("return") && text.contains(" - "));
    assert_eq!(left, "int a(int b, int c) { return b - c; }\n");
}

#[test]
fn numbers_are_bisected_to_the_smallest_that_will_do() {
    for (least, expected) in
        [(0, "int a = 0;\n"), (1, "int a = 1;\n"), (37, "int a = 37;\n"), (734, "int a = 734;\n")]
    {
        let holds = |text: &str| number(text).is_some_and(|number| number >= least);
        assert_eq!(plain(("p.c", "int a = 734;\n"), holds), expected);
    }
    let even = |text: &str| number(text).is_some_and(|number| number % 2 == 0 && number > 90);
    assert!(even(&plain(("p.c", "int a = 734;\n"), even)), "also where that is not monotone");
}

#[test]
fn numbers_lose_their_base_and_ending_and_points_stay_where_they_matter() {
    for (text, holds, expected) in [
        (
            "int a = 0x1F;\n",
            (|text: &str| text.contains("31") || text.contains("1F")) as fn(&str) -> bool,
            "int a = 31;\n",
        ),
        ("float a = 3.25f;\n", |text| text.contains('.'), "float a = 0.0;\n"),
        ("float a = 2.5;\n", |text| text.contains('.') && !text.contains("0.0"), "float a = 1.0;\n"),
    ] {
        assert_eq!(plain(("p.c", text), holds), expected);
    }
}

#[test]
fn characters_of_strings_become_a_but_for_those_that_matter() {
    for (input, word, expected) in [
        (("p.c", "char *a = \"he%ll\\n\";\n"), "char", "char *a = \"aaaaa\\n\";\n"),
        (("p.c", "char *a = \"hello\";\n"), "ll", "char *a = \"aalla\";\n"),
        (("p.py", "a = 'hé'\n"), "a", "a = 'aa'\n"),
        (("p.rs", "const A: char = 'x';\n"), "const", "const a: char = 'a';\n"),
        (("p.json", "[true, \"b\"]"), "true", "[true, \"a\"]"),
    ] {
        assert_eq!(plain(input, |text| text.contains(word)), expected);
    }
}

#[test]
fn operators_become_the_plainest_that_the_grammar_has_there() {
    for (input, word, expected) in [
        (("p.c", "int a = b << c;\n"), "int", "int a = b+c;\n"),
        (("p.c", "int a = b != 0 && c >= d;\n"), "int", "int a = b + 0 + c + d;\n"),
        (("p.c", "void a() { b <<= c->d; }\n"), "void", "void a() { b = c.d; }\n"),
        (("p.py", "a = b is c or d >= e\n"), "is", "a = b is c or d < e\n"),
        (("p.js", "a = b === c\n"), "a", "a = b + c\n"),
    ] {
        let left = plain(input, |text| text.contains(word));
        assert_eq!(left.replace(' ', ""), expected.replace(' ', ""), "{input:?}");
    }
}

#[test]
fn fewer_kinds_go_before_smaller_characters() {
    // A 0 in one place alone would be one more kind of number.
    let left = plain(("p.c", "int a = 7, b = 7;\n"), |text| text.contains("a = 7"));
    assert_eq!(left, "int a = 7, b = 7;\n");
}

#[test]
fn a_file_without_anything_to_rewrite_costs_nothing() {
    let (left, summary) = reduce_with(&canonical(), ("p.c", "int a;\n"), |_| true);
    assert_eq!((left.as_str(), summary.counts.queries), ("int a;\n", 0));
}

/// A small C program of declarations.
fn program() -> impl Strategy<Value = String> {
    let operators = proptest::sample::select(vec!["+", "-", "<<", "==", "&&"]);
    let declaration =
        ("[a-z]{1,2}", 0_u32..2000, operators, "[a-z]").prop_map(|(name, number, operator, other)| {
            format!("int {name}_ = {number} {operator} {other};\n").replace('_', "")
        });
    proptest::collection::vec(declaration, 1..5).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn it_ends_never_grows_stays_interesting_and_is_the_same_at_every_job_count(
        text in program(),
        picked in any::<u64>(),
    ) {
        // Keeps a property of the text that looks arbitrary to the pass: some bytes must occur as often as before.
        let bytes = text.as_bytes();
        let wanted = bytes[picked as usize % bytes.len()];
        let count = |text: &str| text.bytes().filter(|byte| *byte == wanted).count();
        let holds = |left: &str| count(left) >= count(&text);
        let (left, summary) = reduce_at_once(&canonical(), ("p.c", &text), holds, 1);
        prop_assert!(left.len() <= text.len());
        prop_assert!(holds(&left));
        let (again, more) = reduce_at_once(&canonical(), ("p.c", &text), holds, 3);
        prop_assert_eq!(&left, &again);
        prop_assert_eq!(summary.counts, more.counts);
        let (twice, _) = reduce_with(&canonical(), ("p.c", &left), holds);
        prop_assert_eq!(left, twice);
    }
}
