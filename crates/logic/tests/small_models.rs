//! Small models with known answers: where the published algorithm is not minimal, paths through hierarchies, options.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use dwindle_logic::{
    Clause, FirstSet, Formula, Gbr, ItemId, ItemSet, Items, Model, ModelBuilder, Order, Probe, Probing,
    Progression, Stop, Tracker, Var,
};

fn item(model: &Model, name: &str) -> ItemId {
    model.items().find(name).unwrap()
}

/// Rules like `a & b => c | d`, separated by `;`. The left side may be empty.
fn model(names: &str, rules: &str) -> Model {
    let items = Items::named(names.split(' ')).unwrap();
    let mut builder = ModelBuilder::new(items.clone());
    for rule in rules.split(';').filter(|rule| !rule.trim().is_empty()) {
        let (needs, gives) = rule.split_once("=>").unwrap();
        let side = |text: &str, sign: char| -> Vec<Formula> {
            let names = text.split(sign).map(str::trim).filter(|name| !name.is_empty());
            names.map(|name| Formula::item(items.find(name).unwrap())).collect()
        };
        builder.rule(&Formula::All(side(needs, '&')).implies(Formula::Any(side(gives, '|'))), rule);
    }
    builder.finish().unwrap()
}

fn run(options: Gbr, model: &Model, needed: &[&str]) -> (Vec<String>, usize, bool) {
    let needed: Vec<ItemId> = needed.iter().map(|name| item(model, name)).collect();
    let mut probe = |kept: &ItemSet| needed.iter().all(|item| kept.contains(*item));
    let mut tracker = Tracker::new(&mut probe, model.items());
    let result = options.reduce(model, &mut tracker).unwrap();
    assert!(model.allows(&result.kept));
    let kept = model.items().names(&result.kept).map(str::to_owned).collect();
    (kept, tracker.calls().len(), result.locally_minimal)
}

#[test]
fn the_published_closure_keeps_too_much_where_a_clause_has_two_needs() {
    let model = model("c a b", "a & b => c; c => b");
    let order = Order::of(&model);
    assert_eq!(order.sequence(), ["c", "b", "a"].map(|name| Var::from(item(&model, name))));
    let all = order.sequence().to_vec();
    let sets = |learned: &[&[Var]], first| {
        let progression = Progression::new(&model, &order, &all, learned, first);
        (0..progression.len()).map(|i| progression.set(i).to_vec()).collect::<Vec<_>>()
    };
    let [c, b, a] = ["c", "b", "a"].map(|name| Var::from(item(&model, name)));
    let published = sets(&[], FirstSet::Closure);
    assert_eq!(published, [vec![], vec![c, b], vec![a]]);
    let learned = [c, b];
    assert_eq!(sets(&[&learned], FirstSet::Closure)[0], [c, b], "though b alone would do");
    assert_eq!(sets(&[&learned], FirstSet::Minimal)[0], [b]);
    assert_eq!(run(Gbr::published(), &model, &["b"]).0, ["c", "b"]);
    let (kept, _, minimal) = run(Gbr::default(), &model, &["b"]);
    assert_eq!((kept, minimal), (vec!["b".to_owned()], true));
}

#[test]
fn the_smallest_failure_of_local_minimality_is_one_clause_with_two_ways() {
    let model = model("x0 x1", "=> x0 | x1");
    let published = run(Gbr::published(), &model, &["x0"]);
    assert_eq!((published.0.as_slice(), published.2), (["x0".to_owned(), "x1".to_owned()].as_slice(), false));
    let minimal = run(Gbr::default(), &model, &["x0"]);
    assert_eq!((minimal.0.as_slice(), minimal.2), (["x0".to_owned()].as_slice(), true));
}

#[test]
fn minimal_first_sets_may_take_more_rounds_than_there_are_items() {
    let rules = "a => c | d; c => a | b; b & c => d; a => b; a & d => c; b & c => a | c; c => b | c";
    let model = model("a b c d", rules);
    let mut probe = |kept: &ItemSet| kept.contains(ItemId::new(0));
    let result = Gbr::default().reduce(&model, &mut probe).unwrap();
    assert_eq!((result.rounds, result.locally_minimal), (5, true));
    let result = Gbr::published().reduce(&model, &mut probe).unwrap();
    assert!(result.rounds <= 4, "the closure is bounded");
}

