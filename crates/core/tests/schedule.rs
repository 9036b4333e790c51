//! What a schedule promises: passes that pay come first, passes that do not are put off and come back, nothing is left
//! untried at the end, and all of it is the same for every number of jobs.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::time::Duration;

use dwindle_core::{Candidate, Files, Options, Pass, Schedule, Session, Step, Stop, Summary, Until, Work};
use proptest::prelude::*;

fn candidate(bytes: &[u8]) -> Candidate {
    Candidate::of_files(Files::single("input", bytes))
}

fn bytes(candidate: &Candidate) -> Vec<u8> {
    candidate.files()[0].bytes.to_vec()
}

/// Tries to delete each window of so many bytes once, from the front.
struct Windows(&'static str, usize);

impl Pass for Windows {
    fn name(&self) -> &str {
        self.0
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        let mut at = 0;
        loop {
            let text = bytes(session.best());
            let windows = at..(text.len() + 1).saturating_sub(self.1);
            let without = |from: usize| candidate(&[&text[..from], &text[from + self.1..]].concat());
            match session.first(windows.map(without))? {
                Some(won) => at += won,
                None => return Ok(()),
            }
        }
    }
}

fn work(name: &'static str, window: usize) -> Work {
    Work { pass: Box::new(Windows(name, window)), is_costly: false }
}

fn run(
    schedule: Schedule,
    input: &[u8],
    jobs: usize,
    test: impl Fn(&[u8]) -> bool + Sync,
) -> (Vec<u8>, Summary) {
    let runner = |candidate: &Candidate| test(&bytes(candidate));
    let options = Options { jobs, ..Options::default() };
    let step = Step::Scheduled(schedule);
    let (result, best, summary) =
        Session::run(&runner, candidate(input), options, |session| step.run(session));
    result.unwrap();
    (bytes(&best), summary)
}

/// The passes in the order in which they ran, and the queries of each.
fn trace(summary: &Summary) -> Vec<(&str, u64)> {
    summary.passes.iter().map(|pass| (pass.name.as_str(), pass.counts.queries)).collect()
}

fn schedule(working: Vec<Work>, until: Until) -> Schedule {
    Schedule { working, polishing: Vec::new(), closing: None, until }
}

#[test]
fn a_pass_that_gains_nothing_is_put_off_until_another_has_had_its_turn() {
    // Four bytes can go at once, three cannot.
    let input = [b'x'; 400];
    let passes = vec![work("threes", 3), work("fours", 4)];
    let (left, summary) = run(schedule(passes, Until::Eager), &input, 1, |text| text.len().is_multiple_of(4));
    assert_eq!(left, b"");
    let trace = trace(&summary);
    assert_eq!(trace[0].0, "threes");
    assert!(trace[0].1 < 100, "put off long before its 398 windows are through: {trace:?}");
    assert_eq!(trace[1], ("fours", 100));
    assert!(trace[2..].iter().all(|(_, queries)| *queries == 0), "nothing is left: {trace:?}");
}

#[test]
fn what_was_put_off_comes_back_when_nothing_pays_better() {
    // Only the last window of three can go.
    let input: Vec<u8> = [vec![b'x'; 300], b"yyy".to_vec()].concat();
    let passes = vec![work("threes", 3), work("fours", 4)];
    let x = |text: &[u8]| text.iter().filter(|byte| **byte == b'x').count();
    let (left, summary) = run(schedule(passes, Until::Eager), &input, 1, |text| x(text) == 300);
    assert_eq!(left, [b'x'; 300]);
    let turns = trace(&summary).iter().filter(|(name, _)| *name == "threes").count();
    assert!(turns > 1, "{:?}", trace(&summary));
}

#[test]
fn each_pass_ends_thoroughly_in_a_result_in_which_it_finds_nothing() {
    let passes = vec![work("ones", 1), work("twos", 2)];
    let needed = |text: &[u8]| text.contains(&b'n') && text.len() % 2 == 1;
    let (left, _) = run(schedule(passes, Until::Thorough), b"abcdefngh", 1, needed);
    assert_eq!(left, b"n");
}

#[test]
fn a_costly_pass_comes_last_and_is_not_run_thoroughly_unless_all_are_to_be() {
    let passes = || vec![Work { is_costly: true, ..work("ones", 1) }, work("twos", 2)];
    let turns = |until| {
        let (_, summary) = run(schedule(passes(), until), b"ab", 1, |text| text == b"ab");
        trace(&summary).iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(turns(Until::Eager), ["twos", "ones"]);
    assert_eq!(turns(Until::Thorough), ["twos", "ones", "twos"]);
    assert_eq!(turns(Until::Fixpoint), ["twos", "ones", "ones", "twos"]);
}

#[test]
fn all_is_done_again_if_the_closing_pass_finds_something() {
    // The closing pass opens the way: without the brackets, pairs can go.
    let test = |text: &[u8]| {
        let brackets = text.iter().filter(|byte| **byte == b'(').count();
        let others = text.len() - brackets;
        if brackets == 1 { others == 6 } else { others.is_multiple_of(2) }
    };
    let schedule = Schedule {
        working: vec![work("twos", 2)],
        polishing: vec![Box::new(Windows("eights", 8))],
        closing: Some(Box::new(Windows("ones", 1))),
        until: Until::Thorough,
    };
    let (left, summary) = run(schedule, b"(xxxxxx", 1, test);
    assert_eq!(left, b"");
    let names: Vec<&str> = trace(&summary).iter().map(|(name, _)| *name).collect();
    assert_eq!(names[..4], ["twos", "twos", "eights", "ones"]);
    assert_eq!(names.last(), Some(&"ones"));
}

fn noise(seed: u64, text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, text).hash(&mut hasher);
    hasher.finish()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_number_of_jobs_takes_the_same_turns(
        input in proptest::collection::vec(b'a'..b'd', 1..120),
        seed in any::<u64>(),
        until in prop_oneof![Just(Until::Eager), Just(Until::Thorough), Just(Until::Fixpoint)],
    ) {
        let run = |jobs: usize| {
            let schedule = Schedule {
                working: vec![work("ones", 1), work("twos", 2), work("fives", 5)],
                polishing: vec![Box::new(Windows("threes", 3))],
                closing: Some(Box::new(Windows("closing", 1))),
                until,
            };
            run(schedule, &input, jobs, |text| {
                if jobs > 1 {
                    std::thread::sleep(Duration::from_micros(noise(seed ^ jobs as u64, text) % 60));
                }
                text == &input[..] || noise(seed, text) % 100 < 4
            })
        };
        let (left, alone) = run(1);
        for jobs in [2, 8] {
            let (also_left, together) = run(jobs);
            prop_assert_eq!(&left, &also_left);
            prop_assert_eq!(trace(&alone), trace(&together));
            prop_assert_eq!(alone.counts, together.counts);
        }
    }
}
