//! `--propose`

use crate::common::{Case, READ_LINES, Ran, Tally, reduce_words, skipped};
use rustix::process::Signal;

/// One line, of which this pattern must stay.
fn case_of_a_line(line: &[u8], pattern: &str) -> Case {
    let case = Case::new();
    case.file("in.txt", line);
    case.script("test.sh", format!("{READ_LINES}\ncase \"$text\" in {pattern}) exit 0;; esac\nexit 1"));
    case
}

/// Lines alone, so that the proposer has something to do.
fn run(case: &Case, command: &str, more: &[&str]) -> Ran {
    let words = ["--json", "--passes", "line", "--propose", command];
    let words = words.into_iter().chain(more.iter().copied()).chain(["test.sh", "in.txt"]);
    case.reduce(words).ended_with(0)
}

#[test]
fn the_example_of_the_book_shortens_words() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/proposer/halve_words.py");
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        return skipped("there is no python3");
    }
    let mut told = Vec::new();
    for jobs in ["1", "3"] {
        let case = case_of_a_line(b"needle overlongwords\n", "*needle*over*");
        let ran = run(&case, &format!("python3 '{example}'"), &["-j", jobs]);
        assert_eq!(case.text("in.reduced.txt"), "needle overlo\n");
        let json = ran.json();
        assert_eq!(
            json["proposals"],
            serde_json::json!({"offered": 4, "ignored": 0, "accepted": 1, "failed": null})
        );
        assert!(json["passes"].as_array().unwrap().iter().any(|pass| pass["name"] == "propose"));
        told.push(ran.queries_and_hits());
        case.assert_nothing_is_left(&ran);
    }
    assert_eq!(told[0], told[1]);
}

#[test]
fn the_other_passes_take_up_what_it_finds() {
    // With another first line the second can go, not before.
    let case = case_of_a_line(b"one\ntwo\nthree\n", "one,two,three,|x,two,three,|x,three,");
    case.script(
        "proposer",
        r#"n=0
           while read -r line; do
             n=$((n + 1))
             [ $n = 1 ] && printf '%s\n' '{"best":1,"text":"x\ntwo\nthree\n"}'
             echo "{\"best\":$n,\"done\":true}"
           done"#,
    );
    let ran = run(&case, "./proposer", &[]);
    assert_eq!(case.text("in.reduced.txt"), "x\nthree\n");
    assert_eq!(ran.json()["proposals"]["failed"], serde_json::Value::Null);
}

#[test]
fn however_it_misbehaves_the_run_goes_on_without_it() {
    let bad = |script: &str| format!("sh -c '{script}'");
    let line = r#"{"best":1,"text":"longer than the best"}"#;
    for (command, why) in [
        (bad("echo oh no >&2; exit 3"), "sh ended (exit status: 3): oh no"),
        (bad("read x; exit 0"), "sh ended (exit status: 0)"),
        (bad("read x; kill -9 $$"), "sh ended (signal: 9 (SIGKILL))"),
        (bad("read x; echo hello; sleep 1000"), "sh said `hello`, which is not understood: "),
        (bad("read x; sleep 1000"), "sh said nothing for 0.3 s and was ended"),
        (
            bad(&format!("read x; while :; do echo \"{}\"; done", line.replace('"', "\\\""))),
            "offers in a row",
        ),
    ] {
        let case = case_of_a_line(b"hay\nneedle\n", "*needle*");
        let ran = run(&case, &command, &["--propose-timeout", "300ms"]);
        assert_eq!(case.text("in.reduced.txt"), "needle\n", "{command}");
        let failed = ran.json()["proposals"]["failed"].as_str().unwrap().to_owned();
        assert!(failed.contains(why), "{command}: {failed}");
        case.assert_nothing_is_left(&ran);
        ran.said("the proposer is asked no more: ");
    }
}

#[test]
fn bytes_and_files_come_and_go_unharmed() {
    let case = case_of_a_line(b"\xff\xfe needle\n", "*needle*");
    let answer = |first: &str| {
        format!(
            "read -r line; printf '%s' \"$line\" > said; echo '{first}'; echo '{}'\nread -r line; echo '{}'\nread -r line",
            r#"{"best":1,"done":true}"#, r#"{"best":2,"done":true}"#
        )
    };
    case.script("proposer", answer(r#"{"best":1,"base64":"//5uZWVkbGU="}"#));
    run(&case, "./proposer", &[]);
    assert_eq!(case.read("in.reduced.txt"), b"\xff\xfeneedle");
    let said: serde_json::Value = serde_json::from_slice(&case.read("said")).unwrap();
    assert_eq!(
        said,
        serde_json::json!({"dwindle": 1, "best": 1, "files": [{"path": "in.txt", "base64": "//4gbmVlZGxlCg=="}]})
    );

    let case = Case::new();
    case.file("dir/a.txt", "needle\n");
    case.file("dir/b.txt", "hay\n");
    case.script("test.sh", "grep -q needle \"$1/a.txt\"");
    case.script("proposer", answer(r#"{"best":1,"drop":["dir/b.txt"]}"#));
    let words = ["--json", "--passes", "bracket", "--propose", "./proposer", "test.sh", "dir"];
    let ran = case.reduce(words).ended_with(0);
    assert_eq!(crate::common::names(&case.path("dir.reduced")), ["a.txt"], "{}", ran.stderr);
}

#[test]
fn an_interrupt_is_heard_while_it_thinks() {
    let case = case_of_a_line(b"hay\nneedle\n", "*needle*");
    let tally = Tally::new(case.outside("tally"));
    let thinker =
        case.script("thinker", format!("read -r x; echo thinks > '{}'; sleep 1000", tally.path().display()));
    let words = ["--passes", "line", "--propose", thinker.to_str().unwrap(), "test.sh", "in.txt"];
    let running = Ran::start(&mut case.dwindle(reduce_words(words)));
    assert_eq!(tally.next(), "thinks");
    running.signal(Signal::INT);
    let ran = running.finish().ended_with(130);
    assert_eq!(case.text("in.reduced.txt"), "needle\n");
    case.assert_nothing_is_left(&ran);
}

#[test]
fn a_proposer_that_is_not_there_is_a_mistake() {
    let case = case_of_a_line(b"needle\n", "*needle*");
    case.reduce(["--propose", "no-such-program", "test.sh", "in.txt"]).ended_with(2).said("no-such-program");
    case.reduce(["--propose", " ", "test.sh", "in.txt"]).ended_with(2).said("--propose has no command");
}
