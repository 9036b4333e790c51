//! The result does not depend on the number of jobs: not its bytes, not the way to it, not the counts.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::num::NonZeroUsize;
use std::time::Duration;

use dwindle::core::{Candidate, Event, File, Files};
use dwindle::{Granularity, Plan, Reduction};
use proptest::prelude::*;

/// A random predicate over lines that is neither monotone nor unambiguous: some lines are needed, some come in pairs,
/// and a share of everything is rejected at random.
#[derive(Clone, Debug)]
struct Predicate {
    needed: Vec<u8>,
    pairs: Vec<(u8, u8)>,
    noise: u64,
    seed: u64,
}

fn predicates() -> impl Strategy<Value = Predicate> {
    let letter = || b'a'..=b'p';
    let needed = proptest::collection::vec(letter(), 0..4);
    let pairs = proptest::collection::vec((letter(), letter()), 0..3);
    (needed, pairs, 0u64..60, any::<u64>()).prop_map(|(needed, pairs, noise, seed)| Predicate {
        needed,
        pairs,
        noise,
        seed,
    })
}

impl Predicate {
    fn holds(&self, text: &[u8], input: &[u8]) -> bool {
        text == input
            || self.needed.iter().all(|letter| text.contains(letter))
                && self.pairs.iter().all(|(a, b)| text.contains(a) == text.contains(b))
                && self.dice(text) % 100 >= self.noise
    }

    fn dice(&self, text: &[u8]) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.seed, text).hash(&mut hasher);
        hasher.finish()
    }
}

type Run = (Vec<u8>, Vec<Vec<u8>>, u64, u64);

fn reduce(input: &[u8], predicate: &Predicate, plan: &Plan, jobs: usize) -> Run {
    let mut accepted = Vec::new();
    let reduced = Reduction::new(input)
        .plan(plan.clone())
        .jobs(NonZeroUsize::new(jobs).unwrap())
        .test(|text| {
            if jobs > 1 {
                std::thread::sleep(Duration::from_micros(predicate.dice(text).rotate_left(jobs as u32) % 80));
            }
            predicate.holds(text, input)
        })
        .observer(|event| {
            if let Event::Accepted { best } = event {
                accepted.push(best.files()[0].bytes.to_vec());
            }
        })
        .run()
        .unwrap();
    let counts = reduced.summary.counts;
    (reduced.bytes().to_vec(), accepted, counts.queries, counts.hits)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_two_and_eight_jobs_give_the_same_bytes_by_the_same_way(
        lines in proptest::collection::vec(b'a'..=b'p', 1..24),
        predicate in predicates(),
        preset in proptest::sample::select(vec![
            None, Some("ddmin"), Some("ddmin-star"), Some("greeddy-star"), Some("probdd"), Some("cdd"), Some("wdd"), Some("dfs"),
        ]),
        granularity in proptest::sample::select(vec![
            Granularity::Line, Granularity::Char, Granularity::TwoPass, Granularity::Token, Granularity::Bracket,
        ]),
    ) {
        let input: Vec<u8> = lines.iter().flat_map(|letter| [*letter, b'\n']).collect();
        let plan = Plan { preset: preset.map(str::to_owned), granularity, ..Plan::default() };
        let alone = reduce(&input, &predicate, &plan, 1);
        prop_assert!(predicate.holds(&alone.0, &input));
        for jobs in [2, 8] {
            prop_assert_eq!(&reduce(&input, &predicate, &plan, jobs), &alone, "{} jobs", jobs);
        }
    }

    #[test]
    fn where_a_preset_promises_it_no_single_element_can_go(
        lines in proptest::collection::vec(b'a'..=b'p', 2..16),
        predicate in predicates(),
        preset in proptest::sample::select(vec!["text", "ddmin", "ddmin-star", "greeddy", "one-sweep", "wdd", "probdd-1min"]),
    ) {
        let input: Vec<u8> = lines.iter().flat_map(|letter| [*letter, b'\n']).collect();
        let reduced = Reduction::new(&input)
            .preset(preset)
            .granularity(Granularity::Char)
            .test(|text| predicate.holds(text, &input))
            .run()
            .unwrap();
        prop_assert_eq!(reduced.minimal_over, Some("char"));
        let bytes = reduced.bytes();
        // ddmin does not try to drop the last element.
        for i in (0..bytes.len()).filter(|_| bytes.len() > 1) {
            let without = [&bytes[..i], &bytes[i + 1..]].concat();
            prop_assert!(!predicate.holds(&without, &input), "{:?} can go from {:?}", i, bytes);
        }
    }
}

#[test]
fn files_go_first_and_then_their_lines() {
    let file = |name: &str, text: &str| File::new(name, text.as_bytes());
    let input =
        Files::new([file("a.h", "x\nneeded\ny\n"), file("b.h", "1\n2\n"), file("c.c", "use\nmore\n")]);
    let has = |candidate: &Candidate, name: &str, text: &str| {
        let file = candidate.files().get(name.as_ref());
        file.is_some_and(|file| String::from_utf8_lossy(&file.bytes).contains(text))
    };
    let reduced = Reduction::of_files(input)
        .runner(|candidate: &Candidate| has(candidate, "a.h", "needed") && has(candidate, "c.c", "use"))
        .run()
        .unwrap();
    let left: Vec<_> =
        reduced.files().iter().map(|file| (file.path.to_str().unwrap(), &file.bytes[..])).collect();
    assert_eq!(left, [("a.h", &b"needed"[..]), ("c.c", b"use")]);
    assert_eq!(reduced.summary.passes[0].name, "files");
}

#[test]
fn errors_say_what_to_do() {
    let no_test = Reduction::new("abc").run().unwrap_err().to_string();
    assert!(no_test.contains("call `test`"), "{no_test}");
    let boring = Reduction::new("abc").test(|_| false).run().unwrap_err().to_string();
    assert!(boring.contains("not interesting"), "{boring}");
    let preset = Reduction::new("abc").test(|_| true).preset("magic").run().unwrap_err().to_string();
    assert!(preset.contains("no preset `magic`"), "{preset}");
}
