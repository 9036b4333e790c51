//! All schemes walk the same way: they differ in memory and time, never in what is accepted or how often is tested.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod words;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;
use std::time::Duration;

use dwindle_core::cache::{CacheOptions, Filtered, HashCache, SCHEMES, VerdictCache, by_name};
use dwindle_core::{Candidate, Counts, Event, File, Files, Options, Session, Stop, Unresolved, Verdict};
use proptest::prelude::*;
use words::{Program, blocks, kept};

fn noise(seed: u64, what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, what).hash(&mut hasher);
    hasher.finish()
}

/// Whether a candidate is interesting: it has some words of the input, and luck that is its own.
fn interesting(seed: u64, program: &Program, candidate: &Candidate) -> bool {
    let text = &*candidate.files()[0].bytes;
    let needed = [1, 2, 3].map(|n| &program.words()[noise(seed, n) as usize % program.len()]);
    let has = |word: &String| text.split(|&byte| byte == b'\n').any(|line| line == word.as_bytes());
    needed.into_iter().all(has) && noise(seed, text).is_multiple_of(3)
}

/// Asks for windows of single deletions and takes the last interesting one, so that others are asked again.
fn windows(session: &mut Session<'_>, program: &Program) -> Result<(), Stop> {
    loop {
        let best = kept(session.best()).clone();
        let all = |width: usize| -> Vec<Candidate> {
            (0..best.len())
                .map(|start| program.keep(best.without(start..best.len().min(start + width))))
                .collect()
        };
        let window: Vec<Candidate> = [all(2), all(1)].concat();
        let verdicts = session.all(window.clone())?;
        match verdicts.iter().rposition(|verdict| verdict.is_interesting()) {
            Some(at) => session.accept(&window[at])?,
            None => return Ok(()),
        }
    }
}

