//! What caches say they have allocated is what the allocator has given them, to the byte.
//!
//! One test only: the allocator counts for the whole process.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod words;

use std::alloc::System;

use cap::Cap;
use dwindle_core::cache::{CacheOptions, HashCache, SCHEMES, VerdictCache, by_name};
use dwindle_core::{Candidate, Subset, Verdict};
use words::Program;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

#[test]
fn the_meter_counts_every_byte_and_the_default_takes_at_most_32_an_entry() {
    let program = Program::new(1, (0..400).map(|i| format!("word{}", i * i % 97)));
    the_default_by_the_allocator(&program);
    for scheme in SCHEMES {
        every_byte(&program, scheme.name, false);
        every_byte(&program, scheme.name, true);
    }
}

/// A candidate for each number below 80,200: one or two blocks of words are missing.
fn candidate(program: &Program, number: usize) -> Candidate {
    let (from, width) = (number % 200, number / 200 % 200);
    let kept = Subset::full(400).without(from..from + width);
    program.keep(if number < 40_000 { kept } else { kept.without(399 - width..400 - width) })
}

/// The most that was ever allocated, by the allocator, grows by no more than 32 bytes an entry.
fn the_default_by_the_allocator(program: &Program) {
    const ENTRIES: usize = 30_000;
    let candidates = || (200..).map(|number| candidate(program, number));
    // What is set up once and for all.
    drop(candidates().next());
    let mut cache = HashCache::default();
    let before = ALLOCATOR.allocated();
    let mut numbers = candidates();
    while cache.usage().entries < ENTRIES {
        cache.put(&numbers.next().unwrap(), Verdict::BORING);
    }
    let usage = cache.usage();
    assert_eq!(usage.entries, ENTRIES);
    let most = ALLOCATOR.max_allocated() - before;
    // A candidate lives meanwhile: some hundreds of bytes.
    assert!(most <= 32 * ENTRIES + 1000, "{} bytes an entry", most as f64 / ENTRIES as f64);
    assert!(most <= usage.peak_bytes + 1000, "{most} {usage:?}");
}

fn every_byte(program: &Program, name: &str, supplement: bool) {
    let candidates: Vec<Candidate> = (0..1200).map(|i| candidate(program, i * 37 % 40_000)).collect();
    let bests: Vec<Candidate> = (1..12).map(|i| program.keep(Subset::full(400).without(0..i * 20))).collect();
    let parts: Vec<Candidate> =
        (0..1200).map(|i| program.keep(Subset::full(400).without(0..i / 60 * 15 + i % 60))).collect();
    // The cache shares the best with whoever accepted it; here it is to be ours.
    let input = program.whole();
    for candidate in candidates.iter().chain(&bests).chain(&parts).chain([&input]) {
        assert!(candidate.files().size() > 0, "rendered before anything is counted");
    }
    let before = ALLOCATOR.allocated();
    let mut cache = by_name(name, &CacheOptions { supplement, ..CacheOptions::default() }).unwrap();
    cache.recast(&input);
    // Whatever a scheme sets up once, such as a compressor, is there after the first look-up.
    cache.get(&candidates[0]);
    let own = ALLOCATOR.allocated() - before - cache.usage().bytes;
    let check = |cache: &dyn VerdictCache, when: &str| {
        let (allocated, said) = (ALLOCATOR.allocated() - before - own, cache.usage().bytes);
        assert_eq!(allocated, said, "{name}, {when}");
        assert!(said <= cache.usage().peak_bytes);
    };
    for candidate in &candidates {
        cache.get(candidate);
        check(&*cache, "looked up");
        cache.put(candidate, Verdict::BORING);
        check(&*cache, "stored");
    }
    for (best, parts) in bests.iter().zip(parts.chunks(100)) {
        cache.accepted(best);
        check(&*cache, "accepted");
        for part in parts {
            cache.put(part, Verdict::BORING);
        }
        check(&*cache, "stored again");
    }
    assert!(name == "none" || cache.usage().entries > 0, "{name}");
    drop(cache);
    assert_eq!(ALLOCATOR.allocated(), before, "{name}, dropped");
}
