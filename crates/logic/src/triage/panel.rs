//! A panel of other tools that watches a reduction: the target must still fail, the others must still cope.
//!
//! It keeps a reduction from slipping into inputs that are hard for everybody. Members that fail most often are asked
//! first, so that a candidate they reject costs as few runs as possible.

use super::ROUNDING;

/// The members and how often each of them has rejected a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    rejections: Vec<u64>,
    may_fail: usize,
}

impl Panel {
    /// `members` tools beside the target. `threshold` is the easiness that must be left, the target counted as failing; by
    /// default that of the target failing alone.
    #[must_use]
    pub fn new(members: usize, threshold: Option<f64>) -> Self {
        let tools = members as f64 + 1.0;
        let threshold = threshold.unwrap_or(members as f64 / tools);
        // Easiness with k failing members and the failing target is (members - k) / tools.
        let coping = ((threshold - ROUNDING) * tools).ceil().max(0.0) as usize;
        Panel { rejections: vec![0; members], may_fail: members.saturating_sub(coping) }
    }

    /// How many members may fail on a candidate that is accepted.
    #[must_use]
    pub fn may_fail(&self) -> usize {
        self.may_fail
    }

    /// The members in the order in which to ask them.
    #[must_use]
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.rejections.len()).collect();
        order.sort_by_key(|member| std::cmp::Reverse(self.rejections[*member]));
        order
    }

    /// Takes note that a member has failed on a candidate.
    pub fn rejected(&mut self, member: usize) {
        self.rejections[member] += 1;
    }

    /// Asks the members until it is clear whether the candidate passes. The target is known to fail on it.
    ///
    /// # Errors
    /// Whatever `copes` says.
    pub fn accepts<E>(&mut self, mut copes: impl FnMut(usize) -> Result<bool, E>) -> Result<bool, E> {
        let mut failed = 0;
        for member in self.order() {
            if !copes(member)? {
                self.rejected(member);
                failed += 1;
                if failed > self.may_fail {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_default_every_member_must_cope() {
        for members in 1..30 {
            assert_eq!(Panel::new(members, None).may_fail(), 0, "{members} members");
        }
        assert_eq!(Panel::new(3, Some(0.5)).may_fail(), 1);
        assert_eq!(Panel::new(3, Some(0.0)).may_fail(), 3);
    }

    #[test]
    fn the_member_that_rejects_most_is_asked_first_and_one_rejection_is_enough() {
        let mut panel = Panel::new(3, None);
        let mut asked = Vec::new();
        for _ in 0..2 {
            let accepted = panel.accepts(|member| {
                asked.push(member);
                Ok::<_, ()>(member != 2)
            });
            assert_eq!(accepted, Ok(false));
        }
        assert_eq!(asked, [0, 1, 2, 2]);
    }
}
