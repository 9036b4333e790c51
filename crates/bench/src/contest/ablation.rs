//! `dwindle-bench ablation`: our default with each of its passes left out in turn.

use std::fmt::Write;

use anyhow::Result;
use clap::Args;

use super::arena::{Arena, ArenaArgs};
use super::contestant::Contestant;
use super::trial::Trial;
use crate::output::{cut_mark, in_order};
use crate::stats::{geometric_mean, ratio, thousands};

#[derive(Debug, Args)]
pub(crate) struct AblationArgs {
    /// Whose passes: a contestant of ours
    #[arg(long, value_name = "NAME", default_value = "dwindle")]
    of: String,

    #[command(flatten)]
    arena: ArenaArgs,
}

/// A case: the whole pipeline, and without each of the passes that ran.
struct Studied {
    case: String,
    whole: Trial,
    without: Vec<(String, Trial)>,
}

pub(crate) fn ablation(args: &AblationArgs) -> Result<bool> {
    let arena = Arena::new(&args.arena)?;
    let whole = Contestant::parse(&args.of)?;
    let mut studied = Vec::new();
    for case in &arena.cases {
        if !arena.works(case)? {
            continue;
        }
        let trial = arena.trial(&whole, case, None, 1)?;
        let told = trial.told.iter().flat_map(|told| told.contributions());
        let names: Vec<String> = told.map(|(name, ..)| name.to_owned()).collect();
        let mut without = Vec::new();
        for name in names {
            let less = Contestant::parse(&format!("{} without {name}", whole.name()))?;
            without.push((name, arena.trial(&less, case, None, 1)?));
        }
        studied.push(Studied { case: case.name.clone(), whole: trial, without });
        std::fs::write(arena.archive.folder().join("ablation.md"), tables(&studied))?;
    }
    anyhow::ensure!(!studied.is_empty(), "no case could be run");
    anstream::println!("{}", tables(&studied));
    Ok(true)
}

fn cell(trial: &Trial) -> String {
    if !trial.counts() {
        // A part of another pass, which cannot be left out on its own.
        return "–".to_owned();
    }
    format!("{}{} / {}", thousands(trial.tokens), cut_mark(trial), thousands(trial.queries))
}

fn tables(studied: &[Studied]) -> String {
    let names = in_order(studied.iter().flat_map(|one| one.without.iter().map(|(name, _)| name.as_str())));
    let mut out = "Over the cases in which the pass ran: how often the result is larger or smaller without it, and what is left and asked \
                   without it by what is with it (geometric means; above 1: the pass pays).\n\n\
                   | without | cases | larger | smaller | tokens | queries |\n|---|--:|--:|--:|--:|--:|\n"
        .to_owned();
    let size = |trial: &Trial| (trial.tokens, trial.bytes);
    let by = |a: u64, b: u64| a.max(1) as f64 / b.max(1) as f64;
    for name in &names {
        let pairs: Vec<(&Trial, &Trial)> = studied
            .iter()
            .flat_map(|one| one.without.iter().map(move |(name, trial)| (name, &one.whole, trial)))
            .filter(|(other, _, trial)| other == name && trial.counts())
            .map(|(_, whole, trial)| (whole, trial))
            .collect();
        let mean = |ratio_of: &dyn Fn(&Trial, &Trial) -> f64| {
            let ratios: Vec<f64> = pairs.iter().map(|(whole, trial)| ratio_of(trial, whole)).collect();
            geometric_mean(&ratios).map_or_else(String::new, ratio)
        };
        writeln!(
            out,
            "| `{name}` | {} | {} | {} | {} | {} |",
            pairs.len(),
            pairs.iter().filter(|(whole, trial)| size(trial) > size(whole)).count(),
            pairs.iter().filter(|(whole, trial)| size(trial) < size(whole)).count(),
            mean(&|trial, whole| by(trial.tokens, whole.tokens)),
            mean(&|trial, whole| by(trial.queries, whole.queries)),
        )
        .expect("strings take all");
    }
    writeln!(
        out,
        "\nTokens left / queries; `*`: cut; empty: the pass did not run.\n\n| case | all | {} |\n|---|--:|{}",
        names.join(" | "),
        "--:|".repeat(names.len())
    )
    .expect("strings take all");
    for one in studied {
        let cells = names.iter().map(|name| {
            let found = one.without.iter().find(|(other, _)| other == name);
            found.map_or_else(String::new, |(_, trial)| cell(trial))
        });
        writeln!(out, "| {} | {} | {} |", one.case, cell(&one.whole), cells.collect::<Vec<_>>().join(" | "))
            .expect("strings take all");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::Ending;

    #[test]
    fn a_pass_pays_if_more_is_left_or_asked_without_it() {
        let trial = |tokens, queries| Trial { tokens, queries, bytes: tokens, ..Trial::none(Ending::Done) };
        let one = |case: &str, without: Vec<(String, Trial)>| Studied {
            case: case.into(),
            whole: trial(10, 100),
            without,
        };
        let told = tables(&[
            one(
                "a",
                vec![
                    ("links".into(), trial(40, 100)),
                    ("part".into(), Trial::none(Ending::Failed("x".into()))),
                ],
            ),
            one("b", vec![("links".into(), trial(10, 400)), ("blanks".into(), trial(5, 100))]),
        ]);
        assert!(told.contains("| `links` | 2 | 1 | 0 | 2.00 × | 2.00 × |"), "{told}");
        assert!(told.contains("| `blanks` | 1 | 0 | 1 | 0.50 × | 1.00 × |"), "{told}");
        assert!(told.contains("| a | 10 / 100 | 40 / 100 | – |  |"), "{told}");
    }
}
