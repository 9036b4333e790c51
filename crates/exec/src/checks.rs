//! In which order the checks of a test run, and what is learned about that on the way.
//!
//! A *way* is what one candidate goes through: some checks first, the others only if none of those failed. It changes
//! between questions alone, after as many boring verdicts as [`FIRST_LOOK`] says and then each time there are twice as
//! many, and depends on nothing but the verdicts settled by then: so it is the same for every number of jobs.

use dwindle_core::{CheckId, CheckTally, Marks, Verdict};

use crate::error::ExecError;
use crate::invocation::Invocation;

/// One check of a test that is given as several commands.
#[derive(Clone, Debug)]
pub struct Check {
    /// What it is called.
    pub name: String,
    /// What is run; exit status 0 means that it holds.
    pub invocation: Invocation,
    /// The checks, by their places in the list, that must hold before it, and whose files it finds.
    pub needs: Vec<usize>,
}

/// How the checks of a test are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckModes {
    /// All that are independent at once, instead of one after the other until one fails.
    pub parallel: bool,
    /// Those that rejected nothing on their own come last, on what all others let through.
    pub dedup: bool,
    /// Those that fail most often for what they cost come first.
    pub adaptive: bool,
}

/// What one run of each check costs: only ratios count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costs(Vec<u64>);

impl Costs {
    /// All the same.
    #[must_use]
    pub fn equal(checks: usize) -> Self {
        Costs(vec![1; checks])
    }

    /// As given, one for each check.
    #[must_use]
    pub fn given(costs: Vec<u64>) -> Self {
        Costs(costs.into_iter().map(|cost| cost.max(1)).collect())
    }

    /// From times by the clock, in steps of a factor of 4, so that the same checks on a busier machine hardly ever
    /// change places.
    #[must_use]
    pub fn measured(times: &[std::time::Duration]) -> Self {
        let least = times.iter().map(std::time::Duration::as_nanos).min().unwrap_or(1).max(1);
        Costs(
            times.iter().map(|time| 4u64.pow((time.as_nanos() / least).max(1).ilog2().div_ceil(2))).collect(),
        )
    }

    /// The numbers, one for each check.
    #[must_use]
    pub fn numbers(&self) -> &[u64] {
        &self.0
    }
}

/// What a candidate goes through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    /// These first,
    pub(crate) first: Vec<usize>,
    /// and these if none of the first failed.
    pub(crate) last: Vec<usize>,
    /// Whether the first failure is the end of it.
    pub(crate) stops: bool,
    pub(crate) number: u32,
}

/// How many boring verdicts are there before anything is changed, at the least.
const FIRST_LOOK: u64 = 32;

/// Learns from verdicts which way is best.
#[derive(Debug)]
pub(crate) struct Schedule {
    modes: CheckModes,
    needs: Vec<Vec<usize>>,
    costs: Costs,
    tally: CheckTally,
    next_look: u64,
    way: std::sync::Arc<Way>,
}

impl Schedule {
    /// The checks in the order given; with `dedup` all of them at first, whether one has failed or not, to see which
    /// fail together.
    pub(crate) fn new(needs: Vec<Vec<usize>>, modes: CheckModes) -> Result<Self, ExecError> {
        let checks = needs.len();
        if checks > Marks::MAX_CHECKS {
            return Err(ExecError::TooManyChecks { count: checks });
        }
        let stops = !modes.parallel && !modes.dedup;
        let way = Way { first: (0..checks).collect(), last: Vec::new(), stops, number: 0 };
        Ok(Schedule {
            modes,
            needs,
            costs: Costs::equal(checks),
            tally: CheckTally::new(checks),
            next_look: FIRST_LOOK,
            way: way.into(),
        })
    }

    pub(crate) fn set_costs(&mut self, costs: Costs) {
        self.costs = costs;
    }

    pub(crate) fn costs(&self) -> &Costs {
        &self.costs
    }

    /// The way for candidates that are run now.
    pub(crate) fn way(&self) -> std::sync::Arc<Way> {
        std::sync::Arc::clone(&self.way)
    }

    /// Whether it ever changes.
    pub(crate) fn learns(&self) -> bool {
        self.modes.dedup || self.modes.adaptive
    }

    pub(crate) fn settled(&mut self, verdict: Verdict) {
        self.tally.add(verdict);
    }

    /// Looks at what was learned, if it is time to.
    pub(crate) fn adapt(&mut self) -> Option<u32> {
        if !self.learns() {
            return None;
        }
        if self.tally.boring() >= self.next_look {
            while self.tally.boring() >= self.next_look {
                self.next_look *= 2;
            }
            let way = self.best_way();
            if way != *self.way {
                self.way = Way { number: self.way.number + 1, ..way }.into();
            }
        }
        Some(self.way.number)
    }

