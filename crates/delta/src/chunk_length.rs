//! ddmin by chunk length: kept chunks, then complements, at half, a quarter … of the list's length.

use std::collections::HashSet;
use std::ops::Range;

use dwindle_core::{Stop, Subset};

use crate::oracle::{ListMinimizer, ListOracle, first_tagged};

/// Tries all chunks of a length alone, then all complements; stays at the length while something is found, then
/// halves it down to 1. What was tried as a chunk alone is not asked again. 1-minimal; never tries the last element.
#[derive(Clone, Debug, Default)]
pub struct ChunkLengthDdmin;

/// The chunk alone, or all but the chunk.
fn part(list: &Subset, chunk: &Range<usize>, alone: bool) -> Subset {
    if alone { list.slice(chunk.clone()) } else { list.without(chunk.clone()) }
}

impl ListMinimizer for ChunkLengthDdmin {
    fn minimize_from(
        &self,
        start: Subset,
        _weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        let mut list = start;
        let mut length = list.len() / 2;
        let mut tried = HashSet::new();
        while length > 0 && list.len() > 1 {
            let len = list.len();
            let mut k = 0;
            let won = first_tagged(oracle, || {
                while length > 0 {
                    let chunks = len.div_ceil(length);
                    while k < 2 * chunks {
                        let from = (k % chunks) * length;
                        let chunk = from..(from + length).min(len);
                        let alone = k < chunks;
                        k += 1;
                        let kept = part(&list, &chunk, alone);
                        if kept.is_empty() || kept.len() == len || tried.contains(&kept) {
                            continue;
                        }
                        if alone {
                            tried.insert(kept.clone());
                        }
                        return Some(((length, alone, chunk), kept));
                    }
                    length /= 2;
                    k = 0;
                }
                None
            })?;
            let Some(pulled) = won else { break };
            // What was pulled behind the winner has not been tried.
            for (_, _, chunk) in pulled.tags[pulled.won + 1..].iter().filter(|(_, alone, _)| *alone) {
                tried.remove(&list.slice(chunk.clone()));
            }
            let (at, alone, chunk) = pulled.winner();
            length = at;
            list = part(&list, &chunk, alone);
        }
        Ok(list)
    }
}
