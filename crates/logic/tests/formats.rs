//! Items and models as files: what is read, and what is said about files that are wrong.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use dwindle_logic::format::{read_dimacs, read_items, read_model, read_rules, write_dimacs};
use dwindle_logic::{Clause, ItemSet, Items, Model};
use proptest::prelude::*;

fn items(names: &str) -> Items {
    Items::named(names.split(' ')).unwrap()
}

fn described(model: &Model) -> Vec<String> {
    let mut found: Vec<String> = (0..model.clauses().len()).map(|index| model.describe(index)).collect();
    found.sort();
    found
}

#[test]
fn items_are_names_or_objects_and_parents_may_come_later() {
    let text = r#"{"items": ["free", {"name": "part", "parent": "whole", "weight": 7, "file": "p.txt"},
                             "whole", {"name": "root", "required": true}]}"#;
    let items = read_items(text).unwrap();
    let part = &items[items.find("part").unwrap()];
    assert_eq!((part.weight, part.parent, part.file.as_deref()), (7, items.find("whole"), Some("p.txt")));
    let model = read_rules(items, "[]").unwrap();
    assert_eq!(described(&model.model), ["`part` needs `whole` [parent]", "always `root` [required]"]);
    assert_eq!(model.unmentioned, 1, "`free` is in no rule");
}

#[test]
fn rules_say_who_needs_what_and_why() {
    let text = r#"{"require": ["app"], "absent": ["mail"],
        "rules": [{"if": "app", "then": {"any": ["tls", "plain"]}, "why": "transport"},
                  {"if": {"all": ["tls", "plain"]}, "then": "proxy"},
                  {"if": "tls", "then": {"any": ["certs", "mail"]}},
                  {"if": "mail", "then": "certs"},
                  {"iff": ["certs", "store"]}]}"#;
    let read = read_model(items("app tls plain proxy certs store"), text).unwrap();
    assert_eq!(
        described(&read.model),
        [
            "`app` needs `tls` or `plain` [rule 0: transport]",
            "`certs` needs `store` [rule 4]",
            "`store` needs `certs` [rule 4]",
            "`tls` needs `certs` [rule 2]",
            "`tls` with `plain` needs `proxy` [rule 1]",
            "always `app` [required]",
        ]
    );
    assert_eq!(read.absent, 1);
}

#[test]
fn clauses_are_read_by_name_and_names_that_are_no_items_are_false() {
    let text =
        "c a feature model\nc 1 petrol\nc 2 electric\nc 3 tank\np cnf 3 3\n-1 -2 0\n-1 3 0\n-2 \n 1 0\n";
    let read = read_dimacs(items("petrol tank"), text).unwrap();
    assert_eq!(described(&read.model), ["`petrol` needs `tank` [line 7 of the model]"]);
    assert_eq!(read.absent, 1);
}

#[test]
fn without_names_variables_are_items_by_position_and_the_rest_is_auxiliary() {
    let read = read_model(items("a b"), "p cnf 3 2\n-1 3 0\n-3 2 0\n%\n0\n").unwrap();
    assert_eq!(read.model.vars(), 3);
    assert_eq!(
        described(&read.model),
        ["(auxiliary 1) needs `b` [line 3 of the model]", "`a` needs (auxiliary 1) [line 2 of the model]"]
    );
}

#[test]
fn an_auxiliary_variable_defined_in_both_directions_gets_a_value_that_fits() {
    // 3 = not (1 and 2): with both items kept it must be false.
    let text = "c 1 a\nc 2 b\np cnf 4 4\n-1 -2 -3 0\n1 3 0\n2 3 0\n3 4 0\n";
    let read = read_dimacs(items("a b"), text).unwrap();
    assert!(read.model.allows(&ItemSet::full(2)));
    assert_eq!(read.model.vars(), 3, "one auxiliary variable is left");
}

