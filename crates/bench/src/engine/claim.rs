//! A measured value beside the bound it has to keep.

use std::fmt;

/// The head of the table that claims are the rows of.
pub(crate) const HEADER: &str = "| what | measured | bound | |\n|---|--:|--:|---|";

/// A measured value, and the most or the least it may be.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    what: String,
    measured: f64,
    unit: &'static str,
    bound: Option<Bound>,
}

#[derive(Clone, Copy, Debug)]
enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

impl Claim {
    /// A value without a bound.
    pub(crate) fn new(what: impl Into<String>, measured: f64, unit: &'static str) -> Self {
        Claim { what: what.into(), measured, unit, bound: None }
    }

    /// The same, with the most it may be.
    pub(crate) fn at_most(mut self, bound: f64) -> Self {
        self.bound = Some(Bound::AtMost(bound));
        self
    }

    /// The same, with the least it may be.
    pub(crate) fn at_least(mut self, bound: f64) -> Self {
        self.bound = Some(Bound::AtLeast(bound));
        self
    }

    /// Something that is so or is not.
    pub(crate) fn fact(what: impl Into<String>, holds: bool) -> Self {
        Self::new(what, f64::from(u8::from(holds)), "").at_least(1.0)
    }

    /// Whether the bound is kept.
    pub(crate) fn holds(&self) -> bool {
        match self.bound {
            None => true,
            Some(Bound::AtMost(most)) => self.measured <= most,
            Some(Bound::AtLeast(least)) => self.measured >= least,
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |value: f64| match value {
            value if value >= 100.0 || value.fract() == 0.0 => format!("{value:.0}{}", self.unit),
            value => format!("{value:.2}{}", self.unit),
        };
        let bound = match self.bound {
            None => String::new(),
            Some(Bound::AtMost(most)) => format!("≤ {}", number(most)),
            Some(Bound::AtLeast(least)) => format!("≥ {}", number(least)),
        };
        let word = match (self.bound, self.holds()) {
            (None, _) => "",
            (_, true) => "holds",
            (_, false) => "DOES NOT HOLD",
        };
        write!(f, "| {} | {} | {bound} | {word} |", self.what, number(self.measured))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_says_whether_it_holds() {
        let ratio = Claim::new("overhead", 1.25, " ×");
        assert_eq!(ratio.to_string(), "| overhead | 1.25 × |  |  |");
        assert_eq!(ratio.clone().at_most(1.3).to_string(), "| overhead | 1.25 × | ≤ 1.30 × | holds |");
        assert_eq!(ratio.at_most(1.0).to_string(), "| overhead | 1.25 × | ≤ 1 × | DOES NOT HOLD |");
        assert!(Claim::new("gain", 5.0, " ×").at_least(2.0).holds());
        assert!(!Claim::fact("same result", false).holds());
    }
}
