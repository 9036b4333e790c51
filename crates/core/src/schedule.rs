//! A schedule that learns while it runs: which pass comes next is told by what passes have gained a query so far.
//!
//! It works in two gears. *Eagerly*, passes skip what they had no luck with before ([`Session::is_eager`]), and one
//! that no longer pays as well as others promise is put off until it does again. When all have come to an end that way,
//! each goes *thoroughly* through everything, skipping nothing. Passes that polish the result, and the one that makes
//! sure of what is promised of it, come last.

use crate::fingerprint::Fingerprint;
use crate::pass::Pass;
use crate::patience::Rate;
use crate::session::Session;
use crate::stop::Stop;

/// Passes, and how far to go with them.
pub struct Schedule {
    /// Those that take things away, in the order in which they are tried first.
    pub working: Vec<Work>,
    /// Those that make smaller what stays, in their order, when nothing more can be taken away.
    pub polishing: Vec<Box<dyn Pass>>,
    /// The last one, which makes sure that no single part can go. If it finds one, all is done again.
    pub closing: Option<Box<dyn Pass>>,
    /// How long to go on.
    pub until: Until,
}

/// A pass that takes things away.
pub struct Work {
    /// The pass.
    pub pass: Box<dyn Pass>,
    /// Whether it proposes much, most of it in vain. Such a pass waits until the others find nothing, and only ever
    /// runs eagerly unless everything is to be tried.
    pub is_costly: bool,
}

/// How long a schedule goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Nothing is found eagerly.
    Eager,
    /// Each working pass has once gone thoroughly through everything without finding anything.
    Thorough,
    /// None of them finds anything in the very result, polished or not.
    Fixpoint,
}

/// What is known of a working pass.
#[derive(Clone, Copy)]
struct Known {
    rate: Rate,
    /// The best in which it last found nothing eagerly, and thoroughly.
    nothing_in: Option<Fingerprint>,
    thoroughly_nothing_in: Option<Fingerprint>,
}

impl Schedule {
    /// Takes the passes of that name out; whether there was one.
    pub(crate) fn remove(&mut self, name: &str) -> bool {
        let count = |schedule: &Schedule| {
            schedule.working.len() + schedule.polishing.len() + usize::from(schedule.closing.is_some())
        };
        let before = count(self);
        self.working.retain(|work| work.pass.name() != name);
        self.polishing.retain(|pass| pass.name() != name);
        self.closing.take_if(|pass| pass.name() == name);
        count(self) < before
    }

    /// Runs it.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        session.schedule();
        let unknown = |work: &Work| {
            let rate = if work.is_costly { Rate::LITTLE } else { Rate::EXPECTED };
            Known { rate, nothing_in: None, thoroughly_nothing_in: None }
        };
        let mut known: Vec<Known> = self.working.iter().map(unknown).collect();
        loop {
            self.work(session, &mut known)?;
            let worked = session.best().fingerprint();
            for pass in &self.polishing {
                session.pass(pass.name(), |session| pass.run(session))?;
            }
            let polished = session.best().fingerprint();
            if let Some(pass) = &self.closing {
                session.pass(pass.name(), |session| pass.run(session))?;
            }
            let end = session.best().fingerprint();
            if end == worked || (end == polished && self.until != Until::Fixpoint) {
                return Ok(());
            }
        }
    }

    /// Runs the working passes until none of them finds anything, as thoroughly as is asked for.
    fn work(&self, session: &mut Session<'_>, known: &mut [Known]) -> Result<(), Stop> {
        loop {
            self.eagerly(session, known)?;
            let best = session.best().fingerprint();
            let unsure = |(known, work): (&Known, &Work)| match self.until {
                Until::Eager => false,
                Until::Thorough => known.thoroughly_nothing_in.is_none() && !work.is_costly,
                Until::Fixpoint => known.thoroughly_nothing_in != Some(best),
            };
            let Some(next) = known.iter().zip(&self.working).position(unsure) else { return Ok(()) };
            let pass = &self.working[next].pass;
            session.pass(pass.name(), |session| pass.run(session))?;
            let after = session.best().fingerprint();
            known[next].thoroughly_nothing_in = (after == best).then_some(best);
        }
    }

    fn eagerly(&self, session: &mut Session<'_>, known: &mut [Known]) -> Result<(), Stop> {
        loop {
            let best = session.best().fingerprint();
            let waits = |pass: &usize| known[*pass].nothing_in != Some(best);
            // Of equals the first: `max_by` would give the last.
            let promising =
                |passes: &mut dyn Iterator<Item = usize>| {
                    passes.reduce(|first, next| {
                        if known[next].rate.compare(&known[first].rate).is_gt() { next } else { first }
                    })
                };
            let waiting = || (0..known.len()).filter(waits);
            let Some(next) = promising(&mut waiting()) else { return Ok(()) };
            let other = promising(&mut waiting().filter(|pass| *pass != next));
            let floor = other.map_or(Rate::NONE, |other| known[other].rate.floor());
            let pass = &self.working[next].pass;
            let (ended, rate) = session.pass(pass.name(), |session| {
                session.eagerly(known[next].rate, floor, |session| pass.run(session))
            })?;
            known[next].rate = rate;
            let unchanged = session.best().fingerprint() == best;
            known[next].nothing_in = (ended && unchanged).then_some(best);
        }
    }
}
