//! How the engine scales: 100,000 items, 500,000 clauses, 200 items needed. Prints counts and times.
//!
//! `cargo run --release -p dwindle-logic --example scale [ITEMS CLAUSES NEEDED]`

#![allow(clippy::print_stdout, reason = "printing is what this example is for")]

use std::collections::HashSet;
use std::time::{Duration, Instant};

use dwindle_logic::{
    Clause, FirstSet, Gbr, ItemId, ItemSet, Items, ModelBuilder, Order, Origin, Probe, Probing, Progression,
    Stop, Var,
};

/// A small generator, so that every run is the same (Steele and others' `SplitMix64`).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % limit as u64).expect("below a usize")
    }
}

/// Mostly edges, as in real models (97.5 % of the clauses of class files), each to something near or to something
/// half as old; a few things need one of two, or need something only together with another.
fn rules(items: usize, clauses: usize, dice: &mut Dice) -> ModelBuilder {
    let mut builder =
        ModelBuilder::new(Items::named((0..items).map(|i| format!("i{i}"))).expect("names differ"));
    let var = |index: usize| Var::from(ItemId::new(index));
    let mut seen = HashSet::new();
    while seen.len() < clauses {
        let from = dice.below(items - 32) + 32;
        let near = from / 32 * 32 + dice.below((from % 32).max(1));
        let old = from / 64 * 32 + dice.below(32);
        let clause = match dice.below(1_000) {
            0..600 => Clause::new([var(from)], [var(near)]),
            600..975 => Clause::new([var(from)], [var(old)]),
            975..988 => Clause::new([var(from)], [var(near), var(old)]),
            _ => Clause::new([var(from), var(near)], [var(old)]),
        };
        let line = u32::try_from(seen.len()).expect("a small number");
        if let Some(clause) = clause.filter(|clause| seen.insert(clause.clone())) {
            builder.clause(Some(clause), Origin::Line(line));
        }
    }
    builder
}

/// Counts and times what a test would have to do.
struct Counter<'n> {
    needed: &'n ItemSet,
    calls: usize,
    inside: Duration,
}

impl Probe for Counter<'_> {
    fn test(&mut self, kept: &ItemSet) -> Result<bool, Stop> {
        let start = Instant::now();
        self.calls += 1;
        let interesting = self.needed.is_subset(kept);
        self.inside += start.elapsed();
        Ok(interesting)
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<usize>().expect("a number"));
    let mut next = |default| arguments.next().unwrap_or(default);
    let (items, clauses, needed) = (next(100_000), next(500_000), next(200));
    let mut dice = Dice(1);
    let rules = rules(items, clauses, &mut dice);
    let start = Instant::now();
    let model = rules.finish().expect("every clause gives something");
    let edges = model.clauses().iter().filter(|clause| clause.is_edge()).count();
    println!(
        "model: {} items, {} clauses ({edges} edges) of {clauses} before subsumption, {:.2?}",
        items,
        model.clauses().len(),
        start.elapsed()
    );
    let start = Instant::now();
    let order = Order::of(&model);
    println!("order: {:.2?}", start.elapsed());
    let all: Vec<Var> = model.items().iter().map(|(id, _)| id.into()).collect();
    for first in [FirstSet::Closure, FirstSet::Minimal] {
        let start = Instant::now();
        let progression = Progression::new(&model, &order, &all, &[], first);
        println!(
            "progression ({first:?}): {} sets, {:.2?} with building the engine",
            progression.len(),
            start.elapsed()
        );
    }
    let needed = ItemSet::of(items, (0..needed).map(|_| ItemId::new(dice.below(items))));
    for (name, options) in [
        ("published", Gbr::published()),
        ("closure, known probes left out", Gbr { probing: Probing::Binary, ..Gbr::published() }),
        ("default", Gbr::default()),
        ("lightest", Gbr { first: FirstSet::Lightest, ..Gbr::default() }),
    ] {
        let mut probe = Counter { needed: &needed, calls: 0, inside: Duration::ZERO };
        let start = Instant::now();
        let result = options.reduce(&model, &mut probe).expect("the probe never stops");
        let rounds = result.rounds.max(1);
        println!(
            "gbr ({name}): {} of {items} items kept for {} needed, {} calls, {} rounds, {:.2?} ({:.1?} a round)",
            result.kept.len(),
            needed.len(),
            probe.calls,
            result.rounds,
            start.elapsed() - probe.inside,
            (start.elapsed() - probe.inside) / u32::try_from(rounds).expect("a small number"),
        );
    }
}
