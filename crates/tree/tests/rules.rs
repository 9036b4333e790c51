//! Rewrite rules: those that come with dwindle do what their examples say, and the pass that applies them is sound.

mod common;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use common::{content, passes, reduce_at_once, reduce_with};
use dwindle_core::{Candidate, Files, Step};
use dwindle_syntax::{Filter, Reader, language, rewrite_rules};
use dwindle_tree::rules::{RuleFile, check_examples, rules_of, shipped_for};
use dwindle_tree::{LanguageChoice, Options, Sources};
use proptest::prelude::*;

/// The options with these rules of the user's own and no others.
fn only(rules: &str) -> Options {
    let file = RuleFile::parse("own.rules", rules).expect("it is well formed");
    let mut options = Options::default();
    options.rules.only = file.rules.iter().map(|rule| rule.name.clone()).collect();
    options.rules.files = vec![Arc::new(file)];
    options
}

/// What the rules leave of a text of which these words must stay.
fn rewritten(options: &Options, input: (&str, &str), words: &[&str]) -> String {
    let steps = vec![Step::Fixpoint(passes(&["rules"], options))];
    reduce_with(&steps, input, |text| words.iter().all(|word| text.contains(word))).0
}

#[test]
fn every_shipped_file_is_well_formed_and_has_examples_in_this_build_or_not() {
    for (name, text) in rewrite_rules() {
        let file = RuleFile::parse(name, text).unwrap_or_else(|error| panic!("{error}"));
        assert!(file.rules.iter().all(|rule| !rule.examples.is_empty()), "{name}");
    }
}

#[test]
fn every_shipped_rule_does_what_its_examples_say() {
    let built_in: Vec<_> = shipped_for().filter_map(language).collect();
    assert!(built_in.len() >= 2, "the languages of this build have rules");
    for language in built_in {
        let rules = rules_of(&[], &language).unwrap_or_else(|error| panic!("{error}"));
        for rule in rules {
            check_examples(&[], &language, &rule)
                .unwrap_or_else(|error| panic!("{}: {error}", language.name()));
        }
    }
}

#[test]
fn a_match_inside_another_is_made_with_it() {
    let options = only("rule cast: c\nfind(cast_expression) ($*t) $e\nbecomes $e\n");
    assert_eq!(rewritten(&options, ("p.c", "int a = (int) f((long) b);"), &["f", "b"]), "int a = f(b);");
    let (_, summary) =
        reduce_with(&passes(&["rules"], &options), ("p.c", "int a = (int) (long) (char) b;"), |_| true);
    assert_eq!(summary.counts.queries, 1, "all three at once");
}

#[test]
fn a_hole_that_occurs_twice_holds_the_same_text() {
    let options = only("rule same: s\nfind(binary_expression) $a + $a\nbecomes $a\n");
    assert_eq!(rewritten(&options, ("p.c", "int a = f(1) + f( 1 );"), &[]), "int a = f(1);");
    assert_eq!(rewritten(&options, ("p.c", "int a = f(1) + f(2);"), &[]), "int a = f(1) + f(2);");
}

#[test]
fn the_comma_beside_an_empty_run_is_left_out() {
    let options = only("rule drop: d\nfind(call_expression) f($*b, 0, $*a)\nbecomes f($*b, $*a)\n");
    for (before, after) in [
        ("int a = f(0);", "int a = f();"),
        ("int a = f(0, 1);", "int a = f( 1);"),
        ("int a = f(1, 0);", "int a = f(1);"),
        ("int a = f(1, 0, 2);", "int a = f(1, 2);"),
    ] {
        assert_eq!(rewritten(&options, ("p.c", before), &[]), after);
    }
}

#[test]
fn a_function_that_calls_itself_is_not_inlined_for_ever() {
    let mut options = Options::default();
    options.rules.only = vec!["inline-call".to_owned()];
    let text = "int f(int x) { return f(x); } int a = f(1);";
    // What it returns takes the place of the call once.
    assert_eq!(rewritten(&options, ("p.c", text), &["a"]), "int a = f(1);");
}

#[test]
fn a_rule_of_the_users_takes_the_place_of_one_of_the_same_name() {
    let options = only("rule cast: c\nfind(cast_expression) (int) $e\nbecomes $e\n");
    assert_eq!(rewritten(&options, ("p.c", "int a = (int) b + (long) c;"), &[]), "int a = b + (long) c;");
}

#[test]
fn a_rule_that_would_enlarge_the_text_has_no_sites() {
    let options = only("rule wrap: w\nfind(number_literal) $*n\nbecomes ($*n)\n");
    let (left, summary) = reduce_with(&passes(&["rules"], &options), ("p.c", "int a = 1;"), |_| true);
    assert_eq!((left.as_str(), summary.counts.queries), ("int a = 1;", 0));
}

#[test]
fn rules_that_undo_each_other_come_to_an_end() {
    // One is shorter in tokens, the other in bytes.
    let options = only(
        "rule long: l\nfind(binary_expression) $a + 1\nbecomes one_more_than_that\nrule short: s\nfind(identifier) $n\nbecomes b+1\n",
    );
    assert_eq!(rewritten(&options, ("p.c", "int a = b+1;"), &["int a"]), "int a = one_more_than_that;");
}

#[test]
fn line_structure_survives() {
    let options = only("rule if: i\nfind(if_statement) if $c: $*b\nbecomes $*b\n");
    let text = "def f():\n    if a:\n        b()\n        if c:\n            d()\n    e()\n";
    assert_eq!(
        rewritten(&options, ("p.py", text), &["b", "d", "e"]),
        "def f():\n    b()\n    d()\n    e()\n"
    );
}

