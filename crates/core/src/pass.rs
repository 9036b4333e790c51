//! Passes, and pipelines made of them.

use crate::schedule::Schedule;
use crate::session::Session;
use crate::stop::Stop;

/// One reduction strategy: sequential-looking code that asks a session.
pub trait Pass {
    /// Its name, as in reports and on the command line.
    fn name(&self) -> &str;

    /// Makes the session's best smaller if it can.
    ///
    /// # Errors
    /// When the session has been stopped; hand it on.
    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop>;
}

/// Passes in order, some of them looped.
pub enum Step {
    /// One pass.
    Pass(Box<dyn Pass>),
    /// Steps repeated until a whole round leaves the best as it was.
    Fixpoint(Vec<Step>),
    /// Passes in an order that is learnt while they run.
    Scheduled(Schedule),
}

impl Step {
    /// A step that is one pass.
    pub fn pass(pass: impl Pass + 'static) -> Self {
        Step::Pass(Box::new(pass))
    }

    /// Takes the passes of that name out; whether there was one.
    pub fn remove(steps: &mut Vec<Step>, name: &str) -> bool {
        let mut found = false;
        steps.retain_mut(|step| match step {
            Step::Pass(pass) => {
                let is_it = pass.name() == name;
                found |= is_it;
                !is_it
            }
            Step::Fixpoint(steps) => {
                found |= Step::remove(steps, name);
                !steps.is_empty()
            }
            Step::Scheduled(schedule) => {
                found |= schedule.remove(name);
                true
            }
        });
        found
    }

    /// Runs the step.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        match self {
            Step::Pass(pass) => session.pass(pass.name(), |session| pass.run(session)),
            Step::Scheduled(schedule) => schedule.run(session),
            Step::Fixpoint(steps) => loop {
                let before = session.best().fingerprint();
                for step in steps {
                    step.run(session)?;
                }
                if session.best().fingerprint() == before {
                    return Ok(());
                }
            },
        }
    }
}
