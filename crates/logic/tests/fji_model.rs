//! The running example of the FJI model: variables, clauses, order, progressions, probes; every model type-checks.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod fji;

use dwindle_logic::{
    Clause, FirstSet, Formula, Gbr, Item, ItemId, ItemSet, Items, Lossy, Model, ModelBuilder, Order, Probe,
    Probing, Progression, Tracker, Var, binary_reduction, item_count,
};
use fji::{Program, constraints, parse, reduce::reduce, types};

const EXAMPLE: &str = "
    class A implements I { String m() { return new String(); } B n() { return new B(); } }
    class B implements I { String m() { return new String(); } B n() { return new B(); } }
    interface I { String m(); B n(); }
    class M {
        String x(I a) { return a.m(); }
        String main() { return new M().x(new A()); }
    }
    main new Object();";

const NAMES: [&str; 20] = [
    "A", "A.m", "A.m!", "A.n", "A.n!", "A<I", "B", "B.m", "B.m!", "B.n", "B.n!", "B<I", "I", "I.m", "I.n",
    "M", "M.x", "M.x!", "M.main", "M.main!",
];

/// The clauses as listed, one a line; the last is the required item.
const CLAUSES: &str = "
    A<I => A; A<I => I; A.n => A; A.n => B; A.n! => A.n; A.m => A; A.m! => A.m; A<I & I.n => A.n; A<I & I.m => A.m;
    B<I => B; B<I => I; B.n => B; B.n => B; B.n! => B.n; B.m => B; B.m! => B.m; B<I & I.n => B.n; B<I & I.m => B.m;
    I.m => I; I.n => I; I.n => B;
    M.x => M; M.x => I; M.x! => M.x; M.x! => I.m; M.x! => I;
    M.main => M; M.main! => M.main; M.main! => M; M.main! => M.x; M.main! => A; M.main! => A<I;
    => M.main!";

fn listed() -> Model {
    let items = Items::named(NAMES).unwrap();
    let mut builder = ModelBuilder::new(items.clone());
    for text in CLAUSES.split(';') {
        let (needs, gives) = text.split_once("=>").unwrap();
        let item = |name: &str| Formula::item(items.find(name.trim()).unwrap());
        let premise = needs.split('&').filter(|name| !name.trim().is_empty()).map(item);
        builder.rule(&Formula::all(premise).implies(item(gives)), text.trim());
    }
    builder.finish().unwrap()
}

fn masks(clauses: &[Clause]) -> Vec<(u32, u32)> {
    let mask = |vars: &[Var]| vars.iter().fold(0u32, |bits, var| bits | 1 << var.index());
    clauses.iter().map(|clause| (mask(clause.needs()), mask(clause.gives()))).collect()
}

fn models(clauses: &[Clause], vars: usize) -> Vec<u32> {
    let masks = masks(clauses);
    let holds = |bits: u32| masks.iter().all(|(needs, gives)| bits & needs != *needs || bits & gives != 0);
    (0..1u32 << vars).filter(|bits| holds(*bits)).collect()
}

fn names(vars: &[Var]) -> Vec<&'static str> {
    vars.iter().map(|var| NAMES[var.index()]).collect()
}

fn sorted<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names
}

fn sets(progression: &Progression) -> Vec<Vec<&'static str>> {
    (0..progression.len()).map(|index| sorted(&names(progression.set(index)))).collect()
}

/// The failure: the bodies of A.m, M.x and M.main are all there.
fn failure(model: &Model) -> impl Fn(&ItemSet) -> bool + Copy {
    let needed = ["A.m!", "M.x!", "M.main!"].map(|name| model.items().find(name).unwrap());
    move |kept: &ItemSet| needed.iter().all(|item| kept.contains(*item))
}

const OPTIMUM: [&str; 11] = ["A<I", "A.m!", "A.m", "A", "I.m", "I", "M.main!", "M.main", "M.x!", "M.x", "M"];

fn all_vars(model: &Model) -> Vec<Var> {
    model.items().iter().map(|(id, _)| id.into()).collect()
}

#[test]
fn the_example_has_twenty_variables_in_declaration_order() {
    let items = constraints::items(&parse::program(EXAMPLE));
    assert_eq!(items.iter().map(|(_, item)| item.name.as_str()).collect::<Vec<_>>(), NAMES);
}

#[test]
fn the_listed_clauses_are_32_with_27_edges_and_one_required_item() {
    let model = listed();
    assert_eq!(CLAUSES.split(';').count(), 33, "one is listed twice");
    assert_eq!(model.clauses().len(), 32);
    assert_eq!(model.clauses().iter().filter(|clause| clause.is_edge()).count(), 27);
    assert_eq!(model.clauses().iter().filter(|clause| clause.len() == 1).count(), 1);
    assert_eq!(model.clauses().iter().filter(|clause| clause.len() > 2).count(), 4);
}

