//! The worked examples of the dissertation on hoisting, on trees made by hand.

mod common;
mod hdd_hand;

use common::reduce;
use dwindle_delta::{Ddmin, ListMinimizer};
use dwindle_syntax::{Reader, language};
use dwindle_tree::Options;
use dwindle_tree::hdd::{NodeId, Phase, Preparation, ReductionTree, Tools, Traversal};
use hdd_hand::{Document, Hand, Predicate, literal, rule, some, token};

const HDD: Phase = Phase { recursive: false, prune: true, hoist: false, coarse: false, star: false };
const HDD_STAR: Phase = Phase { star: true, ..HDD };
const HDDR_STAR: Phase = Phase { recursive: true, ..HDD_STAR };
const HDDH_STAR: Phase = Phase { hoist: true, ..HDD_STAR };
const HDDHR_STAR: Phase = Phase { hoist: true, ..HDDR_STAR };
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

/// A fuzzer's program of eleven statements, after the shape of jerry-3433: the ninth destructures what it catches.
fn catches() -> Document {
    let text = "function f ( x ) { }\ng ( 1 ) ;\ng ( 2 ) ;\ng ( 3 ) ;\ng ( 4 ) ;\ng ( 5 ) ;\n\
        try { } catch ( [ a , b ] ) { }\ntry { } catch ( { x , y } ) { }\n\
        try { throw [ 1 , 2 ]\np ( 0 )\n} catch ( [ { a : b } , b ] ) { q ( 1 )\nq ( 2 )\n}\n\
        try { } catch ( { x } ) { }\ntry { } catch ( e ) { }\n";
    // What is short for the reference: a statement and an expression are `$`, the first letter of a name.
    let expression = |child| rule("singleExpression", "$", vec![child]);
    let statement = |words: Vec<Hand>| rule("statement", "$", vec![rule("simple", "$ ;", words)]);
    let words = |text: &'static str| text.split(' ').map(literal).collect::<Vec<_>>();
    let block = |statements: Vec<Hand>| {
        let list =
            rule("statementList", "$", statements.into_iter().map(|child| some(vec![child])).collect());
        rule("block", "{ }", vec![literal("{"), some(vec![list]), literal("}")])
    };
    let object = rule(
        "objectLiteral",
        "{ }",
        vec![
            literal("{"),
            some(vec![rule(
                "propertyAssignment",
                "$ : $",
                vec![token("Identifier", "a", "$"), literal(":"), expression(token("Identifier", "b", "$"))],
            )]),
            literal("}"),
        ],
    );
    let name = rule("arrayElement", "$", vec![expression(token("Identifier", "b", "$"))]);
    let elements = vec![
        some(vec![rule("arrayElement", "$", vec![expression(object)])]),
        some(vec![some(vec![literal(",")]), name]),
    ];
    let array =
        rule("arrayLiteral", "[ ]", vec![literal("["), rule("elementList", "", elements), literal("]")]);
    let bound = some(vec![literal("("), some(vec![rule("assignable", "$", vec![array])]), literal(")")]);
    let caught = vec![statement(words("q ( 1 )")), statement(words("q ( 2 )"))];
    let catch = rule("catchProduction", "catch { }", vec![literal("catch"), bound, block(caught)]);
    let tried = block(vec![statement(words("throw [ 1 , 2 ]")), statement(words("p ( 0 )"))]);
    let wanted = rule("tryStatement", "try { } catch { }", vec![literal("try"), tried, catch]);
    let mut statements: Vec<Hand> = [
        "function f ( x ) { }",
        "g ( 1 ) ;",
        "g ( 2 ) ;",
        "g ( 3 ) ;",
        "g ( 4 ) ;",
        "g ( 5 ) ;",
        "try { } catch ( [ a , b ] ) { }",
        "try { } catch ( { x , y } ) { }",
        "try { } catch ( { x } ) { }",
        "try { } catch ( e ) { }",
    ]
    .map(|text| statement(words(text)))
    .into();
    statements.insert(8, rule("statement", "$", vec![wanted]));
    let element = |child| some(vec![rule("sourceElement", "$", vec![child])]);
    let elements = rule("sourceElements", "$", statements.into_iter().map(element).collect());
    Document::new(text, &rule("program", "", vec![some(vec![elements])]))
}

