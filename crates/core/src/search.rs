//! A question that learns from every verdict, not only from the first interesting one.

use crate::candidate::Candidate;
use crate::verdict::Verdict;

/// Candidates of which each depends on what was said of the earlier ones, in a form that can still be asked ahead.
///
/// ```text
///   next   c1 ─ c2 ─ c3 ─ c4       each made for the verdicts that are foreseen for those before it
///   learn  v1 as foreseen: c2, c3, c4 stay
///          v2 other than foreseen: c3 and c4 are forgotten, next gives another c3
/// ```
///
/// The verdicts arrive in order, so a search sees the same ones whatever the number of jobs; what it foresees decides
/// only how much of the work done ahead was in vain.
pub trait Search {
    /// The next candidate, as if the earlier ones had got the verdicts that were foreseen for them. Nothing if there is
    /// none to ask for: an interesting verdict, or another than foreseen, may change that.
    fn next(&mut self) -> Option<Candidate>;

    /// The verdict on the first candidate that has none yet. True if it is the one that was foreseen, so that all that
    /// was given since holds; else everything given since is forgotten. An interesting verdict ends the question.
    fn learn(&mut self, verdict: Verdict) -> bool;
}
