//! The model inside one solution: what can still go, and what goes with it.
//!
//! Variables outside the solution are false, so only the clauses whose needs all lie inside it say anything. Inside,
//! everything being true is fine, and dropping one variable is a question for a small solver.

use crate::formula::Var;
use crate::solve::Solver;

/// How many dead ends one question "can this variable go?" may cost before the variable just stays.
const DEAD_ENDS: usize = 2_000;

/// A solution and the clauses that bind it.
#[derive(Debug)]
pub(crate) struct Local {
    solution: Vec<Var>,
    solver: Solver,
}

impl Local {
    /// `clauses` are those whose needs are all met and that nothing outside the solution satisfies: variables outside it
    /// are ignored, needs because they are true, gives because they are false.
    pub(crate) fn new<'c>(
        vars: usize,
        solution: Vec<Var>,
        clauses: impl Iterator<Item = (&'c [Var], &'c [Var])>,
    ) -> Self {
        const OUTSIDE: Var = Var(u32::MAX);
        let mut local = vec![OUTSIDE; vars];
        for (index, var) in solution.iter().enumerate() {
            local[var.index()] = Var::new(index);
        }
        let inside = |list: &[Var]| -> Vec<Var> {
            list.iter().map(|var| local[var.index()]).filter(|var| *var != OUTSIDE).collect()
        };
        let clauses: Vec<(Vec<Var>, Vec<Var>)> =
            clauses.map(|(needs, gives)| (inside(needs), inside(gives))).collect();
        let mut solver =
            Solver::new(solution.len(), clauses.iter().map(|(needs, gives)| (&needs[..], &gives[..])));
        let satisfiable = solver.settle();
        debug_assert!(satisfiable, "a solution satisfies the clauses it is made from");
        Local { solution, solver }
    }

    /// The positions of the solution about which nothing is decided or forced so far.
    pub(crate) fn undecided(&self) -> Vec<usize> {
        (0..self.solution.len()).filter(|index| self.solver.value(Var::new(*index)).is_none()).collect()
    }

    /// The variable at `position`.
    pub(crate) fn var(&self, position: usize) -> Var {
        self.solution[position]
    }

    /// The variables of the solution that have not gone.
    pub(crate) fn kept(&self) -> Vec<Var> {
        let with_index = self.solution.iter().enumerate();
        with_index
            .filter(|(index, _)| self.solver.value(Var::new(*index)) != Some(false))
            .map(|(_, v)| *v)
            .collect()
    }

    /// Makes the solution minimal, trying the variables in the order given; whether that is certain.
    pub(crate) fn minimise(&mut self, positions: &[usize]) -> bool {
        let mut certain = true;
        for position in positions {
            let mark = self.solver.mark();
            match self.question(*position) {
                Some(true) => {
                    let gone: Vec<Var> = self.solver.falsified_since(mark).collect();
                    self.solver.forget(mark);
                    for var in gone {
                        self.solver.fix(var, false);
                    }
                }
                Some(false) => {
                    self.solver.fix(Var::new(*position), true);
                }
                None => {
                    certain = false;
                    self.solver.fix(Var::new(*position), true);
                }
            }
        }
        certain
    }

    /// What has to go if the variable at `position` goes; `None` if it cannot, or if the solver gave up.
    pub(crate) fn gone_without(&mut self, position: usize) -> Option<Vec<Var>> {
        let mark = self.solver.mark();
        self.question(position).filter(|can_go| *can_go)?;
        let gone = self.solver.falsified_since(mark).map(|local| self.solution[local.index()]).collect();
        self.solver.forget(mark);
        Some(gone)
    }

    fn question(&mut self, position: usize) -> Option<bool> {
        let var = Var::new(position);
        match self.solver.value(var) {
            Some(value) => Some(!value),
            None => self.solver.solve(Some(var), DEAD_ENDS),
        }
    }
}
