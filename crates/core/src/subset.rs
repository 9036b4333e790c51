//! Which elements of a list are kept, as runs.
//!
//! Reducers delete blocks, so what is left is a few long runs. A [`Subset`] stores those, not the elements: a
//! complement of one chunk of a list of 100,000 is two runs.

use std::ops::Range;

/// An ascending set of element numbers, stored as maximal half-open runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Subset {
    runs: Vec<Range<u32>>,
    len: usize,
}

impl Subset {
    /// No element.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// All of `0..n`.
    #[must_use]
    pub fn full(n: usize) -> Self {
        let mut all = Self::empty();
        all.push_run(0..u32::try_from(n).expect("lists have fewer than 2^32 elements"));
        all
    }

    /// How many elements are in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The runs, ascending, none of them empty, no two touching.
    #[must_use]
    pub fn runs(&self) -> &[Range<u32>] {
        &self.runs
    }

    /// The runs as ranges to index with.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = Range<usize>> + Clone + '_ {
        self.runs.iter().map(|run| run.start as usize..run.end as usize)
    }

    /// The elements, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.ranges().flatten()
    }

    /// Whether element `i` is in it.
    #[must_use]
    pub fn contains(&self, i: usize) -> bool {
        let after = self.runs.partition_point(|run| run.start as usize <= i);
        after > 0 && i < self.runs[after - 1].end as usize
    }

    /// Adds a run that starts at or behind the end of the last one.
    ///
    /// # Panics
    /// If the run starts before the end of what is there.
    pub fn push_run(&mut self, run: Range<u32>) {
        if run.is_empty() {
            return;
        }
        self.len += run.len();
        match self.runs.last_mut() {
            Some(last) if last.end == run.start => last.end = run.end,
            last => {
                assert!(last.is_none_or(|last| last.end < run.start), "runs are added in ascending order");
                self.runs.push(run);
            }
        }
    }

    /// The elements at the given positions *of this subset* (position 0 is its first element).
    #[must_use]
    pub fn slice(&self, positions: Range<usize>) -> Self {
        let mut out = Self::empty();
        self.copy_positions(positions, &mut out);
        out
    }

    /// All elements but those at the given positions of this subset.
    #[must_use]
    pub fn without(&self, positions: Range<usize>) -> Self {
        let mut out = Self { runs: Vec::with_capacity(self.runs.len() + 1), len: 0 };
        self.copy_positions(0..positions.start, &mut out);
        self.copy_positions(positions.end..self.len, &mut out);
        out
    }

    fn copy_positions(&self, positions: Range<usize>, out: &mut Self) {
        let mut at = 0;
        for run in &self.runs {
            let (from, to) = (at.max(positions.start), (at + run.len()).min(positions.end));
            if from < to {
                out.push_run(run.start + (from - at) as u32..run.start + (to - at) as u32);
            }
            at += run.len();
            if at >= positions.end {
                break;
            }
        }
    }

    /// What is in both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut out = Self::empty();
        let (mut i, mut j) = (0, 0);
        while let (Some(a), Some(b)) = (self.runs.get(i), other.runs.get(j)) {
            let (from, to) = (a.start.max(b.start), a.end.min(b.end));
            if from < to {
                out.push_run(from..to);
            }
            if a.end < b.end { i += 1 } else { j += 1 }
        }
        out
    }

    /// What is in this one and not in `other`.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut out = Self::empty();
        let mut j = 0;
        for run in &self.runs {
            let mut from = run.start;
            while let Some(cut) = other.runs.get(j) {
                if cut.start >= run.end {
                    break;
                }
                if from < cut.start {
                    out.push_run(from..cut.start);
                }
                from = from.max(cut.end);
                if cut.end > run.end {
                    break;
                }
                j += 1;
            }
            if from < run.end {
                out.push_run(from..run.end);
            }
        }
        out
    }

    /// What is in either.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut all: Vec<&Range<u32>> = self.runs.iter().chain(&other.runs).collect();
        all.sort_by_key(|run| run.start);
        let mut out = Self::empty();
        for run in all {
            let seen = out.runs.last().map_or(0, |last| last.end);
            out.push_run(run.start.max(seen)..run.end.max(seen));
        }
        out
    }
}

impl FromIterator<usize> for Subset {
    /// Collects ascending element numbers.
    fn from_iter<I: IntoIterator<Item = usize>>(elements: I) -> Self {
        let mut out = Self::empty();
        for i in elements {
            let i = u32::try_from(i).expect("lists have fewer than 2^32 elements");
            out.push_run(i..i + 1);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn subset(elements: &BTreeSet<usize>) -> Subset {
        elements.iter().copied().collect()
    }

    #[test]
    fn touching_runs_are_merged() {
        let kept: Subset = [0, 1, 2, 5, 6].into_iter().collect();
        assert_eq!(kept.runs(), [0..3, 5..7]);
        assert_eq!(kept.without(3..5).runs(), std::slice::from_ref(&(0..3)));
    }

    proptest! {
        #[test]
        fn operations_agree_with_a_plain_set(
            a in proptest::collection::btree_set(0usize..40, 0..30),
            b in proptest::collection::btree_set(0usize..40, 0..30),
            from in 0usize..30, width in 0usize..10,
        ) {
            let (x, y) = (subset(&a), subset(&b));
            prop_assert_eq!(x.len(), a.len());
            prop_assert_eq!(x.iter().collect::<BTreeSet<_>>(), a.clone());
            prop_assert_eq!(x.intersection(&y), subset(&(&a & &b)));
            prop_assert_eq!(x.union(&y), subset(&(&a | &b)));
            prop_assert_eq!(x.difference(&y), subset(&(&a - &b)));
            prop_assert!((0..41).all(|i| x.contains(i) == a.contains(&i)));
            let list: Vec<usize> = a.iter().copied().collect();
            let from = from.min(list.len());
            let to = (from + width).min(list.len());
            prop_assert_eq!(x.slice(from..to).iter().collect::<Vec<_>>(), &list[from..to]);
            prop_assert_eq!(x.without(from..to).iter().collect::<Vec<_>>(), [&list[..from], &list[to..]].concat());
        }
    }
}
