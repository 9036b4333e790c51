//! Why a reduction ends before its passes do.

use std::sync::Arc;

use thiserror::Error;

use crate::runner::Broken;

/// The session answers no more. A pass hands this on with `?`; the best candidate so far is safe.
#[derive(Clone, Debug, Error)]
pub enum Stop {
    /// The time that was given is used up.
    #[error("the time limit of the run was reached")]
    OutOfTime,
    /// The number of queries that was given is used up.
    #[error("the query limit of the run was reached")]
    OutOfQueries,
    /// The user asked to stop.
    #[error("stopped on request")]
    Interrupted,
    /// Other passes promise more. It ends the pass, not the run: whoever put it off goes on with another one.
    #[error("the pass is put off")]
    Postponed,
    /// The test cannot be run any more.
    #[error("the test can no longer be run: {0}")]
    Broken(Arc<Broken>),
}
