//! The rounds of ddmin and its relatives: one visit of the chunks of a list, then finer chunks.

use dwindle_core::{Stop, Subset};

use crate::chunks::Chunks;
use crate::oracle::{ListOracle, first_tagged};
use crate::visit::{LoopOrder, Sequence, Visit};

/// What a candidate of a round keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// That chunk alone.
    Subset(usize),
    /// All but that chunk.
    Complement(usize),
}

/// In which order a round visits what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visits {
    pub(crate) subsets: Visit,
    pub(crate) complements: Visit,
    pub(crate) order: LoopOrder,
    pub(crate) seed: u64,
}

/// One visit of all chunks.
pub(crate) struct Round {
    pub(crate) chunks: Chunks,
    /// Where the visit of the complements begins: beside the chunk that went last.
    pub(crate) offset: usize,
    /// Chunks whose complement is known to be boring, by number; empty if none is.
    settled: Vec<bool>,
    pub(crate) number: u64,
    subsets: Sequence,
    complements: Sequence,
    order: LoopOrder,
}

impl Round {
    pub(crate) fn new(chunks: Chunks, offset: usize, number: u64, visits: Visits) -> Self {
        let n = chunks.len();
        Round {
            subsets: Sequence::new(visits.subsets, n, visits.seed, 2 * number),
            complements: Sequence::new(visits.complements, n, visits.seed, 2 * number + 1),
            order: visits.order,
            settled: Vec::new(),
            chunks,
            offset,
            number,
        }
    }

    /// How many candidates the round has.
    pub(crate) fn len(&self) -> usize {
        self.subsets.len() + self.complements.len()
    }

    /// The `k`-th candidate of the round.
    pub(crate) fn step(&self, k: usize) -> Step {
        let ahead = match self.order {
            LoopOrder::SubsetsFirst => self.subsets.len(),
            LoopOrder::ComplementsFirst => self.complements.len(),
        };
        if (k < ahead) == (self.order == LoopOrder::SubsetsFirst) {
            Step::Subset(self.subsets.at(if k < ahead { k } else { k - ahead }))
        } else {
            let i = self.complements.at(if k < ahead { k } else { k - ahead });
            Step::Complement((i + self.offset) % self.chunks.len())
        }
    }

    /// What a step leaves of `list`.
    pub(crate) fn kept(&self, step: Step, list: &Subset) -> Subset {
        match step {
            Step::Subset(i) => list.slice(self.chunks.range(i)),
            Step::Complement(i) => list.without(self.chunks.range(i)),
        }
    }

    fn is_settled(&self, step: Step) -> bool {
        matches!(step, Step::Complement(i) if self.settled.get(i).copied().unwrap_or(false))
    }
}

/// How a list of chunks is refined.
pub(crate) trait Refine {
    /// Finer chunks of `list`, which has more elements than chunks; and which of them were chunks before, if the
    /// rule is to leave those alone while the list is the same.
    fn refine(&self, list: &Subset, chunks: &Chunks) -> (Chunks, Vec<bool>);
}

/// The loop of ddmin with its rules.
pub(crate) struct Rounds<'a> {
    pub(crate) visits: Visits,
    pub(crate) refine: &'a dyn Refine,
    /// Whether the oracle may look past the end of a round, into the finer one that follows if all is boring.
    pub(crate) chained: bool,
}

impl Rounds<'_> {
    /// The round that follows when all of `round` was boring, if there is one.
    pub(crate) fn refined(&self, round: &Round, list: &Subset) -> Option<Round> {
        let before = round.chunks.len();
        if before >= list.len() {
            return None;
        }
        let (chunks, settled) = self.refine.refine(list, &round.chunks);
        let offset = round.offset * chunks.len() / before;
        Some(Round { settled, ..Round::new(chunks, offset, round.number + 1, self.visits) })
    }

    /// The first round of a list, or the one after a success that left `chunks`.
    pub(crate) fn begin(&self, list: &Subset, chunks: Chunks, offset: usize, number: u64) -> Round {
        if chunks.len() > 1 {
            return Round::new(chunks, offset, number, self.visits);
        }
        let (chunks, _) = self.refine.refine(list, &chunks);
        Round::new(chunks, offset, number, self.visits)
    }

    /// Minimises `list`; never asks for the empty list.
    pub(crate) fn run(&self, mut list: Subset, oracle: &mut dyn ListOracle) -> Result<Subset, Stop> {
        let mut chunks = Chunks::whole(list.len());
        let (mut offset, mut number) = (0, 0);
        while list.len() > 1 {
            // The list stays the same until something is found, so all that may be asked until then is a fixed
            // sequence of rounds: the winner is looked up in it.
            let mut rounds = vec![self.begin(&list, chunks, offset, number)];
            let found = loop {
                let mut k = 0;
                let won = first_tagged(oracle, || {
                    loop {
                        let round = rounds.last().expect("there is a round");
                        while k < round.len() {
                            let step = round.step(k);
                            k += 1;
                            if !round.is_settled(step) {
                                return Some(((rounds.len() - 1, step), round.kept(step, &list)));
                            }
                        }
                        if !self.chained {
                            return None;
                        }
                        let next = self.refined(round, &list)?;
                        rounds.push(next);
                        k = 0;
                    }
                })?;
                match won {
                    Some(won) => break Some(won.winner()),
                    None => match self.refined(rounds.last().expect("there is a round"), &list) {
                        Some(next) => rounds.push(next),
                        None => break None,
                    },
                }
            };
            let Some((winner, step)) = found else { break };
            let round = rounds.swap_remove(winner);
            list = round.kept(step, &list);
            number = round.number + 1;
            chunks = round.chunks;
            match step {
                Step::Subset(_) => {
                    chunks = Chunks::whole(list.len());
                    offset = 0;
                }
                Step::Complement(i) => {
                    chunks.remove(i);
                    offset = i;
                }
            }
        }
        Ok(list)
    }
}
