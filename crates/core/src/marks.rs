//! What the checks of a test said about a candidate, and what many candidates say about the checks.

use std::collections::BTreeSet;

use crate::verdict::Verdict;

/// One named step of a test that has several, by its position in the test's list of checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CheckId(pub u16);

/// What one check said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It holds.
    Ok,
    /// It does not.
    Failed,
    /// It was not run, or nobody told.
    Unknown,
}

/// What every check of a test said about one candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Marks {
    ok: u16,
    failed: u16,
}

impl Marks {
    /// The most checks a test can have: as many three-valued marks as fit into the three bytes that a journal record
    /// has for them.
    pub const MAX_CHECKS: usize = 15;

    /// How many bits [`Marks::number`] takes.
    pub(crate) const BITS: u32 = 24;

    /// Not a word about any check.
    pub const NONE: Marks = Marks { ok: 0, failed: 0 };

    /// The same, with what one more check said.
    ///
    /// # Panics
    /// If the check is none of the first [`Marks::MAX_CHECKS`].
    #[must_use]
    pub fn with(self, check: CheckId, mark: Mark) -> Self {
        assert!(
            usize::from(check.0) < Self::MAX_CHECKS,
            "a test has no more than {} checks",
            Self::MAX_CHECKS
        );
        let bit = 1 << check.0;
        let Marks { ok, failed } = self;
        match mark {
            Mark::Ok => Marks { ok: ok | bit, failed: failed & !bit },
            Mark::Failed => Marks { ok: ok & !bit, failed: failed | bit },
            Mark::Unknown => Marks { ok: ok & !bit, failed: failed & !bit },
        }
    }

    /// The marks of a test that runs its checks in order and ends at the first that fails.
    ///
    /// # Panics
    /// If the check is none of the first [`Marks::MAX_CHECKS`].
    #[must_use]
    pub fn failed_at(check: CheckId) -> Self {
        Marks { ok: (1 << check.0) - 1, failed: 0 }.with(check, Mark::Failed)
    }

    /// What a check said.
    #[must_use]
    pub fn get(self, check: CheckId) -> Mark {
        let has = |bits: u16| bits.checked_shr(check.0.into()).is_some_and(|bits| bits & 1 == 1);
        match (has(self.ok), has(self.failed)) {
            (true, _) => Mark::Ok,
            (_, true) => Mark::Failed,
            _ => Mark::Unknown,
        }
    }

    /// The first check in the test's list that failed.
    #[must_use]
    pub fn first_failed(self) -> Option<CheckId> {
        (self.failed != 0).then(|| CheckId(self.failed.trailing_zeros() as u16))
    }

    /// Every check that failed.
    pub fn failed(self) -> impl Iterator<Item = CheckId> {
        (0..Self::MAX_CHECKS as u16).filter(move |check| self.failed >> check & 1 == 1).map(CheckId)
    }

    /// All of it as one number, 0 for [`Marks::NONE`].
    pub(crate) fn number(self) -> u32 {
        (0..Self::MAX_CHECKS).rev().fold(0, |number, check| {
            let digit = match self.get(CheckId(check as u16)) {
                Mark::Unknown => 0,
                Mark::Ok => 1,
                Mark::Failed => 2,
            };
            number * 3 + digit
        })
    }

    /// The marks that a number stands for.
    pub(crate) fn from_number(mut number: u32) -> Self {
        (0..Self::MAX_CHECKS as u16).fold(Marks::NONE, |marks, check| {
            let digit = number % 3;
            number /= 3;
            match digit {
                0 => marks,
                1 => marks.with(CheckId(check), Mark::Ok),
                _ => marks.with(CheckId(check), Mark::Failed),
            }
        })
    }
}

/// How often a check was asked, and what it said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckCounts {
    /// Candidates it was run on.
    pub executed: u64,
    /// Those it failed on.
    pub failed: u64,
    /// Those on which no other check is known to have failed.
    pub alone: u64,
}

/// What verdicts say about the checks of a test: how often each failed, and which of them could be done without.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckTally {
    counts: Vec<CheckCounts>,
    /// Every set of checks that failed together, as bits.
    together: BTreeSet<u16>,
    boring: u64,
}

/// A check that was run less often than this is not called redundant: it had no chance yet to show what it is for.
const ENOUGH_RUNS: u64 = 20;

impl CheckTally {
    /// Nothing yet about this many checks.
    #[must_use]
    pub fn new(checks: usize) -> Self {
        CheckTally { counts: vec![CheckCounts::default(); checks], ..CheckTally::default() }
    }

