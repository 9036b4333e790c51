//! What a session promises: the same answers, numbers and accepted candidates for every number of jobs and every
//! timing; budgets, interrupts and journals that lose nothing.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dwindle_core::cache::{HashCache, NoCache, VerdictCache};
use dwindle_core::{
    Answer, Broken, Cancel, Candidate, Counts, Event, Files, Journal, Keeper, Known, Options, Runner,
    Session, Stop, Summary, Verdict,
};
use proptest::prelude::*;

fn candidate(bytes: &[u8]) -> Candidate {
    Candidate::of_files(Files::single("input", bytes))
}

fn bytes(candidate: &Candidate) -> Vec<u8> {
    candidate.files()[0].bytes.to_vec()
}

/// Deletes single bytes, first hit first, and pairs by windows of five, until nothing changes.
fn greedy(session: &mut Session<'_>) -> Result<(), Stop> {
    loop {
        let before = bytes(session.best());
        let mut again = true;
        while again {
            let text = bytes(session.best());
            let without = |i: usize| candidate(&[&text[..i], &text[i + 1..]].concat());
            again = session
                .pass("single", |session| Ok(session.first((0..text.len()).map(without))?.is_some()))?;
        }
        let text = bytes(session.best());
        for start in (0..text.len().saturating_sub(1)).step_by(5) {
            let pairs: Vec<_> = (start..text.len() - 1)
                .take(5)
                .map(|i| candidate(&[&text[..i], &text[i + 2..]].concat()))
                .collect();
            let verdicts = session.pass("pairs", |session| session.all(pairs.clone()))?;
            if let Some(i) = verdicts.iter().position(|v| v.is_interesting()) {
                session.accept(&pairs[i])?;
                break;
            }
        }
        if bytes(session.best()) == before {
            return Ok(());
        }
    }
}

fn noise(seed: u64, text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, text).hash(&mut hasher);
    hasher.finish()
}

/// A random predicate, far from monotone, that holds for `input`.
fn interesting(seed: u64, input: &[u8], text: &[u8]) -> bool {
    text == input || noise(seed, text) % 100 < 12
}

struct Run {
    accepted: Vec<Vec<u8>>,
    summary: Summary,
}

fn reduce(input: &[u8], runner: &dyn Runner, options: Options<'_>) -> Run {
    let accepted = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| {
        if let Event::Accepted { best } = event {
            accepted.lock().unwrap().push(bytes(best));
        }
    };
    let options = Options { observer: Some(Box::new(observer)), ..options };
    let (_, best, summary) = Session::run(runner, candidate(input), options, greedy);
    let accepted = accepted.into_inner().unwrap();
    assert_eq!(accepted.last().map_or(input, |last| &last[..]), bytes(&best));
    Run { accepted, summary }
}

