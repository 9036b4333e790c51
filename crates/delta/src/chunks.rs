//! A list cut into chunks: borders are positions in the list that is left, never lists of elements.

use std::ops::Range;

/// How a list is cut into a given number of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Split {
    /// Each chunk takes its even share of what is left: longer chunks come last (5 into 4: 1, 1, 1, 2).
    #[default]
    Zeller,
    /// Chunk i ends at ⌊len · (i + 1) / n⌋: longer chunks are spread out.
    Balanced,
}

/// By how much a round that found nothing refines the chunks; also how many there are at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitFactor {
    /// That many times as many chunks, 2 at least.
    Times(u32),
    /// Single elements at once.
    Units,
}

impl Default for SplitFactor {
    fn default() -> Self {
        SplitFactor::Times(2)
    }
}

impl SplitFactor {
    /// How many chunks follow on `chunks` in a list of `len` elements.
    pub(crate) fn next(self, chunks: usize, len: usize) -> usize {
        match self {
            SplitFactor::Times(factor) => chunks.saturating_mul(factor.max(2) as usize).min(len),
            SplitFactor::Units => len,
        }
    }
}

/// Adjoining ranges of positions that make up a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunks {
    /// `borders[i]..borders[i + 1]` is chunk i; ascending, the first one is 0.
    borders: Vec<u32>,
}

impl Chunks {
    /// One chunk that is the whole list.
    pub(crate) fn whole(len: usize) -> Self {
        Chunks { borders: vec![0, position(len)] }
    }

    /// A list of `len` elements cut into `n` chunks.
    pub(crate) fn split(split: Split, len: usize, n: usize) -> Self {
        let mut borders = Vec::with_capacity(n + 1);
        borders.push(0);
        let mut start = 0;
        for i in 0..n {
            start = match split {
                Split::Zeller => start + (len - start) / (n - i),
                Split::Balanced => len * (i + 1) / n,
            };
            borders.push(position(start));
        }
        Chunks { borders }
    }

    /// Every chunk of more than one element cut in two where `middle` says; tells which ones were not cut.
    pub(crate) fn halved(&self, middle: impl Fn(Range<usize>) -> usize) -> (Self, Vec<bool>) {
        let mut borders = Vec::with_capacity(2 * self.len() + 1);
        let mut uncut = Vec::with_capacity(2 * self.len());
        borders.push(0);
        for i in 0..self.len() {
            let chunk = self.range(i);
            if chunk.len() > 1 {
                borders.push(position(middle(chunk.clone()).clamp(chunk.start + 1, chunk.end - 1)));
                uncut.push(false);
            }
            borders.push(position(chunk.end));
            uncut.push(chunk.len() < 2);
        }
        (Chunks { borders }, uncut)
    }

    /// How many chunks there are.
    pub(crate) fn len(&self) -> usize {
        self.borders.len() - 1
    }

    /// The positions of chunk `i`.
    pub(crate) fn range(&self, i: usize) -> Range<usize> {
        self.borders[i] as usize..self.borders[i + 1] as usize
    }

    /// Takes chunk `i` out; those behind it move up.
    pub(crate) fn remove(&mut self, i: usize) {
        let width = self.borders[i + 1] - self.borders[i];
        self.borders.remove(i + 1);
        for border in &mut self.borders[i + 1..] {
            *border -= width;
        }
    }

    /// Only the chunks that `keep` names by their number.
    pub(crate) fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let mut borders = vec![0];
        let mut end = 0;
        for i in (0..self.len()).filter(|&i| keep(i)) {
            end += self.borders[i + 1] - self.borders[i];
            borders.push(end);
        }
        self.borders = borders;
    }
}

fn position(at: usize) -> u32 {
    u32::try_from(at).expect("lists have fewer than 2^32 elements")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widths(chunks: &Chunks) -> Vec<usize> {
        (0..chunks.len()).map(|i| chunks.range(i).len()).collect()
    }

    #[test]
    fn split_vectors() {
        use Split::{Balanced, Zeller};
        let table: &[(Split, usize, usize, &[usize])] = &[
            (Zeller, 5, 4, &[1, 1, 1, 2]),
            (Zeller, 20, 8, &[2, 2, 2, 2, 3, 3, 3, 3]),
            (Zeller, 17, 4, &[4, 4, 4, 5]),
            (Zeller, 5, 2, &[2, 3]),
            (Zeller, 3, 3, &[1, 1, 1]),
            (Balanced, 5, 4, &[1, 1, 1, 2]),
            (Balanced, 20, 8, &[2, 3, 2, 3, 2, 3, 2, 3]),
            (Balanced, 17, 4, &[4, 4, 4, 5]),
            (Balanced, 7, 3, &[2, 2, 3]),
        ];
        for &(split, len, n, expected) in table {
            assert_eq!(widths(&Chunks::split(split, len, n)), expected, "{split:?} {len} into {n}");
        }
    }

    #[test]
    fn removing_and_retaining_keep_the_other_borders() {
        let mut chunks = Chunks::split(Split::Zeller, 20, 8);
        chunks.remove(0);
        chunks.remove(5);
        assert_eq!(widths(&chunks), [2, 2, 2, 3, 3, 3]);
        assert_eq!(chunks.range(5), 12..15);
        chunks.retain(|i| i % 2 == 0);
        assert_eq!(widths(&chunks), [2, 2, 3]);
        assert_eq!(chunks.range(2), 4..7);
    }

    #[test]
    fn halving_cuts_only_chunks_that_can_be_cut() {
        let (chunks, uncut) = Chunks::split(Split::Zeller, 4, 3).halved(|chunk| chunk.start);
        assert_eq!(widths(&chunks), [1, 1, 1, 1]);
        assert_eq!(uncut, [true, true, false, false]);
    }
}
