//! Random implicative models against brute force, and an independent solver as a second opinion.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use batsat::{BasicSolver, Lit, SolverInterface, lbool};
use dwindle_logic::{
    Clause, FirstSet, Gbr, Item, ItemId, ItemSet, Items, Lossy, Model, ModelBuilder, Order, Origin, Probing,
    Progression, Tracker, Var, binary_reduction, item_count,
};
use proptest::prelude::*;

const FIRST_SETS: [FirstSet; 4] =
    [FirstSet::Closure, FirstSet::ForcedFirst, FirstSet::Minimal, FirstSet::Lightest];

#[derive(Clone, Debug)]
struct Case {
    vars: usize,
    /// Needs and gives as bit masks; gives is never empty.
    clauses: Vec<(u32, u32)>,
    weights: Vec<u64>,
    /// The test is interesting iff one of these is inside: monotone.
    failures: Vec<u32>,
}

fn bits(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |bit| mask >> bit & 1 == 1)
}

impl Case {
    fn model(&self) -> Model {
        let items = (0..self.vars).map(|i| Item { weight: self.weights[i], ..Item::new(format!("i{i}")) });
        let mut builder = ModelBuilder::new(Items::new(items.collect()).unwrap());
        for (needs, gives) in &self.clauses {
            let vars = |mask| bits(mask).map(|bit| Var::from(ItemId::new(bit)));
            builder.clause(Clause::new(vars(*needs), vars(*gives)), Origin::Line(1));
        }
        builder.finish().unwrap()
    }

    fn is_valid(&self, set: u32) -> bool {
        self.clauses.iter().all(|(needs, gives)| set & needs != *needs || set & gives != 0)
    }

    fn is_interesting(&self, set: u32) -> bool {
        self.failures.iter().any(|failure| set & failure == *failure)
    }

    fn valid_sets(&self) -> Vec<u32> {
        (0..1u32 << self.vars).filter(|set| self.is_valid(*set)).collect()
    }
}

fn mask(set: &ItemSet) -> u32 {
    set.iter().fold(0, |mask, item| mask | 1 << item.index())
}

fn var_mask(vars: &[Var]) -> u32 {
    vars.iter().fold(0, |mask, var| mask | 1 << var.index())
}

fn case(max_vars: usize, graph: bool) -> impl Strategy<Value = Case> {
    (2..=max_vars).prop_flat_map(move |vars| {
        let var = 0..vars;
        let mask_of = move |size: std::ops::RangeInclusive<usize>| {
            proptest::collection::vec(var.clone(), size)
                .prop_map(|list| list.into_iter().fold(0u32, |m, v| m | 1 << v))
        };
        let (needs, gives) = if graph { (0..=1, 1..=1) } else { (0..=3, 1..=3) };
        let clauses = proptest::collection::vec((mask_of(needs), mask_of(gives)), 0..=2 * vars);
        let failures = proptest::collection::vec(mask_of(1..=4), 1..=2);
        (clauses, proptest::collection::vec(1u64..20, vars), failures)
            .prop_map(move |(clauses, weights, failures)| Case { vars, clauses, weights, failures })
    })
}

fn progression(model: &Model, learned: &[&[Var]], first: FirstSet) -> Progression {
    let all: Vec<Var> = model.items().iter().map(|(id, _)| id.into()).collect();
    Progression::new(model, &Order::of(model), &all, learned, first)
}

