//! The built-in languages: data, parsers and rules agree with each other.

use dwindle_syntax::{TokenKind, detect, language, languages};
use std::collections::HashMap;
use std::path::Path;

#[test]
fn every_kind_of_node_a_parser_can_show_is_known_to_its_rules() {
    for language in languages() {
        let Some(parser) = language.parser() else { continue };
        let unknown: Vec<_> = (0..parser.node_kind_count() as u16)
            .filter(|id| parser.node_kind_is_visible(*id) && *id != 0)
            .filter_map(|id| Some((parser.node_kind_for_id(id)?, parser.node_kind_is_named(id))))
            .filter(|(name, named)| language.grammar().symbol(name, *named).is_none())
            .collect();
        assert!(unknown.is_empty(), "{}: {unknown:?}", language.name());
    }
}

#[test]
fn names_and_extensions_belong_to_one_language_each() {
    let mut owners: HashMap<&str, &str> = HashMap::new();
    for language in languages() {
        for extension in language.extensions() {
            let before = owners.insert(extension, language.name());
            assert_eq!(
                before,
                None,
                ".{extension} is {} and {}",
                before.unwrap_or_default(),
                language.name()
            );
        }
    }
}

#[test]
fn languages_are_found_by_file_name_first_line_and_content() {
    for (path, text, expected) in [
        ("a.c", "", "c"),
        ("a.PY", "", "python"),
        ("Makefile", "", "make"),
        ("CMakeLists.txt", "", "cmake"),
        ("run", "#!/usr/bin/env -S python3.11 -u\n", "python"),
        ("run", "#!/bin/sh\n", "bash"),
        ("x", "#include <stdio.h>\nint main() {}\n", "c"),
        ("x", "#include <vector>\nstd::vector<int> v;\n", "cpp"),
        ("x", "{\"a\": 1}", "json"),
        ("x", "(set-logic QF_BV)\n", "smtlib"),
        ("x", "(module)", "wat"),
        ("a.smt2", "", "smtlib"),
    ] {
        if let Some(expected) = language(expected) {
            assert_eq!(detect(Path::new(path), text.as_bytes()), Some(expected), "{path} {text}");
        }
    }
    assert_eq!(detect(Path::new("notes"), b"some words"), None);
}

#[test]
fn tokens_are_told_apart_by_sort() {
    for (name, symbol, named, expected) in [
        ("c", "identifier", true, TokenKind::Identifier),
        ("c", "type_identifier", true, TokenKind::Identifier),
        ("c", "number_literal", true, TokenKind::Literal),
        ("c", "while", false, TokenKind::Keyword),
        ("c", ";", false, TokenKind::Punctuation),
        ("c", "comment", true, TokenKind::Comment),
        ("json", "number", true, TokenKind::Literal),
        ("smtlib", "symbol", true, TokenKind::Identifier),
        ("smtlib", "assert", false, TokenKind::Keyword),
    ] {
        if let Some(language) = language(name) {
            let symbol = language.grammar().symbol(symbol, named).unwrap();
            assert_eq!(language.token_kind(symbol), expected, "{name} {symbol:?}");
        }
    }
}

#[test]
fn the_book_lists_every_language_of_this_build() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/languages.md");
    // The page is not part of the published crate.
    let Ok(page) = std::fs::read_to_string(page) else { return };
    for language in languages() {
        assert!(page.contains(&format!("| `{}` |", language.name())), "{}", language.name());
    }
}
