//! Rewrite rules from the command line.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod common;

use common::Case;

fn case() -> Case {
    let case = Case::new();
    case.script("t.sh", "grep -q 'y' p.c");
    case.file("p.c", "int f(int x) { return x; }\nint y = f(1);\n");
    case
}

#[test]
fn rules_are_listed_by_language_and_explained_by_name() {
    let case = Case::new();
    let ran = case.run(["rules"]).ended_with(0);
    assert!(ran.stdout.contains("smtlib") && ran.stdout.contains("dwindle rules LANGUAGE"), "{}", ran.stdout);
    let ran = case.run(["rules", "c"]).ended_with(0);
    assert!(ran.stdout.contains("typedef  "), "{}", ran.stdout);
    let ran = case.run(["rules", "c", "drop-parameter"]).ended_with(0);
    for words in ["find(function_declarator)", "where count $b = count $d", "  becomes\n    int f(int y)"] {
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
    }
    let json: serde_json::Value =
        serde_json::from_str(&case.run(["rules", "c", "--json"]).ended_with(0).stdout).unwrap();
    assert_eq!(json["languages"][0]["language"], "c");
    assert_eq!(json["languages"][0]["rules"][0]["name"], "typedef");
    let ran = case.run(["rules", "c", "no-such"]).ended_with(2);
    assert!(ran.stderr.contains("`dwindle rules c` lists them"), "{}", ran.stderr);
}

#[test]
fn the_rules_pass_applies_shipped_rules_and_the_users_own() {
    let case = case();
    case.reduce(["--passes", "rules", "--set", "rules.only=inline-call", "t.sh", "p.c"]).ended_with(0);
    assert_eq!(case.text("p.reduced.c"), "int y = 1;\n");
    case.file("own.rules", "rule mine: m\n  find(parameter_declaration) int x\n  becomes\n");
    let only = "rules.only=mine";
    case.reduce(["--passes", "rules", "--rules", "own.rules", "--set", only, "-o", "q.c", "t.sh", "p.c"])
        .ended_with(0);
    assert_eq!(case.text("q.c"), "int f() { return x; }\nint y = f(1);\n");
}

#[test]
fn a_broken_rule_ends_with_a_usage_error_that_names_the_line() {
    let case = case();
    let says = |content: &str, words: &str| {
        case.file("own.rules", content);
        for command in
            [&["reduce", "--rules", "own.rules", "t.sh", "p.c"][..], &["rules", "c", "--rules", "own.rules"]]
        {
            let ran = case.run(command).ended_with(2);
            assert!(ran.stderr.contains(words), "{}", ran.stderr);
        }
    };
    says("rule mine: m\nfind x\n", "own.rules:1: rule `mine` changes nothing");
    says("rule mine: m\nfind(nonsense) x\nbecomes\n", "own.rules:2: C has no kind of node `nonsense`");
    let ran = case.run(["rules", "--rules", "missing.rules"]).ended_with(2);
    assert!(ran.stderr.contains("missing.rules"), "{}", ran.stderr);
    case.file("own.rules", "rule mine: m\nfind x\nbecomes\n");
    let ran = case.run(["rules", "--rules", "own.rules"]).ended_with(2);
    assert!(ran.stderr.contains("`language NAME` in the file"), "{}", ran.stderr);
}

#[test]
fn a_rule_that_is_named_must_be_there() {
    let case = case();
    for set in ["rules.only=typedef,no-such", "rules.skip=no-such"] {
        for pipeline in [&["--passes", "rules"][..], &[]] {
            let ran =
                case.reduce(pipeline.iter().copied().chain(["--set", set, "t.sh", "p.c"])).ended_with(2);
            assert!(ran.stderr.contains("there is no rule `no-such`"), "{}", ran.stderr);
        }
    }
}

#[test]
fn examples_are_checked_on_demand() {
    let case = Case::new();
    let good = "language c\nrule mine: m\nfind(cast_expression) ($*t) $e\nbecomes $e\nexample int a = (int) 1;\ngives int a = 1;\n";
    case.file("own.rules", good);
    let ran = case.run(["rules", "c", "mine", "--rules", "own.rules", "--check"]).ended_with(0);
    assert_eq!(ran.stdout, "c: 1 rules, 1 examples\n");
    case.file("own.rules", good.replace("gives int a = 1", "gives int a = 2"));
    let ran = case.run(["rules", "c", "mine", "--rules", "own.rules", "--check"]).ended_with(2);
    assert!(ran.stdout.contains("own.rules:5: rule `mine` does not make `int a = 2;`"), "{}", ran.stdout);
}
