//! `dwindle triage` from the command line, and `reduce --panel`.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod common;

use common::{Case, Ran};

/// Three tools over small programs: each is wrong where the input has its name, with what stands behind it.
fn tools(case: &Case) {
    case.script(
        "check.sh",
        "line=$(grep \"^$1:\" \"$2\") || exit 0
         case $line in *hang) sleep 1000;; *crash) kill -SEGV $$;; *status) exit 3;; esac
         echo \"${line#*: }\"; echo 'a consequence'; exit 1",
    );
    case.file("a.c", "gcc: line 12: lost f\n");
    case.file("b.c", "fine\n");
    case.file("c.c", "gcc: line 7: lost f\n");
    case.file("d.c", "gcc: x\nclang: x\ntcc: x\n");
    case.file("e.c", "clang: w\ntcc: w\ngcc: crash\n");
}

fn triage(case: &Case, words: &[&str]) -> Ran {
    let tools = ["gcc", "clang", "tcc"].map(|name| format!("--tool={name}=./check.sh {name} {{}}"));
    let words = words.iter().map(|word| (*word).to_owned());
    case.run(["triage", "--sandbox=none"].map(str::to_owned).into_iter().chain(tools).chain(words))
}

#[test]
fn the_tables_of_the_book_come_out() {
    let case = Case::new();
    tools(&case);
    let ran = triage(&case, &["a.c", "b.c", "c.c", "d.c", "e.c"]).ended_with(0);
    insta::assert_snapshot!(ran.stdout, @r"
    input  easiness  verdict  fails            first difference
    a.c    0.67      bug      gcc              line 12: lost f
    c.c    0.67      bug      gcc              line 7: lost f
    d.c    0.00      feature  gcc, clang, tcc  x
    e.c    0.33      unknown  clang, tcc       w

    inputs  verdict  fails            first difference  smallest name
    2       bug      gcc              line #: lost f    a.c
    1       unknown  clang, tcc       w                 e.c
    1       feature  gcc, clang, tcc  x                 d.c

    5 inputs: 2 bug, 1 feature, 1 unknown, 1 sound (bug from easiness 0.67, feature below 0.33)
    1 of the runs gave no answer and count as no evidence
    ");
    assert_eq!(ran.stderr, "");
    case.assert_nothing_is_left(&ran);
}

#[test]
fn differences_do_not_name_the_input_nor_our_directories() {
    let case = Case::new();
    case.script("check.sh", "echo \"$1: line 3: $PWD/x is odd\" >&2; exit 1");
    case.file("a.c", "");
    case.file("dir/b.c", "");
    let ran = case.run([
        "triage",
        "--sandbox=none",
        "--json",
        "--tool=a=./check.sh {}",
        "--tool=b=true",
        "a.c",
        "dir",
    ]);
    let json = ran.ended_with(0).json();
    assert_eq!(json["inputs"][0]["difference"], "{}: line 3: x is odd");
    assert_eq!(json["inputs"][1]["difference"], "{}: line 3: x is odd");
    assert_eq!(json["groups"][0]["inputs"], serde_json::json!(["a.c", "dir"]));
}

#[test]
fn json_has_inputs_groups_and_thresholds_and_is_the_same_for_every_number_of_jobs() {
    let case = Case::new();
    tools(&case);
    let words =
        ["--json", "--weight", "gcc=2", "--bug-from", "0.5", "--feature-below", "0.1", "a.c", "d.c", "e.c"];
    let ran = triage(&case, &[&["-j1"], &words[..]].concat()).ended_with(0);
    assert_eq!(triage(&case, &[&["-j4"], &words[..]].concat()).ended_with(0).stdout, ran.stdout);
    let json = ran.json();
    assert_eq!(json["thresholds"], serde_json::json!({"bug": 0.5, "feature": 0.1}));
    assert_eq!(json["inputs"][0]["easiness"], 0.5);
    assert_eq!(json["inputs"][0]["verdict"], "bug");
    assert_eq!(json["inputs"][2]["silent"], serde_json::json!(["gcc"]));
    assert_eq!(json["groups"].as_array().unwrap().len(), 3);
}

#[test]
fn a_tool_that_hangs_gives_no_answer_and_leaves_nothing_behind() {
    let case = Case::new();
    tools(&case);
    case.file("f.c", "gcc: hang\nclang: status\n");
    let ran = triage(&case, &["-v", "--timeout", "300ms", "f.c"]).ended_with(0);
    let ran = ran
        .said("f.c: gcc: no answer (ended at its time limit)")
        .said("f.c: clang: no answer (exit status 3)");
    assert!(ran.stdout.starts_with("1 input: 0 bug, 0 feature, 0 unknown, 1 sound"), "{}", ran.stdout);
    assert!(ran.stdout.contains("2 of the runs gave no answer"), "{}", ran.stdout);
    case.assert_nothing_is_left(&ran);
}

#[test]
fn ctrl_c_ends_the_tools() {
    let case = Case::new();
    let gate = common::Gate::new(&case);
    case.script("slow.sh", gate.wait());
    case.file("a.c", "");
    let words = ["triage", "--sandbox=none", "--tool=a=./slow.sh {}", "--tool=b=./slow.sh {}", "a.c"];
    let running = Ran::start(&mut case.dwindle(words));
    gate.wait_for_arrival();
    running.signal(rustix::process::Signal::INT);
    let ran = running.finish().ended_with(130);
    assert_eq!(ran.stdout, "");
    case.assert_nothing_is_left(&ran);
}

#[test]
fn what_is_wrong_is_said_with_what_to_do() {
    let case = Case::new();
    tools(&case);
    let a = "--tool=a=true {}";
    let b = "--tool=b=true {}";
    let table: [(&[&str], &str); 9] = [
        (&[a, "a.c"], "give --tool at least twice"),
        (&[a, a, "a.c"], "there are two tools `a`"),
        (&[a, b, "--weight", "c=2", "a.c"], "there is no tool `c`"),
        (&[a, b, "--weight", "b=0", "a.c"], "a number above 0"),
        (&[a, b, "nope.c"], "\"nope.c\" does not exist"),
        (&[a, b], "required arguments were not provided"),
        (&[a, "--tool=b", "a.c"], "NAME=COMMAND"),
        (&[a, "--tool=b=no-such-tool {}", "a.c"], "no-such-tool"),
        (&[a, "--tool=b=true '{}", "a.c"], "has a quote that is not closed"),
    ];
    for (words, message) in table {
        let ran = case.run([&["triage", "--sandbox=none"], words].concat());
        assert_eq!(ran.code, Some(2), "{words:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{words:?}: {}", ran.stderr);
    }
}

/// A case where `target` fails on `bug`, and the other tools fail on lines of their own.
fn panel() -> Case {
    let case = Case::new();
    case.script("target.sh", "grep -q bug in.txt || grep -q hard in.txt");
    // Everybody fails on what is hard; the second one on the quirk unless the cure is there.
    case.script("one.sh", "! grep -q hard \"$1\"");
    case.script("two.sh", "! grep -q hard \"$1\" && { ! grep -q quirk \"$1\" || grep -q cure \"$1\"; }");
    case.file("in.txt", "bug one\nbug two\nquirk\ncure\n");
    case
}

#[test]
fn with_a_panel_a_candidate_that_is_hard_for_all_is_not_taken() {
    let case = panel();
    // Without the line `safe` the target fails for a reason that all share.
    case.script("target.sh", "grep -q bug in.txt || ! grep -q safe in.txt");
    case.script("one.sh", "grep -q safe \"$1\"");
    case.file("in.txt", "safe\nbug\nother\n");
    let lines = ["--preset", "ddmin", "target.sh", "in.txt"];
    case.reduce(lines).ended_with(0);
    assert!(!case.text("in.reduced.txt").contains("safe"));
    let ran = case.reduce([&["--panel", "./one.sh {}"], &lines[..]].concat()).ended_with(0);
    assert_eq!(case.text("in.reduced.txt"), "safe\nbug\n");
    case.assert_nothing_is_left(&ran);
}

#[test]
fn the_result_with_a_panel_is_the_same_for_every_number_of_jobs() {
    let results = ["-j1", "-j4"].map(|jobs| {
        let case = panel();
        let words = [jobs, "--json", "--panel=./one.sh {}", "--panel=./two.sh", "target.sh", "in.txt"];
        (case.reduce(words).ended_with(0).queries_and_hits(), case.text("in.reduced.txt"))
    });
    assert_eq!(results[0], results[1]);
}

#[test]
fn a_warning_says_when_fewer_tools_cope_with_the_result_than_with_the_input() {
    let case = panel();
    // Wants the quirk as well, and one tool may fail: the cure goes.
    case.script("target.sh", "grep -q bug in.txt && grep -q quirk in.txt");
    case.file("in.txt", "bug\nquirk\ncure\nother\n");
    let words = ["--panel=./one.sh {}", "--panel=./two.sh {}", "--preset", "ddmin", "target.sh", "in.txt"];
    case.reduce(words).ended_with(0);
    assert_eq!(case.text("in.reduced.txt"), "bug\nquirk\ncure\n");
    let ran = case.reduce([&["--panel-easiness=0.3"], &words[..]].concat()).ended_with(0);
    assert_eq!(case.text("in.reduced.txt"), "bug\nquirk\n");
    ran.said("warning: easiness went from 0.67 on the input to 0.33 on the result (of the panel, `./two.sh {}` fails now)");
}

#[test]
fn a_panel_that_fails_on_the_input_is_refused() {
    let case = panel();
    case.script("no.sh", "exit 1");
    let words = ["--panel=./no.sh {}", "--panel=./one.sh {}", "target.sh", "in.txt"];
    let ran = case
        .reduce(words)
        .ended_with(1)
        .said("of the panel, `./no.sh {}` fails on the input itself, and 0 may");
    assert!(!case.path(".dwindle").exists(), "{}", ran.stderr);
    case.reduce([&["--panel-easiness=0.3"], &words[..]].concat()).ended_with(0);
    case.reduce(["--panel=./nope.sh {}", "target.sh", "in.txt"]).ended_with(2).said("nope.sh");
}
