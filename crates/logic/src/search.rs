//! The search for the shortest prefix that is interesting.

use dwindle_core::Stop;

use crate::probe::Probe;
use crate::set::ItemSet;

/// How the shortest interesting prefix is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probing {
    /// Exactly the published sequence of probes, with those whose answer is known.
    Faithful,
    /// Binary search; the last prefix is known to be interesting and is not probed.
    Binary,
    /// So many probes at once, evenly spread: fewer rounds where several tests run at the same time. They are asked
    /// through [`Probe::first`], shortest first, so that a success ends those for longer prefixes.
    Ways(u8),
}

/// The least index in `low..=high` whose prefix is interesting; the one at `high` is known to be. In faithful mode
/// that is not believed, and `None` says that no probe succeeded.
pub(crate) fn shortest(
    probe: &mut dyn Probe,
    probing: Probing,
    low: usize,
    high: usize,
    prefix: &dyn Fn(usize) -> ItemSet,
) -> Result<Option<usize>, Stop> {
    match probing {
        Probing::Faithful => halving(probe, None, low, high, prefix),
        Probing::Binary | Probing::Ways(0 | 1) => halving(probe, Some(high), low, high, prefix),
        Probing::Ways(count) => ways(probe, usize::from(count), low, high, prefix).map(Some),
    }
}

/// Binary search. The index `known`, if any, is not probed; all others are, in the published order.
fn halving(
    probe: &mut dyn Probe,
    known: Option<usize>,
    mut low: usize,
    high: usize,
    prefix: &dyn Fn(usize) -> ItemSet,
) -> Result<Option<usize>, Stop> {
    let mut found = None;
    // One past the last index still in question, so that it can shrink to nothing.
    let mut end = high + 1;
    while low < end {
        let middle = low + (end - 1 - low) / 2;
        if known == Some(middle) || probe.test(&prefix(middle))? {
            found = Some(middle);
            end = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(found)
}

fn ways(
    probe: &mut dyn Probe,
    ways: usize,
    mut low: usize,
    mut high: usize,
    prefix: &dyn Fn(usize) -> ItemSet,
) -> Result<usize, Stop> {
    while low < high {
        let open = high - low;
        let count = ways.min(open);
        // Cuts the open indices in count + 1 parts.
        let points: Vec<usize> =
            (1..=count).map(|i| low + (i * (open + 1)).div_ceil(count + 1) - 1).collect();
        let found = probe.first(&mut points.iter().map(|point| prefix(*point)))?;
        match found {
            Some(index) => {
                high = points[index];
                if index > 0 {
                    low = points[index - 1] + 1;
                }
            }
            None => low = points[count - 1] + 1,
        }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::ItemId;
    use proptest::prelude::*;

    fn prefix(index: usize) -> ItemSet {
        ItemSet::of(200, (0..index).map(ItemId::new))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn every_way_of_probing_finds_the_shortest_prefix(high in 1usize..200, at in 0usize..200, count in 2u8..9) {
            let wanted = at % high + 1;
            let mut calls = 0usize;
            for probing in [Probing::Faithful, Probing::Binary, Probing::Ways(count)] {
                calls = 0;
                let mut probe = |kept: &ItemSet| { calls += 1; assert!(kept.len() < high || probing == Probing::Faithful); kept.len() >= wanted };
                prop_assert_eq!(shortest(&mut probe, probing, 1, high, &prefix).unwrap(), Some(wanted), "{:?}", probing);
            }
            let rounds = (high as f64).ln() / f64::from(count + 1).ln();
            prop_assert!(calls <= (rounds.ceil() as usize + 1) * usize::from(count), "{} calls", calls);
        }
    }

    #[test]
    fn a_single_way_is_the_binary_search() {
        let asked = |probing| {
            let mut seen = Vec::new();
            let mut probe = |kept: &ItemSet| {
                seen.push(kept.len());
                kept.len() >= 12
            };
            shortest(&mut probe, probing, 1, 13, &prefix).unwrap();
            seen
        };
        assert_eq!(asked(Probing::Binary), [7, 10, 12, 11]);
        assert_eq!(asked(Probing::Ways(1)), asked(Probing::Binary));
        assert_eq!(asked(Probing::Faithful), [7, 10, 12, 11]);
    }
}
