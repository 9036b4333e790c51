//! A verdict in 17 bits.

use crate::verdict::{CheckId, Unresolved, Verdict};

/// A verdict as a number: small ones for the usual verdicts, so that it is one byte as a variable-length number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PackedVerdict(u32);

/// The first number that stands for a failed check; the check's own number is added.
const FIRST_CHECK: u32 = 5;

impl PackedVerdict {
    /// How many bits the largest number takes: 5 + 65535 needs 17.
    pub(super) const BITS: u32 = 17;

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
            Verdict::Boring { failed: None } => 1,
            Verdict::Unresolved(Unresolved::TimedOut) => 2,
            Verdict::Unresolved(Unresolved::Crashed) => 3,
            Verdict::Unresolved(Unresolved::OutOfMemory) => 4,
            Verdict::Boring { failed: Some(CheckId(check)) } => FIRST_CHECK + u32::from(check),
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
            check => Verdict::Boring {
                // Numbers come from `number` alone, so the difference fits.
                failed: Some(CheckId((check - FIRST_CHECK) as u16)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_comes_back_and_fits() {
        let unresolved = [Unresolved::TimedOut, Unresolved::Crashed, Unresolved::OutOfMemory];
        let checks = [0, 1, 300, u16::MAX].map(|check| Verdict::Boring { failed: Some(CheckId(check)) });
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