#[test]
fn the_listed_clauses_have_543_models_and_6766_without_the_required_item() {
    let model = listed();
    assert_eq!(models(model.clauses(), 20).len(), 543);
    let free: Vec<Clause> = model.clauses().iter().filter(|clause| clause.len() > 1).cloned().collect();
    assert_eq!(models(&free, 20).len(), 6_766);
}

#[test]
fn the_typing_rules_give_the_listed_formula_without_its_required_item() {
    let model = listed();
    let free: Vec<Clause> = model.clauses().iter().filter(|clause| clause.len() > 1).cloned().collect();
    let generated = constraints::model(&parse::program(EXAMPLE));
    assert_eq!(generated.vars(), 20, "no auxiliary variable is needed");
    assert_eq!(models(generated.clauses(), 20), models(&free, 20));
}

fn every_model_types(program: &Program) -> usize {
    types::check(program).unwrap();
    let model = constraints::model(program);
    assert_eq!(model.vars(), model.items().len());
    let all = models(model.clauses(), model.vars());
    for bits in &all {
        let kept = |name: &str| model.items().find(name).is_some_and(|item| bits >> item.index() & 1 == 1);
        let reduced = reduce(program, &kept);
        if let Err(problem) = types::check(&reduced) {
            panic!("{problem} in {reduced:#?}");
        }
    }
    all.len()
}

#[test]
fn every_one_of_the_6766_models_of_the_example_type_checks() {
    assert_eq!(every_model_types(&parse::program(EXAMPLE)), 6_766);
}

#[test]
fn every_model_type_checks_with_inheritance_fields_and_casts() {
    let count = every_model_types(&parse::program(
        "interface Shape { Pair split(Shape by); }
         class Base implements Shape { Pair split(Shape by) { return new Pair(by, this); } }
         class Sub extends Base { Pair split(Shape by) { return new Base().split(by); } }
         class Pair { Shape a; Shape b; Shape left() { return this.a; } }
         class Use { Object run(Sub s) { return (Object) s.split(new Sub()).left(); } }
         main new Object();",
    ));
    assert!(count > 100, "{count} models");
}

#[test]
fn what_the_model_rejects_among_nested_items_does_not_type_check() {
    // The constraints are exact here: whatever respects nesting and is rejected is really ill typed.
    let program = parse::program(EXAMPLE);
    let model = constraints::model(&program);
    let valid: std::collections::HashSet<u32> = models(model.clauses(), 20).into_iter().collect();
    let nested = |bits: u32| {
        NAMES.iter().enumerate().all(|(index, name)| {
            let owner = name.trim_end_matches('!');
            let owner = if owner == *name { owner.split(['.', '<']).next().unwrap() } else { owner };
            let parent = NAMES.iter().position(|other| *other == owner).unwrap();
            bits >> index & 1 == 0 || bits >> parent & 1 == 1
        })
    };
    let rejected: Vec<u32> =
        (0..1u32 << 20).step_by(97).filter(|bits| nested(*bits) && !valid.contains(bits)).collect();
    assert!(rejected.len() > 100, "{} samples", rejected.len());
    for bits in rejected {
        let reduced = reduce(&program, &|name| {
            NAMES.iter().position(|other| *other == name).is_some_and(|index| bits >> index & 1 == 1)
        });
        assert!(types::check(&reduced).is_err(), "{reduced:#?}");
    }
}

#[test]
fn the_variable_order_is_the_published_one() {
    let order = Order::of(&listed());
    let expected = "M M.main I M.x B B.n B.n! B.m B<I B.m! A A.n I.n A.n! A.m I.m M.x! A<I A.m! M.main!";
    assert_eq!(names(order.sequence()).join(" "), expected);
}

#[test]
fn the_progressions_are_the_published_ones() {
    let model = listed();
    let order = Order::of(&model);
    let progression = Progression::new(&model, &order, &all_vars(&model), &[], FirstSet::Closure);
    let closure = ["A", "A<I", "I", "M", "M.main", "M.main!", "M.x"];
    let singles = |list: &str| {
        list.split(' ')
            .map(|name| vec![NAMES[NAMES.iter().position(|n| *n == name).unwrap()]])
            .collect::<Vec<_>>()
    };
    let mut expected = vec![closure.to_vec()];
    expected.extend(singles("B B.n B.n! B.m B<I B.m! A.n I.n A.n! A.m I.m M.x! A.m!"));
    assert_eq!(sets(&progression), expected);

    let learned = progression.set(13).to_vec();
    let second = Progression::new(&model, &order, progression.prefix(13), &[&learned], FirstSet::Closure);
    let mut expected = vec![sorted(&[&closure[..], &["A.m", "A.m!"]].concat())];
    expected.extend(singles("B B.n B.n! B.m B<I B.m! A.n I.n A.n! I.m M.x!"));
    assert_eq!(sets(&second), expected);

    let more = second.set(11).to_vec();
    let third = Progression::new(&model, &order, second.prefix(11), &[&learned, &more], FirstSet::Closure);
    assert_eq!(sets(&third)[0], sorted(&OPTIMUM));
}

