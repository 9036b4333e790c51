//! `dwindle-bench caches`: every cache scheme on reductions that only delete, with the bounds the default has to keep.
//!
//! Programs are nested blocks of statements; some statements are needed, and a statement needs the declarations it
//! uses. Two deletion-only walks reduce them, in process: one by levels of the tree, again and again until nothing
//! changes (like HDD*), one by nodes, the largest first, with children in place of their parents (like Perses).

mod cases;
mod measure;
mod program;
mod source;
mod walks;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use dwindle_core::cache::{SCHEMES, VerdictCache};
use dwindle_core::{Candidate, Options, Session};

use crate::engine::{Claim, HEADER};
use crate::shield::Shield;
use crate::stats::thousands;
use measure::{Run, measure};
use program::kept;
use source::Source;
use walks::{WALKS, Walk};

pub(crate) use program::Program;

#[derive(Debug, Args)]
pub(crate) struct CachesArgs {
    /// Tokens of the programs
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [50_000, 100_000, 200_000])]
    tokens: Vec<usize>,

    /// Instead: reduce five of these cases with every scheme, and see that all accept, ask and leave the same
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,

    /// With `--cases`: how many queries each reduction may make
    #[arg(long, value_name = "N", default_value = "300")]
    max_queries: u64,

    /// Let tests of cases write wherever you can, instead of running them in bubblewrap
    #[arg(long)]
    unshielded: bool,

    /// Only these schemes, beside `hash`, `none`, `str`, `sha` and `rcc` [default: all]
    #[arg(value_name = "SCHEME")]
    schemes: Vec<String>,
}

/// What the bounds are about: these are always measured.
const BOUND: [&str; 5] = ["hash", "none", "str", "sha", "rcc"];
/// The test that the share of the default is counted against.
const TEST: Duration = Duration::from_millis(10);

/// Prints a table for each walk and program, then the bounds; whether all hold.
pub(crate) fn run(args: &CachesArgs) -> Result<bool> {
    if let Some(folder) = &args.cases {
        return cases::verify(folder, args.max_queries, &Shield::choose(args.unshielded)?);
    }
    let mut claims = Vec::new();
    for &tokens in &args.tokens {
        let source = Source::new(tokens);
        for (name, walk) in WALKS {
            claims.extend(table(&source, name, walk, &args.schemes)?);
        }
    }
    anstream::println!("{HEADER}");
    for claim in &claims {
        anstream::println!("{claim}");
    }
    Ok(claims.iter().all(Claim::holds))
}

/// Reduces a program of so many tokens level by level, so many times.
pub(crate) fn reduce(tokens: usize, times: usize, cache: impl Fn() -> Box<dyn VerdictCache>) {
    let source = Source::new(tokens);
    for _ in 0..times {
        let options = Options { cache: cache(), ..Options::default() };
        let runner = |candidate: &Candidate| source.is_interesting(kept(candidate));
        let walk = |session: &mut Session<'_>| walks::by_levels(session, &source);
        let (result, ..) = Session::run(&runner, source.program.whole(), options, walk);
        result.expect("there is no limit");
    }
}

/// Queries and peak bytes of some schemes on a program of so many tokens, for each walk.
pub(crate) fn peaks(tokens: usize, schemes: &[&str]) -> Result<[Vec<(u64, u64)>; 2]> {
    let source = Source::new(tokens);
    let one = |(_, walk): (&str, Walk)| -> Result<Vec<(u64, u64)>> {
        let peak = |scheme: &&str| {
            measure(&source, walk, scheme).map(|run| (run.queries, run.usage.peak_bytes as u64))
        };
        schemes.iter().map(peak).collect()
    };
    let [levels, nodes] = WALKS.map(one);
    Ok([levels?, nodes?])
}

