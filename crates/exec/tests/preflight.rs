//! The checks at the start: what they find and what they say.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use common::{Lab, candidate, skipped};
use dwindle_exec::preflight::{
    Finding, check_input, check_runs, find_command, find_test, in_path, root_without_sandbox,
};
use dwindle_exec::{CommandTest, Invocation, Judge, Sandbox};

fn executable(lab: &Lab, name: &str, content: &str) -> PathBuf {
    let path = lab.file(name, content);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_test_that_cannot_run_is_told_why_and_what_to_do() {
    let lab = Lab::new();
    let table = [
        (lab.path().join("none"), "does not exist: check the path"),
        (lab.path().to_owned(), "is a directory: name the script"),
        (lab.file("plain.sh", "#!/bin/sh\n"), "is not executable: chmod +x"),
        (executable(&lab, "bare.sh", "exit 0\n"), "make its first line #!/bin/sh"),
        (executable(&lab, "empty.sh", ""), "make its first line #!/bin/sh"),
        (executable(&lab, "blank.sh", "#!\nexit 0\n"), "make its first line #!/bin/sh"),
        (executable(&lab, "gone.sh", "#! /no/such/shell -e\n"), "\"/no/such/shell\", which is not there"),
        (
            executable(&lab, "dos.sh", "#!/bin/sh\r\nexit 0\r\n"),
            "\"/bin/sh\", which is not there: install it or change the first line (which ends with a carriage return",
        ),
        (
            executable(&lab, "env.py", "#!/usr/bin/env -S no-such-python\n"),
            "\"no-such-python\", which is not there",
        ),
    ];
    for (path, message) in table {
        let finding = find_test(&path).unwrap_err();
        assert!(finding.is_fatal());
        let said = finding.to_string();
        assert!(said.contains(message) && said.contains(path.to_str().unwrap()), "{said}");
    }
    for (name, content) in
        [("good.sh", "#!/bin/sh\n"), ("good.env", "#!/usr/bin/env sh\n"), ("elf", "\u{7f}ELF\0")]
    {
        let path = executable(&lab, name, content);
        assert_eq!(find_test(&path).unwrap(), path);
    }
    let sh = in_path("sh".as_ref()).unwrap();
    assert_eq!(find_test(Path::new("sh")).unwrap(), sh);
    assert_eq!(find_command("sh".as_ref()).unwrap(), sh);
    let said = find_command("no-such-compiler".as_ref()).unwrap_err().to_string();
    assert!(said.contains("neither here nor in PATH"), "{said}");
}

#[test]
fn an_input_that_cannot_be_read_is_told_why() {
    let lab = Lab::new();
    let file = lab.file("input", "x");
    check_input(&file).unwrap();
    check_input(lab.path()).unwrap();
    assert!(check_input(&lab.path().join("none")).unwrap_err().to_string().contains("does not exist"));
    assert!(
        check_input(Path::new("/dev/null"))
            .unwrap_err()
            .to_string()
            .contains("neither a file nor a directory")
    );
    let said = check_input(&file.join("below")).unwrap_err().to_string();
    assert!(said.contains("cannot be read"), "{said}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    if rustix::process::geteuid().is_root() {
        skipped("an unreadable input (root can read everything)");
    } else {
        assert!(check_input(&file).unwrap_err().to_string().contains("check its permissions"));
    }
}

#[test]
fn a_boring_input_shows_status_and_last_words() {
    let lab = Lab::new();
    let test = lab
        .test("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $i; done; echo gcc: not found >&2; exit 42");
    let finding = check_runs(&test, &candidate(b"x")).unwrap_err();
    assert!(finding.is_fatal());
    let said = finding.to_string();
    for part in ["exit status 42", "nothing but the input", "line 4\n", "line 12\ngcc: not found"] {
        assert!(said.contains(part), "{said}");
    }
    assert!(!said.contains("line 3\n"));
    let test = lab.test("exit 1");
    assert!(check_runs(&test, &candidate(b"x")).unwrap_err().to_string().ends_with("It printed nothing."));
    let test = lab.test("sleep 1000");
    test.set_time_limit(Some(std::time::Duration::from_millis(50)));
    assert!(check_runs(&test, &candidate(b"x")).unwrap_err().to_string().contains("--timeout"));
}

#[test]
fn a_sound_test_passes_without_a_word() {
    let lab = Lab::new();
    let test = lab.test(r#"echo run >> "$LAB/runs"; grep -q x "$1""#);
    let baseline = check_runs(&test, &candidate(b"x")).unwrap();
    assert!(baseline.warnings.is_empty());
    assert_eq!(baseline.runs, 4);
    assert_eq!(fs::read_to_string(lab.path().join("runs")).unwrap().lines().count(), 4);
    assert!(!baseline.slowest.is_zero());
}

#[test]
fn a_test_that_likes_nothing_at_all_gets_a_warning() {
    let lab = Lab::new();
    let warnings = check_runs(&lab.test("exit 0"), &candidate(b"x")).unwrap().warnings;
    assert!(matches!(*warnings, [Finding::InterestingWhenEmpty]), "{warnings:?}");
    assert!(!warnings[0].is_fatal());
    assert!(warnings[0].to_string().contains("the result will be empty"));
    // Unless the input is empty itself.
    let baseline = check_runs(&lab.test("exit 0"), &candidate(b"")).unwrap();
    assert!(baseline.warnings.is_empty());
    assert_eq!(baseline.runs, 3);
}

#[test]
fn a_test_that_flips_gets_a_warning_that_names_confirm() {
    // Interesting in the runs whose numbers are given.
    for (good, interesting, runs) in [("1 3", 2, 3), ("2", 1, 3), ("1 2", 2, 3)] {
        let lab = Lab::new();
        let body = format!(
            r#"
            echo run >> "$LAB/runs"
            [ -s "$1" ] && for good in {good}; do [ "$(wc -l < "$LAB/runs")" = "$good" ] && exit 0; done; exit 1
            "#
        );
        let warnings = check_runs(&lab.test(&body), &candidate(b"x")).unwrap().warnings;
        let [Finding::Flips { interesting: i, runs: r }] = *warnings else { panic!("{warnings:?}") };
        assert_eq!((i, r), (interesting, runs), "{good}");
        assert!(!warnings[0].is_fatal());
        assert!(warnings[0].to_string().contains("--confirm N"));
    }
}

#[test]
fn a_test_that_vanished_is_reported_as_such() {
    let lab = Lab::new();
    let invocation = Invocation::test(lab.path().join("none"), []);
    let test = CommandTest::new(invocation, Judge::ExitStatus, lab.setting()).unwrap();
    let finding = check_runs(&test, &candidate(b"x")).unwrap_err();
    assert!(matches!(finding, Finding::CannotRun(_)));
    assert!(finding.to_string().contains("is not there"));
}

#[test]
fn root_is_warned_unless_there_is_a_sandbox() {
    let warned = root_without_sandbox(&Sandbox::None).map(|finding| finding.to_string());
    if rustix::process::geteuid().is_root() {
        assert!(warned.unwrap().contains("--sandbox bwrap (apt install bubblewrap)"));
    } else {
        assert_eq!(warned, None);
    }
    assert!(root_without_sandbox(&Sandbox::Bubblewrap("/usr/bin/bwrap".into())).is_none());
}
