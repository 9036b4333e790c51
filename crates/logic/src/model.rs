//! The model: items and the clauses that say which sets of them are valid.

use std::fmt;

use fixedbitset::FixedBitSet;

use crate::clause::{Clause, superfluous};
use crate::cnf::clauses_of;
use crate::formula::{Formula, Var};
use crate::item::{ItemId, Items};
use crate::set::ItemSet;
use crate::solve::Solver;

/// Where a clause comes from, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// An item needs its parent.
    Parent,
    /// The item is required.
    Required,
    /// This line of a clause file, counted from 1.
    Line(u32),
    /// A rule that was given a text.
    Rule(u32),
    /// The test itself said so while reducing.
    Lesson,
}

/// Puts a [`Model`] together.
#[derive(Debug)]
pub struct ModelBuilder {
    items: Items,
    vars: usize,
    clauses: Vec<Clause>,
    origins: Vec<Origin>,
    rules: Vec<String>,
}

impl ModelBuilder {
    /// Starts with what the items themselves say: parts need their parents, required items are required.
    #[must_use]
    pub fn new(items: Items) -> Self {
        let mut builder = ModelBuilder {
            vars: items.len(),
            items,
            clauses: Vec::new(),
            origins: Vec::new(),
            rules: Vec::new(),
        };
        let mut own = Vec::new();
        for (id, item) in builder.items.iter() {
            own.extend(item.parent.map(|parent| (Clause::new([id.into()], [parent.into()]), Origin::Parent)));
            if item.required {
                own.push((Clause::new([], [id.into()]), Origin::Required));
            }
        }
        for (clause, origin) in own {
            builder.clause(clause, origin);
        }
        builder
    }

    /// The items the model is about.
    #[must_use]
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// Says that `item` must always be kept.
    pub fn require(&mut self, item: ItemId) {
        self.clause(Clause::new([], [item.into()]), Origin::Required);
    }

    /// Says that `item` needs `other`: the commonest rule there is.
    pub fn need(&mut self, item: ItemId, other: ItemId, origin: Origin) {
        self.clause(Clause::new([item.into()], [other.into()]), origin);
    }

    /// Adds a formula; `why` is repeated in messages about it.
    pub fn rule(&mut self, formula: &Formula, why: impl Into<String>) {
        let origin = self.origin(why);
        self.formula(formula, origin);
    }

    /// Adds a formula with an origin that was made before.
    pub fn formula(&mut self, formula: &Formula, origin: Origin) {
        for clause in clauses_of(formula, &mut self.vars) {
            self.clause(Some(clause), origin);
        }
    }

    /// Makes an origin out of a text, to be shared by many clauses.
    pub fn origin(&mut self, why: impl Into<String>) -> Origin {
        self.rules.push(why.into());
        Origin::Rule(u32::try_from(self.rules.len() - 1).expect("fewer than 2^32 rules"))
    }

    /// A variable that is no item.
    pub fn auxiliary(&mut self) -> Var {
        self.vars += 1;
        Var::new(self.vars - 1)
    }

    /// Adds a clause; `None` stands for one that always holds.
    pub fn clause(&mut self, clause: Option<Clause>, origin: Origin) {
        if let Some(clause) = clause {
            self.clauses.push(clause);
            self.origins.push(origin);
        }
    }

    /// Checks the clauses and drops the superfluous ones.
    ///
    /// # Errors
    /// If keeping every item breaks a clause: such an input is not valid to begin with.
    pub fn finish(self) -> Result<Model, BadModel> {
        let ModelBuilder { items, vars, clauses, origins, rules } = self;
        let mut model = Model { items, vars, clauses, origins, rules };
        let broken: Vec<usize> =
            (0..model.clauses.len()).filter(|index| model.clauses[*index].gives().is_empty()).collect();
        if !broken.is_empty() {
            return Err(BadModel {
                count: broken.len(),
                first: broken.iter().take(3).map(|index| model.describe(*index)).collect(),
            });
        }
        let gone = superfluous(&model.clauses);
        let mut marks = gone.iter();
        model.clauses.retain(|_| !marks.next().expect("one mark a clause"));
        let mut marks = gone.iter();
        model.origins.retain(|_| !marks.next().expect("one mark a clause"));
        Ok(model)
    }
}

/// Keeping everything is not valid, so there is nothing to start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadModel {
    /// How many clauses are broken.
    pub count: usize,
    /// The first of them, with their origins, as text.
    pub first: Vec<String>,
}

impl std::error::Error for BadModel {}

