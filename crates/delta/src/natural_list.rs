//! A list whose parts become candidates of a session, of which the more natural one is the better.

use dwindle_core::{Candidate, Naturalness, Session, Stop, Subset, Verdict};

use crate::oracle::ListOracle;

/// A list whose parts become candidates of a session. What is not more natural than the best is boring and costs nothing;
/// so whatever is taken, a minimiser comes to an end and the best never grows.
pub struct NaturalList<'s, 'r, F> {
    session: &'s mut Session<'r>,
    candidate: F,
}

impl<'s, 'r, F: Fn(&Subset) -> Candidate> NaturalList<'s, 'r, F> {
    /// A list in which `candidate` gives the variant that keeps just the elements it is told.
    pub fn new(session: &'s mut Session<'r>, candidate: F) -> Self {
        NaturalList { session, candidate }
    }

    fn best(&self) -> Naturalness {
        Naturalness::of(self.session.best())
    }
}

impl<F: Fn(&Subset) -> Candidate> ListOracle for NaturalList<'_, '_, F> {
    fn test(&mut self, kept: &Subset) -> Result<Verdict, Stop> {
        let verdicts = self.all(std::slice::from_ref(kept))?;
        if verdicts[0].is_interesting() {
            self.accept(kept)?;
        }
        Ok(verdicts[0])
    }

    fn first(&mut self, parts: &mut dyn Iterator<Item = Subset>) -> Result<Option<usize>, Stop> {
        let best = self.best();
        let mut asked = Vec::new();
        let candidates = parts
            .map(|kept| (self.candidate)(&kept))
            .enumerate()
            .filter(|(_, candidate)| best.is_beaten_by(candidate))
            .map(|(index, candidate)| {
                asked.push((index, candidate.clone()));
                candidate
            });
        let Some(won) = self.session.find(candidates)? else { return Ok(None) };
        let (index, candidate) = asked.swap_remove(won);
        self.session.prefer(&candidate)?;
        Ok(Some(index))
    }

    fn all(&mut self, parts: &[Subset]) -> Result<Vec<Verdict>, Stop> {
        let best = self.best();
        let candidates: Vec<Candidate> = parts.iter().map(&self.candidate).collect();
        let wanted: Vec<bool> = candidates.iter().map(|candidate| best.is_beaten_by(candidate)).collect();
        let asked = std::iter::zip(candidates, &wanted).filter(|(_, wanted)| **wanted);
        let mut verdicts = self.session.all(asked.map(|(candidate, _)| candidate).collect())?.into_iter();
        let mut verdict = |wanted: &bool| match wanted {
            true => verdicts.next().expect("one for each that was asked"),
            false => Verdict::BORING,
        };
        Ok(wanted.iter().map(&mut verdict).collect())
    }

    fn accept(&mut self, kept: &Subset) -> Result<(), Stop> {
        let candidate = (self.candidate)(kept);
        if self.best().is_beaten_by(&candidate) { self.session.prefer(&candidate) } else { Ok(()) }
    }

    fn checks(&self) -> usize {
        self.session.checks()
    }
}
