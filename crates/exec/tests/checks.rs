//! Tests with several checks: commands of their own, lines in a file, exit statuses.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod common;

use std::ffi::OsString;

use common::{Lab, broken, candidate, verdict};
use dwindle_core::{CheckId, Mark, Marks, Runner, Verdict};
use dwindle_exec::{
    Check, CheckModes, CheckedTest, CommandTest, Invocation, Judge, PersistentTest, Probe, Stages,
};

/// A check by a shell command, which sees the candidate as `$1`.
fn check(name: &str, needs: &[usize], command: &str) -> Check {
    let args = ["-c", command, "sh"].map(OsString::from);
    Check { name: name.to_owned(), invocation: Invocation::test("/bin/sh", args), needs: needs.to_vec() }
}

fn has(word: &str) -> String {
    format!("grep -q {word} \"$1\"")
}

fn abc(lab: &Lab, modes: CheckModes) -> CheckedTest {
    let checks = ["a", "b", "c"].map(|word| check(word, &[], &has(word)));
    CheckedTest::new(checks.into(), modes, &lab.setting()).unwrap()
}

fn marks(text: &str) -> Verdict {
    let mark = |(at, letter)| match letter {
        'o' => (CheckId(at), Mark::Ok),
        'f' => (CheckId(at), Mark::Failed),
        _ => (CheckId(at), Mark::Unknown),
    };
    let marks = (0..).zip(text.chars()).map(mark).fold(Marks::NONE, |marks, (at, mark)| marks.with(at, mark));
    Verdict::Boring { marks }
}

#[test]
fn checks_run_in_order_until_one_fails_or_all_at_once() {
    let lab = Lab::new();
    let (one, all) =
        (abc(&lab, CheckModes::default()), abc(&lab, CheckModes { parallel: true, ..CheckModes::default() }));
    for (text, in_order, at_once) in
        [("a c", "of?", "ofo"), ("b", "f??", "fof"), ("a b", "oof", "oof"), ("", "f??", "fff")]
    {
        assert_eq!(verdict(&one, &candidate(text.as_bytes())), marks(in_order), "{text}");
        assert_eq!(verdict(&all, &candidate(text.as_bytes())), marks(at_once), "{text}");
    }
    assert_eq!(verdict(&one, &candidate(b"c b a")), Verdict::Interesting);
    assert_eq!(verdict(&all, &candidate(b"c b a")), Verdict::Interesting);
    assert_eq!(one.checks(), 3);
    assert!(one.times().iter().all(|time| !time.is_zero()));
    assert_eq!(one.adapt(), None);
}

#[test]
fn a_check_finds_what_those_it_needs_have_built_and_nothing_else() {
    let lab = Lab::new();
    for parallel in [false, true] {
        let checks = vec![
            check("builds", &[], "cp \"$1\" built && ! test -e other"),
            check("alone", &[], "! test -e built && touch other"),
            check("runs", &[0], "grep -q x built"),
        ];
        let test = CheckedTest::new(checks, CheckModes { parallel, ..CheckModes::default() }, &lab.setting())
            .unwrap();
        assert_eq!(verdict(&test, &candidate(b"x")), Verdict::Interesting);
        assert_eq!(verdict(&test, &candidate(b"y")), marks("oof"));
        assert_eq!(verdict(&test, &candidate(b"x")), Verdict::Interesting, "nothing is left from before");
    }
}

#[test]
fn a_check_whose_needs_do_not_hold_is_not_run() {
    let lab = Lab::new();
    let checks = vec![check("a", &[], &has("a")), check("b", &[], &has("b")), check("c", &[0], "true")];
    let modes = CheckModes { parallel: true, ..CheckModes::default() };
    let test = CheckedTest::new(checks, modes, &lab.setting()).unwrap();
    assert_eq!(verdict(&test, &candidate(b"b")), marks("fo?"));
}