fn passes(summary: &Summary) -> Vec<(String, Counts, u64)> {
    summary.passes.iter().map(|p| (p.name.clone(), p.counts, p.size_after)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_number_of_jobs_accepts_and_counts_the_same(
        input in proptest::collection::vec(b'a'..b'd', 1..24),
        seed in any::<u64>(),
        cached in any::<bool>(),
        max_queries in proptest::option::of(0u64..200),
    ) {
        let delayed = |jobs: usize| {
            let input = &input;
            move |candidate: &Candidate| {
                let text = bytes(candidate);
                if jobs > 1 {
                    std::thread::sleep(Duration::from_micros(noise(seed ^ jobs as u64, &text) % 60));
                }
                interesting(seed, input, &text)
            }
        };
        let run = |jobs: usize| {
            let runner = delayed(jobs);
            let mut options = Options { jobs, max_queries, ..Options::default() };
            if !cached {
                options.cache = Box::new(NoCache);
            }
            reduce(&input, &runner, options)
        };
        let alone = run(1);
        prop_assert_eq!(alone.summary.started, alone.summary.counts.queries);
        for jobs in [2, 3, 8] {
            let together = run(jobs);
            prop_assert_eq!(&together.accepted, &alone.accepted, "accepted at {} jobs", jobs);
            prop_assert_eq!(passes(&together.summary), passes(&alone.summary));
            prop_assert_eq!(together.summary.counts, alone.summary.counts);
        }
        let waiting = Waiting(|candidate: &Candidate| interesting(seed, &input, &bytes(candidate)));
        let cache: Box<dyn VerdictCache> =
            if cached { Box::<HashCache>::default() } else { Box::new(NoCache) };
        let ahead = reduce(&input, &waiting, Options { max_queries, cache, ..Options::default() });
        prop_assert_eq!(&ahead.accepted, &alone.accepted, "accepted with the next one ready");
        prop_assert_eq!(passes(&ahead.summary), passes(&alone.summary));
        prop_assert_eq!(ahead.summary.counts, alone.summary.counts);
        prop_assert_eq!(ahead.summary.started, alone.summary.started);
    }

    #[test]
    fn a_run_stopped_anywhere_and_resumed_repeats_no_query_and_ends_the_same(
        input in proptest::collection::vec(b'a'..b'd', 1..20),
        seed in any::<u64>(),
        stop_after in 0u64..120,
        jobs in 1usize..4,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let tested = Mutex::new(BTreeMap::<Vec<u8>, usize>::new());
        let runner = |candidate: &Candidate| {
            let text = bytes(candidate);
            *tested.lock().unwrap().entry(text.clone()).or_default() += 1;
            interesting(seed, &input, &text)
        };
        let run = |max_queries| {
            let (journal, known) = Journal::open(&path).unwrap();
            let known: Known = known.into_iter().collect();
            reduce(&input, &runner, Options { jobs, max_queries, journal: Some(journal), known, ..Options::default() })
        };
        let whole = reduce(&input, &|c: &Candidate| interesting(seed, &input, &bytes(c)), Options::default());
        run(Some(stop_after));
        let resumed = run(None);
        prop_assert_eq!(&resumed.accepted, &whole.accepted);
        prop_assert_eq!(resumed.summary.counts.queries, whole.summary.counts.queries);
        prop_assert!(tested.lock().unwrap().values().all(|&times| times == 1), "a query was repeated");
    }
}

/// Has time for something else while its test runs, twice.
struct Waiting<F>(F);

impl<F: Fn(&Candidate) -> bool + Sync> Runner for Waiting<F> {
    fn run(&self, _slot: usize, candidate: &Candidate, _cancel: &Cancel) -> Answer {
        Answer::Verdict((self.0)(candidate).into())
    }

    fn run_meanwhile(
        &self,
        slot: usize,
        candidate: &Candidate,
        cancel: &Cancel,
        meanwhile: &mut dyn FnMut(),
    ) -> Answer {
        meanwhile();
        meanwhile();
        self.run(slot, candidate, cancel)
    }
}

#[test]
fn the_next_candidate_is_got_ready_while_a_test_runs_and_no_other() {
    let pulled = AtomicUsize::new(0);
    let ready = Mutex::new(Vec::new());
    let runner = Waiting(|_: &Candidate| {
        ready.lock().unwrap().push(pulled.load(Ordering::SeqCst));
        false
    });
    Session::run(&runner, candidate(b"input"), Options::default(), |session| {
        let texts = [b"1", b"2", b"3"].into_iter();
        let candidates = texts.inspect(|_| {
            pulled.fetch_add(1, Ordering::SeqCst);
        });
        session.first(candidates.map(|text| candidate(text))).unwrap();
    });
    assert_eq!(*ready.lock().unwrap(), [2, 3, 3]);
}

#[test]
fn the_earliest_wins_and_later_ones_are_cancelled() {
    #[derive(Default)]
    struct Slow {
        endless: AtomicUsize,
        cancelled: AtomicUsize,
    }
    impl Runner for Slow {
        fn run(&self, _slot: usize, candidate: &Candidate, cancel: &Cancel) -> Answer {
            match bytes(candidate).as_slice() {
                // Interesting, but not before the later, quicker one has been found.
                b"1" => {
                    std::thread::sleep(Duration::from_millis(30));
                    Answer::Verdict(Verdict::Interesting)
                }
                b"22" => Answer::Verdict(Verdict::Interesting),
                // Would run for ever.
                _ => {
                    self.endless.fetch_add(1, Ordering::SeqCst);
                    while !cancel.is_raised() {
                        std::thread::yield_now();
                    }
                    self.cancelled.fetch_add(1, Ordering::SeqCst);
                    Answer::Cancelled
                }
            }
        }
    }
    let slow = Slow::default();
    let options = Options { jobs: 4, ..Options::default() };
    let (winner, best, summary) = Session::run(&slow, candidate(b"input"), options, |session| {
        session.first(["1", "22", "333", "4444"].map(|text| candidate(text.as_bytes())))
    });
    assert_eq!(winner.unwrap(), Some(0));
    assert_eq!(bytes(&best), b"1");
    assert_eq!(summary.counts.queries, 1);
    assert_eq!(slow.cancelled.load(Ordering::SeqCst), slow.endless.load(Ordering::SeqCst));
}

#[test]
fn a_verdict_found_ahead_is_not_paid_for_twice() {
    let runs = AtomicUsize::new(0);
    let runner = |candidate: &Candidate| {
        runs.fetch_add(1, Ordering::SeqCst);
        let text = bytes(candidate);
        if text == b"ab" {
            std::thread::sleep(Duration::from_millis(50));
        }
        text.starts_with(b"a")
    };
    let options = Options { jobs: 2, ..Options::default() };
    let (asked, _, summary) = Session::run(&runner, candidate(b"abc"), options, |session| {
        assert_eq!(session.first([candidate(b"ab"), candidate(b"b")])?, Some(0));
        session.test(candidate(b"b"))
    });
    assert_eq!(asked.unwrap(), Verdict::BORING);
    assert_eq!((summary.counts.queries, summary.counts.hits), (2, 0));
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

#[test]
fn the_same_candidate_twice_in_flight_runs_once() {
    let runs = AtomicUsize::new(0);
    let runner = |_: &Candidate| {
        runs.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(20));
        false
    };
    let options = Options { jobs: 4, ..Options::default() };
    let (_, _, summary) = Session::run(&runner, candidate(b"abc"), options, |session| {
        session.all(vec![candidate(b"a"), candidate(b"a"), candidate(b"b"), candidate(b"a")])
    });
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    assert_eq!((summary.counts.queries, summary.counts.hits), (2, 2));
}

#[test]
fn an_interrupt_ends_the_run_with_the_best_so_far_and_stays() {
    for jobs in [1, 4] {
        let interrupt = Cancel::new();
        let runs = AtomicUsize::new(0);
        let runner = |candidate: &Candidate| {
            if runs.fetch_add(1, Ordering::SeqCst) == 5 {
                interrupt.raise();
            }
            bytes(candidate).contains(&b'x')
        };
        let options = Options { jobs, interrupt: interrupt.clone(), ..Options::default() };
        let ((first, second), best, summary) =
            Session::run(&runner, candidate(b"abcdefxghijkl"), options, |session| {
                (greedy(session), session.test(candidate(b"x")))
            });
        assert!(matches!(first, Err(Stop::Interrupted)));
        assert!(matches!(second, Err(Stop::Interrupted)));
        assert!(matches!(summary.stop, Some(Stop::Interrupted)));
        assert!(bytes(&best).contains(&b'x'));
        assert!(best.size() < 13);
    }
}

#[test]
fn without_time_the_input_comes_back() {
    let options = Options { max_time: Some(Duration::ZERO), ..Options::default() };
    let (_, best, summary) = Session::run(&|_: &Candidate| true, candidate(b"abc"), options, greedy);
    assert_eq!(bytes(&best), b"abc");
    assert!(matches!(summary.stop, Some(Stop::OutOfTime)));
}

#[test]
fn a_test_that_cannot_run_any_more_stops_the_run_and_says_why() {
    struct Gone;
    impl Runner for Gone {
        fn run(&self, _slot: usize, _candidate: &Candidate, _cancel: &Cancel) -> Answer {
            Answer::Broken(Broken("test.sh has been removed".into()))
        }
    }
    let (result, ..) = Session::run(&Gone, candidate(b"abc"), Options::default(), greedy);
    assert_eq!(result.unwrap_err().to_string(), "the test can no longer be run: test.sh has been removed");
}

#[test]
fn a_best_that_cannot_be_kept_is_a_warning_not_the_end() {
    struct Full;
    impl Keeper for Full {
        fn keep(&mut self, best: &Candidate) -> Result<(), String> {
            Err(format!("no space for {} bytes", best.size()))
        }
    }
    let mut warnings = Vec::new();
    let observer = |event: &Event<'_>| {
        if let Event::Warning(text) = event {
            warnings.push(text.to_string());
        }
    };
    let options =
        Options { keeper: Some(Box::new(Full)), observer: Some(Box::new(observer)), ..Options::default() };
    let (result, best, _) = Session::run(&|c: &Candidate| c.size() > 1, candidate(b"abc"), options, greedy);
    assert!(result.is_ok());
    assert_eq!(best.size(), 2);
    assert_eq!(warnings, ["no space for 2 bytes"]);
}

