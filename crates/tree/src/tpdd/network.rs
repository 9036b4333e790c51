//! The Bayesian network of T-PDD: one variable for each part of a tree, and what follows from them.
//!
//! The variable of a part says whether the part is in the smallest interesting tree. A part is there only if the one
//! above it is, so one number each says all: `p`, the probability that the part is needed **given that the one above
//! is**. For the rest there are closed forms, for all parts at once in time linear in the tree:
//!
//! ```text
//! M(v) = p(v) · M(above)                  v is needed                                  from the top down
//! Q(v) = 1 − p(v) · (1 − q(v))            no token of v is, given the part above       from the bottom up
//! q(v) = ∏ Q(below), 0 for a leaf         no token of v is, given v itself
//! 1 − M(v) · (1 − q(v))                   the tree without v is interesting
//! ```
//!
//! The network knows nothing of syntax. It can be built by hand, and is in the tests.

use super::learn::{Update, learn};

/// A part of the tree, by its place in the network; parts come after the one above them.
pub type PartId = u32;

/// What a part is when it is put into a [`Network`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The part it belongs to; nothing for the first, which is the whole.
    pub above: Option<PartId>,
    /// The probability that it is needed, given that the part above is.
    pub p: f64,
    /// Tokens that are in it and in no part below it.
    pub tokens: u32,
    /// Whether it cannot be without some token of its own: then it is needed as soon as it is there.
    pub certain: bool,
    /// Whether it may be taken out.
    pub deletable: bool,
    /// How many of the parts below it that are elements have to stay.
    pub least: u32,
    /// Whether it counts for what the part above it has to keep.
    pub element: bool,
    /// Parts of one kind are believed to be needed equally often, where that is learnt.
    pub kind: u32,
}

impl Part {
    /// A part that cannot be taken out alone and has no token of its own.
    #[must_use]
    pub fn fixed(above: Option<PartId>) -> Self {
        Part { above, p: 1.0, tokens: 0, certain: false, deletable: false, least: 0, element: false, kind: 0 }
    }

    /// A part that may be taken out.
    #[must_use]
    pub fn deletable(above: PartId, p: f64) -> Self {
        Part { p, deletable: true, ..Part::fixed(Some(above)) }
    }

    /// The same with that many tokens of its own. They do not make it certain.
    #[must_use]
    pub fn with_tokens(self, tokens: u32) -> Self {
        Part { tokens, ..self }
    }
}

/// A tree of parts and what is believed of each.
#[derive(Clone, Debug, Default)]
pub struct Network {
    pub(super) parts: Vec<Part>,
    /// The id behind the last part below each.
    ends: Vec<PartId>,
    pub(super) alive: Vec<bool>,
    /// The parts that are left, in order.
    left: Vec<PartId>,
    /// How many elements are left below each part.
    pub(super) elements: Vec<u32>,
}

impl Network {
    /// A network without parts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a part behind all that are there. Those below a part must follow it before anything else does.
    ///
    /// # Panics
    /// If the part above is not there, or is closed since something beside it has been added.
    pub fn add(&mut self, part: Part) -> PartId {
        let id = self.parts.len() as PartId;
        if let Some(above) = part.above {
            assert_eq!(
                self.ends.get(above as usize),
                Some(&id),
                "parts are added from the top down, in order"
            );
            self.elements[above as usize] += u32::from(part.element);
        }
        self.parts.push(part);
        self.ends.push(id);
        self.alive.push(true);
        self.elements.push(0);
        self.left.push(id);
        let mut at = Some(id);
        while let Some(open) = at {
            self.ends[open as usize] = id + 1;
            at = self.parts[open as usize].above;
        }
        id
    }

    /// How many parts there are, taken out or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there is no part.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The parts that are left, those above before those below.
    #[must_use]
    pub fn left(&self) -> &[PartId] {
        &self.left
    }

    /// Whether a part is left.
    #[must_use]
    pub fn is_left(&self, part: PartId) -> bool {
        self.alive[part as usize]
    }

    /// The probability that a part is needed, given that the one above it is; 0 once it is gone.
    #[must_use]
    pub fn p(&self, part: PartId) -> f64 {
        self.parts[part as usize].p
    }

    /// The part above.
    #[must_use]
    pub fn above(&self, part: PartId) -> Option<PartId> {
        self.parts[part as usize].above
    }