fn table(source: &Source, name: &str, walk: Walk, chosen: &[String]) -> Result<Vec<Claim>> {
    let title = format!("{name}, {} tokens", thousands(source.program.len() as u64));
    let none = measure(source, walk, "none")?;
    let plain = measure(source, walk, "str")?;
    anstream::println!(
        "### {title}\n\n{} queries, {} without a cache: {:.1} % saved. {} tokens are left.\n",
        thousands(plain.queries),
        thousands(none.queries),
        100.0 * (none.queries - plain.queries) as f64 / none.queries as f64,
        thousands(plain.left as u64),
    );
    anstream::println!(
        "| scheme | entries | peak KiB | bytes an entry | time | % of a run with 10 ms tests |"
    );
    anstream::println!("|---|--:|--:|--:|--:|--:|");
    let mut runs: Vec<(&str, Run)> = Vec::new();
    for scheme in SCHEMES.iter().map(|scheme| scheme.name) {
        let wanted = chosen.is_empty() || BOUND.contains(&scheme) || chosen.iter().any(|name| name == scheme);
        if !wanted {
            continue;
        }
        let run = match scheme {
            "none" => none.clone(),
            "str" => plain.clone(),
            scheme => measure(source, walk, scheme)?,
        };
        if scheme != "none" {
            anstream::println!("{}", row(scheme, &run, &plain));
        }
        runs.push((scheme, run));
    }
    anstream::println!();
    Ok(claims(&title, &runs))
}

fn row(scheme: &str, run: &Run, plain: &Run) -> String {
    let number = |value: f64| match value {
        value if value >= 1000.0 => thousands(value.round() as u64),
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 1.0 => format!("{value:.1}"),
        value => format!("{value:.3}"),
    };
    format!(
        "| `{scheme}` | {} | {} | {} | {} | {} |",
        thousands(run.usage.peak_entries as u64),
        number(run.usage.peak_bytes as f64 / 1024.0),
        number(run.bytes_an_entry()),
        number(run.per_answer() / plain.per_answer()),
        number(100.0 * run.share(TEST)),
    )
}

/// What has to hold of the schemes.
fn claims(title: &str, runs: &[(&str, Run)]) -> Vec<Claim> {
    let find = |name: &str| {
        let found = runs.iter().find(|(scheme, _)| *scheme == name);
        &found.expect("those with bounds are always measured").1
    };
    let (hash, plain, sha, rcc) = (find("hash"), find("str"), find("sha"), find("rcc"));
    let left = |run: &Run| run.left == plain.left;
    let asked = |run: &Run| run.queries == plain.queries && run.hits == plain.hits;
    let mut claims = vec![
        Claim::fact(
            format!("{title}: every scheme ends with the same, and all but `none` ask the same"),
            runs.iter().all(|(name, run)| left(run) && (*name == "none" || asked(run))),
        ),
        Claim::new(
            format!("{title}: look-ups answered by `hash` ÷ by `str`"),
            hash.hits as f64 / plain.hits as f64,
            " ×",
        )
        .at_least(1.0),
        Claim::new(format!("{title}: bytes an entry of `hash` at its peak"), hash.bytes_an_entry(), "")
            .at_most(32.0),
        Claim::new(
            format!("{title}: share of `hash` in a run with 10 ms tests"),
            100.0 * hash.share(TEST),
            " %",
        )
        .at_most(1.0),
    ];
    let below = 100.0 * (1.0 - rcc.usage.peak_bytes as f64 / sha.usage.peak_bytes as f64);
    let claim = Claim::new(format!("{title}: peak of `rcc` below that of `sha`"), below, " %");
    // On node-by-node runs there are so few entries that the base is all of it.
    claims.push(if title.starts_with("HDD") { claim.at_least(80.0) } else { claim });
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_asks_the_same_and_ends_with_the_same_on_both_walks() {
        let source = Source::new(1_500);
        for (name, walk) in WALKS {
            let plain = measure(&source, walk, "str").unwrap();
            assert!(plain.hits > 0 && plain.left < source.program.len() / 2, "{name}: {plain:?}");
            for scheme in SCHEMES {
                let run = measure(&source, walk, scheme.name).unwrap();
                assert_eq!(run.left, plain.left, "{name} {}", scheme.name);
                let asked = (run.queries, run.hits) == (plain.queries, plain.hits);
                assert_eq!(asked, scheme.name != "none", "{name} {}", scheme.name);
            }
        }
    }

    #[test]
    fn a_scheme_that_does_not_exist_is_named() {
        let error = measure(&Source::new(100), WALKS[0].1, "lru").unwrap_err().to_string();
        assert!(error.contains("`lru`"), "{error}");
    }
}