#[test]
fn wrong_files_are_answered_with_place_problem_and_help() {
    let dimacs = |text: &str| read_dimacs(items("a b"), text).unwrap_err().to_string();
    let rules = |text: &str| read_rules(items("alpha beta"), text).unwrap_err().to_string();
    let item_list = |text: &str| read_items(text).unwrap_err().to_string();
    for (message, parts) in [
        (dimacs("p cnf 2 1\n1 3 0\n"), ["line 2", "variable 3 is above the 2", "correct the header"]),
        (dimacs("p cnf 2 1\n1 x 0\n"), ["line 2", "`x` is not a number", "ended by 0"]),
        (dimacs("1 2 0\n"), ["line 1", "before the `p cnf` line", "VARIABLES CLAUSES"]),
        (dimacs("p cnf 2 2\n1 2 0\n"), ["model file", "promises 2 clauses, the file has 1", "whole"]),
        (dimacs("p cnf 2 1\n\n1 2\n"), ["line 3", "no end", "cut off"]),
        (dimacs("p dnf 2 1\n"), ["line 1", "not a header", "p cnf VARIABLES"]),
        (dimacs("hello"), ["line 1", "before the `p cnf` line", "p cnf"]),
        (dimacs("c nothing"), ["model file", "no `p cnf` line", "JSON rules start with"]),
        (dimacs("c 1 a\nc 1 b\np cnf 1 0\n"), ["line 2", "named `b` here and `a` in line 1", "one name"]),
        (dimacs("c 9 a\np cnf 1 0\n"), ["line 1", "names variable 9", "only 1"]),
        (
            dimacs("p cnf 2 1\n-1 -2 0\n"),
            ["never `a` and `b` together", "line 2 of the model", "Reduction starts"],
        ),
        (rules("[\n{,}]"), ["line 2, column 2", "not JSON", "correct it"]),
        (rules("3"), ["model file", "expected a list of rules, found a number", "a rule is"]),
        (rules(r#"["alpah"]"#), ["rules[0]", "no item `alpah` (did you mean `alpha`?)", "absent"]),
        (rules(r#"[{"if": "alpha"}]"#), ["rules[0]", "an object with if is no rule", "\"then\""]),
        (
            rules(r#"[{"any": ["alpha", {"not": 3}]}]"#),
            ["rules[0].any[1].not", "found a number", "a rule is"],
        ),
        (rules(r#"[{"iff": ["alpha"]}]"#), ["rules[0].iff", "two rules, not 1", "pairs"]),
        (rules(r#"{"rule": []}"#), ["model file", "`rule` is not known", "require, absent, rules"]),
        (rules(r#"[{"not": "alpha", "why": "x"}]"#), ["never `alpha`", "[rule 0: x]", "correct the clause"]),
        (item_list(r#"[{"name": "a", "wieght": 3}]"#), ["item 0 (`a`)", "`wieght` is not known", "`weight`"]),
        (item_list(r#"[{"name": "a", "weight": 0}]"#), ["item 0 (`a`)", "from 1 up, not 0", "leave it out"]),
        (item_list(r#"["a", "a"]"#), ["items file", "items 0 and 1", "rename one"]),
        (
            item_list(r#"[{"name": "a", "parent": "b"}, "c"]"#),
            ["item 0 (`a`)", "parent `b` is no item", "same file"],
        ),
        (item_list(r#"[{"name": "a", "parent": "a"}]"#), ["items file", "own ancestor", "break the circle"]),
        (item_list(r#"["a\nb"]"#), ["item 0", "line break", "rename it"]),
        (item_list(r#"[4]"#), ["item 0", "found a number", "`name`"]),
        (item_list(r#"{"things": []}"#), ["items file", "no list `items`", "just the list"]),
    ] {
        for part in parts {
            assert!(message.contains(part), "`{message}` does not say `{part}`");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_model_that_is_written_and_read_is_the_same(
        clauses in proptest::collection::vec((0u32..256, 1u32..256), 0..20),
    ) {
        let text = clauses.iter().fold(format!("p cnf 8 {}\n", clauses.len()), |mut text, (needs, gives)| {
            for var in 0..8 {
                if needs >> var & 1 == 1 { text += &format!("-{} ", var + 1); }
                if gives >> var & 1 == 1 { text += &format!("{} ", var + 1); }
            }
            text + "0\n"
        });
        let model = read_dimacs(items("a b c d e f g h"), &text).unwrap().model;
        let again = read_dimacs(items("a b c d e f g h"), &write_dimacs(&model)).unwrap().model;
        let sorted = |model: &Model| { let mut list: Vec<Clause> = model.clauses().to_vec(); list.sort(); list };
        prop_assert_eq!(sorted(&model), sorted(&again));
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "[pcnf0-9 \\-\n\\[\\]{}\":,a-c%]{0,60}") {
        let _ = read_model(items("a b c"), &text);
        let _ = read_items(&text);
    }
}
