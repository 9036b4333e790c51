//! The worked example of T-PDD's thesis, on a network built by hand.
//!
//! ```text
//! int main(){ int* g_1 = safe_arr(config_1(),config_2()); while(1){ g_1[0]=safe_val(config()); } return 0; }
//!
//! 1 TransUnit ─ 2 CompoundStmt ─ 3 * ┬ 4 WhileStmt ─ 6 CompoundStmt ─ 8 * ─ 9 statement
//!                                    └ 5 InitDecl ─ 7 PostExp
//! ```

use dwindle_core::Stop;
use dwindle_tree::tpdd::{Model, Network, Part, PartId, Settings, TreeOracle, Update, search};

/// The numbers of the thesis' nodes, in the order of the network; 9 has none there.
const NODES: [usize; 9] = [1, 2, 3, 4, 6, 8, 9, 5, 7];

fn id(node: usize) -> PartId {
    NODES.iter().position(|&other| other == node).expect("it is one of them") as PartId
}

/// The network at the start. `around` is how many tokens node 3 has beside its statements: none as the thesis counts the
/// gains, three (`return 0;`) for its last step to reach the threshold.
fn example(around: u32) -> Network {
    let mut network = Network::new();
    let n1 = network.add(Part::fixed(None));
    let n2 = network.add(Part::fixed(Some(n1)));
    let n3 = network.add(Part::deletable(n2, 0.5).with_tokens(around));
    let n4 = network.add(Part::deletable(n3, 0.5).with_tokens(4));
    let n6 = network.add(Part::fixed(Some(n4)).with_tokens(2));
    let n8 = network.add(Part::deletable(n6, 0.5));
    network.add(Part::deletable(n8, 0.5).with_tokens(12));
    let n5 = network.add(Part::deletable(n3, 0.5).with_tokens(5));
    network.add(Part::fixed(Some(n5)).with_tokens(10));
    network
}

/// p of nodes 1 to 8.
fn beliefs(network: &Network) -> [f64; 8] {
    std::array::from_fn(|at| network.p(id(at + 1)))
}

fn assert_close(left: &[f64], right: &[f64], context: &str) {
    assert_eq!(left.len(), right.len(), "{context}");
    let close = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-12;
    assert!(left.iter().zip(right).all(close), "{context}: {left:?} is not {right:?}");
}

#[test]
fn the_closed_form_gives_the_probabilities_of_success() {
    let scores = example(0).scores();
    for (node, tokens, success) in
        [(3, 33, 23.0 / 32.0), (4, 18, 15.0 / 16.0), (5, 15, 3.0 / 4.0), (8, 12, 15.0 / 16.0)]
    {
        assert_eq!(scores.tokens(id(node)), tokens, "tokens of {node}");
        assert_close(&[scores.success(id(node))], &[success], &format!("success without {node}"));
    }
    assert_eq!((scores.tokens(id(6)), scores.tokens(id(7))), (14, 10));
    assert_close(&[scores.spare(id(3))], &[0.4375], "q of 3");
}

#[test]
fn the_three_updates_differ_after_the_first_boring_test() {
    let (third, ninth) = (1.0 / 3.0, 1.0 / 9.0);
    for (update, expected, of_nine) in [
        (Update::Literal, [1.0, 1.0, 1.0, 0.5, 0.5, 1.0, 1.0, 0.5], 0.5),
        (Update::Soft, [1.0, 1.0, 8.0 * ninth, 0.5, 0.5, 1.0, 1.0, 0.5], 0.5),
        (Update::Exact, [1.0, 1.0, 1.0, 5.0 * ninth, 8.0 * ninth, 1.0, 1.0, 0.6], 2.0 * third),
    ] {
        let mut network = example(0);
        network.learn(&[id(3)], update);
        assert_close(&beliefs(&network), &expected, &format!("{update:?}"));
        assert_close(&[network.p(id(9))], &[of_nine], &format!("{update:?}"));
    }
}

/// Interesting is what has the `while`; answers are kept with what was believed when they came.
struct HasWhile {
    model: Model,
    steps: Vec<(usize, bool, [f64; 8])>,
}

/// Runs the example with one question at a time.
fn run(network: Network, settings: Settings) -> HasWhile {
    let mut run = HasWhile { model: Model::new(network, settings), steps: Vec::new() };
    while let Some(deleted) = run.model.propose() {
        assert_eq!(deleted.len(), 1, "one part a test");
        let interesting = !run.model.network().contains(deleted[0], id(4));
        if interesting {
            run.model.commit();
        }
        run.steps.push((NODES[deleted[0] as usize], interesting, beliefs(run.model.network())));
    }
    run
}

