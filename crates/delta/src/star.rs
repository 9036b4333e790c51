//! A minimiser repeated until it finds nothing more.

use dwindle_core::{Stop, Subset};

use crate::oracle::{ListMinimizer, ListOracle};

/// Runs a minimiser on its own result until a run removes nothing: DDMIN* for ddmin.
///
/// Each run begins afresh, with chunk borders that now fall elsewhere. The oracle's cache makes most of the last,
/// fruitless run free.
#[derive(Clone, Debug)]
pub struct Star<M>(pub M);

/// What a [`Star`] came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixpoint {
    /// What is left of the list.
    pub kept: Subset,
    /// How many runs it took, the last one, which removed nothing, included.
    pub iterations: usize,
}

impl<M: ListMinimizer> Star<M> {
    /// As [`ListMinimizer::minimize_from`], and tells how many runs it took.
    pub fn fixpoint(
        &self,
        start: Subset,
        weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Fixpoint, Stop> {
        let mut kept = start;
        let mut iterations = 0;
        loop {
            let before = kept.len();
            kept = self.0.minimize_from(kept, weights, oracle)?;
            iterations += 1;
            if kept.len() == before {
                return Ok(Fixpoint { kept, iterations });
            }
        }
    }
}

impl<M: ListMinimizer> ListMinimizer for Star<M> {
    fn minimize_from(
        &self,
        start: Subset,
        weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        Ok(self.fixpoint(start, weights, oracle)?.kept)
    }
}
