//! What trees look like and what edits do to them, language by language.

use dwindle_syntax::{Edit, Filter, Kind, NodeId, Reader, Role, Tree, language};

fn read(name: &str, text: &str) -> Option<(Reader, Tree)> {
    let mut reader = Reader::new(&language(name)?);
    let tree = reader.read(text.as_bytes()).expect("small texts parse");
    Some((reader, tree))
}

/// The outermost node with this text that can be deleted, else the outermost one.
fn find(reader: &Reader, tree: &Tree, text: &str) -> NodeId {
    let printed = |node: NodeId| {
        let tokens = tree.inner_range(node).map(|at| tree.tokens()[at as usize]);
        String::from_utf8_lossy(&reader.lexicon().render(tokens)).trim().to_owned()
    };
    let wanted = |node: &NodeId| {
        !matches!(tree.kind(*node), Kind::List(_))
            && tree.role(*node) != Role::Separator
            && printed(*node) == text
    };
    let found: Vec<_> = tree.nodes().filter(wanted).collect();
    let deletable = found.iter().find(|node| tree.is_deletable(**node)).or(found.first());
    *deletable.unwrap_or_else(|| panic!("no node {text:?}"))
}

fn after(reader: &Reader, tree: &Tree, edits: &[Edit]) -> String {
    String::from_utf8_lossy(&tree.apply(reader.lexicon(), edits)).into_owned()
}

#[test]
fn a_deleted_part_takes_its_separator_along_and_leaves_valid_text() {
    for (name, text, deleted, expected) in [
        ("c", "int f(int a, int b);", "int a", "int f( int b);"),
        ("c", "int f(int a, int b);", "int b", "int f(int a);"),
        ("c", "int f(int a);", "int a", "int f();"),
        ("c", "int a, b = 2, c;", "b = 2", "int a, c;"),
        ("c", "enum e { A, B, };", "B,", "enum e { A, };"),
        ("c", "enum e { A, };", "A,", "enum e { };"),
        ("c", "void f() { if (a) b(); else c(); }", "else c();", "void f() { if (a) b(); }"),
        ("c", "#define A 1\nint x;\n", "#define A 1", "int x;\n"),
        ("c", "int x;\n#define A 1\nint y;\n", "int x;", "#define A 1\nint y;\n"),
        ("c", "a;\n#ifdef X\nint x;\n#endif\nb;\n", "int x;", "a;\n#ifdef X\n#endif\nb;\n"),
        ("c", "int/**/x;", "/**/", "int x;"),
        ("json", "[1, 2, 3]", "1", "[ 2, 3]"),
        ("json", "{\"a\": 1, \"b\": 2}", "\"b\": 2", "{\"a\": 1}"),
        ("javascript", "a()\nb()\nc()\n", "b()", "a()\nc()\n"),
        ("javascript", "f(a, ...b)", "a", "f( ...b)"),
        ("python", "def f(a, b):\n    x = 1\n    return a\n", "x = 1", "def f(a, b):\n    return a\n"),
        ("python", "import a, b\n", "a", "import b\n"),
        ("rust", "fn f<A, B>() {}", "A", "fn f< B>() {}"),
        ("rust", "struct S { a: u8, b: u8, }", "b: u8", "struct S { a: u8, }"),
        ("css", "a { b: c; d: e }", "b: c;", "a { d: e }"),
        ("smtlib", "(assert (and a b c))", "a", "(assert (and b c))"),
        ("dot", "graph { a -- b; c [x=1,y=2]; }", "x=1,", "graph { a -- b; c [y=2]; }"),
        ("dot", "graph { a -- b; c [x=1] }", "a -- b;", "graph { c [x=1] }"),
        ("wat", "(module (func $f (param i32)))", "(param i32)", "(module (func $f))"),
    ] {
        let Some((reader, tree)) = read(name, text) else {
            continue;
        };
        let node = find(&reader, &tree, deleted);
        assert!(tree.is_deletable(node), "{name}: {deleted} is {:?}", tree.role(node));
        assert_eq!(
            after(&reader, &tree, &[Edit::Delete(node)]),
            expected,
            "{name}: {text} without {deleted}"
        );
    }
}

