//! `dwindle-bench formulas`: strategies for linked items under generated models, and how the engine scales.

mod scale;
mod workload;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use dwindle_logic::{FirstSet, Gbr, Model, Probing, Strategy};

use crate::engine::{Claim, HEADER};
use crate::stats::thousands;
use workload::{Counter, Kind, Shape, Workload};

#[derive(Debug, Args)]
pub(crate) struct FormulasArgs {
    /// How many items there are; three clauses for each
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [100, 1_000, 10_000])]
    sizes: Vec<usize>,

    /// What a set must have to be interesting [default: all ways]
    #[arg(long, value_enum, value_delimiter = ',')]
    shapes: Vec<Shape>,

    /// Instead: 100,000 items and 500,000 clauses, 200 needed, with the bounds that have to hold
    #[arg(long)]
    scale: bool,
}

/// Calls after which a strategy is not waited for.
const LIMIT: u64 = 20_000;
/// Strategies over closures hold a set of items for each: this many items is where that ends to be reasonable.
const CLOSURES: usize = 1_000;

/// A strategy, and whether the test says which rule a set has broken.
struct Contestant {
    name: &'static str,
    strategy: Strategy,
    lessons: bool,
    /// Whether it is fit for more than [`CLOSURES`] items.
    scales: bool,
}

/// The published forms, ours, one option at a time, and the baselines.
fn contestants() -> Vec<Contestant> {
    let gbr =
        |name, gbr: Gbr| Contestant { name, strategy: Strategy::Gbr(gbr), lessons: false, scales: true };
    let published = Gbr::published();
    let mut all = vec![
        gbr("gbr as published", published),
        gbr("… known probes left out", Gbr { probing: Probing::Binary, ..published }),
        gbr("… and forced choices first", Gbr { first: FirstSet::ForcedFirst, ..Gbr::default() }),
        gbr("… and minimal first sets (our default)", Gbr::default()),
        gbr("default, lightest first sets", Gbr { first: FirstSet::Lightest, ..Gbr::default() }),
        gbr(
            "default, lightest, 50 wide rounds",
            Gbr { first: FirstSet::Lightest, wide_rounds: 50, ..Gbr::default() },
        ),
        gbr("default, three probes at once", Gbr { probing: Probing::Ways(3), ..Gbr::default() }),
        gbr("default, closing pass", Gbr { closing: true, ..Gbr::default() }),
        Contestant { lessons: true, ..gbr("default, lessons from invalid sets", Gbr::default()) },
    ];
    let baselines = ["binary", "lossy-last", "closure", "linear", "verify", "ddmin"];
    all.extend(
        Strategy::named()
            .filter(|(name, ..)| baselines.contains(name))
            .map(|(name, strategy, _)| Contestant { name, strategy, lessons: false, scales: false }),
    );
    all
}

/// What a strategy did: calls of the test, items left and what they weigh; nothing if it was not waited for.
struct Cell {
    calls: u64,
    left: Option<(usize, u64)>,
}

fn cell(contestant: &Contestant, workload: &Workload) -> Cell {
    // Only one ignores the model: then the test has to reject what is not valid.
    let checks = contestant.strategy == Strategy::Ddmin;
    let mut probe = Counter { limit: LIMIT, teaches: contestant.lessons, checks, ..workload.probe() };
    let reduced = contestant.strategy.reduce(&workload.model, &mut probe).ok();
    let left = reduced.map(|reduced| {
        debug_assert!(workload.holds(&reduced.kept), "{}", contestant.name);
        (reduced.kept.len(), workload.model.items().weight(&reduced.kept))
    });
    Cell { calls: probe.calls, left }
}

/// A generated model, mostly edges.
pub(crate) fn model(items: usize, clauses: usize) -> Result<Model> {
    Ok(Workload::new(Shape::Needed, Kind { items, clauses, choices: 25 }, 1)?.model)
}

/// What is left of a random model, as shares of it, and the calls that took.
pub(crate) struct Share {
    pub(crate) items: f64,
    pub(crate) weight: f64,
    pub(crate) calls: f64,
}

