//! What is believed of parts that no test has spoken of yet, learnt from those that one has.
//!
//! Of each kind of part it is counted how many were tried and how many of them are needed, by what is believed of each.
//! A fresh part is then needed with the share among its kind, where what is known of all kinds counts as much as
//! [`WEIGHT_OF_ALL`] parts of the kind; and sigma as much as `1 / sigma` parts of any kind, one of them needed.

use super::learn::Before;
use super::network::{Network, PartId};

/// How many parts of a kind have to be seen until they say as much as all others.
const WEIGHT_OF_ALL: f64 = 2.0;

/// Probabilities of fresh parts stay this far from 0 and 1.
const LEAST: f64 = 1e-6;

/// Parts whose probability a test moved by less than this share are as fresh as before.
const SAME: f64 = 0.01;

/// Parts that were tried.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    count: f64,
    needed: f64,
}

impl Seen {
    fn change(&mut self, count: f64, needed: f64) {
        self.count += count;
        self.needed += needed;
    }
}

/// What is believed of fresh parts.
#[derive(Clone, Debug)]
pub(super) struct Prior {
    sigma: f64,
    fresh: Vec<bool>,
    /// By kind, and of all kinds at the end.
    seen: Vec<Seen>,
}

impl Prior {
    /// All parts that can go are fresh.
    pub(super) fn new(network: &Network, sigma: f64) -> Self {
        let kinds = network.parts.iter().map(|part| part.kind as usize + 1).max().unwrap_or(0);
        Prior {
            sigma,
            fresh: network.parts.iter().map(|part| part.deletable).collect(),
            seen: vec![Seen::default(); kinds + 1],
        }
    }

    /// Puts what is believed of fresh parts into the network.
    pub(super) fn apply(&self, network: &mut Network) {
        let all = self.seen[self.seen.len() - 1];
        let of_all = (1.0 + all.needed) / (1.0 / self.sigma + all.count);
        let of = |seen: &Seen| {
            let share = (WEIGHT_OF_ALL * of_all + seen.needed) / (WEIGHT_OF_ALL + seen.count);
            share.clamp(LEAST, 1.0 - LEAST)
        };
        let of_kind: Vec<f64> = self.seen.iter().map(of).collect();
        for at in 0..network.left().len() {
            let part = network.left()[at] as usize;
            if self.fresh[part] {
                network.parts[part].p = of_kind[network.parts[part].kind as usize];
            }
        }
    }

    /// Counts what a boring test has taught: of the parts of `before`, these were believed.
    pub(super) fn boring(&mut self, network: &Network, deleted: &[PartId], before: &[Before]) -> Counted {
        let mut counted = Counted { fresh: Vec::new(), seen: vec![self.saved(self.seen.len() - 1)] };
        for &(part, old) in before {
            let fresh = self.fresh[part as usize];
            let p = network.p(part);
            let tried = p >= 1.0 || deleted.binary_search(&part).is_ok();
            if !fresh || tried || (p - old).abs() > SAME * old {
                self.fresh[part as usize] = false;
                counted.seen.push(self.saved(network.parts[part as usize].kind as usize));
                self.change(network, part, if fresh { (1.0, p) } else { (0.0, p - old) });
            }
            if fresh {
                counted.fresh.push(part);
            }
        }
        counted
    }

    fn saved(&self, kind: usize) -> (u32, Seen) {
        (kind as u32, self.seen[kind])
    }

    fn change(&mut self, network: &Network, part: PartId, (count, needed): (f64, f64)) {
        self.seen[network.parts[part as usize].kind as usize].change(count, needed);
        self.seen.last_mut().expect("there is one of all kinds").change(count, needed);
    }

    /// Counts what an interesting test has taught: `gone` are not needed, and what was believed of parts below them
    /// does not matter any more.
    pub(super) fn interesting(&mut self, network: &Network, gone: &[PartId]) {
        for &part in gone {
            let change = if self.fresh[part as usize] { (1.0, 0.0) } else { (0.0, -network.p(part)) };
            self.change(network, part, change);
        }
    }

    /// Takes the last counting back.
    pub(super) fn restore(&mut self, counted: Counted) {
        for (kind, before) in counted.seen.into_iter().rev() {
            self.seen[kind as usize] = before;
        }
        for part in counted.fresh {
            self.fresh[part as usize] = true;
        }
    }
}

/// What was known before something was counted.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    /// The parts concerned that were fresh.
    fresh: Vec<PartId>,
    /// By kind, in the order in which they changed.
    seen: Vec<(u32, Seen)>,
}
