//! `dwindle-bench run`: all contestants on all cases, and the page that shows it.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;

use super::contestant::Contestant;
use super::trial::{Budget, Ending, Trial, is_interesting, run as run_trial};
use super::verify::verify;
use crate::cases::{self, Case};
use crate::output;
use crate::shield::Shield;
use crate::stats::median;

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Eight cheap cases and the better known contestants, in about eight minutes, unless other options say otherwise
    #[arg(long)]
    quick: bool,

    /// Instead: run our contestants at -j 1, again, and at -j 2, and see whether queries and results are the same
    #[arg(long)]
    verify_jobs: bool,

    /// A folder of cases; without it, generated ones
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,

    /// Only cases whose name contains one of these
    #[arg(long, value_name = "WORD", value_delimiter = ',')]
    only: Vec<String>,

    /// Who takes part: `dwindle`, `dwindle:PRESET[:GRANULARITY]`, peers; `all`, `ours`, `peers` [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    contestants: Vec<String>,

    /// How often; the middle values count
    #[arg(long, value_name = "N", default_value = "1")]
    repeat: usize,

    /// How long each run may take, in seconds
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<f64>,

    /// End each run after so many runs of the test as well: comparable however busy the machine is
    #[arg(long, value_name = "N")]
    max_queries: Option<u64>,

    /// How many tests a contestant may run at once
    #[arg(short, long, value_name = "N", default_value = "1")]
    jobs: usize,

    /// Let tests of cases write wherever you can, instead of running them in bubblewrap
    #[arg(long)]
    unshielded: bool,

    /// Where tables, plots and the page go
    #[arg(long, value_name = "DIR", default_value = "bench-results")]
    out: PathBuf,
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
const SECONDS: f64 = 300.0;

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
    let shield = Shield::choose(args.unshielded)?;
    let generated = tempfile::tempdir()?;
    let folder = match &args.cases {
        Some(folder) => folder.as_path(),
        None => {
            cases::write_builtin(generated.path())?;
            generated.path()
        }
    };
    let cases = choose(cases::all(folder)?, &args.only, args.quick)?;
    let contestants = if args.contestants.is_empty() && args.quick {
        quick_contestants()?
    } else if args.contestants.is_empty() {
        Contestant::all()
    } else {
        contestants(&args.contestants)?
    };
    let shares = cases.iter().map(|case| contestants.iter().filter(|one| one.takes_part(case)).count());
    let quick = QUICK_TOTAL / shares.sum::<usize>().max(1) as f64 / args.repeat.max(1) as f64;
    let seconds = args.time_limit.unwrap_or(if args.quick { quick } else { SECONDS });
    let queries = args.max_queries.or(args.quick.then_some(QUICK_QUERIES));
    let budget = Budget { time: Duration::from_secs_f64(seconds), queries };
    if args.verify_jobs {
        return verify(&contestants, &cases, budget, &shield);
    }
    std::fs::create_dir_all(&args.out).with_context(|| format!("{} cannot be made", args.out.display()))?;

    let mut rows: Vec<Row> = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let bytes = std::fs::read(&case.input)?;
        if !is_interesting(case, &bytes, &shield)? {
            anstream::eprintln!("{}: its test does not find its input interesting here; left out", case.name);
            continue;
        }
        let first = rows.len();
        rows.extend(contestants.iter().map(|contestant| Row {
            case: case.name.clone(),
            language: case.language.clone(),
            input_bytes: bytes.len() as u64,
            input_tokens: dwindle::text::count_tokens(&bytes),
            contestant: contestant.name(),
            ours: contestant.is_ours(),
            trials: Vec::new(),
        }));
        for round in 0..args.repeat.max(1) {
            for turn in 0..contestants.len() {
                // Another one begins each time: who comes first finds the machine and its caches in another state.
                let at = (turn + round + number) % contestants.len();
                let trial = run_trial(&contestants[at], case, args.jobs.max(1), budget, &shield)?;
                anstream::eprintln!(
                    "{} {}: {} {} tokens, {} queries{}",
                    case.name,
                    contestants[at].name(),
                    trial.ending.word(),
                    trial.tokens,
                    trial.queries,
                    match &trial.ending {
                        Ending::Failed(why) => format!(" ({why})"),
                        _ => String::new(),
                    }
                );
                rows[first + at].trials.push(trial);
            }
        }
        // After each case: a long run that is interrupted has its tables so far.
        output::write(
            &args.out,
            &rows,
            &output::Terms { seconds, queries, jobs: args.jobs, repeat: args.repeat },
        )?;
    }
    anyhow::ensure!(!rows.is_empty(), "no case could be run");
    anstream::println!("{}", std::fs::read_to_string(args.out.join("results.md"))?);
    Ok(true)
}

fn choose(mut cases: Vec<Case>, only: &[String], quick: bool) -> Result<Vec<Case>> {
    // A test that wavers cannot be scored.
    cases.retain(|case| case.deterministic);
    if !only.is_empty() {
        cases.retain(|case| only.iter().any(|word| case.name.contains(word)));
    } else if quick {
        cases.sort_by_key(|case| case.cost);
        cases.truncate(QUICK_CASES);
        cases.sort_by(|a, b| a.name.cmp(&b.name));
    }
    anyhow::ensure!(!cases.is_empty(), "no case has such a name");
    Ok(cases)
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