    /// Takes one more verdict into account.
    pub fn add(&mut self, verdict: Verdict) {
        let marks = match verdict {
            Verdict::Unresolved(_) => return,
            Verdict::Interesting => {
                self.counts.iter_mut().for_each(|counts| counts.executed += 1);
                return;
            }
            Verdict::Boring { marks } => marks,
        };
        self.boring += 1;
        let alone = marks.failed.count_ones() == 1;
        for (check, counts) in self.counts.iter_mut().enumerate() {
            let mark = marks.get(CheckId(check as u16));
            counts.executed += u64::from(mark != Mark::Unknown);
            counts.failed += u64::from(mark == Mark::Failed);
            counts.alone += u64::from(mark == Mark::Failed && alone);
        }
        if marks.failed != 0 {
            self.together.insert(marks.failed);
        }
    }

    /// What is known of each check.
    #[must_use]
    pub fn counts(&self) -> &[CheckCounts] {
        &self.counts
    }

    /// How many verdicts were boring.
    #[must_use]
    pub fn boring(&self) -> u64 {
        self.boring
    }

    /// Checks that rejected nothing which the others had not rejected as well, as far as that is known; the last in
    /// `order` is dropped first. All of them together may go: each candidate that was rejected is so by one that stays.
    #[must_use]
    pub fn redundant(&self, order: &[CheckId]) -> Vec<CheckId> {
        let mut dropped = 0u16;
        for &check in order.iter().rev() {
            let bit = 1 << check.0;
            let enough = self.counts.get(usize::from(check.0)).is_some_and(|c| c.executed >= ENOUGH_RUNS);
            if enough && self.together.iter().all(|set| set & bit == 0 || set & !(dropped | bit) != 0) {
                dropped |= bit;
            }
        }
        order.iter().copied().filter(|check| dropped >> check.0 & 1 == 1).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: CheckId = CheckId(0);
    const B: CheckId = CheckId(1);
    const C: CheckId = CheckId(2);

    #[test]
    fn all_marks_come_back_from_their_number() {
        let last = CheckId(Marks::MAX_CHECKS as u16 - 1);
        let all = (0..Marks::MAX_CHECKS as u16)
            .fold(Marks::NONE, |marks, check| marks.with(CheckId(check), Mark::Failed));
        let mixed = Marks::failed_at(CheckId(7)).with(last, Mark::Ok).with(CheckId(3), Mark::Unknown);
        for marks in [Marks::NONE, all, mixed, Marks::failed_at(A), Marks::failed_at(last)] {
            assert_eq!(Marks::from_number(marks.number()), marks);
            assert!(marks.number() < 1 << Marks::BITS);
        }
        assert_eq!(Marks::NONE.number(), 0);
    }

    #[test]
    fn a_test_that_ends_at_its_first_failure_leaves_the_rest_unknown() {
        let marks = Marks::failed_at(B);
        assert_eq!([A, B, C].map(|check| marks.get(check)), [Mark::Ok, Mark::Failed, Mark::Unknown]);
        assert_eq!(marks.first_failed(), Some(B));
        assert_eq!(marks.get(CheckId(99)), Mark::Unknown);
    }

    fn tally(failures: &[(u64, &[CheckId])]) -> CheckTally {
        let mut tally = CheckTally::new(3);
        for &(times, failed) in failures {
            let ok = [A, B, C].into_iter().fold(Marks::NONE, |marks, check| marks.with(check, Mark::Ok));
            let marks = failed.iter().fold(ok, |marks, &check| marks.with(check, Mark::Failed));
            (0..times).for_each(|_| tally.add(Verdict::Boring { marks }));
        }
        tally
    }

    #[test]
    fn a_check_is_redundant_if_what_it_rejects_is_rejected_without_it() {
        let seen = tally(&[(20, &[A, B]), (1, &[B]), (3, &[B, C]), (1, &[C])]);
        assert_eq!(seen.redundant(&[A, B, C]), [A]);
        assert_eq!(seen.counts()[1], CheckCounts { executed: 25, failed: 24, alone: 1 });
        // Of two that always fail together one stays.
        let twins = tally(&[(30, &[A, B]), (1, &[C])]);
        assert_eq!(twins.redundant(&[A, B, C]), [B]);
        assert_eq!(twins.redundant(&[C, B, A]), [A]);
        // One that was hardly ever run may still show what it is for.
        assert!(tally(&[(19, &[A, B])]).redundant(&[A, B, C]).is_empty());
    }

    #[test]
    fn interesting_candidates_passed_every_check_and_unresolved_ones_say_nothing() {
        let mut tally = CheckTally::new(2);
        tally.add(Verdict::Interesting);
        tally.add(Verdict::Unresolved(crate::verdict::Unresolved::TimedOut));
        tally.add(Verdict::BORING);
        assert_eq!(tally.counts(), [CheckCounts { executed: 1, failed: 0, alone: 0 }; 2]);
        assert_eq!(tally.boring(), 1);
    }
}
