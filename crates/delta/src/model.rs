//! The probability model of ProbDD: how likely each element is needed, and what to delete next.
//!
//! A proposal is made **as if it were boring**: the model learns that at once, so the next proposal follows without
//! waiting for an answer. What turns out otherwise is taken back:
//!
//! ```text
//!   propose ─ D1 ─ D2 ─ D3 ─ D4        asked ahead, each as if the one before had been boring
//!                   │
//!                   └ interesting:     retract D4, retract D3, commit D2
//! ```

use std::collections::BTreeSet;

use dwindle_core::Subset;

use crate::ties::Ties;

/// How much a set of deletions promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gain {
    /// Number of elements times the probability that none is needed.
    Count,
    /// k · (1 − p of the last)ᵏ⁻¹: as the published Picire-based program computes it.
    LastElement,
    /// Sum of weights times the probability that none is needed.
    Weight,
}

/// Probabilities stay this far from 0 and 1 until an element is decided.
const LEAST: f64 = 1e-9;

/// Keeps equal gains equal in spite of rounding.
const TOLERANCE: f64 = 1e-12;

/// An undecided element's place in the order of deletion: a key from probability and weight, then the tie rank.
type Place = (u64, u32, u32);

/// What is believed of an element that no deletion has held yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Prior {
    /// Needed with this probability, always.
    Fixed(f64),
    /// Needed with this probability at first, then with the share that is needed among all elements seen so far: the
    /// mean of a beta distribution that counts each of them by what is believed of it and starts out as if `1 / p` had
    /// been seen, one of them needed.
    Learnt(f64),
}

#[derive(Clone, Copy, Debug)]
struct Belief {
    /// The probability that the element is needed: 0 = removed, 1 = kept for good. Of no meaning while it is fresh.
    p: f64,
    /// How many boring deletions held it.
    failures: u32,
    /// Whether no deletion held it yet: then the prior says what is believed.
    fresh: bool,
    /// How many elements had gone when that was learnt.
    gone: u32,
}

/// Elements that are no longer fresh, for a prior that learns.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// How many there are.
    count: usize,
    /// How many of them are needed, by what is believed of each.
    needed: f64,
}

/// A deletion that was asked for, and what was believed before.
struct Proposal {
    before: Vec<(u32, Belief)>,
    /// Kept whole, not added up again: sums of rounded numbers would tell how far the oracle looked ahead.
    seen: Seen,
}

/// What is believed of each element, and what was proposed since the last success.
pub(crate) struct Model<'a> {
    gain: Gain,
    prior: Prior,
    ties: &'a Ties,
    weights: &'a [u64],
    /// By element number; elements outside of the list count as removed.
    beliefs: Vec<Belief>,
    /// The fresh elements in the order of deletion: by weight where that counts, then by tie rank.
    fresh: BTreeSet<Place>,
    /// The other elements with 0 < p < 1, the most promising first.
    undecided: BTreeSet<Place>,
    /// The sum of the weights of both.
    undecided_weight: f64,
    seen: Seen,
    present: Subset,
    /// How many elements there were at first.
    whole: usize,
    /// Proposals that were not taken back.
    proposed: Vec<Proposal>,
}

impl<'a> Model<'a> {
    /// Nothing is known of any element of `start` but the prior.
    pub(crate) fn new(start: Subset, prior: Prior, gain: Gain, ties: &'a Ties, weights: &'a [u64]) -> Self {
        let mut model = Model {
            gain,
            prior,
            ties,
            weights,
            beliefs: vec![Belief { p: 0.0, failures: 0, fresh: false, gone: 0 }; weights.len()],
            fresh: BTreeSet::new(),
            undecided: BTreeSet::new(),
            undecided_weight: 0.0,
            seen: Seen::default(),
            proposed: Vec::new(),
            whole: start.len(),
            present: start,
        };
        for element in model.present.iter() {
            model.beliefs[element].fresh = true;
        }
        model.fresh = model.present.iter().map(|element| model.place(element as u32)).collect();
        model.undecided_weight = model.present.iter().map(|element| model.weight(element as u32)).sum();
        model
    }