/// Runs GBR and checks all that holds for every choice of options: returns result, calls and rounds.
fn reduce(case: &Case, model: &Model, options: Gbr) -> Result<(u32, usize, bool), TestCaseError> {
    let mut probe = |kept: &ItemSet| case.is_interesting(mask(kept));
    let mut tracker = Tracker::new(&mut probe, model.items());
    let result = options.reduce(model, &mut tracker).unwrap();
    let kept = mask(&result.kept);
    prop_assert!(case.is_valid(kept) && case.is_interesting(kept));
    prop_assert!(
        tracker.calls().iter().all(|(asked, _)| case.is_valid(mask(asked))),
        "only valid sets are probed"
    );
    let rounds = if options.first == FirstSet::Closure { case.vars } else { 2 * case.vars };
    prop_assert!(result.rounds <= rounds, "{} rounds for {} items", result.rounds, case.vars);
    if result.locally_minimal {
        let smaller = case
            .valid_sets()
            .into_iter()
            .find(|set| set & kept == *set && *set != kept && case.is_interesting(*set));
        prop_assert_eq!(smaller, None, "claimed to be minimal: {:b}", kept);
    }
    Ok((kept, tracker.calls().len(), result.locally_minimal))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn progressions_split_the_space_and_every_prefix_is_valid(case in case(9, false), learned in 1u32..512) {
        let model = case.model();
        let learned = learned % ((1 << case.vars) - 1) + 1;
        let learned: Vec<Var> = bits(learned).map(|v| ItemId::new(v).into()).collect();
        for first in FIRST_SETS {
            let progression = progression(&model, &[&learned], first);
            let all = (0..progression.len()).flat_map(|index| progression.set(index)).count();
            prop_assert_eq!(all, case.vars, "disjoint and complete");
            prop_assert_eq!(var_mask(progression.prefix(progression.len() - 1)), (1 << case.vars) - 1);
            for index in 0..progression.len() {
                let prefix = var_mask(progression.prefix(index));
                prop_assert!(case.is_valid(prefix), "{:?}: prefix {} is invalid", first, index);
                prop_assert!(prefix & var_mask(&learned) != 0, "{:?}: the learned set is met", first);
                prop_assert!(index == 0 || !progression.set(index).is_empty());
            }
        }
    }

    #[test]
    fn minimal_first_sets_have_no_valid_subset_and_lightest_ones_no_lighter_set(case in case(9, false), learned in 1u32..512) {
        let model = case.model();
        let learned = learned % ((1 << case.vars) - 1) + 1;
        let learned: Vec<Var> = bits(learned).map(|v| ItemId::new(v).into()).collect();
        let needed = var_mask(&learned);
        let solutions: Vec<u32> = case.valid_sets().into_iter().filter(|set| set & needed != 0).collect();
        let weight = |set: u32| bits(set).map(|bit| case.weights[bit]).sum::<u64>();
        let first = |first| { let p = progression(&model, &[&learned], first); prop_assert!(p.first_is_minimal()); Ok(var_mask(p.set(0))) };
        let minimal = first(FirstSet::Minimal)?;
        prop_assert!(!solutions.iter().any(|set| set & minimal == *set && *set != minimal));
        let lightest = first(FirstSet::Lightest)?;
        prop_assert!(!solutions.iter().any(|set| set & lightest == *set && *set != lightest));
        prop_assert_eq!(Some(weight(lightest)), solutions.iter().map(|set| weight(*set)).min());
    }

    #[test]
    fn on_graphs_the_progression_is_the_closure_of_the_required_items_then_one_component_each(case in case(10, true)) {
        let model = case.model();
        prop_assert!(model.is_graph());
        let progression = progression(&model, &[], FirstSet::Closure);
        let valid = case.valid_sets();
        let least = valid.iter().fold(u32::MAX, |all, set| all & set);
        prop_assert_eq!(var_mask(progression.set(0)), least & ((1 << case.vars) - 1));
        for index in 1..progression.len() {
            // All members of a component are in the same valid sets, beyond what is required.
            let set = var_mask(progression.set(index));
            prop_assert!(valid.iter().all(|v| v & set == 0 || v & set == set), "set {} is one component", index);
        }
    }

    #[test]
    fn gbr_ends_with_a_valid_interesting_set_whatever_the_options(case in case(9, false)) {
        let mut case = case;
        case.failures.retain(|failure| *failure >> case.vars == 0);
        prop_assume!(!case.failures.is_empty());
        let model = case.model();
        for first in FIRST_SETS {
            for probing in [Probing::Faithful, Probing::Binary, Probing::Ways(3)] {
                let (_, _, minimal) = reduce(&case, &model, Gbr { first, probing, closing: false, wide_rounds: 0 })?;
                prop_assert!(minimal || matches!(first, FirstSet::Closure | FirstSet::ForcedFirst));
            }
        }
        let faithful = reduce(&case, &model, Gbr::published())?;
        let elided = reduce(&case, &model, Gbr { probing: Probing::Binary, ..Gbr::published() })?;
        prop_assert_eq!(faithful.0, elided.0, "leaving out known probes changes no result");
        prop_assert!(elided.1 <= faithful.1);
    }

    #[test]
    fn with_the_whole_space_kept_the_lightest_interesting_set_of_all_is_found(case in case(8, false)) {
        let model = case.model();
        let weight = |set: u32| bits(set).map(|bit| case.weights[bit]).sum::<u64>();
        let lightest = case.valid_sets().into_iter().filter(|set| case.is_interesting(*set)).map(weight).min();
        for (wide_rounds, must) in [(1_000, true), (2, false)] {
            let options = Gbr { first: FirstSet::Lightest, wide_rounds, ..Gbr::default() };
            let mut probe = |kept: &ItemSet| case.is_interesting(mask(kept));
            let result = options.reduce(&model, &mut probe).unwrap();
            prop_assert!(result.optimal || !must);
            prop_assert!(case.is_valid(mask(&result.kept)) && case.is_interesting(mask(&result.kept)));
            prop_assert!(!result.optimal || Some(weight(mask(&result.kept))) == lightest);
        }
    }

    #[test]
    fn with_a_closing_pass_no_single_item_can_go_even_if_the_test_is_not_monotone(case in case(8, false), odd in any::<u64>()) {
        let model = case.model();
        let full = (1u32 << case.vars) - 1;
        // An arbitrary test, but for the full set.
        let interesting = |set: u32| set == full || (u64::from(set).wrapping_mul(odd | 1) >> 20) % 3 == 0;
        let mut probe = |kept: &ItemSet| interesting(mask(kept));
        let wide_rounds = usize::from(odd % 2 == 0) * 3;
        let first = if odd % 3 == 0 { FirstSet::Lightest } else { FirstSet::Minimal };
        let result = Gbr { closing: true, wide_rounds, first, ..Gbr::default() }.reduce(&model, &mut probe).unwrap();
        let kept = mask(&result.kept);
        prop_assert!(result.one_minimal && case.is_valid(kept) && interesting(kept));
        for bit in bits(kept) {
            let alone = kept & !(1 << bit);
            prop_assert!(!(case.is_valid(alone) && interesting(alone)), "item {} could go alone", bit);
        }
    }

    #[test]
    fn lossy_closures_are_valid_in_every_union_and_binary_reduction_keeps_the_failure(case in case(9, false)) {
        let model = case.model();
        for lossy in [Lossy::First, Lossy::Last] {
            let closures = lossy.closures(&model);
            let mut probe = |kept: &ItemSet| {
                assert!(case.is_valid(mask(kept)), "only valid sets are probed");
                case.is_interesting(mask(kept))
            };
            for probing in [Probing::Faithful, Probing::Binary, Probing::Ways(2)] {
                let kept = binary_reduction(&closures.base, &closures.family, &item_count, probing, &mut probe).unwrap();
                prop_assert!(case.is_valid(mask(&kept)) && case.is_interesting(mask(&kept)));
            }
        }
    }

    #[test]
    fn an_independent_solver_agrees_on_what_is_valid_and_minimal(case in case(14, false)) {
        let model = case.model();
        let mut solver = BasicSolver::default();
        let vars: Vec<batsat::Var> = (0..case.vars).map(|_| solver.new_var_default()).collect();
        for (needs, gives) in &case.clauses {
            let mut literals: Vec<Lit> = bits(*needs).map(|v| Lit::new(vars[v], false)).collect();
            literals.extend(bits(*gives).map(|v| Lit::new(vars[v], true)));
            solver.add_clause_reuse(&mut literals);
        }
        let found = reduce(&Case { failures: case.failures.clone(), ..case.clone() }, &model, Gbr::default())?;
        let exactly = |set: u32| -> Vec<Lit> { vars.iter().enumerate().map(|(v, var)| Lit::new(*var, set >> v & 1 == 1)).collect() };
        prop_assert_eq!(solver.solve_limited(&exactly(found.0)), lbool::TRUE);
        // The first set of the progression: no solution strictly inside it.
        let first = var_mask(progression(&model, &[], FirstSet::Minimal).set(0));
        for dropped in bits(first) {
            let mut inside: Vec<Lit> = (0..case.vars).filter(|v| first >> v & 1 == 0).map(|v| Lit::new(vars[v], false)).collect();
            inside.push(Lit::new(vars[dropped], false));
            prop_assert_eq!(solver.solve_limited(&inside), lbool::FALSE, "{} could go", dropped);
        }
    }
}

