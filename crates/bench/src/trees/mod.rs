//! `dwindle-bench trees`: presets on generated C programs with predicates in this process.

mod workload;

use anyhow::Result;
use clap::{Args, ValueEnum};
use dwindle::text::count_tokens;
use dwindle::{DEFAULT_PRESET, Granularity, Plan, Reduction};

use crate::stats::thousands;
use workload::{Shape, Workload};

#[derive(Debug, Args)]
pub(crate) struct TreesArgs {
    /// About how many tokens the programs have
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1_000, 10_000])]
    sizes: Vec<usize>,

    /// How the needed statements lie [default: all ways]
    #[arg(long, value_enum, value_delimiter = ',')]
    shapes: Vec<Shape>,

    /// How many calls of the program are needed
    #[arg(long, value_name = "N", default_value = "6")]
    needed: usize,

    /// Queries after which a preset is not waited for
    #[arg(long, value_name = "N", default_value = "5000")]
    max_queries: u64,

    /// Which presets, `PRESET` or `PRESET+MINIMISER` [default: all that work on trees, our default, and some over tokens]
    #[arg(value_name = "PRESET")]
    presets: Vec<String>,
}

/// List minimisers to compare with, over tokens.
const LISTS: [&str; 3] = ["ddmin", "probdd", "one-sweep"];

/// What a preset did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    queries: u64,
    tokens: u64,
    /// It was not waited for.
    cut: bool,
}

fn cell(preset: &str, workload: &Workload, queries: u64) -> Result<Cell> {
    let (name, minimizer) = preset.split_once('+').map_or((preset, None), |(name, with)| (name, Some(with)));
    let plan = Plan {
        preset: Some(name.to_owned()),
        list_minimizer: minimizer.map(str::to_owned),
        granularity: Granularity::Token,
        ..Plan::default()
    };
    let reduced = Reduction::new(&workload.text)
        .named("program.c")
        .plan(plan)
        .test(|text| workload.holds(text))
        .max_queries(queries)
        .run()?;
    Ok(Cell {
        queries: reduced.summary.counts.queries,
        tokens: count_tokens(reduced.bytes()),
        cut: reduced.summary.stop.is_some(),
    })
}

/// Prints a table for each size.
pub(crate) fn run(args: &TreesArgs) -> Result<()> {
    let shapes = match args.shapes.as_slice() {
        [] => Shape::value_variants(),
        some => some,
    };
    let trees = dwindle_tree::presets().map(|preset| preset.name);
    let names: Vec<&str> = match args.presets.as_slice() {
        [] => std::iter::once(DEFAULT_PRESET).chain(trees).chain(LISTS).collect(),
        some => some.iter().map(String::as_str).collect(),
    };
    for &size in &args.sizes {
        let workloads: Vec<_> = shapes.iter().map(|&shape| Workload::new(shape, size, args.needed)).collect();
        anstream::println!(
            "\n### C programs of about {} tokens: queries → tokens left\n",
            thousands(size as u64)
        );
        let heads: Vec<_> = shapes
            .iter()
            .zip(&workloads)
            .map(|(shape, workload)| format!("{} ({})", shape.name(), count_tokens(workload.text.as_bytes())))
            .collect();
        anstream::println!("| preset | {} |", heads.join(" | "));
        anstream::println!("|---|{}", "--:|".repeat(shapes.len()));
        for name in &names {
            let mut row = format!("| `{name}` |");
            for workload in &workloads {
                let cell = cell(name, workload, args.max_queries)?;
                let cut = if cell.cut { "\\*" } else { "" };
                row += &format!(" {} → {}{cut} |", thousands(cell.queries), thousands(cell.tokens));
            }
            anstream::println!("{row}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tree_presets_end_with_little_more_than_what_is_needed() {
        let workload = Workload::new(Shape::Scattered, 400, 6);
        let before = count_tokens(workload.text.as_bytes());
        for preset in ["hdd-star", "perses"] {
            let cell = cell(preset, &workload, 20_000).unwrap();
            assert!(!cell.cut && cell.tokens < before / 4, "{preset}: {cell:?} of {before}");
        }
    }
}
