//! Lists that must not become too short.

use dwindle_core::{Stop, Subset, Verdict};
use dwindle_delta::ListOracle;

/// A list of which a number of elements must stay: anything shorter is boring without a question.
pub(crate) struct AtLeast<O> {
    oracle: O,
    least: usize,
}

impl<O> AtLeast<O> {
    /// At least `least` elements must stay.
    pub(crate) fn new(oracle: O, least: usize) -> Self {
        AtLeast { oracle, least }
    }
}

impl<O: ListOracle> ListOracle for AtLeast<O> {
    fn test(&mut self, kept: &Subset) -> Result<Verdict, Stop> {
        if kept.len() < self.least { Ok(Verdict::BORING) } else { self.oracle.test(kept) }
    }

    fn first(&mut self, parts: &mut dyn Iterator<Item = Subset>) -> Result<Option<usize>, Stop> {
        let mut asked = Vec::new();
        let least = self.least;
        let mut long_enough = parts.enumerate().filter(|(_, kept)| kept.len() >= least).map(|(at, kept)| {
            asked.push(at);
            kept
        });
        let won = self.oracle.first(&mut long_enough)?;
        Ok(won.map(|won| asked[won]))
    }

    fn all(&mut self, parts: &[Subset]) -> Result<Vec<Verdict>, Stop> {
        let long_enough: Vec<Subset> =
            parts.iter().filter(|kept| kept.len() >= self.least).cloned().collect();
        let mut verdicts = self.oracle.all(&long_enough)?.into_iter();
        let verdict = |kept: &Subset| match kept.len() >= self.least {
            true => verdicts.next().expect("one for each that was asked"),
            false => Verdict::BORING,
        };
        Ok(parts.iter().map(verdict).collect())
    }

    fn accept(&mut self, kept: &Subset) -> Result<(), Stop> {
        self.oracle.accept(kept)
    }

    fn checks(&self) -> usize {
        self.oracle.checks()
    }

    fn identity(&self, element: usize) -> Option<u64> {
        self.oracle.identity(element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwindle_delta::{Options, PredicateList, all};

    #[test]
    fn no_minimiser_goes_below_the_least_number() {
        for entry in all() {
            for least in 0..4 {
                let mut oracle = AtLeast::new(PredicateList::new(|_: &Subset| true), least);
                let kept = entry.build(&Options::default()).minimize(&[1; 9], &mut oracle);
                let kept = kept.expect("there is no limit").len();
                assert!(kept >= least, "{}: {kept} of {least}", entry.name);
                // Those that halve blocks once may be left with a few more.
                assert!(kept <= 2 * least.max(1), "{}: {kept} of {least}", entry.name);
            }
        }
    }
}
