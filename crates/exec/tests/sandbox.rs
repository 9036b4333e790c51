//! What a test cannot do in bubblewrap, and what it still can. Skipped, visibly, where bubblewrap does not work.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use common::{Lab, broken, candidate, skipped, verdict};
use dwindle_core::{Candidate, File, Files, Unresolved, Verdict};
use dwindle_exec::sandbox::{Choice, Sandbox, available};
use dwindle_exec::{CommandTest, Ending, Invocation, Judge, PersistentTest, Place, Probe, Setting};

/// The setting of a sandboxed test, with work directories in this place.
fn setting(lab: &Lab, place: Place) -> Option<Setting> {
    match available() {
        Ok(program) => Some(lab.setting().sandbox(Sandbox::Bubblewrap(program)).place(place)),
        Err(why) => {
            skipped(&why.to_string());
            None
        }
    }
}

#[test]
fn only_the_work_directory_and_tmpdir_can_be_written() {
    for place in [Place::Auto, Place::Under(std::env::temp_dir())] {
        let lab = Lab::new();
        let Some(setting) = setting(&lab, place) else {
            return;
        };
        let body = r#"
            [ "$(ls -A)" = input.txt ] && [ "$1" = "$PWD/input.txt" ] && [ "$(cat "$1")" = hello ] || exit 1
            echo x > new && echo x > "$TMPDIR/new" && echo x > /tmp/new && echo x > /dev/null || exit 2
            [ "$(ls -A /tmp | grep -c new)" = 1 ] || exit 3
            for place in /usr/bin /etc / /root "$LAB"; do
                if touch "$place/dwindle-was-here" 2> /dev/null; then exit 4; fi
            done
            [ "$(ls /proc | grep -c '^[0-9]')" -lt 10 ] || exit 5
            [ "$(grep -c : /proc/net/dev)" -le 1 ] || exit 6
        "#;
        let test = CommandTest::new(lab.script(body), Judge::ExitStatus, setting).unwrap();
        for _ in 0..2 {
            let report = test.probe(&candidate(b"hello")).unwrap().report;
            assert_eq!(report.ending, Ending::Exited(0), "{}", report.last_lines(5));
        }
        assert!(!std::path::Path::new("/tmp/new").exists());
    }
}

#[test]
fn nothing_outlives_the_sandbox() {
    let lab = Lab::new();
    let Some(setting) = setting(&lab, Place::Auto) else {
        return;
    };
    let body = "setsid sleep 1000 & ( ( setsid sleep 1000 & ) & ); [ -s \"$1\" ] || sleep 1000";
    let test = CommandTest::new(lab.script(body), Judge::ExitStatus, setting).unwrap();
    assert_eq!(verdict(&test, &candidate(b"x")), Verdict::Interesting);
    lab.assert_nothing_runs();
    test.set_time_limit(Some(Duration::from_millis(500)));
    assert_eq!(verdict(&test, &candidate(b"")), Verdict::Unresolved(Unresolved::TimedOut));
    lab.assert_nothing_runs();
}

#[test]
fn limits_properties_and_removed_tests_work_inside_too() {
    let lab = Lab::new();
    let Some(setting) = setting(&lab, Place::Auto) else {
        return;
    };
    let memory = setting.clone().memory(Some(300 << 20));
    let test = CommandTest::new(lab.script("tail /dev/zero"), Judge::ExitStatus, memory).unwrap();
    assert_eq!(verdict(&test, &candidate(b"")), Verdict::Unresolved(Unresolved::OutOfMemory));

    let crash = dwindle_exec::Property::new().crash().judge().unwrap();
    let test = CommandTest::new(lab.script("kill -SEGV $$"), crash, setting.clone()).unwrap();
    assert_eq!(verdict(&test, &candidate(b"")), Verdict::Interesting);

    let exit = dwindle_exec::Property::new().exit(7).judge().unwrap();
    let test = CommandTest::new(Invocation::command("{}", []), exit, setting.clone()).unwrap();
    for (bytes, expected) in
        [(b"#!/bin/sh\nexit 7\n".as_slice(), Verdict::Interesting), (b"garbage", Verdict::BORING)]
    {
        let file = File { executable: true, ..File::new("program", bytes) };
        assert_eq!(verdict(&test, &Candidate::of_files(Files::new([file]))), expected);
    }

    let missing = Invocation::test(lab.path().join("none"), []);
    let test = CommandTest::new(missing, Judge::ExitStatus, setting).unwrap();
    assert!(broken(&test, &candidate(b"")).contains("is not there"));
}

#[test]
fn a_persistent_test_lives_inside() {
    let lab = Lab::new();
    let Some(setting) = setting(&lab, Place::Auto) else {
        return;
    };
    let body = r#"while read -r path; do [ "$(ls -A):$(cat "$path")" = input.txt:yes ]; status=$?; touch litter; echo $status; done"#;
    let test = PersistentTest::new(lab.script(body), setting).unwrap();
    for _ in 0..3 {
        assert_eq!(verdict(&test, &candidate(b"yes")), Verdict::Interesting);
        assert_eq!(verdict(&test, &candidate(b"no")), Verdict::BORING);
    }
    drop(test);
    lab.assert_nothing_runs();
}

#[test]
fn a_sandbox_that_fails_is_not_taken_for_a_boring_candidate() {
    let lab = Lab::new();
    let Some(setting) = setting(&lab, Place::Auto) else {
        return;
    };
    // Fails as bubblewrap does when it cannot make a namespace: a message, status 1, and no word on the test.
    let fake = lab.file("fake-bwrap", "#!/bin/sh\necho bwrap: no more namespaces >&2\nexit 1\n");
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    let fails = setting.clone().sandbox(Sandbox::Bubblewrap(fake));
    let test = CommandTest::new(lab.script("exit 0"), Judge::ExitStatus, fails).unwrap();
    assert!(broken(&test, &candidate(b"")).contains("lower -j, or use --sandbox none"));
    // The real one tells the two apart, with and without the shell that limits memory.
    for setting in [setting.clone(), setting.memory(Some(1 << 30))] {
        let test = CommandTest::new(lab.script("exit 1"), Judge::ExitStatus, setting).unwrap();
        assert_eq!(verdict(&test, &candidate(b"")), Verdict::BORING);
    }
}

#[test]
fn the_choice_is_honoured() {
    assert_eq!(Sandbox::choose(Choice::None).unwrap(), Sandbox::None);
    let auto = Sandbox::choose(Choice::Auto).unwrap();
    match Sandbox::choose(Choice::Bubblewrap) {
        Ok(bubblewrap) => assert_eq!(auto, bubblewrap),
        Err(why) => {
            assert!(auto.is_none());
            assert!(why.to_string().contains("--sandbox none"));
        }
    }
    let missing = dwindle_exec::sandbox::Unavailable::Missing.to_string();
    assert!(missing.contains("apt install bubblewrap"));
}