impl fmt::Display for BadModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, plural) = (self.count, if self.count == 1 { "" } else { "s" });
        writeln!(f, "the full set of items breaks {count} clause{plural} of the model:")?;
        for clause in &self.first {
            writeln!(f, "  {clause}")?;
        }
        if self.count > self.first.len() {
            writeln!(f, "  … and {} more", self.count - self.first.len())?;
        }
        write!(
            f,
            "Reduction starts from the full set, so that must be valid: list as items only what your input really has \
             (the selected features, the installed packages), or correct the clause."
        )
    }
}

/// Items and the clauses they obey. Every clause has a positive literal, so the set of all items obeys them.
#[derive(Clone, Debug)]
pub struct Model {
    items: Items,
    vars: usize,
    clauses: Vec<Clause>,
    origins: Vec<Origin>,
    rules: Vec<String>,
}

impl Model {
    /// A model without a single rule.
    #[must_use]
    pub fn free(items: Items) -> Self {
        Model { vars: items.len(), items, clauses: Vec::new(), origins: Vec::new(), rules: Vec::new() }
    }

    /// The items it is about.
    #[must_use]
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// How many variables there are: items, then auxiliary ones.
    #[must_use]
    pub fn vars(&self) -> usize {
        self.vars
    }

    /// The clauses.
    #[must_use]
    pub fn clauses(&self) -> &[Clause] {
        &self.clauses
    }

    /// Where the clause at `index` comes from.
    #[must_use]
    pub fn origin(&self, index: usize) -> Origin {
        self.origins[index]
    }

    /// Whether every clause is "a needs b" or "a is required": then progressions are optimal and results minimal.
    #[must_use]
    pub fn is_graph(&self) -> bool {
        self.clauses.iter().all(|clause| clause.is_edge() || clause.len() == 1)
    }

    /// What a variable weighs: auxiliary ones nothing.
    #[must_use]
    pub fn weight(&self, var: Var) -> u64 {
        if var.index() < self.items.len() { self.items[ItemId::new(var.index())].weight } else { 0 }
    }

    /// What a variable is called in messages.
    #[must_use]
    pub fn name(&self, var: Var) -> String {
        if var.index() < self.items.len() {
            format!("`{}`", self.items[ItemId::new(var.index())].name)
        } else {
            format!("(auxiliary {})", var.index() - self.items.len() + 1)
        }
    }

    /// The clause at `index` in words, with its origin.
    #[must_use]
    pub fn describe(&self, index: usize) -> String {
        let clause = &self.clauses[index];
        let list =
            |vars: &[Var], and: &str| vars.iter().map(|var| self.name(*var)).collect::<Vec<_>>().join(and);
        let says = match (clause.needs(), clause.gives()) {
            ([], []) => "never".to_owned(),
            ([], gives) => format!("always {}", list(gives, " or ")),
            ([one], []) => format!("never {}", self.name(*one)),
            (needs, []) => format!("never {} together", list(needs, " and ")),
            (needs, gives) => format!("{} needs {}", list(needs, " with "), list(gives, " or ")),
        };
        match self.origins[index] {
            Origin::Parent => format!("{says} [parent]"),
            Origin::Required => format!("{says} [required]"),
            Origin::Line(line) => format!("{says} [line {line} of the model]"),
            Origin::Rule(rule) => format!("{says} [{}]", self.rules[rule as usize]),
            Origin::Lesson => format!("{says} [said by the test]"),
        }
    }

    /// The items among the variables that are true.
    #[must_use]
    pub fn items_of(&self, vars: &FixedBitSet) -> ItemSet {
        ItemSet::of(self.items.len(), vars.ones().take_while(|var| *var < self.items.len()).map(ItemId::new))
    }

    /// Whether these true variables break no clause.
    #[must_use]
    pub fn holds(&self, vars: &FixedBitSet) -> bool {
        self.clauses.iter().all(|clause| clause.holds(|var| vars.contains(var.index())))
    }

    /// Whether keeping exactly these items is valid (for some choice of the auxiliary variables).
    #[must_use]
    pub fn allows(&self, kept: &ItemSet) -> bool {
        if self.vars == self.items.len() {
            return self
                .clauses
                .iter()
                .all(|clause| clause.holds(|var| kept.contains(ItemId::new(var.index()))));
        }
        let mut solver =
            Solver::new(self.vars, self.clauses.iter().map(|clause| (clause.needs(), clause.gives())));
        (0..self.items.len()).all(|item| solver.fix(Var::new(item), kept.contains(ItemId::new(item))))
            && solver.solve(None, usize::MAX) == Some(true)
    }

    /// Adds a clause the test has taught. It must give something, or the full set would break it.
    pub(crate) fn learn(&mut self, clause: Clause) {
        debug_assert!(!clause.gives().is_empty(), "a lesson has a positive literal");
        self.clauses.push(clause);
        self.origins.push(Origin::Lesson);
    }
}
