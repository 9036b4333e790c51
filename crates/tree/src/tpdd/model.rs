//! The search of T-PDD: propose what promises most, learn from the answer, until nothing promises enough.
//!
//! A proposal is made **as if it were boring**: the model learns that at once, so the next one follows without waiting
//! for an answer. What turns out otherwise is taken back, in the reverse order.

use std::collections::HashSet;

use dwindle_core::Stop;

use super::choose::{best_part, best_parts};
use super::learn::{Before, Update, learn};
use super::network::{Network, PartId, Scores};
use super::prior::{Counted, Prior};

/// How [`Model`] is to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How likely parts that can go are needed, before anything is known.
    pub sigma: f64,
    /// What a boring test changes.
    pub update: Update,
    /// The expected gain, in tokens, below which nothing is tried any more.
    pub threshold: f64,
    /// The most parts that one test takes out.
    pub several: usize,
    /// Whether sigma is only a first guess: parts of which nothing is known are believed to be needed as often as those
    /// that were tried.
    pub learns: bool,
}

impl Settings {
    /// As the thesis has it.
    pub const PUBLISHED: Settings =
        Settings { sigma: 0.5, update: Update::Literal, threshold: 1.0, several: 1, learns: false };

    /// Ours: the exact posterior, several parts a test, and sigma learnt. Ends when every part is settled.
    pub const EXACT: Settings =
        Settings { sigma: 0.5, update: Update::Exact, threshold: 0.0, several: usize::MAX, learns: true };
}

/// Expected gains this close to the threshold reach it.
const TOLERANCE: f64 = 1e-9;

/// What is believed of the parts of a tree, and what was proposed since the last success.
#[derive(Clone, Debug)]
pub struct Model {
    network: Network,
    settings: Settings,
    scores: Scores,
    prior: Prior,
    /// Parts that were boring in the tree as it is, though they are not settled.
    refused: HashSet<PartId>,
    proposed: Vec<Proposal>,
}

/// Something that was asked for, and what was believed before.
#[derive(Clone, Debug)]
struct Proposal {
    deleted: Vec<PartId>,
    before: Vec<Before>,
    counted: Option<Counted>,
}

impl Model {
    /// Nothing is known but what the network says.
    #[must_use]
    pub fn new(network: Network, settings: Settings) -> Self {
        let prior = Prior::new(&network, settings.sigma);
        Model {
            network,
            settings,
            scores: Scores::default(),
            prior,
            refused: HashSet::new(),
            proposed: Vec::new(),
        }
    }

    /// The network as it is believed to be now.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    fn may_go(&self, part: PartId) -> bool {
        let own = &self.network.parts[part as usize];
        let keeps_least = || {
            let above = own.above.expect("the whole is no element") as usize;
            self.network.elements[above] > self.network.parts[above].least
        };
        own.deletable
            && own.p > 0.0
            && own.p < 1.0
            && (!own.element || keeps_least())
            && !self.refused.contains(&part)
    }

    /// What to take out next; the model has learnt that this was boring. Nothing if nothing promises enough.
    pub fn propose(&mut self) -> Option<Vec<PartId>> {
        if self.settings.learns {
            self.prior.apply(&mut self.network);
        }
        self.scores.fill(&self.network);
        let may_go = |part| self.may_go(part);
        let (deleted, gain) = if self.settings.several > 1 {
            best_parts(&self.network, &self.scores, self.settings.several, may_go)?
        } else {
            let (part, gain) = best_part(&self.network, &self.scores, may_go)?;
            (vec![part], gain)
        };
        if gain < self.settings.threshold * (1.0 - TOLERANCE) {
            return None;
        }
        let before = learn(&mut self.network, &self.scores, &deleted, self.settings.update);
        let counted = self.settings.learns.then(|| self.prior.boring(&self.network, &deleted, &before));
        if let &[part] = &deleted[..] {
            self.refused.insert(part);
        }
        self.proposed.push(Proposal { deleted: deleted.clone(), before, counted });
        Some(deleted)
    }

    /// Takes the last proposal back, as if it had not been made; gives its parts.
    ///
    /// # Panics
    /// If nothing was proposed since the last success.
    pub fn retract(&mut self) -> Vec<PartId> {
        let proposal = self.proposed.pop().expect("there is a proposal to take back");
        let Proposal { deleted, before, counted } = proposal;
        for (part, p) in before.into_iter().rev() {
            self.network.parts[part as usize].p = p;
        }
        if let Some(counted) = counted {
            self.prior.restore(counted);
        }
        if let &[part] = &deleted[..] {
            self.refused.remove(&part);
        }
        deleted
    }

    /// The last proposal was interesting: its parts are gone, and what was refused may be tried again. Gives the parts.
    ///
    /// # Panics
    /// If nothing was proposed since the last success.
    pub fn commit(&mut self) -> Vec<PartId> {
        let gone = self.retract();
        if self.settings.learns {
            self.prior.interesting(&self.network, &gone);
        }
        self.network.take_out(&gone);
        self.refused.clear();
        self.proposed.clear();
        gone
    }
}

/// Answers whether a tree is interesting without some of its parts.
pub trait TreeOracle {
    /// The index of the first interesting set of parts to take out, in the order given, which is lazy and made as if
    /// every earlier one had been boring.
    ///
    /// # Errors
    /// When the session has been stopped.
    fn first(&mut self, deletions: &mut dyn Iterator<Item = Vec<PartId>>) -> Result<Option<usize>, Stop>;

    /// These parts are gone now.
    fn gone(&mut self, parts: &[PartId]);
}

/// Asks what the model proposes until it has no proposal; gives what is believed at the end.
///
/// # Errors
/// When the session has been stopped.
pub fn search(mut model: Model, oracle: &mut dyn TreeOracle) -> Result<Model, Stop> {
    loop {
        let mut pulled = 0;
        let won = oracle.first(&mut std::iter::from_fn(|| {
            let deleted = model.propose()?;
            pulled += 1;
            Some(deleted)
        }))?;
        let Some(won) = won else { return Ok(model) };
        for _ in won + 1..pulled {
            model.retract();
        }
        oracle.gone(&model.commit());
    }
}