/// Cuts the text into lines, then into bytes, over and over, each time in tokens of its own; and replaces lines by others,
/// moves them, and takes the last of several interesting ones.
fn rewrites(session: &mut Session<'_>, _: &Program) -> Result<(), Stop> {
    for universe in 10..16 {
        let text = String::from_utf8(session.best().files()[0].bytes.to_vec()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let program = Program::new(universe, lines.iter().copied());
        session.recast(program.whole());
        let n = lines.len() as u32;
        let mut window: Vec<Candidate> = (0..n).map(|i| program.runs(&[0..i, i + 1..n])).collect();
        for i in 0..lines.len() {
            let mut others = lines.clone();
            others[i] = others[(i + 1) % others.len()];
            window.push(Program::new(universe + 100, others.iter().copied()).whole());
            others.swap(0, i);
            window.push(Program::new(universe + 200, others[i / 2..].iter().copied()).whole());
        }
        let bytes = |at: usize| [&text.as_bytes()[..at], &text.as_bytes()[at + 1..]].concat();
        window.extend((0..text.len()).map(|at| Candidate::of_files(Files::single("p", bytes(at)))));
        // What is larger than the best may be forgotten.
        window.retain(|candidate| candidate.size() <= session.best().size());
        let verdicts = session.all(window.clone())?;
        let taken = verdicts.iter().rposition(|verdict| verdict.is_interesting());
        let smaller = |at: &usize| window[*at].size() < session.best().size();
        if let Some(at) = taken.filter(smaller) {
            session.accept(&window[at])?;
        }
    }
    Ok(())
}

type Walk = fn(&mut Session<'_>, &Program) -> Result<(), Stop>;

struct Outcome {
    accepted: Vec<Vec<u8>>,
    counts: Counts,
    /// Entries at the end, and dropped before.
    held: (usize, u64),
}

fn reduce(program: &Program, seed: u64, walk: Walk, cache: Box<dyn VerdictCache>, jobs: usize) -> Outcome {
    let runner = |candidate: &Candidate| {
        // Some answers are late, so that those behind them come first.
        let text = &*candidate.files()[0].bytes;
        if jobs > 1 && noise(seed ^ 7, text).is_multiple_of(16) {
            std::thread::sleep(Duration::from_micros(20));
        }
        interesting(seed, program, candidate)
    };
    let accepted = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| {
        if let Event::Accepted { best } = event {
            accepted.lock().unwrap().push(best.files()[0].bytes.to_vec());
        }
    };
    let options = Options { jobs, cache, observer: Some(Box::new(observer)), ..Options::default() };
    let (result, _, summary) =
        Session::run(&runner, program.whole(), options, |session| walk(session, program));
    result.unwrap();
    assert_eq!(summary.cache.entries, summary.cache.entries.min(summary.counts.queries as usize));
    Outcome {
        accepted: accepted.into_inner().unwrap(),
        counts: summary.counts,
        held: (summary.cache.entries, summary.cache.evicted),
    }
}

fn cache(name: &str) -> Box<dyn VerdictCache> {
    by_name(name, &CacheOptions::default()).unwrap()
}

fn supplemented(name: &str) -> Box<dyn VerdictCache> {
    by_name(name, &CacheOptions { supplement: true, ..CacheOptions::default() }).unwrap()
}

/// Options that are schemes of their own.
fn varied() -> Vec<(String, Box<dyn VerdictCache>)> {
    let with = |change: fn(&mut CacheOptions)| {
        let mut options = CacheOptions::default();
        change(&mut options);
        options
    };
    let evict = with(|o| o.evict_longer = true);
    let lazy = with(|o| o.rebase_percent = 20);
    vec![
        ("str, evict longer".into(), by_name("str", &evict).unwrap()),
        ("rcc, lazy".into(), by_name("rcc", &lazy).unwrap()),
    ]
}

fn stores_interesting(name: &str) -> bool {
    !matches!(name, "none" | "p1" | "p2" | "p3")
}

fn program() -> impl Strategy<Value = Program> {
    // Few different words, so that different deletions often give the same text.
    proptest::collection::vec(0u32..7, 2..22).prop_map(|ids| Program::numbered(3, &ids))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_scheme_accepts_the_same_and_makes_the_same_queries(program in program(), seed in any::<u64>()) {
        let plain = reduce(&program, seed, blocks, cache("str"), 1);
        for scheme in SCHEMES {
            let [alone, together] = [1, 4].map(|jobs| reduce(&program, seed, blocks, cache(scheme.name), jobs));
            prop_assert_eq!(alone.held, together.held, "{}", scheme.name);
            for (jobs, outcome) in [(1, alone), (4, together)] {
                prop_assert_eq!(&outcome.accepted, &plain.accepted, "{} at {} jobs", scheme.name, jobs);
                if scheme.name == "none" {
                    prop_assert_eq!(outcome.counts.queries, plain.counts.queries + plain.counts.hits);
                } else {
                    prop_assert_eq!(outcome.counts, plain.counts, "{} at {} jobs", scheme.name, jobs);
                }
            }
        }
        for (name, cache) in varied() {
            let outcome = reduce(&program, seed, blocks, cache, 1);
            prop_assert_eq!(&outcome.accepted, &plain.accepted, "{}", &name);
            prop_assert_eq!(outcome.counts, plain.counts, "{}", &name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn windows_of_which_one_is_taken_cost_the_same_with_every_scheme_that_keeps_interesting_ones(
        program in program(),
        seed in any::<u64>(),
    ) {
        let plain = reduce(&program, seed, windows, cache("str"), 1);
        for scheme in SCHEMES {
            for jobs in [1, 4] {
                let outcome = reduce(&program, seed, windows, cache(scheme.name), jobs);
                prop_assert_eq!(&outcome.accepted, &plain.accepted, "{} at {} jobs", scheme.name, jobs);
                if stores_interesting(scheme.name) {
                    prop_assert_eq!(outcome.counts, plain.counts, "{} at {} jobs", scheme.name, jobs);
                }
            }
        }
    }

    #[test]
    fn passes_that_do_more_than_delete_cost_the_same_with_every_supplemented_scheme(
        program in program(),
        seed in any::<u64>(),
    ) {
        for walk in [rewrites as Walk, windows] {
            let plain = reduce(&program, seed, walk, cache("str"), 1);
            for scheme in SCHEMES.iter().filter(|scheme| scheme.name != "none") {
                for jobs in [1, 4] {
                    let outcome = reduce(&program, seed, walk, supplemented(scheme.name), jobs);
                    prop_assert_eq!(&outcome.accepted, &plain.accepted, "{} at {} jobs", scheme.name, jobs);
                    prop_assert_eq!(outcome.counts, plain.counts, "{} at {} jobs", scheme.name, jobs);
                }
            }
        }
    }

    #[test]
    fn no_scheme_ever_tells_a_wrong_verdict_whatever_is_asked(
        steps in proptest::collection::vec((0u8..8, 0u64..3, proptest::collection::vec(0u32..4, 0..7)), 1..80),
    ) {
        // Texts of all kinds: of other universes, larger than the best, not part of it, without tokens.
        let made = |universe: u64, ids: &[u32]| {
            let program = Program::numbered(universe, ids);
            if universe == 0 { Candidate::of_files(program.whole().files().clone()) } else { program.whole() }
        };
        let truth = |candidate: &Candidate| Verdict::from(noise(1, &*candidate.files()[0].bytes).is_multiple_of(4));
        for (scheme, mut cache) in SCHEMES.iter().flat_map(|s| [(s, cache(s.name)), (s, supplemented(s.name))]) {
            for (what, universe, ids) in &steps {
                let candidate = made(*universe, ids);
                match what {
                    0 => cache.accepted(&candidate),
                    1 => cache.recast(&candidate),
                    _ => {
                        let told = cache.get(&candidate);
                        prop_assert!(told.is_none_or(|told| told == truth(&candidate)), "{}", scheme.name);
                        cache.put(&candidate, truth(&candidate));
                    }
                }
            }
        }
    }
}

#[test]
fn such_reductions_do_ask_the_same_again() {
    let program = Program::new(3, (0..40u32).map(|i| format!("w{}", i * i % 7)));
    for walk in [blocks as Walk, windows, rewrites] {
        let outcome = reduce(&program, 5, walk, cache("hash"), 1);
        assert!(outcome.counts.hits * 10 > outcome.counts.queries, "{:?}", outcome.counts);
        assert!(outcome.counts.accepted > 2, "{:?}", outcome.counts);
    }
}

#[test]
fn published_schemes_ask_again_what_passes_that_rewrite_bring_back() {
    let program = Program::new(3, (0..40u32).map(|i| format!("w{}", i * i % 7)));
    let queries = |cache| reduce(&program, 5, rewrites, cache, 1).counts.queries;
    for name in ["rcc", "rcc-size", "cc", "rstr", "config", "p1", "p2", "p3"] {
        assert!(queries(cache(name)) > queries(supplemented(name)), "{name}");
    }
}

#[test]
fn a_candidate_with_other_tokens_makes_a_sequence_cache_read_bytes_and_miss_nothing_from_then_on() {
    for name in ["rcc", "rcc-size", "cc", "rstr", "config"] {
        let mut cache = cache(name);
        let lines = Program::new(1, ["a", "b", "c", "d"]);
        cache.recast(&lines.whole());
        cache.put(&lines.run(0..2), Verdict::BORING);
        assert_eq!(cache.get(&lines.run(0..2)), Some(Verdict::BORING), "{name}");
        // The same texts, in another universe that nobody has announced.
        let others = Program::new(2, ["b", "a", "b", "c", "d"]);
        assert_eq!(cache.get(&others.run(1..2)), None, "{name}");
        cache.put(&others.run(1..2), Verdict::BORING);
        assert_eq!(cache.get(&others.run(1..2)), Some(Verdict::BORING), "{name}");
        assert_eq!(cache.get(&lines.run(0..1)), Some(Verdict::BORING), "{name}: bytes are common to all");
        assert_eq!(cache.get(&lines.run(0..2)), None, "{name}: what was stored before is forgotten");
    }
}

#[test]
fn several_files_are_read_so_that_less_of_them_is_a_part() {
    let files = |a: &str, b: &str| {
        let file = |path: &str, text: &str| File::new(path, text.as_bytes());
        Candidate::of_files(Files::new([file("a", a), file("b", b)]))
    };
    for scheme in SCHEMES.iter().filter(|scheme| scheme.name != "none") {
        let mut cache = cache(scheme.name);
        cache.recast(&files("abc", "xyz"));
        cache.put(&files("ab", "yz"), Verdict::BORING);
        cache.put(&Candidate::of_files(Files::single("b", *b"xyz")), Verdict::BORING);
        cache.accepted(&files("abc", "yz"));
        assert_eq!(cache.get(&files("ab", "yz")), Some(Verdict::BORING), "{}", scheme.name);
        assert_eq!(cache.get(&files("a", "byz")), None, "{}", scheme.name);
    }
}

#[test]
fn a_pass_that_announces_its_tokens_is_read_in_them() {
    let program = Program::new(5, ["alpha", "beta", "gamma", "delta"]);
    let untold = Candidate::of_files(program.whole().files().clone());
    let peak = |announce: bool| {
        let options = Options { cache: cache("cc"), ..Options::default() };
        let (_, best, summary) = Session::run(&|_: &Candidate| false, untold.clone(), options, |session| {
            if announce {
                session.recast(program.whole());
                session.recast(program.run(0..1));
            }
            session.test(program.run(1..3)).unwrap();
            session.test(program.run(1..3)).unwrap();
        });
        assert_eq!(best.fingerprint(), untold.fingerprint(), "another text is no form of the best");
        assert_eq!((summary.counts.queries, summary.counts.hits), (1, 1));
        summary.cache.bytes
    };
    assert!(peak(true) < peak(false), "4 tokens, or 23 bytes, as base");
}

#[test]
fn time_outs_and_crashes_are_remembered_unless_excluded() {
    let program = Program::new(1, ["a", "b", "c"]);
    let excluded = CacheOptions { unresolved: false, ..CacheOptions::default() };
    for scheme in SCHEMES.iter().filter(|scheme| scheme.name != "none") {
        for (options, kept) in [(CacheOptions::default(), true), (excluded, false)] {
            let mut cache = by_name(scheme.name, &options).unwrap();
            cache.recast(&program.whole());
            for (at, why) in
                [Unresolved::TimedOut, Unresolved::Crashed, Unresolved::OutOfMemory].into_iter().enumerate()
            {
                let candidate = program.run(at as u32..at as u32 + 1);
                cache.put(&candidate, Verdict::Unresolved(why));
                let told = cache.get(&candidate);
                assert_eq!(told, kept.then_some(Verdict::Unresolved(why)), "{}", scheme.name);
            }
        }
    }
}

#[test]
fn boring_only_asks_interesting_ones_again() {
    let program = Program::new(1, ["a", "b"]);
    let mut cache = Filtered::new(HashCache::default(), true, true);
    cache.put(&program.run(0..1), Verdict::Interesting);
    cache.put(&program.run(1..2), Verdict::BORING);
    assert_eq!(cache.get(&program.run(0..1)), None);
    assert_eq!(cache.get(&program.run(1..2)), Some(Verdict::BORING));
}

/// After a refresh the cache holds the proper parts of the best among what it held, each under its key in the best.
#[test]
fn a_refresh_keeps_exactly_the_proper_parts_of_the_best() {
    use dwindle_core::cache::{Forget, IntervalCache, decode, encode};
    let program = Program::new(1, "a b a c b a c a b c a".split(' '));
    let ids = |candidate: &Candidate| candidate.tokens().unwrap().ids;
    let n = program.len() as u32;
    let mut cache = IntervalCache::new(Forget::Unreachable { percent: 0 });
    cache.recast(&program.whole());
    let mut held = HashMap::new();
    for from in 0..n {
        for to in from..=n {
            for other in to..=n {
                let candidate = program.runs(&[0..from, to..other]);
                if candidate.size() < program.whole().size() {
                    cache.put(&candidate, Verdict::BORING);
                    held.insert(ids(&candidate), ());
                }
            }
        }
    }
    // Two accepted bests in a row: the second is refreshed from the first, not from the input.
    for best in [program.runs(&[0..4, 6..11]), program.runs(&[1..4, 7..10])] {
        cache.accepted(&best);
        let best = ids(&best);
        held.retain(|q, ()| q.len() < best.len() && encode(&best, q).is_some());
        let stored: HashMap<Vec<u32>, ()> =
            cache.runs().map(|(runs, _)| (decode(&best, &runs), ())).collect();
        assert_eq!(stored, held);
        assert!(cache.runs().all(|(runs, _)| encode(&best, &decode(&best, &runs)) == Some(runs)));
        assert!(!held.is_empty());
    }
}
