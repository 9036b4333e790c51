//! covProbDD against ProbDD on made-up programs whose test has three stages, and what is known of each stage.
//!
//! A program is a list of definitions. It *compiles* if everything that is used is there, it is *sane* if what needs
//! preparing is prepared, and it is *wrong* if a few definitions are there. The first two are not monotone: a definition
//! can go once its users have gone.

use dwindle_core::{CheckId, Mark, Marks, Subset, Verdict};
use dwindle_delta::{Options, PredicateList, by_name};

struct Program {
    uses: Vec<Vec<usize>>,
    prepared_by: Vec<Option<usize>>,
    needed: Vec<usize>,
}

/// A small generator: the programs are the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

impl Program {
    fn new(n: usize, needed: usize, seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9).wrapping_add(1));
        let before = |dice: &mut Dice, at: usize| (at > 0).then(|| dice.below(at));
        let uses =
            (0..n).map(|at| (0..dice.below(3)).filter_map(|_| before(&mut dice, at)).collect()).collect();
        let prepared_by =
            (0..n).map(|at| if dice.below(4) == 0 { before(&mut dice, at) } else { None }).collect();
        let needed = (0..needed).map(|_| dice.below(n)).collect();
        Program { uses, prepared_by, needed }
    }

    fn stages(&self, kept: &Subset) -> [bool; 3] {
        let there = |element: &usize| kept.contains(*element);
        [
            kept.iter().all(|at| self.uses[at].iter().all(there)),
            kept.iter().all(|at| self.prepared_by[at].iter().all(there)),
            self.needed.iter().all(there),
        ]
    }
}

/// What a test tells of its stages.
#[derive(Clone, Copy)]
enum Told {
    /// Only whether all hold.
    Nothing,
    /// The first that fails.
    First,
    /// What each of them says.
    All,
}

fn verdict(stages: [bool; 3], told: Told) -> Verdict {
    if stages == [true; 3] {
        return Verdict::Interesting;
    }
    let mut marks = Marks::NONE;
    for (check, held) in (0..).map(CheckId).zip(stages) {
        marks = marks.with(check, if held { Mark::Ok } else { Mark::Failed });
        if !held && matches!(told, Told::First) {
            break;
        }
    }
    match told {
        Told::Nothing => Verdict::BORING,
        Told::First | Told::All => Verdict::Boring { marks },
    }
}

const RUNS: u64 = 20;

#[allow(clippy::print_stdout, reason = "a program that prints a table")]
fn main() {
    println!(
        "| elements, needed | minimiser | test tells | queries | left |\n| --- | --- | --- | --: | --: |"
    );
    for (n, needed) in [(100, 3), (300, 5), (1000, 10)] {
        for (name, told, word) in [
            ("probdd", Told::Nothing, "–"),
            ("cov-probdd", Told::First, "the first failure"),
            ("cov-probdd", Told::All, "all"),
            ("cov-probdd-paper", Told::First, "the first failure"),
            ("cov-probdd-paper", Told::All, "all"),
            ("probdd-star", Told::Nothing, "–"),
            ("probdd-persistent-star", Told::Nothing, "–"),
            ("cov-probdd-star", Told::First, "the first failure"),
            ("cov-probdd-star", Told::All, "all"),
            ("cov-probdd-paper-star", Told::First, "the first failure"),
        ] {
            let (mut queries, mut left) = (0, 0);
            for seed in 0..RUNS {
                let program = Program::new(n, needed, seed);
                let mut list =
                    PredicateList::new(|kept: &Subset| verdict(program.stages(kept), told)).with_checks(3);
                let minimizer = by_name(name, &Options::default()).expect("it is there");
                let kept = minimizer.minimize(&vec![1; n], &mut list).expect("there is no limit");
                queries += list.queries();
                left += kept.len() as u64;
            }
            let mean = |sum: u64| sum as f64 / RUNS as f64;
            println!("| {n}, {needed} | `{name}` | {word} | {:.0} | {:.1} |", mean(queries), mean(left));
        }
    }
}
