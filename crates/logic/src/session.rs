//! The bridge to the session: sets of items become candidates, verdicts become answers.

use std::sync::{Arc, Mutex, PoisonError};

use dwindle_core::{Candidate, Pass, Session, Stop};

use crate::clause::Clause;
use crate::gbr::Reduction;
use crate::model::Model;
use crate::probe::Probe;
use crate::render::Rendering;
use crate::set::ItemSet;
use crate::strategy::Strategy;

/// Asks a session about sets of items.
pub struct SessionProbe<'s, 'r> {
    session: &'s mut Session<'r>,
    candidate: &'s dyn Fn(ItemSet) -> Candidate,
    lessons: Option<&'s mut dyn FnMut() -> Vec<Clause>>,
}

impl<'s, 'r> SessionProbe<'s, 'r> {
    /// `candidate` turns a set of items into what the test is to see.
    pub fn new(session: &'s mut Session<'r>, candidate: &'s dyn Fn(ItemSet) -> Candidate) -> Self {
        SessionProbe { session, candidate, lessons: None }
    }

    /// `lessons` is asked after boring candidates what they have taught about validity.
    #[must_use]
    pub fn with_lessons(mut self, lessons: &'s mut dyn FnMut() -> Vec<Clause>) -> Self {
        self.lessons = Some(lessons);
        self
    }
}

impl Probe for SessionProbe<'_, '_> {
    fn test(&mut self, kept: &ItemSet) -> Result<bool, Stop> {
        Ok(self.session.test((self.candidate)(kept.clone()))?.is_interesting())
    }

    fn first(&mut self, candidates: &mut dyn Iterator<Item = ItemSet>) -> Result<Option<usize>, Stop> {
        self.session.first(candidates.map(self.candidate))
    }

    fn all(&mut self, candidates: &[ItemSet]) -> Result<Vec<bool>, Stop> {
        let verdicts = self.session.all(candidates.iter().cloned().map(self.candidate).collect())?;
        Ok(verdicts.into_iter().map(dwindle_core::Verdict::is_interesting).collect())
    }

    fn lessons(&mut self) -> Vec<Clause> {
        self.lessons.as_mut().map_or_else(Vec::new, |lessons| lessons())
    }
}

/// A strategy over a model as a pass. The session's input must be the candidate that keeps all items.
#[derive(Debug)]
pub struct LogicPass {
    name: String,
    model: Arc<Model>,
    rendering: Arc<Rendering>,
    strategy: Strategy,
    ended: Arc<Mutex<Option<Reduction>>>,
}

impl LogicPass {
    /// A pass called `name`.
    pub fn new(
        name: impl Into<String>,
        model: Arc<Model>,
        rendering: Arc<Rendering>,
        strategy: Strategy,
    ) -> Self {
        LogicPass { name: name.into(), model, rendering, strategy, ended: Arc::default() }
    }

    /// Where the pass leaves what its strategy ended with: what it promises of the result is known then only.
    #[must_use]
    pub fn ended(&self) -> Arc<Mutex<Option<Reduction>>> {
        Arc::clone(&self.ended)
    }
}

impl Pass for LogicPass {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        let candidate = |kept: ItemSet| self.rendering.candidate(kept);
        let ended = self.strategy.reduce(&self.model, &mut SessionProbe::new(session, &candidate))?;
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
        Ok(())
    }
}
