//! T-PDD on source code.

mod common;

use std::cell::RefCell;
use std::rc::Rc;

use common::{content, reduce};
use dwindle_core::{Candidate, Files, Options as SessionOptions, Session, Summary};
use dwindle_syntax::{Filter, NodeId, Reader, Role, Tree, detect};
use dwindle_tree::{LanguageChoice, Options, Sources, presets, set};
use proptest::prelude::*;

const PROGRAM: &str = "int main(){ int* g_1 = safe_arr(config_1(),config_2()); while(1){ g_1[0]=safe_val(config()); } return 0; }\n";

fn parse<T>(name: &str, text: &str, look: impl FnOnce(&Tree, &Reader) -> T) -> T {
    let mut reader = Reader::new(&detect(name.as_ref(), text.as_bytes()).expect("a known language"));
    let tree = reader.read(text.as_bytes()).expect("it is small");
    look(&tree, &reader)
}

fn options(assignments: &[&str]) -> Options {
    let mut options = Options::default();
    for assignment in assignments {
        set(&mut options, assignment).expect("there is such a parameter");
    }
    options
}

#[test]
fn the_program_of_the_thesis_comes_down_to_its_loop() {
    let has_loop = |text: &str| text.contains("while") && parse("p.c", text, |tree, _| tree.errors() == 0);
    let (left, summary) = reduce("t-pdd", &Options::default(), ("p.c", PROGRAM), has_loop);
    assert_eq!(left, "while(1){ }\n");
    let (exact, exact_summary) = reduce("t-pdd-exact", &Options::default(), ("p.c", PROGRAM), has_loop);
    assert_eq!(exact, "while(1){ }\n");
    assert!(
        summary.counts.queries < 25 && exact_summary.counts.queries < 25,
        "{summary:?} {exact_summary:?}"
    );
}

#[test]
fn parts_of_one_token_go_only_below_the_threshold() {
    let needs = |text: &str| text.contains('1') && parse("p.json", text, |tree, _| tree.errors() == 0);
    let list = ("p.json", "[1, 2, 3]\n");
    let templates_off = "perses.candidates=0";
    let (left, _) = reduce("t-pdd", &options(&[templates_off]), list, needs);
    // An element is two tokens with its separator, and promises as many as the threshold asks for: all but the last.
    assert_eq!(left, "[1, 3]\n");
    let (left, _) = reduce("t-pdd", &options(&[templates_off, "t-pdd.threshold=0"]), list, needs);
    assert_eq!(left, "[1]\n");
}

#[test]
fn every_candidate_keeps_to_the_grammar() {
    for preset in ["t-pdd", "t-pdd-exact"] {
        for (name, text, needed) in [
            (
                "p.c",
                "int a, b = 1, *c; /* note */ struct s { int x; } v; int f(int a, int b) { if (a) b = f(b, a); else return 1; }\n",
                "c",
            ),
            ("p.json", "{\"a\": [1, [2, 3], {}], \"b\": null, \"c\": {\"d\": [true]}}\n", "3"),
            ("p.py", "def f(x, y=1, *z):\n    if x:\n        return y\n    pass\n\nprint(f(1, 2))\n", "y"),
        ] {
            let (left, _) = reduce(preset, &Options::default(), (name, text), |text| {
                parse(name, text, |tree, _| assert_eq!(tree.errors(), 0, "{preset} on {name}: {text}"));
                text.contains(needed)
            });
            assert!(left.contains(needed) && left.len() < text.len() / 2, "{preset} on {name}: {left}");
        }
    }
}

#[test]
fn comments_go_first_and_at_once() {
    let asked = RefCell::new(Vec::new());
    let text = "/* one */ int a; // two\nint b; /* three */\n";
    let preset = presets().find(|preset| preset.name == "t-pdd").expect("there is one");
    let steps =
        preset.build(&Options::default(), &Rc::new(Sources::new(LanguageChoice::Detect, Filter::Off)));
    let runner = |candidate: &Candidate| content(candidate).contains("int b");
    let options = SessionOptions {
        observer: Some(Box::new(|event| {
            if let dwindle_core::Event::Accepted { best } = event {
                asked.borrow_mut().push(content(best));
            }
        })),
        ..SessionOptions::default()
    };
    let input = Candidate::of_files(Files::single("p.c", text.as_bytes()));
    let (result, _, _) =
        Session::run(&runner, input, options, |session| steps.iter().try_for_each(|step| step.run(session)));
    result.expect("there is no limit");
    let first = asked.borrow().first().cloned().expect("something was accepted");
    assert!(!first.contains("/*") && !first.contains("//") && first.contains("int a"), "{first:?}");
}

