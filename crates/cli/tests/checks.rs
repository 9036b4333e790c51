//! Tests with several checks, from the command line to the summary.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod common;

use common::Case;
use serde_json::Value;

/// Of 30 lines four are needed by each of three checks.
fn case() -> Case {
    let case = Case::new();
    let line = |number: usize| match number % 7 {
        2 => "alpha\n".to_owned(),
        3 => "beta\n".to_owned(),
        5 => "gamma\n".to_owned(),
        _ => format!("line {number}\n"),
    };
    case.file("in.txt", (0..30).map(line).collect::<String>());
    case.script("four", "test $(grep -c $1 \"$2\") = 4");
    case
}

const CHECKS: [&str; 6] =
    ["--check", "a=./four alpha {}", "--check", "b=./four beta {}", "--check", "c=./four gamma {}"];

fn reduce(case: &Case, words: &[&str]) -> Value {
    let all = ["--json", "--no-run-dir", "--preset", "ddmin"].into_iter().chain(words.iter().copied());
    case.reduce(all.chain(["in.txt"])).ended_with(0).json()
}

fn counts(json: &Value) -> Vec<(String, u64, u64, u64)> {
    let number = |check: &Value, field: &str| check[field].as_u64().unwrap();
    let checks = json["checks"].as_array().unwrap();
    checks
        .iter()
        .map(|check| {
            let name = check["name"].as_str().unwrap().to_owned();
            (name, number(check, "executed"), number(check, "failed"), number(check, "failed_alone"))
        })
        .collect()
}

#[test]
fn every_mode_gives_the_same_result_for_the_same_queries() {
    let case = case();
    let plain = reduce(&case, &CHECKS);
    let text = case.text("in.reduced.txt");
    assert_eq!(text, "alpha\nbeta\ngamma\n".repeat(4));
    for mode in ["parallel", "dedup", "adaptive", "dedup,adaptive", "parallel,dedup"] {
        let json = reduce(&case, &[&CHECKS[..], &["--checks", mode]].concat());
        assert_eq!(
            (&json["queries"], case.text("in.reduced.txt")),
            (&plain["queries"], text.clone()),
            "{mode}"
        );
        assert!(
            json["checks"].as_array().unwrap().iter().all(|check| check["seconds"].as_f64().unwrap() > 0.0)
        );
    }
}

#[test]
fn checks_are_counted_alike_for_every_number_of_jobs() {
    let case = case();
    for (mode, preset) in [
        ("sequential", "ddmin"),
        ("parallel", "cov-probdd"),
        ("dedup", "cov-probdd-paper"),
        ("adaptive", "cov-probdd"),
    ] {
        let at = |jobs: &str| {
            let words = ["--json", "--no-run-dir", "--checks", mode, "--preset", preset, "-j", jobs];
            counts(&case.reduce(words.into_iter().chain(CHECKS).chain(["in.txt"])).ended_with(0).json())
        };
        let one = at("1");
        assert_eq!(one, at("4"), "{mode}");
        let (executed, failed): (u64, u64) =
            one.iter().fold((0, 0), |sum, check| (sum.0 + check.1, sum.1 + check.2));
        assert!(failed > 0 && executed > failed, "{one:?}");
    }
}

#[test]
fn in_order_a_check_is_run_only_on_what_those_before_it_let_through() {
    let case = case();
    let json = reduce(&case, &CHECKS);
    let [a, b, c] = counts(&json).try_into().unwrap();
    assert_eq!(a.1, json["queries"].as_u64().unwrap());
    assert_eq!((b.1, c.1), (a.1 - a.2, b.1 - b.2));
    let all = counts(&reduce(&case, &[&CHECKS[..], &["--checks", "parallel"]].concat()));
    assert!(all.iter().all(|check| check.1 == a.1), "{all:?}");
}

#[test]
fn a_check_that_never_rejects_alone_is_reported_and_waits_with_dedup() {
    let case = case();
    let checks = [&CHECKS[..], &["--check", "also-a=./four alph {}", "--checks", "dedup"]].concat();
    let json = reduce(&case, &checks);
    let redundant: Vec<_> =
        json["checks"].as_array().unwrap().iter().map(|check| check["redundant"] == true).collect();
    assert_eq!(redundant, [false, false, false, true]);
    let [a, _, _, twin] = counts(&json).try_into().unwrap();
    assert!(twin.1 < a.1, "{twin:?} {a:?}");
    let words = ["--no-run-dir", "--preset", "ddmin"].into_iter().chain(checks).chain(["in.txt"]);
    let ran = case.reduce(words).ended_with(0);
    assert!(ran.stderr.contains("redundant: also-a"), "{}", ran.stderr);
}