#[test]
fn deleting_several_elements_keeps_one_separator_between_the_rest() {
    let Some((reader, tree)) = read("json", "[1, 2, 3, 4, 5]") else {
        return;
    };
    let delete = |texts: &[&str]| {
        let edits: Vec<_> = texts.iter().map(|text| Edit::Delete(find(&reader, &tree, text))).collect();
        after(&reader, &tree, &edits)
    };
    assert_eq!(delete(&["1", "2"]), "[ 3, 4, 5]");
    assert_eq!(delete(&["2", "4"]), "[1, 3, 5]");
    assert_eq!(delete(&["4", "5"]), "[1, 2, 3]");
    assert_eq!(delete(&["1", "5"]), "[ 2, 3, 4]");
    assert_eq!(delete(&["1", "2", "3", "4", "5"]), "[]");
}

#[test]
fn a_descendant_that_fits_can_take_its_ancestors_place() {
    for (name, text, node, by, expected) in [
        ("c", "int x = (a + f(b));", "(a + f(b))", "f(b)", "int x = f(b);"),
        ("c", "void f() { if (a) { b(); } }", "if (a) { b(); }", "b();", "void f() { b(); }"),
        ("rust", "fn f() { loop { return 1; } }", "loop { return 1; }", "return 1;", "fn f() { return 1; }"),
        ("javascript", "x()\nif (a) y()\nz()\n", "if (a) y()", "y()", "x()\ny()\nz()\n"),
        (
            "python",
            "if a:\n    for b in c:\n        d()\n        e()\n",
            "if a:\n    for b in c:\n        d()\n        e()",
            "for b in c:\n    d()\n    e()",
            "for b in c:\n    d()\n    e()\n",
        ),
        ("smtlib", "(assert (not (f x)))", "(not (f x))", "(f x)", "(assert (f x))"),
    ] {
        let Some((reader, tree)) = read(name, text) else {
            continue;
        };
        let node = find(&reader, &tree, node);
        let by = find(&reader, &tree, by);
        assert!(tree.hoists(node).contains(&by), "{name}: {text}");
        assert_eq!(after(&reader, &tree, &[Edit::Hoist { node, by }]), expected, "{name}: {text}");
    }
}

#[test]
fn the_statements_of_a_block_can_take_the_place_of_the_statement_around_it() {
    for (name, text, node, expected) in [
        ("c", "void f() { while (a) { b(); c(); } }", "while (a) { b(); c(); }", "void f() { b(); c(); }"),
        ("python", "while a:\n    b()\n    c()\nd()\n", "while a:\n    b()\n    c()", "b()\nc()\nd()\n"),
    ] {
        let Some((reader, tree)) = read(name, text) else {
            continue;
        };
        let node = find(&reader, &tree, node);
        let by = tree
            .hoists(node)
            .into_iter()
            .find(|by| matches!(tree.kind(*by), Kind::List(_)))
            .expect("a list fits");
        assert_eq!(after(&reader, &tree, &[Edit::Hoist { node, by }]), expected, "{name}: {text}");
    }
}

#[test]
fn a_node_can_be_replaced_by_new_tokens() {
    let Some((mut reader, tree)) = read("c", "int x =  f(a)+1;") else {
        return;
    };
    let node = find(&reader, &tree, "f(a)");
    let by = tree.as_tokens(reader.lexicon_mut(), node, &["0"]);
    assert_eq!(after(&reader, &tree, &[Edit::Replace { node, by }]), "int x =  0+1;");
}

#[test]
fn an_edit_inside_a_deleted_part_changes_nothing() {
    let Some((reader, tree)) = read("json", "[[1, 2], 3]") else {
        return;
    };
    let (outer, inner) = (find(&reader, &tree, "[1, 2]"), find(&reader, &tree, "1"));
    assert_eq!(after(&reader, &tree, &[Edit::Delete(outer), Edit::Delete(inner)]), "[ 3]");
}

#[test]
fn a_block_of_python_keeps_its_last_statement() {
    let Some((reader, tree)) = read("python", "if a:\n    b()\n") else {
        return;
    };
    let statement = find(&reader, &tree, "b()");
    let list = tree.parent(statement).unwrap();
    assert_eq!(tree.min(list), 1);
}

