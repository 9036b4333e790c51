//! `dwindle languages` and `dwindle tree`: what is there, what a file is made of, and what is said when it cannot be told.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod common;

use std::path::PathBuf;

use common::{Case, Ran, is_root, skipped};

/// The source of a grammar crate, as cargo has unpacked it: a real grammar folder.
fn grammar_folder(case: &Case, name: &str) -> Option<PathBuf> {
    let all = case.run(["languages", "--json"]).ended_with(0).json();
    let language =
        all["languages"].as_array().unwrap().iter().find(|language| language["name"] == name)?.clone();
    let folder = format!("{}-{}", language["crate"].as_str()?, language["version"].as_str()?);
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")))?;
    let registries = std::fs::read_dir(home.join("registry/src")).ok()?;
    let found = registries.flatten().map(|registry| registry.path().join(&folder)).find(|path| path.exists());
    if found.is_none() {
        skipped(&format!("the source of {folder} is not in cargo's registry folder"));
    }
    found
}

fn with_cache(case: &Case, words: &[&str]) -> Ran {
    Ran::of(case.dwindle(words).env("XDG_CACHE_HOME", case.outside("cache")))
}

#[test]
fn languages_are_listed_with_parser_version_files_and_what_is_known() {
    let case = Case::new();
    let ran = case.run(["languages"]).ended_with(0);
    assert_eq!(ran.stderr, "");
    let rows: Vec<Vec<&str>> = ran.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    let row =
        |name: &str| rows.iter().find(|row| row.first() == Some(&name)).unwrap_or_else(|| panic!("{name}"));
    assert_eq!(rows[0], ["name", "language", "parser", "known", "files"]);
    assert_eq!(row("c")[1..3], ["C", "tree-sitter-c"]);
    assert_eq!(row("c")[4..], ["names", "directives", ".c", ".h"]);
    assert!(row("python").contains(&"layout") && row("python").contains(&"#!python3"), "{:?}", row("python"));
    assert!(row("make").contains(&"Makefile"), "{:?}", row("make"));
    assert_eq!(row("smtlib")[1..3], ["SMT-LIB", "ours"]);
    let named =
        rows.iter().filter(|row| row.len() > 2 && row.iter().any(|word| word.starts_with('.'))).count();
    assert!(named >= 30, "{}", ran.stdout);
}

#[test]
fn languages_as_json_is_one_object() {
    let case = Case::new();
    let ran = case.run(["languages", "--json"]).ended_with(0);
    assert_eq!(ran.stdout.lines().count(), 1);
    let json = ran.json();
    let built_in = json["languages"].as_array().unwrap();
    let absent = json["absent"].as_array().unwrap();
    assert!(built_in.len() + absent.len() >= 100, "{} + {}", built_in.len(), absent.len());
    for language in built_in.iter().chain(absent) {
        for field in ["name", "title", "aliases", "extensions", "filenames", "crate", "version"] {
            assert!(!language[field].is_null(), "{field} of {language}");
        }
    }
    let smtlib = built_in.iter().find(|language| language["name"] == "smtlib").unwrap();
    assert_eq!(smtlib["hand_written"], true);
}

#[test]
fn the_tree_of_a_file_says_what_can_go() {
    let case = Case::new();
    case.file("a.json", "[1, {\"k\": null}]");
    let ran = case.run(["tree", "a.json"]).ended_with(0);
    insta::assert_snapshot!("tree", ran.stdout);
    assert!(ran.stderr.contains("JSON (tree-sitter-json"), "{}", ran.stderr);
    assert!(ran.stderr.contains("11 tokens") && ran.stderr.contains("0 syntax errors"), "{}", ran.stderr);
}

#[test]
fn the_tree_as_json_has_all_nodes_and_names() {
    let case = Case::new();
    let text = "def f(x):\n    return x\n";
    case.file("a.py", text);
    let json = case.run(["tree", "--json", "a.py"]).ended_with(0).json();
    assert_eq!(json["language"], "python");
    assert_eq!(json["errors"], 0);
    assert_eq!(json["inner_nodes"], json["explained_nodes"]);
    let part = |value: &serde_json::Value| {
        let at = |name: &str| value[name].as_u64().unwrap() as usize;
        text[at("start")..at("end")].to_owned()
    };
    let nodes = json["nodes"].as_array().unwrap();
    let statement = nodes.iter().find(|node| node["name"] == "return_statement").unwrap();
    assert_eq!((part(statement).as_str(), &statement["role"]), ("return x", &"element".into()));
    let name = &json["names"][0];
    assert_eq!(
        (part(name).as_str(), &name["definition"], &name["sort"]),
        ("f", &true.into(), &"function".into())
    );
}

