//! The published example of seventeen classes: closures, and what each strategy asks and finds.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use dwindle_logic::{
    Cost, Ddmin, Graph, ItemId, ItemSet, Items, ListReducer, Model, ModelBuilder, Origin, Probing, Tracker,
    binary_reduction, item_count, member_count, over_family, over_items, over_valid_items,
};

const EDGES: [(usize, usize); 20] = [
    (1, 2),
    (1, 4),
    (2, 1),
    (3, 1),
    (4, 7),
    (5, 6),
    (5, 3),
    (6, 5),
    (8, 11),
    (8, 7),
    (11, 12),
    (12, 9),
    (9, 10),
    (10, 14),
    (14, 13),
    (13, 8),
    (15, 16),
    (15, 8),
    (16, 15),
    (7, 7),
];

fn set(classes: impl IntoIterator<Item = usize>) -> ItemSet {
    ItemSet::of(17, classes.into_iter().map(ItemId::new))
}

/// S1 to S8 as published.
fn family() -> Vec<ItemSet> {
    vec![
        set(7..17),
        set(7..15),
        set(1..8),
        set([1, 2, 3, 4, 7]),
        set([1, 2, 4, 7]),
        set([4, 7]),
        set([7]),
        set([0]),
    ]
}

fn by_size() -> Vec<ItemSet> {
    let mut family = family();
    family.sort_by_key(ItemSet::len);
    family
}

fn model() -> Model {
    let items = Items::named((0..17).map(|class| class.to_string())).unwrap();
    let mut builder = ModelBuilder::new(items);
    for (from, to) in EDGES {
        builder.need(ItemId::new(from), ItemId::new(to), Origin::Line(1));
    }
    builder.finish().unwrap()
}

fn needs(classes: &[usize]) -> impl Fn(&ItemSet) -> bool + use<> {
    let classes = set(classes.iter().copied());
    move |kept: &ItemSet| classes.is_subset(kept)
}

/// Runs a strategy; gives the result and, for each probe, the closures of the list whose union it was, with the verdict.
fn traced(
    bug: &[usize],
    strategy: impl FnOnce(&mut Tracker<'_, dyn dwindle_logic::Probe>) -> ItemSet,
) -> (ItemSet, Vec<(ItemSet, bool)>) {
    let mut probe = needs(bug);
    let items = Items::named((0..17).map(|class| class.to_string())).unwrap();
    let mut tracker = Tracker::new(&mut probe as &mut dyn dwindle_logic::Probe, &items);
    let kept = strategy(&mut tracker);
    (kept, tracker.calls().to_vec())
}

fn union(members: &[usize]) -> ItemSet {
    members.iter().fold(set([]), |all, member| all.union(&family()[member - 1]))
}

fn expect(calls: &[(ItemSet, bool)], expected: &[(&[usize], bool)]) {
    let expected: Vec<(ItemSet, bool)> =
        expected.iter().map(|(members, verdict)| (union(members), *verdict)).collect();
    assert_eq!(calls, expected);
}

#[test]
fn the_distinct_closures_are_the_published_eight() {
    let mut expected = family();
    expected.sort();
    let mut closures = Graph::new(17, EDGES).closures();
    assert!(closures.is_sorted_by_key(ItemSet::len));
    closures.sort();
    assert_eq!(closures, expected);
}

#[test]
fn components_come_after_what_they_need() {
    let components = Graph::new(17, EDGES).components();
    let position = |class: usize| components.iter().position(|members| members.contains(&class)).unwrap();
    assert_eq!(components.len(), 8);
    assert!(EDGES.iter().all(|(from, to)| position(*to) <= position(*from)));
    assert_eq!(position(1), position(2));
}

/// The closed candidates that plain delta debugging meets on its way, with their verdicts.
fn closed_on_the_way() -> Vec<(ItemSet, bool)> {
    vec![(set(0..15), true), (set([0]), false), (set([7]), false), (set(1..15), true), (set([7]), false)]
}

#[test]
fn ddmin_over_classes_ends_with_fourteen_after_86_tests_67_of_them_distinct() {
    let model = model();
    let bug = needs(&[1]);
    let mut asked: Vec<ItemSet> = Vec::new();
    let mut closed = Vec::new();
    let mut probe = |kept: &ItemSet| {
        asked.push(kept.clone());
        let valid = model.allows(kept);
        if valid {
            closed.push((kept.clone(), bug(kept)));
        }
        valid && bug(kept)
    };
    let kept = over_items(17, &mut Ddmin, &mut probe).unwrap();
    assert_eq!(kept, set(1..15));
    assert_eq!(closed, closed_on_the_way());
    assert_eq!((&asked[0], &asked[1]), (&set(0..9), &set(9..17)));
    assert_eq!(asked.len(), 86);
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), 67);
}

