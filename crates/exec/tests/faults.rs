//! Tests that misbehave: whatever they do, they end, nothing runs on, and the next run is as good as the first.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use common::{Lab, broken, candidate, skipped, verdict, wait_until};
use dwindle_core::{Answer, Cancel, Candidate, File, Files, Runner, Unresolved, Verdict};
use dwindle_exec::{CommandTest, Ending, Judge, Place, Probe, Property};

const CRASHED: Verdict = Verdict::Unresolved(Unresolved::Crashed);
const TIMED_OUT: Verdict = Verdict::Unresolved(Unresolved::TimedOut);

#[test]
fn daemons_by_setsid_and_double_fork_are_gone_when_the_test_has_exited() {
    let lab = Lab::new();
    let test = lab.test(
        r#"
        setsid sh -c 'sleep 1000 & setsid sleep 1000 & sleep 1000' &
        ( ( setsid sh -c 'trap "" TERM HUP INT; sleep 1000; sleep 1000' & ) & )
        until [ "$(grep -lzxF "DWINDLE_LAB=$DWINDLE_LAB" /proc/[0-9]*/environ 2>/dev/null | wc -l)" -ge 6 ]; do :; done
        "#,
    );
    test.set_time_limit(Some(Duration::from_secs(30)));
    for _ in 0..3 {
        assert_eq!(verdict(&test, &candidate(b"")), Verdict::Interesting);
        lab.assert_nothing_runs();
    }
}

#[test]
fn a_test_that_ignores_signals_and_sleeps_for_ever_is_ended() {
    let lab = Lab::new();
    let test = lab.test("trap '' TERM INT HUP QUIT; while :; do sleep 1000; done");
    test.set_time_limit(Some(Duration::from_millis(50)));
    for _ in 0..3 {
        assert_eq!(verdict(&test, &candidate(b"")), TIMED_OUT);
        lab.assert_nothing_runs();
    }
}

#[test]
fn a_test_that_forks_all_the_time_is_ended() {
    let lab = Lab::new();
    let test = lab.test("while :; do setsid sleep 1000 & sleep 0.002; done");
    test.set_time_limit(Some(Duration::from_millis(300)));
    assert_eq!(verdict(&test, &candidate(b"")), TIMED_OUT);
    lab.assert_nothing_runs();
}

#[test]
fn endless_output_neither_fills_memory_nor_outlives_the_time_limit() {
    let lab = Lab::new();
    let test = lab.test("yes the same line; sleep 1000");
    test.set_time_limit(Some(Duration::from_millis(300)));
    assert_eq!(verdict(&test, &candidate(b"")), TIMED_OUT);
    // Captured: only the last of it is kept.
    let report = test.probe(&candidate(b"")).unwrap().report;
    assert_eq!(report.ending, Ending::TimedOut);
    assert_eq!(report.stdout.len(), 16 << 10);
    assert!(report.last_lines(3).contains(
        "the same line
"
    ));
    lab.assert_nothing_runs();
}

#[test]
fn output_of_a_property_is_bounded_on_both_streams() {
    let lab = Lab::new();
    let judge = Property::new().stdout("END").unwrap().stderr("end").unwrap().judge().unwrap();
    let body = r#"
        head -c 20000000 /dev/zero; head -c 5000000 /dev/zero >&2; printf END; printf end >&2
    "#;
    let test = CommandTest::new(lab.script(body), judge, lab.setting()).unwrap();
    assert_eq!(verdict(&test, &candidate(b"")), Verdict::Interesting);
    let report = test.probe(&candidate(b"")).unwrap().report;
    assert_eq!((report.stdout.len(), report.stderr.len()), (1 << 20, 1 << 20));
}

#[test]
fn a_memory_eater_is_stopped_at_its_limit() {
    let lab = Lab::new();
    let setting = lab.setting().memory(Some(300 << 20));
    let test = CommandTest::new(lab.script("tail /dev/zero"), Judge::ExitStatus, setting).unwrap();
    test.set_time_limit(Some(Duration::from_secs(60)));
    assert_eq!(verdict(&test, &candidate(b"")), Verdict::Unresolved(Unresolved::OutOfMemory));
    lab.assert_nothing_runs();
    // A test that stays below it is not bothered, and one that merely fails is not accused of it.
    let setting = lab.setting().memory(Some(300 << 20));
    let test = CommandTest::new(lab.script("exit $(cat $1)"), Judge::ExitStatus, setting).unwrap();
    assert_eq!(verdict(&test, &candidate(b"0")), Verdict::Interesting);
    assert_eq!(verdict(&test, &candidate(b"1")), Verdict::BORING);
}