    fn best_way(&self) -> Way {
        let order = self.order();
        let mut last = vec![false; order.len()];
        if self.modes.dedup {
            // Of two that could do without each other the cheaper one stays.
            let mut by_cost: Vec<usize> = order.clone();
            by_cost.sort_by_key(|&check| self.costs.0[check]);
            let by_cost: Vec<CheckId> = by_cost.into_iter().map(|check| CheckId(check as u16)).collect();
            for check in self.tally.redundant(&by_cost) {
                last[usize::from(check.0)] = true;
            }
            // What another one builds upon has to come before that.
            for &check in order.iter().rev() {
                if !last[check] {
                    self.needs[check].iter().for_each(|&needed| last[needed] = false);
                }
            }
        }
        let (last, first) = order.iter().partition(|&&check| last[check]);
        Way { first, last, stops: !self.modes.parallel, number: self.way.number }
    }

    /// The checks by failures over cost where that is wanted, each after those it needs.
    fn order(&self) -> Vec<usize> {
        let checks = self.needs.len();
        if !self.modes.adaptive {
            return (0..checks).collect();
        }
        let counts = self.tally.counts();
        // Failures as if each had failed once in two runs more than it has: nobody starts at nothing. The larger of
        // a/b and c/d by multiplying out: whole numbers are the same everywhere.
        let rate = |check: usize| {
            let runs = u128::from(counts[check].executed + 2) * u128::from(self.costs.0[check]);
            (u128::from(counts[check].failed + 1), runs)
        };
        let mut order: Vec<usize> = Vec::with_capacity(checks);
        while order.len() < checks {
            let ready = |check: &usize| {
                !order.contains(check) && self.needs[*check].iter().all(|needed| order.contains(needed))
            };
            let best = (0..checks).filter(ready).reduce(|best, check| {
                let ((a, b), (c, d)) = (rate(best), rate(check));
                if c * b > a * d { check } else { best }
            });
            order.push(best.expect("needs go backwards, so one is always ready"));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwindle_core::Mark;
    use std::time::Duration;

    fn schedule(needs: &[&[usize]], modes: CheckModes) -> Schedule {
        Schedule::new(needs.iter().map(|needs| needs.to_vec()).collect(), modes).unwrap()
    }

    fn settle(schedule: &mut Schedule, times: u64, failed: &[u16]) {
        let ok = (0..3).fold(Marks::NONE, |marks, check| marks.with(CheckId(check), Mark::Ok));
        let marks = failed.iter().fold(ok, |marks, &check| marks.with(CheckId(check), Mark::Failed));
        (0..times).for_each(|_| schedule.settled(Verdict::Boring { marks }));
    }

    #[test]
    fn without_anything_to_learn_the_order_stays() {
        let mut plain = schedule(&[&[], &[], &[]], CheckModes::default());
        settle(&mut plain, 500, &[2]);
        assert_eq!(plain.adapt(), None);
        assert_eq!((&plain.way().first[..], plain.way().stops), (&[0, 1, 2][..], true));
    }

    #[test]
    fn the_check_that_fails_most_for_its_cost_comes_first_but_after_what_it_needs() {
        let adaptive = CheckModes { adaptive: true, ..CheckModes::default() };
        let mut free = schedule(&[&[], &[], &[]], adaptive);
        settle(&mut free, 31, &[2]);
        assert_eq!((free.adapt(), &free.way().first[..]), (Some(0), &[0, 1, 2][..]));
        settle(&mut free, 10, &[1]);
        assert_eq!((free.adapt(), &free.way().first[..]), (Some(1), &[2, 1, 0][..]));
        let mut bound = schedule(&[&[], &[], &[0]], adaptive);
        settle(&mut bound, 40, &[2]);
        bound.adapt();
        assert_eq!(bound.way().first, [0, 2, 1]);
        let mut dear = schedule(&[&[], &[], &[]], adaptive);
        dear.set_costs(Costs::given(vec![1, 1, 100]));
        settle(&mut dear, 30, &[2]);
        settle(&mut dear, 3, &[1]);
        dear.adapt();
        assert_eq!(dear.way().first, [1, 0, 2], "a check that costs a hundred times as much waits");
    }

    #[test]
    fn a_redundant_check_comes_last_until_it_rejects_something_alone() {
        let dedup = CheckModes { dedup: true, ..CheckModes::default() };
        let mut twins = schedule(&[&[], &[], &[]], dedup);
        assert!(!twins.way().stops, "at first all are run");
        settle(&mut twins, 32, &[0, 1]);
        settle(&mut twins, 1, &[2]);
        assert_eq!(twins.adapt(), Some(1));
        let way = twins.way();
        assert_eq!((&way.first[..], &way.last[..], way.stops), (&[0, 2][..], &[1][..], true));
        settle(&mut twins, 31, &[1]);
        twins.adapt();
        assert_eq!(twins.way().last, [0], "now the other one does nothing alone");
        // The second needs the first, which therefore cannot wait.
        let mut bound = schedule(&[&[], &[0], &[]], dedup);
        settle(&mut bound, 32, &[0, 1]);
        bound.set_costs(Costs::given(vec![9, 1, 1]));
        bound.adapt();
        assert_eq!(bound.way().first, [0, 1]);
    }

    #[test]
    fn measured_costs_come_in_steps() {
        let times = [10, 13, 35, 100, 1700].map(Duration::from_millis);
        assert_eq!(Costs::measured(&times).numbers(), [1, 1, 4, 16, 256]);
        assert_eq!(Costs::measured(&[]).numbers(), [0; 0]);
    }
}