#[test]
fn verify_asks_only_about_the_five_closed_candidates() {
    let model = model();
    let (kept, calls) = traced(&[1], |probe| over_valid_items(&model, &mut Ddmin, probe).unwrap());
    assert_eq!(kept, set(1..15));
    assert_eq!(calls, closed_on_the_way());
}

#[test]
fn closure_depends_on_the_order_of_the_list() {
    let (kept, calls) = traced(&[1], |probe| over_family(&set([]), &family(), &mut Ddmin, probe).unwrap());
    expect(&calls, &[(&[1, 2, 3, 4], true), (&[1, 2], false), (&[3, 4], true), (&[3], true)]);
    assert_eq!(kept, union(&[3]));

    let (kept, calls) = traced(&[1], |probe| over_family(&set([]), &by_size(), &mut Ddmin, probe).unwrap());
    expect(&calls, &[(&[7, 8, 6, 5], true), (&[7, 8], false), (&[6, 5], true), (&[6], false), (&[5], true)]);
    assert_eq!(kept, set([1, 2, 4, 7]));
}

#[test]
fn closure_keeps_sixteen_classes_when_a_cheap_and_a_dear_one_are_needed() {
    let (kept, calls) =
        traced(&[1, 12], |probe| over_family(&set([]), &by_size(), &mut Ddmin, probe).unwrap());
    expect(
        &calls,
        &[
            (&[7, 8, 6, 5], false),
            (&[4, 3, 2, 1], true),
            (&[4, 3], false),
            (&[2, 1], false),
            (&[4], false),
            (&[3], false),
            (&[2], false),
            (&[1], false),
            (&[3, 2, 1], true),
            (&[3], false),
            (&[2], false),
            (&[1], false),
            (&[2, 1], false),
            (&[3, 1], true),
            (&[3], false),
            (&[1], false),
        ],
    );
    assert_eq!((kept.len(), kept), (16, union(&[3, 1])));
}

fn binary(bug: &[usize], cost: Cost<'_>, probing: Probing) -> (ItemSet, Vec<(ItemSet, bool)>) {
    traced(bug, |probe| binary_reduction(&set([]), &family(), cost, probing, probe).unwrap())
}

#[test]
fn binary_reduction_with_equal_costs_finds_s3() {
    let (kept, calls) = binary(&[1], &member_count, Probing::Faithful);
    expect(
        &calls,
        &[
            (&[], false),
            (&[1, 2, 3, 4], true),
            (&[1], false),
            (&[1, 2], false),
            (&[1, 2, 3], true),
            (&[3], true),
        ],
    );
    assert_eq!(kept, union(&[3]));
    assert_eq!(binary(&[1], &member_count, Probing::Binary).1.len(), 5);
}

#[test]
fn binary_reduction_by_size_of_the_union_finds_the_optimum_of_four() {
    let (kept, calls) = binary(&[1], &item_count, Probing::Faithful);
    expect(
        &calls,
        &[
            (&[], false),
            (&[7, 8, 6, 5], true),
            (&[7], false),
            (&[7, 8], false),
            (&[7, 8, 6], false),
            (&[5], true),
        ],
    );
    assert_eq!(kept, set([1, 2, 4, 7]));
    assert_eq!(binary(&[1], &item_count, Probing::Binary).1.len(), 5);
}

#[test]
fn binary_reduction_sorts_again_and_finds_eleven_classes_in_nine_probes() {
    let (kept, calls) = binary(&[1, 12], &item_count, Probing::Faithful);
    expect(
        &calls,
        &[
            (&[], false),
            (&[7, 8, 6, 5], false),
            (&[7, 8, 6, 5, 4, 3], false),
            (&[7, 8, 6, 5, 4, 3, 2], true),
            (&[2], false),
            (&[7, 8, 6, 2], false),
            (&[7, 8, 6, 5, 4, 2], true),
            (&[7, 8, 6, 5, 2], true),
            (&[5, 2], true),
        ],
    );
    assert_eq!((kept.len(), kept), (11, union(&[5, 2])));
    assert!(binary(&[1, 12], &item_count, Probing::Binary).1.len() <= 9);
}

#[test]
fn linear_leaves_out_one_closure_after_the_other() {
    let (kept, calls) = traced(&[1, 12], |probe| {
        over_family(&set([]), &by_size(), &mut dwindle_logic::Linear, probe).unwrap()
    });
    assert_eq!(calls.len(), 8);
    assert_eq!(kept, union(&[5, 2]));
}

#[test]
fn a_list_reducer_of_nothing_asks_nothing() {
    let mut probe = |_: &ItemSet| panic!("there is nothing to ask");
    assert!(Ddmin.reduce(0, &mut probe).unwrap().is_empty());
    assert!(dwindle_logic::Linear.reduce(0, &mut probe).unwrap().is_empty());
}
