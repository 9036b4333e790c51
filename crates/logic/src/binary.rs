//! Binary reduction over a family of sets: each search finds one set that is needed.

use dwindle_core::Stop;

use crate::probe::Probe;
use crate::search::{Probing, shortest};
use crate::set::ItemSet;

/// What keeping some members of a family costs, from their positions and their union with what is always kept.
pub type Cost<'c> = &'c dyn Fn(&[usize], &ItemSet) -> u64;

/// The cost that counts the items of the union.
#[must_use]
pub fn item_count(_members: &[usize], union: &ItemSet) -> u64 {
    union.len() as u64
}

/// The cost that counts the members.
#[must_use]
pub fn member_count(members: &[usize], _union: &ItemSet) -> u64 {
    members.len() as u64
}

/// Finds members of the family whose union with `base` is interesting and of which none can be left out, if the test is
/// monotone. The union of all is taken to be interesting.
///
/// Members are tried cheapest first, and are sorted again after each find: what a set adds depends on what is there.
///
/// # Errors
/// If the probe says stop.
pub fn binary_reduction(
    base: &ItemSet,
    family: &[ItemSet],
    cost: Cost<'_>,
    probing: Probing,
    probe: &mut dyn Probe,
) -> Result<ItemSet, Stop> {
    let faithful = probing == Probing::Faithful;
    let mut union = base.clone();
    let mut chosen: Vec<usize> = Vec::new();
    let mut left: Vec<usize> = (0..family.len()).collect();
    let mut known = false;
    loop {
        if !faithful {
            // A set that adds nothing cannot be what is missing.
            left.retain(|member| !family[*member].is_subset(&union));
            known |= left.is_empty();
        }
        if known || probe.test(&union)? {
            return Ok(union);
        }
        left.sort_by_cached_key(|member| {
            chosen.push(*member);
            let key = cost(&chosen, &union.union(&family[*member]));
            chosen.pop();
            key
        });
        let prefix = |length: usize| {
            left[..length].iter().fold(union.clone(), |mut set, member| {
                set.extend_by(&family[*member]);
                set
            })
        };
        // Published figures probe the empty prefix again, which has just failed.
        let low = usize::from(!faithful);
        let length = shortest(probe, probing, low, left.len(), &prefix)?;
        match length {
            Some(0) => return Ok(union),
            Some(length) => {
                let member = left[length - 1];
                union.extend_by(&family[member]);
                chosen.push(member);
                left.truncate(length - 1);
                known = !faithful && length == 1;
            }
            // Nothing that was interesting is any more: keep what is left, the last set that was.
            None => return Ok(prefix(left.len())),
        }
    }
}
