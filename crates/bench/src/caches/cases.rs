//! Every cache scheme on real cases: the same accepted variants, queries and results, whatever remembers them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context, Result};
use dwindle::{Error, Reduction};
use dwindle_core::cache::{CacheOptions, SCHEMES, by_name};
use dwindle_core::{Candidate, Event, Fingerprint};

use crate::cases::{self, Case};
use crate::contest::is_interesting;
use crate::shield::Shield;
use crate::stats::thousands;

/// So many cases, the cheapest first.
const CASES: usize = 5;
/// Compressing a larger one some hundred times would take longer than all the rest.
const LARGEST: u64 = 200_000;

/// What a reduction did.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    queries: u64,
    hits: u64,
    accepted: Vec<Fingerprint>,
    result: Vec<u8>,
}

/// Reduces the cheapest cases with every scheme, prints a table, and says whether all agree.
pub(super) fn verify(folder: &Path, queries: u64, shield: &Shield) -> Result<bool> {
    let mut cases = cases::all(folder)?;
    cases.retain(|case| {
        let size = std::fs::metadata(&case.input).map_or(u64::MAX, |input| input.len());
        case.deterministic && size <= LARGEST
    });
    cases.sort_by_key(|case| case.cost);
    let (mut done, mut agree) = (0, true);
    anstream::println!("| case | queries | hits | accepted | bytes left | |\n|---|--:|--:|--:|--:|---|");
    for case in &cases {
        let input = std::fs::read(&case.input)?;
        if done == CASES || !is_interesting(case, &input, shield)? {
            continue;
        }
        done += 1;
        // Every scheme asks the same, so each candidate is tested once for all of them.
        let known = Mutex::new(HashMap::new());
        let reduce = |scheme: &str| reduce(case, &input, scheme, queries, shield, &known);
        let plain = reduce("str")?;
        let mut different = Vec::new();
        for scheme in SCHEMES {
            let outcome = reduce(scheme.name)?;
            // What is asked again counts against the limit, so this one gets less far.
            let same = match scheme.name {
                "none" => plain.accepted.starts_with(&outcome.accepted),
                _ => outcome == plain,
            };
            if !same {
                different.push(format!("`{}` ({} queries)", scheme.name, outcome.queries));
            }
        }
        agree &= different.is_empty();
        let word = match different.as_slice() {
            [] => format!("all {} schemes agree", SCHEMES.len()),
            some => format!("DIFFERENT: {}", some.join(", ")),
        };
        anstream::println!(
            "| {} | {} | {} | {} | {} | {word} |",
            case.name,
            thousands(plain.queries),
            thousands(plain.hits),
            plain.accepted.len(),
            thousands(plain.result.len() as u64)
        );
    }
    anyhow::ensure!(done > 0, "no test of these cases finds its input interesting here");
    Ok(agree)
}

fn reduce(
    case: &Case,
    input: &[u8],
    scheme: &str,
    queries: u64,
    shield: &Shield,
    known: &Mutex<HashMap<Fingerprint, bool>>,
) -> Result<Outcome> {
    let options = CacheOptions { supplement: true, ..CacheOptions::default() };
    let cache = by_name(scheme, &options).context("a scheme of the list")?;
    let runner = |candidate: &Candidate| {
        let mut known = known.lock().expect("nobody panics with it");
        *known.entry(candidate.fingerprint()).or_insert_with(|| {
            let bytes = candidate.files().first().map_or(&[][..], |file| &file.bytes);
            is_interesting(case, bytes, shield).unwrap_or(false)
        })
    };
    let mut accepted = Vec::new();
    let reduced = Reduction::new(input)
        .named(case.input_name())
        .runner(runner)
        .known_interesting()
        .cache(cache)
        .max_queries(queries)
        .observer(|event| {
            if let Event::Accepted { best } = event {
                accepted.push(best.fingerprint());
            }
        })
        .run()
        .map_err(|error: Error| anyhow::anyhow!("{}: {error}", case.name))?;
    let counts = reduced.summary.counts;
    let result = reduced.bytes().to_vec();
    drop(reduced);
    Ok(Outcome { queries: counts.queries, hits: counts.hits, accepted, result })
}
