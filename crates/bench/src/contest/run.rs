//! `dwindle-bench run`: all contestants on all cases, and the page that shows it.

use anyhow::Result;
use clap::Args;

use super::arena::{Arena, ArenaArgs};
use super::contestant::Contestant;
use super::trial::{Ending, Trial};
use super::verify::verify;
use crate::output;
use crate::stats::median;

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Eight cheap cases and the better known contestants, in about eight minutes, unless other options say otherwise
    #[arg(long)]
    quick: bool,

    /// Instead: run our contestants at -j 1, again, and at -j 2, and see whether queries and results are the same
    #[arg(long)]
    verify_jobs: bool,

    /// Who takes part: `dwindle`, `dwindle:PRESET[+MINIMISER][:GRANULARITY]`, peers; `all`, `ours`, `peers` [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    contestants: Vec<String>,

    /// Whom all others are compared with
    #[arg(long, value_name = "NAME", default_value = "dwindle")]
    against: String,

    /// How often; the middle values count
    #[arg(long, value_name = "N", default_value = "1")]
    repeat: usize,

    #[command(flatten)]
    arena: ArenaArgs,
}

/// Our presets in a quick run, by preference: as many as there are, up to [`QUICK_OURS`]. The default always takes part.
const PREFERRED: [&str; 9] = [
    "dwindle:perses",
    "dwindle:vulcan",
    "dwindle:t-pdd",
    "dwindle:hddr-star",
    "dwindle:ddmin",
    "dwindle:probdd:token",
    "dwindle:one-sweep:token",
    "dwindle:greeddy",
    "dwindle:ddmin-star",
];
const QUICK_OURS: usize = 6;
const QUICK_CASES: usize = 8;
/// What all runs of a quick run may take together, in seconds: fifteen minutes less the time to build.
const QUICK_TOTAL: f64 = 480.0;
const QUICK_QUERIES: u64 = 200;

/// The middle of one contestant's runs on one case.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) case: String,
    pub(crate) language: String,
    pub(crate) input_bytes: u64,
    pub(crate) input_tokens: u64,
    pub(crate) contestant: String,
    pub(crate) ours: bool,
    pub(crate) trials: Vec<Trial>,
}

impl Row {
    /// The run whose result is the middle one, if all have one.
    pub(crate) fn middle(&self) -> Option<&Trial> {
        if !self.trials.iter().all(Trial::counts) {
            return None;
        }
        let tokens: Vec<_> = self.trials.iter().map(|trial| trial.tokens).collect();
        let middle = median(&tokens)?;
        self.trials.iter().find(|trial| trial.tokens == middle)
    }

    /// The middle number of queries.
    pub(crate) fn queries(&self) -> Option<u64> {
        self.middle()?;
        median(&self.trials.iter().map(|trial| trial.queries).collect::<Vec<_>>())
    }

    /// How the worst run ended.
    pub(crate) fn ending(&self) -> &Ending {
        let worst = |ending: &Ending| match ending {
            Ending::Done => 0,
            Ending::Cut => 1,
            Ending::Unfit => 2,
            Ending::Missing => 3,
            Ending::Failed(_) => 4,
        };
        let endings = self.trials.iter().map(|trial| &trial.ending);
        endings.max_by_key(|ending| worst(ending)).unwrap_or(&Ending::Missing)
    }
}

pub(crate) fn run(args: &RunArgs) -> Result<bool> {
    let mut arena = Arena::new(&args.arena)?;
    if args.quick && args.arena.only.is_empty() {
        arena.cases.truncate(QUICK_CASES);
    }
    let contestants = if args.contestants.is_empty() && args.quick {
        quick_contestants()?
    } else if args.contestants.is_empty() {
        Contestant::all()
    } else {
        contestants(&args.contestants)?
    };
    if args.quick {
        let shares =
            arena.cases.iter().map(|case| contestants.iter().filter(|one| one.takes_part(case)).count());
        let each = QUICK_TOTAL / shares.sum::<usize>().max(1) as f64 / args.repeat.max(1) as f64;
        arena.terms.seconds = args.arena.time_limit.unwrap_or(each);
        arena.terms.queries.get_or_insert(QUICK_QUERIES);
    }
    if args.verify_jobs {
        return verify(&contestants, &arena);
    }

    for (number, case) in arena.cases.iter().enumerate() {
        if !arena.works(case)? {
            continue;
        }
        for round in 0..args.repeat.max(1) {
            for turn in 0..contestants.len() {
                // Another one begins each time: who comes first finds the machine and its caches in another state.
                let at = (turn + round + number) % contestants.len();
                arena.trial(&contestants[at], case, None, round + 1)?;
                output::write(arena.archive.folder(), &rows(&arena), &arena.terms, &args.against)?;
            }
        }
    }
    anyhow::ensure!(!rows(&arena).is_empty(), "no case could be run");
    anstream::println!("{}", std::fs::read_to_string(arena.archive.folder().join("results.md"))?);
    Ok(true)
}

