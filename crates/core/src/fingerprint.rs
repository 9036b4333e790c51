//! A 122-bit content hash that can be put together from the hashes of pieces.
//!
//! The text of a candidate is a polynomial in a base `B`, modulo the Mersenne prime 2^61 − 1, in two lanes with
//! two bases. So the fingerprint of a concatenation follows from those of its parts, and with prefix sums
//! ([`FingerprintIndex`]) a candidate that keeps `r` runs of a list of pieces is fingerprinted in O(r), without
//! touching its bytes: a cache hit never renders.
//!
//! The same bytes have the same fingerprint however they were cut into pieces, so lines, tokens and characters
//! share one cache. The bases are fixed: a run repeats exactly, and a journal can be read by a later process.

use std::ops::Range;
use std::sync::OnceLock;

const PRIME: u64 = (1 << 61) - 1;
/// Two arbitrary odd numbers below the prime, from the digits of pi and e.
const BASES: [u64; 2] = [0x0243_f6a8_885a_308d, 0x0b7e_1516_28ae_d2a7];

type Lanes = [u64; 2];

/// Identifies the content of a candidate: equal content, equal fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Fingerprint {
    /// Length of the content, in bytes (or in whatever the producer hashes).
    pub len: u64,
    /// The two lanes of the hash, each below 2^61.
    pub lanes: Lanes,
}

impl Fingerprint {
    /// The fingerprint of nothing.
    pub const EMPTY: Fingerprint = Fingerprint { len: 0, lanes: [0, 0] };

    /// The fingerprint of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let powers = Powers::get();
        let mut lanes = [0; 2];
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            for (lane, h) in lanes.iter_mut().enumerate() {
                // Eight products of 8 × 61 bits and one of 61 × 61 stay below 2^123: one reduction for all.
                let mut sum = u128::from(*h) * u128::from(powers.small(8)[lane]);
                for (i, &byte) in chunk.iter().enumerate() {
                    sum += u128::from(byte_value(byte)) * u128::from(powers.small(7 - i)[lane]);
                }
                *h = reduce(sum);
            }
        }
        for &byte in chunks.remainder() {
            for (h, base) in lanes.iter_mut().zip(BASES) {
                *h = reduce(u128::from(*h) * u128::from(base) + u128::from(byte_value(byte)));
            }
        }
        Fingerprint { len: bytes.len() as u64, lanes }
    }

    /// The fingerprint of a sequence of numbers, such as interned tokens.
    #[must_use]
    pub fn of_ids(ids: impl IntoIterator<Item = u32>) -> Self {
        ids.into_iter().fold(Self::EMPTY, |f, id| f.then(Self::of_id(id)))
    }

    /// The fingerprint of one number.
    #[must_use]
    pub fn of_id(id: u32) -> Self {
        Fingerprint { len: 1, lanes: [u64::from(id) + 1; 2] }
    }

    /// The fingerprint of this content followed by `next`.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let shift = Powers::get().power(next.len);
        Fingerprint { len: self.len + next.len, lanes: shifted(self.lanes, shift, next.lanes) }
    }
}

/// A zero byte must count: otherwise `"\0"` and `""` would differ in their length alone.
fn byte_value(byte: u8) -> u64 {
    u64::from(byte) + 1
}

fn reduce(x: u128) -> u64 {
    let folded = (x & u128::from(PRIME)) as u64 + ((x >> 61) & u128::from(PRIME)) as u64 + (x >> 122) as u64;
    let folded = (folded & PRIME) + (folded >> 61);
    if folded >= PRIME { folded - PRIME } else { folded }
}

fn shifted(left: Lanes, shift: Lanes, right: Lanes) -> Lanes {
    std::array::from_fn(|i| reduce(u128::from(left[i]) * u128::from(shift[i]) + u128::from(right[i])))
}

/// Powers of the bases, as a product of at most three table entries: lengths up to 2^33.
struct Powers {
    tables: [Vec<Lanes>; 3],
}

const DIGIT: u32 = 11;

