//! The first set of a progression: the smallest thing that could be the answer.
//!
//! The published choice is the logical closure, which is minimal only where the model is a graph. The other ways cost
//! a little more thinking, never a run of the test.

use fixedbitset::FixedBitSet;

use crate::engine::{Choice, Engine};
use crate::formula::Var;
use crate::local::Local;
use crate::model::Model;

/// How the first set is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FirstSet {
    /// The logical closure, smallest variable first: as published. Bounded by one round an item.
    Closure,
    /// The closure, but clauses that leave no choice are answered first. Seldom larger, often smaller.
    ForcedFirst,
    /// The closure made minimal: no valid set that meets all learned sets lies inside it. The result is then locally
    /// minimal for any model, not just for graphs.
    #[default]
    Minimal,
    /// The lightest set there is, by item weights, as far as [`SEARCH_EFFORT`] reaches; minimal in any case.
    Lightest,
}

/// How many clauses the search for the lightest first set may look at: about a tenth of a second.
pub const SEARCH_EFFORT: usize = 4_000_000;

impl FirstSet {
    pub(crate) fn choice(self) -> Choice {
        match self {
            FirstSet::Closure => Choice::Smallest,
            FirstSet::ForcedFirst | FirstSet::Minimal | FirstSet::Lightest => Choice::ForcedFirst,
        }
    }

    /// The set itself. Leaves the engine with exactly this set true and all clauses satisfied.
    pub(crate) fn find(self, engine: &mut Engine, model: &Model, within: &FixedBitSet) -> First {
        engine.restart(within);
        engine.close(self.choice());
        let closure = engine.trail().to_vec();
        let forced = engine.forced().len();
        let always = &closure[..forced];
        let mut first = match self {
            FirstSet::Closure | FirstSet::ForcedFirst => {
                return First { set: closure, minimal: false, lightest: false };
            }
            // Where there was never a choice, every solution has all of the closure.
            FirstSet::Minimal | FirstSet::Lightest if forced == closure.len() => {
                return First { set: closure, minimal: true, lightest: true };
            }
            FirstSet::Minimal | FirstSet::Lightest => minimal(engine, model, always, &closure),
        };
        if self == FirstSet::Lightest {
            let (lighter, complete) = Search::new(engine, model, within, &first.set).run();
            if let Some(lighter) = lighter {
                reopen(engine, within, &lighter);
                first = minimal(engine, model, always, &lighter);
            }
            first.lightest = complete;
        }
        reopen(engine, within, &first.set);
        first
    }
}

/// A first set and what is known about it, among the solutions that meet all learned sets.
pub(crate) struct First {
    pub(crate) set: Vec<Var>,
    /// No solution lies strictly inside it.
    pub(crate) minimal: bool,
    /// No solution is lighter.
    pub(crate) lightest: bool,
}

/// Makes exactly `set` true.
fn reopen(engine: &mut Engine, within: &FixedBitSet, set: &[Var]) {
    engine.restart(within);
    for var in set {
        engine.assume(*var);
    }
    engine.close(Choice::Smallest);
    debug_assert_eq!(engine.trail().len(), set.len(), "a first set satisfies every clause it opens");
}

/// A subset-minimal solution inside the true variables of the engine. Those in `always` are in every solution; only the
/// rest of this one is in question.
fn minimal(engine: &Engine, model: &Model, always: &[Var], solution: &[Var]) -> First {
    let mut settled = FixedBitSet::with_capacity(model.vars());
    settled.extend(always.iter().map(|var| var.index()));
    let binding = engine.open().iter().filter(|clause| {
        let gives = engine.gives(**clause);
        !gives.iter().any(|var| settled.contains(var.index()))
    });
    let clauses = binding.map(|clause| (engine.needs(*clause), engine.gives(*clause)));
    let chosen = solution.iter().copied().filter(|var| !settled.contains(var.index()));
    let mut local = Local::new(model.vars(), chosen.collect(), clauses);
    let mut positions = local.undecided();
    // Heavy ones first: where one of two must stay, it should be the light one.
    positions.sort_by_key(|position| {
        let var = local.var(*position);
        std::cmp::Reverse((model.weight(var), engine.rank(var)))
    });
    let minimal = local.minimise(&positions);
    First { set: [always, &local.kept()].concat(), minimal, lightest: false }
}

