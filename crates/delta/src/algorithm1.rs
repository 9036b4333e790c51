//! ddmin as textbooks print it: complements only, from the front, with a chunk length instead of chunks.

use std::ops::Range;

use dwindle_core::{Stop, Subset};

use crate::oracle::{ListMinimizer, ListOracle, Pulled, first_tagged};

/// How long a chunk is when the list does not divide evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ChunkLength {
    /// Rounded down: the rest makes further chunks.
    #[default]
    Whole,
    /// Exact; each border is rounded down by itself. Borders move from round to round, which costs queries.
    Fractional,
}

/// Deletes one of about n chunks at a time, n = 2 first, doubled when nothing went and lowered by one when
/// something did; each round begins at the front again. 1-minimal; never tries the last element.
#[derive(Clone, Debug, Default)]
pub struct Algorithm1 {
    /// How long a chunk is.
    pub length: ChunkLength,
}

impl Algorithm1 {
    /// The chunks of a round, in order.
    fn chunks(&self, len: usize, n: usize) -> Box<dyn Iterator<Item = Range<usize>>> {
        match self.length {
            ChunkLength::Whole => {
                let length = len / n;
                Box::new((0..len).step_by(length).map(move |start| start..(start + length).min(len)))
            }
            ChunkLength::Fractional => {
                let length = len as f64 / n as f64;
                let starts = std::iter::successors(Some(0.0), move |start| Some(start + length));
                Box::new(
                    starts
                        .take_while(move |&start: &f64| start < len as f64)
                        .map(move |start| start as usize..((start + length) as usize).min(len)),
                )
            }
        }
    }
}

impl ListMinimizer for Algorithm1 {
    fn minimize_from(
        &self,
        start: Subset,
        _weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        let mut list = start;
        let mut n = 2;
        while list.len() > 1 {
            let len = list.len();
            let mut round = self.chunks(len, n);
            let won = first_tagged(oracle, || {
                loop {
                    if let Some(chunk) = round.next() {
                        return Some(((n, chunk.clone()), list.without(chunk)));
                    }
                    if n == len {
                        return None;
                    }
                    n = (2 * n).min(len);
                    round = self.chunks(len, n);
                }
            })?;
            let Some((at, chunk)) = won.map(Pulled::winner) else {
                break;
            };
            n = (at - 1).max(2);
            list = list.without(chunk);
        }
        Ok(list)
    }
}
