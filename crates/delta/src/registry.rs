//! The minimisers by name.

use crate::algorithm1::{Algorithm1, ChunkLength};
use crate::cdd::Cdd;
use crate::chunk_length::ChunkLengthDdmin;
use crate::cov_probdd::{CovMode, CovProbDd};
use crate::ddmin::Ddmin;
use crate::gaps::Gaps;
use crate::greeddy::Greeddy;
use crate::halving::{Halving, Search};
use crate::levels::Levels;
use crate::memory::Memory;
use crate::one_minimal::OneMinimal;
use crate::one_sweep::OneSweep;
use crate::options::Options;
use crate::oracle::ListMinimizer;
use crate::persistent_probdd::PersistentProbDd;
use crate::pristine::Pristine;
use crate::probdd::{Mode, ProbDd};
use crate::star::Star;
use crate::sweep::Sweep;
use crate::ties::Ties;
use crate::visit::{Direction, Visit};
use crate::wdd::Wdd;
use crate::wprobdd::WProbDd;

/// A minimiser that can be chosen by name.
pub struct Entry {
    /// What it is called.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Whether its result is 1-minimal for every predicate (the last element aside where it is not tried), unless the
    /// options take the complements away.
    pub one_minimal: bool,
    /// Whether it is so when it is repeated until nothing goes: the last run has then tried each element alone.
    pub one_minimal_when_repeated: bool,
    /// Whether it may ask for the empty list.
    pub asks_for_nothing: bool,
    build: fn(&Options) -> Box<dyn ListMinimizer>,
}

impl Entry {
    /// The minimiser, as the options want it.
    #[must_use]
    pub fn build(&self, options: &Options) -> Box<dyn ListMinimizer> {
        let minimizer = (self.build)(options);
        if options.one_minimal { Box::new(OneMinimal(minimizer)) } else { minimizer }
    }
}

/// All minimisers, the ddmin family first.
#[must_use]
pub fn all() -> &'static [Entry] {
    &ENTRIES
}

/// The minimiser of that name. `-star` behind any name repeats it until it finds nothing more.
#[must_use]
pub fn by_name(name: &str, options: &Options) -> Option<Box<dyn ListMinimizer>> {
    if let Some(entry) = ENTRIES.iter().find(|entry| entry.name == name) {
        return Some(entry.build(options));
    }
    let base = name.strip_suffix("-star")?;
    let entry = ENTRIES.iter().find(|entry| entry.name == base)?;
    Some(Box::new(Star(entry.build(options))))
}

/// Whether the minimiser of that name promises a 1-minimal result with these options.
#[must_use]
pub fn is_one_minimal(name: &str, options: &Options) -> bool {
    let find = |name: &str| ENTRIES.iter().find(|entry| entry.name == name);
    let (entry, promised) = match (find(name), name.strip_suffix("-star").and_then(find)) {
        (Some(entry), _) => (entry, entry.one_minimal),
        (None, Some(entry)) => (entry, entry.one_minimal_when_repeated),
        (None, None) => return false,
    };
    let visits_complements = !matches!(entry.name, "ddmin" | "ddmin-star" | "greeddy" | "greeddy-star")
        || options.complements != Visit::Skip;
    options.one_minimal || promised && visits_complements
}

fn ddmin(options: &Options) -> Ddmin {
    Ddmin {
        split: options.split,
        split_factor: options.split_factor,
        subsets: options.subsets,
        complements: options.complements,
        order: options.order,
        seed: options.seed.unwrap_or(0),
        chained: true,
    }
}

fn greeddy(options: &Options) -> Greeddy {
    Greeddy { ddmin: ddmin(options), window: options.window, star: false }
}

fn forward(options: &Options) -> Direction {
    options.direction.unwrap_or(Direction::Forward)
}

fn backward(options: &Options) -> Direction {
    options.direction.unwrap_or(Direction::Backward)
}

fn ties(options: &Options) -> Ties {
    options.seed.map_or(Ties::Index, Ties::Random)
}

fn probdd(options: &Options, mode: Mode, sigma: f64) -> Box<dyn ListMinimizer> {
    Box::new(ProbDd { sigma: options.sigma.unwrap_or(sigma), ties: ties(options), mode })
}

fn cov_probdd(options: &Options, mode: CovMode) -> CovProbDd {
    CovProbDd { sigma: options.sigma.unwrap_or(SIGMA), ties: ties(options), mode }
}

/// The prior of the thesis' experiments.
const SIGMA: f64 = 0.1;

/// Perses' own prior.
const PERSES_SIGMA: f64 = 0.25;

