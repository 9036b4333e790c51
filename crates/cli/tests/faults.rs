//! Faults: dwindle is killed, interrupted or gets in its own way, tests misbehave, the disk is full. Nothing is lost, nothing is
//! left running, no temporary file stays.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod common;

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{Case, Dice, Gate, READ_LINES, Ran, Tally, reduce_words, work_roots};
use dwindle::core::{Candidate, Files, Fingerprint, Journal};
use rustix::process::Signal;

const NEEDED: [&str; 3] = ["L03,", "L11,", "L18,"];

/// Twenty lines of which three are needed.
fn twenty_lines() -> String {
    (1..=20).map(|number| format!("L{number:02}\n")).collect()
}

fn is_interesting(content: &[u8]) -> bool {
    let text = String::from_utf8(content.to_vec()).unwrap().replace('\n', ",");
    NEEDED.iter().all(|line| text.contains(line))
}

/// A test that tells its content to the tally before it decides, without starting any process.
fn telling_test(tally: &Tally) -> String {
    let needed = NEEDED.map(|line| format!("*{line}")).concat();
    format!(
        "{READ_LINES}\necho \"$text\" > '{}'\ncase \"$text\" in {needed}*) exit 0;; esac\nexit 1",
        tally.path().display()
    )
}

/// The fingerprint under which the journal knows a content that a test has told.
fn fingerprint(told: &str) -> Fingerprint {
    let text = told.replace(',', "\n");
    Candidate::of_files(Files::single("in.txt", text.as_bytes())).fingerprint()
}

/// What the journal of a run holds; read from a copy, for opening one mends it.
fn journalled(case: &Case, run: &Path) -> HashSet<Fingerprint> {
    let copy = case.outside("journal-copy");
    if fs::copy(run.join("journal"), &copy).is_err() {
        return HashSet::new();
    }
    let (_, known) = Journal::open(&copy).unwrap();
    known.into_iter().map(|(fingerprint, _)| fingerprint).collect()
}

/// What an undisturbed run gives.
struct Undisturbed {
    result: Vec<u8>,
    queries_and_hits: (u64, u64),
    runs: u64,
}

fn killable_words(jobs: &str) -> Vec<&str> {
    let words = ["--preset", "ddmin-star", "-q", "--json", "-j", jobs, "t.sh", "in.txt"];
    reduce_words(words)
}

fn undisturbed() -> Undisturbed {
    let case = Case::new();
    let tally = Tally::new(case.outside("tally"));
    case.script("t.sh", telling_test(&tally));
    case.file("in.txt", twenty_lines());
    let ran = case.run(killable_words("1")).ended_with(0);
    case.assert_nothing_is_left(&ran);
    let told = tally.rest();
    let distinct: HashSet<_> = told.iter().collect();
    // The input three times, nothing at all, and the result once more at the end.
    assert_eq!(told.len(), distinct.len() + 3);
    let result = case.read("in.reduced.txt");
    assert_eq!(result, b"L03\nL11\nL18\n");
    Undisturbed { result, queries_and_hits: ran.queries_and_hits(), runs: told.len() as u64 }
}

