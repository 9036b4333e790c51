//! `dwindle-bench lists`: how long the lists are that tree presets hand to their list minimiser on cases, what is left of
//! them, and how many queries go into which. It tells why a list minimiser pays or does not.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Mutex;

use anyhow::{Context, Result};
use clap::Args;
use dwindle::tree::{LanguageChoice, Options, Sources, Watch, presets};
use dwindle::{Pipeline, Reduction};
use dwindle_core::{Candidate, Event, Files, Fingerprint};
use dwindle_syntax::Filter;

use crate::cases::{self, Case};
use crate::contest::is_interesting;
use crate::shield::Shield;
use crate::stats::thousands;

#[derive(Debug, Args)]
pub(crate) struct ListsArgs {
    /// A folder of cases
    #[arg(long, value_name = "DIR")]
    cases: PathBuf,

    /// Only cases whose name contains one of these
    #[arg(long, value_name = "WORD", value_delimiter = ',')]
    only: Vec<String>,

    /// Queries after which a run is not waited for
    #[arg(long, value_name = "N", default_value = "2500")]
    max_queries: u64,

    /// Let tests of cases write wherever you can, instead of running them in bubblewrap
    #[arg(long)]
    unshielded: bool,

    /// Which tree presets, `PRESET` or `PRESET+MINIMISER` for another list minimiser inside
    #[arg(value_name = "PRESET", default_values = ["hdd", "p-hdd", "perses", "p-perses"])]
    presets: Vec<String>,
}

/// Lists of at least so many elements, up to the next.
const LENGTHS: [usize; 7] = [1, 2, 4, 10, 32, 100, 1_000];

/// What went into lists of some length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    lists: u64,
    elements: u64,
    left: u64,
    queries: u64,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.lists += other.lists;
        self.elements += other.elements;
        self.left += other.left;
        self.queries += other.queries;
    }
}

/// A preset's lists by length, and all its queries.
#[derive(Clone, Debug, Default)]
struct Tallies {
    by_length: [Tally; LENGTHS.len()],
    queries: u64,
}

impl Tallies {
    fn list(&mut self, elements: usize, left: usize, queries: u64) {
        if let Some(at) = LENGTHS.iter().rposition(|&least| elements >= least) {
            let one = Tally { lists: 1, elements: elements as u64, left: left as u64, queries };
            self.by_length[at].add(&one);
        }
    }
}

/// Prints a table for all cases together and one for each.
pub(crate) fn run(args: &ListsArgs) -> Result<()> {
    let shield = Shield::choose(args.unshielded)?;
    let mut total = vec![Tallies::default(); args.presets.len()];
    for case in cases::all(&args.cases)? {
        let is_wanted = args.only.is_empty() || args.only.iter().any(|word| case.name.contains(word));
        if !is_wanted || !case.deterministic {
            continue;
        }
        let input = std::fs::read(&case.input)?;
        if !is_interesting(&case, &input, &shield)? {
            anstream::eprintln!("{}: its test does not find its input interesting here; left out", case.name);
            continue;
        }
        // Presets ask much the same on one case.
        let known = Mutex::new(HashMap::new());
        let mut of_case = Vec::new();
        for (preset, total) in args.presets.iter().zip(&mut total) {
            let tallies = watch(preset, &case, &input, args.max_queries, &known, &shield)?;
            total.queries += tallies.queries;
            total.by_length.iter_mut().zip(&tallies.by_length).for_each(|(all, one)| all.add(one));
            of_case.push(tallies);
        }
        print(&case.name, &args.presets, &of_case);
    }
    print("all cases", &args.presets, &total);
    Ok(())
}

