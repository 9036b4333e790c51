//! What to delete next: the part, or the parts, whose deletion is expected to save most tokens.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::network::{Network, PartId, Scores};

/// Keeps equal gains equal in spite of rounding.
const TOLERANCE: f64 = 1e-12;

/// The one part that promises most, and what it promises; the first of equals.
pub(super) fn best_part(
    network: &Network,
    scores: &Scores,
    may_go: impl Fn(PartId) -> bool,
) -> Option<(PartId, f64)> {
    let mut best: Option<(PartId, f64)> = None;
    for &part in network.left() {
        let gain = scores.gain(part);
        if best.is_none_or(|(_, most)| gain > most * (1.0 + TOLERANCE)) && gain > 0.0 && may_go(part) {
            best = Some((part, gain));
        }
    }
    best
}

/// Up to `most` parts that promise most together, and what they promise.
///
/// Only parts directly below what is known to be needed come into question: deep down in what may go as a whole nearly
/// every part is safe to take out, but hundreds of them at once are not, and say little if they fail. As with weighted
/// sets, parts come in the order of risk for a token, −ln P / tokens, and are taken as long as the expected gain does
/// not fall.
pub(super) fn best_parts(
    network: &Network,
    scores: &Scores,
    most: usize,
    may_go: impl Fn(PartId) -> bool,
) -> Option<(Vec<PartId>, f64)> {
    let in_reach = |part: PartId| network.above(part).is_none_or(|above| scores.needed(above) >= 1.0);
    let candidates = network.left().iter().copied().filter(|part| in_reach(*part) && may_go(*part));
    let risks =
        candidates.filter(|part| scores.gain(*part) > 0.0).map(|part| Reverse(Risk::of(scores, part)));
    let mut order: BinaryHeap<_> = risks.collect();
    let mut chosen = Chosen::default();
    let (mut tokens, mut risk) = (0.0, 0.0);
    while let Some(Reverse(Risk { per_token, part, of_part })) = order.pop() {
        if chosen.parts.len() >= most || tokens * f64::from_bits(per_token) > 1.0 {
            break;
        }
        let (own_tokens, own_risk) = (f64::from(scores.tokens(part)), f64::from_bits(of_part));
        let pays = (tokens + own_tokens) * (-own_risk).exp() >= tokens * (1.0 - TOLERANCE);
        if pays && chosen.admits(network, part) {
            chosen.take(network, part);
            tokens += own_tokens;
            risk += own_risk;
        }
    }
    chosen.parts.sort_unstable();
    (!chosen.parts.is_empty()).then(|| (chosen.parts, tokens * (-risk).exp()))
}

/// Those of some parts, one of which at least is needed, that promise most, and what they promise. Never all of them.
///
/// With P for the probability that none of a set is needed, that of the chosen is (P(chosen) − P(all)) / (1 − P(all))
/// now: about half of what is left of the risk is taken, so that one needed part is found by halving.
pub(super) fn best_of(scores: &Scores, parts: &[PartId]) -> (Vec<PartId>, f64) {
    let mut order: Vec<Risk> = parts.iter().map(|part| Risk::of(scores, *part)).collect();
    order.sort_unstable();
    let none = |parts: &[Risk]| (-parts.iter().map(|risk| f64::from_bits(risk.of_part)).sum::<f64>()).exp();
    let none_of_all = none(&order);
    let (mut tokens, mut risk) = (0.0, 0.0);
    let (mut best, mut most) = (1, 0.0);
    for (count, Risk { part, of_part, .. }) in order[..order.len() - 1].iter().enumerate() {
        tokens += f64::from(scores.tokens(*part));
        risk += f64::from_bits(*of_part);
        let success = ((-risk).exp() - none_of_all) / (1.0 - none_of_all);
        if tokens * success > most * (1.0 + TOLERANCE) {
            (best, most) = (count + 1, tokens * success);
        }
    }
    let mut chosen: Vec<PartId> = order[..best].iter().map(|risk| risk.part).collect();
    chosen.sort_unstable();
    (chosen, most)
}

/// A part by how much is risked for each token it may save; all numbers as bits, which order as the numbers do.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Risk {
    per_token: u64,
    part: PartId,
    of_part: u64,
}

impl Risk {
    fn of(scores: &Scores, part: PartId) -> Self {
        // Not negative: the bits of such numbers order as they do.
        let risk = (-scores.success(part).ln()).max(0.0);
        let per_token = (risk / f64::from(scores.tokens(part).max(1))).to_bits();
        Risk { per_token, part, of_part: risk.to_bits() }
    }
}

/// Parts that can go together.
#[derive(Default)]
struct Chosen {
    parts: Vec<PartId>,
    /// How many chosen elements are directly below each part.
    below: HashMap<PartId, u32>,
}

impl Chosen {
    /// Whether the part above keeps what it has to. As parts are only chosen below what is needed, none of them is below
    /// another.
    fn admits(&self, network: &Network, part: PartId) -> bool {
        let Some(above) = network.above(part).filter(|_| network.parts[part as usize].element) else {
            return true;
        };
        let gone = self.below.get(&above).copied().unwrap_or(0);
        network.elements[above as usize] > network.parts[above as usize].least + gone
    }

    fn take(&mut self, network: &Network, part: PartId) {
        self.parts.push(part);
        if let Some(above) = network.above(part).filter(|_| network.parts[part as usize].element) {
            *self.below.entry(above).or_insert(0) += 1;
        }
    }
}
