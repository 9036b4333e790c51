//! Generalized binary reduction: fewest probes for items under a model.
//!
//! Each round cuts what is left into a progression, finds the shortest interesting prefix, and learns that one of the
//! items the last set of that prefix added is needed. The next progression starts with a set that has one, and ranges
//! over that prefix only. When the first set alone is interesting, it is the result.

use std::borrow::Cow;

use dwindle_core::Stop;
use fixedbitset::FixedBitSet;

use crate::clause::Clause;
use crate::closing::{one_minimal, without};
use crate::engine::Engine;
use crate::first::FirstSet;
use crate::formula::Var;
use crate::item::ItemId;
use crate::model::Model;
use crate::order::Order;
use crate::probe::Probe;
use crate::progression::Progression;
use crate::search::{Probing, shortest};
use crate::set::ItemSet;

/// The strategy and its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gbr {
    /// How the first set of each progression is found.
    pub first: FirstSet,
    /// How the shortest interesting prefix is looked for.
    pub probing: Probing,
    /// Whether to go on dropping single items (with all that needs them) at the end, and to start over when one went:
    /// worth its probes when the test is not monotone.
    pub closing: bool,
    /// For how many rounds the search space stays whole. Each round then learns that something outside a boring set is
    /// needed, which is less, but true of *every* interesting set: with [`FirstSet::Lightest`] the result is the lightest
    /// there is, if it is found within these rounds. After them the space is narrowed as usual.
    pub wide_rounds: usize,
}

impl Default for Gbr {
    fn default() -> Self {
        Gbr { first: FirstSet::default(), probing: Probing::Binary, closing: false, wide_rounds: 0 }
    }
}

/// What a reduction ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The items that are left: interesting, or the full set.
    pub kept: ItemSet,
    /// How many sets of which one member is needed were learned.
    pub rounds: usize,
    /// No valid proper subset is interesting, provided the test is monotone on valid sets.
    pub locally_minimal: bool,
    /// No valid interesting set is lighter, provided the test is monotone on valid sets.
    pub optimal: bool,
    /// No single item can be dropped, with what needs it, whatever the test is like.
    pub one_minimal: bool,
    /// What the test taught about validity on the way.
    pub lessons: Vec<Clause>,
}

impl Reduction {
    /// A result of a strategy that neither learns nor closes.
    pub(crate) fn plain(kept: ItemSet, locally_minimal: bool) -> Self {
        Reduction {
            kept,
            rounds: 0,
            locally_minimal,
            optimal: false,
            one_minimal: false,
            lessons: Vec::new(),
        }
    }
}

impl Gbr {
    /// Exactly as published: closures smallest first, probes of known outcome included.
    #[must_use]
    pub fn published() -> Self {
        Gbr { first: FirstSet::Closure, probing: Probing::Faithful, closing: false, wide_rounds: 0 }
    }

    /// Reduces all items of the model. The full set is taken to be interesting.
    ///
    /// # Errors
    /// If the probe says stop. What was found so far is with the probe.
    pub fn reduce(self, model: &Model, probe: &mut dyn Probe) -> Result<Reduction, Stop> {
        let mut all = FixedBitSet::with_capacity(model.vars());
        all.insert_range(..);
        let mut run = Run::new(self, model, all);
        let one_minimal = loop {
            run.reduce(probe)?;
            if !self.closing {
                break false;
            }
            match one_minimal(&run.model, &run.within, probe)? {
                None => break true,
                Some(smaller) => run.start_over(smaller),
            }
        };
        let kept = model.items_of(&run.within);
        Ok(Reduction {
            locally_minimal: run.minimal,
            optimal: run.optimal,
            one_minimal,
            kept,
            rounds: run.rounds,
            lessons: run.lessons,
        })
    }
}

/// A set of which every solution has a member, and the boring prefix that proved it.
struct Learned {
    set: Vec<Var>,
    boring: FixedBitSet,
}

struct Run<'m> {
    options: Gbr,
    model: Cow<'m, Model>,
    engine: Engine,
    /// The search space: interesting and valid.
    within: FixedBitSet,
    learned: Vec<Learned>,
    rounds: usize,
    /// The search space is still that of the start.
    whole: bool,
    minimal: bool,
    optimal: bool,
    lessons: Vec<Clause>,
}

impl<'m> Run<'m> {
    fn new(options: Gbr, model: &'m Model, within: FixedBitSet) -> Self {
        let engine = Engine::new(model, &Order::of(model));
        let model = Cow::Borrowed(model);
        Run {
            options,
            model,
            engine,
            within,
            learned: Vec::new(),
            rounds: 0,
            whole: true,
            minimal: false,
            optimal: false,
            lessons: Vec::new(),
        }
    }