/// Kills dwindle soon after the test has begun to run for the `moment`th time, and goes on with the run.
/// Gives how many verdicts came from the journal.
fn kill_and_resume(moment: u64, delay: Duration, jobs: &str, undisturbed: &Undisturbed) -> u64 {
    let case = Case::new();
    let tally = Tally::new(case.outside("tally"));
    case.script("t.sh", telling_test(&tally));
    case.file("in.txt", twenty_lines());

    let killed = Ran::start(&mut case.dwindle(killable_words(jobs)));
    let before: Vec<_> = (0..moment).map(|_| tally.next()).collect();
    // Not a wait for something: this is what makes the moment a random one.
    std::thread::sleep(delay);
    killed.signal(Signal::KILL);
    let killed = killed.finish();
    case.wait_until_nothing_runs();
    let before: Vec<_> = before.into_iter().chain(tally.rest()).collect();

    if let Ok(best) = fs::read(case.path("in.reduced.txt")) {
        assert!(is_interesting(&best), "{best:?}");
        let mut test = case.at_home(Command::new(case.path("t.sh")));
        Ran::of(test.arg("in.reduced.txt")).ended_with(0);
        tally.rest();
    }
    assert_eq!(case.text("in.txt"), twenty_lines());

    let run = case.path(".dwindle/in-1");
    let known = journalled(&case, &run);
    let had_begun = run.join("journal").exists();
    let resumed = case.run(["resume", "in-1"]);
    let resumed = if run.join("run.json").exists() {
        resumed.ended_with(0)
    } else {
        // Killed before it had written down what it was to do.
        resumed.ended_with(2).said("there is no run \"in-1\"");
        case.run(killable_words(jobs)).ended_with(0)
    };
    assert_eq!(case.read("in.reduced.txt"), undisturbed.result);
    assert_eq!(resumed.queries_and_hits(), undisturbed.queries_and_hits);

    let after = tally.rest();
    let input = twenty_lines().replace('\n', ",");
    let result = String::from_utf8(undisturbed.result.clone()).unwrap().replace('\n', ",");
    // The result is tested once more at the end of every run.
    let ends = after.iter().rposition(|told| *told == result).unwrap();
    let asked: Vec<_> =
        after[..ends].iter().filter(|told| had_begun || (**told != input && !told.is_empty())).collect();
    for told in &asked {
        assert!(!known.contains(&fingerprint(told)), "{told} is in the journal");
    }
    if jobs == "1" {
        let in_flight = before
            .iter()
            .filter(|told| !known.contains(&fingerprint(told)) && **told != input && !told.is_empty());
        let in_flight: HashSet<_> = in_flight.collect();
        assert!(in_flight.len() <= 1, "{in_flight:?}");
        let distinct: HashSet<_> = asked.iter().collect();
        assert_eq!(distinct.len(), asked.len());
    }
    case.assert_nothing_is_left(&resumed);
    assert_eq!(work_roots(killed.pid), Vec::<std::path::PathBuf>::new());
    assert_eq!(case.names(), [".dwindle", "in.reduced.txt", "in.txt", "t.sh"]);
    resumed.json()["replayed"].as_u64().unwrap()
}

#[test]
fn killed_at_fifty_random_moments_the_best_is_whole_and_the_run_goes_on_where_it_was() {
    let undisturbed = &undisturbed();
    let trials: Vec<_> = {
        let mut dice = Dice(2);
        let mut trial = |number| {
            let jobs = if number % 2 == 0 { "1" } else { "2" };
            let moment = dice.below(undisturbed.runs);
            let delay = Duration::from_micros(dice.below(if moment == 0 { 20_000 } else { 4_000 }));
            (moment, delay, jobs)
        };
        (0..50).map(&mut trial).collect()
    };
    // Two at once: the tests hardly use the processor.
    let replayed = std::thread::scope(|scope| {
        let halves: Vec<_> = trials
            .chunks(trials.len() / 2)
            .map(|half| {
                scope.spawn(move || -> u64 {
                    let trial = |&(moment, delay, jobs)| kill_and_resume(moment, delay, jobs, undisturbed);
                    half.iter().map(trial).sum()
                })
            })
            .collect();
        halves.into_iter().map(|half| half.join().unwrap()).sum::<u64>()
    });
    assert!(replayed > 0, "no kill came late enough to show anything");
}

#[test]
fn a_run_that_was_killed_in_its_start_up_checks_begins_with_them_again() {
    let case = Case::new();
    let gate = Gate::new(&case);
    case.script("t.sh", format!("{}; echo never; exit 3", gate.wait()));
    case.file("in.txt", "a\nb\n");
    let killed = Ran::start(&mut case.dwindle(reduce_words(["t.sh", "in.txt"])));
    gate.wait_for_arrival();
    killed.signal(Signal::KILL);
    killed.finish();
    case.wait_until_nothing_runs();
    gate.open();
    let resumed = case.run(["resume", "in-1"]).ended_with(1);
    case.assert_nothing_is_left(&resumed);
    resumed.said("the test does not find the input interesting (exit status 3)");
    assert!(!case.path("in.reduced.txt").exists());
}

