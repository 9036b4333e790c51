//! What a test sees: its directory, arguments, environment, input, and what its exit means.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use common::{Lab, broken, candidate, verdict};
use dwindle_core::{Candidate, File, Files, Runner, Unresolved, Verdict};
use dwindle_exec::{CommandTest, Ending, Invocation, Judge, Probe, Property};

#[test]
fn exit_status_zero_is_interesting_and_any_other_boring() {
    let lab = Lab::new();
    let test = lab.test("exit $(cat input.txt)");
    for (status, expected) in [
        ("0", Verdict::Interesting),
        ("1", Verdict::BORING),
        ("77", Verdict::BORING),
        ("255", Verdict::BORING),
    ] {
        assert_eq!(verdict(&test, &candidate(status.as_bytes())), expected);
    }
}

#[test]
fn a_test_ended_by_a_signal_has_crashed() {
    let lab = Lab::new();
    let test = lab.test("kill -SEGV $$");
    assert_eq!(verdict(&test, &candidate(b"")), Verdict::Unresolved(Unresolved::Crashed));
    assert_eq!(test.probe(&candidate(b"")).unwrap().report.ending, Ending::Signalled(11));
}

#[test]
fn the_directory_holds_only_the_candidate_under_its_own_name() {
    let lab = Lab::new();
    let test = lab.test(
        r#"
        [ "$(ls -A)" = input.txt ] || exit 1
        [ "$1" = "$PWD/input.txt" ] || exit 2
        [ "$DWINDLE_INPUT" = "$1" ] || exit 3
        [ "$(cat "$1")" = hello ] || exit 4
        [ -d "$TMPDIR" ] && [ -z "$(ls -A "$TMPDIR")" ] || exit 5
        [ -z "$(cat)" ] || exit 6
        touch "$TMPDIR/left" left; mkdir -p deep/er; ln -s / link; echo changed > input.txt
        "#,
    );
    for _ in 0..3 {
        let probed = test.probe(&candidate(b"hello\n")).unwrap();
        assert_eq!(probed.report.ending, Ending::Exited(0));
    }
}

#[test]
fn several_files_keep_their_tree_and_the_subject_its_path() {
    let lab = Lab::new();
    let body = r#"
        [ "$(find . -type f | LC_ALL=C sort | tr '\n' ' ')" = "$(cat "$LAB/expected")" ] || exit 1
        [ "$1" = "$PWD/dir" ] || exit 2
        [ ! -e dir/run ] || dir/run
        find . -type f -exec sh -c 'rm "$0"; echo other > "$0"' {} \;
    "#;
    let test = CommandTest::new(lab.script(body).subject("dir"), Judge::ExitStatus, lab.setting()).unwrap();
    let a = File::new("dir/a.h", *b"a");
    let b = File::new("dir/sub/sub/b.h", *b"b");
    let run = File { executable: true, ..File::new("dir/run", *b"#!/bin/sh\nexit 0\n") };
    for (files, expected) in [
        (vec![a.clone(), b.clone(), run.clone()], "./dir/a.h ./dir/run ./dir/sub/sub/b.h "),
        (vec![b.clone()], "./dir/sub/sub/b.h "),
        (vec![a, run], "./dir/a.h ./dir/run "),
        (vec![File::new("dir/sub", *b"a file where there was a directory")], "./dir/sub "),
        (vec![b], "./dir/sub/sub/b.h "),
    ] {
        lab.file("expected", expected);
        let probed = test.probe(&Candidate::of_files(Files::new(files))).unwrap();
        assert_eq!(probed.report.ending, Ending::Exited(0), "{expected}");
    }
}