#[test]
fn one_check_may_need_what_another_builds() {
    let case = case();
    let checks = [
        "--check",
        "builds=cp {} built",
        "--check",
        "runs=sh -c 'grep -q beta built'",
        "--check",
        "free=sh -c '! test -e built'",
    ];
    let ran = case.reduce(checks.into_iter().chain(["in.txt"])).ended_with(1);
    assert!(
        ran.stderr.contains("the check `runs` does not hold for the input (exit status 2)"),
        "{}",
        ran.stderr
    );
    let needs = ["--check-needs", "runs=builds"];
    for mode in ["sequential", "parallel", "adaptive"] {
        reduce(&case, &[&checks[..], &needs, &["--checks", mode]].concat());
        assert_eq!(case.text("in.reduced.txt"), "beta\n", "{mode}");
    }
}

/// A script that tells what its stages say, by lines or by its status.
fn staged(case: &Case) {
    case.script(
        "test.sh",
        "stage() { if grep -q $2 \"$1\"; then echo $2 ok >> \"$DWINDLE_CHECKS\"; else
             echo $2 fail >> \"$DWINDLE_CHECKS\"; exit $3; fi }
         stage \"$1\" alpha 3; stage \"$1\" beta 4; stage \"$1\" gamma 5",
    );
}

#[test]
fn a_script_may_tell_its_checks_by_lines_or_by_its_status() {
    let case = case();
    staged(&case);
    let lines = reduce(&case, &["test.sh"]);
    let names: Vec<_> = counts(&lines).into_iter().map(|check| check.0).collect();
    assert_eq!(names, ["alpha", "beta", "gamma"]);
    assert_eq!(lines["checks"][0]["seconds"], Value::Null);
    case.script(
        "test.sh",
        "grep -q alpha $1 || exit 3; grep -q beta $1 || exit 4; grep -q gamma $1 || exit 5",
    );
    let statuses = reduce(&case, &["--check-exit", "3=alpha,4=beta,5=gamma", "test.sh"]);
    assert_eq!(counts(&statuses), counts(&lines));
    let plain = reduce(&case, &["test.sh"]);
    assert_eq!(plain["checks"], Value::Null);
    assert_eq!(plain["queries"], lines["queries"]);
    let verbose = ["-vv", "--no-run-dir", "--check-exit", "3=alpha,4=beta", "test.sh", "in.txt"];
    let ran = case.reduce(verbose).ended_with(0);
    assert!(ran.stderr.contains("query: boring (beta)"), "{}", ran.stderr);
}

#[test]
fn a_persistent_test_tells_its_checks_too() {
    let case = case();
    case.script(
        "test.sh",
        "while read path; do if ! grep -q alpha $path; then echo 3; elif ! grep -q beta $path; then echo 4
         else echo 0; fi; done",
    );
    let json = reduce(&case, &["--persistent", "--check-exit", "3=alpha,4=beta", "test.sh"]);
    assert_eq!(case.text("in.reduced.txt"), "alpha\nbeta\n");
    let [alpha, beta] = counts(&json).try_into().unwrap();
    assert_eq!(beta.1, alpha.1 - alpha.2);
    assert!(alpha.2 > 0 && beta.2 > 0);
}

#[test]
fn a_resumed_run_counts_its_checks_as_if_it_had_never_stopped() {
    let case = case();
    let words = |limit: &'static [&'static str]| {
        let fixed =
            ["--json", "--preset", "ddmin", "--checks", "dedup,adaptive", "--check-cost", "a=4", "-j", "2"];
        fixed.into_iter().chain(CHECKS).chain(limit.iter().copied()).chain(["in.txt"])
    };
    let whole = case.reduce(words(&[])).ended_with(0).json();
    case.reduce(words(&["--max-queries", "50"])).ended_with(0);
    let resumed = case.run(["resume", "in-2"]).ended_with(0).json();
    assert_eq!(resumed["replayed"], 50);
    assert_eq!((counts(&resumed), &resumed["queries"]), (counts(&whole), &whole["queries"]));
    // Names that were learned are known again.
    staged(&case);
    let words = ["--json", "--preset", "ddmin", "test.sh", "in.txt"];
    let whole = case.reduce(words).ended_with(0).json();
    case.reduce(words.into_iter().chain(["--max-queries", "9"])).ended_with(0);
    let resumed = case.run(["resume", "in-4"]).ended_with(0).json();
    assert_eq!((&resumed["replayed"], counts(&resumed)), (&9.into(), counts(&whole)));
}

#[test]
fn a_verdict_store_keeps_what_the_checks_said() {
    let case = case();
    let words = [&CHECKS[..], &["--cache-dir", "store"]].concat();
    let (first, second) = (reduce(&case, &words), reduce(&case, &words));
    assert_eq!((counts(&first), &second["started"]), (counts(&second), &0.into()));
    let other = reduce(&case, &[&words[..4], &words[6..]].concat());
    assert_ne!(other["started"], 0, "with a check less it is another test");
}

