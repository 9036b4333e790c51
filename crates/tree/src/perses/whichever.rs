//! Lists of which not every part makes sense: one that must not become too short, for instance.

use dwindle_core::{Stop, Subset, Verdict};
use dwindle_delta::{ListOracle, ListSearch};

use crate::sieve::Sieve;

/// A list of which only some parts are allowed: the others are boring without a question.
pub(crate) struct Whichever<O, F> {
    oracle: O,
    allowed: F,
}

impl<O, F: Fn(&Subset) -> bool> Whichever<O, F> {
    /// Only parts for which `allowed` says so.
    pub(crate) fn new(oracle: O, allowed: F) -> Self {
        Whichever { oracle, allowed }
    }
}

impl<O: ListOracle, F: Fn(&Subset) -> bool> ListOracle for Whichever<O, F> {
    fn test(&mut self, kept: &Subset) -> Result<Verdict, Stop> {
        if (self.allowed)(kept) { self.oracle.test(kept) } else { Ok(Verdict::BORING) }
    }

    fn first(&mut self, parts: &mut dyn Iterator<Item = Subset>) -> Result<Option<usize>, Stop> {
        let mut asked = Vec::new();
        let allowed = &self.allowed;
        let mut sensible = parts.enumerate().filter(|(_, kept)| allowed(kept)).map(|(at, kept)| {
            asked.push(at);
            kept
        });
        let won = self.oracle.first(&mut sensible)?;
        Ok(won.map(|won| asked[won]))
    }

    fn all(&mut self, parts: &[Subset]) -> Result<Vec<Verdict>, Stop> {
        let allowed: Vec<bool> = parts.iter().map(&self.allowed).collect();
        let asked = parts.iter().zip(&allowed).filter(|(_, allowed)| **allowed);
        let asked: Vec<Subset> = asked.map(|(kept, _)| kept.clone()).collect();
        let mut verdicts = self.oracle.all(&asked)?.into_iter();
        let verdict = |allowed: &bool| match allowed {
            true => verdicts.next().expect("one for each that was asked"),
            false => Verdict::BORING,
        };
        Ok(allowed.iter().map(verdict).collect())
    }

    fn accept(&mut self, kept: &Subset) -> Result<(), Stop> {
        self.oracle.accept(kept)
    }

    fn search(&mut self, search: &mut dyn ListSearch) -> Result<Option<usize>, Stop> {
        let mut sensible = Sieve::new(search, &self.allowed);
        let won = self.oracle.search(&mut sensible)?;
        Ok(won.map(|_| sensible.last()))
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
                let mut oracle = Whichever::new(PredicateList::new(|_: &Subset| true), |kept: &Subset| {
                    kept.len() >= least
                });
                let kept = entry.build(&Options::default()).minimize(&[1; 9], &mut oracle);
                let kept = kept.expect("there is no limit").len();
                assert!(kept >= least, "{}: {kept} of {least}", entry.name);
                // Those that halve blocks once may be left with a few more.
                assert!(kept <= 2 * least.max(1), "{}: {kept} of {least}", entry.name);
            }
        }
    }
}