#[test]
fn an_inherited_method_needs_three_clauses_and_no_auxiliary_variable() {
    let items = Items::named(["x", "A.m", "B.m", "C.m", "A<<B", "B<<C"]).unwrap();
    let find = |name: &str| Formula::item(items.find(name).unwrap());
    let path = Formula::any([
        find("A.m"),
        Formula::all([find("A<<B"), find("B.m")]),
        Formula::all([find("A<<B"), find("B<<C"), find("C.m")]),
    ]);
    let mut builder = ModelBuilder::new(items.clone());
    builder.rule(&find("x").implies(path), "x calls A.m");
    let model = builder.finish().unwrap();
    let mut found: Vec<String> = (0..model.clauses().len()).map(|index| model.describe(index)).collect();
    found.sort();
    assert_eq!(
        found,
        [
            "`x` needs `A.m` or `A<<B` [x calls A.m]",
            "`x` needs `A.m` or `B.m` or `B<<C` [x calls A.m]",
            "`x` needs `A.m` or `B.m` or `C.m` [x calls A.m]",
        ]
    );
}

#[test]
fn the_duty_to_implement_through_two_paths_is_two_clauses() {
    let items = Items::named(["A<I", "A<<B", "B<I", "I.n", "A.n"]).unwrap();
    let find = |name: &str| Formula::item(items.find(name).unwrap());
    let duty = Formula::any([
        Formula::all([find("A<I"), find("I.n")]),
        Formula::all([find("A<<B"), find("B<I"), find("I.n")]),
    ]);
    let mut builder = ModelBuilder::new(items.clone());
    builder.rule(&duty.implies(find("A.n")), "duty");
    let mut shapes: Vec<(usize, usize)> =
        builder.finish().unwrap().clauses().iter().map(|c| (c.needs().len(), c.gives().len())).collect();
    shapes.sort_unstable();
    assert_eq!(shapes, [(2, 1), (3, 1)]);
}

#[test]
fn a_clause_that_the_full_set_breaks_is_reported_with_its_origin() {
    let items = Items::named(["petrol", "electric"]).unwrap();
    let both = Formula::all(items.iter().map(|(id, _)| Formula::item(id)));
    let mut builder = ModelBuilder::new(items);
    builder.rule(&both.negated(), "one engine only");
    let message = builder.finish().unwrap_err().to_string();
    assert!(message.contains("never `petrol` and `electric` together [one engine only]"), "{message}");
    assert!(message.contains("list as items only what your input really has"), "{message}");
}

#[test]
fn the_lightest_first_set_takes_the_light_way_round() {
    let items = Items::new(
        [("goal", 1), ("heavy", 100), ("light", 1), ("lighter-part", 2)]
            .map(|(name, weight)| dwindle_logic::Item { weight, ..dwindle_logic::Item::new(name) })
            .to_vec(),
    )
    .unwrap();
    let find = |name: &str| Formula::item(items.find(name).unwrap());
    let mut builder = ModelBuilder::new(items.clone());
    builder.rule(&find("goal").implies(Formula::any([find("heavy"), find("light")])), "either way");
    builder.rule(&find("light").implies(find("lighter-part")), "part");
    let model = builder.finish().unwrap();
    let options = Gbr { first: FirstSet::Lightest, ..Gbr::default() };
    assert_eq!(run(options, &model, &["goal"]).0, ["goal", "light", "lighter-part"]);
}

#[test]
fn several_ways_need_fewer_rounds_of_probes() {
    let names: Vec<String> = (0..256).map(|i| format!("i{i}")).collect();
    let model = Model::free(Items::named(names).unwrap());
    struct Rounds<'a>(&'a mut dyn Probe, usize);
    impl Probe for Rounds<'_> {
        fn test(&mut self, kept: &ItemSet) -> Result<bool, Stop> {
            self.1 += 1;
            self.0.test(kept)
        }
        fn first(&mut self, candidates: &mut dyn Iterator<Item = ItemSet>) -> Result<Option<usize>, Stop> {
            self.1 += 1;
            self.0.first(candidates)
        }
    }
    let rounds = |probing| {
        let mut probe = |kept: &ItemSet| kept.contains(ItemId::new(77)) && kept.contains(ItemId::new(200));
        let mut rounds = Rounds(&mut probe, 0);
        let result = Gbr { probing, ..Gbr::default() }.reduce(&model, &mut rounds).unwrap();
        assert_eq!(result.kept.len(), 2);
        rounds.1
    };
    let (one, three) = (rounds(Probing::Binary), rounds(Probing::Ways(3)));
    assert!(three * 10 <= one * 7, "{three} rounds against {one}");
}

/// A test that also knows what the model does not: `a` needs `b`.
struct Teacher {
    asked: usize,
    lessons: Vec<Clause>,
    rule: (ItemId, ItemId),
    goal: ItemId,
}

impl Probe for Teacher {
    fn test(&mut self, kept: &ItemSet) -> Result<bool, Stop> {
        self.asked += 1;
        let (a, b) = self.rule;
        if kept.contains(a) && !kept.contains(b) {
            self.lessons.extend(Clause::new([a.into()], [b.into()]));
            return Ok(false);
        }
        Ok(kept.contains(self.goal))
    }