/// A named strategy on random models of these sizes, with so many clauses for each item, of which `choices` in a thousand
/// are no edges, and so many items needed.
pub(crate) fn sample(
    name: &str,
    sizes: std::ops::Range<usize>,
    clauses: f64,
    choices: usize,
    needed: usize,
) -> Result<Vec<Share>> {
    let (_, strategy, _) = Strategy::named()
        .find(|(known, ..)| *known == name)
        .with_context(|| format!("no strategy `{name}`"))?;
    let contestant = Contestant { name: "", strategy, lessons: false, scales: false };
    let one = |items: usize| {
        let kind = Kind { items, clauses: (items as f64 * clauses) as usize, choices };
        let workload = Workload::new(Shape::Needed, kind, needed)?;
        let cell = cell(&contestant, &workload);
        let (left, weight) =
            cell.left.unwrap_or((items, workload.model.items().weight(&workload.model.items().all())));
        Ok(Share {
            items: left as f64 / items as f64,
            weight: weight as f64 / workload.model.items().weight(&workload.model.items().all()) as f64,
            calls: cell.calls as f64,
        })
    };
    sizes.map(one).collect()
}

/// Prints a table for each size, or the bounds at scale; whether they hold.
pub(crate) fn run(args: &FormulasArgs) -> Result<bool> {
    if args.scale {
        let claims = scale::measure()?;
        anstream::println!("{HEADER}");
        for claim in &claims {
            anstream::println!("{claim}");
        }
        return Ok(claims.iter().all(Claim::holds));
    }
    let shapes = match args.shapes.as_slice() {
        [] => Shape::value_variants(),
        some => some,
    };
    for &items in &args.sizes {
        anyhow::ensure!(items >= 100, "fewer than 100 items show nothing");
        for (choices, about) in CHOICES {
            table(Kind { items, clauses: 3 * items, choices }, about, shapes)?;
        }
    }
    Ok(true)
}

/// Of a thousand clauses so many are no edges: as in class files, and as where much can be had from several.
const CHOICES: [(usize, &str); 2] = [(25, "1 in 40 no edge"), (400, "2 in 5 no edge")];

fn table(kind: Kind, about: &str, shapes: &[Shape]) -> Result<()> {
    let needed = (kind.items / 20).min(50);
    let workloads: Result<Vec<_>> = shapes.iter().map(|&shape| Workload::new(shape, kind, needed)).collect();
    let workloads = workloads?;
    anstream::println!(
        "\n### {} items, {} clauses ({about}), {needed} needed: calls → items left (their weight)\n",
        thousands(kind.items as u64),
        thousands(kind.clauses as u64)
    );
    let heads: Vec<_> = shapes.iter().map(|shape| shape.name()).collect();
    anstream::println!("| strategy | {} |", heads.join(" | "));
    anstream::println!("|---|{}", "--:|".repeat(shapes.len()));
    for contestant in contestants().iter().filter(|one| one.scales || kind.items <= CLOSURES) {
        let mut row = format!("| {} |", contestant.name);
        for workload in &workloads {
            let cell = cell(contestant, workload);
            row += &match cell.left {
                Some((left, weight)) => {
                    format!(" {} → {left} ({}) |", thousands(cell.calls), thousands(weight))
                }
                None => format!(" > {} |", thousands(LIMIT)),
            };
        }
        anstream::println!("{row}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(items: usize) -> Kind {
        Kind { items, clauses: 3 * items, choices: 400 }
    }

    #[test]
    fn every_strategy_ends_with_a_valid_interesting_set_unless_rules_are_hidden() {
        for shape in [Shape::Needed, Shape::Either] {
            let workload = Workload::new(shape, kind(120), 8).unwrap();
            for contestant in contestants() {
                let cell = cell(&contestant, &workload);
                let (left, weight) = cell.left.unwrap_or_else(|| panic!("{} {shape:?}", contestant.name));
                assert!((4..=120).contains(&left), "{} {shape:?}: {left}", contestant.name);
                assert!(weight >= left as u64 && cell.calls > 0, "{}", contestant.name);
            }
        }
    }

    #[test]
    fn our_default_keeps_no_more_than_the_published_form() {
        let all = contestants();
        let mut smaller = 0;
        for items in [150, 300, 600] {
            let workload = Workload::new(Shape::Needed, kind(items), 10).unwrap();
            let left = |number: usize| cell(&all[number], &workload).left.unwrap().0;
            assert!(left(3) <= left(0), "{items}");
            smaller += usize::from(left(3) < left(0));
        }
        assert!(smaller > 0, "these models tell the two apart");
    }
}