#[test]
fn any_bytes_in_names_and_contents_arrive_as_they_are() {
    let lab = Lab::new();
    let test = lab.test(r#"cmp "$1" "$LAB/expected" && cmp "$DWINDLE_INPUT" "$LAB/expected""#);
    let names: [&[u8]; 7] = [
        b"with space.c",
        b"quote'\"`$HOME",
        b"-rf",
        b"non-utf8 \xff\xfe.c",
        b"line\nbreak",
        b"*?[a]",
        "ä→.c".as_bytes(),
    ];
    let contents: [&[u8]; 5] = [b"", b"x", b"a\r\nb\r\n", b"no end of line", &[0, 255, 128, 10, 0]];
    for name in names {
        for content in contents {
            fs::write(lab.path().join("expected"), content).unwrap();
            let candidate = Candidate::of_files(Files::single(OsStr::from_bytes(name), content));
            assert_eq!(verdict(&test, &candidate), Verdict::Interesting, "{name:?} {content:?}");
        }
    }
}

#[test]
fn a_path_out_of_the_work_directory_is_refused() {
    let lab = Lab::new();
    let test = lab.test("exit 0");
    for path in ["/etc/x", "../x", "a/../../x", ""] {
        let message = broken(&test, &Candidate::of_files(Files::single(path, *b"")));
        assert!(message.contains("not a plain relative path"), "{message}");
    }
}

#[test]
fn the_time_limit_ends_a_test_and_all_it_started() {
    let lab = Lab::new();
    let test = lab.test("sleep 1000 & sleep 1000");
    test.set_time_limit(Some(Duration::from_millis(50)));
    assert_eq!(Runner::time_limit(&test), Some(Duration::from_millis(50)));
    assert_eq!(verdict(&test, &candidate(b"")), Verdict::Unresolved(Unresolved::TimedOut));
    lab.assert_nothing_runs();
}

#[test]
fn a_test_that_cannot_be_started_breaks_the_run_with_what_to_do() {
    let lab = Lab::new();
    let missing = lab.path().join("none");
    let test = CommandTest::new(Invocation::test(&missing, []), Judge::ExitStatus, lab.setting()).unwrap();
    assert!(broken(&test, &candidate(b"")).contains("is not there"));

    let plain = lab.file("plain", "echo no shebang\n");
    let test = CommandTest::new(Invocation::test(&plain, []), Judge::ExitStatus, lab.setting()).unwrap();
    assert!(broken(&test, &candidate(b"")).contains("chmod +x"));

    // Behind the shell that sets the memory limit, too.
    let setting = lab.setting().memory(Some(1 << 30));
    let test = CommandTest::new(Invocation::test(&missing, []), Judge::ExitStatus, setting).unwrap();
    assert!(broken(&test, &candidate(b"")).contains("is not there"));
}

#[test]
fn a_command_with_a_property_needs_no_script() {
    let lab = Lab::new();
    let words = ["-c", "cat \"$1\"; echo warning >&2; exit 3", "sh", "{}"];
    let command = || Invocation::command("/bin/sh", words.map(Into::into));
    let property = Property::new().exit(3).stdout("b.d").unwrap().stderr("^warn").unwrap();
    let test = CommandTest::new(command(), property.judge().unwrap(), lab.setting()).unwrap();
    assert_eq!(verdict(&test, &candidate(b"abcde")), Verdict::Interesting);
    assert_eq!(verdict(&test, &candidate(b"abde")), Verdict::BORING);

    let sleep = Invocation::command("/bin/sh", ["-c", "sleep $(cat {})"].map(Into::into));
    let judge = Property::new().time_out().judge().unwrap();
    let test = CommandTest::new(sleep, judge, lab.setting()).unwrap();
    test.set_time_limit(Some(Duration::from_millis(300)));
    assert_eq!(verdict(&test, &candidate(b"1000")), Verdict::Interesting);
    assert_eq!(verdict(&test, &candidate(b"0")), Verdict::BORING);
}

#[test]
fn a_candidate_that_is_the_program_may_fail_to_start() {
    let lab = Lab::new();
    let judge = Property::new().exit(7).judge().unwrap();
    let test = CommandTest::new(Invocation::command("{}", []), judge, lab.setting()).unwrap();
    let run = |bytes: &[u8]| {
        let file = File { executable: true, ..File::new("program", bytes) };
        verdict(&test, &Candidate::of_files(Files::new([file])))
    };
    assert_eq!(run(b"#!/bin/sh\nexit 7\n"), Verdict::Interesting);
    assert_eq!(run(b"garbage"), Verdict::BORING);
    assert_eq!(run(b"#!/no/such/shell\n"), Verdict::BORING);
}

#[test]
fn no_core_is_dumped_and_the_helper_variable_is_hidden() {
    let lab = Lab::new();
    let test = lab.test(r#"[ "$(ulimit -c)" = 0 ] && [ -z "${DWINDLE_SUPERVISOR+set}" ]"#);
    assert_eq!(verdict(&test, &candidate(b"")), Verdict::Interesting);
}

#[test]
fn slots_run_side_by_side_in_directories_of_their_own() {
    let lab = Lab::new();
    // Each waits for the other: one after the other they would never end.
    let body = r#"
        touch "$LAB/here-$(cat "$1")"
        until [ -e "$LAB/here-a" ] && [ -e "$LAB/here-b" ]; do sleep 0.01; done
    "#;
    let test = CommandTest::new(lab.script(body), Judge::ExitStatus, lab.setting().jobs(2)).unwrap();
    test.set_time_limit(Some(Duration::from_secs(20)));
    std::thread::scope(|scope| {
        for (slot, content) in [b"a", b"b"].into_iter().enumerate() {
            let test = &test;
            scope.spawn(move || {
                let answer = test.run(slot, &candidate(content), &dwindle_core::Cancel::new());
                assert!(matches!(answer, dwindle_core::Answer::Verdict(Verdict::Interesting)), "{answer:?}");
            });
        }
    });
}

#[test]
fn a_program_without_the_hook_is_told_what_to_do() {
    let lab = Lab::new();
    let setting = dwindle_exec::Setting::new(dwindle_exec::Supervisor::program("/bin/true"))
        .place(dwindle_exec::Place::Under(lab.path().to_owned()));
    let test = CommandTest::new(lab.script("exit 0"), Judge::ExitStatus, setting).unwrap();
    assert!(broken(&test, &candidate(b"")).contains("run_if_asked() first thing in main"));
}
