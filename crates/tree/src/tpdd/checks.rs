//! T-PDD that learns which check of a test needs what: one network for each check (covProbDD on trees).
//!
//! All networks have one shape. A part is needed if *any* check needs it, so what is believed of it for the next
//! deletion is the noisy-OR of the checks' numbers, 1 − ∏(1 − p). (The thesis multiplies them, an AND: one check that
//! held would make a part free to go that another had just shown to be needed.) A part whose deletion was boring is
//! settled; what the verdict says beyond that concerns the parts below it: a check that held without the part needs
//! none of them, whatever the others said. Who is gone is known apart from the numbers, for a 0 does not say so.

use std::collections::VecDeque;

use dwindle_core::{CheckId, Mark, Verdict};
use dwindle_delta::{CheckModel, Unexecuted};

use super::choose::best_part;
use super::network::{Network, PartId, Scores};

/// Parts that no check is believed to need can still be: they have to be tried.
const LEAST: f64 = 1e-6;

/// What is believed of the parts of a tree by each check, and what was asked and not answered yet.
#[derive(Clone, Debug)]
pub struct CheckedModel {
    network: Network,
    scores: Scores,
    threshold: f64,
    unexecuted: Unexecuted,
    checks: usize,
    /// By part, then by check.
    beliefs: Vec<f64>,
    asked: VecDeque<Question>,
    /// What the last boring deletion got: the next one will probably get the same.
    last: Verdict,
}

/// A part that was asked for, what was foreseen of it, and what was believed before.
#[derive(Clone, Debug)]
struct Question {
    part: PartId,
    foreseen: Verdict,
    /// Nobody is asked: it was turned down before.
    known: bool,
    p: Vec<(PartId, f64)>,
    beliefs: Vec<(usize, f64)>,
}

impl CheckedModel {
    /// Nothing is known but that parts which can go are needed with probability `sigma`: by any check, or by each of
    /// them if checks that were not run count as failed, which is what the thesis does.
    #[must_use]
    pub fn new(
        mut network: Network,
        checks: usize,
        sigma: f64,
        threshold: f64,
        unexecuted: Unexecuted,
    ) -> Self {
        let checks = checks.max(1);
        let of_check = match unexecuted {
            Unexecuted::Unknown => CheckModel::shared(sigma, checks),
            Unexecuted::Failed => sigma,
        };
        for part in network.parts.iter_mut().filter(|part| part.deletable) {
            part.p = 1.0 - (1.0 - of_check).powi(checks as i32);
        }
        let beliefs = network
            .parts
            .iter()
            .flat_map(|part| std::iter::repeat_n(if part.deletable { of_check } else { 1.0 }, checks));
        CheckedModel {
            beliefs: beliefs.collect(),
            network,
            scores: Scores::default(),
            threshold,
            unexecuted,
            checks,
            asked: VecDeque::new(),
            last: Verdict::failed_at(CheckId(0)),
        }
    }

    /// The network that comes of all checks.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The part to take out next, as if the earlier ones had got the verdicts foreseen for them. What `admits` turns
    /// down is boring, and nothing is learnt of the checks.
    pub fn propose(&mut self, mut admits: impl FnMut(PartId) -> bool) -> Option<PartId> {
        loop {
            self.scores.fill(&self.network);
            let (part, gain) = best_part(&self.network, &self.scores, |part| self.network.may_go(part))?;
            if gain < self.threshold {
                return None;
            }
            if admits(part) {
                self.ask(part, self.last, false);
                return Some(part);
            }
            self.ask(part, Verdict::BORING, true);
        }
    }

    /// The verdict on the first part that has none yet. True if it is the one foreseen; else all that was proposed since
    /// is forgotten. An interesting one takes the part out.
    ///
    /// # Panics
    /// If nothing was proposed.
    pub fn learn(&mut self, verdict: Verdict) -> bool {
        while self.asked.front().is_some_and(|question| question.known) {
            self.asked.pop_front();
        }
        let foreseen = self.asked.front().expect("a verdict is about something asked for").foreseen;
        let boring = !verdict.is_interesting();
        if boring && self.outcomes(verdict) == self.outcomes(foreseen) {
            self.asked.pop_front();
            return true;
        }
        let mut first = None;
        while let Some(question) = self.asked.pop_back() {
            first = Some(self.retract(question));
        }
        let part = first.expect("just seen");
        if boring {
            self.ask(part, verdict, true);
            self.asked.clear();
            self.last = verdict;
        } else {
            self.network.take_out(&[part]);
        }
        false
    }

    /// What each check said.
    fn outcomes(&self, verdict: Verdict) -> Vec<Mark> {
        let outcome = |check| match (verdict, self.unexecuted) {
            (Verdict::Boring { marks }, unexecuted) => match (marks.get(CheckId(check)), unexecuted) {
                (Mark::Unknown, Unexecuted::Failed) => Mark::Failed,
                (mark, _) => mark,
            },
            (_, Unexecuted::Failed) => Mark::Failed,
            (_, Unexecuted::Unknown) => Mark::Unknown,
        };
        let outcomes: Vec<Mark> = (0..self.checks as u16).map(outcome).collect();
        // If all hold and it is boring, something else failed: what they say says nothing about that.
        if outcomes.iter().all(|mark| *mark == Mark::Ok) {
            vec![Mark::Unknown; self.checks]
        } else {
            outcomes
        }
    }

    /// Learns that the tree without the part is boring, with this verdict.
    fn ask(&mut self, part: PartId, verdict: Verdict, known: bool) {
        let mut question = Question { part, foreseen: verdict, known, p: Vec::new(), beliefs: Vec::new() };
        let outcomes = self.outcomes(verdict);
        let below = self.network.left().partition_point(|other| *other < part);
        for at in below..self.network.left().len() {
            let other = self.network.left()[at];
            if !self.network.contains(part, other) {
                break;
            }
            let row = other as usize * self.checks;
            for (check, mark) in outcomes.iter().enumerate() {
                let before = self.beliefs[row + check];
                let after = match mark {
                    // Its tokens are gone and the check held: it needs nothing in here.
                    Mark::Ok => 0.0,
                    // P(failed) is never more than p, so the published rule always comes to 1.
                    Mark::Failed if other == part => 1.0,
                    _ => before,
                };
                if after != before {
                    question.beliefs.push((row + check, before));
                    self.beliefs[row + check] = after;
                }
            }
            let own = &mut self.network.parts[other as usize];
            question.p.push((other, own.p));
            own.p = if other == part {
                1.0
            } else if own.deletable && own.p < 1.0 {
                let none: f64 = self.beliefs[row..row + self.checks].iter().map(|p| 1.0 - p).product();
                (1.0 - none).clamp(LEAST, 1.0 - LEAST)
            } else {
                own.p
            };
        }
        self.asked.push_back(question);
    }

    fn retract(&mut self, question: Question) -> PartId {
        for (part, p) in question.p {
            self.network.parts[part as usize].p = p;
        }
        for (at, belief) in question.beliefs {
            self.beliefs[at] = belief;
        }
        question.part
    }

    /// The probability that a check needs a part, given that it needs the part above.
    #[must_use]
    pub fn p(&self, check: usize, part: PartId) -> f64 {
        self.beliefs[part as usize * self.checks + check]
    }
}