    /// What is left of the list.
    pub(crate) fn present(&self) -> &Subset {
        &self.present
    }

    /// The probability that an element is needed.
    pub(crate) fn p(&self, element: u32) -> f64 {
        let Belief { p, fresh, .. } = self.beliefs[element as usize];
        if fresh { self.fresh_p() } else { p }
    }

    /// The probability that a fresh element is needed.
    fn fresh_p(&self) -> f64 {
        match self.prior {
            Prior::Fixed(p) => p,
            Prior::Learnt(p) => (1.0 + self.seen.needed) / (1.0 / p + self.seen.count as f64),
        }
        .clamp(LEAST, 1.0 - LEAST)
    }

    /// The probability of the undecided element that promises most, if there is one.
    pub(crate) fn lowest(&self) -> Option<f64> {
        self.order().next().map(|element| self.p(element))
    }

    /// The undecided elements, fresh or not, the most promising first.
    fn order(&self) -> impl Iterator<Item = u32> {
        let key = |place: &Place| (self.key(place.2), place.1);
        let mut fresh = self.fresh.iter().peekable();
        let mut others = self.undecided.iter().peekable();
        std::iter::from_fn(move || {
            let next = match (fresh.peek(), others.peek()) {
                (Some(one), Some(other)) if key(one) <= key(other) => fresh.next(),
                (Some(_), None) => fresh.next(),
                _ => others.next(),
            };
            next.map(|&(_, _, element)| element)
        })
    }

    fn weight(&self, element: u32) -> f64 {
        self.weights[element as usize].max(1) as f64
    }

    /// What an element promises, lower being better.
    fn key(&self, element: u32) -> u64 {
        // The bits of positive numbers order as the numbers do.
        match self.gain {
            Gain::Count | Gain::LastElement => self.p(element).to_bits(),
            Gain::Weight => !((1.0 - self.p(element)) * self.weight(element)).to_bits(),
        }
    }

    fn place(&self, element: u32) -> Place {
        let Belief { failures, fresh, .. } = self.beliefs[element as usize];
        let key = match self.gain {
            // They share one probability, which may change while they wait: only what differs decides.
            Gain::Count | Gain::LastElement if fresh => 0,
            Gain::Weight if fresh => !self.weight(element).to_bits(),
            _ => self.key(element),
        };
        (key, self.ties.rank(element, failures), element)
    }

    fn is_undecided(&self, element: u32) -> bool {
        let Belief { p, fresh, .. } = self.beliefs[element as usize];
        fresh || p > 0.0 && p < 1.0
    }

    fn believe(&mut self, element: u32, belief: Belief) {
        if self.is_undecided(element) {
            let place = self.place(element);
            let fresh = self.beliefs[element as usize].fresh;
            if fresh {
                self.fresh.remove(&place)
            } else {
                self.undecided.remove(&place)
            };
            self.undecided_weight -= self.weight(element);
        }
        self.beliefs[element as usize] = belief;
        if self.is_undecided(element) {
            let place = self.place(element);
            if belief.fresh {
                self.fresh.insert(place)
            } else {
                self.undecided.insert(place)
            };
            self.undecided_weight += self.weight(element);
        }
    }

    /// Learns something of an element that is not fresh any more.
    fn learn(&mut self, element: u32, p: f64, failures: u32) {
        let before = self.beliefs[element as usize];
        if before.fresh {
            self.seen.count += 1;
        } else {
            self.seen.needed -= before.p;
        }
        self.seen.needed += p;
        let gone = (self.whole - self.present.len()) as u32;
        self.believe(element, Belief { p, failures, fresh: false, gone });
    }

    /// An element about which something is known from before.
    pub(crate) fn recall(&mut self, element: u32, p: f64) {
        self.learn(element, p, 0);
    }

    /// What is believed of an element, and how many others had gone when that was learnt.
    pub(crate) fn found(&self, element: u32) -> (f64, u32) {
        (self.p(element), self.beliefs[element as usize].gone)
    }