#[test]
fn a_test_that_kills_its_supervisor_has_crashed_and_takes_nothing_along() {
    let lab = Lab::new();
    let test = lab.test(
        r#"
        [ "$(cat "$1")" = kill ] || exit 0
        setsid sleep 1000 &
        env -i sleep 1000 &
        kill -KILL $PPID
        sleep 1000
        "#,
    );
    for _ in 0..3 {
        assert_eq!(verdict(&test, &candidate(b"kill")), CRASHED);
        lab.assert_nothing_runs();
        let inside = |entry: &fs::DirEntry| {
            fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(test.root()))
        };
        let left: Vec<_> = fs::read_dir("/proc").unwrap().flatten().filter(inside).collect();
        assert!(left.is_empty(), "{left:?}");
        assert_eq!(verdict(&test, &candidate(b"go on")), Verdict::Interesting);
    }
}

#[test]
fn a_supervisor_that_is_killed_between_runs_is_replaced_unnoticed() {
    let lab = Lab::new();
    let test = lab.test(r#"echo $PPID > "$LAB/supervisor""#);
    for _ in 0..3 {
        assert_eq!(verdict(&test, &candidate(b"")), Verdict::Interesting);
        let pid = fs::read_to_string(lab.path().join("supervisor")).unwrap().trim().parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        let stat = format!("/proc/{}/stat", pid.as_raw_nonzero());
        wait_until("its end", || fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") Z ")));
    }
}

#[test]
fn a_run_that_is_cancelled_ends_at_once_even_if_the_supervisor_was_stopped() {
    for body in [
        "touch \"$LAB/on\"; sleep 1000",
        "touch \"$LAB/on\"; setsid sleep 1000 & kill -STOP $PPID; sleep 1000",
    ] {
        let lab = Lab::new();
        let test = lab.test(body);
        let cancel = Cancel::new();
        std::thread::scope(|scope| {
            let run = scope.spawn(|| test.run(0, &candidate(b""), &cancel));
            lab.wait_for("on");
            cancel.raise();
            assert!(matches!(run.join().unwrap(), Answer::Cancelled));
        });
        lab.assert_nothing_runs();
        assert!(matches!(test.run(0, &candidate(b""), &cancel), Answer::Cancelled));
    }
}

#[test]
fn a_cancel_is_heard_at_whatever_moment_it_comes() {
    let lab = Lab::new();
    let test = lab.test("sleep 5");
    for delay in (0..400).map(|step| Duration::from_micros(step * 3)) {
        let cancel = Cancel::new();
        let answer = std::thread::scope(|scope| {
            scope.spawn(|| {
                let begin = Instant::now();
                while begin.elapsed() < delay {
                    std::hint::spin_loop();
                }
                cancel.raise();
            });
            test.run(0, &candidate(b""), &cancel)
        });
        assert!(matches!(answer, Answer::Cancelled), "{delay:?}");
    }
}

#[test]
fn a_deadline_that_comes_before_the_time_limit_cancels() {
    let lab = Lab::new();
    let test = lab.test("sleep 1000");
    test.set_time_limit(Some(Duration::from_secs(500)));
    let cancel = Cancel::new().child(Some(Instant::now() + Duration::from_millis(50)));
    assert!(matches!(test.run(0, &candidate(b""), &cancel), Answer::Cancelled));
    lab.assert_nothing_runs();
}

#[test]
fn a_cancel_that_comes_too_late_does_not_hit_the_next_run() {
    let lab = Lab::new();
    let test = lab.test("exit 0");
    for _ in 0..50 {
        let cancel = Cancel::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_micros(900));
                cancel.raise();
            });
            let _ = test.run(0, &candidate(b""), &cancel);
        });
        assert_eq!(verdict(&test, &candidate(b"")), Verdict::Interesting);
    }
}