#[test]
fn what_makes_no_sense_is_said_in_one_line() {
    let case = case();
    staged(&case);
    let table: [(&[&str], &str); 14] = [
        (
            &["--check", "a=no-such-program {}", "in.txt"],
            "\"no-such-program\" was found neither here nor in PATH",
        ),
        (&["--check", "a=true", "--check", "a=true", "in.txt"], "`a` is there twice"),
        (&["--check", "a=", "in.txt"], "write NAME=VALUE"),
        (&["--check", "a=true", "--check-needs", "a=b", "in.txt"], "there is no check `b`: use a"),
        (
            &["--check", "a=true", "--check", "b=true", "--check-needs", "a=b", "in.txt"],
            "`b` has to be given before it",
        ),
        (
            &["--check", "a=true", "--checks", "adaptive", "--check-cost", "c=1", "in.txt"],
            "there is no check `c`",
        ),
        (
            &["--check", "a=true", "--checks", "adaptive", "--check-cost", "a=x", "in.txt"],
            "no whole number above 0",
        ),
        (&["--check", "a=true", "--checks", "parallel,adaptive", "in.txt"], "there is no order"),
        (&["--check", "a=true", "--persistent", "in.txt"], "--persistent does not go with --check"),
        (&["--check", "a=true", "--crash", "in.txt"], "a check holds if it exits with 0"),
        (&["--check-exit", "3=a,3=b", "test.sh", "in.txt"], "status 3 stands for `a` and for `b`"),
        (&["--check-exit", "0=a", "test.sh", "in.txt"], "from 1 to 255"),
        (&["--check-exit", "3=a", "--check-names", "b,c", "test.sh", "in.txt"], "no check `a` among those"),
        (&["--checks", "parallel", "test.sh", "in.txt"], "--check <NAME=CMD>"),
    ];
    for (words, message) in table {
        let ran = case.reduce(words.iter().copied()).ended_with(2);
        assert!(ran.stderr.contains(message), "{words:?}: {}", ran.stderr);
    }
    // Names that only turn up when something fails have to be given before.
    case.script("test.sh", "grep -q alpha \"$1\" || { echo alpha fail >> \"$DWINDLE_CHECKS\"; exit 1; }");
    let ran = case.reduce(["test.sh", "in.txt"]).ended_with(1);
    assert!(ran.stderr.contains("a check `alpha` that is not known"), "{}", ran.stderr);
    let ran = case.reduce(["--check-names", "alpha", "test.sh", "in.txt"]).ended_with(0);
    assert!(ran.stderr.contains("alpha "), "{}", ran.stderr);
}

#[test]
fn linked_items_may_be_reduced_with_checks_too() {
    let case = case();
    case.file("items.json", r#"["a", "b", "c", "d", "e"]"#);
    let words = ["logic", "--json", "--sandbox", "none", "--no-run-dir", "--items", "items.json"];
    let checks = ["--check", "first=grep -qx b {}", "--check", "second=grep -qx d {}"];
    let json = case.run(words.into_iter().chain(checks)).ended_with(0).json();
    assert_eq!(json["items_after"], 2);
    let names: Vec<_> = counts(&json).into_iter().map(|check| check.0).collect();
    assert_eq!(names, ["first", "second"]);
    let both = words.into_iter().chain(checks).chain(["test.sh"]);
    let ran = case.run(both).ended_with(2);
    assert!(ran.stderr.contains("cannot be used with"), "{}", ran.stderr);
}

#[test]
fn the_lists_of_a_tree_hear_of_checks() {
    let case = Case::new();
    let numbers: Vec<String> = (100..160).map(|number| number.to_string()).collect();
    case.file("in.json", format!("[{}]", numbers.join(", ")));
    let checks = ["--check", "one=grep -q '103.*131' {}", "--check", "other=grep -q '111.*127.*158' {}"];
    for preset in ["hdd", "perses"] {
        let words = ["--json", "--no-run-dir", "--preset", preset, "--list-minimizer"];
        let run = |minimizer| {
            let words = words.into_iter().chain([minimizer]).chain(checks).chain(["in.json"]);
            case.reduce(words).ended_with(0).json()
        };
        let (plain, cov) = (run("probdd"), run("cov-probdd"));
        assert_eq!(plain["output_bytes"], cov["output_bytes"], "{preset}");
        // The same questions could only be asked by a model that hears nothing of the checks.
        assert_ne!((&plain["queries"], &plain["hits"]), (&cov["queries"], &cov["hits"]), "{preset}");
    }
}