#[test]
fn a_detour_over_something_larger_never_loses_the_smallest() {
    struct Kept<'k>(&'k Mutex<Vec<Vec<u8>>>);
    impl Keeper for Kept<'_> {
        fn keep(&mut self, best: &Candidate) -> Result<(), String> {
            self.0.lock().unwrap().push(bytes(best));
            Ok(())
        }
    }
    for (last, result) in [(&b"a"[..], &b"a"[..]), (b"abc", b"ab")] {
        let kept = Mutex::new(Vec::new());
        let options = Options { keeper: Some(Box::new(Kept(&kept))), ..Options::default() };
        let ((), best, summary) =
            Session::run(&|_: &Candidate| true, candidate(b"abcdef"), options, |session| {
                session.accept(&candidate(b"ab")).unwrap();
                session.adopt(&candidate(b"xyz!")).unwrap();
                assert_eq!(bytes(session.best()), b"xyz!");
                session.accept(&candidate(last)).unwrap();
                assert_eq!(bytes(session.best()), last);
            });
        assert_eq!(bytes(&best), result);
        assert_eq!(kept.lock().unwrap().last().unwrap(), result);
        assert_eq!(summary.counts.accepted, kept.lock().unwrap().len() as u64);
    }
}

#[test]
fn after_a_detour_one_can_go_back() {
    let ((), best, _) =
        Session::run(&|_: &Candidate| true, candidate(b"ab"), Options::default(), |session| {
            session.adopt(&candidate(b"xy")).unwrap();
            session.return_to_smallest();
            assert_eq!(bytes(session.best()), b"ab");
        });
    assert_eq!(bytes(&best), b"ab");
}