#[test]
fn a_work_directory_that_was_removed_is_made_again() {
    let lab = Lab::new();
    let test = lab.test(r#"[ "$(cat input.txt)" = right ] && cd / && rm -rf "${1%/work/*}""#);
    for _ in 0..3 {
        assert_eq!(verdict(&test, &candidate(b"right")), Verdict::Interesting);
    }
}

#[test]
fn a_work_directory_that_became_a_link_does_not_lead_us_outside() {
    let lab = Lab::new();
    let precious = lab.path().join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("thesis"), "ten years").unwrap();
    let test = lab.test(
        r#"
        [ "$(ls -A)" = input.txt ] || exit 1
        work=$PWD; cd /
        rm -rf "$work" "$TMPDIR"
        ln -s "$LAB/precious" "$work"; ln -s "$LAB/precious" "$TMPDIR"
        "#,
    );
    for _ in 0..3 {
        assert_eq!(verdict(&test, &candidate(b"")), Verdict::Interesting);
    }
    let test = lab.test(r#"ln -s "$LAB/precious" link; ln -s "$LAB/precious" "$TMPDIR/link"; rm input.txt; ln -s "$LAB/precious/thesis" input.txt"#);
    for _ in 0..3 {
        assert_eq!(verdict(&test, &candidate(b"")), Verdict::Interesting);
    }
    drop(test);
    assert_eq!(fs::read_to_string(precious.join("thesis")).unwrap(), "ten years");
    assert_eq!(fs::read_dir(&precious).unwrap().count(), 1);
}

#[test]
fn what_a_test_did_to_its_files_and_rights_is_undone() {
    let lab = Lab::new();
    let test = lab.test(
        r#"
        [ "$(cat a d/b)" = "same bytes" ] || exit 1
        [ -w a ] || exit 2
        [ ! -x a ] || exit 3
        printf 'SAME ' > a; printf 'BYTES' > d/b
        mkdir x x/y; touch x/y/z; chmod 000 x/y x; chmod 555 d .; chmod 444 a; chmod +x a
        mkdir "$TMPDIR/t"; touch "$TMPDIR/t/u"; chmod 000 "$TMPDIR/t" "$TMPDIR"
        "#,
    );
    // The very same bytes every time: writing them may be skipped only if nobody touched them.
    let candidate = Candidate::of_files(Files::new([File::new("a", *b"same "), File::new("d/b", *b"bytes")]));
    for _ in 0..5 {
        assert_eq!(test.probe(&candidate).unwrap().report.ending, Ending::Exited(0));
    }
}

#[test]
fn a_full_disk_breaks_the_run_with_what_to_do() {
    let lab = Lab::new();
    let small = lab.path().join("small");
    fs::create_dir(&small).unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(&small)
        .status()
        .is_ok_and(|status| status.success());
    if !mounted {
        skipped("a full disk (this user may not mount a small file system)");
        return;
    }
    let unmount = Unmount(&small);
    let setting = lab.setting().place(Place::Under(small.clone()));
    let test = CommandTest::new(lab.script("exit 0"), Judge::ExitStatus, setting).unwrap();
    assert_eq!(verdict(&test, &candidate(&[b'x'; 1000])), Verdict::Interesting);
    let message = broken(&test, &candidate(&[b'x'; 100_000]));
    assert!(message.contains("no space left") && message.contains("--work-dir"), "{message}");
    assert_eq!(verdict(&test, &candidate(b"small again")), Verdict::Interesting);
    drop(test);
    assert_eq!(fs::read_dir(&small).unwrap().count(), 0);
    drop(unmount);
}

struct Unmount<'a>(&'a std::path::Path);

impl Drop for Unmount<'_> {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[test]
fn a_place_that_does_not_exist_is_named() {
    let lab = Lab::new();
    let setting = lab.setting().place(Place::Under(lab.path().join("none")));
    let error = CommandTest::new(lab.script("exit 0"), Judge::ExitStatus, setting).err().unwrap().to_string();
    assert!(error.contains("none") && error.contains("--work-dir"), "{error}");
}

#[test]
fn a_place_reached_through_a_link_works() {
    let lab = Lab::new();
    let (real, link) = (lab.path().join("real"), lab.path().join("link"));
    fs::create_dir(&real).unwrap();
    symlink(&real, &link).unwrap();
    let setting = lab.setting().place(Place::Under(link));
    let test =
        CommandTest::new(lab.script("[ \"$1\" = \"$PWD/input.txt\" ]"), Judge::ExitStatus, setting).unwrap();
    assert_eq!(verdict(&test, &candidate(b"")), Verdict::Interesting);
    drop(test);
    assert_eq!(fs::read_dir(&real).unwrap().count(), 0);
}

#[test]
fn dropping_the_test_leaves_neither_directories_nor_supervisors() {
    let lab = Lab::new();
    let test = CommandTest::new(
        lab.script(r#"echo $PPID >> "$LAB/supervisors"; touch left; exit 0"#),
        Judge::ExitStatus,
        lab.setting().jobs(3),
    )
    .unwrap();
    for slot in 0..3 {
        assert!(matches!(test.run(slot, &candidate(b""), &Cancel::new()), Answer::Verdict(_)));
    }
    let root = test.root().to_owned();
    assert!(root.exists());
    drop(test);
    assert!(!root.exists());
    let supervisors = fs::read_to_string(lab.path().join("supervisors")).unwrap();
    assert_eq!(supervisors.lines().count(), 3);
    for pid in supervisors.lines() {
        assert!(!std::path::Path::new("/proc").join(pid).exists());
    }
}
