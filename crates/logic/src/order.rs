//! The order in which variables are offered to closures and progressions.
//!
//! It is the reverse post-order of a depth-first walk over the *transposed* clauses, from what is given to what
//! needs it. Where every clause is an edge, the progression then becomes the second half of Kosaraju's algorithm:
//! each set is one strongly connected component, and all it needs is in the sets before it.

use crate::formula::Var;
use crate::model::Model;

/// A total order of the variables, fixed for a whole reduction.
#[derive(Clone, Debug)]
pub struct Order {
    sequence: Vec<Var>,
    rank: Vec<u32>,
}

impl Order {
    /// The order for a model. Ties go to required variables first, then to declaration order.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let needed_by = needed_by(model);
        let required =
            model.clauses().iter().filter(|clause| clause.len() == 1).map(|clause| clause.gives()[0]);
        let mut required: Vec<Var> = required.collect();
        required.sort_unstable();
        let roots = required.into_iter().chain((0..model.vars()).map(Var::new));
        Self::from_sequence(reverse_post_order(roots, &needed_by))
    }

    /// An order given outright; each variable occurs once.
    #[must_use]
    pub fn from_sequence(sequence: Vec<Var>) -> Self {
        let mut rank = vec![0; sequence.len()];
        for (position, var) in sequence.iter().enumerate() {
            rank[var.index()] = u32::try_from(position).expect("fewer than 2^32 variables");
        }
        Order { sequence, rank }
    }

    /// The variables, smallest first.
    #[must_use]
    pub fn sequence(&self) -> &[Var] {
        &self.sequence
    }

    /// The position of a variable.
    #[must_use]
    pub fn rank(&self, var: Var) -> u32 {
        self.rank[var.index()]
    }
}

/// For each variable those that some clause makes depend on it, ascending.
fn needed_by(model: &Model) -> Vec<Vec<Var>> {
    let mut needed_by = vec![Vec::new(); model.vars()];
    for clause in model.clauses() {
        for given in clause.gives() {
            needed_by[given.index()].extend_from_slice(clause.needs());
        }
    }
    for list in &mut needed_by {
        list.sort_unstable();
        list.dedup();
    }
    needed_by
}

fn reverse_post_order(roots: impl Iterator<Item = Var>, next: &[Vec<Var>]) -> Vec<Var> {
    let mut seen = vec![false; next.len()];
    let mut done = Vec::with_capacity(next.len());
    let mut stack: Vec<(Var, usize)> = Vec::new();
    for root in roots {
        if std::mem::replace(&mut seen[root.index()], true) {
            continue;
        }
        stack.push((root, 0));
        while let Some((var, at)) = stack.last_mut() {
            match next[var.index()].get(*at) {
                Some(child) => {
                    *at += 1;
                    if !std::mem::replace(&mut seen[child.index()], true) {
                        stack.push((*child, 0));
                    }
                }
                None => {
                    done.push(*var);
                    stack.pop();
                }
            }
        }
    }
    done.reverse();
    done
}
