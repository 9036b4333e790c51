//! What a test can say about a candidate.

/// One named step of a test that has several, by its position in the test's list of checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CheckId(pub u16);

/// The test's answer on one candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The candidate still shows what the user is after.
    Interesting,
    /// It does not; `failed` names the check that said so, where the test has named checks.
    Boring {
        /// The first check that failed, if the test told.
        failed: Option<CheckId>,
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
    pub const BORING: Verdict = Verdict::Boring { failed: None };

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