#[test]
fn redundant_checks_come_last_and_still_have_a_veto() {
    let lab = Lab::new();
    let checks = vec![check("ab", &[], "grep -q a \"$1\" && grep -q b \"$1\""), check("a", &[], &has("a"))];
    let modes = CheckModes { dedup: true, ..CheckModes::default() };
    let test = CheckedTest::new(checks, modes, &lab.setting()).unwrap();
    assert_eq!(test.adapt(), Some(0));
    for _ in 0..32 {
        let candidate = candidate(b"none");
        let verdict = verdict(&test, &candidate);
        assert_eq!(verdict, marks("ff"), "at first both are run");
        test.settled(&candidate, verdict);
    }
    assert_eq!(test.adapt(), Some(1));
    assert_eq!(verdict(&test, &candidate(b"none")), marks("f?"));
    assert_eq!(verdict(&test, &candidate(b"a b")), Verdict::Interesting);
}

#[test]
fn a_check_that_gives_no_answer_is_none_unless_another_one_fails() {
    let lab = Lab::new();
    let checks = vec![check("dies", &[], "grep -q fine \"$1\" || kill -SEGV $$"), check("b", &[], &has("b"))];
    let modes = CheckModes { parallel: true, ..CheckModes::default() };
    let test = CheckedTest::new(checks, modes, &lab.setting()).unwrap();
    assert!(!verdict(&test, &candidate(b"b")).is_resolved());
    assert_eq!(verdict(&test, &candidate(b"")), marks("?f"));
    assert_eq!(verdict(&test, &candidate(b"fine")), marks("of"));
    let probed = test.probe(&candidate(b"fine")).unwrap();
    assert_eq!(probed.verdict.failed(), Some(CheckId(1)));
}

#[test]
fn a_test_may_write_what_its_checks_said() {
    let lab = Lab::new();
    let test = lab.test(
        "for word in a b; do
             if grep -q $word \"$1\"; then echo \"$word ok\" >> \"$DWINDLE_CHECKS\"; else
                 echo \"$word fail\" >> \"$DWINDLE_CHECKS\"; bad=1; fi
         done; grep -q typo \"$1\" && echo c fail >> \"$DWINDLE_CHECKS\"; test -z \"$bad\"",
    );
    assert_eq!(test.checks(), 0);
    assert_eq!(test.probe(&candidate(b"a b")).unwrap().verdict, Verdict::Interesting);
    assert_eq!(test.stages().names(), ["a", "b"]);
    assert_eq!(verdict(&test, &candidate(b"a")), marks("of"));
    assert_eq!(verdict(&test, &candidate(b"")), marks("ff"));
    assert_eq!(verdict(&test, &candidate(b"a b")), Verdict::Interesting);
    assert!(broken(&test, &candidate(b"typo")).contains("`c`"));
}

#[test]
fn what_stands_in_for_the_file_of_checks_neither_hangs_nor_misleads() {
    let lab = Lab::new();
    for stand_in in ["mkfifo", "mkdir", "ln -s /etc/passwd"] {
        let test = lab.test(&format!("{stand_in} \"$DWINDLE_CHECKS\"; exit 1"));
        assert_eq!(verdict(&test, &candidate(b"x")), Verdict::BORING, "{stand_in}");
    }
}

#[test]
fn an_exit_status_may_stand_for_a_check() {
    let lab = Lab::new();
    let names = [("compiles", Some(3)), ("sanitizer", Some(4))];
    let stages = || Stages::new(names.map(|(name, status)| (name.to_owned(), status))).unwrap();
    let test = CommandTest::new(lab.script("exit $(cat \"$1\")"), Judge::ExitStatus, lab.setting()).unwrap();
    let test = test.with_stages(stages());
    for (status, expected) in
        [("3", marks("f?")), ("4", marks("of")), ("5", Verdict::BORING), ("0", Verdict::Interesting)]
    {
        assert_eq!(verdict(&test, &candidate(status.as_bytes())), expected, "{status}");
    }
    let body = "while read path; do echo 'compiles ok' >> \"$DWINDLE_CHECKS\"; cat \"$path\"; echo; done";
    let persistent = PersistentTest::new(lab.script(body), lab.setting()).unwrap().with_stages(stages());
    for (status, expected) in
        [("4", marks("of")), ("7", marks("o?")), ("0", Verdict::Interesting), ("4", marks("of"))]
    {
        assert_eq!(verdict(&persistent, &candidate(status.as_bytes())), expected, "{status}");
    }
}
