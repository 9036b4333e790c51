//! `dwindle-bench relay`: ours begins with what the others have left, and the others with what ours has left.

use std::fmt::Write;

use anyhow::{Context, Result};
use clap::Args;

use super::arena::{Arena, ArenaArgs};
use super::contestant::Contestant;
use super::trial::Trial;
use crate::output::{csv_field, cut_mark};
use crate::stats::{geometric_mean, ratio, thousands};

#[derive(Debug, Args)]
pub(crate) struct RelayArgs {
    /// Who takes over from whom: a contestant of ours
    #[arg(long, value_name = "NAME", default_value = "dwindle")]
    ours: String,

    /// The others [default: all peers that have left a result in the folder, or are there to do so]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    others: Vec<String>,

    #[command(flatten)]
    arena: ArenaArgs,
}

/// How much less than ours another one may leave before ours counts as beaten.
const TOLERANCE: f64 = 0.02;

/// A pair on a case, and who took over from whom.
struct Leg {
    case: String,
    other: String,
    /// What each leaves of the input.
    theirs: Trial,
    ours: Trial,
    /// What each leaves of what the other has left.
    ours_after: Trial,
    theirs_after: Trial,
}

impl Leg {
    /// How much of a result is left by whoever took over.
    fn share(before: &Trial, after: &Trial) -> Option<f64> {
        (before.counts() && after.counts())
            .then(|| after.tokens.min(before.tokens).max(1) as f64 / before.tokens.max(1) as f64)
    }

    /// Whether fewer bytes or tokens are left.
    fn shrinks(before: &Trial, after: &Trial) -> bool {
        after.counts() && (after.tokens, after.bytes) < (before.tokens, before.bytes)
    }
}

pub(crate) fn relay(args: &RelayArgs) -> Result<bool> {
    let arena = Arena::new(&args.arena)?;
    let ours = Contestant::parse(&args.ours)?;
    let others = match args.others.as_slice() {
        [] => Contestant::all().into_iter().filter(|one| !one.is_ours()).collect(),
        some => some.iter().map(|name| Contestant::parse(name)).collect::<Result<Vec<_>>>()?,
    };
    let mut legs = Vec::new();
    for case in &arena.cases {
        let there: Vec<_> = others.iter().filter(|other| other.takes_part(case)).collect();
        if there.is_empty() || !arena.works(case)? {
            continue;
        }
        let own = arena.trial(&ours, case, None, 1)?;
        for other in there {
            let theirs = arena.trial(other, case, None, 1)?;
            if !theirs.counts() || !own.counts() {
                continue;
            }
            legs.push(Leg {
                case: case.name.clone(),
                other: other.name(),
                theirs,
                ours: own.clone(),
                ours_after: arena.trial(&ours, case, Some(&other.name()), 1)?,
                theirs_after: arena.trial(other, case, Some(&ours.name()), 1)?,
            });
            legs.sort_by(|a, b| (&a.case, &a.other).cmp(&(&b.case, &b.other)));
            write(&arena, &ours.name(), &legs)?;
        }
    }
    anyhow::ensure!(!legs.is_empty(), "there is no case of which both have left something");
    anstream::println!("{}", std::fs::read_to_string(arena.archive.folder().join("relay.md"))?);
    Ok(true)
}

fn write(arena: &Arena, ours: &str, legs: &[Leg]) -> Result<()> {
    let file = |name: &str, text: String| {
        let path = arena.archive.folder().join(name);
        std::fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))
    };
    file("relay.md", table(ours, legs))?;
    file("relay.csv", csv(legs))
}

/// Tokens and whether the run was cut.
fn cell(trial: &Trial) -> String {
    match trial.counts() {
        true => format!("{}{}", thousands(trial.tokens), cut_mark(trial)),
        false => trial.ending.word().to_owned(),
    }
}

