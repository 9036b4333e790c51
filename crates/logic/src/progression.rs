//! Progressions: the search space cut into sets so that every prefix is valid.

use fixedbitset::FixedBitSet;

use crate::engine::Engine;
use crate::first::FirstSet;
use crate::formula::Var;
use crate::model::Model;
use crate::order::Order;

/// Disjoint sets whose union is the search space. Every non-empty prefix obeys the model and meets all learned sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progression {
    vars: Vec<Var>,
    ends: Vec<usize>,
    first_is_minimal: bool,
    first_is_lightest: bool,
}

impl Progression {
    /// The progression of the variables `within`, which must obey the model, with sets of which one member is needed.
    #[must_use]
    pub fn new(model: &Model, order: &Order, within: &[Var], learned: &[&[Var]], first: FirstSet) -> Self {
        let mut engine = Engine::new(model, order);
        for set in learned {
            engine.add(&[], set);
        }
        let mut space = FixedBitSet::with_capacity(model.vars());
        space.extend(within.iter().map(|var| var.index()));
        Self::of(&mut engine, model, &space, first)
    }

    /// The progression of `within`, which must obey all clauses of the engine.
    pub(crate) fn of(engine: &mut Engine, model: &Model, within: &FixedBitSet, first: FirstSet) -> Self {
        let found = first.find(engine, model, within);
        let mut vars = found.set;
        let mut ends = vec![vars.len()];
        for position in 0..engine.sequence().len() {
            let seed = engine.sequence()[position];
            if engine.is_true(seed) || !engine.is_within(seed) {
                continue;
            }
            engine.assume(seed);
            engine.close(first.choice());
            let known = vars.len();
            vars.extend_from_slice(&engine.trail()[known..]);
            ends.push(vars.len());
        }
        Progression { vars, ends, first_is_minimal: found.minimal, first_is_lightest: found.lightest }
    }

    /// How many sets there are: at least one, though that may be empty.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a progression has at least one set")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The set at `index`; the variable that started it comes first.
    #[must_use]
    pub fn set(&self, index: usize) -> &[Var] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.vars[start..self.ends[index]]
    }

    /// The union of the sets up to and with `index`.
    #[must_use]
    pub fn prefix(&self, index: usize) -> &[Var] {
        &self.vars[..self.ends[index]]
    }

    /// Whether no valid set that meets all learned sets lies strictly inside the first one, as far as was proved.
    #[must_use]
    pub fn first_is_minimal(&self) -> bool {
        self.first_is_minimal
    }
    /// Whether no valid set that meets all learned sets is lighter than the first one, as far as was proved.
    #[must_use]
    pub fn first_is_lightest(&self) -> bool {
        self.first_is_lightest
    }
}
