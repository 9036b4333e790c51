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

/// What is left of a solution when single variables go, each with all that has to go with it.
struct Droppable<'k> {
    kept: &'k FixedBitSet,
    solution: Vec<Var>,
    local: Local,
}

impl<'k> Droppable<'k> {
    fn new(model: &Model, kept: &'k FixedBitSet) -> Self {
        let solution: Vec<Var> = kept.ones().map(Var::new).collect();
        let is_kept = |var: &Var| kept.contains(var.index());
        let binding = model.clauses().iter().filter(|clause| clause.needs().iter().all(is_kept));
        let clauses = binding.map(|clause| (clause.needs(), clause.gives()));
        let local = Local::new(model.vars(), solution.clone(), clauses);
        Droppable { kept, solution, local }
    }

    fn without(&mut self, var: Var) -> Option<FixedBitSet> {
        let position = self.solution.binary_search(&var).expect("the variable is in the solution");
        let mut smaller = self.kept.clone();
        for gone in self.local.gone_without(position)? {
            smaller.remove(gone.index());
        }
        Some(smaller)
    }
}

/// A large solution inside `kept` that lacks `var`, if there is one.
pub(crate) fn without(model: &Model, kept: &FixedBitSet, var: Var) -> Option<FixedBitSet> {
    Droppable::new(model, kept).without(var)
}

/// The first of `items` that can go, by position, and what is left then.
fn drop_one(
    model: &Model,
    kept: &FixedBitSet,
    items: &[Var],
    probe: &mut dyn Probe,
) -> Result<Option<(usize, FixedBitSet)>, Stop> {
    let mut droppable = Droppable::new(model, kept);
    let mut asked: Vec<(usize, FixedBitSet)> = Vec::new();
    let mut candidates = items.iter().enumerate().filter_map(|(index, item)| {
        let smaller = droppable.without(*item)?;
        let candidate = model.items_of(&smaller);
        asked.push((index, smaller));
        Some(candidate)
    });
    let found = probe.first(&mut candidates)?;
    Ok(found.map(|index| asked.swap_remove(index)))
}