/// Branch and bound for the lightest solution: every open clause must be answered by one of its offers.
struct Search<'a> {
    engine: &'a mut Engine,
    model: &'a Model,
    within: &'a FixedBitSet,
    best: Option<Vec<Var>>,
    /// Weight, then number of variables.
    bound: (u64, usize),
    effort: usize,
}

impl<'a> Search<'a> {
    fn new(engine: &'a mut Engine, model: &'a Model, within: &'a FixedBitSet, start: &[Var]) -> Self {
        let bound = (start.iter().map(|var| model.weight(*var)).sum(), start.len());
        Search { engine, model, within, best: None, bound, effort: SEARCH_EFFORT }
    }

    /// Something lighter than the start, if it was found, and whether the search came to its end.
    fn run(mut self) -> (Option<Vec<Var>>, bool) {
        self.engine.restart(self.within);
        self.branch(0);
        (self.best, self.effort > 0)
    }

    fn branch(&mut self, weight_before: u64) {
        let Some((clause, weight)) = self.force(weight_before) else {
            return;
        };
        let mut offers: Vec<Var> =
            self.engine.gives(clause).iter().copied().filter(|var| self.engine.is_within(*var)).collect();
        offers.sort_by_key(|var| (self.model.weight(*var), self.engine.rank(*var)));
        let here = self.engine.mark();
        let mut excluded = Vec::new();
        for var in offers {
            if self.effort == 0 {
                break;
            }
            self.engine.assume(var);
            self.branch(weight + self.model.weight(var));
            self.engine.undo(here);
            // The other branches are about solutions without it.
            self.engine.set_within(var, false);
            excluded.push(var);
        }
        for var in excluded {
            self.engine.set_within(var, true);
        }
    }

    /// Draws all forced consequences. Gives the open clause with the fewest offers and the weight so far, or nothing
    /// if this branch is finished: a dead end, too heavy, or a solution (which is then noted).
    fn force(&mut self, mut weight: u64) -> Option<(u32, u64)> {
        loop {
            self.engine.propagate();
            let mut fewest: Option<(usize, u32)> = None;
            let mut dearest = 0;
            let mut forced = None;
            for index in 0..self.engine.open().len() {
                self.effort = self.effort.saturating_sub(1);
                let clause = self.engine.open()[index];
                if self.engine.is_satisfied(clause) {
                    continue;
                }
                let offers = self.engine.gives(clause).iter().filter(|var| self.engine.is_within(**var));
                let (count, cheapest) =
                    offers.fold((0, u64::MAX), |(n, least), var| (n + 1, least.min(self.model.weight(*var))));
                match count {
                    0 => return None,
                    1 => forced = Some(clause),
                    _ => {}
                }
                dearest = dearest.max(cheapest);
                if fewest.is_none_or(|(least, _)| count < least) {
                    fewest = Some((count, clause));
                }
            }
            let at_least = usize::from(fewest.is_some());
            if self.effort == 0 || (weight + dearest, self.engine.trail().len() + at_least) >= self.bound {
                return None;
            }
            if let Some(clause) = forced {
                let only = self.engine.gives(clause).iter().copied().find(|var| self.engine.is_within(*var));
                let only = only.expect("a forced clause has one offer");
                self.engine.assume(only);
                weight += self.model.weight(only);
                continue;
            }
            let Some((_, clause)) = fewest else {
                self.bound = (weight, self.engine.trail().len());
                self.best = Some(self.engine.trail().to_vec());
                return None;
            };
            return Some((clause, weight));
        }
    }
}
