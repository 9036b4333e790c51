//! `run --verify-jobs`: whether our presets ask and leave the same in every run and at every `-j`.

use anyhow::Result;

use super::arena::Arena;
use super::contestant::Contestant;
use super::trial::{Ending, Terms, Trial, run as run_trial};
use crate::stats::thousands;

/// How many tests at once, run after run.
const JOBS: [usize; 3] = [1, 1, 2];

/// Runs our contestants on the cases several times each, prints a table, and says whether all runs of each agree.
pub(super) fn verify(contestants: &[Contestant], arena: &Arena) -> Result<bool> {
    let mut agree = true;
    anstream::println!("| case | contestant | queries at -j 1, 1, 2 | bytes left | |\n|---|---|--:|--:|---|");
    for case in &arena.cases {
        let input = std::fs::read(&case.input)?;
        for contestant in contestants.iter().filter(|one| one.is_ours()) {
            let at = |&jobs: &usize| {
                run_trial(contestant, case, &input, &Terms { jobs, ..arena.terms }, &arena.shield)
            };
            let trials = JOBS.iter().map(at).collect::<Result<Vec<_>>>()?;
            let word = word(&trials);
            agree &= !matches!(word, DIFFERENT | FAILED);
            let cells = |of: &dyn Fn(&Trial) -> u64| {
                let cells: Vec<_> = trials.iter().map(|trial| thousands(of(trial))).collect();
                cells.join(", ")
            };
            anstream::println!(
                "| {} | {} | {} | {} | {word} |",
                case.name,
                contestant.name(),
                cells(&|trial| trial.told.as_ref().map_or(0, |told| told.queries)),
                cells(&|trial| trial.bytes),
            );
        }
    }
    Ok(agree)
}

const DIFFERENT: &str = "DIFFERENT";
const FAILED: &str = "FAILED";

/// Whether the runs agree, or why they cannot be compared.
fn word(trials: &[Trial]) -> &'static str {
    let by_time = |trial: &Trial| trial.ending == Ending::Cut && !trial.is_out_of_queries();
    if trials.iter().any(|trial| matches!(trial.ending, Ending::Failed(_))) {
        FAILED
    } else if trials.iter().any(by_time) {
        "cut by time"
    } else if trials.windows(2).all(|two| two[0].told == two[1].told && two[0].result == two[1].result) {
        "same"
    } else {
        DIFFERENT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::Told;

    #[test]
    fn runs_agree_if_queries_passes_and_results_are_the_same() {
        let trial = |queries, ending: Ending, stopped: Option<&str>| Trial {
            told: Some(Told { queries, stopped: stopped.map(str::to_owned), ..Told::default() }),
            ..Trial::none(ending)
        };
        let queries = Some("queries");
        let table = [
            ([trial(7, Ending::Done, None), trial(7, Ending::Done, None)], "same"),
            ([trial(7, Ending::Cut, queries), trial(7, Ending::Cut, queries)], "same"),
            ([trial(7, Ending::Done, None), trial(8, Ending::Done, None)], DIFFERENT),
            ([trial(7, Ending::Cut, Some("interrupt")), trial(7, Ending::Done, None)], "cut by time"),
            ([trial(7, Ending::Failed("x".into()), None), trial(7, Ending::Done, None)], FAILED),
        ];
        for (trials, expected) in table {
            assert_eq!(word(&trials), expected, "{trials:?}");
        }
    }
}
