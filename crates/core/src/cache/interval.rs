//! A sequence as the runs it keeps of a longer one.
//!
//! `p` is part of `base` if it can be had by deleting elements. There may be several ways to cut `p` out of `base`; the
//! *canonical* one takes each element at the first place that is left for it. Written as maximal half-open runs
//! `s1, t1, s2, t2 …`, strictly ascending, it is the same for equal sequences and different for different ones:
//!
//! ```text
//!   base   i n t ; i n t ; x        p = i n t ; x
//!          0 1 2 3 4 5 6 7 8            0,4, 8,9   (not 0,3, 7,9)
//! ```

/// A number that stands for a token; a base takes the narrowest kind that its tokens allow.
pub trait Id: Copy + Into<u32> {}

impl Id for u8 {}
impl Id for u16 {}
impl Id for u32 {}

/// The canonical runs of `p` in `base`, or nothing if `p` is not part of it.
#[must_use]
pub fn encode<T: Id>(base: &[T], p: &[u32]) -> Option<Vec<u32>> {
    let mut runs = Vec::new();
    let (mut at, mut rest) = (0, p);
    while let Some(&first) = rest.first() {
        // What is left of the base must be at least as long as what is left to be found in it.
        let room = base.len().checked_sub(at + rest.len())?;
        at += base[at..=at + room].iter().position(|&id| id.into() == first)?;
        let run = common_prefix(&base[at..], rest);
        runs.extend([number(at), number(at + run)]);
        at += run;
        rest = &rest[run..];
    }
    Some(runs)
}

/// The sequence that keeps these runs of `base`; runs beyond its end are cut off.
#[must_use]
pub fn decode<T: Id>(base: &[T], runs: &[u32]) -> Vec<u32> {
    let mut out = Vec::with_capacity(length(runs));
    for run in runs.chunks_exact(2) {
        let end = base.len().min(run[1] as usize);
        out.extend(base[end.min(run[0] as usize)..end].iter().map(|&id| id.into()));
    }
    out
}

/// How many elements the runs keep.
pub(super) fn length(runs: &[u32]) -> usize {
    runs.chunks_exact(2).map(|run| (run[1] - run[0]) as usize).sum()
}

fn number(at: usize) -> u32 {
    u32::try_from(at).expect("sequences have fewer than 2^32 elements")
}

/// How many elements two sequences begin with in common. In blocks, which the compiler compares all at once.
fn common_prefix<A: Id, B: Id>(a: &[A], b: &[B]) -> usize {
    const BLOCK: usize = 16;
    let same_block = |(a, b): &(&[A], &[B])| {
        let differences = a.iter().zip(*b).map(|(&a, &b)| a.into() ^ b.into());
        differences.fold(0, |all, difference| all | difference) == 0
    };
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK));
    let same = blocks.take_while(same_block).count() * BLOCK;
    let rest = a[same..].iter().zip(&b[same..]);
    same + rest.take_while(|&(&a, &b)| a.into() == b.into()).count()
}

/// Carries runs from one base to a smaller one that is part of it.
///
/// For most keys that needs no look at the elements. Let `e` be the canonical places of `q` in the old base, and `m`
/// those of the new base in it. Any way to cut `q` out of the new base is a way to cut it out of the old one, where
/// no element can stand before its place in `e`. So as long as the places of `e` are among those of `m`, they are the
/// first that are left in the new base as well, and only have to be renumbered. Where an element's place is gone, or
/// was passed by those before it, the new base is searched for the next equal one.
pub(super) struct Carrier<'b, T> {
    old: &'b [T],
    new: &'b [T],
    /// The runs of the new base in the old one, each with the place of its first element in the new one.
    kept: Vec<Kept>,
}

struct Kept {
    start: usize,
    end: usize,
    at: usize,
}

impl<'b, T: Id> Carrier<'b, T> {
    /// Prepares the way between two bases, if the new one is part of the old.
    pub(super) fn new(old: &'b [T], new: &'b [T]) -> Option<Self> {
        let whole: Vec<u32> = new.iter().map(|&id| id.into()).collect();
        let runs = encode(old, &whole)?;
        let mut at = 0;
        let kept = runs.chunks_exact(2).map(|run| {
            let (start, end) = (run[0] as usize, run[1] as usize);
            at += end - start;
            Kept { start, end, at: at - (end - start) }
        });
        let kept = kept.collect();
        Some(Carrier { old, new, kept })
    }

