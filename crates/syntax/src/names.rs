//! Which names a text defines and uses, as far as the grammars' own queries tell (`tags.scm`, `locals.scm`).

use crate::language::Language;
use std::collections::BTreeMap;
use std::ops::Range;
use tree_sitter::{Query, QueryCursor, StreamingIterator, Tree};

/// One occurrence of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// Where it stands.
    pub bytes: Range<usize>,
    /// It is defined here; otherwise it is used.
    pub definition: bool,
    /// What it names, in the query's words: `function`, `class`, `call` …; empty when the query does not say.
    pub sort: String,
}

/// A query, where there is one that the parser takes. Some build upon another language's and do not stand alone.
pub(crate) fn query(language: &Language, text: &str) -> Option<Query> {
    if text.trim().is_empty() { None } else { Query::new(language.parser()?, text).ok() }
}

/// The queries that tell a language's names. To prepare them takes as long as to parse some hundred kilobytes.
pub(crate) fn queries(language: &Language) -> Vec<Query> {
    [language.entry().tags, language.entry().locals].iter().filter_map(|text| query(language, text)).collect()
}

/// The names in a parse, by position. A hint: the queries follow no scopes and differ much in quality.
pub(crate) fn names(queries: &[Query], tree: &Tree, text: &[u8]) -> Vec<Name> {
    let mut found: BTreeMap<(usize, usize), Name> = BTreeMap::new();
    for query in queries {
        let captures = query.capture_names();
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(query, tree.root_node(), text);
        while let Some(found_match) = matches.next() {
            let mut names = Vec::new();
            let mut role = None;
            for capture in found_match.captures() {
                let label = captures[capture.index as usize];
                let bytes = capture.node.byte_range();
                if label == "name" {
                    names.push(bytes);
                } else if let Some(sort) = label.strip_prefix("definition") {
                    role = Some((true, sort));
                } else if let Some(sort) = label.strip_prefix("reference") {
                    role = Some((false, sort));
                } else if let Some(sort) = label.strip_prefix("local.definition") {
                    note(&mut found, bytes, true, sort);
                } else if label == "local.reference" {
                    note(&mut found, bytes, false, "");
                }
            }
            if let Some((definition, sort)) = role {
                for bytes in names {
                    note(&mut found, bytes, definition, sort);
                }
            }
        }
    }
    found.into_values().collect()
}

/// Keeps a name; a definition outweighs a use, and what has a sort outweighs what has none.
fn note(found: &mut BTreeMap<(usize, usize), Name>, bytes: Range<usize>, definition: bool, sort: &str) {
    let sort = sort.trim_start_matches('.').to_owned();
    let new = Name { bytes, definition, sort };
    let key = (new.bytes.start, new.bytes.end);
    match found.get(&key) {
        Some(old) if (old.definition, !old.sort.is_empty()) >= (new.definition, !new.sort.is_empty()) => {}
        _ => {
            found.insert(key, new);
        }
    }
}
