//! What a test can say about a candidate.

use crate::marks::{CheckId, Marks};

/// The test's answer on one candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The candidate still shows what the user is after.
    Interesting,
    /// It does not; `marks` say what its checks said, where the test has named checks.
    Boring {
        /// What each check said, as far as the test told.
        marks: Marks,
    },
    /// The test gave no answer. Counts as boring, but is reported and journalled as what it was.
    Unresolved(Unresolved),
}

/// Why a test gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unresolved {
    /// It ran into its time limit and was ended.
    TimedOut,
    /// It was ended by a signal that was not ours, or a persistent test died.
    Crashed,
    /// It ran into its memory limit and was ended.
    OutOfMemory,
}

impl Verdict {
    /// Boring, without a word on which check failed.
    pub const BORING: Verdict = Verdict::Boring { marks: Marks::NONE };

    /// Boring because of one check of a test that runs its checks in order and ends at the first that fails.
    #[must_use]
    pub fn failed_at(check: CheckId) -> Verdict {
        Verdict::Boring { marks: Marks::failed_at(check) }
    }

    /// The first check that failed, if the test told.
    #[must_use]
    pub fn failed(self) -> Option<CheckId> {
        match self {
            Verdict::Boring { marks } => marks.first_failed(),
            Verdict::Interesting | Verdict::Unresolved(_) => None,
        }
    }

    /// Whether the candidate may become the best one.
    #[must_use]
    pub fn is_interesting(self) -> bool {
        self == Verdict::Interesting
    }

    /// Whether the verdict is a fact about the candidate, not about the load of the machine.
    #[must_use]
    pub fn is_resolved(self) -> bool {
        !matches!(self, Verdict::Unresolved(_))
    }
}

impl From<bool> for Verdict {
    fn from(interesting: bool) -> Self {
        if interesting { Verdict::Interesting } else { Verdict::BORING }
    }
}