    /// The canonical runs in the new base of what `runs` keep of the old one, or false if it is not part of the new
    /// base. `runs` must be canonical.
    pub(super) fn carry(&self, runs: &[u32], out: &mut Vec<u32>) -> bool {
        out.clear();
        let mut left = length(runs);
        // The first run of the new base that ends behind the element, and the first place that is free in it.
        let (mut near, mut free) = (0, 0);
        for run in runs.chunks_exact(2) {
            let (mut from, end) = (run[0] as usize, run[1] as usize);
            near += self.kept[near..].partition_point(|kept| kept.end <= from);
            while from < end {
                while self.kept.get(near).is_some_and(|kept| kept.end <= from) {
                    near += 1;
                }
                if left > self.new.len() - free {
                    return false;
                }
                let Some(kept) = self.kept.get(near) else {
                    return false;
                };
                let count = if kept.start <= from && kept.at + (from - kept.start) >= free {
                    free = kept.at + (from - kept.start);
                    end.min(kept.end) - from
                } else {
                    let earliest = if kept.start <= from { free } else { free.max(kept.at) };
                    let element = self.old[from].into();
                    let Some(skip) = self.new[earliest..].iter().position(|&id| id.into() == element) else {
                        return false;
                    };
                    free = earliest + skip;
                    common_prefix(&self.old[from..end], &self.new[free..])
                };
                push_run(out, free, count);
                free += count;
                from += count;
                left -= count;
            }
        }
        true
    }
}

fn push_run(runs: &mut Vec<u32>, start: usize, count: usize) {
    let end = number(start + count);
    match runs.last_mut() {
        Some(last) if *last as usize == start => *last = end,
        _ => runs.extend([number(start), end]),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn places(runs: &[u32]) -> Vec<u32> {
        runs.chunks_exact(2).flat_map(|run| run[0]..run[1]).collect()
    }

    /// All ways to cut `p` out of `base`, by trying every choice.
    fn embeddings(base: &[u32], p: &[u32], from: usize) -> Vec<Vec<u32>> {
        let Some((first, rest)) = p.split_first() else {
            return vec![Vec::new()];
        };
        (from..base.len())
            .filter(|&at| base[at] == *first)
            .flat_map(|at| {
                embeddings(base, rest, at + 1).into_iter().map(move |tail| [vec![at as u32], tail].concat())
            })
            .collect()
    }

    fn well_formed(runs: &[u32]) -> bool {
        runs.len().is_multiple_of(2) && runs.windows(2).all(|pair| pair[0] < pair[1])
    }

    #[test]
    fn nothing_and_everything_have_the_shortest_keys() {
        assert_eq!(encode(&[7u8, 7, 8], &[]), Some(vec![]));
        assert_eq!(encode::<u32>(&[], &[]), Some(vec![]));
        assert_eq!(encode(&[7u16, 7, 8], &[7, 7, 8]), Some(vec![0, 3]));
    }

    #[test]
    fn what_is_not_part_of_the_base_has_no_key() {
        for p in [&[9][..], &[8, 7], &[7, 7, 7], &[7, 7, 8, 8], &[7, 7, 8, 9]] {
            assert_eq!(encode(&[7u32, 7, 8], p), None, "{p:?}");
        }
        assert_eq!(encode::<u32>(&[], &[1]), None);
    }

    #[test]
    fn runs_beyond_the_base_do_not_panic() {
        assert_eq!(decode(&[1u32, 2, 3], &[2, 9, 11, 12]), [3]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_key_is_the_first_of_all_ways_to_cut_it_out(
            base in proptest::collection::vec(0u32..4, 0..12),
            p in proptest::collection::vec(0u32..4, 0..7),
        ) {
            let first = embeddings(&base, &p, 0).into_iter().min();
            let runs = encode(&base, &p);
            prop_assert_eq!(runs.as_deref().map(places), first);
            if let Some(runs) = runs {
                prop_assert!(well_formed(&runs));
                prop_assert_eq!(decode(&base, &runs), p);
            }
        }

        #[test]
        fn long_sequences_come_back(
            base in proptest::collection::vec(0u32..50, 0..400),
            kept in proptest::collection::vec(proptest::bool::weighted(0.97), 400),
        ) {
            let part: Vec<u32> = base.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(&id, _)| id).collect();
            let runs = encode(&base, &part).expect("it was cut out of the base");
            prop_assert!(well_formed(&runs));
            prop_assert_eq!(decode(&base, &runs), part);
        }

        #[test]
        fn carrying_keys_to_a_smaller_base_is_encoding_them_anew(
            base in proptest::collection::vec(0u32..5, 0..40),
            new in proptest::collection::vec(proptest::bool::weighted(0.8), 40),
            parts in proptest::collection::vec(proptest::collection::vec(proptest::bool::weighted(0.7), 40), 1..20),
        ) {
            let cut = |mask: &[bool]| -> Vec<u32> {
                base.iter().zip(mask).filter(|(_, kept)| **kept).map(|(&id, _)| id).collect()
            };
            let new = cut(&new);
            let carrier = Carrier::new(&base, &new).expect("it was cut out of the base");
            for part in parts.iter().map(|mask| cut(mask)).collect::<BTreeSet<_>>() {
                let runs = encode(&base, &part).expect("it was cut out of the base");
                let mut carried = Vec::new();
                let is_part = carrier.carry(&runs, &mut carried);
                prop_assert_eq!(is_part.then_some(carried), encode(&new, &part));
            }
        }
    }
}
