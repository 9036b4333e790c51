//! ddmin through a session on a list of 100,000 elements with a predicate in the same process, beside a bare loop that
//! builds the same lists and asks the same predicate.
//!
//! The bare loop gets the lists as runs of elements, recorded before, so it does nothing but copy them and look: no
//! algorithm, no cache, no fingerprints.

use std::hint::black_box;
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result};
use dwindle_core::{Candidate, Files, Fingerprint, FingerprintIndex, Options, Session, Subset, Variant};
use dwindle_delta::{Ddmin, ListMinimizer, PredicateList, SessionList};

use super::Claim;
use crate::memory::own_peak;
use crate::stats::{median, timed};
use crate::synthetic::{Shape, needed};

const ELEMENTS: usize = 100_000;
const NEEDED: usize = 50;

/// A list of numbers, and what candidates need to share of it.
struct Numbers {
    elements: Vec<u32>,
    index: FingerprintIndex,
}

impl Numbers {
    fn new(elements: usize) -> Self {
        let elements: Vec<u32> = (0..elements as u32).collect();
        Numbers {
            index: FingerprintIndex::new(elements.iter().map(|&element| Fingerprint::of_id(element))),
            elements,
        }
    }

    fn list(&self, kept: &Subset) -> Vec<u32> {
        let mut list = Vec::with_capacity(kept.len());
        for run in kept.ranges() {
            list.extend_from_slice(&self.elements[run]);
        }
        list
    }
}

/// Some of the numbers.
struct Kept {
    numbers: Arc<Numbers>,
    kept: Subset,
}

impl Variant for Kept {
    fn fingerprint(&self) -> Fingerprint {
        self.numbers.index.runs(self.kept.ranges())
    }

    fn size(&self) -> u64 {
        self.kept.len() as u64
    }

    fn render(&self) -> Files {
        let bytes: Vec<u8> = self.numbers.list(&self.kept).into_iter().flat_map(u32::to_le_bytes).collect();
        Files::single("list", bytes)
    }
}

/// Whether an ascending list has all of them.
fn has_all(list: &[u32], wanted: &[u32]) -> bool {
    wanted.iter().all(|number| list.binary_search(number).is_ok())
}

struct Workload {
    numbers: Arc<Numbers>,
    wanted: Vec<u32>,
}

impl Workload {
    fn new() -> Self {
        let wanted = needed(Shape::Scattered, ELEMENTS, NEEDED);
        Workload {
            numbers: Arc::new(Numbers::new(ELEMENTS)),
            wanted: wanted.into_iter().map(|at| at as u32).collect(),
        }
    }

    fn candidate(&self, kept: &Subset) -> Candidate {
        Candidate::new(Kept { numbers: Arc::clone(&self.numbers), kept: kept.clone() })
    }

    /// What is left, and the number of queries.
    fn through_a_session(&self) -> (Subset, u64) {
        let runner = |candidate: &Candidate| {
            let kept = candidate.variant::<Kept>().expect("all candidates here are of numbers");
            has_all(&self.numbers.list(&kept.kept), &self.wanted)
        };
        let weights = vec![1; ELEMENTS];
        let input = self.candidate(&Subset::full(ELEMENTS));
        let (left, _, summary) = Session::run(&runner, input, Options::default(), |session| {
            let mut list = SessionList::new(session, |kept: &Subset| self.candidate(kept));
            Ddmin::default().minimize(&weights, &mut list)
        });
        (left.expect("there is no limit"), summary.counts.queries)
    }

    /// Every list that is tested, in order.
    fn tested(&self) -> Vec<Subset> {
        let has = |kept: &Subset| self.wanted.iter().all(|&number| kept.contains(number as usize));
        let mut list = PredicateList::new(has).traced();
        Ddmin::default().minimize(&vec![1; ELEMENTS], &mut list).expect("there is no limit");
        let asked = list.trace().iter().filter(|asked| !asked.hit);
        asked.map(|asked| asked.kept.clone()).collect()
    }

    /// How many of the lists are interesting.
    fn bare(&self, lists: &[Subset]) -> usize {
        let interesting = |kept: &&Subset| has_all(black_box(&self.numbers.list(kept)), &self.wanted);
        lists.iter().filter(interesting).count()
    }
}

pub(super) fn measure(repeat: usize) -> Result<Vec<Claim>> {
    let workload = Workload::new();
    let lists = workload.tested();
    let (mut ratios, mut queries) = (Vec::new(), 0);
    for _ in 0..repeat.max(1) {
        let (bare, _) = timed(|| black_box(workload.bare(&lists)));
        let (ours, (left, asked)) = timed(|| workload.through_a_session());
        anyhow::ensure!(left.len() == NEEDED, "ddmin left {} of {NEEDED}", left.len());
        ratios.push(ours.as_secs_f64() / bare.as_secs_f64());
        queries = asked;
    }
    anyhow::ensure!(queries == lists.len() as u64, "the session asked {queries} lists, not {}", lists.len());
    let ratio = median(&ratios).expect("one round at least");
    Ok(vec![
        Claim::new(
            format!("ddmin on 100,000 elements, 50 needed ({queries} queries): session ÷ bare loop"),
            ratio,
            " ×",
        )
        .at_most(3.0),
        Claim::new("the same: peak memory of the process", peak_in_child()?, " MB").at_most(200.0),
    ])
}

/// A process of its own, so that nothing measured before counts.
fn peak_in_child() -> Result<f64> {
    let this = std::env::current_exe().context("this program's own path")?;
    let output =
        Command::new(this).arg("peak-of-list").output().context("this program cannot be started again")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let bytes: f64 = text.trim().parse().with_context(|| format!("no number: {text:?}"))?;
    Ok(bytes / 1e6)
}

/// Runs the reduction once and prints how much memory this process has had.
pub(crate) fn peak_of_list() -> Result<()> {
    let (left, _) = Workload::new().through_a_session();
    anyhow::ensure!(left.len() == NEEDED, "ddmin left {} of {NEEDED}", left.len());
    anstream::println!("{}", own_peak().context("/proc/self/status has no VmHWM")?);
    Ok(())
}