#[test]
fn the_counts_of_jerry_3433_come_out_in_all_eight_columns_without_preprocessing() {
    let asserts = |text: &str| text.split_whitespace().collect::<String>().contains("}catch([{");
    let coarse = |phase| Phase { coarse: true, ..phase };
    for (phase, tests) in [
        (HDD_STAR, 18),
        (HDDR_STAR, 18),
        (HDDH_STAR, 23),
        (HDDHR_STAR, 23),
        (coarse(HDD_STAR), 15),
        (coarse(HDDR_STAR), 16),
        (coarse(HDDH_STAR), 15),
        (coarse(HDDHR_STAR), 16),
    ] {
        let (left, asked) = run(catches().prepared(Preparation::default()), &[phase], &asserts);
        let words: Vec<&str> = left.split_whitespace().collect();
        assert_eq!(words.join(" "), "try { } catch ( [ { } ] ) { }", "{phase:?}");
        assert_eq!(nws(&left), 18);
        assert_eq!(asked, [tests], "{phase:?}");
    }
}

const LOCALIZED_PI: &str = r#"public class LocalizedPi {
    private static String decSeparator(String locale) {
        if (locale.equals("en")) {
            return ".";
        }
        throw new RuntimeException("no such locale");
    }

    private static String formatParts(String intPart, String fracPart, String decSep) {
        return intPart.concat(decSep).concat(fracPart);
    }

    public static void main(String[] args) {
        String pi = formatParts("3", "14", decSeparator(args[0]));
        System.out.println(pi);
    }
}
"#;

/// Whether a variant of the program compiles, ends well for English and throws for others: as far as they go.
fn throws_for_other_locales(text: &str) -> bool {
    let mut reader = Reader::new(&language("java").expect("Java is built in"));
    let dense: String = text.split_whitespace().collect();
    let Some((before, main)) = dense.split_once("publicstaticvoidmain(String[]args){") else { return false };
    let Some((left, right)) = main.split_once("decSeparator(args[0])") else { return false };
    // The call stands alone, or is the last of three arguments.
    let (left, right) = match left.rsplit_once("formatParts(") {
        Some((left, arguments)) => {
            let three = arguments.ends_with(',') && arguments.matches(',').count() == 2;
            let strings = arguments.split_terminator(',').all(|word| word.starts_with('"'));
            let Some(right) = right.strip_prefix(')').filter(|_| three && strings) else { return false };
            (left, right)
        }
        None => (left, right),
    };
    let variable = left.strip_prefix("String").and_then(|left| left.strip_suffix('='));
    let printed = right.strip_prefix(";System.out.println(").and_then(|rest| rest.strip_suffix(");}}"));
    let ends = right == ";}}" || printed.is_some_and(|name| Some(name) == variable);
    let starts = left.is_empty() || variable.is_some_and(|name| !name.is_empty());
    let separator =
        ["staticStringdecSeparator(Stringlocale){", "if(locale.equals(\"en\"))", "return\"", "throw"];
    let separates = separator.iter().all(|part| before.contains(part)) && before.contains("Exception(");
    let formats = match before.split_once("staticStringformatParts(") {
        None => !main.contains("formatParts"),
        Some((_, definition)) => {
            let Some((parameters, body)) = definition.split_once("){return") else { return false };
            let mut names = parameters.split(',').map(|parameter| parameter.strip_prefix("String"));
            let returned: String = body.chars().take_while(|c| c.is_alphanumeric()).collect();
            let known = names.clone().any(|name| name == Some(&returned));
            parameters.matches(',').count() == 2 && names.all(|name| name.is_some()) && known
        }
    };
    starts && ends && separates && formats && reader.errors(text.as_bytes()) == Some(0)
}

#[test]
fn a_call_is_hoisted_out_of_the_arguments_of_another_whose_definition_can_then_go() {
    assert!(throws_for_other_locales(LOCALIZED_PI));
    let left = |preset| {
        let input = ("LocalizedPi.java", LOCALIZED_PI);
        reduce(preset, &Options::default(), input, throws_for_other_locales).0
    };
    for (plain, hoisting) in [
        ("hdd-star", "hoist-hdd-star"),
        ("hddr-star", "hoistr-hddr-star"),
        ("hdd-star", "hddh-star"),
        ("hddr-star", "hddhr-star"),
    ] {
        let (plain, hoisted) = (left(plain), left(hoisting));
        assert!(plain.contains("formatParts(\"\", \"\", decSeparator(args[0]))"), "{plain}");
        assert!(!plain.contains("private") && !plain.contains("println"), "{plain}");
        assert!(!hoisted.contains("formatParts"), "{hoisted}");
        assert!(nws(&hoisted) < nws(&plain), "{hoisted}");
    }
}
