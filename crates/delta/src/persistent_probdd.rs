//! ProbDD that does not begin anew with every list.

use dwindle_core::{Stop, Subset};

use crate::memory::Memory;
use crate::model::{Gain, Model, Prior};
use crate::oracle::{ListMinimizer, ListOracle};
use crate::probdd;
use crate::ties::Ties;

/// ProbDD with a [`Memory`] of earlier lists: levels, rounds, passes that share this minimiser.
///
/// The published form begins every list at the prior, so each round of a fixpoint goes through the same block lengths
/// again to find that nearly all of what is there is still needed. Here what was needed once starts near 1 and is tried
/// alone. Elements are known again by [`ListOracle::identity`]; an oracle without it gets plain ProbDD.
#[derive(Debug)]
pub struct PersistentProbDd {
    /// The share of elements expected to stay.
    pub sigma: f64,
    /// Who goes first among equals.
    pub ties: Ties,
    /// What earlier lists have shown.
    pub memory: Memory,
}

impl ListMinimizer for PersistentProbDd {
    fn minimize_from(
        &self,
        start: Subset,
        weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        let before = start.len();
        let mut model = Model::new(start, Prior::Fixed(self.sigma), Gain::Count, &self.ties, weights);
        for element in model.present().clone().iter() {
            let known = oracle.identity(element);
            if let Some(p) = known.and_then(|identity| self.memory.recall(identity, self.sigma, before)) {
                model.recall(element as u32, p);
            }
        }
        probdd::ask(&mut model, oracle, |_| false, None)?;
        for element in model.present().iter() {
            if let Some(identity) = oracle.identity(element) {
                let (p, gone) = model.found(element as u32);
                self.memory.learn(identity, p, gone);
            }
        }
        self.memory.went(before - model.present().len());
        Ok(model.present().clone())
    }
}