fn percent(before: &Trial, after: &Trial) -> String {
    match Leg::share(before, after) {
        Some(1.0) if Leg::shrinks(before, after) => {
            format!("{} bytes", before.bytes - after.bytes.min(before.bytes))
        }
        Some(share) => format!("{:.0} %", 100.0 * (1.0 - share)),
        None => String::new(),
    }
}

fn table(ours: &str, legs: &[Leg]) -> String {
    let mut out = format!(
        "Tokens left; `*`: cut. *Smaller*: by how much whoever took over made it smaller.\n\n\
         | case | other | it leaves | {ours} from there | smaller | {ours} leaves | other from there | smaller |\n\
         |---|---|--:|--:|--:|--:|--:|--:|\n"
    );
    for leg in legs {
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            leg.case,
            leg.other,
            cell(&leg.theirs),
            cell(&leg.ours_after),
            percent(&leg.theirs, &leg.ours_after),
            cell(&leg.ours),
            cell(&leg.theirs_after),
            percent(&leg.ours, &leg.theirs_after),
        )
        .expect("strings take all");
    }
    let mut others: Vec<&str> = legs.iter().map(|leg| leg.other.as_str()).collect();
    others.sort_unstable();
    others.dedup();
    writeln!(
        out,
        "\n| other | cases | {ours} makes its result smaller on | what is left (geometric mean) | it makes {ours}'s more than 2 % \
         smaller on | what is left |\n|---|--:|--:|--:|--:|--:|"
    )
    .expect("strings take all");
    for other in others {
        let legs: Vec<_> = legs.iter().filter(|leg| leg.other == other).collect();
        let mean = |shares: Vec<f64>| geometric_mean(&shares).map_or_else(String::new, ratio);
        writeln!(
            out,
            "| {other} | {} | {} | {} | {} | {} |",
            legs.len(),
            legs.iter().filter(|leg| Leg::shrinks(&leg.theirs, &leg.ours_after)).count(),
            mean(legs.iter().filter_map(|leg| Leg::share(&leg.theirs, &leg.ours_after)).collect()),
            legs.iter().filter(|leg| is_beaten(leg)).count(),
            mean(legs.iter().filter_map(|leg| Leg::share(&leg.ours, &leg.theirs_after)).collect()),
        )
        .expect("strings take all");
    }
    out
}

/// Whether the other makes ours smaller by more than is tolerated.
fn is_beaten(leg: &Leg) -> bool {
    Leg::share(&leg.ours, &leg.theirs_after).is_some_and(|share| share < 1.0 - TOLERANCE)
}

fn csv(legs: &[Leg]) -> String {
    let mut out = "case,first,second,ending,tokens_before,bytes_before,tokens,bytes,queries\n".to_owned();
    for leg in legs {
        let other = leg.other.as_str();
        for (first, second, before, after) in [
            (other, "dwindle", &leg.theirs, &leg.ours_after),
            ("dwindle", other, &leg.ours, &leg.theirs_after),
        ] {
            writeln!(
                out,
                "{},{first},{second},{},{},{},{},{},{}",
                csv_field(&leg.case),
                after.ending.word(),
                before.tokens,
                before.bytes,
                after.tokens,
                after.bytes,
                after.queries
            )
            .expect("strings take all");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::Ending;

    fn trial(tokens: u64) -> Trial {
        Trial { tokens, bytes: 3 * tokens, ..Trial::none(Ending::Done) }
    }

    #[test]
    fn who_takes_over_counts_by_what_is_left_of_the_others_result() {
        let leg = Leg {
            case: "one".into(),
            other: "picire".into(),
            theirs: trial(50),
            ours: trial(100),
            ours_after: trial(20),
            theirs_after: trial(99),
        };
        assert!(!is_beaten(&leg), "1 % is tolerated");
        let told = table("dwindle", &[leg]);
        assert!(told.contains("| one | picire | 50 | 20 | 60 % | 100 | 99 | 1 % |"), "{told}");
        assert!(told.contains("| picire | 1 | 1 | 0.40 × | 0 | 0.99 × |"), "{told}");
    }
}
