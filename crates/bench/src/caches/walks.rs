//! Two walks over a program that only delete: level by level, and node by node.

use std::collections::BinaryHeap;
use std::ops::Range;

use dwindle_core::{Session, Stop, Subset};

use super::program::kept;
use super::source::Source;

/// A way to reduce a program.
pub(super) type Walk = fn(&mut Session<'_>, &Source) -> Result<(), Stop>;

/// The walks, by name.
pub(super) const WALKS: [(&str, Walk); 2] = [("HDD-like", by_levels), ("Perses-like", by_nodes)];

/// The tokens of `kept` that are not in the spans.
fn without(kept: &Subset, spans: &[Range<usize>]) -> Subset {
    let mut gone = Subset::empty();
    for span in spans {
        gone.push_run(span.start as u32..span.end as u32);
    }
    kept.difference(&gone)
}

/// Deletes as many of the spans as it can: halves first, then smaller and smaller blocks of them.
fn minimize(session: &mut Session<'_>, source: &Source, mut spans: Vec<Range<usize>>) -> Result<(), Stop> {
    let mut size = spans.len().div_ceil(2).max(1);
    while !spans.is_empty() {
        let mut at = 0;
        while at < spans.len() {
            let best = kept(session.best()).clone();
            let end = |start: usize| spans.len().min(start + size);
            let starts = (at..spans.len()).step_by(size);
            let cut = |start: usize| source.program.keep(without(&best, &spans[start..end(start)]));
            let Some(index) = session.first(starts.map(cut))? else {
                break;
            };
            at += index * size;
            spans.drain(at..end(at));
        }
        if size == 1 {
            break;
        }
        size = size.div_ceil(2);
    }
    Ok(())
}

fn is_alive(best: &Subset, span: &Range<usize>) -> bool {
    let before = best.runs().partition_point(|run| (run.end as usize) <= span.start);
    best.runs().get(before).is_some_and(|run| (run.start as usize) < span.end)
}

/// Level by level from the root, tokens last, over again while anything changes.
pub(super) fn by_levels(session: &mut Session<'_>, source: &Source) -> Result<(), Stop> {
    let deepest = source.nodes.iter().map(|node| node.level).max().unwrap_or(0);
    loop {
        let before = kept(session.best()).len();
        for level in 0..=deepest {
            let best = kept(session.best());
            let nodes = source.nodes.iter().filter(|node| node.level == level);
            let spans = nodes.map(|node| node.span.clone()).filter(|span| is_alive(best, span));
            let spans = spans.collect();
            minimize(session, source, spans)?;
        }
        let tokens = kept(session.best()).iter().map(|token| token..token + 1).collect();
        minimize(session, source, tokens)?;
        if kept(session.best()).len() == before {
            return Ok(());
        }
    }
}

/// The largest node first: itself away, its children without it, as few children as possible.
fn by_nodes(session: &mut Session<'_>, source: &Source) -> Result<(), Stop> {
    loop {
        let before = kept(session.best()).len();
        let roots = (0..source.nodes.len()).filter(|&node| source.nodes[node].level == 0);
        let spans = roots.clone().map(|root| source.nodes[root].span.clone());
        let alive = spans.filter(|span| is_alive(kept(session.best()), span)).collect();
        minimize(session, source, alive)?;
        let mut queue: BinaryHeap<(usize, usize)> =
            roots.map(|root| (source.nodes[root].span.len(), root)).collect();
        while let Some((_, at)) = queue.pop() {
            let node = &source.nodes[at];
            if !is_alive(kept(session.best()), &node.span) {
                continue;
            }
            let best = kept(session.best()).clone();
            let outside = without(&best, std::slice::from_ref(&node.span));
            let inside = best.difference(&outside);
            let own: Subset = inside.iter().filter(|&token| source.owner[token] == at).collect();
            let tries = [outside, best.difference(&own)];
            let smaller = tries.into_iter().filter(|kept| kept.len() < best.len());
            session.first(smaller.map(|kept| source.program.keep(kept)))?;
            let best = kept(session.best());
            let children = node.children.iter().map(|&child| source.nodes[child].span.clone());
            let children = children.filter(|span| is_alive(best, span)).collect();
            minimize(session, source, children)?;
            queue.extend(node.children.iter().map(|&child| (source.nodes[child].span.len(), child)));
        }
        if kept(session.best()).len() == before {
            return Ok(());
        }
    }
}