static ENTRIES: [Entry; 29] = [
    Entry {
        name: "ddmin",
        about: "complements of ever finer chunks; 1-minimal (Zeller and Hildebrandt, as Picire runs it)",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: false,
        build: |options| Box::new(ddmin(options)),
    },
    Entry {
        name: "ddmin-star",
        about: "ddmin on its own result until nothing more goes (DDMIN*)",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: false,
        build: |options| Box::new(Star(ddmin(options))),
    },
    Entry {
        name: "greeddy",
        about: "ddmin that merges all successes of a window of candidates",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: false,
        build: |options| Box::new(greeddy(options)),
    },
    Entry {
        name: "greeddy-star",
        about: "greeddy on its own result until nothing more goes",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: false,
        build: |options| Box::new(Greeddy { star: true, ..greeddy(options) }),
    },
    Entry {
        name: "algorithm1",
        about: "textbook ddmin: complements from the front, whole chunk length",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: false,
        build: |_| Box::new(Algorithm1 { length: ChunkLength::Whole }),
    },
    Entry {
        name: "algorithm1-fractional",
        about: "textbook ddmin with a fractional chunk length",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: false,
        build: |_| Box::new(Algorithm1 { length: ChunkLength::Fractional }),
    },
    Entry {
        name: "chunk-length",
        about: "kept chunks, then complements, at half, a quarter … of the list",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: false,
        build: |_| Box::new(ChunkLengthDdmin),
    },
    Entry {
        name: "pristine",
        about: "parts, then one sweep of complements that goes on after a success",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: false,
        build: |_| Box::new(Pristine),
    },
    Entry {
        name: "levels",
        about: "blocks of a level swept until none goes, then each halved",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| Box::new(Levels { direction: forward(options) }),
    },
    Entry {
        name: "dfs",
        about: "a block that cannot go is halved, depth first, each block once",
        one_minimal: false,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| Box::new(Halving { search: Search::DepthFirst, direction: backward(options) }),
    },
    Entry {
        name: "dfs-star",
        about: "dfs on its own result until nothing more goes: small results where elements go together only",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| Box::new(Star(Halving { search: Search::DepthFirst, direction: backward(options) })),
    },
    Entry {
        name: "bfs",
        about: "a block that cannot go is halved, breadth first, each block once",
        one_minimal: false,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| Box::new(Halving { search: Search::BreadthFirst, direction: forward(options) }),
    },
    Entry {
        name: "one-sweep",
        about: "each halving of the block length swept once, then single elements to the end (Dr.DD)",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| Box::new(OneSweep { direction: backward(options) }),
    },
    Entry {
        name: "gaps",
        about: "jumps over what can go, bisects to what is needed, closed by a sweep; for independent elements (ours)",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| Box::new(Gaps { direction: backward(options) }),
    },
    Entry {
        name: "wdd",
        about: "ddmin whose blocks are cut at half their weight, closed by a sweep",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| Box::new(Wdd { direction: backward(options) }),
    },
    Entry {
        name: "cdd",
        about: "block lengths from counters instead of probabilities, each swept once",
        one_minimal: false,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| Box::new(Cdd { sigma: options.sigma.unwrap_or(SIGMA), direction: forward(options) }),
    },
    Entry {
        name: "one-by-one",
        about: "single elements, around and around until none goes",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| Box::new(Sweep { direction: backward(options), adaptive: false }),
    },
    Entry {
        name: "sweep",
        about: "single elements, with growing steps while they go, until none goes",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| Box::new(Sweep { direction: backward(options), adaptive: true }),
    },
    Entry {
        name: "probdd",
        about: "deletes what is least likely needed; learns from every boring deletion (PDD)",
        one_minimal: false,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| probdd(options, Mode::Paper, SIGMA),
    },
    Entry {
        name: "probdd-artifact",
        about: "PDD as its Picire-based program does it",
        one_minimal: false,
        one_minimal_when_repeated: false,
        asks_for_nothing: true,
        build: |options| probdd(options, Mode::Picire, SIGMA),
    },
    Entry {
        name: "probdd-chisel",
        about: "PDD as its CHISEL-based program does it",
        one_minimal: false,
        one_minimal_when_repeated: false,
        asks_for_nothing: true,
        build: |options| probdd(options, Mode::Chisel, SIGMA),
    },
    Entry {
        name: "probdd-perses",
        about: "PDD as Perses does it: prior 0.25, ends at 0.8",
        one_minimal: false,
        one_minimal_when_repeated: false,
        asks_for_nothing: true,
        build: |options| probdd(options, Mode::Perses, PERSES_SIGMA),
    },
    Entry {
        name: "probdd-learning",
        about: "PDD whose prior learns from the run: deletions grow while they succeed (ours)",
        one_minimal: false,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| probdd(options, Mode::Learning, SIGMA),
    },
    Entry {
        name: "probdd-1min",
        about: "PDD closed by a sweep of single elements: 1-minimal for every predicate",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| Box::new(OneMinimal(probdd(options, Mode::Paper, SIGMA))),
    },
    Entry {
        name: "wprobdd",
        about: "PDD whose gain is weight, not number of elements",
        one_minimal: false,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| Box::new(WProbDd { sigma: options.sigma.unwrap_or(SIGMA), ties: ties(options) }),
    },
    Entry {
        name: "cov-probdd",
        about: "PDD that learns which check of the test needs what; as probdd for a test without checks (covProbDD)",
        one_minimal: false,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| Box::new(cov_probdd(options, CovMode::Repaired)),
    },
    Entry {
        name: "cov-probdd-paper",
        about: "covProbDD as its thesis says: checks that were not run count as failed",
        one_minimal: false,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| Box::new(cov_probdd(options, CovMode::Paper)),
    },
    Entry {
        name: "cov-probdd-1min",
        about: "covProbDD closed by a sweep of single elements: 1-minimal for every predicate",
        one_minimal: true,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| Box::new(OneMinimal(cov_probdd(options, CovMode::Repaired))),
    },
    Entry {
        name: "probdd-persistent",
        about: "PDD that remembers what earlier lists and rounds have shown, less and less as elements go (ours)",
        one_minimal: false,
        one_minimal_when_repeated: true,
        asks_for_nothing: true,
        build: |options| {
            let (sigma, memory) = (options.sigma.unwrap_or(SIGMA), Memory::default());
            Box::new(PersistentProbDd { sigma, ties: ties(options), memory })
        },
    },
];
