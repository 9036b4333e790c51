//! ProbDD on sets (PDD): delete what is least likely needed, as much of it as promises most.

use std::collections::HashMap;

use dwindle_core::{Stop, Subset};

use crate::model::{Gain, Model, Prior};
use crate::oracle::{ListMinimizer, ListOracle};
use crate::ties::Ties;

/// Wang's probabilistic delta debugging with one independent probability for each element.
///
/// Each element is needed with a probability, σ at first. The set whose deletion has the highest expected gain is asked
/// for; if it is boring the probabilities of its elements rise (one that was alone is kept), else they are gone. Ends when
/// every element is gone or kept. At most proportional to n questions, where ddmin may need n²; best where the needed
/// elements are scattered. May empty the list. Every element that stays was boring alone once, but against a larger list:
/// close with a sweep for 1-minimality where predicates are not monotone.
#[derive(Clone, Debug)]
pub struct ProbDd {
    /// The share of elements expected to stay.
    pub sigma: f64,
    /// Who goes first among equals.
    pub ties: Ties,
    /// As the thesis says, or as one of the published programs does it.
    pub mode: Mode,
}

/// In which of the published forms [`ProbDd`] runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// As the thesis says: exact gain, ends when every element is gone or kept.
    #[default]
    Paper,
    /// As the Picire-based program: the gain uses the last element's probability alone; a whole list in which all reach
    /// 0.8 is given up; what is left of a boring set when all its other elements are gone is kept untested.
    Picire,
    /// As the CHISEL-based program: exact gain, ends when all are above 0.8, keeps untested as above.
    Chisel,
    /// As Perses: exact gain, ends when all are above 0.8. Its prior is 0.25.
    Perses,
    /// As [`Mode::Paper`], but σ is only a first guess: elements that were in no deletion yet are believed to be needed
    /// as often as those that were. Deletions grow while they succeed, so a long list of which little is needed costs as
    /// few questions as with ddmin.
    Learning,
}

/// Where the published programs stop trying.
const ENOUGH: f64 = 0.8;

impl Default for ProbDd {
    fn default() -> Self {
        ProbDd { sigma: 0.1, ties: Ties::Index, mode: Mode::Paper }
    }
}

impl ProbDd {
    /// Whether the model says enough to end.
    fn converged(&self, model: &Model<'_>, whole: bool) -> bool {
        let gives_up = match self.mode {
            Mode::Paper | Mode::Learning => false,
            Mode::Picire => whole,
            Mode::Chisel | Mode::Perses => true,
        };
        gives_up && model.lowest().is_some_and(|p| p >= ENOUGH)
    }

    fn gain(&self) -> Gain {
        match self.mode {
            Mode::Picire => Gain::LastElement,
            Mode::Paper | Mode::Chisel | Mode::Perses | Mode::Learning => Gain::Count,
        }
    }
}

impl ListMinimizer for ProbDd {
    fn minimize_from(
        &self,
        start: Subset,
        weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        let infers = matches!(self.mode, Mode::Picire | Mode::Chisel);
        let mut clauses = infers.then(Clauses::default);
        let len = start.len();
        let prior = match self.mode {
            Mode::Learning => Prior::Learnt(self.sigma),
            _ => Prior::Fixed(self.sigma),
        };
        let model = Model::new(start, prior, self.gain(), &self.ties, weights);
        run(model, oracle, |model| self.converged(model, model.present().len() == len), clauses.as_mut())
    }
}

/// Asks what the model proposes until it has no proposal or is `converged`.
pub(crate) fn run<'a>(
    mut model: Model<'a>,
    oracle: &mut dyn ListOracle,
    converged: impl Fn(&Model<'a>) -> bool,
    clauses: Option<&mut Clauses>,
) -> Result<Subset, Stop> {
    ask(&mut model, oracle, converged, clauses)?;
    Ok(model.present().clone())
}

/// The same with a model that is looked at afterwards.
pub(crate) fn ask<'a>(
    model: &mut Model<'a>,
    oracle: &mut dyn ListOracle,
    converged: impl Fn(&Model<'a>) -> bool,
    mut clauses: Option<&mut Clauses>,
) -> Result<(), Stop> {
    loop {
        let mut pulled = 0;
        let won = oracle.first(&mut std::iter::from_fn(|| {
            if converged(model) {
                return None;
            }
            let deleted = model.propose()?;
            pulled += 1;
            Some(model.present().difference(&deleted))
        }))?;
        let Some(won) = won else {
            return Ok(());
        };
        for _ in won + 1..pulled {
            model.retract();
        }
        let before = model.present().clone();
        let boring = model.commit();
        if let Some(clauses) = &mut clauses {
            for set in boring {
                clauses.add(set, model);
            }
            for element in before.difference(model.present()).iter() {
                clauses.gone(element as u32, model);
            }
        }
    }
}

/// Sets of which some element is needed, because deleting all was boring.
///
/// Once all but one element of a set are gone, that one is taken to be needed without a test. True for monotone predicates
/// only, which is why the thesis' own form does without.
#[derive(Default)]
pub(crate) struct Clauses {
    sets: Vec<Vec<u32>>,
    of: HashMap<u32, Vec<usize>>,
}

impl Clauses {
    /// A set that was boring to delete; elements that went since are left out.
    fn add(&mut self, mut set: Vec<u32>, model: &Model<'_>) {
        set.retain(|&element| model.present().contains(element as usize));
        for &element in &set {
            self.of.entry(element).or_default().push(self.sets.len());
        }
        self.sets.push(set);
    }

    /// An element is gone: those that are left alone in a set stay.
    fn gone(&mut self, element: u32, model: &mut Model<'_>) {
        for set in self.of.remove(&element).unwrap_or_default() {
            let set = &mut self.sets[set];
            set.retain(|&other| other != element);
            if let [last] = set[..] {
                model.keep(last);
            }
        }
    }
}