    /// The parts directly below that are left.
    pub fn below(&self, part: PartId) -> impl Iterator<Item = PartId> + '_ {
        let end = self.ends[part as usize];
        let mut at = part + 1;
        std::iter::from_fn(move || {
            while at < end {
                let child = at;
                at = self.ends[child as usize];
                if self.alive[child as usize] {
                    return Some(child);
                }
            }
            None
        })
    }

    /// Whether one part is the other or below it.
    #[must_use]
    pub fn contains(&self, part: PartId, other: PartId) -> bool {
        (part..self.ends[part as usize]).contains(&other)
    }

    /// Whether a part may be taken out and is not settled.
    pub(super) fn may_go(&self, part: PartId) -> bool {
        let own = &self.parts[part as usize];
        let keeps_least = || {
            let above = own.above.expect("the whole is no element") as usize;
            self.elements[above] > self.parts[above].least
        };
        own.deletable && own.p > 0.0 && own.p < 1.0 && (!own.element || keeps_least())
    }

    /// Takes parts out, with all below them; they and all below are needed with probability 0.
    pub(super) fn take_out(&mut self, parts: &[PartId]) {
        for &part in parts {
            let Part { above, element, .. } = self.parts[part as usize];
            if let Some(above) = above {
                self.elements[above as usize] -= u32::from(element);
            }
            for id in part as usize..self.ends[part as usize] as usize {
                self.alive[id] = false;
                self.parts[id].p = 0.0;
            }
        }
        self.left.retain(|part| self.alive[*part as usize]);
    }

    /// Learns that the tree without these parts, none of which is below another, was boring.
    pub fn learn(&mut self, deleted: &[PartId], update: Update) {
        let scores = self.scores();
        learn(self, &scores, deleted, update);
    }

    /// What follows from what is believed of each part.
    #[must_use]
    pub fn scores(&self) -> Scores {
        let mut scores = Scores::default();
        scores.fill(self);
        scores
    }
}

/// What follows from what is believed of each part; meaningless for parts that are gone.
#[derive(Clone, Debug, Default)]
pub struct Scores {
    /// The probability that no token of the part is needed, given that the part is.
    spare: Vec<f64>,
    /// The probability that the part is needed.
    needed: Vec<f64>,
    tokens: Vec<u32>,
}

impl Scores {
    /// Works the scores of a network out, in the same memory.
    pub(super) fn fill(&mut self, network: &Network) {
        let len = network.len();
        self.spare.clear();
        self.spare.resize(len, 1.0);
        self.needed.resize(len, 0.0);
        self.tokens.clear();
        self.tokens.resize(len, 0);
        for &id in network.left.iter().rev() {
            let (at, part) = (id as usize, &network.parts[id as usize]);
            if part.certain || self.tokens[at] == 0 && part.tokens > 0 {
                self.spare[at] = 0.0;
            }
            self.tokens[at] += part.tokens;
            if let Some(above) = part.above {
                self.spare[above as usize] *= 1.0 - part.p * (1.0 - self.spare[at]);
                self.tokens[above as usize] += self.tokens[at];
            }
        }
        for &id in &network.left {
            let Part { above, p, .. } = network.parts[id as usize];
            self.needed[id as usize] = p * above.map_or(1.0, |above| self.needed[above as usize]);
        }
    }

    /// The probability that the part is needed.
    #[must_use]
    pub fn needed(&self, part: PartId) -> f64 {
        self.needed[part as usize]
    }

    /// The probability that no token of the part is needed, given that the part is.
    #[must_use]
    pub fn spare(&self, part: PartId) -> f64 {
        self.spare[part as usize]
    }

    /// How many tokens the part has.
    #[must_use]
    pub fn tokens(&self, part: PartId) -> u32 {
        self.tokens[part as usize]
    }

    /// Whether the part is needed for its own tokens as soon as it is there, whatever is below.
    pub(super) fn is_leaf(&self, network: &Network, part: PartId) -> bool {
        let Part { certain, tokens, .. } = network.parts[part as usize];
        certain || tokens > 0 && tokens == self.tokens(part)
    }

    /// The probability that the tree without the part is interesting.
    #[must_use]
    pub fn success(&self, part: PartId) -> f64 {
        1.0 - self.needed(part) * (1.0 - self.spare(part))
    }

    /// The tokens that taking the part out is expected to save.
    #[must_use]
    pub fn gain(&self, part: PartId) -> f64 {
        f64::from(self.tokens(part)) * self.success(part)
    }
}
