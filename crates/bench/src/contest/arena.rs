//! Where contests are held: the cases, the terms, and what was run before.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use dwindle::text::count_tokens;
use tempfile::TempDir;

use super::archive::{Archive, Entry, Key};
use super::contestant::Contestant;
use super::trial::{self, Ending, Terms, Trial, is_interesting};
use crate::cases::{self, Case};
use crate::shield::Shield;

/// What all contests can be told.
#[derive(Debug, Args)]
pub(crate) struct ArenaArgs {
    /// A folder of cases; without it, generated ones
    #[arg(long, value_name = "DIR")]
    pub(crate) cases: Option<PathBuf>,

    /// Only cases whose name contains one of these
    #[arg(long, value_name = "WORD", value_delimiter = ',')]
    pub(crate) only: Vec<String>,

    /// How long each run may take, in seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) time_limit: Option<f64>,

    /// End each run after so many runs of the test as well: comparable however busy the machine is
    #[arg(long, value_name = "N")]
    pub(crate) max_queries: Option<u64>,

    /// How many tests a contestant may run at once
    #[arg(short, long, value_name = "N", default_value = "1")]
    pub(crate) jobs: usize,

    /// Let tests of cases write wherever you can, instead of running them in bubblewrap
    #[arg(long)]
    pub(crate) unshielded: bool,

    /// Where runs, results, tables, plots and the page go; what was run there on the same terms is not run again
    #[arg(long, value_name = "DIR", default_value = "bench-results")]
    pub(crate) out: PathBuf,

    /// Run these contestants again
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) again: Vec<String>,
}

/// How long a run may take, in seconds, if nothing else is said.
pub(crate) const SECONDS: f64 = 300.0;

/// The cases, cheap tests first, and everything that is the same for all contestants.
pub(crate) struct Arena {
    pub(crate) cases: Vec<Case>,
    pub(crate) terms: Terms,
    pub(crate) shield: Shield,
    pub(crate) archive: Archive,
    again: Vec<String>,
    /// What was there at the beginning.
    before: Vec<Entry>,
    _generated: TempDir,
}

impl Arena {
    pub(crate) fn new(args: &ArenaArgs) -> Result<Self> {
        let shield = Shield::choose(args.unshielded)?;
        let generated = tempfile::tempdir()?;
        let folder = match &args.cases {
            Some(folder) => folder.as_path(),
            None => {
                cases::write_builtin(generated.path())?;
                generated.path()
            }
        };
        let mut cases = cases::all(folder)?;
        // A test that wavers cannot be scored.
        cases.retain(|case| case.deterministic);
        if !args.only.is_empty() {
            cases.retain(|case| args.only.iter().any(|word| case.name.contains(word)));
        }
        anyhow::ensure!(!cases.is_empty(), "no case has such a name");
        cases.sort_by_key(|case| case.cost);
        let terms = Terms {
            seconds: args.time_limit.unwrap_or(SECONDS),
            queries: args.max_queries,
            jobs: args.jobs.max(1),
        };
        let archive = Archive::open(&args.out)?;
        let before = archive.entries();
        Ok(Arena { cases, terms, shield, archive, again: args.again.clone(), before, _generated: generated })
    }

    /// Whether a case's test finds its input interesting on this machine; says so if it does not.
    pub(crate) fn works(&self, case: &Case) -> Result<bool> {
        let works = is_interesting(case, &std::fs::read(&case.input)?, &self.shield)?;
        if !works {
            anstream::eprintln!("{}: its test does not find its input interesting here; left out", case.name);
        }
        Ok(works)
    }

    /// A run that was made before and counts.
    pub(crate) fn known(&self, key: &Key) -> Option<&Entry> {
        let entry = self.before.iter().find(|entry| entry.key == *key)?;
        (entry.serves(&self.terms) && entry.took_place() && !self.again.contains(&key.contestant))
            .then_some(entry)
    }

    /// A contestant on a case, beginning with its input or with what another one has left of it. Not run if it was
    /// before; recorded as soon as it has ended.
    pub(crate) fn trial(
        &self,
        contestant: &Contestant,
        case: &Case,
        from: Option<&str>,
        repeat: usize,
    ) -> Result<Trial> {
        let key = |contestant: String, from: Option<&str>| Key {
            case: case.name.clone(),
            contestant,
            from: from.map(str::to_owned),
            repeat,
        };
        let this = key(contestant.name(), from);
        let start = match from {
            None => case.input.clone(),
            Some(other) => self.archive.result(case, &key(other.to_owned(), None)),
        };
        let start = std::fs::read(&start).with_context(|| format!("{} cannot be read", start.display()))?;
        if let Some(entry) = self.known(&this)
            && entry.trial.began_with(&start)
        {
            return Ok(entry.trial.clone());
        }
        let trial = trial::run(contestant, case, &start, &self.terms, &self.shield)?;
        anstream::eprintln!(
            "{} {}{}: {} {} → {} tokens, {} queries{}",
            case.name,
            this.contestant,
            from.map_or_else(String::new, |from| format!(" from {from}")),
            trial.ending.word(),
            count_tokens(&start),
            trial.tokens,
            trial.queries,
            match &trial.ending {
                Ending::Failed(why) => format!(" ({why})"),
                _ => String::new(),
            }
        );
        let entry = Entry { key: this, language: case.language.clone(), terms: self.terms, trial };
        self.archive.add(case, &entry)?;
        Ok(entry.trial)
    }
}