#[test]
fn the_tree_as_a_graph_is_read_by_our_own_graphviz_parser() {
    let case = Case::new();
    case.file("a.json", "[\"a\\\"b\\\\\", 2]");
    let graph = case.run(["tree", "--dot", "a.json"]).ended_with(0).stdout;
    case.file("a.dot", &graph);
    let json = case.run(["tree", "--json", "a.dot"]).ended_with(0).json();
    assert_eq!((&json["language"], &json["errors"]), (&"dot".into(), &0.into()));
    case.run(["tree", "--dot", "--json", "a.json"]).ended_with(2);
}

#[test]
fn the_language_is_taken_from_the_option_before_the_name() {
    let case = Case::new();
    case.file("a.c", "{\"a\": 1}");
    let json = case.run(["tree", "--json", "--language", "JSON", "a.c"]).ended_with(0).json();
    assert_eq!((&json["language"], &json["errors"]), (&"json".into(), &0.into()));
    case.file("script", "#!/bin/sh\necho\n");
    let json = case.run(["tree", "--json", "script"]).ended_with(0).json();
    assert_eq!(json["language"], "bash");
}

#[test]
fn a_language_or_file_that_is_not_known_gets_a_message_that_says_what_to_do() {
    let case = Case::new();
    case.file("a.c", "int x;");
    case.file("a.zzz", "words");
    let table: [(&[&str], &str); 7] = [
        (
            &["--language", "pyton", "a.c"],
            "there is no language `pyton`, did you mean `python`? `dwindle languages` lists",
        ),
        (
            &["--language", "qqq", "a.c"],
            "there is no language `qqq`: `dwindle languages` lists them; `--language text`",
        ),
        (&["--language", "text", "a.c"], "plain text has no tree"),
        (
            &["a.zzz"],
            "no language is known for \"a.zzz\": name one with --language (`dwindle languages` lists",
        ),
        (&["nope.c"], "cannot read \"nope.c\": No such file or directory"),
        (&["."], "\".\" is a directory: give one file"),
        (&["--grammar", "x", "--language", "c", "a.c"], "cannot be used with"),
    ];
    for (words, message) in table {
        let words = ["tree"].iter().chain(words).copied();
        let ran = case.run(words).ended_with(2).said(message);
        assert_eq!(ran.stdout, "");
    }
    let absent = case.run(["languages", "--json"]).ended_with(0).json()["absent"].clone();
    for absent in absent.as_array().unwrap() {
        let name = absent["name"].as_str().unwrap();
        case.run(["tree", "--language", name, "a.c"])
            .ended_with(2)
            .said("is not in this build: build dwindle with");
        if let Some(extension) = absent["extensions"][0].as_str() {
            let file = format!("a.{extension}");
            case.file(&file, "words");
            case.run(["tree", &file]).ended_with(2).said("is not in this build: build dwindle with");
        }
    }
    if is_root() {
        skipped("root may read everything");
    } else {
        case.file("secret.c", "int x;");
        let nobody = std::os::unix::fs::PermissionsExt::from_mode(0o000);
        std::fs::set_permissions(case.path("secret.c"), nobody).unwrap();
        case.run(["tree", "secret.c"]).ended_with(2).said("cannot read \"secret.c\": Permission denied");
    }
}

#[test]
fn a_grammar_folder_is_compiled_into_the_cache_folder_once() {
    let case = Case::new();
    let Some(folder) = grammar_folder(&case, "json") else { return };
    let folder = folder.to_str().unwrap();
    case.file("a.zzz", "[1, 2]");
    let compiled = || common::names(&case.outside("cache").join("dwindle/grammars"));
    let json = with_cache(&case, &["tree", "--json", "--grammar", folder, "a.zzz"]).ended_with(0).json();
    assert_eq!((&json["language"], &json["errors"]), (&"json".into(), &0.into()));
    assert_eq!(json["inner_nodes"], json["explained_nodes"]);
    let [library] = compiled().try_into().unwrap();
    // With a compiler that does not exist: it is not needed any more.
    let mut again = case.dwindle(["tree", "--grammar", folder, "a.zzz"]);
    Ran::of(again.env("XDG_CACHE_HOME", case.outside("cache")).env("CC", "no-such-compiler")).ended_with(0);
    let mut anew = case.dwindle(["tree", "--grammar", folder, "a.zzz"]);
    Ran::of(anew.env("XDG_CACHE_HOME", case.outside("other")).env("CC", "no-such-compiler"))
        .ended_with(1)
        .said("cannot run the C compiler `no-such-compiler`");
    // The parser alone, without its rules: nothing is known, all is free.
    let parser = "libtree-sitter-json.so";
    std::fs::copy(case.outside("cache").join("dwindle/grammars").join(library), case.path(parser)).unwrap();
    let json = case.run(["tree", "--json", "--grammar", parser, "a.zzz"]).ended_with(0).json();
    assert_eq!(json["explained_nodes"], 0);
    assert!(json["nodes"].as_array().unwrap().iter().skip(1).all(|node| node["role"] == "free"));
}

