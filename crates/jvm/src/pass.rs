//! The bridge to the session: a strategy over a program as a pass.

use std::sync::{Arc, Mutex, PoisonError};

use dwindle_core::{Pass, Session, Stop};
use dwindle_logic::{ItemSet, SessionProbe};

use crate::program::Program;
use crate::strategy::{Reduced, Strategy, reduce};

/// A strategy over a program. The session's input must be the candidate that keeps all items.
#[derive(Debug)]
pub struct ProgramPass {
    name: String,
    program: Arc<Program>,
    strategy: Strategy,
    ended: Arc<Mutex<Option<Reduced>>>,
}

impl ProgramPass {
    /// A pass called `name`.
    pub fn new(name: impl Into<String>, program: Arc<Program>, strategy: Strategy) -> Self {
        ProgramPass { name: name.into(), program, strategy, ended: Arc::default() }
    }

    /// Where the pass leaves what its strategy ended with: what it promises of the result is known then only.
    #[must_use]
    pub fn ended(&self) -> Arc<Mutex<Option<Reduced>>> {
        Arc::clone(&self.ended)
    }
}

impl Pass for ProgramPass {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        let candidate = |kept: ItemSet| self.program.candidate(kept);
        let ended = reduce(&self.program, self.strategy, &mut SessionProbe::new(session, &candidate))?;
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
        Ok(())
    }
}
