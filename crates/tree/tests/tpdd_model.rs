//! The closed forms of T-PDD against enumeration, its bounds, and what is minimal of its results, on random networks.

use dwindle_core::Stop;
use dwindle_tree::tpdd::{Model, Network, Part, PartId, Settings, TreeOracle, Update, search};
use proptest::prelude::*;

/// Random parts: where each hangs, how likely it is needed, its tokens, and whether they make it certain.
type Shape = Vec<(prop::sample::Index, f64, u32, bool, bool)>;

fn shapes(most: usize) -> impl Strategy<Value = Shape> {
    let part = (any::<prop::sample::Index>(), 0.05..0.95, 0u32..4, any::<bool>(), prop::bool::weighted(0.8));
    prop::collection::vec(part, 1..most)
}

/// A network of that shape; the part above each is one on the way from the last part to the top.
fn network(shape: &Shape) -> Network {
    let mut network = Network::new();
    let mut way = vec![network.add(Part::fixed(None))];
    for (place, p, tokens, certain, deletable) in shape {
        way.truncate(place.index(way.len()) + 1);
        let above = *way.last().expect("the top stays");
        let part = if *deletable { Part::deletable(above, *p) } else { Part::fixed(Some(above)) };
        way.push(network.add(Part { tokens: *tokens, certain: *certain && *tokens > 0, ..part }));
    }
    network
}

fn deletable(network: &Network) -> Vec<PartId> {
    // A part whose p is 1 cannot go.
    network.left().iter().copied().filter(|part| network.p(*part) < 1.0).collect()
}

/// Every way in which parts can be needed, with its probability.
fn worlds(network: &Network) -> Vec<(Vec<bool>, f64)> {
    let mut worlds = vec![(Vec::new(), 1.0)];
    for part in 0..network.len() as PartId {
        let grow = |(needed, weight): (Vec<bool>, f64)| {
            let there = network.above(part).is_none_or(|above| needed[above as usize]);
            let p = if there { network.p(part) } else { 0.0 };
            [(true, p), (false, 1.0 - p)].map(|(value, share)| {
                let mut needed = needed.clone();
                needed.push(value);
                (needed, weight * share)
            })
        };
        worlds = worlds.into_iter().flat_map(grow).filter(|(_, weight)| *weight > 0.0).collect();
    }
    worlds
}

/// Whether no token of these parts is needed in a world.
fn spares(network: &Network, shape: &Shape, deleted: &[PartId], needed: &[bool]) -> bool {
    let scores = network.scores();
    (1..network.len() as PartId).all(|part| {
        let (_, _, tokens, certain, _) = shape[part as usize - 1];
        let leaf = tokens > 0 && (certain || scores.tokens(part) == tokens);
        !(leaf && needed[part as usize] && deleted.iter().any(|root| network.contains(*root, part)))
    })
}

fn probability(worlds: &[(Vec<bool>, f64)], of: impl Fn(&[bool]) -> bool) -> f64 {
    worlds.iter().filter(|(needed, _)| of(needed)).map(|(_, weight)| weight).sum()
}

/// Parts none of which is below another.
fn apart(network: &Network, parts: &[PartId]) -> Vec<PartId> {
    let mut chosen: Vec<PartId> = Vec::new();
    for &part in parts {
        if !chosen.iter().any(|one| network.contains(*one, part) || network.contains(part, *one)) {
            chosen.push(part);
        }
    }
    chosen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn the_closed_form_is_what_enumeration_gives(shape in shapes(9)) {
        let network = network(&shape);
        let (worlds, scores) = (worlds(&network), network.scores());
        for part in network.left().iter().copied() {
            let enumerated = probability(&worlds, |needed| spares(&network, &shape, &[part], needed));
            prop_assert!((scores.success(part) - enumerated).abs() < 1e-9, "{part}: {} {enumerated}", scores.success(part));
            let needed = probability(&worlds, |needed| needed[part as usize]);
            prop_assert!((scores.needed(part) - needed).abs() < 1e-9);
        }
    }

    #[test]
    fn the_exact_posterior_is_what_enumeration_gives(
        shape in shapes(9),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
    ) {
        let before = network(&shape);
        let parts = deletable(&before);
        prop_assume!(!parts.is_empty());
        let picked: Vec<PartId> = picks.iter().map(|pick| parts[pick.index(parts.len())]).collect();
        let deleted = apart(&before, &picked);
        let worlds = worlds(&before);
        let boring = |needed: &[bool]| !spares(&before, &shape, &deleted, needed);
        let evidence = probability(&worlds, boring);
        prop_assume!(evidence > 1e-9);
        let mut after = before.clone();
        after.learn(&deleted, Update::Exact);
        for part in before.left().iter().copied() {
            let above = before.above(part);
            let given = probability(&worlds, |needed| boring(needed) && above.is_none_or(|above| needed[above as usize]));
            if given < 1e-9 {
                continue;
            }
            let both = probability(&worlds, |needed| boring(needed) && needed[part as usize]);
            prop_assert!((after.p(part) - both / given).abs() < 2e-9, "{part}: {} {}", after.p(part), both / given);
        }
    }
}

/// Answers by a predicate on the parts that are left, and checks what it is asked.
struct Predicate<'a> {
    network: &'a Network,
    left: Vec<bool>,
    interesting: &'a dyn Fn(&[bool]) -> bool,
    asked: usize,
    most: usize,
}