/// A test that is interesting as long as the line `keep` is there, and else does something terrible.
fn hostile_test(deed: &str) -> String {
    format!("{READ_LINES}\ncase \"$text\" in *keep,*) exit 0;; esac\n{deed}")
}

/// Reduces three lines to `keep` with a test that does `deed` to all others, and gives the summary.
fn survive(deed: &str, options: &[&str]) -> serde_json::Value {
    let case = Case::new();
    case.script("t.sh", hostile_test(deed));
    case.file("in.txt", "one\nkeep\ntwo\n");
    let words = ["--preset", "ddmin", "-q", "--json", "t.sh", "in.txt"];
    let ran = case.reduce(options.iter().copied().chain(words)).ended_with(0);
    case.assert_nothing_is_left(&ran);
    assert_eq!(ran.stderr, "");
    assert_eq!(case.text("in.reduced.txt"), "keep\n");
    assert_eq!(case.names(), [".dwindle", "in.reduced.txt", "in.txt", "t.sh"]);
    ran.json()
}

#[test]
fn a_daemon_that_a_test_leaves_behind_ends_with_it() {
    let stubborn = "trap '' TERM HUP INT; while :; do sleep 1; done";
    survive(&format!("setsid sh -c \"{stubborn}\" & exit 1"), &[]);
    // Also one whose parents are all gone, and when the verdict is good.
    let case = Case::new();
    case.script("t.sh", format!("(setsid sh -c \"{stubborn}\" &)\n{}", hostile_test("exit 1")));
    case.file("in.txt", "one\nkeep\ntwo\n");
    let ran = case.reduce(["--preset", "ddmin", "t.sh", "in.txt"]).ended_with(0);
    case.assert_nothing_is_left(&ran);
    assert_eq!(case.text("in.reduced.txt"), "keep\n");
}

#[test]
fn a_test_that_ignores_sigterm_ends_at_its_time_limit() {
    let summary = survive("trap '' TERM INT HUP; while :; do sleep 100; done", &["--timeout", "1s"]);
    assert!(summary["unresolved"].as_u64() > Some(0));
}

#[test]
fn a_test_that_sleeps_for_ever_ends_at_its_time_limit() {
    let summary = survive("exec sleep 1000000", &["--timeout", "1s"]);
    assert!(summary["unresolved"].as_u64() > Some(0));
}

#[test]
fn a_test_that_prints_without_end_ends_at_its_time_limit() {
    let summary = survive("exec yes 'never enough'", &["--timeout", "1s"]);
    assert!(summary["unresolved"].as_u64() > Some(0));
}

#[test]
fn a_test_that_eats_memory_fails_at_its_memory_limit() {
    // A line without end, which `tail` wants to keep.
    let summary = survive("exec tail /dev/zero", &["--memory", "64M", "--timeout", "20s"]);
    assert!(summary["unresolved"].as_u64() > Some(0));
    assert!(summary["seconds"].as_f64() < Some(15.0), "ended by its time limit");
}

#[test]
fn a_test_that_kills_its_supervisor_is_boring() {
    let summary = survive("kill -KILL $PPID; sleep 1000", &["--timeout", "20s"]);
    assert!(summary["unresolved"].as_u64() > Some(0));
}