/// Runs a preset on a case and watches its lists.
fn watch(
    preset: &str,
    case: &Case,
    input: &[u8],
    queries: u64,
    known: &Mutex<HashMap<Fingerprint, bool>>,
    shield: &Shield,
) -> Result<Tallies> {
    let (name, minimizer) = match preset.split_once('+') {
        Some((name, minimizer)) => (name, Some(minimizer)),
        None => (preset, None),
    };
    if let Some(minimizer) = minimizer {
        let there = dwindle_delta::by_name(minimizer, &dwindle_delta::Options::default()).is_some();
        anyhow::ensure!(there, "there is no list minimiser `{minimizer}`");
    }
    let chosen = presets().find(|preset| preset.name == name);
    let chosen = chosen.with_context(|| format!("there is no tree preset `{name}`"))?;
    let asked = Rc::new(Cell::new(0));
    let tallies = Rc::new(RefCell::new(Tallies::default()));
    let (seen, told, begun) = (Rc::clone(&asked), Rc::clone(&tallies), Cell::new(0));
    let options = Options {
        list_minimizer: minimizer.map(str::to_owned),
        watch: Some(Watch::new(move |elements, left| match left {
            None => begun.set(seen.get()),
            Some(left) => told.borrow_mut().list(elements, left, seen.get() - begun.get()),
        })),
        ..Options::default()
    };
    let sources = Rc::new(Sources::new(LanguageChoice::Detect, Filter::Off));
    let files = Files::single(case.input_name(), input);
    anyhow::ensure!(
        sources.languages(&files).iter().all(Option::is_some),
        "the language of {} is not built in: `cargo run --features languages` has more of them",
        case.input_name()
    );
    let steps = chosen.build(&options, &sources);
    let test = |candidate: &Candidate| {
        let fingerprint = candidate.fingerprint();
        let asked_before = known.lock().expect("no test panics").get(&fingerprint).copied();
        asked_before.unwrap_or_else(|| {
            let bytes = candidate.files().first().map_or(&[][..], |file| &file.bytes);
            let answer = is_interesting(case, bytes, shield).unwrap_or(false);
            known.lock().expect("no test panics").insert(fingerprint, answer);
            answer
        })
    };
    let counter = Rc::clone(&asked);
    Reduction::of_candidate(Candidate::of_files(files), Pipeline { steps, minimal_over: None })
        .runner(test)
        .known_interesting()
        .max_queries(queries)
        .observer(move |event| {
            if let Event::Answered { hit: false, .. } = event {
                counter.set(counter.get() + 1);
            }
        })
        .run()?;
    let mut tallies = tallies.borrow().clone();
    tallies.queries = asked.get();
    Ok(tallies)
}

fn print(title: &str, presets: &[String], tallies: &[Tallies]) {
    anstream::println!(
        "\n### {title}: lists / elements → left / queries\n\n| elements | {} |",
        presets.join(" | ")
    );
    anstream::println!("|---|{}", "--:|".repeat(presets.len()));
    for (at, least) in LENGTHS.iter().enumerate() {
        let range = match LENGTHS.get(at + 1) {
            Some(next) if next - 1 == *least => least.to_string(),
            Some(next) => format!("{least} – {}", thousands(*next as u64 - 1)),
            None => format!("{} and more", thousands(*least as u64)),
        };
        let cells = tallies.iter().map(|tallies| {
            let one = tallies.by_length[at];
            let [lists, elements, left, queries] =
                [one.lists, one.elements, one.left, one.queries].map(thousands);
            format!("{lists} / {elements} → {left} / {queries}")
        });
        anstream::println!("| {range} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    let rest = tallies.iter().map(|tallies| {
        let in_lists: u64 = tallies.by_length.iter().map(|one| one.queries).sum();
        format!("{} of {}", thousands(tallies.queries - in_lists), thousands(tallies.queries))
    });
    anstream::println!("| queries outside lists | {} |", rest.collect::<Vec<_>>().join(" | "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_told_apart_by_their_length() {
        let mut tallies = Tallies::default();
        for (elements, left, queries) in [(1, 1, 1), (3, 0, 2), (2, 2, 4), (5_000, 10, 99), (0, 0, 0)] {
            tallies.list(elements, left, queries);
        }
        let counts = tallies.by_length.map(|one| (one.lists, one.elements, one.left, one.queries));
        assert_eq!(counts[..3], [(1, 1, 1, 1), (2, 5, 2, 6), (0, 0, 0, 0)]);
        assert_eq!(counts[6], (1, 5_000, 10, 99));
    }

    #[test]
    fn the_lists_of_a_reduction_are_seen_with_what_is_asked_about_them() {
        let dir = tempfile::tempdir().unwrap();
        let test = dir.path().join("test.sh");
        std::fs::write(&test, "#!/bin/sh\ngrep -q 333 in.c\n").unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&test, mode).unwrap();
        let mut case = Case::sample("one", "in.c");
        case.test = test;
        let known = Mutex::default();
        let see = |preset: &str| {
            watch(preset, &case, b"int a; int b[] = {1, 2, 333, 4};", 500, &known, &Shield::Off).unwrap()
        };
        let tallies = see("perses");
        let lists: u64 = tallies.by_length.iter().map(|one| one.lists).sum();
        let queries: u64 = tallies.by_length.iter().map(|one| one.queries).sum();
        assert!(lists >= 1 && 1 <= queries && queries <= tallies.queries, "{tallies:?}");
        assert!(see("perses+one-by-one").queries > 0);
    }
}
