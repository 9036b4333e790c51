//! Items under generated models, and predicates on sets of them that run in this process.

use std::collections::HashSet;

use anyhow::Result;
use clap::ValueEnum;
use dwindle_logic::{Clause, Item, ItemId, ItemSet, Items, Model, ModelBuilder, Origin, Probe, Stop, Var};

use crate::rng::Rng;

/// What a set of items must have to be interesting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shape {
    /// Some items
    Needed,
    /// One of two items, for some pairs
    Either,
    /// Some items, and of some pairs both or none, which the model does not know
    NonMonotone,
    /// Some items, and what they need by rules that the model lacks
    Hidden,
}

impl Shape {
    pub(super) fn name(self) -> &'static str {
        match self {
            Shape::Needed => "needed",
            Shape::Either => "either of two",
            Shape::NonMonotone => "non-monotone",
            Shape::Hidden => "hidden rules",
        }
    }
}

/// A model and a predicate.
pub(super) struct Workload {
    pub(super) model: Model,
    needed: Vec<ItemId>,
    either: Vec<(ItemId, ItemId)>,
    both_or_none: Vec<(ItemId, ItemId)>,
    /// The first cannot be without the second, but no clause says so.
    hidden: Vec<(ItemId, ItemId)>,
}

fn item(index: usize) -> ItemId {
    ItemId::new(index)
}

/// What a model is like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) items: usize,
    pub(super) clauses: usize,
    /// Of a thousand clauses so many are no edges: half of them offer a choice, half have two conditions.
    pub(super) choices: usize,
}

/// Edges, each to something near or to something half as old; some things need one of two, or need something only
/// together with another.
fn clauses(kind: Kind, rng: &mut Rng) -> Vec<Clause> {
    let Kind { items, clauses: count, choices } = kind;
    let var = |index: usize| Var::from(item(index));
    let (mut seen, mut clauses) = (HashSet::new(), Vec::with_capacity(count));
    while clauses.len() < count {
        let from = rng.below(items - 32) + 32;
        let near = from / 32 * 32 + rng.below((from % 32).max(1));
        let old = from / 64 * 32 + rng.below(32);
        let clause = match rng.below(1_000) {
            number if number < choices / 2 => Clause::new([var(from)], [var(near), var(old)]),
            number if number < choices => Clause::new([var(from), var(near)], [var(old)]),
            number if number % 5 < 3 => Clause::new([var(from)], [var(near)]),
            _ => Clause::new([var(from)], [var(old)]),
        };
        if let Some(clause) = clause.filter(|clause| seen.insert(clause.clone())) {
            clauses.push(clause);
        }
    }
    clauses
}

/// Pairs of items where the predicate has some; few enough that it stays cheap.
const PAIRS: usize = 20;

impl Workload {
    /// A model, and a predicate about `needed` of its items. Items weigh 1 to 1,000.
    pub(super) fn new(shape: Shape, kind: Kind, needed: usize) -> Result<Self> {
        let items = kind.items;
        let mut rng = Rng::new(items as u64 + shape as u64);
        let weighed = |index: usize, rng: &mut Rng| {
            let mut item = Item::new(format!("i{index}"));
            item.weight = 1 + rng.below(1_000) as u64;
            item
        };
        let list = (0..items).map(|index| weighed(index, &mut rng)).collect();
        let mut builder = ModelBuilder::new(Items::new(list)?);
        for (line, clause) in clauses(kind, &mut rng).into_iter().enumerate() {
            builder.clause(Some(clause), Origin::Line(u32::try_from(line)?));
        }
        let mut pick = || item(rng.below(items));
        let mut pairs = |many: bool| -> Vec<_> {
            (0..if many { PAIRS.min(items / 20) } else { 0 }).map(|_| (pick(), pick())).collect()
        };
        let both_or_none = pairs(shape == Shape::NonMonotone);
        let hidden = pairs(shape == Shape::Hidden);
        let mut pick = || item(rng.below(items));
        let (mut needs, mut either) = (Vec::new(), Vec::new());
        match shape {
            Shape::Either => either = (0..needed).map(|_| (pick(), pick())).collect(),
            // Hidden rules of items that nobody needs would go unnoticed.
            Shape::Hidden => {
                needs = (0..needed).map(|_| pick()).collect();
                let users = hidden.iter().map(|(user, _)| *user);
                needs.extend(users.take(needed.div_ceil(4)));
            }
            Shape::Needed | Shape::NonMonotone => needs = (0..needed).map(|_| pick()).collect(),
        }
        Ok(Workload { model: builder.finish()?, needed: needs, either, both_or_none, hidden })
    }