    fn lessons(&mut self) -> Vec<Clause> {
        std::mem::take(&mut self.lessons)
    }
}

#[test]
fn clauses_learnt_from_invalid_verdicts_lead_to_the_minimum() {
    // The goal needs the a that needs b, which only the test knows. Without the lesson, the search takes "invalid" for
    // "boring", and its prefixes mislead it.
    let names: Vec<String> = (0..40).map(|i| format!("i{i}")).collect();
    let items = Items::named(names).unwrap();
    let (a, b, goal) = (ItemId::new(3), ItemId::new(30), ItemId::new(10));
    let mut builder = ModelBuilder::new(items);
    builder.rule(&Formula::item(goal).implies(Formula::item(a)), "goal needs a");
    let model = builder.finish().unwrap();
    let mut teacher = Teacher { asked: 0, lessons: Vec::new(), rule: (a, b), goal };
    let result = Gbr::default().reduce(&model, &mut teacher).unwrap();
    assert_eq!(result.kept, ItemSet::of(40, [a, b, goal]));
    assert_eq!(result.lessons.len(), 1);
    assert!(teacher.asked <= 14, "{} probes", teacher.asked);
}

#[test]
fn a_lesson_that_forbids_the_known_set_is_not_believed() {
    struct Liar;
    impl Probe for Liar {
        fn test(&mut self, kept: &ItemSet) -> Result<bool, Stop> {
            Ok(kept.contains(ItemId::new(1)))
        }
        fn lessons(&mut self) -> Vec<Clause> {
            Clause::new([Var::from(ItemId::new(0))], []).into_iter().collect()
        }
    }
    let model = model("a b", "");
    let result = Gbr::default().reduce(&model, &mut Liar).unwrap();
    assert_eq!((result.kept.len(), result.lessons.len()), (1, 0));
}

#[test]
fn the_closing_pass_finds_what_a_test_that_is_not_monotone_hid() {
    // Interesting: item 5, and not item 2 without item 1. The binary search may end with 1 and 2 beside 5.
    let model = model("i0 i1 i2 i3 i4 i5 i6 i7", "i5 => i3");
    let kept = |options: Gbr| {
        let has = |kept: &ItemSet, i| kept.contains(ItemId::new(i));
        let mut probe = |kept: &ItemSet| {
            has(kept, 5) && (has(kept, 1) || !has(kept, 2)) && (has(kept, 2) || kept.len() < 4)
        };
        let result = options.reduce(&model, &mut probe).unwrap();
        assert!(has(&result.kept, 5));
        (result.kept.len(), result.one_minimal)
    };
    assert_eq!(kept(Gbr { closing: true, ..Gbr::default() }), (2, true));
}

#[test]
fn a_test_that_takes_its_word_back_leaves_the_last_known_set() {
    let model = model("a b c", "=> a");
    let mut never = |_: &ItemSet| false;
    let result = Gbr::published().reduce(&model, &mut never).unwrap();
    assert_eq!((result.kept.len(), result.locally_minimal), (3, false));
}

#[test]
fn the_empty_set_is_a_candidate_when_nothing_is_required() {
    let model = model("a b c", "a => b");
    let mut always = |_: &ItemSet| true;
    let mut tracker = Tracker::new(&mut always, model.items());
    let result = Gbr::default().reduce(&model, &mut tracker).unwrap();
    assert!(result.kept.is_empty());
    assert_eq!(tracker.calls().len(), 1);
}

#[test]
fn steps_that_only_set_auxiliary_variables_are_never_probed() {
    let names: Vec<String> = (0..24).map(|i| format!("i{i}")).collect();
    let items = Items::named(names).unwrap();
    let pairs = (0..12).map(|p| Formula::all([2 * p, 2 * p + 1].map(|i| Formula::item(ItemId::new(i)))));
    let mut builder = ModelBuilder::new(items);
    builder.rule(&Formula::any(pairs), "some pair");
    let model = builder.finish().unwrap();
    assert!(model.vars() > 24);
    let mut probe = |kept: &ItemSet| kept.contains(ItemId::new(17)) && kept.contains(ItemId::new(16));
    let mut tracker = Tracker::new(&mut probe, model.items());
    let result = Gbr::default().reduce(&model, &mut tracker).unwrap();
    assert_eq!(result.kept, ItemSet::of(24, [ItemId::new(16), ItemId::new(17)]));
    let mut asked: Vec<&ItemSet> = tracker.calls().iter().map(|(kept, _)| kept).collect();
    let count = asked.len();
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), count, "no candidate is asked twice");
    assert!(tracker.calls().iter().all(|(kept, _)| model.allows(kept)));
}
