//! GreeDDy: several successes of one window are applied together.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use dwindle_core::{Stop, Subset};

use crate::chunks::Chunks;
use crate::ddmin::Ddmin;
use crate::oracle::{ListMinimizer, ListOracle};
use crate::rounds::{Round, Step};

/// ddmin that asks for windows of candidates and merges all that were interesting.
///
/// A round is asked window by window. From the first window with a success on, all its successes are tried
/// together; if that is boring the first one is taken and the others are added one by one. The window's size is
/// a parameter of its own: were it the number of workers, so would be the result.
#[derive(Clone, Debug)]
pub struct Greeddy {
    /// Split, visits and order of the rounds; the same meaning as in ddmin.
    pub ddmin: Ddmin,
    /// How many candidates a window has. 4 in the published evaluation.
    pub window: usize,
    /// Repeat until a run removes nothing.
    pub star: bool,
}

impl Default for Greeddy {
    fn default() -> Self {
        Greeddy { ddmin: Ddmin::default(), window: 4, star: false }
    }
}

/// The candidates a run has asked for, so that a repeated one takes no place in a window.
///
/// The oracle's cache must not decide this: what is in there depends on how far other passes looked ahead, and
/// with the windows the result would depend on it. Kept as 128 bits each; a collision (one in 10^26 at a million
/// candidates) would lose a candidate, never make a wrong one.
#[derive(Default)]
struct History(HashSet<(u64, u64)>);

impl History {
    /// Whether `kept` is new; from now on it is not.
    fn add(&mut self, kept: &Subset) -> bool {
        let half = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            (salt, kept).hash(&mut hasher);
            hasher.finish()
        };
        self.0.insert((half(0), half(1)))
    }
}

/// What a window leads to: the chunks that stay, and the step that was taken last.
struct Merge {
    stay: Vec<bool>,
    last: Step,
}

impl Greeddy {
    fn run(
        &self,
        mut list: Subset,
        oracle: &mut dyn ListOracle,
        history: &mut History,
    ) -> Result<Subset, Stop> {
        let rounds = self.ddmin.rounds();
        let mut chunks = Chunks::whole(list.len());
        let (mut offset, mut number) = (0, 0);
        while list.len() > 1 {
            let mut round = rounds.begin(&list, chunks, offset, number);
            let merge = loop {
                if let Some(merge) = self.visit(&round, &list, oracle, history)? {
                    break Some(merge);
                }
                match rounds.refined(&round, &list) {
                    Some(next) => round = next,
                    None => break None,
                }
            };
            let Some(Merge { stay, last }) = merge else { break };
            list = keep(&round, &list, &stay);
            number = round.number + 1;
            offset = match last {
                Step::Subset(_) => 0,
                // The chunks that stay move up, so the neighbour of the last one that went is counted among them.
                Step::Complement(i) => stay[..i].iter().filter(|&&stays| stays).count(),
            };
            chunks = round.chunks;
            chunks.retain(|i| stay[i]);
        }
        Ok(list)
    }

    /// Asks a round window by window; the merge of the first window with a success, if one has any.
    fn visit(
        &self,
        round: &Round,
        list: &Subset,
        oracle: &mut dyn ListOracle,
        history: &mut History,
    ) -> Result<Option<Merge>, Stop> {
        let mut steps = (0..round.len()).map(|k| round.step(k));
        loop {
            let (mut window, mut parts) = (Vec::new(), Vec::new());
            for step in steps.by_ref() {
                let kept = round.kept(step, list);
                if history.add(&kept) {
                    window.push(step);
                    parts.push(kept);
                }
                if parts.len() >= self.window.max(1) {
                    break;
                }
            }
            if parts.is_empty() {
                return Ok(None);
            }
            let verdicts = oracle.all(&parts)?;
            let found: Vec<Step> = window
                .into_iter()
                .zip(verdicts)
                .filter(|(_, verdict)| verdict.is_interesting())
                .map(|(step, _)| step)
                .collect();
            if !found.is_empty() {
                return merge(round, list, &found, oracle, history).map(Some);
            }
        }
    }
}

/// Applies all of `found`, or the first and as many of the others as go with it.
fn merge(
    round: &Round,
    list: &Subset,
    found: &[Step],
    oracle: &mut dyn ListOracle,
    history: &mut History,
) -> Result<Merge, Stop> {
    let n = round.chunks.len();
    let stays = |step: Step, i: usize| match step {
        Step::Subset(only) => i == only,
        Step::Complement(gone) => i != gone,
    };
    let with =
        |stay: &[bool], step: Step| -> Vec<bool> { (0..n).map(|i| stay[i] && stays(step, i)).collect() };
    let everything = vec![true; n];
    if let [_, _, ..] = found {
        let joint = found.iter().fold(everything.clone(), |stay, &step| with(&stay, step));
        if joint.contains(&true) {
            let kept = keep(round, list, &joint);
            history.add(&kept);
            if oracle.test(&kept)?.is_interesting() {
                let last = *found.last().expect("there are two");
                return Ok(Merge { stay: joint, last });
            }
        }
    }
    let mut last = found[0];
    let mut stay = with(&everything, last);
    oracle.accept(&keep(round, list, &stay))?;
    for &step in &found[1..] {
        let fewer = with(&stay, step);
        if fewer == stay || !fewer.contains(&true) {
            continue;
        }
        let kept = keep(round, list, &fewer);
        history.add(&kept);
        if oracle.test(&kept)?.is_interesting() {
            (stay, last) = (fewer, step);
        }
    }
    Ok(Merge { stay, last })
}

/// The part of `list` that is made of the chunks that stay.
fn keep(round: &Round, list: &Subset, stay: &[bool]) -> Subset {
    let mut kept = Subset::empty();
    let mut i = 0;
    while i < stay.len() {
        let from = i;
        while i < stay.len() && stay[i] == stay[from] {
            i += 1;
        }
        if stay[from] {
            let positions = round.chunks.range(from).start..round.chunks.range(i - 1).end;
            for run in list.slice(positions).runs() {
                kept.push_run(run.clone());
            }
        }
    }
    kept
}

impl ListMinimizer for Greeddy {
    fn minimize_from(
        &self,
        start: Subset,
        _weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        let mut history = History::default();
        let mut list = start;
        loop {
            let before = list.len();
            list = self.run(list, oracle, &mut history)?;
            if !self.star || list.len() == before {
                return Ok(list);
            }
        }
    }
}