#[test]
fn a_text_with_errors_has_free_parts_and_may_not_get_worse() {
    let Some((mut reader, tree)) = read("c", "int f( { ) ; int g(void) { return 1; }") else {
        return;
    };
    assert!(tree.errors() > 0);
    assert!(tree.nodes().any(|node| tree.role(node) == Role::Free));
    assert!(reader.admits(b"int g(void) { return 1; }", Filter::Strict));
    assert!(!reader.admits(b"int f( { ) ;", Filter::Strict));
    assert!(reader.admits(b"((((", Filter::Off));
}

#[test]
fn the_syntax_filter_compares_with_the_last_text_read() {
    let Some((mut reader, _)) = read("json", "[1, 2]") else {
        return;
    };
    assert!(reader.admits(b"[1]", Filter::NoWorse));
    assert!(!reader.admits(b"[1,, 2]", Filter::NoWorse));
    reader.read(b"[1,, 2]").unwrap();
    assert!(reader.admits(b"[,, 2]", Filter::NoWorse));
}

#[test]
fn definitions_and_uses_of_names_are_found_where_the_grammar_has_queries() {
    let text = "def f(a):\n    return g(a)\n";
    let Some((reader, tree)) = read("python", text) else {
        return;
    };
    let names: Vec<_> =
        reader.names().into_iter().map(|name| (&text[name.bytes], name.definition, name.sort)).collect();
    assert_eq!(names, [("f", true, "function".to_owned()), ("g", false, "call".to_owned())]);
    let f = tree.token_at(4, reader.lexicon()).expect("a token starts there");
    assert_eq!(reader.lexicon().text(tree.tokens()[f as usize]), b"f");
}

#[test]
fn nested_operators_are_one_chain() {
    for (name, text, keep, expected) in [
        ("c", "int x = a + b - c * d + e;", &["a", "e"][..], "int x = a + e;"),
        ("c", "int x = a + b - c * d + e;", &["c * d"], "int x = c * d;"),
        ("c", "int x = a + b - c * d + e;", &["b", "c * d"], "int x = b - c * d;"),
        ("javascript", "a = b = c = d", &["b", "d"], "b = d"),
    ] {
        let Some((reader, tree)) = read(name, text) else {
            continue;
        };
        let chain = tree.nodes().find_map(|node| tree.chain(node)).expect("there is a chain");
        let keep: Vec<_> = keep.iter().map(|part| find(&reader, &tree, part)).collect();
        let dropped = tree.cut_chain(&chain, |part| keep.contains(&part));
        let kept = (0..tree.tokens().len() as u32).filter(|at| !dropped.iter().any(|run| run.contains(at)));
        let rest = tree.render(reader.lexicon(), kept.map(|at| tree.tokens()[at as usize]));
        assert_eq!(String::from_utf8_lossy(&rest), expected, "{name}: {text}");
    }
}

#[test]
fn a_place_can_be_filled_by_the_shortest_text_of_each_kind_it_takes() {
    let Some((mut reader, tree)) = read("c", "int x = f(y, 10) + 2;") else { return };
    let node = find(&reader, &tree, "f(y, 10) + 2");
    let alternatives = tree.alternatives(reader.lexicon_mut(), node);
    let texts: Vec<_> = alternatives
        .iter()
        .map(|by| after(&reader, &tree, &[Edit::Replace { node, by: by.clone() }]))
        .collect();
    for expected in ["int x = f;", "int x = 10;", "int x = {};"] {
        assert!(texts.iter().any(|text| text == expected), "{expected} is not among {texts:?}");
    }
    for text in texts {
        assert!(reader.admits(text.as_bytes(), Filter::Strict), "{text}");
    }
}

