//! Persistent tests: one process, many answers, and a new process when the old one fails.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::time::Duration;

use common::{Lab, broken, candidate, verdict};
use dwindle_core::{Answer, Cancel, Candidate, Files, Runner, Unresolved, Verdict};
use dwindle_exec::{Ending, PersistentTest, Probe};

const CRASHED: Verdict = Verdict::Unresolved(Unresolved::Crashed);

/// Answers what the candidate says; a line in `starts` for every start.
const OBEDIENT: &str = r#"
    echo $$ >> "$LAB/starts"
    while IFS= read -r path; do
        read -r word < "$path"
        case $word in
            hang) touch "$LAB/on"; setsid sleep 1000 & sleep 1000;;
            slow) touch "$LAB/on"; sleep 0.1; echo 0;;
            die) setsid sleep 1000 & exit 0;;
            segv) kill -SEGV $$;;
            close) exec >&-; sleep 1000;;
            endless) yes | tr -d '\n';;
            twice) printf '0\n0\n';;
            litter) touch litter; echo 0;;
            alone) [ "$(ls -A)" = input.txt ]; echo $?;;
            *) echo "$word";;
        esac
    done
"#;

fn lab() -> (Lab, PersistentTest) {
    let lab = Lab::new();
    let test = PersistentTest::new(lab.script(OBEDIENT), lab.setting()).unwrap();
    test.set_time_limit(Some(Duration::from_secs(20)));
    (lab, test)
}

fn starts(lab: &Lab) -> usize {
    fs::read_to_string(lab.path().join("starts")).unwrap().lines().count()
}

fn word(word: &str) -> Candidate {
    candidate(format!("{word}\n").as_bytes())
}

#[test]
fn one_process_answers_for_many_candidates() {
    let (lab, test) = lab();
    for (answer, expected) in [("0", Verdict::Interesting), ("1", Verdict::BORING), ("-5", Verdict::BORING)] {
        for _ in 0..5 {
            assert_eq!(verdict(&test, &word(answer)), expected);
        }
    }
    assert_eq!(verdict(&test, &word("litter")), Verdict::Interesting);
    assert_eq!(verdict(&test, &word("alone")), Verdict::Interesting);
    assert_eq!(starts(&lab), 1);
    assert_eq!(lab.alive().len(), 1);
    drop(test);
    lab.assert_nothing_runs();
}

#[test]
fn a_crash_is_no_answer_and_the_next_candidate_gets_a_new_process() {
    for fault in ["die", "segv", "close", "endless"] {
        let (lab, test) = lab();
        assert_eq!(verdict(&test, &word("0")), Verdict::Interesting);
        assert_eq!(verdict(&test, &word(fault)), CRASHED, "{fault}");
        lab.assert_nothing_runs();
        assert_eq!(verdict(&test, &word("0")), Verdict::Interesting);
        assert_eq!(starts(&lab), 2, "{fault}");
    }
}

#[test]
fn a_time_out_ends_the_process_and_what_it_started() {
    let (lab, test) = lab();
    test.set_time_limit(Some(Duration::from_millis(300)));
    assert_eq!(verdict(&test, &word("hang")), Verdict::Unresolved(Unresolved::TimedOut));
    lab.assert_nothing_runs();
    test.set_time_limit(Some(Duration::from_secs(20)));
    assert_eq!(verdict(&test, &word("0")), Verdict::Interesting);
    assert_eq!(starts(&lab), 2);
}

#[test]
fn a_cancelled_question_costs_a_start_only_if_the_answer_is_not_near() {
    for (fault, expected_starts) in [("hang", 2), ("slow", 1)] {
        let (lab, test) = lab();
        // So that it is known how long an answer takes.
        assert_eq!(verdict(&test, &word("slow")), Verdict::Interesting);
        fs::remove_file(lab.path().join("on")).unwrap();
        let cancel = Cancel::new();
        std::thread::scope(|scope| {
            let run = scope.spawn(|| test.run(0, &word(fault), &cancel));
            lab.wait_for("on");
            cancel.raise();
            assert!(matches!(run.join().unwrap(), Answer::Cancelled));
        });
        assert_eq!(verdict(&test, &word("1")), Verdict::BORING);
        assert_eq!(starts(&lab), expected_starts, "{fault}");
        assert_eq!(lab.alive().len(), 1);
    }
}

#[test]
fn an_answer_nobody_asked_for_is_not_taken_for_the_next_one() {
    let (lab, test) = lab();
    assert_eq!(verdict(&test, &word("twice")), Verdict::Interesting);
    assert_eq!(verdict(&test, &word("1")), Verdict::BORING);
    assert_eq!(starts(&lab), 2);
}

#[test]
fn what_is_no_number_breaks_the_run_with_what_to_do() {
    let (_lab, test) = lab();
    let message = broken(&test, &word("hello"));
    assert!(message.contains("hello") && message.contains("standard error"), "{message}");
}

#[test]
fn a_line_break_in_a_name_is_refused() {
    let (_lab, test) = lab();
    let message = broken(&test, &Candidate::of_files(Files::single("a\nb", *b"0\n")));
    assert!(message.contains("rename it"), "{message}");
}

#[test]
fn a_test_that_dies_at_its_start_shows_why() {
    let lab = Lab::new();
    let test = PersistentTest::new(lab.script("echo no such module >&2; exit 3"), lab.setting()).unwrap();
    let probed = test.probe(&word("0")).unwrap();
    assert_eq!(probed.verdict, CRASHED);
    assert_eq!(probed.report.ending, Ending::Exited(3));
    assert_eq!(probed.report.last_lines(5), "no such module");
}

#[test]
fn a_work_directory_made_anew_gets_a_new_process() {
    let (lab, test) = lab();
    assert_eq!(verdict(&test, &word("0")), Verdict::Interesting);
    fs::remove_dir_all(test.root().join("slot-0/work")).unwrap();
    assert_eq!(verdict(&test, &word("alone")), Verdict::Interesting);
    assert_eq!(starts(&lab), 2);
}

#[test]
fn endless_words_on_standard_error_do_not_block_it() {
    let lab = Lab::new();
    let body = r#"while read -r path; do head -c 3000000 /dev/zero >&2; echo 0; done"#;
    let test = PersistentTest::new(lab.script(body), lab.setting()).unwrap();
    test.set_time_limit(Some(Duration::from_secs(20)));
    for _ in 0..3 {
        assert_eq!(verdict(&test, &word("0")), Verdict::Interesting);
    }
}