    /// The elements whose deletion promises most.
    fn best(&self) -> Vec<u32> {
        let order = self.order();
        match self.gain {
            Gain::Count => {
                // k · ∏(1 − p) does not fall with the k-th element exactly if p ≤ 1/k; so no product is needed.
                let fits = |(k, element): &(usize, u32)| self.p(*element) <= 1.0 / (*k as f64) + TOLERANCE;
                (1..).zip(order).take_while(fits).map(|(_, element)| element).collect()
            }
            Gain::LastElement => {
                let mut gain = 0.0;
                let mut chosen = Vec::new();
                for (k, element) in (1..).zip(order) {
                    let next = f64::from(k) * (1.0 - self.p(element)).powi(k - 1);
                    if next < gain * (1.0 - TOLERANCE) {
                        break;
                    }
                    gain = next;
                    chosen.push(element);
                }
                chosen
            }
            Gain::Weight => {
                let (mut weight, mut none_needed, mut most, mut length) = (0.0, 1.0, 0.0, 0);
                let mut chosen = Vec::new();
                for element in order {
                    weight += self.weight(element);
                    none_needed *= 1.0 - self.p(element);
                    chosen.push(element);
                    if length == 0 || weight * none_needed >= most * (1.0 - TOLERANCE) {
                        (most, length) = (weight * none_needed, chosen.len());
                    }
                    // Not even all that is left could make up for the risk that is already taken.
                    if self.undecided_weight * none_needed < most {
                        break;
                    }
                }
                chosen.truncate(length);
                chosen
            }
        }
    }

    /// The elements to delete next, ascending; the model has learnt that their deletion was boring.
    pub(crate) fn propose(&mut self) -> Option<Subset> {
        let mut deleted = self.best();
        if deleted.is_empty() {
            return None;
        }
        let none_needed: f64 = deleted.iter().map(|&element| 1.0 - self.p(element)).product();
        deleted.sort_unstable();
        let before = deleted.iter().map(|&element| (element, self.beliefs[element as usize])).collect();
        self.proposed.push(Proposal { before, seen: self.seen });
        // All old values on the right-hand side: learning of one changes what is believed of fresh ones.
        let ps: Vec<f64> = deleted.iter().map(|&element| self.p(element)).collect();
        for (&element, p) in deleted.iter().zip(ps) {
            let p = if deleted.len() == 1 {
                1.0
            } else {
                // Less than 1 but for rounding: only an element that was boring alone is kept for good.
                (p / (1.0 - none_needed)).min(1.0 - f64::EPSILON)
            };
            self.learn(element, p, self.beliefs[element as usize].failures + 1);
        }
        Some(deleted.into_iter().map(|element| element as usize).collect())
    }

    /// Takes the last proposal back, as if it had not been made; gives its elements.
    pub(crate) fn retract(&mut self) -> Subset {
        let Proposal { before, seen } = self.proposed.pop().expect("there is a proposal to take back");
        for &(element, belief) in &before {
            self.believe(element, belief);
        }
        self.seen = seen;
        before.into_iter().map(|(element, _)| element as usize).collect()
    }

    /// The last proposal was interesting: its elements are gone. Gives the proposals that were boring since the last
    /// success.
    pub(crate) fn commit(&mut self) -> Vec<Vec<u32>> {
        let gone = self.retract();
        for element in gone.iter() {
            self.learn(element as u32, 0.0, self.beliefs[element].failures);
        }
        self.present = self.present.difference(&gone);
        let boring = std::mem::take(&mut self.proposed);
        boring.into_iter().map(|set| set.before.into_iter().map(|(element, _)| element).collect()).collect()
    }

    /// An element is needed for sure, if it is not gone.
    pub(crate) fn keep(&mut self, element: u32) {
        if self.present.contains(element as usize) {
            self.learn(element, 1.0, self.beliefs[element as usize].failures);
        }
    }
}

#[cfg(test)]
mod tests;
