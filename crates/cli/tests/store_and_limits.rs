//! What outlives a run: its journal beyond a limit, and verdicts kept for other runs with the same test.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod common;

use common::Case;

const LINES: &str = "a\nb\nc\nneeded\nd\ne\nf\ng\n";

fn json(output: &std::process::Output) -> serde_json::Value {
    let stderr = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"))
}

/// A case whose test notes each of its runs.
fn case() -> Case {
    let case = Case::new();
    case.file("input.txt", LINES);
    let runs = case.outside("runs");
    case.script("test.sh", format!("echo run >> '{}'; grep -q needed \"$1\"", runs.display()));
    case
}

fn runs(case: &Case) -> usize {
    std::fs::read_to_string(case.outside("runs")).unwrap_or_default().lines().count()
}

const REDUCE: [&str; 10] =
    ["reduce", "--json", "-j", "1", "--sandbox", "none", "--preset", "ddmin", "test.sh", "input.txt"];

#[test]
fn a_run_that_came_to_its_limit_goes_on_without_it() {
    let case = case();
    let limited = json(&case.dwindle(REDUCE).args(["--max-queries", "2"]).output().unwrap());
    assert_eq!((&limited["queries"], &limited["stopped"]), (&2.into(), &"queries".into()));
    let resumed = json(&case.dwindle(["resume", "input-1"]).output().unwrap());
    assert_eq!((&resumed["stopped"], &resumed["replayed"]), (&serde_json::Value::Null, &2.into()));
    assert_eq!(case.text("input.reduced.txt"), "needed\n");
    let again = json(&case.dwindle(["resume", "input-1", "--max-queries", "1"]).output().unwrap());
    assert_eq!(again["stopped"], "queries");
}

#[test]
fn a_second_run_with_the_same_test_starts_no_test_for_its_queries() {
    let case = case();
    let reduce = || json(&case.dwindle(REDUCE).args(["--cache-dir", "verdicts"]).output().unwrap());
    let first = reduce();
    let before = runs(&case);
    let second = reduce();
    assert_eq!(second["queries"], first["queries"]);
    assert_eq!(second["started"], 0);
    assert_eq!(second["replayed"], second["queries"]);
    assert_eq!((runs(&case) - before) as u64, second["overhead_queries"].as_u64().unwrap());

    // Another test knows nothing of these verdicts.
    case.script("test.sh", "grep -q needed \"$1\" && true");
    assert_eq!(reduce()["started"], first["queries"]);
}

#[test]
fn a_store_that_is_something_else_is_reported_and_left_alone() {
    let case = case();
    case.file("verdicts", "not a directory");
    let output = case.dwindle(REDUCE).args(["--cache-dir", "verdicts"]).output().unwrap();
    assert!(output.status.success());
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("warning: the verdict store"), "{stderr}");
    assert_eq!(case.text("verdicts"), "not a directory");
    assert_eq!(case.text("input.reduced.txt"), "needed\n");
}

#[test]
fn every_cache_scheme_asks_and_finds_the_same() {
    let case = case();
    let reduce = |scheme: &str| {
        let output = case.dwindle(REDUCE).args(["--cache", scheme, "--no-run-dir"]).output();
        let summary = json(&output.unwrap());
        (summary["queries"].clone(), summary["hits"].clone(), case.text("input.reduced.txt"))
    };
    let expected = reduce("hash");
    for scheme in dwindle::core::cache::SCHEMES.iter().filter(|scheme| scheme.name != "none") {
        assert_eq!(reduce(scheme.name), expected, "{}", scheme.name);
    }
}
