//! The search of T-PDD: propose what promises most, learn from the answer, until nothing promises enough.
//!
//! A proposal is made **as if it were boring**: the model learns that at once, so the next one follows without waiting
//! for an answer. What turns out otherwise is taken back, in the reverse order.
//!
//! When several parts at once were boring, at least one of them is needed, and nothing is known of parts outside of
//! them that was not known before. So they are halved until one is found, and that is the exact posterior: if a half is
//! boring, it explains the whole, and what is believed of the other half is what was believed before; if it is
//! interesting, the needed part is in the other half. The one that is left in the end needs no test of its own.
//!
//! ```text
//!   a b c d e f g h   boring: one of them is needed
//!   a b c d           interesting: gone; one of e f g h is needed
//!           e f       boring: one of these is needed, g and h are as likely as ever
//!           e         interesting: gone; so f is needed
//! ```

use std::collections::HashSet;

use dwindle_core::Stop;

use super::choose::{best_of, best_part, best_parts};
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
    /// The most parts that one test takes out. More than one come with the exact posterior, whatever `update` says.
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
    /// Parts of which at least one is needed, because taking all out was boring. Always more than one.
    suspects: Vec<PartId>,
    proposed: Vec<Proposal>,
}

/// Something that was asked for, and what was believed before.
#[derive(Clone, Debug)]
struct Proposal {
    deleted: Vec<PartId>,
    learnt: Learnt,
    suspects: Vec<PartId>,
}

/// What was believed before something was learnt.
#[derive(Clone, Debug, Default)]
struct Learnt {
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
            suspects: Vec::new(),
            proposed: Vec::new(),
        }
    }

    /// The network as it is believed to be now.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    fn may_go(&self, part: PartId) -> bool {
        self.network.may_go(part) && !self.refused.contains(&part)
    }

    /// What to take out next; the model has learnt that this was boring. Nothing if nothing promises enough.
    pub fn propose(&mut self) -> Option<Vec<PartId>> {
        self.work_out();
        let may_go = |part| self.may_go(part);
        let (deleted, gain) = if !self.suspects.is_empty() {
            best_of(&self.scores, &self.suspects)
        } else if self.settings.several > 1 {
            best_parts(&self.network, &self.scores, self.settings.several, may_go)?
        } else {
            let (part, gain) = best_part(&self.network, &self.scores, may_go)?;
            (vec![part], gain)
        };
        if gain < self.settings.threshold * (1.0 - TOLERANCE) {
            return None;
        }
        let suspects = std::mem::take(&mut self.suspects);
        let learnt = if let &[part] = &deleted[..] {
            self.refused.insert(part);
            self.settle(part)
        } else {
            // What is known of the others is what was known before: one of these explains all that was boring.
            self.suspects.clone_from(&deleted);
            Learnt::default()
        };
        self.proposed.push(Proposal { deleted: deleted.clone(), learnt, suspects });
        Some(deleted)
    }

    /// Works out what follows from what is believed.
    fn work_out(&mut self) {
        if self.settings.learns {
            self.prior.apply(&mut self.network);
        }
        self.scores.fill(&self.network);
    }

    /// Learns that the tree without this part is boring.
    fn settle(&mut self, part: PartId) -> Learnt {
        // Several parts are only taken out below what is needed for sure, so all that is known of that has to be used.
        let update = if self.settings.several > 1 { Update::Exact } else { self.settings.update };
        let before = learn(&mut self.network, &self.scores, &[part], update);
        let counted = self.settings.learns.then(|| self.prior.boring(&self.network, &[part], &before));
        Learnt { before, counted }
    }

    /// Takes the last proposal back, as if it had not been made; gives its parts.
    ///
    /// # Panics
    /// If nothing was proposed since the last success.
    pub fn retract(&mut self) -> Vec<PartId> {
        let proposal = self.proposed.pop().expect("there is a proposal to take back");
        let Proposal { deleted, learnt, suspects } = proposal;
        for (part, p) in learnt.before.into_iter().rev() {
            self.network.parts[part as usize].p = p;
        }
        if let Some(counted) = learnt.counted {
            self.prior.restore(counted);
        }
        self.suspects = suspects;
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
        // If one of them is needed, and it is none of those that are gone, then it is one of the others.
        self.suspects.retain(|part| self.network.is_left(*part));
        if let &[part] = &self.suspects[..] {
            self.work_out();
            self.settle(part);
            self.suspects.clear();
        }
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
