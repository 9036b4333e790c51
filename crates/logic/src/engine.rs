//! The propagation core: what follows when variables become true.
//!
//! Variables only ever become true, so one watched negative literal a clause is enough: a clause *opens* when the
//! last of its needs is met. Variables outside the search space are false: a clause that needs one never opens, and
//! one that gives some offers the others. Watches survive restarts, since nothing being true is a fine start for any
//! of them, and survive undoing, since what was false at a deeper level is false above it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fixedbitset::FixedBitSet;

use crate::formula::Var;
use crate::model::Model;
use crate::order::Order;

/// Which open clause a closure answers first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The one that offers the smallest variable of all, as published.
    Smallest,
    /// Those that leave no choice, then the one that offers the smallest variable.
    ForcedFirst,
}

/// All clauses, flat, with the variables that are true now.
#[derive(Debug)]
pub(crate) struct Engine {
    needs: Vec<Var>,
    needs_end: Vec<u32>,
    /// What each clause gives, smallest in the order first.
    gives: Vec<Var>,
    gives_end: Vec<u32>,
    rank: Vec<u32>,
    sequence: Vec<Var>,
    watchers: Vec<Vec<u32>>,
    /// Clauses that need nothing: required items and learned sets.
    facts: Vec<u32>,
    within: FixedBitSet,
    is_true: FixedBitSet,
    trail: Vec<Var>,
    /// How much of the trail has been propagated.
    done: usize,
    /// Clauses whose needs are met, in the order they opened; some of them satisfied.
    open: Vec<u32>,
    /// How many of the open clauses the heap has been told of.
    offered: usize,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
    /// How long the trail was when a closure first had a choice.
    first_choice: Option<usize>,
}

/// A state to come back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    trail: usize,
    open: usize,
}

impl Engine {
    pub(crate) fn new(model: &Model, order: &Order) -> Self {
        let vars = model.vars();
        let mut engine = Engine {
            needs: Vec::new(),
            needs_end: Vec::with_capacity(model.clauses().len()),
            gives: Vec::new(),
            gives_end: Vec::with_capacity(model.clauses().len()),
            rank: (0..vars).map(|var| order.rank(Var::new(var))).collect(),
            sequence: order.sequence().to_vec(),
            watchers: vec![Vec::new(); vars],
            facts: Vec::new(),
            within: FixedBitSet::with_capacity(vars),
            is_true: FixedBitSet::with_capacity(vars),
            trail: Vec::with_capacity(vars),
            done: 0,
            open: Vec::new(),
            offered: 0,
            heap: BinaryHeap::new(),
            first_choice: None,
        };
        for clause in model.clauses() {
            engine.add(clause.needs(), clause.gives());
        }
        engine
    }

    /// Adds a clause. Takes effect at the next restart.
    pub(crate) fn add(&mut self, needs: &[Var], gives: &[Var]) {
        let clause = u32::try_from(self.needs_end.len()).expect("fewer than 2^32 clauses");
        match needs.first() {
            Some(first) => self.watchers[first.index()].push(clause),
            None => self.facts.push(clause),
        }
        self.needs.extend_from_slice(needs);
        let start = self.gives.len();
        self.gives.extend_from_slice(gives);
        let rank = &self.rank;
        self.gives[start..].sort_unstable_by_key(|var| rank[var.index()]);
        let end = |list: &[Var]| u32::try_from(list.len()).expect("fewer than 2^32 literals");
        self.needs_end.push(end(&self.needs));
        self.gives_end.push(end(&self.gives));
    }

    /// Starts again with nothing true and everything outside `within` false.
    pub(crate) fn restart(&mut self, within: &FixedBitSet) {
        self.within.clone_from(within);
        self.is_true.clear();
        self.trail.clear();
        self.done = 0;
        self.open.clone_from(&self.facts);
        self.offered = 0;
        self.heap.clear();
        self.first_choice = None;
    }

    pub(crate) fn sequence(&self) -> &[Var] {
        &self.sequence
    }

    pub(crate) fn rank(&self, var: Var) -> u32 {
        self.rank[var.index()]
    }

