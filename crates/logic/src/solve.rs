//! A small complete solver: is there a model at all, once some variables are fixed?
//!
//! Two watched literals a clause and a trail, as every modern solver has, and one thing of its own: since setting
//! everything left to true satisfies each clause that still has a positive literal open, it branches only on clauses
//! of which nothing but negative literals is left. Our models have hardly any, so it hardly ever branches.

use crate::formula::Var;

/// A variable with a sign: `2v` is "v is false", `2v + 1` is "v is true".
type Literal = u32;

fn literal(var: Var, value: bool) -> Literal {
    var.0 << 1 | u32::from(value)
}

/// Clauses over variables `0..n` with a current partial assignment.
#[derive(Debug)]
pub(crate) struct Solver {
    literals: Vec<Literal>,
    /// Where each clause starts in `literals`; one more at the end.
    starts: Vec<u32>,
    /// Clauses that watch a literal, to be looked at when it becomes false.
    watchers: Vec<Vec<u32>>,
    /// Clauses that hold a variable positively.
    givers: Vec<Vec<u32>>,
    /// Clauses that never had a positive literal.
    prohibitions: Vec<u32>,
    value: Vec<Option<bool>>,
    trail: Vec<Literal>,
    /// How much of the trail has been propagated.
    done: usize,
    /// Nothing satisfies the clauses and what has been fixed.
    contradiction: bool,
}

