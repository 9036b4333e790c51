//! From formulas to clauses: distribution while it stays small, auxiliary variables where it would not.
//!
//! Auxiliary variables are defined in one direction only, which is enough since every part keeps its sign. Which
//! direction is chosen so that **everything true** satisfies the clauses whenever it satisfies the formula: the
//! reducer starts from there. For a part that holds when everything is true, a variable `t` stands for the part
//! (`t` needs the part). For a part that does not, `u` stands for its absence (without `u`, the part).

use crate::clause::{Clause, superfluous};
use crate::formula::{Formula, Var};

/// How many clauses a disjunction may multiply out to before a part of it gets a variable of its own. Paths through
/// a class hierarchy stay below it, and each variable saved is one probe and one round less.
const MULTIPLY_OUT: usize = 16;

/// Translates formulas; remembers the definitions of the variables it made up.
pub(crate) struct Translation<'a> {
    next: &'a mut usize,
    definitions: Vec<Clause>,
}

/// The clauses of a formula. `next` is the first free variable and is moved on.
pub(crate) fn clauses_of(formula: &Formula, next: &mut usize) -> Vec<Clause> {
    let mut translation = Translation { next, definitions: Vec::new() };
    let mut clauses = translation.translate(formula, true);
    clauses.append(&mut translation.definitions);
    clauses
}

impl Translation<'_> {
    fn translate(&mut self, formula: &Formula, sign: bool) -> Vec<Clause> {
        match formula {
            Formula::Const(value) if *value == sign => Vec::new(),
            Formula::Const(_) => Clause::new([], []).into_iter().collect(),
            Formula::Var(var) if sign => Clause::new([], [*var]).into_iter().collect(),
            Formula::Var(var) => Clause::new([*var], []).into_iter().collect(),
            Formula::Not(inner) => self.translate(inner, !sign),
            Formula::All(parts) => self.junction(parts.iter().map(|part| (part, sign)), sign),
            Formula::Any(parts) => self.junction(parts.iter().map(|part| (part, sign)), !sign),
            Formula::Implies(premise, then) => {
                self.junction([(&**premise, !sign), (&**then, sign)].into_iter(), !sign)
            }
            Formula::Same(a, b) => {
                // a = b is (a => b) and (b => a); its negation is (a or b) and (not a or not b).
                let mut clauses = self.junction([(&**a, false), (&**b, sign)].into_iter(), false);
                clauses.extend(self.junction([(&**a, true), (&**b, !sign)].into_iter(), false));
                clauses
            }
        }
    }

    fn junction<'f>(&mut self, parts: impl Iterator<Item = (&'f Formula, bool)>, all: bool) -> Vec<Clause> {
        if all {
            return parts.flat_map(|(part, sign)| self.translate(part, sign)).collect();
        }
        let mut product: Vec<Clause> = Clause::new([], []).into_iter().collect();
        for (part, sign) in parts {
            let mut factor = self.translate(part, sign);
            if factor.is_empty() || product.is_empty() {
                return Vec::new();
            }
            // A single clause multiplies nothing, however many there are on the other side.
            while product.len().min(factor.len()) > 1 && product.len() * factor.len() > MULTIPLY_OUT {
                let larger = if product.len() > factor.len() { &mut product } else { &mut factor };
                *larger = self.define(larger);
            }
            product = multiply(&product, &factor);
        }
        product
    }

    fn define(&mut self, part: &[Clause]) -> Vec<Clause> {
        let fresh = Var::new(*self.next);
        *self.next += 1;
        let stands_for_part = part.iter().all(|clause| !clause.gives().is_empty());
        let (guard, use_of) = if stands_for_part {
            (Clause::new([fresh], []), Clause::new([], [fresh]))
        } else {
            (Clause::new([], [fresh]), Clause::new([fresh], []))
        };
        let guard = guard.expect("one literal does not contradict itself");
        self.definitions.extend(part.iter().filter_map(|clause| clause.or(&guard)));
        use_of.into_iter().collect()
    }
}

fn multiply(left: &[Clause], right: &[Clause]) -> Vec<Clause> {
    let product: Vec<Clause> = left.iter().flat_map(|a| right.iter().filter_map(|b| a.or(b))).collect();
    if left.len() == 1 || right.len() == 1 {
        // Nothing new can be superfluous in a row of a thousand implications; the model looks once more at the end.
        if product.len() > MULTIPLY_OUT {
            return product;
        }
    }
    let mut gone = superfluous(&product).into_iter();
    product.into_iter().filter(|_| !gone.next().expect("one mark a clause")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VARS: usize = 5;

    fn formula() -> impl Strategy<Value = Formula> {
        let leaf = prop_oneof![
            8 => (0..VARS).prop_map(|v| Formula::Var(Var::new(v))),
            1 => any::<bool>().prop_map(Formula::Const),
        ];
        leaf.prop_recursive(4, 40, 4, |inner| {
            prop_oneof![
                inner.clone().prop_map(Formula::negated),
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Formula::All),
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Formula::Any),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| a.implies(b)),
                (inner.clone(), inner).prop_map(|(a, b)| a.same_as(b)),
            ]
        })
    }

    /// A formula that really needs auxiliary variables: a disjunction of many conjunctions.
    fn wide(rows: &[Vec<(usize, bool)>]) -> Formula {
        Formula::any(rows.iter().map(|row| {
            Formula::all(row.iter().map(|(v, sign)| {
                let var = Formula::Var(Var::new(*v));
                if *sign { var } else { var.negated() }
            }))
        }))
    }

    fn agrees(formula: &Formula) -> Result<(), TestCaseError> {
        let mut next = VARS;
        let clauses = clauses_of(formula, &mut next);
        let aux = next - VARS;
        prop_assume!(aux <= 8);
        for bits in 0..1u32 << VARS {
            let satisfiable = (0..1u32 << aux).any(|more| {
                let all = bits | more << VARS;
                clauses.iter().all(|clause| clause.holds(|var| all >> var.0 & 1 == 1))
            });
            prop_assert_eq!(formula.holds(&|var| bits >> var.0 & 1 == 1), satisfiable, "at {:05b}", bits);
        }
        let everything = formula.holds(&|_| true);
        let implicative = clauses.iter().all(|clause| !clause.gives().is_empty());
        prop_assert_eq!(
            everything,
            implicative,
            "everything true satisfies the clauses iff it satisfies the formula"
        );
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn clauses_and_formula_have_the_same_models(formula in formula()) {
            agrees(&formula)?;
        }

        #[test]
        fn auxiliary_variables_change_no_model(
            rows in proptest::collection::vec(proptest::collection::vec((0..VARS, any::<bool>()), 2..4), 3..6),
        ) {
            agrees(&wide(&rows))?;
        }
    }

    #[test]
    fn a_wide_disjunction_gets_auxiliary_variables_and_not_a_product() {
        let rows: Vec<Vec<(usize, bool)>> = (0..10).map(|i| vec![(2 * i, true), (2 * i + 1, true)]).collect();
        let mut next = 20;
        let clauses = clauses_of(&wide(&rows), &mut next);
        assert!(
            next > 20 && clauses.len() < 60,
            "{} clauses, {} auxiliary variables",
            clauses.len(),
            next - 20
        );
    }

    #[test]
    fn one_premise_over_many_conclusions_needs_no_auxiliary_variable() {
        let premise = Formula::Var(Var::new(0));
        let mut next = 1001;
        let clauses = clauses_of(
            &premise.implies(Formula::all((1..1001).map(|v| Formula::Var(Var::new(v))))),
            &mut next,
        );
        assert_eq!((clauses.len(), next), (1000, 1001));
    }
}
