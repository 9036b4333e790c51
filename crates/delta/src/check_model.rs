//! What each check of a test says about which elements are needed: one probability for each check and element.
//!
//! An element is needed if *any* check needs it, so what is believed of it is the noisy-OR of its row of numbers:
//! 1 − ∏(1 − p). A check that held while an element was gone says that it does not need it, whatever the other checks
//! said of the same candidate; so a 0 does not mean that an element is gone, and who is gone is for the owner of this
//! model to know. Nothing in here knows of lists: elements are numbers, and a deletion is a set of them.

use dwindle_core::{CheckId, Mark, Verdict};

/// What a check that was not run counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Unexecuted {
    /// Nothing is learned about it.
    #[default]
    Unknown,
    /// It failed as well: the rule of the thesis, which takes every check from the first failure on as failed.
    Failed,
}

/// What a boring verdict says about each check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// One for each check.
    outcomes: Vec<Mark>,
}

impl Evidence {
    /// What a boring verdict says about this many checks; a test without checks has one, itself.
    #[must_use]
    pub fn of(verdict: Verdict, checks: usize, unexecuted: Unexecuted) -> Self {
        let outcome = |check: usize| match verdict {
            Verdict::Boring { marks } => match (marks.get(CheckId(check as u16)), unexecuted) {
                (Mark::Unknown, Unexecuted::Failed) => Mark::Failed,
                (mark, _) => mark,
            },
            Verdict::Unresolved(_) | Verdict::Interesting => match unexecuted {
                Unexecuted::Failed => Mark::Failed,
                Unexecuted::Unknown => Mark::Unknown,
            },
        };
        let mut outcomes: Vec<Mark> = (0..checks.max(1)).map(outcome).collect();
        if !outcomes.contains(&Mark::Failed) && !outcomes.contains(&Mark::Unknown) {
            // Something beside the checks failed: what they say says nothing about that.
            outcomes.fill(Mark::Unknown);
        }
        Evidence { outcomes }
    }

    /// Whether it is known which check failed.
    fn names_a_failure(&self) -> bool {
        self.outcomes.contains(&Mark::Failed)
    }
}

/// What the checks say about one element.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The probability that each check needs it.
    p: Box<[f64]>,
    /// Checks, as bits, that did not need it once and failed without it later: to hold without it is no proof for them.
    refuted: u16,
    /// How many boring deletions held it.
    failures: u32,
    /// It was boring to delete it alone.
    kept: bool,
}

/// Tried alone from so many boring deletions on, whatever the numbers say. Bounds the questions on tests whose checks
/// contradict themselves; on others no element comes near: 5 do with a prior of 0.1, 20 with one of 0.0001.
pub const MOST_FAILURES: u32 = 64;

/// Above a half nothing is deleted together with anything else.
const ALONE: f64 = 0.51;

/// What is believed of all elements.
#[derive(Clone, Debug)]
pub struct CheckModel {
    prior: Box<[f64]>,
    unexecuted: Unexecuted,
    /// By element; nothing for those that no deletion has held.
    rows: Vec<Option<Row>>,
}

impl CheckModel {
    /// Every check needs each of `elements` elements with this probability.
    #[must_use]
    pub fn new(elements: usize, checks: usize, p: f64, unexecuted: Unexecuted) -> Self {
        CheckModel { prior: vec![p; checks.max(1)].into(), unexecuted, rows: vec![None; elements] }
    }

    /// The prior of each check for which an element is needed with probability σ by any of them: with σ for each, six
    /// checks would start at 0.47 for a σ of 0.1, and deletions at two elements instead of ten.
    #[must_use]
    pub fn shared(sigma: f64, checks: usize) -> f64 {
        match checks {
            0 | 1 => sigma,
            _ => 1.0 - (1.0 - sigma).powf(1.0 / checks as f64),
        }
    }

    /// What a boring verdict says here.
    #[must_use]
    pub fn evidence(&self, verdict: Verdict) -> Evidence {
        Evidence::of(verdict, self.prior.len(), self.unexecuted)
    }

    /// The probability that a check needs an element.
    #[must_use]
    pub fn p(&self, check: usize, element: u32) -> f64 {
        self.row(element).map_or(self.prior[check], |row| row.p[check])
    }

