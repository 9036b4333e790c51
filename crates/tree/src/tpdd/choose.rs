//! What to delete next: the part, or the parts, whose deletion is expected to save most tokens.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

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

/// Up to `most` parts, none below another, that promise most together, and what they promise.
///
/// As with weighted sets, parts come in the order of risk for a token, −ln P / tokens, and are taken as long as the
/// expected gain does not fall. The probability that all can go is taken to be the product of their probabilities,
/// which is never too high: what is needed below a part that may not be needed itself comes together.
pub(super) fn best_parts(
    network: &Network,
    scores: &Scores,
    most: usize,
    may_go: impl Fn(PartId) -> bool,
) -> Option<(Vec<PartId>, f64)> {
    let risks = network.left().iter().filter(|part| may_go(**part)).filter_map(|&part| {
        let (success, tokens) = (scores.success(part), scores.tokens(part));
        // The bits of numbers that are not negative order as the numbers do.
        let risk = (-success.ln()).max(0.0);
        (success > 0.0 && tokens > 0)
            .then(|| Reverse(((risk / f64::from(tokens)).to_bits(), part, risk.to_bits())))
    });
    let mut order: BinaryHeap<_> = risks.collect();
    let mut chosen = Chosen::default();
    let (mut tokens, mut risk) = (0.0, 0.0);
    while let Some(Reverse((density, part, own_risk))) = order.pop() {
        if chosen.parts.len() >= most || tokens * f64::from_bits(density) > 1.0 {
            break;
        }
        let (own_tokens, own_risk) = (f64::from(scores.tokens(part)), f64::from_bits(own_risk));
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

/// Parts that can go together.
#[derive(Default)]
struct Chosen {
    parts: Vec<PartId>,
    taken: HashSet<PartId>,
    /// Parts with a chosen one below, and how many chosen elements are directly below.
    above: HashMap<PartId, u32>,
}

impl Chosen {
    /// Whether a part is neither above nor below a chosen one, and the part above it keeps what it has to.
    fn admits(&self, network: &Network, part: PartId) -> bool {
        if self.above.contains_key(&part) {
            return false;
        }
        if let Some(above) = network.above(part).filter(|_| network.parts[part as usize].element) {
            let gone = self.above.get(&above).copied().unwrap_or(0);
            if network.elements[above as usize] <= network.parts[above as usize].least + gone {
                return false;
            }
        }
        let mut at = network.above(part);
        while let Some(above) = at {
            if self.taken.contains(&above) {
                return false;
            }
            at = network.above(above);
        }
        true
    }

    fn take(&mut self, network: &Network, part: PartId) {
        self.parts.push(part);
        self.taken.insert(part);
        let mut own = u32::from(network.parts[part as usize].element);
        let mut at = network.above(part);
        while let Some(above) = at {
            *self.above.entry(above).or_insert(0) += std::mem::take(&mut own);
            at = network.above(above);
        }
    }
}