impl Solver {
    /// Takes clauses as (negative, positive) variables.
    pub(crate) fn new<'c>(vars: usize, clauses: impl Iterator<Item = (&'c [Var], &'c [Var])>) -> Self {
        let mut solver = Solver {
            literals: Vec::new(),
            starts: vec![0],
            watchers: vec![Vec::new(); 2 * vars],
            givers: vec![Vec::new(); vars],
            prohibitions: Vec::new(),
            value: vec![None; vars],
            trail: Vec::new(),
            done: 0,
            contradiction: false,
        };
        for (needs, gives) in clauses {
            solver.add(needs, gives);
        }
        solver
    }

    fn add(&mut self, needs: &[Var], gives: &[Var]) {
        let start = self.literals.len();
        self.literals.extend(gives.iter().map(|var| literal(*var, true)));
        self.literals.extend(needs.iter().map(|var| literal(*var, false)));
        match self.literals[start..] {
            [] => self.contradiction = true,
            [only] => {
                self.literals.truncate(start);
                self.contradiction |= !self.set(only);
            }
            [first, second, ..] => {
                let clause = u32::try_from(self.starts.len() - 1).expect("fewer than 2^32 clauses");
                self.watchers[first as usize].push(clause);
                self.watchers[second as usize].push(clause);
                for var in gives {
                    self.givers[var.index()].push(clause);
                }
                if gives.is_empty() {
                    self.prohibitions.push(clause);
                }
                self.starts.push(u32::try_from(self.literals.len()).expect("fewer than 2^32 literals"));
            }
        }
    }

    /// The value that propagation or the last successful [`solve`](Self::solve) gave.
    pub(crate) fn value(&self, var: Var) -> Option<bool> {
        self.value[var.index()]
    }

    /// Fixes a variable for good; false if that leaves no model (then nothing will).
    pub(crate) fn fix(&mut self, var: Var, value: bool) -> bool {
        self.contradiction = self.contradiction || !self.set(literal(var, value)) || !self.propagate();
        !self.contradiction
    }

    /// Draws all consequences of the clauses of one literal; false if there is no model.
    pub(crate) fn settle(&mut self) -> bool {
        self.contradiction = self.contradiction || !self.propagate();
        !self.contradiction
    }

    /// Looks for a model in which `assumed` is false. `None` if `limit` dead ends did not decide it.
    ///
    /// After `Some(true)` the model is in [`value`](Self::value), variables without a value being true, until
    /// [`forget`](Self::forget) is called with the length of the trail from before.
    pub(crate) fn solve(&mut self, assumed: Option<Var>, limit: usize) -> Option<bool> {
        if !self.settle() {
            return Some(false);
        }
        let base = self.trail.len();
        if let Some(var) = assumed
            && !(self.set(literal(var, false)) && self.propagate())
        {
            self.forget(base);
            return Some(false);
        }
        // Each choice: the trail before it, and the literal that was tried.
        let mut choices: Vec<(usize, Literal)> = Vec::new();
        let mut dead_ends = 0;
        let mut from = 0;
        loop {
            let Some(tried) = self.open_negative(&mut from) else {
                return Some(true);
            };
            choices.push((self.trail.len(), tried));
            let mut fine = self.set(tried) && self.propagate();
            while !fine {
                dead_ends += 1;
                let back = choices.pop().filter(|_| dead_ends <= limit);
                let Some((length, tried)) = back else {
                    self.forget(base);
                    return if dead_ends > limit { None } else { Some(false) };
                };
                self.forget(length);
                from = 0;
                fine = self.set(tried ^ 1) && self.propagate();
            }
        }
    }

    /// How long the trail is now.
    pub(crate) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// The variables that were set to false after the trail had this length.
    pub(crate) fn falsified_since(&self, length: usize) -> impl Iterator<Item = Var> + '_ {
        self.trail[length..].iter().filter(|literal| **literal & 1 == 0).map(|literal| Var(literal >> 1))
    }

    /// Takes everything back that was set after the trail had this length.
    pub(crate) fn forget(&mut self, length: usize) {
        for literal in self.trail.drain(length..) {
            self.value[(literal >> 1) as usize] = None;
        }
        self.done = self.done.min(length);
    }

    fn is(&self, literal: Literal) -> Option<bool> {
        self.value[(literal >> 1) as usize].map(|value| value == (literal & 1 == 1))
    }

    fn set(&mut self, literal: Literal) -> bool {
        match self.is(literal) {
            Some(already) => already,
            None => {
                self.value[(literal >> 1) as usize] = Some(literal & 1 == 1);
                self.trail.push(literal);
                true
            }
        }
    }

    fn propagate(&mut self) -> bool {
        while self.done < self.trail.len() {
            let false_now = self.trail[self.done] ^ 1;
            self.done += 1;
            let mut watching = std::mem::take(&mut self.watchers[false_now as usize]);
            let mut kept = 0;
            let mut fine = true;
            for at in 0..watching.len() {
                let clause = watching[at];
                if fine && self.moved_watch(clause, false_now) {
                    continue;
                }
                watching[kept] = clause;
                kept += 1;
                if fine {
                    // The other watched literal, always among the first two, is all that is left.
                    let start = self.starts[clause as usize] as usize;
                    fine = self.set(self.literals[start]);
                }
            }
            watching.truncate(kept);
            self.watchers[false_now as usize] = watching;
            if !fine {
                self.done = self.trail.len();
                return false;
            }
        }
        true
    }

    /// Finds the clause another literal to watch; false if there is none, or if its other watch is true already.
    fn moved_watch(&mut self, clause: u32, false_now: Literal) -> bool {
        let (start, end) = (self.starts[clause as usize] as usize, self.starts[clause as usize + 1] as usize);
        if self.literals[start] == false_now {
            self.literals.swap(start, start + 1);
        }
        if self.is(self.literals[start]) == Some(true) {
            return false;
        }
        for at in start + 2..end {
            if self.is(self.literals[at]) != Some(false) {
                self.literals.swap(start + 1, at);
                self.watchers[self.literals[start + 1] as usize].push(clause);
                return true;
            }
        }
        false
    }

    /// A literal of a clause that has only negative ones open. Only clauses that lost a positive literal can be such,
    /// so it looks at those of the variables that are false, from trail position `from` on.
    fn open_negative(&self, from: &mut usize) -> Option<Literal> {
        while let Some(set) = self.trail.get(*from) {
            if set & 1 == 0 {
                for clause in &self.givers[(set >> 1) as usize] {
                    if let Some(open) = self.only_negatives(*clause) {
                        return Some(open);
                    }
                }
            }
            *from += 1;
        }
        self.prohibitions.iter().find_map(|clause| self.only_negatives(*clause))
    }

    fn only_negatives(&self, clause: u32) -> Option<Literal> {
        let mut open = None;
        let range = self.starts[clause as usize] as usize..self.starts[clause as usize + 1] as usize;
        for literal in &self.literals[range] {
            match self.is(*literal) {
                Some(true) => return None,
                Some(false) => {}
                None if literal & 1 == 1 => return None,
                None => open = Some(*literal),
            }
        }
        open
    }
}