    fn reduce(&mut self, probe: &mut dyn Probe) -> Result<(), Stop> {
        let faithful = self.options.probing == Probing::Faithful;
        let before = self.rounds;
        loop {
            // The closure needs at most one round an item. The other first sets usually need no more, but there is no such
            // bound for them: of 200,000 random models 8 took one round more.
            let patient = self.rounds - before <= self.options.wide_rounds + 2 * self.model.vars();
            let first = if patient { self.options.first } else { FirstSet::Closure };
            let progression = Progression::of(&mut self.engine, &self.model, &self.within, first);
            let first_set = self.vars(progression.prefix(0));
            debug_assert!(self.model.holds(&first_set), "every candidate obeys the model");
            let known =
                !faithful && self.model.items_of(&first_set).len() == self.model.items_of(&self.within).len();
            if known || probe.test(&self.model.items_of(&first_set))? {
                self.within = first_set;
                self.minimal = self.claims_minimality(&progression);
                self.optimal = self.whole && progression.first_is_lightest();
                return Ok(());
            }
            if self.take_lessons(probe) {
                continue;
            }
            if progression.len() == 1 {
                // Not even the known set is interesting any more: the test is not to be trusted, but what it accepted
                // once is all there is.
                self.minimal = false;
                return Ok(());
            }
            // A step that adds auxiliary variables only renders the same candidate as the step before it.
            let steps: Vec<usize> = (1..progression.len())
                .filter(|step| faithful || self.has_item(progression.set(*step)))
                .collect();
            let prefix = |at: usize| self.items(progression.prefix(steps[at]));
            let found = shortest(probe, self.options.probing, 0, steps.len() - 1, &prefix)?;
            if self.take_lessons(probe) {
                continue;
            }
            let Some(found) = found else {
                self.minimal = false;
                return Ok(());
            };
            self.learn(&progression, steps[found], steps.get(found + 1).copied(), probe)?;
            debug_assert!(self.model.holds(&self.within), "every search space obeys the model");
        }
    }

    fn learn(
        &mut self,
        progression: &Progression,
        step: usize,
        next_step: Option<usize>,
        probe: &mut dyn Probe,
    ) -> Result<(), Stop> {
        let added = progression.set(step);
        let mut boring = self.vars(progression.prefix(step - 1));
        let wide = self.whole && self.rounds < self.options.wide_rounds;
        let mut set = added.to_vec();
        if wide {
            // The larger the boring set, the more is learned. All but one of the added items, and what needs it, is a
            // good guess: it is right wherever that item cannot be replaced.
            // It must still hold the first set, or the next one could be the same.
            if let Some(larger) = without(&self.model, &self.within, added[0])
                && boring.is_subset(&larger)
                && !probe.test(&self.model.items_of(&larger))?
            {
                boring = larger;
            }
            set = self.within.difference(&boring).map(Var::new).collect();
        }
        if self.options.probing != Probing::Faithful {
            // The test sees items only, so it is one of the items that is needed.
            let items = self.model.items().len();
            set.retain(|var| var.index() < items);
        }
        self.engine.add(&[], &set);
        self.learned.push(Learned { set, boring });
        if !wide {
            // Auxiliary variables that come for free behind the prefix leave more ways to be valid.
            let end = next_step.unwrap_or(progression.len()) - 1;
            self.within = self.vars(progression.prefix(end));
            self.whole = false;
        }
        self.rounds += 1;
        Ok(())
    }

    /// Adds what the test has said about validity; whether there was anything new.
    fn take_lessons(&mut self, probe: &mut dyn Probe) -> bool {
        let items = self.model.items().len();
        let mut new = Vec::new();
        for clause in probe.lessons() {
            let about_items = clause.needs().iter().chain(clause.gives()).all(|var| var.index() < items);
            // The search space was found interesting, so a lesson that forbids it is wrong.
            let credible =
                !clause.gives().is_empty() && clause.holds(|var| self.within.contains(var.index()));
            let known = self.model.clauses().iter().chain(&new).any(|old| old.subsumes(&clause));
            if about_items && credible && !known {
                new.push(clause);
            }
        }
        if new.is_empty() {
            return false;
        }
        // What was learned from a prefix that turns out to be invalid proves nothing.
        self.learned.retain(|learned| {
            new.iter().all(|clause| clause.holds(|var| learned.boring.contains(var.index())))
        });
        for clause in new {
            self.model.to_mut().learn(clause.clone());
            self.lessons.push(clause);
        }
        self.rebuild();
        true
    }

    fn start_over(&mut self, within: FixedBitSet) {
        self.within = within;
        self.whole = false;
        self.learned.clear();
        self.rebuild();
    }

    fn rebuild(&mut self) {
        self.engine = Engine::new(&self.model, &Order::of(&self.model));
        for learned in &self.learned {
            self.engine.add(&[], &learned.set);
        }
    }

    fn claims_minimality(&self, progression: &Progression) -> bool {
        // With auxiliary variables a set may be minimal over all variables and yet not over the items alone.
        self.model.is_graph()
            || (progression.first_is_minimal() && self.model.vars() == self.model.items().len())
    }

    fn has_item(&self, vars: &[Var]) -> bool {
        vars.iter().any(|var| var.index() < self.model.items().len())
    }

    fn items(&self, list: &[Var]) -> ItemSet {
        let items = self.model.items().len();
        let kept = list.iter().filter(|var| var.index() < items);
        ItemSet::of(items, kept.map(|var| ItemId::new(var.index())))
    }

    fn vars(&self, list: &[Var]) -> FixedBitSet {
        let mut set = FixedBitSet::with_capacity(self.model.vars());
        set.extend(list.iter().map(|var| var.index()));
        set
    }
}
