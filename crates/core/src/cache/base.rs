//! The sequence that keys are runs of, in as few bytes as its numbers allow.
//!
//! It is often the largest part of an interval cache: 50,000 tokens are 100 kB here, and 10,000 keys hardly more.

use super::interval::{Carrier, Id, decode, encode};

/// A base. Source code has fewer than 65,536 different tokens, plain bytes have 256.
pub(super) enum Base {
    Bytes(Box<[u8]>),
    Narrow(Box<[u16]>),
    Wide(Box<[u32]>),
}

impl Default for Base {
    fn default() -> Self {
        Base::Bytes(Box::default())
    }
}

impl Base {
    /// The base that reads so.
    pub(super) fn new(ids: &[u32]) -> Self {
        let largest = ids.iter().copied().max().unwrap_or(0);
        if u8::try_from(largest).is_ok() {
            Base::Bytes(ids.iter().map(|&id| id as u8).collect())
        } else if u16::try_from(largest).is_ok() {
            Base::Narrow(ids.iter().map(|&id| id as u16).collect())
        } else {
            Base::Wide(ids.into())
        }
    }

    /// The base that reads so, as wide as this one if it can be: then keys are carried over the quick way.
    pub(super) fn successor(&self, ids: &[u32]) -> Self {
        match (self, Base::new(ids)) {
            (Base::Narrow(_), Base::Bytes(_)) => Base::Narrow(ids.iter().map(|&id| id as u16).collect()),
            (Base::Wide(_), Base::Bytes(_) | Base::Narrow(_)) => Base::Wide(ids.into()),
            (_, narrowest) => narrowest,
        }
    }

    /// How many tokens it has.
    pub(super) fn len(&self) -> usize {
        match self {
            Base::Bytes(ids) => ids.len(),
            Base::Narrow(ids) => ids.len(),
            Base::Wide(ids) => ids.len(),
        }
    }

    /// Bytes allocated.
    pub(super) fn allocated(&self) -> usize {
        match self {
            Base::Bytes(ids) => size_of_val::<[u8]>(ids),
            Base::Narrow(ids) => size_of_val::<[u16]>(ids),
            Base::Wide(ids) => size_of_val::<[u32]>(ids),
        }
    }

    /// The canonical runs of a sequence.
    pub(super) fn encode(&self, p: &[u32]) -> Option<Vec<u32>> {
        match self {
            Base::Bytes(ids) => encode(ids, p),
            Base::Narrow(ids) => encode(ids, p),
            Base::Wide(ids) => encode(ids, p),
        }
    }

    /// The sequence that runs keep.
    pub(super) fn decode(&self, runs: &[u32]) -> Vec<u32> {
        match self {
            Base::Bytes(ids) => decode(ids, runs),
            Base::Narrow(ids) => decode(ids, runs),
            Base::Wide(ids) => decode(ids, runs),
        }
    }

    /// A way to bring canonical runs of this base to another: leaves the new ones in its second argument, or says
    /// that what they keep is not part of that base.
    pub(super) fn carrier<'b>(&'b self, new: &'b Base) -> CarryFn<'b> {
        let quick = match (self, new) {
            (Base::Bytes(old), Base::Bytes(new)) => quick(old, new),
            (Base::Narrow(old), Base::Narrow(new)) => quick(old, new),
            (Base::Wide(old), Base::Wide(new)) => quick(old, new),
            _ => None,
        };
        // The new base has something that the old one had not: every key is looked at element by element.
        quick.unwrap_or_else(|| {
            Box::new(|runs, out| {
                let runs = new.encode(&self.decode(runs));
                let is_part = runs.is_some();
                *out = runs.unwrap_or_default();
                is_part
            })
        })
    }
}

type CarryFn<'b> = Box<dyn Fn(&[u32], &mut Vec<u32>) -> bool + 'b>;

fn quick<'b, T: Id>(old: &'b [T], new: &'b [T]) -> Option<CarryFn<'b>> {
    let carrier = Carrier::new(old, new)?;
    Some(Box::new(move |runs, out| carrier.carry(runs, out)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_reads_the_same() {
        for shift in [0, 250, 65_530] {
            let ids: Vec<u32> = (0..20).map(|i| shift + i * i % 7).collect();
            let (base, part) = (Base::new(&ids), &ids[3..9]);
            let runs = base.encode(part).unwrap();
            assert_eq!(base.decode(&runs), part);
            assert_eq!(base.len(), 20);
        }
        assert_eq!([255, 256, 65_535, 65_536].map(|id| Base::new(&[id]).allocated()), [1, 2, 2, 4]);
    }

    #[test]
    fn keys_are_carried_between_all_widths() {
        let tops = [1, 300, 70_000];
        for old_top in tops {
            for new_top in tops {
                let old_ids = [1, 2, 3, old_top, 2, 1];
                let new_ids = [2, 3, new_top, 1];
                let old = Base::new(&old_ids);
                let new = old.successor(&new_ids);
                let carry = old.carrier(&new);
                let mut out = Vec::new();
                for part in [&[2u32, 3, 1][..], &[3, 2], &[2], &[], &[old_top, 1]] {
                    let runs = old.encode(part).unwrap();
                    let is_part = carry(&runs, &mut out);
                    assert_eq!(
                        is_part.then_some(&out),
                        encode(&new_ids, part).as_ref(),
                        "{part:?} {old_top} {new_top}"
                    );
                }
            }
        }
    }
}
