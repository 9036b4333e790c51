//! The sites of a rule as a list to reduce: an element that is dropped is a site that is made.

use dwindle_core::{Candidate, Stop, Subset, Verdict};
use dwindle_delta::{ListMinimizer, ListOracle};

use super::sites::Site;
use super::variants::candidate;
use crate::asker::Asker;
use crate::source::Source;

/// Makes as many of the sites as can be made together.
pub(super) fn make(
    asker: &mut Asker<'_, '_>,
    minimizer: &dyn ListMinimizer,
    sites: &[Site],
) -> Result<(), Stop> {
    let gains: Vec<u64> = sites.iter().map(|site| site.gain).collect();
    let source = asker.source();
    let most_tokens = source.tree().token_count(&source.lexicon());
    let mut list = SiteList { asker, sites, most_tokens };
    // Minimisers of the ddmin family never ask for the empty list.
    if list.test(&Subset::empty())?.is_interesting() {
        return Ok(());
    }
    minimizer.minimize(&gains, &mut list)?;
    Ok(())
}

struct SiteList<'l, 's, 'r> {
    asker: &'l mut Asker<'s, 'r>,
    sites: &'l [Site],
    /// Candidates with more tokens than the source are not asked for, whatever changes were lost inside others. So rules
    /// cannot go round in circles: each step has fewer tokens, or as many and fewer bytes.
    most_tokens: usize,
}

/// The candidate that keeps these sites as they are, if it is worth asking for.
fn worthy(source: &Source, sites: &[Site], most_tokens: usize, kept: &Subset) -> Option<Candidate> {
    let candidate = candidate(source, sites, kept);
    source.token_count(&candidate).is_none_or(|tokens| tokens <= most_tokens).then_some(candidate)
}

impl SiteList<'_, '_, '_> {
    fn candidate(&self, kept: &Subset) -> Option<Candidate> {
        worthy(self.asker.source(), self.sites, self.most_tokens, kept)
    }
}

impl ListOracle for SiteList<'_, '_, '_> {
    fn test(&mut self, kept: &Subset) -> Result<Verdict, Stop> {
        self.candidate(kept).map_or(Ok(Verdict::BORING), |candidate| self.asker.test(&candidate))
    }

    fn first(&mut self, parts: &mut dyn Iterator<Item = Subset>) -> Result<Option<usize>, Stop> {
        let (source, sites, most_tokens) = (self.asker.source(), self.sites, self.most_tokens);
        let mut asked = Vec::new();
        let candidates = parts.enumerate().filter_map(|(at, kept)| {
            let candidate = worthy(source, sites, most_tokens, &kept)?;
            asked.push(at);
            Some(candidate)
        });
        let won = self.asker.first(candidates)?;
        Ok(won.map(|won| asked[won]))
    }

    fn all(&mut self, parts: &[Subset]) -> Result<Vec<Verdict>, Stop> {
        let candidates: Vec<Option<Candidate>> = parts.iter().map(|kept| self.candidate(kept)).collect();
        let mut verdicts = self.asker.all(candidates.iter().flatten().cloned().collect())?.into_iter();
        let verdict = |candidate: &Option<Candidate>| candidate.as_ref().and_then(|_| verdicts.next());
        Ok(candidates.iter().map(verdict).map(|verdict| verdict.unwrap_or(Verdict::BORING)).collect())
    }

    fn accept(&mut self, kept: &Subset) -> Result<(), Stop> {
        self.candidate(kept).map_or(Ok(()), |candidate| self.asker.accept(&candidate))
    }

    fn checks(&self) -> usize {
        self.asker.checks()
    }
}
