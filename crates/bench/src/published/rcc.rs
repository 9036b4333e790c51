//! Caching in program reduction: the worked example, and memory and queries on synthetic programs of the same size.

use std::ops::Range;

use anyhow::{Context, Result};
use dwindle_core::cache::{CacheOptions, Forget, IntervalCache, VerdictCache, by_name};
use dwindle_core::{Candidate, Options, Session, Subset, Verdict};

use super::Figure;
use crate::caches::{Program, peaks};

/// The words of Figure 3.1.
const P0: &str = "int main ( ) { int a = 0 ; int b = 9 ; return a + 0 ; }";

/// A variant: its name, the words it keeps, whether it is interesting, and the keys in the cache afterwards as printed.
type Step = (&'static str, &'static [Range<u32>], bool, &'static str);

const TRACE: [Step; 9] = [
    ("p1", &[0..5, 20..21], false, "1,6,21,22"),
    ("p2", &[0..5, 10..21], false, "1,6,21,22 1,7,12,22"),
    ("p3", &[0..10, 20..21], false, "1,6,21,22 1,7,12,22 1,11,21,22"),
    ("p4", &[0..10, 15..21], true, "1,6,16,17 1,11,16,17"),
    ("p5", &[0..10, 20..21], false, "1,6,16,17 1,11,16,17"),
    ("p6", &[0..5, 15..21], false, "1,6,16,17 1,11,16,17 1,6,11,17"),
    ("p7", &[0..10, 15..16, 18..21], true, "1,6,14,15 1,11,14,15"),
    ("p8", &[0..10, 20..21], false, "1,6,14,15 1,11,14,15"),
    ("p9", &[0..5, 15..16, 18..21], true, "1,6,9,10"),
];

fn candidate(program: &Program, runs: &[Range<u32>]) -> Candidate {
    let mut kept = Subset::empty();
    for run in runs {
        kept.push_run(run.clone());
    }
    program.keep(kept)
}

pub(super) fn figures(synthetic: bool) -> Result<Vec<Figure>> {
    let program = Program::new(P0.split(' ').map(str::to_owned).collect());
    let mut figures = Vec::new();
    let mut cache = IntervalCache::new(Forget::Unreachable { percent: 0 });
    cache.recast(&program.whole());
    for (name, runs, interesting, keys) in TRACE {
        let candidate = candidate(&program, runs);
        if cache.get(&candidate).is_none() {
            cache.put(&candidate, Verdict::from(interesting));
        }
        if interesting {
            cache.accepted(&candidate);
        }
        let key = |runs: Vec<u32>| {
            let numbers: Vec<_> = runs.iter().map(|number| (number + 1).to_string()).collect();
            numbers.join(",")
        };
        let ours: Vec<_> = cache.runs().map(|(runs, _)| key(runs)).collect();
        figures.push(Figure::printed(format!("Figure 3.1: keys after {name}"), keys, ours.join(" ")));
    }
    for (scheme, published) in [("none", "9, 0"), ("str", "7, 2"), ("rcc", "7, 2"), ("hash", "7, 2")] {
        let good: Vec<_> = TRACE.iter().filter(|step| step.2).collect();
        let runner = |asked: &Candidate| {
            good.iter().any(|step| candidate(&program, step.1).fingerprint() == asked.fingerprint())
        };
        let cache = by_name(scheme, &CacheOptions::default()).context("a scheme of ours")?;
        let options = Options { cache, ..Options::default() };
        let (result, _, summary) = Session::run(&runner, program.whole(), options, |session| {
            TRACE.iter().try_for_each(|step| session.test(candidate(&program, step.1)).map(|_| ()))
        });
        result?;
        let what = format!("Figure 3.1: queries, hits with `{scheme}`");
        let ours = format!("{}, {}", summary.counts.queries, summary.counts.hits);
        // What `hash` does is ours to say.
        let make = if scheme == "hash" { Figure::derived } else { Figure::printed };
        figures.push(make(what, published, ours));
    }
    if synthetic {
        figures.extend(tables()?);
    }
    Ok(figures)
}

/// Tables 5.1 to 5.4 as ratios, on one program of the mean size of the thesis' twenty.
fn tables() -> Result<Vec<Figure>> {
    let schemes = ["none", "str", "sha", "rcc", "rstr", "cc"];
    let [levels, nodes] = peaks(100_371, &schemes)?;
    let mut figures = Vec::new();
    for (name, measured, queries, sha, rcc) in
        [("HDD", &levels, "62.3 %", "99.74 %", "99.97 %"), ("Perses", &nodes, "23.6 %", "97.74 %", "97.96 %")]
    {
        let [none, plain, by_sha, by_rcc, ..] = &measured[..] else {
            unreachable!("six schemes were asked for")
        };
        let less = |part: u64, whole: u64| format!("{:.2} %", 100.0 * (1.0 - part as f64 / whole as f64));
        let saved = format!("{:.1} %", 100.0 * (1.0 - plain.0 as f64 / none.0 as f64));
        figures.push(Figure::synthetic(
            format!("Tables 5.2, 5.3: queries saved by a cache, {name}"),
            queries,
            saved,
        ));
        figures.push(Figure::synthetic(
            format!("Table 5.1: peak of SHA, of RCC below STR, {name}"),
            format!("{sha}, {rcc}"),
            format!("{}, {}", less(by_sha.1, plain.1), less(by_rcc.1, plain.1)),
        ));
    }
    let [_, plain, _, _, rstr, cc] = &nodes[..] else { unreachable!("six schemes were asked for") };
    let less = |part: u64| format!("{:.1} %", 100.0 * (1.0 - part as f64 / plain.1 as f64));
    figures.push(Figure::synthetic(
        "Table 5.4: peak of RSTR, of CC below STR, Perses",
        "87.8 %, 97.3 %",
        format!("{}, {}", less(rstr.1), less(cc.1)),
    ));
    Ok(figures)
}
