//! Minimisers on a real session: nothing but the time depends on the number of workers.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use dwindle_core::{
    Answer, Cancel, Candidate, CheckId, Event, Files, Mark, Marks, Options as SessionOptions, Runner,
    Session, Subset, Summary, Verdict,
};
use dwindle_delta::{Ddmin, ListMinimizer, Options, SessionList, Star, all, by_name};

/// The letters of `input` that are kept, as a file.
fn letters(input: &str, kept: &Subset) -> Candidate {
    let text: Vec<u8> = kept.iter().map(|i| input.as_bytes()[i]).collect();
    Candidate::of_files(Files::single("input", text))
}

fn text(candidate: &Candidate) -> String {
    String::from_utf8(candidate.files()[0].bytes.to_vec()).unwrap()
}

/// The accepted texts in order, and the numbers of the run.
fn reduce(
    input: &str,
    minimizer: &dyn ListMinimizer,
    jobs: usize,
    test: impl Fn(&str) -> bool + Sync,
) -> (Vec<String>, Summary) {
    let accepted = RefCell::new(Vec::new());
    let runner = |candidate: &Candidate| test(&text(candidate));
    let options = SessionOptions {
        jobs,
        observer: Some(Box::new(|event: &Event<'_>| {
            if let Event::Accepted { best } = event {
                accepted.borrow_mut().push(text(best));
            }
        })),
        ..SessionOptions::default()
    };
    let whole = letters(input, &Subset::full(input.len()));
    let (result, best, summary) = Session::run(&runner, whole, options, |session| {
        let mut list = SessionList::new(session, |kept: &Subset| letters(input, kept));
        minimizer.minimize(&vec![1; input.len()], &mut list)
    });
    assert_eq!(text(&letters(input, &result.unwrap())), text(&best));
    (accepted.into_inner(), summary)
}

#[test]
fn sessions_count_the_published_examples_as_published() {
    let both = |text: &str| text.contains('2') && text.contains('4');
    for jobs in [1, 2, 8] {
        let (accepted, summary) = reduce("12345", &Ddmin::default(), jobs, both);
        assert_eq!(accepted, ["1245", "245", "24"]);
        assert_eq!((summary.counts.queries, summary.counts.hits), (10, 1), "{jobs} jobs");
    }
}

/// A program of 20 lines, the letters `a` to `t`, that computes sum and product; the product must still be printed.
fn ten_factorial(text: &str) -> bool {
    let has = |line: u8| text.contains((b'a' + line - 1) as char);
    let add = (1..=4).filter(|&line| has(line)).count();
    (5..=10).chain([12, 13, 16, 19, 20]).all(has)
        && has(14) == has(17)
        && (has(14) || !has(15))
        && (add == 0 || add == 4)
        && (!has(15) || has(11) && add == 4)
        && (!has(18) || has(11))
}

#[test]
fn sessions_count_ten_factorial_as_published() {
    let ddmin = Ddmin::default();
    for jobs in [1, 2, 8] {
        let (accepted, summary) = reduce("abcdefghijklmnopqrst", &ddmin, jobs, ten_factorial);
        assert_eq!(accepted.last().unwrap(), "abcdefghijlmnpqst");
        assert_eq!((summary.counts.queries, summary.counts.hits), (56, 1), "{jobs} jobs");
        let (accepted, summary) = reduce("abcdefghijklmnopqrst", &Star(ddmin.clone()), jobs, ten_factorial);
        assert_eq!(accepted.last().unwrap(), "efghijlmnpqst");
        assert_eq!((summary.counts.queries, summary.counts.hits), (94, 30), "{jobs} jobs");
    }
}

fn noise(seed: u64, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, text).hash(&mut hasher);
    hasher.finish()
}

#[test]
fn two_hundred_random_predicates_with_random_delays_give_the_same_run_with_any_number_of_workers() {
    const INPUT: &str = "abcdefghijklmnopqrstuvwx";
    for seed in 0..200 {
        let entry = &all()[seed as usize % all().len()];
        // A new one each time: some remember.
        let minimizer = || entry.build(&Options { seed: Some(seed), ..Options::default() });
        let test = |text: &str| {
            let noise = noise(seed, text);
            std::thread::sleep(Duration::from_micros(noise % 7 * 20));
            // Far from monotone, but most of it needs the `k`.
            text == INPUT || (text.contains('k') || noise.is_multiple_of(31)) && noise % 100 < 35
        };
        let (accepted, summary) = reduce(INPUT, &minimizer(), 1, test);
        for jobs in [2, 8] {
            let (others, other) = reduce(INPUT, &minimizer(), jobs, test);
            assert_eq!(others, accepted, "{}, seed {seed}, {jobs} jobs", entry.name);
            assert_eq!(other.counts, summary.counts, "{}, seed {seed}, {jobs} jobs", entry.name);
        }
    }
}

/// A test of three checks that tells which failed, and changes their order with what it is told.
struct Checked {
    seed: u64,
    settled: AtomicU32,
    way: AtomicU32,
}

impl Checked {
    fn new(seed: u64) -> Self {
        Checked { seed, settled: AtomicU32::new(0), way: AtomicU32::new(0) }
    }
}

impl Runner for Checked {
    fn run(&self, _: usize, candidate: &Candidate, _: &Cancel) -> Answer {
        let text = text(candidate);
        let noise = noise(self.seed, &text);
        let way = self.way.load(Ordering::SeqCst);
        std::thread::sleep(Duration::from_micros(noise % 5 * 30));
        let holds =
            |check: u32| text.contains((b'c' + 5 * check as u8) as char) && noise >> (8 * check) & 7 != 0;
        let mut marks = Marks::NONE;
        for check in (0..3).map(|place| (place + way) % 3) {
            let held = holds(check);
            marks = marks.with(CheckId(check as u16), if held { Mark::Ok } else { Mark::Failed });
            if !held {
                return Answer::Verdict(Verdict::Boring { marks });
            }
        }
        Answer::Verdict(Verdict::Interesting)
    }

    fn checks(&self) -> usize {
        3
    }

    fn settled(&self, _: &Candidate, _: Verdict) {
        self.settled.fetch_add(1, Ordering::SeqCst);
    }

    fn adapt(&self) -> Option<u32> {
        let way = self.settled.load(Ordering::SeqCst) / 7;
        self.way.store(way, Ordering::SeqCst);
        Some(way)
    }
}

#[test]
fn what_is_learned_from_checks_that_change_their_order_depends_on_no_number_of_workers() {
    const INPUT: &str = "abcdefghijklmnopqrstuvwx";
    let run = |name: &str, seed: u64, jobs: usize| {
        let runner = Checked::new(seed);
        let options = SessionOptions { jobs, ..SessionOptions::default() };
        let whole = letters(INPUT, &Subset::full(INPUT.len()));
        let minimizer = by_name(name, &Options::default()).unwrap();
        let (kept, _, summary) = Session::run(&runner, whole, options, |session| {
            let mut list = SessionList::new(session, |kept: &Subset| letters(INPUT, kept));
            minimizer.minimize(&[1; INPUT.len()], &mut list)
        });
        (kept.unwrap(), summary.counts, summary.checks)
    };
    for seed in 0..30 {
        for name in ["cov-probdd-star", "cov-probdd-paper", "cov-probdd-1min", "ddmin"] {
            let one = run(name, seed, 1);
            assert!(one.2.counts().iter().all(|check| check.executed > 0));
            for jobs in [2, 5] {
                assert_eq!(run(name, seed, jobs), one, "{name}, seed {seed}, {jobs} jobs");
            }
        }
    }
}
