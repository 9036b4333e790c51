//! Inputs made to break parsers: an answer or a clear message, no crash, no endless run.

use dwindle_syntax::{Edit, Kind, Reader, Role, language, readable};

#[test]
fn deep_nesting_is_read_and_reduced_without_recursion() {
    const DEPTH: usize = 100_000;
    for (name, open, close) in [("json", "[", "]"), ("sexp", "(", ")"), ("smtlib", "(a ", ")")] {
        let Some(language) = language(name) else { continue };
        let text = open.repeat(DEPTH) + &close.repeat(DEPTH);
        let mut reader = Reader::new(&language);
        let tree = reader.read(text.as_bytes()).unwrap();
        assert_eq!(tree.errors(), 0, "{name}");
        assert!(tree.render(reader.lexicon(), tree.tokens().iter().copied()) == text.as_bytes(), "{name}");
        let innermost = tree.nodes().filter(|node| tree.role(*node) == Role::Element).last().unwrap();
        let shorter = tree.apply(reader.lexicon(), &[Edit::Delete(innermost)]);
        assert_eq!(reader.errors(&shorter), Some(0), "{name}");
    }
}

#[test]
fn a_long_run_of_brackets_gets_an_answer() {
    let text = "(".repeat(1 << 18);
    for name in ["sexp", "smtlib", "wat", "json", "c", "python", "javascript", "rust"] {
        let Some(language) = language(name) else { continue };
        let mut reader = Reader::new(&language);
        match reader.read(text.as_bytes()) {
            Ok(tree) => {
                assert!(tree.errors() > 0, "{name}");
                assert!(reader.names().is_empty(), "{name}");
                assert!(
                    tree.render(reader.lexicon(), tree.tokens().iter().copied()) == text.as_bytes(),
                    "{name}"
                );
            }
            Err(error) => assert!(error.to_string().contains(name), "{error}"),
        }
    }
}

#[test]
fn a_list_of_many_elements_is_one_list() {
    const LENGTH: usize = 100_000;
    let Some(language) = language("json") else { return };
    let text = format!("[{}0]", "1, ".repeat(LENGTH));
    let mut reader = Reader::new(&language);
    let tree = reader.read(text.as_bytes()).unwrap();
    let list = tree.nodes().filter(|node| matches!(tree.kind(*node), Kind::List(_))).nth(1).unwrap();
    assert_eq!(tree.elements(list).count(), LENGTH + 1);
    let dropped = tree.cut(list, |_| false);
    assert_eq!(dropped.iter().map(ExactSizeIterator::len).sum::<usize>(), 2 * LENGTH + 1);
}

#[test]
fn printing_a_deep_tree_needs_no_stack() {
    let Some(language) = language("sexp") else { return };
    let text = "(".repeat(2_000) + &")".repeat(2_000);
    let mut reader = Reader::new(&language);
    let tree = reader.read(text.as_bytes()).unwrap();
    assert!(readable(&tree, reader.lexicon()).lines().count() > 2_000);
}