    pub(crate) fn is_true(&self, var: Var) -> bool {
        self.is_true.contains(var.index())
    }

    pub(crate) fn is_within(&self, var: Var) -> bool {
        self.within.contains(var.index())
    }

    pub(crate) fn set_within(&mut self, var: Var, within: bool) {
        self.within.set(var.index(), within);
    }

    /// The variables that are true, in the order they became so.
    pub(crate) fn trail(&self) -> &[Var] {
        &self.trail
    }

    /// The clauses whose needs are met.
    pub(crate) fn open(&self) -> &[u32] {
        &self.open
    }

    pub(crate) fn needs(&self, clause: u32) -> &[Var] {
        let clause = clause as usize;
        let start = if clause == 0 { 0 } else { self.needs_end[clause - 1] };
        &self.needs[start as usize..self.needs_end[clause] as usize]
    }

    pub(crate) fn gives(&self, clause: u32) -> &[Var] {
        let clause = clause as usize;
        let start = if clause == 0 { 0 } else { self.gives_end[clause - 1] };
        &self.gives[start as usize..self.gives_end[clause] as usize]
    }

    pub(crate) fn is_satisfied(&self, clause: u32) -> bool {
        self.gives(clause).iter().any(|var| self.is_true(*var))
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { trail: self.trail.len(), open: self.open.len() }
    }

    /// Goes back to a state whose propagation was complete. Not to be mixed with [`close`](Self::close).
    pub(crate) fn undo(&mut self, mark: Mark) {
        for var in self.trail.drain(mark.trail..) {
            self.is_true.set(var.index(), false);
        }
        self.done = mark.trail;
        self.open.truncate(mark.open);
    }

    /// Makes a variable true.
    pub(crate) fn assume(&mut self, var: Var) {
        debug_assert!(self.is_within(var), "only variables of the search space become true");
        if !self.is_true.put(var.index()) {
            self.trail.push(var);
        }
    }

    /// Opens all clauses whose needs are now met.
    pub(crate) fn propagate(&mut self) {
        while let Some(var) = self.trail.get(self.done) {
            let var = var.index();
            self.done += 1;
            let mut watching = std::mem::take(&mut self.watchers[var]);
            watching.retain(|clause| {
                let unmet = self.needs(*clause).iter().copied().find(|need| !self.is_true(*need));
                match unmet {
                    Some(need) => {
                        self.watchers[need.index()].push(*clause);
                        false
                    }
                    None => {
                        self.open.push(*clause);
                        true
                    }
                }
            });
            self.watchers[var] = watching;
        }
    }

    /// The logical closure: answers open clauses until each one is satisfied.
    ///
    /// Only the smallest variable that a clause offers can be the smallest of all, so each clause enters the heap once
    /// and leaves it once: the whole of a progression costs a few looks at each literal.
    pub(crate) fn close(&mut self, choice: Choice) {
        loop {
            self.propagate();
            while self.offered < self.open.len() {
                let clause = self.open[self.offered];
                self.offered += 1;
                self.offer(clause, choice);
            }
            if self.done < self.trail.len() {
                continue;
            }
            let Some(Reverse((rank, clause))) = self.heap.pop() else {
                return;
            };
            if !self.is_satisfied(clause) {
                self.first_choice.get_or_insert(self.trail.len());
                self.assume(self.sequence[rank as usize]);
            }
        }
    }

    /// After a restart and a closure that answers forced clauses first: the variables that every solution has.
    pub(crate) fn forced(&self) -> &[Var] {
        &self.trail[..self.first_choice.unwrap_or(self.trail.len())]
    }

    fn offer(&mut self, clause: u32, choice: Choice) {
        let mut offers = self.gives(clause).iter().copied().filter(|var| self.is_within(*var));
        let smallest = offers.next().expect("the search space itself satisfies every clause");
        if self.is_true(smallest) {
            return;
        }
        if choice == Choice::ForcedFirst && offers.next().is_none() {
            self.assume(smallest);
        } else {
            self.heap.push(Reverse((self.rank(smallest), clause)));
        }
    }
}
