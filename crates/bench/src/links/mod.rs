//! `dwindle-bench links`: definitions as linked items, beside plain list reduction of the same programs.

mod program;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use dwindle::text::count_tokens;
use dwindle::{Plan, Reduction};

use crate::cases;
use crate::contest::is_interesting;
use crate::shield::Shield;
use crate::stats::thousands;
use program::{LANGUAGES, Program};

#[derive(Debug, Args)]
pub(crate) struct LinksArgs {
    /// How many functions the generated programs have
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [100, 400])]
    functions: Vec<usize>,

    /// Queries after which a way is not waited for
    #[arg(long, value_name = "N", default_value = "5000")]
    max_queries: u64,

    /// Instead: the cases of these languages whose test is cheap
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,

    /// Let tests of cases write wherever you can, instead of running them in bubblewrap
    #[arg(long)]
    unshielded: bool,
}

/// A test that takes longer, in milliseconds of processor time, is not cheap.
const CHEAP: u64 = 120;

/// What is compared: passes, and the strategy over definitions.
const WAYS: [(&str, &[&str], &str); 6] = [
    ("plain lists", &["lists"], "gbr"),
    ("links", &["links"], "gbr"),
    ("links by binary reduction", &["links"], "binary"),
    ("links, then lists", &["links", "lists"], "gbr"),
    ("links by binary reduction, then lists", &["links", "lists"], "binary"),
    ("the same items without the links, then lists", &["links", "lists"], "ddmin"),
];

/// What a way did.
struct Cell {
    queries: u64,
    tokens: u64,
    /// It was not waited for.
    cut: bool,
}

fn cell(
    way: &(&str, &[&str], &str),
    name: &str,
    text: &[u8],
    queries: u64,
    test: impl Fn(&[u8]) -> bool + Sync,
) -> Result<Cell> {
    let plan = Plan {
        passes: way.1.iter().map(|&pass| pass.to_owned()).collect(),
        fixpoint: true,
        set: vec![format!("links.strategy={}", way.2)],
        ..Plan::default()
    };
    let reduced = Reduction::new(text).named(name).plan(plan).test(test).max_queries(queries).run()?;
    Ok(Cell {
        queries: reduced.summary.counts.queries,
        tokens: count_tokens(reduced.bytes()),
        cut: reduced.summary.stop.is_some(),
    })
}

/// Prints a table for each size, or one of cases.
pub(crate) fn run(args: &LinksArgs) -> Result<()> {
    if let Some(folder) = &args.cases {
        return on_cases(folder, args.max_queries, &Shield::choose(args.unshielded)?);
    }
    for &functions in &args.functions {
        let programs: Vec<Program> =
            LANGUAGES.iter().map(|language| Program::new(language, functions)).collect();
        anstream::println!(
            "\n### {} functions, 5 needed with what they call: queries → tokens left\n",
            thousands(functions as u64)
        );
        let head = |program: &Program| {
            format!("{} ({})", program.language.name, thousands(count_tokens(program.text.as_bytes())))
        };
        header(programs.iter().map(head));
        for way in &WAYS {
            let cells = programs.iter().map(|program| {
                let name = format!("program.{}", program.language.extension);
                cell(way, &name, program.text.as_bytes(), args.max_queries, |text| program.holds(text))
            });
            row(way.0, cells)?;
        }
    }
    Ok(())
}

fn on_cases(folder: &Path, queries: u64, shield: &Shield) -> Result<()> {
    let mut cases = cases::all(folder)?;
    let has_language = |extension: &str| LANGUAGES.iter().any(|language| language.extension == extension);
    cases.retain(|case| case.deterministic && case.cost <= CHEAP && has_language(case.extension()));
    let mut inputs = Vec::new();
    for case in &cases {
        let input = std::fs::read(&case.input)?;
        if input.len() <= 1 << 18 && is_interesting(case, &input, shield)? {
            inputs.push((case, input));
        }
    }
    anyhow::ensure!(!inputs.is_empty(), "no cheap test of these cases finds its input interesting here");
    header(inputs.iter().map(|(case, input)| format!("{} ({})", case.name, thousands(count_tokens(input)))));
    for way in &WAYS {
        let cells = inputs.iter().map(|(case, input)| {
            let test = |text: &[u8]| is_interesting(case, text, shield).unwrap_or(false);
            cell(way, case.input_name(), input, queries, test)
        });
        row(way.0, cells)?;
    }
    Ok(())
}

fn header(heads: impl Iterator<Item = String>) {
    let heads: Vec<String> = heads.collect();
    anstream::println!("| way | {} |\n|---|{}", heads.join(" | "), "--:|".repeat(heads.len()));
}

fn row(name: &str, cells: impl Iterator<Item = Result<Cell>>) -> Result<()> {
    let mut row = format!("| {name} |");
    for cell in cells {
        let Cell { queries, tokens, cut } = cell?;
        let cut = if cut { "\\*" } else { "" };
        row += &format!(" {} → {}{cut} |", thousands(queries), thousands(tokens));
    }
    anstream::println!("{row}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_leave_little_and_ask_less_than_plain_lists_in_every_language() {
        for language in LANGUAGES {
            let program = Program::new(language, 40);
            let name = format!("program.{}", language.extension);
            let cell = |way: usize| {
                cell(&WAYS[way], &name, program.text.as_bytes(), 5_000, |text| program.holds(text)).unwrap()
            };
            let (plain, links) = (cell(0), cell(3));
            assert!(!plain.cut && !links.cut, "{}", language.name);
            assert!(links.queries < plain.queries, "{}: {} {}", language.name, links.queries, plain.queries);
            assert!(links.tokens <= plain.tokens, "{}: {} {}", language.name, links.tokens, plain.tokens);
        }
    }
}
