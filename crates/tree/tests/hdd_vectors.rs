//! The worked examples of the dissertation on hoisting, on trees made by hand.

mod hdd_hand;

use dwindle_delta::{Ddmin, ListMinimizer};
use dwindle_tree::hdd::{NodeId, Phase, Preparation, ReductionTree, Tools, Traversal};
use hdd_hand::{Document, Hand, Predicate, literal, rule, some, token};

const HDD: Phase = Phase { recursive: false, prune: true, hoist: false, coarse: false, star: false };
const HDD_STAR: Phase = Phase { star: true, ..HDD };
const HDDR_STAR: Phase = Phase { recursive: true, ..HDD_STAR };
const HOIST_STAR: Phase = Phase { prune: false, hoist: true, ..HDD_STAR };
const HOISTR_STAR: Phase = Phase { recursive: true, ..HOIST_STAR };

fn same_label(tree: &ReductionTree, node: NodeId, by: NodeId) -> bool {
    tree.label(node).is_some() && tree.label(node) == tree.label(by)
}

/// What phases leave of a document, and how many tests each of them asked for, each with a memory of its own.
fn run(mut document: Document, phases: &[Phase], interesting: &dyn Fn(&str) -> bool) -> (String, Vec<usize>) {
    let minimizer: Box<dyn ListMinimizer> = Box::new(Ddmin::default());
    let tools = Tools {
        minimizer: &*minimizer,
        compatible: &same_label,
        several: false,
        traversal: Traversal::DepthLast,
    };
    let mut tests = Vec::new();
    let mut tree = document.tree.clone();
    for phase in phases {
        let mut oracle = Predicate::new(&document, interesting);
        phase.run(&mut tree, &tools, &mut oracle).expect("nothing stops it");
        tests.push(oracle.tests());
    }
    document.tree = tree;
    (document.text(), tests)
}

fn nws(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

/// `{ "foo": "bar", "baz": [ 6, 7, 12, 31, 77, 87 ] }` over four lines, by the reference's JSON grammar.
fn json() -> Document {
    let text = "{\n    \"foo\": \"bar\",\n    \"baz\": [ 6, 7, 12, 31, 77, 87 ]\n}\n";
    let string = |text| token("STRING", text, "\"\"");
    let value = |child| rule("value", "0", vec![child]);
    let number = |text| rule("value", "0", vec![token("NUMBER", text, "0")]);
    let pair = |key, child| rule("pair", "\"\" : 0", vec![string(key), literal(":"), value(child)]);
    let mut array = vec![literal("["), number("6")];
    array.extend(["7", "12", "31", "77", "87"].map(|text| some(vec![literal(","), number(text)])));
    array.push(literal("]"));
    let object = vec![
        literal("{"),
        pair("\"foo\"", string("\"bar\"")),
        some(vec![literal(","), pair("\"baz\"", rule("array", "[ ]", array))]),
        literal("}"),
    ];
    Document::new(text, &rule("json", "0", vec![rule("value", "0", vec![rule("obj", "{ }", object)])]))
}

fn parses_as_json(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok()
}

#[test]
fn the_json_examples_come_out_to_the_letter_however_the_tree_is_prepared() {
    for (word, expected) in [
        ("87", "{\n\"\" : 0,\n\"\": [ 0, 87 ]\n}"),
        ("foo", "{\n\"foo\": 0\n}"),
        ("bar", "{\n\"\": \"bar\"\n}"),
        ("baz", "{\n\"\" : 0,\n\"baz\": 0\n}"),
    ] {
        for (squeeze, hide) in [(true, true), (true, false), (false, true), (false, false)] {
            let preparation = Preparation { flatten: false, squeeze, hide };
            for phase in [HDD, HDD_STAR, HDDR_STAR] {
                let interesting = |text: &str| parses_as_json(text) && text.contains(word);
                let (left, _) = run(json().prepared(preparation), &[phase], &interesting);
                assert_eq!(left, expected, "{word} {preparation:?} {phase:?}");
            }
        }
    }
}

/// `int main() { if (1) { printf("..."); } }`
fn hello_world() -> Document {
    let call = rule(
        "expression",
        "a",
        vec![
            rule("expression", "a", vec![token("Identifier", "printf", "a")]),
            literal("("),
            some(vec![rule("expression", "a", vec![token("String", "\"Hello world!\\n\"", "\"\"")])]),
            literal(")"),
        ],
    );
    let compound = |items: Vec<Hand>| {
        let mut children = vec![literal("{")];
        children.extend(items.into_iter().map(|item| some(vec![item])));
        children.push(literal("}"));
        rule("compoundStatement", "{ }", children)
    };
    let printing = rule("expressionStatement", ";", vec![some(vec![call]), literal(";")]);
    let condition = rule("expression", "a", vec![token("Constant", "1", "0")]);
    let branch = rule(
        "selectionStatement",
        "if ( a ) ;",
        vec![
            literal("if"),
            literal("("),
            condition,
            literal(")"),
            rule("statement", ";", vec![compound(vec![rule("statement", ";", vec![printing])])]),
        ],
    );
    let body = compound(vec![rule("statement", ";", vec![branch])]);
    let function = rule(
        "functionDefinition",
        "a ( ) { }",
        vec![some(vec![literal("int")]), token("Identifier", "main", "a"), literal("("), literal(")"), body],
    );
    let text = "int main() {\n  if (1) {\n    printf(\"Hello world!\\n\");\n  }\n}\n";
    Document::new(text, &rule("compilationUnit", "", vec![some(vec![function])]))
}

/// Compiles and prints the message: as far as variants of the example go.
fn greets(text: &str) -> bool {
    let dense: String = text.split_whitespace().collect();
    let call = "printf(\"Helloworld!\\n\");";
    ["{CALL}", "{if(1){CALL}}", "{if(1)CALL}", "{{CALL}}"]
        .iter()
        .any(|body| dense == format!("intmain(){}", body.replace("CALL", call)))
}

#[test]
fn hello_world_is_hoisted_out_of_its_condition_and_no_pruning_gets_it_there() {
    let prepared = || hello_world().prepared(Preparation::default());
    assert!(greets(&prepared().text()));
    assert_eq!(nws(&prepared().text()), 42);
    for phase in [HDD_STAR, HDDR_STAR] {
        let (left, _) = run(prepared(), &[phase], &greets);
        assert_eq!(nws(&left), 42, "{left}");
    }
    for phases in [[HOIST_STAR, HDD_STAR], [HOISTR_STAR, HDDR_STAR]] {
        let (left, tests) = run(prepared(), &phases, &greets);
        let dense: String = left.split_whitespace().collect();
        assert_eq!(dense, "intmain(){printf(\"Helloworld!\\n\");}", "{tests:?}");
        assert_eq!(nws(&left), 35);
    }
}