/// All runs so far on these terms that began with an input, also those that were made before or by others: by case, and
/// ours first.
fn rows(arena: &Arena) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for mut entry in arena.archive.entries() {
        let Some(case) = arena.cases.iter().find(|case| case.name == entry.key.case) else { continue };
        if entry.key.from.is_some() || !entry.serves(&arena.terms) {
            continue;
        }
        entry.trial.result = std::fs::read(arena.archive.result(case, &entry.key)).unwrap_or_default();
        let row = rows.iter_mut().find(|row| row.case == case.name && row.contestant == entry.key.contestant);
        match row {
            Some(row) => row.trials.push(entry.trial),
            None => rows.push(Row {
                case: case.name.clone(),
                language: case.language.clone(),
                input_bytes: case.bytes,
                input_tokens: case.tokens,
                ours: entry.key.contestant.starts_with("dwindle"),
                contestant: entry.key.contestant,
                trials: vec![entry.trial],
            }),
        }
    }
    let all = Contestant::all();
    let place = |name: &str| all.iter().position(|one| one.name() == name);
    rows.sort_by_key(|row| (row.case.clone(), !row.ours, place(&row.contestant), row.contestant.clone()));
    rows
}

/// Our default, the preferred presets that there are, and every peer.
fn quick_contestants() -> Result<Vec<Contestant>> {
    let ours = PREFERRED.iter().filter_map(|word| Contestant::parse(word).ok()).take(QUICK_OURS);
    let peers = Contestant::all().into_iter().filter(|one| !one.is_ours());
    Ok(std::iter::once(Contestant::parse("dwindle")?).chain(ours).chain(peers).collect())
}

fn contestants(words: &[String]) -> Result<Vec<Contestant>> {
    let mut chosen = Vec::new();
    for word in words {
        match word.as_str() {
            "all" => chosen.extend(Contestant::all()),
            "ours" => chosen.extend(Contestant::all().into_iter().filter(Contestant::is_ours)),
            "peers" => chosen.extend(Contestant::all().into_iter().filter(|one| !one.is_ours())),
            word => chosen.push(Contestant::parse(word)?),
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(endings: &[(Ending, u64, u64)]) -> Row {
        let trial = |(ending, tokens, queries): &(Ending, u64, u64)| Trial {
            tokens: *tokens,
            queries: *queries,
            ..Trial::none(ending.clone())
        };
        Row {
            case: "case".into(),
            language: "C".into(),
            input_bytes: 100,
            input_tokens: 50,
            contestant: "dwindle".into(),
            ours: true,
            trials: endings.iter().map(trial).collect(),
        }
    }

    #[test]
    fn the_middle_run_counts_and_a_failed_one_spoils_the_row() {
        let good = [(Ending::Done, 5, 30), (Ending::Cut, 9, 10), (Ending::Done, 7, 20)];
        assert_eq!(row(&good).middle().unwrap().tokens, 7);
        assert_eq!(row(&good).queries(), Some(20));
        assert_eq!(row(&good).ending(), &Ending::Cut);
        let bad = [(Ending::Done, 5, 30), (Ending::Failed("x".into()), 0, 0)];
        assert!(row(&bad).middle().is_none());
        assert_eq!(row(&bad).ending().word(), "failed");
    }

    #[test]
    fn a_quick_run_has_six_presets_and_all_peers() {
        let chosen = quick_contestants().unwrap();
        assert!(chosen.iter().filter(|one| one.is_ours()).count() >= 6);
        assert!(chosen.iter().filter(|one| !one.is_ours()).count() >= 4);
        let ours = contestants(&["ours".to_owned()]).unwrap();
        assert_eq!(ours.len(), dwindle::presets().len(), "every preset takes part by itself");
    }
}
