//! Verdicts on disk: what comes back, what a killed process loses, and files that are not as they should be.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod words;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use dwindle_core::{
    Candidate, CheckId, Event, Fingerprint, Options, Session, StoreError, Summary, TestKey, Unresolved,
    Verdict, VerdictStore,
};
use words::{Program, blocks};

fn key() -> TestKey {
    TestKey::of(["#!/bin/sh\ngrep -q bug", "--fast"])
}

fn fingerprint(number: u64) -> Fingerprint {
    Fingerprint::of(&number.to_le_bytes())
}

fn verdict(number: u64) -> Verdict {
    match number % 3 {
        0 => Verdict::Interesting,
        1 => Verdict::BORING,
        _ => Verdict::failed_at(CheckId(number as u16 % 15)),
    }
}

/// A store with verdicts on the numbers below `count`, and its file.
fn filled(dir: &Path, count: u64) -> PathBuf {
    let store = VerdictStore::open(dir, key()).unwrap();
    for number in 0..count {
        store.put(fingerprint(number), verdict(number));
    }
    store.close().unwrap();
    dir.join(format!("{}.verdicts", key()))
}

#[test]
fn verdicts_come_back_at_once_and_after_reopening_but_time_outs_do_not() {
    let dir = tempfile::tempdir().unwrap();
    let nested = dir.path().join("made/on/demand");
    let store = VerdictStore::open(&nested, key()).unwrap();
    store.put(fingerprint(1), verdict(1));
    store.put(fingerprint(2), verdict(2));
    store.put(fingerprint(3), Verdict::Unresolved(Unresolved::TimedOut));
    let expected = [Some(verdict(1)), Some(verdict(2)), None, None];
    let told = |store: &VerdictStore| [1, 2, 3, 4].map(|number| store.get(fingerprint(number)));
    assert_eq!(told(&store), expected);
    store.close().unwrap();
    assert_eq!(told(&VerdictStore::open(&nested, key()).unwrap()), expected);
}

#[test]
fn another_test_or_another_argument_is_another_store() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path(), 5);
    let others = [
        TestKey::of(["#!/bin/sh\ngrep -q bug", "--slow"]),
        TestKey::of(["#!/bin/sh\ngrep -q bug--fast"]),
        TestKey::of(["#!/bin/sh\ngrep -q bug-", "-fast"]),
    ];
    for other in others {
        assert_eq!(VerdictStore::open(dir.path(), other).unwrap().get(fingerprint(1)), None);
    }
    assert_eq!(VerdictStore::open(dir.path(), key()).unwrap().get(fingerprint(1)), Some(verdict(1)));
}

#[test]
fn a_store_in_use_is_busy_and_free_again_afterwards() {
    let dir = tempfile::tempdir().unwrap();
    let first = VerdictStore::open(dir.path(), key()).unwrap();
    let error = VerdictStore::open(dir.path(), key()).err().unwrap();
    assert!(matches!(error, StoreError::Busy { .. }), "{error}");
    assert!(error.to_string().contains("in use by another run"), "{error}");
    drop(first);
    assert!(VerdictStore::open(dir.path(), key()).is_ok());
}

#[test]
fn a_foreign_file_is_reported_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(format!("{}.verdicts", key()));
    for foreign in [&b"a few words"[..], &[b'x'; 100_000], &[0; 5000]] {
        std::fs::write(&path, foreign).unwrap();
        let error = VerdictStore::open(dir.path(), key()).err().unwrap();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("delete the file"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), foreign);
    }
}

#[test]
fn a_directory_that_cannot_be_made_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("file"), "").unwrap();
    let error = VerdictStore::open(&dir.path().join("file/below"), key()).err().unwrap();
    assert!(matches!(error, StoreError::Unusable { .. }), "{error}");
}

#[test]
fn damage_anywhere_is_reported_and_the_file_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = filled(dir.path(), 400);
    let whole = std::fs::read(&path).unwrap();
    let damaged: Vec<Vec<u8>> = (0..whole.len())
        .step_by(whole.len() / 60)
        .flat_map(|at| {
            let mut flipped = whole.clone();
            flipped[at..].iter_mut().take(40).for_each(|byte| *byte ^= 0x55);
            [flipped, whole[..at].to_vec()]
        })
        .collect();
    let seal = std::fs::read(path.with_extension("seal")).unwrap();
    for bytes in damaged {
        std::fs::write(&path, &bytes).unwrap();
        std::fs::write(path.with_extension("seal"), &seal).unwrap();
        let error = VerdictStore::open(dir.path(), key()).err().unwrap();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "left alone");
    }
}