#[test]
fn a_detour_can_become_the_result() {
    let (left, best, summary) =
        Session::run(&|_: &Candidate| true, candidate(b"ab"), Options::default(), |session| {
            session.adopt(&candidate(b"xyz")).unwrap();
            let left = session.left_behind().map(bytes);
            session.stay();
            assert!(session.left_behind().is_none());
            session.stay();
            left
        });
    assert_eq!(left.as_deref(), Some(&b"ab"[..]));
    assert_eq!(bytes(&best), b"xyz");
    assert_eq!(summary.counts.accepted, 1);
}

#[test]
fn finding_takes_nothing() {
    let boring_first = |candidate: &Candidate| bytes(candidate) != b"abc";
    let (found, best, summary) =
        Session::run(&boring_first, candidate(b"abcdef"), Options::default(), |session| {
            session.find([candidate(b"abc"), candidate(b"ab"), candidate(b"a")]).unwrap()
        });
    assert_eq!(found, Some(1));
    assert_eq!(bytes(&best), b"abcdef");
    assert_eq!((summary.counts.queries, summary.counts.accepted), (2, 0));
}

#[test]
fn the_reports_of_passes_within_passes_add_up() {
    let (result, _, summary) =
        Session::run(&|_: &Candidate| true, candidate(b"abcd"), Options::default(), |session| {
            session.pass("outer", |session| {
                session.test(candidate(b"abc"))?;
                session.pass("inner", |session| session.test(candidate(b"ab")))?;
                session.test(candidate(b"a"))
            })
        });
    assert!(result.is_ok());
    let asked: Vec<_> = summary.passes.iter().map(|pass| (&pass.name[..], pass.counts.queries)).collect();
    assert_eq!(asked, [("inner", 1), ("outer", 2)]);
    assert_eq!(summary.counts.queries, 3);
}