#[test]
fn a_work_directory_that_a_test_removes_is_made_again() {
    survive("rm -rf \"$PWD\"; exit 1", &[]);
    // Alone: who removes the directories of the other slots as well can make them see anything.
    survive("rm -rf \"${PWD%/*/*}\"; exit 1", &["-j", "1"]);
    // Before a good verdict, too.
    let case = Case::new();
    let remove = "case \"$PWD\" in */work) rm -rf \"$PWD\";; esac";
    case.script("t.sh", format!("{READ_LINES}\n{remove}\ncase \"$text\" in *keep,*) exit 0;; esac; exit 1"));
    case.file("in.txt", "one\nkeep\ntwo\n");
    let ran = case.reduce(["--preset", "ddmin", "t.sh", "in.txt"]).ended_with(0);
    case.assert_nothing_is_left(&ran);
    assert_eq!(case.text("in.reduced.txt"), "keep\n");
}

#[test]
fn a_test_that_is_removed_during_the_run_ends_it_with_the_best_kept() {
    let case = Case::new();
    // Removed when the first half is gone; found interesting all the same.
    let remove = "case \"$text\" in *L01,*) ;; *L20,*) rm -f \"$0\";; esac";
    case.script("t.sh", format!("{READ_LINES}\n{remove}\ncase \"$text\" in *L18,*) exit 0;; esac; exit 1"));
    case.file("in.txt", twenty_lines());
    let ran = case.reduce(["--preset", "algorithm1", "-j", "1", "t.sh", "in.txt"]).ended_with(1);
    case.assert_nothing_is_left(&ran);
    assert!(!case.path("t.sh").exists());
    let best = case.text("in.reduced.txt");
    assert!(best.len() < twenty_lines().len() && best.contains("L18\n"), "{best}");
    let path = case.path("t.sh");
    let message = format!(
        "dwindle: the test can no longer be run: cannot start {path:?}: No such file or directory (os error 2); it, or the \
         interpreter its first line names, is not there (any more)"
    );
    let ran = ran.said("go on    dwindle resume .dwindle/in-1").said("result   in.reduced.txt");
    ran.said_at_last(&message);
    // With the test back the run can go on.
    case.script("t.sh", format!("{READ_LINES}\ncase \"$text\" in *L18,*) exit 0;; esac; exit 1"));
    case.run(["resume", "in-1"]).ended_with(0);
    assert_eq!(case.text("in.reduced.txt"), "L18\n");
}

/// A test for `L18` that waits at the gate once the second half of the twenty lines is all that is left.
fn waiting_test(gate: &Gate) -> String {
    let wait = gate.wait();
    format!(
        "{READ_LINES}\ncase \"$text\" in *L01,*) ;; ?*) {wait};; esac\ncase \"$text\" in *L18,*) exit 0;; esac\nexit 1"
    )
}

#[test]
fn ctrl_c_keeps_the_best_says_where_it_is_and_lets_the_run_go_on() {
    for jobs in ["1", "2"] {
        let case = Case::new();
        let gate = Gate::new(&case);
        case.script("t.sh", waiting_test(&gate));
        case.file("in.txt", twenty_lines());
        let words = ["--preset", "ddmin", "--json", "-j", jobs, "t.sh", "in.txt"];
        let running = Ran::start(&mut case.dwindle(reduce_words(words)));
        gate.wait_for_arrival();
        running.signal(Signal::INT);
        let ran = running.finish().ended_with(130);
        case.assert_nothing_is_left(&ran);
        assert_eq!(ran.json()["stopped"], "interrupt");
        assert_eq!(ran.json()["minimal"], false);
        ran.said("ended    interrupted; this is the best so far")
            .said("go on    dwindle resume .dwindle/in-1")
            .said("result   in.reduced.txt");
        let best = case.text("in.reduced.txt");
        assert!(best.contains("L18\n"), "{best}");
        gate.open();
        case.run(["resume", ".dwindle/in-1"]).ended_with(0);
        assert_eq!(case.text("in.reduced.txt"), "L18\n");
    }
}

