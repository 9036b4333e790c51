//! Formulas over items: what a model is written in.

use crate::item::ItemId;

/// A propositional variable: an item, or an auxiliary one that the translation to clauses made up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub(crate) u32);

impl Var {
    /// The position among all variables; items come first, with their own positions.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn new(index: usize) -> Self {
        ItemId::new(index).into()
    }
}

impl From<ItemId> for Var {
    fn from(item: ItemId) -> Self {
        Var(u32::try_from(item.index()).expect("an item's position fits 32 bits"))
    }
}

/// A statement about which items are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// Always so, or never.
    Const(bool),
    /// The variable is true: the item is kept.
    Var(Var),
    /// Not so.
    Not(Box<Formula>),
    /// All of these.
    All(Vec<Formula>),
    /// At least one of these.
    Any(Vec<Formula>),
    /// If the first then the second.
    Implies(Box<Formula>, Box<Formula>),
    /// Both or neither.
    Same(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// The item is kept.
    #[must_use]
    pub fn item(item: ItemId) -> Self {
        Formula::Var(item.into())
    }

    /// All of these hold; true if there are none.
    pub fn all(parts: impl IntoIterator<Item = Formula>) -> Self {
        Formula::All(parts.into_iter().collect())
    }

    /// At least one of these holds; false if there are none.
    pub fn any(parts: impl IntoIterator<Item = Formula>) -> Self {
        Formula::Any(parts.into_iter().collect())
    }

    /// If this then `then`.
    #[must_use]
    pub fn implies(self, then: Formula) -> Self {
        Formula::Implies(Box::new(self), Box::new(then))
    }

    /// This and `other` both hold, or neither does.
    #[must_use]
    pub fn same_as(self, other: Formula) -> Self {
        Formula::Same(Box::new(self), Box::new(other))
    }

    /// This does not hold.
    #[must_use]
    pub fn negated(self) -> Self {
        Formula::Not(Box::new(self))
    }

    /// Whether it holds when exactly the variables that `is_true` names are true.
    pub fn holds(&self, is_true: &dyn Fn(Var) -> bool) -> bool {
        match self {
            Formula::Const(value) => *value,
            Formula::Var(var) => is_true(*var),
            Formula::Not(inner) => !inner.holds(is_true),
            Formula::All(parts) => parts.iter().all(|part| part.holds(is_true)),
            Formula::Any(parts) => parts.iter().any(|part| part.holds(is_true)),
            Formula::Implies(premise, then) => !premise.holds(is_true) || then.holds(is_true),
            Formula::Same(a, b) => a.holds(is_true) == b.holds(is_true),
        }
    }
}
