//! WProbDD: ProbDD whose gain is weight, not number of elements.

use dwindle_core::{Stop, Subset};

use crate::model::{Gain, Model, Prior};
use crate::oracle::{ListMinimizer, ListOracle};
use crate::probdd::run;
use crate::ties::Ties;

/// Orders the elements by (1 − p) · weight, heaviest promise first, and asks for the leading ones whose summed weight times
/// the probability that none is needed is highest; learns as [`ProbDd`](crate::ProbDd) does. With equal weights it is the
/// same. May empty the list.
#[derive(Clone, Debug)]
pub struct WProbDd {
    /// The share of elements expected to stay.
    pub sigma: f64,
    /// Who goes first among equals.
    pub ties: Ties,
}

impl Default for WProbDd {
    fn default() -> Self {
        WProbDd { sigma: 0.1, ties: Ties::Index }
    }
}

impl ListMinimizer for WProbDd {
    fn minimize_from(
        &self,
        start: Subset,
        weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        let model = Model::new(start, Prior::Fixed(self.sigma), Gain::Weight, &self.ties, weights);
        run(model, oracle, |_| false, None)
    }
}
