//! What an auxiliary reducer has tried before: it must not go around in circles between programs of the same size.

use std::collections::HashSet;

use dwindle_core::{Candidate, Fingerprint, Stop};
use foldhash::fast::FixedState;

use crate::asker::Asker;

/// All that has been tried.
#[derive(Default)]
pub(crate) struct History {
    tried: HashSet<Fingerprint, FixedState>,
}

impl History {
    /// Notes a program that must not come again.
    pub(crate) fn note(&mut self, program: &Candidate) {
        self.tried.insert(program.fingerprint());
    }

    /// The first candidate that has not been tried, is interesting and parses; it is what passes go on from, even if
    /// it is not smaller.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub(crate) fn take_first<T>(
        &mut self,
        asker: &mut Asker<'_, '_>,
        candidates: impl Iterator<Item = (T, Candidate)>,
    ) -> Result<Option<T>, Stop> {
        // What is pulled is the same for any number of jobs up to the winner, so it may be filtered here.
        let mut pulled = HashSet::with_hasher(FixedState::default());
        let mut tags = Vec::new();
        let mut settled = Vec::new();
        let tried = &self.tried;
        let fresh = candidates.filter_map(|(tag, candidate)| {
            let fingerprint = candidate.fingerprint();
            (!tried.contains(&fingerprint) && pulled.insert(fingerprint)).then(|| {
                tags.push(tag);
                settled.push(fingerprint);
                candidate
            })
        });
        let won = asker.find_that_parses(fresh)?;
        settled.truncate(won.as_ref().map_or(settled.len(), |(won, _)| won + 1));
        self.tried.extend(settled);
        let Some((won, candidate)) = won else { return Ok(None) };
        take(asker, &candidate)?;
        Ok(Some(tags.swap_remove(won)))
    }
}

/// Goes on from a candidate that was found interesting.
pub(crate) fn take(asker: &mut Asker<'_, '_>, candidate: &Candidate) -> Result<(), Stop> {
    asker.accept(candidate)?;
    if asker.session().best().fingerprint() == candidate.fingerprint() {
        return Ok(());
    }
    asker.session().adopt(candidate)
}
