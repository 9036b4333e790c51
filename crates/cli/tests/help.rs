//! What is printed on purpose: the summary for programs, silence, help texts, completions, the manual page.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod common;

use std::process::{Command, Stdio};

use common::{Case, Ran, skipped};

/// A case with an input of two lines and a test that wants the second.
fn usual() -> Case {
    let case = Case::new();
    case.script("t.sh", "grep -q keep in.txt");
    case.file("in.txt", "drop\nkeep\n");
    case
}

#[test]
fn json_is_one_object_on_standard_output_and_nothing_else() {
    let case = usual();
    let ran = case.reduce(["--json", "t.sh", "in.txt"]).ended_with(0);
    assert_eq!(ran.stdout.lines().count(), 1);
    let json = ran.json();
    let fields = [
        "input_bytes",
        "input_tokens",
        "output_bytes",
        "output_tokens",
        "queries",
        "hits",
        "overhead_queries",
        "seconds",
        "passes",
        "minimal",
        "cache_peak_bytes",
    ];
    for field in fields {
        assert!(!json[field].is_null(), "{field}");
    }
    assert_eq!(json["input_bytes"], 10);
    assert_eq!(json["output_bytes"], 4);
    assert_eq!(json["minimal"], true);
    assert_eq!(json["output"], "in.reduced.txt");
    // The input three times, nothing once, the result once.
    assert_eq!(json["overhead_queries"], 5);
}

#[test]
fn without_json_standard_output_is_empty() {
    let case = usual();
    let ran = case.reduce(["t.sh", "in.txt"]).ended_with(0);
    assert_eq!(ran.stdout, "");
    assert!(!ran.stderr.is_empty());
}

#[test]
fn quiet_says_nothing_but_errors() {
    let case = usual();
    case.script("t.sh", "exit 0");
    let ran = case.reduce(["-q", "t.sh", "in.txt"]).ended_with(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    let ran = case.reduce(["--quiet", "t.sh", "nope"]).ended_with(2);
    assert!(ran.stderr.starts_with("dwindle: the input \"nope\" does not exist"));
}

#[test]
fn the_test_output_is_thrown_away_unless_it_is_asked_for() {
    let case = usual();
    case.script("t.sh", "echo one word; echo another >&2; grep -q keep in.txt");
    let ran = case.reduce(["--preset", "ddmin", "t.sh", "in.txt"]).ended_with(0);
    assert!(!ran.stderr.contains("one word"), "{}", ran.stderr);
    let ran = case.reduce(["--preset", "ddmin", "--show-output", "t.sh", "in.txt"]).ended_with(0);
    assert_eq!(ran.stdout, "");
    // Two queries: the one line, and the other.
    assert_eq!(ran.stderr.matches("test: one word\n").count(), 2, "{}", ran.stderr);
}

#[test]
fn nobody_who_reads_our_output_is_no_failure() {
    let case = Case::new();
    let mut command = case.at_home(Command::new("sh"));
    command.args(["-c", "\"$0\" presets | true", env!("CARGO_BIN_EXE_dwindle")]);
    let ran = Ran::of(&mut command).ended_with(0);
    assert_eq!(ran.stderr, "");
}

#[test]
fn help_texts_and_lists() {
    let case = Case::new();
    let print = |words: &[&str]| case.run(words).ended_with(0).stdout;
    insta::assert_snapshot!("help", print(&["--help"]));
    insta::assert_snapshot!("reduce_help", print(&["reduce", "--help"]));
    insta::assert_snapshot!("logic_help", print(&["logic", "--help"]));
    insta::assert_snapshot!("jar_help", print(&["jar", "--help"]));
    insta::assert_snapshot!("triage_help", print(&["triage", "--help"]));
    insta::assert_snapshot!("languages_help", print(&["languages", "--help"]));
    insta::assert_snapshot!("tree_help", print(&["tree", "--help"]));
    insta::assert_snapshot!("passes", print(&["passes"]));
    insta::assert_snapshot!("presets", print(&["presets"]));
    // Without any word, too.
    let ran = case.run::<[&str; 0]>([]).ended_with(2);
    assert!(ran.stderr.contains("Usage: dwindle <COMMAND>"), "{}", ran.stderr);
}

#[test]
fn the_options_named_in_messages_exist() {
    let case = Case::new();
    let help = case.run(["reduce", "--help"]).ended_with(0).stdout;
    for option in ["--confirm", "--sandbox", "--timeout", "--memory", "--work-dir", "--no-run-dir", "-o,"] {
        assert!(help.contains(option), "{option}");
    }
}

#[test]
fn completions_can_be_read_by_their_shells() {
    let case = Case::new();
    let shells: [(&str, &[&str], &str); 3] = [
        ("bash", &["-n"], "complete -F _dwindle"),
        ("zsh", &["-n"], "#compdef dwindle"),
        ("fish", &["--no-execute"], "complete -c dwindle"),
    ];
    for (shell, check, sign) in shells {
        let script = case.run(["completions", shell]).ended_with(0).stdout;
        assert!(script.contains(sign), "{shell}");
        let file = case.file(shell, &script);
        let checked = Command::new(shell).args(check).arg(file).stdin(Stdio::null()).output();
        match checked {
            Ok(checked) => {
                assert!(checked.status.success(), "{shell}: {}", String::from_utf8_lossy(&checked.stderr));
            }
            Err(_) => skipped(&format!("{shell} is not installed")),
        }
    }
}

#[test]
fn the_manual_page_can_be_set() {
    let case = Case::new();
    let page = case.run(["man"]).ended_with(0).stdout;
    assert!(page.contains(".TH dwindle 1"), "{}", &page[..200]);
    for word in ["DWINDLE REDUCE", "DWINDLE RESUME", "granularity"] {
        assert!(page.to_lowercase().contains(&word.to_lowercase()), "{word}");
    }
    let file = case.file("dwindle.1", &page);
    match Command::new("groff").args(["-man", "-Tutf8", "-ww"]).arg(file).output() {
        Ok(set) => {
            let text = String::from_utf8_lossy(&set.stdout).into_owned();
            assert!(set.status.success() && text.contains("dwindle"), "{text}");
        }
        Err(_) => skipped("groff is not installed"),
    }
}
