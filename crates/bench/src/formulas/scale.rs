//! 100,000 items under 500,000 clauses, 200 of them needed: time of a progression, calls, and who the time goes to.

use std::time::Duration;

use anyhow::{Context, Result};
use dwindle_logic::{FirstSet, Gbr, Order, Progression, Var};

use super::workload::{Kind, Shape, Workload};
use crate::engine::Claim;
use crate::machine::cpu_time;

const ITEMS: usize = 100_000;
const CLAUSES: usize = 500_000;
const NEEDED: usize = 200;
/// The test that the reducer's own time is held against.
const TEST: Duration = Duration::from_millis(10);

pub(super) fn measure() -> Result<Vec<Claim>> {
    // As many edges among the clauses as class files have.
    let kind = Kind { items: ITEMS, clauses: CLAUSES, choices: 25 };
    let workload = Workload::new(Shape::Needed, kind, NEEDED)?;
    let model = &workload.model;
    let title = format!("{ITEMS} items, {CLAUSES} clauses, {NEEDED} needed");
    let order = Order::of(model);
    let all: Vec<Var> = model.items().iter().map(|(id, _)| id.into()).collect();
    let mut claims = Vec::new();
    for (name, first) in [("as published", FirstSet::Closure), ("minimal first set", FirstSet::Minimal)] {
        let begin = cpu_time();
        let progression = Progression::new(model, &order, &all, &[], first);
        let time = cpu_time() - begin;
        claims.push(
            Claim::new(
                format!("{title}: a progression ({name}, {} sets)", progression.len()),
                time.as_secs_f64(),
                " s",
            )
            .at_most(1.0),
        );
    }
    for (name, gbr) in [("as published", Gbr::published()), ("our default", Gbr::default())] {
        let mut probe = workload.probe();
        let begin = cpu_time();
        let reduced = gbr.reduce(model, &mut probe).context("the probe never stops")?;
        let time = cpu_time() - begin;
        let calls = probe.calls as f64;
        let log = (ITEMS as f64).log2();
        claims.push(
            Claim::new(
                format!(
                    "the same, gbr ({name}): {} calls, {} rounds, {} items left: calls ÷ (rounds · log₂ items)",
                    probe.calls,
                    reduced.rounds,
                    reduced.kept.len()
                ),
                calls / (reduced.rounds.max(1) as f64 * log),
                " ×",
            )
            .at_most(1.2),
        );
        let share = time.as_secs_f64() / (calls * TEST.as_secs_f64() + time.as_secs_f64());
        claims.push(
            Claim::new(
                format!(
                    "the same, gbr ({name}): its own share of a run with 10 ms tests, predicate included"
                ),
                100.0 * share,
                " %",
            )
            .at_most(50.0),
        );
    }
    Ok(claims)
}