impl Powers {
    fn get() -> &'static Powers {
        static POWERS: OnceLock<Powers> = OnceLock::new();
        POWERS.get_or_init(|| {
            let mut step = BASES;
            let tables = std::array::from_fn(|_| {
                let mut table = vec![[1, 1]];
                for _ in 1..1 << DIGIT {
                    let last = *table.last().expect("the table starts with one entry");
                    table.push(shifted(last, step, [0, 0]));
                }
                step = shifted(*table.last().expect("just filled"), step, [0, 0]);
                table
            });
            Powers { tables }
        })
    }

    fn small(&self, exponent: usize) -> Lanes {
        self.tables[0][exponent]
    }

    fn power(&self, exponent: u64) -> Lanes {
        assert!(exponent >> (3 * DIGIT) == 0, "content of 8 GiB and more cannot be fingerprinted");
        let digit = |i: u32| (exponent >> (i * DIGIT)) as usize & ((1 << DIGIT) - 1);
        let low = self.tables[0][digit(0)];
        if exponent < 1 << DIGIT {
            return low;
        }
        let middle = shifted(self.tables[1][digit(1)], low, [0, 0]);
        if exponent < 1 << (2 * DIGIT) { middle } else { shifted(self.tables[2][digit(2)], middle, [0, 0]) }
    }
}

/// Prefix sums over the fingerprints of a list of pieces, so that any run of them is fingerprinted in O(1).
#[derive(Clone, Debug)]
pub struct FingerprintIndex {
    prefix: Vec<Fingerprint>,
}

impl FingerprintIndex {
    /// Prepares the list of pieces.
    pub fn new(pieces: impl IntoIterator<Item = Fingerprint>) -> Self {
        let mut last = Fingerprint::EMPTY;
        let prefix = std::iter::once(last).chain(pieces.into_iter().map(|piece| {
            last = last.then(piece);
            last
        }));
        FingerprintIndex { prefix: prefix.collect() }
    }

    /// How many pieces there are.
    #[must_use]
    pub fn pieces(&self) -> usize {
        self.prefix.len() - 1
    }

    /// The fingerprint of the pieces in `range`, put together.
    #[must_use]
    pub fn range(&self, range: Range<usize>) -> Fingerprint {
        let (before, upto) = (self.prefix[range.start], self.prefix[range.end]);
        let len = upto.len - before.len;
        let shift = Powers::get().power(len);
        let lanes = std::array::from_fn(|i| {
            let gone = reduce(u128::from(before.lanes[i]) * u128::from(shift[i]));
            let left = upto.lanes[i] + PRIME - gone;
            if left >= PRIME { left - PRIME } else { left }
        });
        Fingerprint { len, lanes }
    }

    /// The fingerprint of several runs of pieces, put together in the order given.
    pub fn runs(&self, runs: impl IntoIterator<Item = Range<usize>>) -> Fingerprint {
        runs.into_iter().fold(Fingerprint::EMPTY, |f, run| f.then(self.range(run)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn zero_bytes_and_order_count() {
        assert_ne!(Fingerprint::of(b"\0"), Fingerprint::of(b"\0\0"));
        assert_ne!(Fingerprint::of(b"ab").lanes, Fingerprint::of(b"ba").lanes);
        assert_eq!(Fingerprint::of(b""), Fingerprint::EMPTY);
    }

    #[test]
    fn long_content_uses_every_power_table() {
        let piece = vec![7u8; 3 << 20];
        let twice = [piece.clone(), piece.clone()].concat();
        let part = Fingerprint::of(&piece);
        assert_eq!(part.then(part), Fingerprint::of(&twice));
    }

    proptest! {
        #[test]
        fn any_cut_of_the_same_bytes_gives_the_same_fingerprint(
            pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..12),
        ) {
            let whole = pieces.concat();
            let index = FingerprintIndex::new(pieces.iter().map(|p| Fingerprint::of(p)));
            prop_assert_eq!(index.range(0..pieces.len()), Fingerprint::of(&whole));
            for a in 0..=pieces.len() {
                for b in a..=pieces.len() {
                    prop_assert_eq!(index.range(a..b), Fingerprint::of(&pieces[a..b].concat()));
                    let kept = [&pieces[..a], &pieces[b..]].concat().concat();
                    prop_assert_eq!(index.runs([0..a, b..pieces.len()]), Fingerprint::of(&kept));
                }
            }
        }
    }
}
