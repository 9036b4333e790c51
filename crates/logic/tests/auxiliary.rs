//! Models that need auxiliary variables: the test never sees them, and they never make a set valid that is not.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use dwindle_logic::{
    FirstSet, Formula, Gbr, ItemId, ItemSet, Items, Lossy, Model, ModelBuilder, Probing, Strategy as Reducer,
    Tracker,
};
use proptest::prelude::*;

const ITEMS: usize = 10;

/// Rules "if these then one of those bundles": a disjunction of conjunctions, which does not multiply out.
type Rule = (Vec<usize>, Vec<Vec<usize>>);

fn formula((needs, bundles): &Rule) -> Formula {
    let all = |list: &[usize]| Formula::all(list.iter().map(|item| Formula::item(ItemId::new(*item))));
    all(needs).implies(Formula::any(bundles.iter().map(|bundle| all(bundle))))
}

fn model(rules: &[Rule]) -> Model {
    let mut builder = ModelBuilder::new(Items::named((0..ITEMS).map(|i| format!("i{i}"))).unwrap());
    for rule in rules {
        builder.rule(&formula(rule), "rule");
    }
    builder.finish().unwrap()
}

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    let item = || 0..ITEMS;
    let bundles = proptest::collection::vec(proptest::collection::vec(item(), 3..5), 3..5);
    proptest::collection::vec((proptest::collection::vec(item(), 0..3), bundles), 1..5)
}

fn is_valid(rules: &[Rule], kept: &ItemSet) -> bool {
    rules.iter().all(|rule| formula(rule).holds(&|var| kept.contains(ItemId::new(var.index()))))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_the_model_allows_is_what_the_formulas_say(rules in rules(), picked in proptest::collection::vec(any::<u16>(), 20)) {
        let model = model(&rules);
        for mask in picked {
            let kept = ItemSet::of(ITEMS, (0..ITEMS).filter(|i| mask >> i & 1 == 1).map(ItemId::new));
            prop_assert_eq!(model.allows(&kept), is_valid(&rules, &kept));
        }
    }

    #[test]
    fn only_valid_sets_are_probed_and_none_twice(rules in rules(), needed in proptest::collection::vec(0..ITEMS, 1..4)) {
        let model = model(&rules);
        prop_assume!(model.vars() > ITEMS);
        for first in [FirstSet::Closure, FirstSet::ForcedFirst, FirstSet::Minimal, FirstSet::Lightest] {
            for probing in [Probing::Faithful, Probing::Binary, Probing::Ways(3)] {
                let mut probe = |kept: &ItemSet| needed.iter().all(|item| kept.contains(ItemId::new(*item)));
                let mut tracker = Tracker::new(&mut probe, model.items());
                let result = Gbr { first, probing, closing: probing == Probing::Binary, wide_rounds: 0 }.reduce(&model, &mut tracker).unwrap();
                prop_assert!(is_valid(&rules, &result.kept));
                prop_assert!(needed.iter().all(|item| result.kept.contains(ItemId::new(*item))));
                prop_assert!(tracker.calls().iter().all(|(kept, _)| is_valid(&rules, kept)));
                if probing != Probing::Faithful && !result.one_minimal {
                    let mut asked: Vec<&ItemSet> = tracker.calls().iter().map(|(kept, _)| kept).collect();
                    let count = asked.len();
                    asked.sort();
                    asked.dedup();
                    prop_assert_eq!(asked.len(), count, "{:?} {:?}", first, probing);
                }
            }
        }
    }

    #[test]
    fn lossy_closures_stay_valid(rules in rules(), needed in 0..ITEMS) {
        let model = model(&rules);
        for lossy in [Lossy::First, Lossy::Last] {
            let mut probe = |kept: &ItemSet| {
                assert!(is_valid(&rules, kept), "only valid sets are probed");
                kept.contains(ItemId::new(needed))
            };
            let result = Reducer::Binary(lossy, Probing::Binary).reduce(&model, &mut probe).unwrap();
            prop_assert!(result.kept.contains(ItemId::new(needed)));
        }
    }
}
