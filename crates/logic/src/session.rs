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

/// Tells what the test of a candidate has taught about validity: clauses over items.
type Teacher<'t> = dyn Fn(&Candidate) -> Vec<Clause> + 't;

/// Asks a session about sets of items.
pub struct SessionProbe<'s, 'r> {
    session: &'s mut Session<'r>,
    candidate: &'s dyn Fn(ItemSet) -> Candidate,
    lessons: Option<&'s Teacher<'s>>,
    /// What was taught since somebody asked.
    taught: Vec<Clause>,
}

impl<'s, 'r> SessionProbe<'s, 'r> {
    /// `candidate` turns a set of items into what the test is to see.
    pub fn new(session: &'s mut Session<'r>, candidate: &'s dyn Fn(ItemSet) -> Candidate) -> Self {
        SessionProbe { session, candidate, lessons: None, taught: Vec::new() }
    }

    /// `lessons` is asked what the test of a boring candidate has taught about validity. Only those count that a run
    /// with one worker would have heard, so they must be told by candidate.
    #[must_use]
    pub fn with_lessons(mut self, lessons: &'s dyn Fn(&Candidate) -> Vec<Clause>) -> Self {
        self.lessons = Some(lessons);
        self
    }

    fn hear<'c>(&mut self, boring: impl IntoIterator<Item = &'c Candidate>) {
        if let Some(lessons) = self.lessons {
            self.taught.extend(boring.into_iter().flat_map(lessons));
        }
    }
}

impl Probe for SessionProbe<'_, '_> {
    fn test(&mut self, kept: &ItemSet) -> Result<bool, Stop> {
        let candidate = (self.candidate)(kept.clone());
        let interesting = self.session.test(candidate.clone())?.is_interesting();
        self.hear((!interesting).then_some(&candidate));
        Ok(interesting)
    }

    fn first(&mut self, candidates: &mut dyn Iterator<Item = ItemSet>) -> Result<Option<usize>, Stop> {
        // The session looks ahead: what comes behind the first interesting one has not been asked.
        let mut pulled = Vec::new();
        let noted = candidates.map(self.candidate).inspect(|candidate| pulled.push(candidate.clone()));
        let found = self.session.first(noted)?;
        self.hear(&pulled[..found.unwrap_or(pulled.len())]);
        Ok(found)
    }

    fn all(&mut self, candidates: &[ItemSet]) -> Result<Vec<bool>, Stop> {
        let candidates: Vec<Candidate> = candidates.iter().cloned().map(self.candidate).collect();
        let verdicts = self.session.all(candidates.clone())?;
        let boring = candidates.iter().zip(&verdicts).filter(|(_, verdict)| !verdict.is_interesting());
        self.hear(boring.map(|(candidate, _)| candidate));
        Ok(verdicts.into_iter().map(dwindle_core::Verdict::is_interesting).collect())
    }

    fn lessons(&mut self) -> Vec<Clause> {
        std::mem::take(&mut self.taught)
    }
}

/// What [`SessionProbe::with_lessons`] takes, shared.
pub type Lessons = Arc<dyn Fn(&Candidate) -> Vec<Clause> + Send + Sync>;

/// A strategy over a model as a pass. The session's input must be the candidate that keeps all items.
pub struct LogicPass {
    name: String,
    model: Arc<Model>,
    rendering: Arc<Rendering>,
    strategy: Strategy,
    lessons: Option<Lessons>,
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
        LogicPass { name: name.into(), model, rendering, strategy, lessons: None, ended: Arc::default() }
    }

    /// Lets the strategy learn from what tests say.
    #[must_use]
    pub fn with_lessons(self, lessons: Lessons) -> Self {
        LogicPass { lessons: Some(lessons), ..self }
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
        let mut probe = SessionProbe::new(session, &candidate);
        if let Some(lessons) = &self.lessons {
            probe = probe.with_lessons(&**lessons);
        }
        let ended = self.strategy.reduce(&self.model, &mut probe)?;
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
        Ok(())
    }
}