#[test]
fn the_soft_update_prints_the_table_of_the_thesis() {
    let e = 8.0 / 9.0;
    let table: [(usize, bool, [f64; 8]); 5] = [
        (3, false, [1.0, 1.0, e, 0.5, 0.5, 1.0, 1.0, 0.5]),
        (4, false, [1.0, 1.0, e, 1.0, 0.5, 1.0, 1.0, 0.5]),
        (8, true, [1.0, 1.0, e, 1.0, 0.5, 1.0, 1.0, 0.0]),
        (5, true, [1.0, 1.0, e, 1.0, 0.0, 1.0, 0.0, 0.0]),
        (3, false, [1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0]),
    ];
    let soft = Settings { update: Update::Soft, ..Settings::PUBLISHED };
    let steps = run(example(3), soft).steps;
    assert_eq!(steps.len(), table.len());
    for (at, ((node, interesting, after), (node2, interesting2, after2))) in
        steps.iter().zip(&table).enumerate()
    {
        assert_eq!((node, interesting), (node2, interesting2), "step {}", at + 1);
        assert_close(after, after2, &format!("step {}", at + 1));
    }
    // Without `return 0;` the last step promises 6 · 1/9 tokens, which is less than the threshold.
    assert_eq!(run(example(0), soft).steps.len(), 4);
}

#[test]
fn the_literal_update_settles_a_part_with_its_first_boring_test() {
    let gains = |network: &Network, nodes: &[usize]| -> Vec<f64> {
        nodes.iter().map(|&node| network.scores().gain(id(node))).collect()
    };
    let mut network = example(0);
    assert_close(&gains(&network, &[3, 4, 5, 8]), &[23.71875, 16.875, 11.25, 11.25], "at first");
    network.learn(&[id(3)], Update::Literal);
    assert_close(&gains(&network, &[4, 8, 5]), &[15.75, 10.5, 7.5], "without 3");
    network.learn(&[id(4)], Update::Literal);
    assert_close(&gains(&network, &[8, 5]), &[9.0, 7.5], "without 4");

    let steps = run(example(0), Settings::PUBLISHED).steps;
    let asked: Vec<(usize, bool)> =
        steps.iter().map(|(node, interesting, _)| (*node, *interesting)).collect();
    assert_eq!(asked, [(3, false), (4, false), (8, true), (5, true)]);
    let last = steps.last().expect("there are four").2;
    assert!(last.iter().all(|p| *p == 0.0 || *p == 1.0), "all is settled: {last:?}");
}

/// Answers by a predicate on what is left; pulls `ahead` proposals more than it answers.
struct Ahead {
    ahead: usize,
    gone: Vec<PartId>,
    asked: Vec<Vec<PartId>>,
}

impl TreeOracle for Ahead {
    fn first(&mut self, deletions: &mut dyn Iterator<Item = Vec<PartId>>) -> Result<Option<usize>, Stop> {
        let network = example(0);
        let mut won = None;
        let mut index = 0;
        while won.is_none() {
            let Some(deleted) = deletions.next() else { return Ok(None) };
            won = deleted.iter().all(|part| !network.contains(*part, id(4))).then_some(index);
            self.asked.push(deleted);
            index += 1;
        }
        for _ in 0..self.ahead {
            deletions.next();
        }
        Ok(won)
    }

    fn gone(&mut self, parts: &[PartId]) {
        self.gone.extend(parts);
    }
}

#[test]
fn looking_ahead_changes_nothing() {
    for settings in [
        Settings::PUBLISHED,
        Settings { update: Update::Soft, ..Settings::PUBLISHED },
        Settings { update: Update::Exact, ..Settings::PUBLISHED },
        Settings::EXACT,
    ] {
        let run = |ahead| {
            let mut oracle = Ahead { ahead, gone: Vec::new(), asked: Vec::new() };
            let model = search(Model::new(example(0), settings), &mut oracle).expect("nothing stops it");
            (oracle.gone, oracle.asked, beliefs(model.network()))
        };
        let alone = run(0);
        for ahead in [1, 2, 7] {
            assert_eq!(run(ahead), alone, "{settings:?}, {ahead} ahead");
        }
    }
}