#[test]
fn shortest_texts_have_white_space_where_their_rule_has_it_and_quotes_with_nothing_between() {
    for (name, text, node, expected) in [
        ("c", "char *x = f(y, 10) + 2;", "f(y, 10) + 2", "char *x = L\"\";"),
        ("json", "[{\"a\": 1}]", "{\"a\": 1}", "[\"\"]"),
        ("xml", "<a><b c='d'>text</b></a>", "<b c='d'>text</b>", "<a><b/> </a>"),
        ("dtd", "<!ENTITY a \"b\">\n", "<!ENTITY a \"b\">", "%a;\n"),
    ] {
        let Some((mut reader, tree)) = read(name, text) else { continue };
        let node = find(&reader, &tree, node);
        let alternatives = tree.alternatives(reader.lexicon_mut(), node);
        let text = |by: &Vec<_>| after(&reader, &tree, &[Edit::Replace { node, by: by.clone() }]);
        let texts: Vec<_> = alternatives.iter().map(text).collect();
        assert!(texts.iter().any(|text| text == expected), "{name}: {expected} is not among {texts:?}");
    }
}

#[test]
fn a_block_that_moves_is_indented_as_its_new_place_is() {
    for (text, expected) in [
        ("a:\n  b:\n    c: 1\n    d: 2\n", "a:\n  c: 1\n  d: 2\n"),
        ("a:\n  b: 1\n  c: 2\n", "b: 1\nc: 2\n"),
        // Behind a dash the block is as deep as its first line starts.
        ("- a:\n    b: 1\n    c: 2\n- d\n", "- b: 1\n  c: 2\n- d\n"),
        ("- - a: 1\n    b: 2\n", "- a: 1\n  b: 2\n"),
    ] {
        let Some((mut reader, tree)) = read("yaml", text) else { return };
        let hoists = tree.nodes().flat_map(|node| tree.hoists(node).into_iter().map(move |by| (node, by)));
        let texts: Vec<String> =
            hoists.map(|(node, by)| after(&reader, &tree, &[Edit::Hoist { node, by }])).collect();
        assert!(texts.iter().any(|text| text == expected), "{expected:?} is not among {texts:?}");
        for text in texts {
            assert!(reader.admits(text.as_bytes(), Filter::Strict), "{text}");
        }
    }
}

#[test]
fn what_stands_in_quotes_takes_their_place_only_if_it_is_a_word() {
    let Some((reader, tree)) = read("html", "<a b=\"c d\" e=\"f\"></a>") else { return };
    let may_move = |quoted: &str, text: &str| {
        tree.hoists(find(&reader, &tree, quoted)).contains(&find(&reader, &tree, text))
    };
    assert!(may_move("\"f\"", "f"));
    assert!(!may_move("\"c d\"", "c d"));
}

#[test]
fn what_needs_no_semicolon_where_it_stands_takes_no_place_that_needs_one() {
    let Some((reader, tree)) = read("css", "a { b: c; d: e } f { g: h }") else { return };
    let rule = find(&reader, &tree, "a { b: c; d: e }");
    let may_move = |text: &str| tree.hoists(rule).contains(&find(&reader, &tree, text));
    assert!(may_move("b: c;"));
    assert!(!may_move("d: e"));
}

#[test]
fn text_that_the_parser_skips_falls_into_small_free_tokens() {
    let Some((reader, tree)) = read("json", "[1, @@ foo(bar), 2]") else { return };
    let free: Vec<_> = tree
        .nodes()
        .filter(|node| {
            tree.kind(*node) == Kind::Token && tree.role(*node) == Role::Free && tree.name(*node).is_none()
        })
        .map(|node| reader.lexicon().text(tree.tokens()[tree.inner_range(node).start as usize]).to_vec())
        .collect();
    assert!(free.contains(&b"bar".to_vec()), "{free:?}");
}

#[test]
fn an_error_between_two_elements_leaves_the_list_a_list() {
    for (language, text, elements) in [
        ("c", "int a; @ @ int b; // c\n @ int d;", &["int a;", "int b;", "int d;"][..]),
        (
            "cpp",
            "int a; namespace b __attribute__((c)) { int d; } int e;",
            &["int a;", "int d;", "int e;"][..],
        ),
        ("json", "[1, @ 2, 3]", &["1", "2", "3"][..]),
    ] {
        let Some((reader, tree)) = read(language, text) else { return };
        for element in elements {
            assert_eq!(tree.role(find(&reader, &tree, element)), Role::Element, "{language}: {element}");
        }
        assert!(tree.nodes().any(|node| tree.role(node) == Role::Free), "{language}");
    }
}