fn without(network: &Network, left: &[bool], deleted: &[PartId]) -> Vec<bool> {
    let gone = |part: PartId| deleted.iter().any(|root| network.contains(*root, part));
    left.iter().zip(0..).map(|(left, part)| *left && !gone(part)).collect()
}

impl TreeOracle for Predicate<'_> {
    fn first(&mut self, deletions: &mut dyn Iterator<Item = Vec<PartId>>) -> Result<Option<usize>, Stop> {
        for (index, deleted) in deletions.enumerate() {
            self.asked += 1;
            assert!(self.asked <= self.most, "more than {} questions", self.most);
            assert!(deleted.iter().all(|part| self.left[*part as usize]), "what is gone cannot go");
            assert_eq!(apart(self.network, &deleted), deleted);
            if (self.interesting)(&without(self.network, &self.left, &deleted)) {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    fn gone(&mut self, parts: &[PartId]) {
        self.left = without(self.network, &self.left, parts);
    }
}

/// What is left of a network, and how many questions it took.
fn reduce(
    network: &Network,
    settings: Settings,
    most: usize,
    interesting: &dyn Fn(&[bool]) -> bool,
) -> (Vec<bool>, usize) {
    let mut oracle = Predicate { network, left: vec![true; network.len()], interesting, asked: 0, most };
    let model = search(Model::new(network.clone(), settings), &mut oracle).expect("nothing stops it");
    let left: Vec<bool> = (0..network.len() as PartId).map(|part| model.network().is_left(part)).collect();
    assert_eq!(left, oracle.left);
    (left, oracle.asked)
}

/// Settings with the most questions they may take on that many parts that can go.
fn bounded(parts: usize) -> Vec<(Settings, usize)> {
    let single = Settings { threshold: 0.0, ..Settings::PUBLISHED };
    vec![
        // Each question settles at least one part.
        (single, parts),
        (Settings { update: Update::Exact, ..single }, parts),
        // The doubt of a part halves with each question that does not settle it.
        (Settings { update: Update::Soft, ..single }, 8 * parts),
        // At worst each of several parts that were boring together is told apart by one question.
        (Settings { learns: false, ..Settings::EXACT }, parts * (parts + 1) / 2),
        (Settings::EXACT, parts * (parts + 1) / 2),
    ]
}

fn uniform(shape: &Shape) -> Network {
    let even: Shape = shape
        .iter()
        .map(|(place, _, tokens, certain, deletable)| (*place, 0.5, *tokens.max(&1), *certain, *deletable))
        .collect();
    network(&even)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_monotone_predicate_leaves_a_minimal_tree(
        shape in shapes(25),
        // Interesting is what keeps all of one of these sets.
        sets in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..4), 1..4),
    ) {
        let network = uniform(&shape);
        let interesting = |left: &[bool]| {
            sets.iter().any(|set| set.iter().all(|part| left[part.index(network.len())]))
        };
        let parts = deletable(&network);
        for (settings, most) in bounded(parts.len()) {
            let (left, _) = reduce(&network, settings, most, &interesting);
            prop_assert!(interesting(&left), "{settings:?}");
            for &part in parts.iter().filter(|part| left[**part as usize]) {
                prop_assert!(!interesting(&without(&network, &left, &[part])), "{part} could go: {settings:?}");
            }
            if let [only] = &sets[..] {
                // The smallest tree is the only minimal one: what is needed, what that is in, and what cannot go alone.
                let needs = |part: PartId| only.iter().any(|one| network.contains(part, one.index(network.len()) as PartId));
                for part in 0..network.len() as PartId {
                    let mut way = std::iter::successors(Some(part), |at| network.above(*at));
                    let stays = way.all(|part| needs(part) || !parts.contains(&part));
                    prop_assert_eq!(left[part as usize], stays, "{} with {:?}", part, settings);
                }
            }
        }
    }

    #[test]
    fn any_predicate_leaves_an_interesting_tree_within_the_bound(shape in shapes(25), salt in any::<u64>()) {
        let network = uniform(&shape);
        let interesting = |left: &[bool]| {
            let bits = left.iter().fold(salt, |hash, left| {
                (hash ^ u64::from(*left)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
            });
            bits % 3 == 0 || left.iter().all(|left| *left)
        };
        for (settings, most) in bounded(deletable(&network).len()) {
            let (left, _) = reduce(&network, settings, most, &interesting);
            prop_assert!(interesting(&left), "{settings:?}");
        }
    }
}

/// A list of `n` elements of 5 tokens under the top, which keeps at least `least`.
fn list(n: usize, least: u32) -> Network {
    let mut network = Network::new();
    let top = network.add(Part { least, ..Part::fixed(None) });
    for _ in 0..n {
        network.add(Part { element: true, tokens: 5, certain: true, ..Part::deletable(top, 0.5) });
    }
    network
}

#[test]
fn a_list_keeps_its_least() {
    for (settings, _) in bounded(9) {
        let (left, _) = reduce(&list(9, 2), settings, 100, &|_| true);
        assert_eq!(left.iter().filter(|left| **left).count(), 3, "{settings:?}");
    }
}

#[test]
fn a_long_list_of_which_little_is_needed_takes_few_questions_with_several_parts_a_test() {
    let network = list(1000, 0);
    let interesting = |left: &[bool]| left[314] && left[815];
    let (one_each, one) = reduce(&network, Settings::PUBLISHED, 1000, &interesting);
    let (several, few) = reduce(&network, Settings::EXACT, 1000, &interesting);
    assert_eq!(one_each, several);
    assert_eq!(one, 1000);
    assert!(few < 40, "{few} questions");
}