/// A run with that many jobs.
fn run(
    preset: &str,
    options: &Options,
    jobs: usize,
    (name, text): (&str, &str),
    interesting: &(dyn Fn(&str) -> bool + Sync),
) -> (String, Summary) {
    let preset = presets().find(|entry| entry.name == preset).expect("there is such a preset");
    let steps = preset.build(options, &Rc::new(Sources::new(LanguageChoice::Detect, Filter::Off)));
    let input = Candidate::of_files(Files::single(name, text.as_bytes()));
    let runner = |candidate: &Candidate| interesting(&content(candidate));
    let session = SessionOptions { jobs, ..SessionOptions::default() };
    let (result, best, summary) =
        Session::run(&runner, input, session, |session| steps.iter().try_for_each(|step| step.run(session)));
    result.expect("there is no limit");
    (content(&best), summary)
}

#[test]
fn results_and_questions_do_not_depend_on_the_number_of_jobs() {
    let body: String =
        (0..40).map(|at| format!("  if (g{at}) {{ g{at} = f(g{at}, {at}); h{at}(); }}\n")).collect();
    let text = format!("int f(int a, int b) {{ return a; }}\nint main() {{\n{body}  return 0;\n}}\n");
    // Not monotone: the number of brackets decides as well.
    let odd = |text: &str| {
        text.contains("h7()")
            && (text.contains("g31") || text.len().is_multiple_of(3))
            && text.matches('(').count() % 5 != 3
    };
    for (preset, update) in
        [("t-pdd", "literal"), ("t-pdd", "soft"), ("t-pdd", "exact"), ("t-pdd-exact", "exact")]
    {
        let options = options(&[&format!("t-pdd.update={update}")]);
        let (left, summary) = run(preset, &options, 1, ("p.c", &text), &odd);
        for jobs in [2, 8] {
            let (other, same) = run(preset, &options, jobs, ("p.c", &text), &odd);
            assert_eq!(other, left, "{preset} {update} with {jobs} jobs");
            assert_eq!(same.counts, summary.counts, "{preset} {update} with {jobs} jobs");
        }
    }
}

/// What is left without each node that can go, one at a time.
fn single_deletions(name: &str, text: &str) -> Vec<String> {
    parse(name, text, |tree, reader| {
        let may_go = |node: &NodeId| match tree.parent(*node) {
            Some(parent) if tree.role(*node) == Role::Element => {
                tree.elements(parent).count() > tree.min(parent)
            }
            _ => tree.is_deletable(*node),
        };
        let without = |node: NodeId| tree.apply(reader.lexicon(), &[dwindle_syntax::Edit::Delete(node)]);
        let texts = tree.nodes().filter(may_go).map(|node| String::from_utf8(without(node)).expect("text"));
        texts.filter(|other| other != text).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_t_pdd_exact_leaves_is_minimal_over_tree_nodes_for_any_predicate(salt in any::<u64>(), share in 2u64..6) {
        let text = "{\"a\": [1, [2, 3, 4], {\"x\": 0}], \"b\": null, \"c\": {\"d\": [true, false], \"e\": [[], [5]]}}\n";
        let interesting = |other: &str| {
            let hash = other.bytes().fold(salt, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3).rotate_left(11)
            });
            other == text || (hash >> 7) % share == 0
        };
        let (left, _) = reduce("t-pdd-exact", &Options::default(), ("p.json", text), interesting);
        prop_assert!(interesting(&left));
        for other in single_deletions("p.json", &left) {
            prop_assert!(!interesting(&other), "{left:?} could be {other:?}");
        }
    }

    #[test]
    fn a_monotone_predicate_is_settled_by_one_round_of_deletions(needed in prop::collection::vec(0usize..12, 0..4)) {
        let text = "{\"k0\": [1, [\"k1\", \"k2\", 4], {\"k3\": 0}], \"k4\": null, \"k5\": {\"k6\": [true, \"k7\"], \"k8\": [[\"k9\"], [\"k10\", \"k11\"]]}}\n";
        let interesting = |other: &str| needed.iter().all(|at| other.contains(&format!("\"k{at}\"")));
        for (preset, settings) in [
            ("t-pdd", ["t-pdd.threshold=0", "t-pdd.update=literal"]),
            ("t-pdd", ["t-pdd.threshold=0", "t-pdd.update=soft"]),
            ("t-pdd", ["t-pdd.threshold=0", "t-pdd.update=exact"]),
            ("t-pdd", ["t-pdd.threshold=0", "t-pdd.several=100"]),
        ] {
            let mut settings = options(&settings);
            settings.perses.candidates = 0;
            let (left, _) = reduce(preset, &settings, ("p.json", text), interesting);
            prop_assert!(interesting(&left));
            for other in single_deletions("p.json", &left) {
                prop_assert!(!interesting(&other), "{left:?} could be {other:?}: {:?}", settings.tpdd);
            }
        }
    }
}
