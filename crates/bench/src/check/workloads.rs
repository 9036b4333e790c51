//! The fast set: lists and texts with predicates in this process, and a few tests that are real processes.

use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt;

use anyhow::{Context, Result};
use clap::ValueEnum;
use dwindle::tree::LanguageChoice;
use dwindle::{DEFAULT_PRESET, Granularity, Reduction};
use dwindle_exec::{CommandTest, Invocation, Judge, Setting, Supervisor};

use super::baseline::{Baseline, Measured};
use crate::cases::texts;
use crate::synthetic::{Shape, Workload, cell, needed_of};

/// Measures the workloads with such names.
pub(super) fn measure(wanted: &dyn Fn(&str) -> bool) -> Result<Baseline> {
    let mut all = Baseline::default();
    lists(wanted, &mut all)?;
    of_texts(wanted, &mut all)?;
    processes(wanted, &mut all)?;
    Ok(all)
}

/// Every minimiser on lists of every shape.
fn lists(wanted: &dyn Fn(&str) -> bool, all: &mut Baseline) -> Result<()> {
    for n in [100, 1_000, 10_000] {
        for &shape in Shape::value_variants() {
            let workload = Workload::new(shape, n, needed_of(n));
            for entry in dwindle_delta::all() {
                let name = format!("list/{}/{}/{n}", entry.name, shape.name());
                // The long lists are for the ones that are fit for them.
                if !wanted(&name) || n > 1_000 && !LONG.contains(&entry.name) {
                    continue;
                }
                let cell = cell(entry.name, &workload)?;
                let measured = Measured {
                    queries: cell.queries,
                    hits: cell.hits,
                    left: cell.left.context("the limit is far above what these lists need")? as u64,
                };
                all.insert(name, measured);
            }
        }
    }
    Ok(())
}

const LONG: [&str; 4] = ["ddmin", "one-sweep", "probdd", "greeddy"];

/// What is in a text, and whether a variant of it still shows something.
type Text = (&'static str, fn() -> String, fn(&[u8]) -> bool);

const TEXTS: [Text; 4] = [
    ("json", texts::json, texts::has_deep_needle),
    ("lisp", texts::lisp, texts::has_unbound_helper),
    ("log", texts::log, texts::shows_double_free),
    ("xml", texts::xml, texts::has_broken_item),
];

/// Our default and some presets on texts.
fn of_texts(wanted: &dyn Fn(&str) -> bool, all: &mut Baseline) -> Result<()> {
    let presets = [
        (DEFAULT_PRESET, Granularity::Line),
        ("ddmin", Granularity::Line),
        ("ddmin-star", Granularity::Token),
        ("greeddy", Granularity::TwoPass),
        ("one-sweep", Granularity::Bracket),
        ("probdd", Granularity::Token),
    ];
    for (text, generate, test) in TEXTS {
        for (preset, granularity) in presets {
            let (of, _) =
                Granularity::ALL.iter().find(|(_, one)| *one == granularity).expect("all of them are listed");
            let name = format!("text/{preset}/{of}/{text}");
            if wanted(&name) {
                let reduction = Reduction::new(generate()).preset(preset).granularity(granularity).test(test);
                // The same whatever languages this was built with.
                all.insert(name, measured(reduction.language(LanguageChoice::Text))?);
            }
        }
    }
    Ok(())
}

/// A shell script as the test, with one worker and with two: the counts must not differ.
fn processes(wanted: &dyn Fn(&str) -> bool, all: &mut Baseline) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let script = dir.path().join("test.sh");
    std::fs::write(&script, "#!/bin/sh\ngrep -q needle \"$1\" && grep -q thread \"$1\"\n")?;
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755))?;
    let mut text: String = (0..60).map(|line| format!("line {line} of some hay\n")).collect();
    text.insert_str(700, "a needle\n");
    text.insert_str(1000, "a thread\n");
    for jobs in [1, 2] {
        let name = format!("process/grep/j{jobs}");
        if wanted(&name) {
            let setting = Setting::new(Supervisor::this_program()).jobs(jobs);
            let test = CommandTest::new(Invocation::test(&script, []), Judge::ExitStatus, setting)?;
            let jobs = NonZeroUsize::new(jobs).expect("1 or 2");
            let reduction = Reduction::new(&text).runner_ref(&test).jobs(jobs);
            all.insert(name, measured(reduction)?);
        }
    }
    Ok(())
}

fn measured(reduction: Reduction<'_>) -> Result<Measured> {
    let reduced = reduction.run()?;
    Ok(Measured {
        queries: reduced.summary.counts.queries,
        hits: reduced.summary.counts.hits,
        left: reduced.best.size(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_show_what_is_looked_for_and_nothing_does_not() {
        for (name, generate, test) in TEXTS {
            assert!(test(generate().as_bytes()), "{name}");
            assert!(!test(b""), "{name}");
        }
    }

    #[test]
    fn two_measurements_are_the_same() {
        let wanted = |name: &str| name.ends_with("/lisp") || name.contains("/dependent/100");
        let first = measure(&wanted).unwrap();
        assert!(first.len() > 20);
        assert_eq!(measure(&wanted).unwrap(), first);
    }
}
