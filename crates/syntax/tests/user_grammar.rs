//! Grammars that users bring at run time.

#![cfg(all(feature = "user-grammars", feature = "json"))]

use dwindle_syntax::{Reader, Role, language, language_from_folder, language_from_library};
use std::path::PathBuf;

/// A real grammar folder: the unpacked source of the crate our JSON parser comes from.
fn json_folder() -> Option<PathBuf> {
    let (package, version) = language("json")?.origin();
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
    let registries = std::fs::read_dir(home.join("registry/src")).ok()?;
    registries
        .flatten()
        .map(|registry| registry.path().join(format!("{package}-{version}")))
        .find(|path| path.exists())
}

#[test]
fn a_grammar_folder_is_compiled_once_and_gives_a_language() {
    let Some(folder) = json_folder() else { return };
    let cache = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let json = language_from_folder(&folder, cache.path()).unwrap();
        assert_eq!(json.name(), "json");
        let mut reader = Reader::new(&json);
        let tree = reader.read(b"[1,\n 2]").unwrap();
        assert_eq!(tree.nodes().filter(|node| tree.role(*node) == Role::Element).count(), 3);
        assert_eq!(tree.render(reader.lexicon(), tree.tokens().iter().copied()), b"[1,\n 2]");
    }
    let libraries: Vec<_> = std::fs::read_dir(cache.path()).unwrap().flatten().collect();
    assert_eq!(libraries.len(), 1);

    // Without its rules the parser alone still gives a tree, all of whose nodes are free.
    let library = cache.path().join(format!("libtree-sitter-json.{}", std::env::consts::DLL_EXTENSION));
    std::fs::copy(libraries[0].path(), &library).unwrap();
    let json = language_from_library(&library).unwrap();
    let tree = Reader::new(&json).read(b"[1, 2]").unwrap();
    assert!(tree.nodes().skip(1).all(|node| tree.role(node) == Role::Free));
}

#[test]
fn a_broken_grammar_folder_gets_a_clear_message() {
    let folder = tempfile::tempdir().unwrap();
    let cache = tempfile::tempdir().unwrap();
    let message = || language_from_folder(folder.path(), cache.path()).unwrap_err().to_string();
    assert!(message().contains("grammar.json"), "{}", message());
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("grammar.json", "{\"name\": \"x\", \"rules\": ");
    assert!(message().contains("not valid JSON"), "{}", message());
    write("grammar.json", "{\"name\": \"x\", \"rules\": {\"a\": {\"type\": \"SYMBOL\", \"name\": \"b\"}}}");
    assert!(message().contains("refers to `b`"), "{}", message());
    write("grammar.json", "{\"name\": \"x\", \"rules\": {\"a\": {\"type\": \"BLANK\"}}}");
    assert!(message().contains("parser.c"), "{}", message());
    write("parser.c", "int f( { }");
    assert!(message().contains("does not compile"), "{}", message());
    write("parser.c", "int f(void) { return 1; }");
    assert!(message().contains("tree_sitter_x"), "{}", message());
}