#[test]
fn a_seal_that_was_cut_short_or_lost_is_no_damage() {
    let dir = tempfile::tempdir().unwrap();
    let path = filled(dir.path(), 40);
    for seal in [&b"short"[..], b""] {
        std::fs::write(path.with_extension("seal"), seal).unwrap();
        let store = VerdictStore::open(dir.path(), key()).unwrap();
        assert!((0..40).all(|number| store.get(fingerprint(number)) == Some(verdict(number))));
    }
    std::fs::remove_file(path.with_extension("seal")).unwrap();
    assert!(VerdictStore::open(dir.path(), key()).is_ok());
}

/// The child of the next test: writes until it is killed. Does nothing unless it is told where.
#[test]
fn a_writer_for_another_test_to_kill() {
    let Some(dir) = std::env::var_os("DWINDLE_TEST_STORE_DIR") else {
        return;
    };
    let store = VerdictStore::open(dir.as_ref(), key()).unwrap();
    for number in 0.. {
        store.put(fingerprint(number), verdict(number));
        if number % 500 == 499 {
            while store.unwritten() > 0 {
                std::thread::yield_now();
            }
            // Past the capture of the test harness.
            std::io::stderr().write_all(format!("written {number}\n").as_bytes()).unwrap();
        }
    }
}

#[test]
fn a_killed_process_loses_only_what_was_not_written_yet() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_writer_for_another_test_to_kill", "--nocapture"])
        .env("DWINDLE_TEST_STORE_DIR", dir.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let written = BufReader::new(child.stderr.take().unwrap())
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| line.strip_prefix("written ")?.parse::<u64>().ok())
        .nth(2)
        .unwrap();
    // It goes on writing while it is killed.
    child.kill().unwrap();
    child.wait().unwrap();
    let store = VerdictStore::open(dir.path(), key()).unwrap();
    assert!((0..=written).all(|number| store.get(fingerprint(number)) == Some(verdict(number))));
    for number in written..written + 2000 {
        assert!(store.get(fingerprint(number)).is_none_or(|told| told == verdict(number)));
    }
    store.put(fingerprint(u64::MAX), Verdict::BORING);
    store.close().unwrap();
}

#[test]
fn a_second_run_of_the_same_reduction_makes_no_query() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::numbered(1, &(0..60).map(|i| i * i % 11).collect::<Vec<u32>>());
    let tested = AtomicUsize::new(0);
    let runner = |candidate: &Candidate| {
        tested.fetch_add(1, Ordering::SeqCst);
        candidate.files()[0].bytes.windows(3).any(|word| word == b"w4\n")
    };
    let run = |jobs: usize| -> (Vec<u8>, Summary) {
        let options = Options {
            jobs,
            store: Some(VerdictStore::open(dir.path(), key()).unwrap()),
            ..Options::default()
        };
        let (result, best, summary) =
            Session::run(&runner, program.whole(), options, |session| blocks(session, &program));
        result.unwrap();
        (best.files()[0].bytes.to_vec(), summary)
    };
    let (first, summary) = run(1);
    assert_eq!(summary.counts.replayed, 0);
    let queries = tested.swap(0, Ordering::SeqCst);
    assert_eq!(queries as u64, summary.counts.queries);
    for jobs in [1, 3] {
        let (again, summary) = run(jobs);
        assert_eq!(again, first);
        assert_eq!(summary.counts.queries, queries as u64);
        assert_eq!(summary.counts.replayed, queries as u64);
        assert_eq!(tested.load(Ordering::SeqCst), 0);
    }
}

#[test]
fn a_verdict_damaged_behind_the_back_of_the_database_is_a_warning_not_an_answer() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::new(1, ["a", "b", "c", "d"]);
    let candidates = [0u32, 1, 2].map(|at| program.run(at..at + 1));
    let store = VerdictStore::open(dir.path(), key()).unwrap();
    let check = Verdict::failed_at(CheckId(14));
    for candidate in &candidates {
        store.put(candidate.fingerprint(), check);
    }
    store.close().unwrap();
    let path = dir.path().join(format!("{}.verdicts", key()));
    std::fs::remove_file(path.with_extension("seal")).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let mut changed = 0;
    for at in 0..bytes.len() - 4 {
        if bytes[at..].starts_with(&[2, 0xae, 0x74, 0xb6]) {
            bytes[at + 2] = 0x75;
            changed += 1;
        }
    }
    assert!(changed >= 3, "{changed}");
    std::fs::write(&path, bytes).unwrap();
    let warnings = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| {
        if let Event::Warning(text) = event {
            warnings.lock().unwrap().push((*text).to_owned());
        }
    };
    let options = Options {
        store: Some(VerdictStore::open(dir.path(), key()).unwrap()),
        observer: Some(Box::new(observer)),
        ..Options::default()
    };
    let (verdicts, ..) = Session::run(&|_: &Candidate| false, program.whole(), options, |session| {
        session.all(candidates.to_vec())
    });
    assert_eq!(verdicts.unwrap(), [Verdict::BORING; 3]);
    let warnings = warnings.into_inner().unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("wrong checksum"), "{warnings:?}");
}
