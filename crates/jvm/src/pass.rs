//! The bridge to the session: a strategy over a program as a pass.

use std::sync::Arc;

use dwindle_core::{Pass, Session, Stop};
use dwindle_logic::{ItemSet, SessionProbe};

use crate::program::Program;
use crate::strategy::{Strategy, reduce};

/// A strategy over a program. The session's input must be the candidate that keeps all items.
#[derive(Debug)]
pub struct ProgramPass {
    name: String,
    program: Arc<Program>,
    strategy: Strategy,
}

impl ProgramPass {
    /// A pass called `name`.
    pub fn new(name: impl Into<String>, program: Arc<Program>, strategy: Strategy) -> Self {
        ProgramPass { name: name.into(), program, strategy }
    }
}

impl Pass for ProgramPass {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        let candidate = |kept: ItemSet| self.program.candidate(kept);
        reduce(&self.program, self.strategy, &mut SessionProbe::new(session, &candidate)).map(drop)
    }
}