#[test]
fn a_grammar_that_cannot_be_used_gets_a_message_that_says_what_to_do() {
    let case = Case::new();
    case.file("a.zzz", "words");
    std::fs::create_dir(case.path("g")).unwrap();
    let tree = |grammar: &str| with_cache(&case, &["tree", "--grammar", grammar, "a.zzz"]);
    tree("nope").ended_with(2).said("cannot read nope: No such file or directory");
    tree("g")
        .ended_with(2)
        .said("grammar.json: No such file or directory")
        .said("`tree-sitter generate` makes them");
    tree("a.zzz").ended_with(1).said("cannot load a.zzz").said("give a tree-sitter grammar folder");
    case.file("g/src/grammar.json", "{\"name\": \"x\", \"rules\": ");
    tree("g").ended_with(1).said("g/src/grammar.json").said("not valid JSON");
    case.file("g/src/grammar.json", r#"{"name": "x", "rules": {"a": {"type": "SYMBOL", "name": "b"}}}"#);
    tree("g").ended_with(1).said("refers to `b`");
    case.file("g/src/grammar.json", r#"{"name": "x", "rules": {"a": {"type": "BLANK"}}}"#);
    tree("g").ended_with(2).said("g/src/parser.c");
    case.file("g/src/parser.c", "int f( { }");
    tree("g").ended_with(1).said("the parser in g/src does not compile").said("parser.c");
    case.file("g/src/parser.c", "int f(void) { return 1; }");
    tree("g").ended_with(1).said("tree_sitter_x");
}

/// An input without a telling name, and a test that wants one word of it.
fn nameless() -> Case {
    let case = Case::new();
    case.script("t.sh", "grep -q puts program");
    case.file("program", "int helper(int a) {\n  return a + 1;\n}\nint main() {\n  puts(\"x\");\n}\n");
    case
}

#[test]
fn reduce_takes_a_language_for_passes_that_need_one() {
    let case = nameless();
    let reduce = |words: &[&str]| {
        case.reduce(words.iter().copied().chain(["--preset", "tree-slicer", "--json", "t.sh", "program"]))
    };
    let unknown = "is not known: name it with --language";
    reduce(&[]).ended_with(2).said(unknown);
    reduce(&["--language", "text"]).ended_with(2).said(unknown);
    reduce(&["--language", "cc"]).ended_with(2).said("there is no language `cc`");
    reduce(&["--language", "c"]).ended_with(0);
    assert!(!case.text("program.reduced").contains("helper"));
    if let Some(folder) = grammar_folder(&case, "c") {
        let words =
            ["reduce", "--sandbox", "none", "--preset", "tree-slicer", "--grammar", folder.to_str().unwrap()];
        let words: Vec<_> = words.into_iter().chain(["t.sh", "program"]).collect();
        with_cache(&case, &words).ended_with(0);
        assert!(!case.text("program.reduced").contains("helper"));
    }
}

#[test]
fn reduce_tests_only_candidates_that_the_syntax_filter_lets_through() {
    let case = nameless();
    let queries = |syntax: &str| {
        let words =
            ["--language", "c", "--syntax", syntax, "--preset", "tree-slicer", "--json", "t.sh", "program"];
        let (queries, _) = case.reduce(words).ended_with(0).queries_and_hits();
        let tree = case.run(["tree", "--json", "--language", "c", "program.reduced"]).ended_with(0);
        (queries, tree.json()["errors"].as_u64().unwrap())
    };
    let (strict, errors) = queries("strict");
    assert_eq!(errors, 0);
    // The input has no errors: not to get worse is the same then.
    assert_eq!(queries("filter").0, strict);
    assert!(queries("off").0 > strict);
    case.reduce(["--syntax", "lax", "t.sh", "program"]).ended_with(2).said("invalid value 'lax'");
}