#[test]
fn the_closure_alone_is_often_not_minimal_and_the_better_first_sets_cost_few_probes() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
    let mut runner =
        TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let strategy = case(6, false);
    let (mut larger, mut calls, mut cases) = ([0usize; 4], [0usize; 4], 0usize);
    for _ in 0..1_500 {
        let case = strategy.new_tree(&mut runner).unwrap().current();
        let model = case.model();
        cases += 1;
        for (index, first) in FIRST_SETS.into_iter().enumerate() {
            let (kept, asked, _) = reduce(
                &case,
                &model,
                Gbr { first, probing: Probing::Binary, closing: false, wide_rounds: 0 },
            )
            .unwrap();
            let smaller =
                case.valid_sets().into_iter().any(|s| s & kept == s && s != kept && case.is_interesting(s));
            larger[index] += usize::from(smaller);
            calls[index] += asked;
        }
    }
    println!("{cases} cases; not minimal {larger:?}; calls {calls:?}");
    assert!(
        larger[0] * 50 > cases,
        "the published closure is not minimal in more than 2 % of cases: {larger:?}"
    );
    assert!(larger[1] <= larger[0] && larger[2] == 0 && larger[3] == 0, "{larger:?}");
    assert!(calls[2] * 100 < calls[0] * 125, "{calls:?}");
}
