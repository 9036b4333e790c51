//! How good verdicts are where the truth is known.

use super::Verdict;

/// What an input really is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Truth {
    /// A bug.
    Bug,
    /// A limit the tools chose to have.
    Feature,
    /// Nobody could tell.
    Unknown,
}

/// How often each verdict met each truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Confusion {
    counts: [[usize; 3]; 3],
}

fn row(verdict: Verdict) -> usize {
    match verdict {
        Verdict::Bug => 0,
        Verdict::Feature => 1,
        Verdict::Unknown | Verdict::Sound => 2,
    }
}

fn column(truth: Truth) -> usize {
    match truth {
        Truth::Bug => 0,
        Truth::Feature => 1,
        Truth::Unknown => 2,
    }
}

impl Confusion {
    /// Counts `times` inputs.
    pub fn add(&mut self, verdict: Verdict, truth: Truth, times: usize) {
        self.counts[row(verdict)][column(truth)] += times;
    }

    /// How many inputs got this verdict: bugs, features, unknown ones in truth.
    #[must_use]
    pub fn of(&self, verdict: Verdict) -> [usize; 3] {
        self.counts[row(verdict)]
    }

    /// Of what was given this verdict, the share that deserves it.
    #[must_use]
    pub fn precision(&self, truth: Truth) -> f64 {
        let given = self.counts[column(truth)];
        given[column(truth)] as f64 / given.iter().sum::<usize>() as f64
    }

    /// Of what deserves this verdict, the share that got it; everything nobody could tell counts as deserving.
    #[must_use]
    pub fn recall(&self, truth: Truth) -> f64 {
        let total = |column: usize| self.counts.iter().map(|row| row[column]).sum::<usize>();
        let deserving = total(column(truth)) + total(column(Truth::Unknown));
        self.counts[column(truth)][column(truth)] as f64 / deserving as f64
    }
}
