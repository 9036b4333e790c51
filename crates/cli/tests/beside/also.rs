//! `--also`, `--also-exit`

use crate::common::{Case, READ_LINES, Ran};

/// Ten lines of which two are needed; without one of them, the seventh and the fifth make the test fail in other ways.
fn case_of_three_bugs() -> Case {
    let case = Case::new();
    let lines: String = (1..=10).map(|number| format!("L{number:02}\n")).collect();
    case.file("in.txt", lines);
    case.script(
        "test.sh",
        format!(
            "{READ_LINES}\ncase \"$text\" in *L03,*L09,*) exit 0;; *L07,*) echo \"panic: seven at $1\" >&2; exit 134;; \
             *L05,*) echo 'panic: five'; kill -6 $$;; esac\nexit 1"
        ),
    );
    case
}

const WORDS: [&str; 5] = ["--json", "--preset", "ddmin", "test.sh", "in.txt"];

/// What was found beside the bug, without where it is.
fn found(ran: &Ran) -> Vec<(String, String, u64, u64)> {
    let json = ran.json();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let finding = |found: &serde_json::Value| {
        let number = |name: &str| found[name].as_u64().unwrap();
        (text(&found["rule"]), text(&found["text"]), number("count"), number("bytes"))
    };
    json["also"]["found"].as_array().unwrap().iter().map(finding).collect()
}

#[test]
fn candidates_that_fail_in_another_way_are_saved_and_change_nothing() {
    let case = case_of_three_bugs();
    let plain = case.reduce(WORDS).ended_with(0);
    assert!(plain.json().get("also").is_none());
    let mut seen = Vec::new();
    for jobs in ["1", "4"] {
        let words = ["-j", jobs, "--also", "panic: .*"].into_iter().chain(WORDS);
        let ran = case.reduce(words).ended_with(0);
        assert_eq!(ran.queries_and_hits(), plain.queries_and_hits());
        assert_eq!(case.text("in.reduced.txt"), "L03\nL09\n");
        let found = found(&ran);
        let texts: Vec<&str> = found.iter().map(|(_, text, ..)| text.as_str()).collect();
        assert_eq!(texts, ["panic: five", "panic: seven at in.txt"], "where it ran does not count");
        for (at, (_, text, count, bytes)) in found.iter().enumerate() {
            let number = ran.json()["run"].as_str().unwrap().to_owned();
            let saved = case.text(format!("{number}/also/{}/in.txt", at + 1));
            assert_eq!(saved.len() as u64, *bytes);
            assert!(*count > 0 && !(saved.contains("L03") && saved.contains("L09")));
            assert!(saved.contains(if text.contains("seven") { "L07" } else { "L05" }), "{text}: {saved}");
        }
        seen.push(found);
        ran.said("2 other findings in ");
    }
    assert_eq!(seen[0], seen[1], "the same at every -j");
}

#[test]
fn ends_of_the_test_are_a_class_of_their_own() {
    let case = case_of_three_bugs();
    let words = ["--also-exit", "134,timeout"].into_iter().chain(WORDS);
    let ran = case.reduce(words).ended_with(0);
    let found = found(&ran);
    let told: Vec<(&str, &str)> =
        found.iter().map(|(rule, text, ..)| (rule.as_str(), text.as_str())).collect();
    assert_eq!(told, [("exit 134", "ended by signal 6 (SIGABRT)"), ("exit 134", "exit status 134")]);
}

#[test]
fn the_text_of_the_first_group_tells_findings_apart_and_a_limit_holds() {
    let case = case_of_three_bugs();
    let words = ["--also", "(panic): .*", "--also-max", "1"].into_iter().chain(WORDS);
    let ran = case.reduce(words).ended_with(0);
    assert_eq!(found(&ran).len(), 1);
    assert_eq!(ran.json()["also"]["dropped"], 0);
    let words = ["--also", "panic: .*", "--also-max", "1"].into_iter().chain(WORDS);
    let ran = case.reduce(words).ended_with(0);
    assert_eq!(found(&ran).len(), 1);
    assert!(ran.json()["also"]["dropped"].as_u64().unwrap() > 0);
    ran.said("beyond --also-max not saved");
}

#[test]
fn a_resumed_run_finds_the_same() {
    let whole = case_of_three_bugs();
    let words = || ["--also", "panic: .*"].into_iter().chain(WORDS);
    let whole = whole.reduce(words()).ended_with(0);
    let case = case_of_three_bugs();
    let part = case.reduce(["--max-queries", "1"].into_iter().chain(words())).ended_with(0);
    assert_ne!(found(&part), found(&whole));
    let resumed = case.run(["resume", "in-1"]).ended_with(0);
    assert_eq!(found(&resumed), found(&whole));
}

#[test]
fn what_cannot_be_looked_out_for_is_refused() {
    let case = case_of_three_bugs();
    for (words, why) in [
        (&["--also", "("][..], "--also (: "),
        (&["--also-exit", "300"], "is no class of ends"),
        (&["--also", "x", "--no-run-dir"], "leave --no-run-dir out"),
        (&["--also", "x", "--persistent"], "do not go with --persistent or --check"),
    ] {
        case.reduce(words.iter().copied().chain(WORDS)).ended_with(2).said(why);
    }
}