#[test]
fn what_does_not_fit_the_language_is_told_by_line_and_by_what_to_do() {
    let c = language("c").expect("C is built in");
    for (rules, line, words) in [
        ("rule a: b\nfind(no_such) x\nbecomes", 2, "`dwindle tree FILE` shows the kinds there are"),
        ("rule a: b\nfind $x:no_such y\nbecomes", 2, "C has no kind of node `no_such`"),
        ("rule a: b\nfind $x y\nbecomes", 2, "find(KIND)"),
        ("rule a: b\nfind x\nbecomes $y", 3, "no pattern of this rule has a hole `$y`"),
        ("rule a: b\nfind x $\nbecomes", 2, "needs a name"),
        ("rule a: b\nfind x $y\nbecomes $y:name", 3, "leave it out here"),
        ("rule a: b\nfind x $y\nbecomes\nwhere $y is big", 4, "conditions are"),
        ("rule a: b\nfind x $y\nbecomes $y@middle($*a, $*b)", 3, "`@last`"),
        ("include nothing\nrule a: b\nfind x\nbecomes", 1, "there are no rules for `nothing`"),
    ] {
        let file = RuleFile::parse("own.rules", rules).expect("its lines are well formed");
        let error = rules_of(&[Arc::new(file)], &c).expect_err(rules);
        assert_eq!((error.file.as_str(), error.line), ("own.rules", line), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn rules_for_one_language_leave_others_alone() {
    let rules = "language python\nrule none: n\nfind(integer) $*n\nbecomes\n";
    let file = Arc::new(RuleFile::parse("own.rules", rules).expect("it is well formed"));
    let c = language("c").expect("C is built in");
    let names = rules_of(&[file], &c).expect("C has no integer, and need not");
    assert!(names.iter().all(|rule| rule.name != "none"));
}

#[test]
fn an_example_that_does_not_come_out_is_told() {
    let c = language("c").expect("C is built in");
    for (example, words) in [
        ("example int a = 1;\ngives int a = 2;", "finds nothing to change"),
        ("example int a = (int) 1;\ngives int a = 2;", "but `int a = 1;`"),
        ("example int a = (;\ngives int a;", "does not parse"),
    ] {
        let rules = format!("rule mine: c\nfind(cast_expression) ($*t) $e\nbecomes $e\n{example}\n");
        let own = [Arc::new(RuleFile::parse("own.rules", &rules).expect("it is well formed"))];
        let rules = rules_of(&own, &c).expect("it fits C");
        let rule = rules.iter().find(|rule| rule.name == "mine").expect("it is there");
        let error = check_examples(&own, &c, rule).expect_err(example);
        assert!(error.to_string().contains(words), "{error}");
    }
}

const PROGRAM: &str = "typedef unsigned int word;\nenum e { one = 1, two };\nstruct s { int m; };\n\
    struct s v;\nint *p;\nint arr[3];\nint n = 3;\nint add(int x, word y) { return x + y; }\n\
    void act(int k) { v.m = k; }\n\
    int main() { int a; int b; a = add(n, 2); for (a = 0; a < one; a++) { act(arr[a]); }\n\
    if (a) b = (int)*p; else b = two; switch (b) { case 1: act(1); default: a += b ? 1 : add(1, 2); } return a; }\n";

/// Some of the words of the program.
fn words() -> impl Strategy<Value = BTreeSet<&'static str>> {
    let words = ["word", "one", "m", "arr", "add", "act", "for", "if", "switch", "2", "b", "return", "void"];
    proptest::collection::btree_set(proptest::sample::select(words.to_vec()), 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn rules_end_with_the_same_text_and_queries_at_every_j_and_ask_for_nothing_that_does_not_parse(words in words()) {
        let mut results = BTreeSet::new();
        for jobs in [1, 2, 8] {
            let sources = Rc::new(Sources::new(LanguageChoice::Detect, Filter::NoWorse));
            let pass = dwindle_tree::passes().find(|pass| pass.name == "rules").expect("it is there");
            let steps = vec![Step::Fixpoint(vec![Step::Pass(pass.build(&Options::default(), &sources))])];
            let test = |text: &str| {
                let mut reader = Reader::new(&language("c").expect("C is built in"));
                assert_eq!(reader.errors(text.as_bytes()), Some(0), "{text}");
                words.iter().all(|word| text.contains(word))
            };
            let (left, summary) = reduce_at_once(&steps, ("p.c", PROGRAM), test, jobs);
            results.insert((left, summary.counts.queries));
        }
        prop_assert_eq!(results.len(), 1, "{:?}", results);
    }
}

#[test]
fn a_rule_reports_as_a_pass_of_its_own_if_asked() {
    let mut options = Options::default();
    dwindle_tree::set(&mut options, "rules.only=cast").expect("it is there");
    dwindle_tree::set(&mut options, "rules.each=true").expect("it is there");
    let input = Candidate::of_files(Files::single("p.c", *b"int a = (int) b;"));
    let (_, summary) = reduce_with(&passes(&["rules"], &options), ("p.c", &content(&input)), |_| true);
    let names: Vec<_> = summary.passes.iter().map(|pass| (pass.name.as_str(), pass.counts.queries)).collect();
    assert_eq!(names, [("rules/cast", 1), ("rules", 0)]);
}
