//! `dwindle-bench synthetic`: a table of queries and sizes, a row for each list minimiser.

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use dwindle_core::Subset;
use dwindle_delta::{Options, PredicateList, all, by_name};

use super::workload::{Shape, Workload};
use crate::stats::thousands;

/// Queries after which a minimiser is not waited for: those that go element by element need as many as there are.
const LIMIT: u64 = 200_000;

#[derive(Debug, Args)]
pub(crate) struct SyntheticArgs {
    /// How long the lists are
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [100, 1_000, 10_000, 100_000])]
    sizes: Vec<usize>,

    /// How the needed elements lie [default: all ways]
    #[arg(long, value_enum, value_delimiter = ',')]
    shapes: Vec<Shape>,

    /// Which minimisers [default: all]
    #[arg(value_name = "MINIMISER")]
    minimizers: Vec<String>,
}

/// What a minimiser did on a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) queries: u64,
    pub(crate) hits: u64,
    /// Elements left; nothing if it was not waited for.
    pub(crate) left: Option<usize>,
}

/// How many elements of a list of `n` are needed.
pub(crate) fn needed_of(n: usize) -> usize {
    match n {
        ..1_000 => n / 10,
        1_000..10_000 => 20,
        _ => 50,
    }
}

/// Runs one minimiser on one list.
pub(crate) fn cell(minimizer: &str, workload: &Workload) -> Result<Cell> {
    let chosen = by_name(minimizer, &Options::default())
        .with_context(|| format!("there is no list minimiser `{minimizer}`"))?;
    let mut list = PredicateList::new(|kept: &Subset| workload.holds(kept)).limited_to(LIMIT);
    let left = chosen.minimize(&vec![1; workload.n], &mut list).ok();
    Ok(Cell { queries: list.queries(), hits: list.hits(), left: left.map(|left| left.len()) })
}

/// Prints a table for each length.
pub(crate) fn run(args: &SyntheticArgs) -> Result<()> {
    let shapes = match args.shapes.as_slice() {
        [] => Shape::value_variants(),
        some => some,
    };
    let names: Vec<&str> = match args.minimizers.as_slice() {
        [] => all().iter().map(|entry| entry.name).collect(),
        some => some.iter().map(String::as_str).collect(),
    };
    for &n in &args.sizes {
        anyhow::ensure!(n >= 20, "lists of fewer than 20 elements show nothing");
        let workloads: Vec<_> = shapes.iter().map(|&shape| Workload::new(shape, n, needed_of(n))).collect();
        anstream::println!(
            "\n### n = {}, {} needed: queries → elements left\n",
            thousands(n as u64),
            needed_of(n)
        );
        let heads: Vec<_> = shapes
            .iter()
            .zip(&workloads)
            .map(|(shape, workload)| format!("{} (least {})", shape.name(), workload.least()))
            .collect();
        anstream::println!("| minimiser | {} |", heads.join(" | "));
        anstream::println!("|---|{}", "--:|".repeat(shapes.len()));
        for name in &names {
            let mut row = format!("| `{name}` |");
            for workload in &workloads {
                let cell = cell(name, workload)?;
                row += &match cell.left {
                    Some(left) => format!(" {} → {left} |", thousands(cell.queries)),
                    None => format!(" > {} |", thousands(LIMIT)),
                };
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
    fn ddmin_leaves_just_the_needed_elements_of_a_monotone_list() {
        for shape in [Shape::Scattered, Shape::Clustered, Shape::Contiguous] {
            let cell = cell("ddmin", &Workload::new(shape, 1_000, 20)).unwrap();
            assert_eq!(cell.left, Some(20), "{shape:?}");
            assert!(cell.queries > 20 && cell.queries < 2_000, "{shape:?}: {cell:?}");
        }
    }

    #[test]
    fn a_minimiser_that_does_not_exist_is_named() {
        let error = cell("nosuch", &Workload::new(Shape::Scattered, 100, 10)).unwrap_err();
        assert!(error.to_string().contains("`nosuch`"), "{error}");
    }
}
