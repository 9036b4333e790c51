//! The worked example of the thesis that introduced `rcc`: keys, evictions, queries and hits, step by step.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod words;

use std::ops::Range;

use dwindle_core::cache::{CacheOptions, Forget, IntervalCache, SCHEMES, VerdictCache, by_name};
use dwindle_core::{Candidate, Options, Session, Verdict};
use words::Program;

const P0: &str = "int main ( ) { int a = 0 ; int b = 9 ; return a + 0 ; }";

/// Each variant as the words it keeps of `P0`, whether it is interesting, and what the cache is to hold afterwards:
/// runs of the current best, from 1, as printed.
type Step = (&'static str, &'static [Range<u32>], bool, &'static [(&'static str, &'static [u32])]);

const P3: &[Range<u32>] = &[0..10, 20..21];

const TRACE: &[Step] = &[
    ("p1", &[0..5, 20..21], false, &[("p1", &[1, 6, 21, 22])]),
    ("p2", &[0..5, 10..21], false, &[("p1", &[1, 6, 21, 22]), ("p2", &[1, 7, 12, 22])]),
    ("p3", P3, false, &[("p1", &[1, 6, 21, 22]), ("p2", &[1, 7, 12, 22]), ("p3", &[1, 11, 21, 22])]),
    ("p4", &[0..10, 15..21], true, &[("p1", &[1, 6, 16, 17]), ("p3", &[1, 11, 16, 17])]),
    ("p5", P3, false, &[("p1", &[1, 6, 16, 17]), ("p3", &[1, 11, 16, 17])]),
    (
        "p6",
        &[0..5, 15..21],
        false,
        &[("p1", &[1, 6, 16, 17]), ("p3", &[1, 11, 16, 17]), ("p6", &[1, 6, 11, 17])],
    ),
    ("p7", &[0..10, 15..16, 18..21], true, &[("p1", &[1, 6, 14, 15]), ("p3", &[1, 11, 14, 15])]),
    ("p8", P3, false, &[("p1", &[1, 6, 14, 15]), ("p3", &[1, 11, 14, 15])]),
    ("p9", &[0..5, 15..16, 18..21], true, &[("p1", &[1, 6, 9, 10])]),
];

fn program() -> Program {
    Program::new(1, P0.split(' '))
}

#[test]
fn the_keys_and_evictions_are_those_of_the_thesis() {
    let program = program();
    let mut cache = IntervalCache::new(Forget::Unreachable { percent: 0 });
    cache.recast(&program.whole());
    for (name, runs, interesting, stored) in TRACE {
        let candidate = program.runs(runs);
        let hit = cache.get(&candidate).is_some();
        assert_eq!(hit, matches!(*name, "p5" | "p8"), "{name}");
        if !hit {
            cache.put(&candidate, Verdict::from(*interesting));
        }
        if *interesting {
            cache.accepted(&candidate);
        }
        let keys: Vec<Vec<u32>> =
            cache.runs().map(|(runs, _)| runs.iter().map(|number| number + 1).collect()).collect();
        let expected: Vec<&[u32]> = stored.iter().map(|(_, runs)| *runs).collect();
        assert_eq!(keys, expected, "after {name}");
    }
}

#[test]
fn every_scheme_makes_seven_queries_and_two_hits() {
    let program = program();
    let interesting: Vec<Candidate> =
        TRACE.iter().filter(|step| step.2).map(|step| program.runs(step.1)).collect();
    let runner = |candidate: &Candidate| {
        interesting.iter().any(|other| other.fingerprint() == candidate.fingerprint())
    };
    for scheme in SCHEMES {
        let options =
            Options { cache: by_name(scheme.name, &CacheOptions::default()).unwrap(), ..Options::default() };
        let (_, best, summary) = Session::run(&runner, program.whole(), options, |session| {
            for step in TRACE {
                session.test(program.runs(step.1)).unwrap();
            }
        });
        let expected = if scheme.name == "none" { (9, 0) } else { (7, 2) };
        assert_eq!((summary.counts.queries, summary.counts.hits), expected, "{}", scheme.name);
        assert_eq!(summary.counts.accepted, 3);
        assert_eq!(&*best.files()[0].bytes, b"int\nmain\n(\n)\n{\nreturn\n0\n;\n}\n");
    }
}
