//! Clauses read as implications, and which of them make others superfluous.

use std::ops::Range;

use crate::formula::Var;

/// "If all of `needs` are true, then at least one of `gives` is": the negative and the positive literals of a clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Clause {
    literals: Box<[Var]>,
    split: u32,
}

impl Clause {
    /// Makes a clause; `None` if it is always true because a variable is needed and given.
    pub fn new(needs: impl IntoIterator<Item = Var>, gives: impl IntoIterator<Item = Var>) -> Option<Self> {
        let sorted = |vars: &mut Vec<Var>| {
            vars.sort_unstable();
            vars.dedup();
        };
        let mut needs: Vec<Var> = needs.into_iter().collect();
        let mut gives: Vec<Var> = gives.into_iter().collect();
        sorted(&mut needs);
        sorted(&mut gives);
        if needs.iter().any(|var| gives.binary_search(var).is_ok()) {
            return None;
        }
        let split = u32::try_from(needs.len()).expect("a clause has fewer than 2^32 literals");
        needs.append(&mut gives);
        Some(Clause { literals: needs.into(), split })
    }

    /// What it asks for: the variables that occur negatively, ascending.
    #[must_use]
    pub fn needs(&self) -> &[Var] {
        &self.literals[..self.split as usize]
    }

    /// What it promises: the variables that occur positively, ascending.
    #[must_use]
    pub fn gives(&self) -> &[Var] {
        &self.literals[self.split as usize..]
    }

    /// How many literals it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.literals.len()
    }

    /// Whether it has no literal, and so never holds.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.literals.is_empty()
    }

    /// Whether it is of the form "a needs b".
    #[must_use]
    pub fn is_edge(&self) -> bool {
        self.len() == 2 && self.split == 1
    }

    /// Whether it holds when exactly the variables that `is_true` names are true.
    pub fn holds(&self, is_true: impl Fn(Var) -> bool) -> bool {
        self.gives().iter().any(|var| is_true(*var)) || !self.needs().iter().all(|var| is_true(*var))
    }

    /// Both clauses in one: it holds when either does. `None` if that is always.
    pub(crate) fn or(&self, other: &Clause) -> Option<Clause> {
        let both = |a: &[Var], b: &[Var]| a.iter().chain(b).copied().collect::<Vec<_>>();
        Clause::new(both(self.needs(), other.needs()), both(self.gives(), other.gives()))
    }

    /// Whether every literal of this clause is in `other`, so that `other` says nothing new.
    #[must_use]
    pub fn subsumes(&self, other: &Clause) -> bool {
        is_sorted_subset(self.needs(), other.needs()) && is_sorted_subset(self.gives(), other.gives())
    }

    fn codes(&self) -> impl Iterator<Item = u64> + '_ {
        let needs = self.needs().iter().map(|var| u64::from(var.0) << 1);
        needs.chain(self.gives().iter().map(|var| u64::from(var.0) << 1 | 1))
    }
}

fn is_sorted_subset(small: &[Var], large: &[Var]) -> bool {
    let mut rest = large.iter();
    small.len() <= large.len() && small.iter().all(|var| rest.any(|other| other == var))
}

/// Marks the clauses that another one makes superfluous; of equal ones the first stays.
pub(crate) fn superfluous(clauses: &[Clause]) -> Vec<bool> {
    let mut drop = vec![false; clauses.len()];
    // Which clauses hold a literal: sorted pairs, since a map of lists takes seconds for half a million clauses.
    let mut holders: Vec<(u64, u32)> = Vec::new();
    for (index, clause) in (0u32..).zip(clauses) {
        holders.extend(clause.codes().map(|code| (code, index)));
    }
    holders.sort_unstable();
    // Whatever a clause subsumes holds its rarest literal too.
    let mut rarest: Vec<Option<Range<usize>>> = vec![None; clauses.len()];
    let mut start = 0;
    for group in holders.chunk_by(|(a, _), (b, _)| a == b) {
        for (_, index) in group {
            let known = &mut rarest[*index as usize];
            if known.as_ref().is_none_or(|known| known.len() > group.len()) {
                *known = Some(start..start + group.len());
            }
        }
        start += group.len();
    }
    let mut by_length: Vec<usize> = (0..clauses.len()).collect();
    by_length.sort_by_key(|index| clauses[*index].len());
    for index in by_length {
        if drop[index] {
            continue;
        }
        let Some(rarest) = rarest[index].clone() else {
            // The empty clause has no literal and subsumes everything.
            drop.iter_mut().enumerate().for_each(|(other, gone)| *gone |= other != index);
            return drop;
        };
        for other in holders[rarest].iter().map(|(_, other)| *other as usize) {
            if other != index && !drop[other] && clauses[index].subsumes(&clauses[other]) {
                drop[other] = true;
            }
        }
    }
    drop
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clause(needs: &[u32], gives: &[u32]) -> Clause {
        Clause::new(needs.iter().map(|v| Var(*v)), gives.iter().map(|v| Var(*v))).unwrap()
    }

    #[test]
    fn a_clause_that_needs_what_it_gives_is_none() {
        assert_eq!(Clause::new([Var(1), Var(2)], [Var(2)]), None);
    }

    #[test]
    fn a_shorter_clause_makes_longer_ones_superfluous_and_of_equal_ones_the_first_stays() {
        let clauses = [
            clause(&[0, 1], &[2]),
            clause(&[0], &[2]),
            clause(&[0], &[2]),
            clause(&[0], &[1, 3]),
            clause(&[2], &[0]),
        ];
        assert_eq!(superfluous(&clauses), [true, false, true, false, false]);
    }

    #[test]
    fn the_same_variables_with_other_signs_do_not_subsume() {
        assert!(!clause(&[0], &[1]).subsumes(&clause(&[1], &[0])));
        assert!(!clause(&[], &[1]).subsumes(&clause(&[1], &[0])));
    }
}