    /// The probability that any check needs an element; 1 if it was boring to delete it alone.
    #[must_use]
    pub fn need(&self, element: u32) -> f64 {
        let noisy_or = |p: &[f64]| match p {
            // Without a detour that rounds: a test without checks is plain ProbDD.
            [p] => *p,
            _ => 1.0 - p.iter().map(|p| 1.0 - p).product::<f64>(),
        };
        match self.row(element) {
            None => noisy_or(&self.prior),
            Some(row) if row.kept => 1.0,
            Some(row) if row.failures >= MOST_FAILURES => noisy_or(&row.p).clamp(ALONE, 1.0 - f64::EPSILON),
            Some(row) => noisy_or(&row.p).min(1.0 - f64::EPSILON),
        }
    }

    /// How many boring deletions held an element.
    #[must_use]
    pub fn failures(&self, element: u32) -> u32 {
        self.row(element).map_or(0, |row| row.failures)
    }

    /// What is known of an element, to be given back by [`CheckModel::restore`].
    #[must_use]
    pub fn row(&self, element: u32) -> Option<&Row> {
        self.rows[element as usize].as_ref()
    }

    /// Forgets what was learned of an element since.
    pub fn restore(&mut self, element: u32, row: Option<Row>) {
        self.rows[element as usize] = row;
    }

    /// Learns that it was boring to delete these elements.
    pub fn boring(&mut self, deleted: &[u32], evidence: &Evidence) {
        for &element in deleted {
            let row = self.rows[element as usize].get_or_insert_with(|| Row {
                p: self.prior.clone(),
                refuted: 0,
                failures: 0,
                kept: false,
            });
            row.failures += 1;
            row.kept |= deleted.len() == 1;
        }
        let named = evidence.names_a_failure();
        for (check, outcome) in evidence.outcomes.iter().enumerate() {
            match outcome {
                Mark::Ok => self.each(deleted, |row| {
                    if row.refuted >> check & 1 == 0 {
                        row.p[check] = 0.0;
                    }
                }),
                Mark::Failed => self.failed(deleted, check),
                Mark::Unknown => {}
            }
        }
        if !named {
            self.somehow_failed(deleted, evidence);
        }
    }

    fn each(&mut self, elements: &[u32], mut change: impl FnMut(&mut Row)) {
        for &element in elements {
            change(self.rows[element as usize].as_mut().expect("it was deleted, so there is a row"));
        }
    }

    /// The probability that none of them is needed by a check.
    fn none_needed(&self, deleted: &[u32], check: usize) -> f64 {
        deleted.iter().map(|&element| 1.0 - self.p(check, element)).product()
    }

    /// One check failed: Bayes' rule on its own numbers.
    fn failed(&mut self, deleted: &[u32], check: usize) {
        if self.none_needed(deleted, check) >= 1.0 {
            // All of them had been shown not to be needed by it: 0/0. The thesis has no rule; what was shown does not
            // hold any more, so the prior does. Where later checks count as failed on no evidence, it stays.
            if self.unexecuted == Unexecuted::Failed {
                return;
            }
            let prior = self.prior[check];
            self.each(deleted, |row| {
                row.refuted |= 1 << check;
                row.p[check] = prior;
            });
        }
        let some_needed = 1.0 - self.none_needed(deleted, check);
        self.each(deleted, |row| row.p[check] = raised(row.p[check], some_needed, deleted.len()));
    }

    /// Nobody knows which check failed: Bayes' rule on the numbers of all that may have.
    fn somehow_failed(&mut self, deleted: &[u32], evidence: &Evidence) {
        let suspects: Vec<usize> =
            (0..self.prior.len()).filter(|&check| evidence.outcomes[check] == Mark::Unknown).collect();
        let none =
            |model: &Self| suspects.iter().map(|&check| model.none_needed(deleted, check)).product::<f64>();
        if none(self) >= 1.0 {
            let prior = self.prior.clone();
            self.each(deleted, |row| {
                for &check in &suspects {
                    row.refuted |= 1 << check;
                    row.p[check] = prior[check];
                }
            });
        }
        let some_needed = 1.0 - none(self);
        self.each(deleted, |row| {
            suspects
                .iter()
                .for_each(|&check| row.p[check] = raised(row.p[check], some_needed, deleted.len()));
        });
    }
}

/// Less than 1 but for an element that was boring alone.
fn raised(p: f64, some_needed: f64, deleted: usize) -> f64 {
    if deleted == 1 && p > 0.0 { 1.0 } else { (p / some_needed).min(1.0 - f64::EPSILON) }
}

#[cfg(test)]
mod tests;
