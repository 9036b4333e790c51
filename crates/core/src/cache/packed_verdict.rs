//! A verdict in 25 bits.

use crate::marks::Marks;
use crate::verdict::{Unresolved, Verdict};

/// A verdict as a number: small ones for the usual verdicts, so that it is one byte as a variable-length number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PackedVerdict(u32);

/// Numbers from here on stand for marks of checks; theirs, which are not 0, are added.
const MARKS: u32 = 4;

impl PackedVerdict {
    /// How many bits the largest number takes: one more than that of marks.
    pub(super) const BITS: u32 = Marks::BITS + 1;

    /// The number itself.
    pub(super) fn number(self) -> u32 {
        self.0
    }

    /// From a number that [`PackedVerdict::number`] gave.
    pub(super) fn from_number(number: u32) -> Self {
        PackedVerdict(number)
    }
}

impl From<Verdict> for PackedVerdict {
    fn from(verdict: Verdict) -> Self {
        PackedVerdict(match verdict {
            Verdict::Interesting => 0,
            Verdict::Boring { marks: Marks::NONE } => 1,
            Verdict::Unresolved(Unresolved::TimedOut) => 2,
            Verdict::Unresolved(Unresolved::Crashed) => 3,
            Verdict::Unresolved(Unresolved::OutOfMemory) => 4,
            Verdict::Boring { marks } => MARKS + marks.number(),
        })
    }
}

impl From<PackedVerdict> for Verdict {
    fn from(packed: PackedVerdict) -> Self {
        match packed.0 {
            0 => Verdict::Interesting,
            1 => Verdict::BORING,
            2 => Verdict::Unresolved(Unresolved::TimedOut),
            3 => Verdict::Unresolved(Unresolved::Crashed),
            4 => Verdict::Unresolved(Unresolved::OutOfMemory),
            marks => Verdict::Boring { marks: Marks::from_number(marks - MARKS) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::{CheckId, Mark};

    #[test]
    fn every_verdict_comes_back_and_fits() {
        let unresolved = [Unresolved::TimedOut, Unresolved::Crashed, Unresolved::OutOfMemory];
        let all_failed = (0..Marks::MAX_CHECKS as u16)
            .fold(Marks::NONE, |marks, check| marks.with(CheckId(check), Mark::Failed));
        let first_fine = Marks::NONE.with(CheckId(0), Mark::Ok);
        let checks = [Marks::failed_at(CheckId(0)), Marks::failed_at(CheckId(14)), first_fine, all_failed]
            .map(|marks| Verdict::Boring { marks });
        let verdicts = [Verdict::Interesting, Verdict::BORING]
            .into_iter()
            .chain(unresolved.map(Verdict::Unresolved))
            .chain(checks);
        for verdict in verdicts {
            let packed = PackedVerdict::from(verdict);
            assert_eq!(Verdict::from(packed), verdict);
            assert!(packed.number() < 1 << PackedVerdict::BITS);
        }
    }
}