#[test]
fn a_run_that_had_to_leave_the_sandbox_goes_on_outside() {
    // Where there is no sandbox, or no need of one, this is a run as any other.
    let case = Case::new();
    let gate = Gate::new(&case);
    fs::write(case.outside("flag"), "").unwrap();
    let flag = case.outside("flag");
    case.script("t.sh", format!("[ -e '{}' ] || exit 5\n{}", flag.display(), waiting_test(&gate)));
    case.file("in.txt", twenty_lines());
    let words = ["reduce", "--preset", "ddmin", "-j", "1", "t.sh", "in.txt"];
    let running = Ran::start(&mut case.dwindle(words));
    gate.wait_for_arrival();
    running.signal(Signal::INT);
    running.finish().ended_with(130);
    gate.open();
    case.run(["resume", "in-1"]).ended_with(0);
    assert_eq!(case.text("in.reduced.txt"), "L18\n");
}

#[test]
fn ctrl_c_twice_ends_at_once_and_leaves_nothing_running() {
    let case = Case::new();
    let gate = Gate::new(&case);
    case.script("t.sh", waiting_test(&gate));
    case.file("in.txt", twenty_lines());
    let mut running =
        Ran::start(&mut case.dwindle(reduce_words(["--preset", "ddmin", "-j", "1", "t.sh", "in.txt"])));
    gate.wait_for_arrival();
    running.signal(Signal::INT);
    if !running.is_over() {
        running.signal(Signal::INT);
    }
    let ran = running.finish().ended_with(130);
    case.assert_nothing_is_left(&ran);
    if let Ok(best) = fs::read_to_string(case.path("in.reduced.txt")) {
        assert!(best.contains("L18\n"), "{best}");
    }
    gate.open();
    case.run(["resume", "in-1"]).ended_with(0);
    assert_eq!(case.text("in.reduced.txt"), "L18\n");
}

#[test]
fn two_dwindles_in_one_directory_do_not_disturb_each_other() {
    let case = Case::new();
    case.script("t.sh", format!("{READ_LINES}\ncase \"$text\" in *L18,*) exit 0;; esac\nexit 1"));
    case.file("in.txt", twenty_lines());
    let start =
        |output| Ran::start(&mut case.dwindle(reduce_words(["-j", "1", "-o", output, "t.sh", "in.txt"])));
    let both = ["one.txt", "other.txt"].map(start);
    for running in both {
        let ran = running.finish().ended_with(0);
        assert_eq!(work_roots(ran.pid), Vec::<std::path::PathBuf>::new());
    }
    case.wait_until_nothing_runs();
    assert_eq!(case.text("one.txt"), "L18");
    assert_eq!(case.text("other.txt"), "L18");
    assert_eq!(common::names(&case.path(".dwindle")), ["in-1", "in-2"]);
}

#[test]
fn a_second_dwindle_does_not_write_to_the_output_of_the_first() {
    let case = Case::new();
    let gate = Gate::new(&case);
    case.script("t.sh", waiting_test(&gate));
    case.file("in.txt", twenty_lines());
    let first =
        Ran::start(&mut case.dwindle(reduce_words(["--preset", "ddmin", "-j", "1", "t.sh", "in.txt"])));
    gate.wait_for_arrival();
    case.script("second.sh", "exit 0");
    let absolute = case.path("in.reduced.txt");
    for output in [None, Some("./in.reduced.txt"), absolute.to_str()] {
        let words = output.map(|output| ["-o", output]).into_iter().flatten();
        let second = case.reduce(words.chain(["second.sh", "in.txt"])).ended_with(1);
        let output = output.unwrap_or("in.reduced.txt");
        second.said_at_last(&format!(
            "dwindle: run `.dwindle/in-1` is writing `{output}` right now: give another place with `-o`"
        ));
    }
    assert_eq!(common::names(&case.path(".dwindle")), ["in-1"]);
    // A run that is under way cannot be resumed either.
    let resumed = case.run(["resume", "in-1"]).ended_with(1);
    resumed.said("another dwindle is working on");
    gate.open();
    first.finish().ended_with(0);
    assert_eq!(case.text("in.reduced.txt"), "L18\n");
}
