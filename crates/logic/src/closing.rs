//! The closing pass: can any single item go, with all that needs it?
//!
//! After a binary search under a test that is not monotone this finds what the search stepped over.

use dwindle_core::Stop;
use fixedbitset::FixedBitSet;

use crate::formula::Var;
use crate::local::Local;
use crate::model::Model;
use crate::probe::Probe;

/// Drops single items of `start`, heavy ones first, each with what the model makes go with it, until none can go.
/// `None` if nothing went.
pub(crate) fn one_minimal(
    model: &Model,
    start: &FixedBitSet,
    probe: &mut dyn Probe,
) -> Result<Option<FixedBitSet>, Stop> {
    let mut kept = start.clone();
    // Items that stay, as far as the present set goes.
    let mut tried = FixedBitSet::with_capacity(model.items().len());
    loop {
        let mut items: Vec<Var> =
            kept.ones().take_while(|var| *var < model.items().len()).map(Var::new).collect();
        items.retain(|var| !tried.contains(var.index()));
        items.sort_by_key(|var| std::cmp::Reverse(model.weight(*var)));
        let Some((position, smaller)) = drop_one(model, &kept, &items, probe)? else {
            // A clean sweep only counts if it covered everything.
            if tried.is_clear() {
                return Ok((kept != *start).then_some(kept));
            }
            tried.clear();
            continue;
        };
        tried.extend(items[..position].iter().map(|var| var.index()));
        kept = smaller;
    }
}

/// The first of `items` that can go, by position, and what is left then.
fn drop_one(
    model: &Model,
    kept: &FixedBitSet,
    items: &[Var],
    probe: &mut dyn Probe,
) -> Result<Option<(usize, FixedBitSet)>, Stop> {
    let solution: Vec<Var> = kept.ones().map(Var::new).collect();
    let binding =
        model.clauses().iter().filter(|clause| clause.needs().iter().all(|var| kept.contains(var.index())));
    let mut local =
        Local::new(model.vars(), solution.clone(), binding.map(|clause| (clause.needs(), clause.gives())));
    let mut asked: Vec<(usize, FixedBitSet)> = Vec::new();
    let mut candidates = items.iter().enumerate().filter_map(|(index, item)| {
        let position = solution.binary_search(item).expect("the item is in the solution");
        let gone = local.gone_without(position)?;
        let mut smaller = kept.clone();
        for var in gone {
            smaller.remove(var.index());
        }
        let candidate = model.items_of(&smaller);
        asked.push((index, smaller));
        Some(candidate)
    });
    let found = probe.first(&mut candidates)?;
    Ok(found.map(|index| asked.swap_remove(index)))
}