#[test]
fn the_published_run_takes_eleven_probes_of_the_published_sizes() {
    let model = listed();
    let mut probe = failure(&model);
    let mut tracker = Tracker::new(&mut probe, model.items());
    let result = Gbr::published().reduce(&model, &mut tracker).unwrap();
    let sizes: Vec<usize> = tracker.calls().iter().map(|(kept, _)| kept.len()).collect();
    assert_eq!(sizes, [7, 14, 17, 19, 20, 9, 15, 18, 19, 20, 11]);
    assert_eq!(sorted(&model.items().names(&result.kept).collect::<Vec<_>>()), sorted(&OPTIMUM));
    assert_eq!(result.rounds, 2);
}

#[test]
fn without_probes_of_known_outcome_the_run_takes_nine() {
    let model = listed();
    for first in [FirstSet::Closure, FirstSet::ForcedFirst, FirstSet::Minimal, FirstSet::Lightest] {
        let mut probe = failure(&model);
        let mut tracker = Tracker::new(&mut probe, model.items());
        let options = Gbr { first, probing: Probing::Binary, closing: false, wide_rounds: 0 };
        let result = options.reduce(&model, &mut tracker).unwrap();
        assert_eq!(tracker.calls().len(), 9, "{first:?}");
        assert_eq!(sorted(&model.items().names(&result.kept).collect::<Vec<_>>()), sorted(&OPTIMUM));
    }
}

#[test]
fn the_reduced_program_has_one_method_a_in_one_interface_and_no_b() {
    let program = parse::program(EXAMPLE);
    let reduced = reduce(&program, &|name| OPTIMUM.contains(&name));
    let expected = parse::program(
        "class A implements I { String m() { return new String(); } }
         interface I { String m(); }
         class M {
            String x(I a) { return a.m(); }
            String main() { return new M().x(new A()); }
         }
         main new Object();",
    );
    assert_eq!(reduced, expected);
    types::check(&reduced).unwrap();
}

#[test]
fn at_class_level_nothing_of_the_example_can_go() {
    let items = Items::new(
        ["A", "B", "I", "M"].map(|name| Item { required: name == "M", ..Item::new(name) }).to_vec(),
    );
    let items = items.unwrap();
    let mut builder = ModelBuilder::new(items.clone());
    for (from, to) in [("M", "A"), ("M", "I"), ("A", "I"), ("A", "B"), ("B", "I"), ("I", "B")] {
        let item = |name| items.find(name).unwrap();
        builder.rule(&Formula::item(item(from)).implies(Formula::item(item(to))), "mentions");
    }
    let model = builder.finish().unwrap();
    let mut tracker_probe = |_: &ItemSet| panic!("nothing is left to ask");
    let result = Gbr::default().reduce(&model, &mut tracker_probe).unwrap();
    assert_eq!(result.kept.len(), 4);
}

#[test]
fn lossy_encodings_of_the_example_end_with_thirteen_variables() {
    let model = listed();
    for (lossy, extra) in [(Lossy::First, ["A.n", "B"]), (Lossy::Last, ["B.m", "B"])] {
        let closures = lossy.closures(&model);
        let mut probe = failure(&model);
        let kept =
            binary_reduction(&closures.base, &closures.family, &item_count, Probing::Binary, &mut probe)
                .unwrap();
        let expected = sorted(&[&OPTIMUM[..], &extra].concat());
        assert_eq!(sorted(&model.items().names(&kept).collect::<Vec<_>>()), expected, "{lossy:?}");
        assert!(model.allows(&kept));
    }
}

#[test]
fn a_stop_leaves_the_lightest_interesting_set_with_the_tracker() {
    let model = listed();
    let mut probe = failure(&model);
    let mut tracker = Tracker::new(&mut probe, model.items()).at_most(10);
    assert!(Gbr::published().reduce(&model, &mut tracker).is_err());
    let best = tracker.best().expect("the full set was probed").clone();
    assert!(failure(&model).test(&best).unwrap() && model.allows(&best));
    assert_eq!(best, ItemSet::of(20, (0..20).map(ItemId::new)));
}
