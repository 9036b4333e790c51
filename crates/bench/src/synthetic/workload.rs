//! Lists whose needed elements lie in different ways, and predicates that are more than "has all of them".

use clap::ValueEnum;
use dwindle_core::Subset;

use crate::rng::Rng;

/// Where the needed elements are and what else must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shape {
    /// Needed elements far apart
    Scattered,
    /// Needed elements in groups of five
    Clustered,
    /// Needed elements side by side
    Contiguous,
    /// Scattered, and elements that must not be kept without another one before them
    Dependent,
    /// Scattered, and pairs of which both must be kept or none
    NonMonotone,
}

impl Shape {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Shape::Scattered => "scattered",
            Shape::Clustered => "clustered",
            Shape::Contiguous => "contiguous",
            Shape::Dependent => "dependent",
            Shape::NonMonotone => "non-monotone",
        }
    }
}

/// The numbers of `count` of `n` elements, ascending: evenly spread with a fixed jitter, in groups of five, or in one run.
pub(crate) fn needed(shape: Shape, n: usize, count: usize) -> Vec<usize> {
    let jitter = |i: usize, width: usize| (i * 7919 + 104_729) % width.max(1);
    match shape {
        Shape::Clustered => {
            let width = n / count.div_ceil(5);
            let start = |group: usize| group * width + jitter(group, width.saturating_sub(5));
            (0..count).map(|i| start(i / 5) + i % 5).collect()
        }
        Shape::Contiguous => (0..count).map(|i| n / 3 + i).collect(),
        Shape::Scattered | Shape::Dependent | Shape::NonMonotone => {
            (0..count).map(|i| i * n / count + jitter(i, n / count)).collect()
        }
    }
}

/// A list and what makes a part of it interesting.
pub(crate) struct Workload {
    /// How many elements the list has.
    pub(crate) n: usize,
    needed: Vec<usize>,
    /// The first must not be kept without the second.
    implies: Vec<(usize, usize)>,
}

/// More pairs would make the predicate dearer than the minimisers that are compared.
const MAX_PAIRS: usize = 500;

impl Workload {
    /// A list of `n` elements of which `count` are needed.
    pub(crate) fn new(shape: Shape, n: usize, count: usize) -> Self {
        let needed = needed(shape, n, count);
        let mut rng = Rng::new(n as u64);
        let pairs = (n / 10).min(MAX_PAIRS);
        let mut pair = || {
            let first = rng.below(n - 1);
            (first, first + 1 + rng.below(n - 1 - first))
        };
        let implies = match shape {
            Shape::Scattered | Shape::Clustered | Shape::Contiguous => Vec::new(),
            Shape::Dependent => (0..pairs).map(|_| pair()).map(|(provider, user)| (user, provider)).collect(),
            Shape::NonMonotone => (0..pairs).map(|_| pair()).flat_map(|(a, b)| [(a, b), (b, a)]).collect(),
        };
        Workload { n, needed, implies }
    }

    /// Whether a part of the list is interesting.
    pub(crate) fn holds(&self, kept: &Subset) -> bool {
        self.needed.iter().all(|&i| kept.contains(i))
            && self.implies.iter().all(|&(user, provider)| !kept.contains(user) || kept.contains(provider))
    }

    /// How many elements the smallest interesting part has: the needed ones and all they imply.
    pub(crate) fn least(&self) -> usize {
        let mut kept = vec![false; self.n];
        let mut todo = self.needed.clone();
        while let Some(element) = todo.pop() {
            if !std::mem::replace(&mut kept[element], true) {
                let providers = self.implies.iter().filter(|(user, _)| *user == element);
                todo.extend(providers.map(|&(_, provider)| provider));
            }
        }
        kept.into_iter().filter(|&kept| kept).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_interesting_as_a_whole_and_boring_without_a_needed_element() {
        for &shape in Shape::value_variants() {
            for (n, count) in [(100, 10), (1_000, 20), (100_000, 50)] {
                let workload = Workload::new(shape, n, count);
                let whole = Subset::full(n);
                assert!(workload.holds(&whole), "{shape:?} {n}");
                assert_eq!(workload.needed.len(), count, "{shape:?} {n}");
                assert!(workload.needed.is_sorted_by(|a, b| a < b), "{shape:?} {n}");
                for &i in &workload.needed {
                    assert!(!workload.holds(&whole.without(i..i + 1)), "{shape:?} {n} {i}");
                }
                assert!((count..=n).contains(&workload.least()), "{shape:?} {n}");
            }
        }
    }

    #[test]
    fn a_user_cannot_stay_without_its_provider() {
        let workload = Workload { n: 4, needed: vec![3], implies: vec![(3, 1), (1, 0)] };
        assert_eq!(workload.least(), 3);
        assert!(workload.holds(&[0, 1, 3].into_iter().collect()));
        assert!(!workload.holds(&[1, 3].into_iter().collect()));
    }
}
