//! What a boring test teaches: how the probabilities change when the tree without some parts was boring.

use std::collections::HashMap;

use super::network::{Network, PartId, Scores};

/// How a boring test changes what is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Update {
    /// p ← p / P(boring) for the part itself, nothing else, as the thesis writes it. As P(boring) ≤ p this is always 1:
    /// the part is settled, but parts above it and below it can still go.
    #[default]
    Literal,
    /// p ← p / (1 − q), which is what the thesis' example prints: less than 1 where what is below the part may be the
    /// reason. The part can be tried again once something else has gone.
    Soft,
    /// The exact posterior, for all parts that the test says something of. Settles all parts above as well.
    Exact,
}

/// A part that more than one deletion could speak for is never more certain than this.
const ALMOST_CERTAIN: f64 = 1.0 - 1e-9;

/// Where [`Update::Soft`] takes a part for settled: seven times halving the doubt comes down to that.
const SOFT_ENOUGH: f64 = 0.99;

/// What was believed of a part.
pub(super) type Before = (PartId, f64);

/// Learns that the tree without `deleted`, none of which is below another, is boring. Gives what was believed before.
///
/// The published updates are for one part; several always get the exact posterior.
pub(super) fn learn(
    network: &mut Network,
    scores: &Scores,
    deleted: &[PartId],
    update: Update,
) -> Vec<Before> {
    let news = match (update, deleted) {
        (Update::Literal, &[part]) => {
            vec![(part, network.p(part) / (scores.needed(part) * (1.0 - scores.spare(part))))]
        }
        (Update::Soft, &[part]) => vec![(part, soft(network.p(part), scores.spare(part)))],
        _ => posterior(network, scores, deleted),
    };
    let mut before = Vec::with_capacity(news.len());
    for (part, p) in news {
        before.push((part, network.p(part)));
        network.parts[part as usize].p = p.min(1.0);
    }
    before
}

/// The soft rule, which by itself would not end: the doubt has to halve at least, else the part is settled.
fn soft(p: f64, spare: f64) -> f64 {
    let risen = p / (1.0 - spare);
    if risen >= f64::midpoint(1.0, p) && risen < SOFT_ENOUGH { risen } else { 1.0 }
}

/// The exact posterior of all parts it differs for, given that some token of `deleted` is needed.
///
/// Let R(v) be the probability that none is, given that v is needed. Then p(v) becomes p(v) · (1 − R(v)) / (1 − R(above)).
/// R(v) = q(v) · ∏ Q over all that hangs off the way from the top to v, where q and Q count what is deleted only.
#[must_use]
pub(super) fn posterior(network: &Network, scores: &Scores, deleted: &[PartId]) -> Vec<(PartId, f64)> {
    let mut deleted = deleted.to_vec();
    deleted.sort_unstable();
    let (Some(&first), Some(&last)) = (deleted.first(), deleted.last()) else { return Vec::new() };
    // Below each part above what is deleted: what is deleted, or on the way to it. Parts above come before parts below.
    let mut ways: HashMap<PartId, Way> = HashMap::new();
    for &part in &deleted {
        let mut at = part;
        while let Some(above) = network.above(at) {
            let way = ways.entry(above).or_insert(Way { spare: 1.0, below: Vec::new() });
            let known = !way.below.is_empty();
            way.below.push(at);
            if known {
                break;
            }
            at = above;
        }
    }
    let mut up: Vec<PartId> = ways.keys().copied().collect();
    up.sort_unstable_by(|one, other| other.cmp(one));
    let clear = |ways: &HashMap<PartId, Way>, part: PartId| {
        let spare = ways.get(&part).map_or_else(|| scores.spare(part), |way| way.spare);
        1.0 - network.p(part) * (1.0 - spare)
    };
    for part in &up {
        let spare = ways[part].below.iter().map(|below| clear(&ways, *below)).product();
        ways.get_mut(part).expect("it is one of them").spare = spare;
    }

    let root = up.last().copied().unwrap_or(first);
    let mut news = Vec::new();
    let mut open = vec![Step { part: root, off: 1.0, given_above: clear(&ways, root) }];
    while let Some(Step { part, off, given_above }) = open.pop() {
        let way = ways.get(&part);
        let given = off * way.map_or_else(|| scores.spare(part), |way| way.spare);
        let p = network.p(part);
        if p < 1.0 {
            // All that was deleted is below it: it is needed, whichever of them is.
            let surely = network.contains(part, first) && network.contains(part, last);
            let posterior = (p * (1.0 - given) / (1.0 - given_above)).min(ALMOST_CERTAIN);
            news.push((part, if surely { 1.0 } else { posterior }));
        }
        let below: Vec<PartId> = match way {
            Some(way) => way.below.clone(),
            // Its own tokens explain all: what is below is as likely as before.
            None if scores.is_leaf(network, part) => continue,
            None => network.below(part).collect(),
        };
        if 1.0 - given <= 0.0 {
            continue;
        }
        // The product of all but one, without dividing by zeros.
        let clears: Vec<f64> = below.iter().map(|part| clear(&ways, *part)).collect();
        let mut behind: Vec<f64> =
            clears.iter().rev().scan(1.0, |all, one| Some(std::mem::replace(all, *all * one))).collect();
        behind.reverse();
        let mut before = off;
        for ((part, clear), behind) in below.into_iter().zip(&clears).zip(behind) {
            open.push(Step { part, off: before * behind, given_above: given });
            before *= clear;
        }
    }
    news
}

/// A part above what is deleted.
struct Way {
    /// The probability that nothing deleted below it is needed, given that it is needed itself.
    spare: f64,
    /// What is directly below it and deleted, or on the way to something that is.
    below: Vec<PartId>,
}

/// A part whose posterior is to be worked out.
struct Step {
    part: PartId,
    /// The probability that nothing is needed of what hangs off the way to it.
    off: f64,
    /// That nothing deleted is needed, given that the part above it is.
    given_above: f64,
}