    /// Whether a set of items is interesting.
    pub(super) fn holds(&self, kept: &ItemSet) -> bool {
        let has = |item: &ItemId| kept.contains(*item);
        self.needed.iter().all(has)
            && self.either.iter().all(|(a, b)| has(a) || has(b))
            && self.both_or_none.iter().all(|(a, b)| has(a) == has(b))
            && self.broken(kept).is_none()
    }

    /// A hidden rule that a set breaks.
    fn broken(&self, kept: &ItemSet) -> Option<(ItemId, ItemId)> {
        self.hidden.iter().copied().find(|(user, used)| kept.contains(*user) && !kept.contains(*used))
    }

    /// The predicate as a probe that counts.
    pub(super) fn probe(&self) -> Counter<'_> {
        let (calls, limit) = (0, u64::MAX);
        Counter { workload: self, calls, limit, teaches: false, checks: false, lessons: Vec::new() }
    }
}

/// A probe that counts its calls.
pub(super) struct Counter<'w> {
    pub(super) workload: &'w Workload,
    pub(super) calls: u64,
    /// Calls after which it says stop.
    pub(super) limit: u64,
    /// Whether it says which rule a set has broken.
    pub(super) teaches: bool,
    /// Whether sets that the model does not allow may be asked, and are boring.
    pub(super) checks: bool,
    /// What it has to say since it was asked.
    pub(super) lessons: Vec<Clause>,
}

impl Probe for Counter<'_> {
    fn test(&mut self, kept: &ItemSet) -> Result<bool, Stop> {
        if self.calls >= self.limit {
            return Err(Stop::OutOfQueries);
        }
        self.calls += 1;
        if self.teaches
            && let Some((user, used)) = self.workload.broken(kept)
        {
            self.lessons.extend(Clause::new([Var::from(user)], [Var::from(used)]));
        }
        Ok(self.workload.holds(kept) && (!self.checks || self.workload.model.allows(kept)))
    }

    fn lessons(&mut self) -> Vec<Clause> {
        std::mem::take(&mut self.lessons)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Kind = Kind { items: 200, clauses: 600, choices: 100 };

    #[test]
    fn every_shape_is_interesting_as_a_whole_and_not_when_empty() {
        for &shape in Shape::value_variants() {
            let workload = Workload::new(shape, KIND, 10).unwrap();
            assert!(workload.holds(&ItemSet::full(200)), "{shape:?}");
            assert!(!workload.holds(&ItemSet::empty(200)), "{shape:?}");
            assert!(workload.model.clauses().len() > 400, "{shape:?}");
        }
    }

    #[test]
    fn a_probe_that_teaches_names_the_rule_that_was_broken() {
        let workload = Workload::new(Shape::Hidden, KIND, 10).unwrap();
        let (user, used) = workload.hidden[0];
        let mut kept = ItemSet::full(200);
        kept.remove(used);
        let mut probe = Counter { teaches: true, ..workload.probe() };
        assert!(!probe.test(&kept).unwrap());
        let lessons = probe.lessons();
        assert!(lessons.iter().any(|clause| clause.gives() == [Var::from(used)]), "{user:?} {lessons:?}");
        assert!(probe.lessons().is_empty());
    }
}
