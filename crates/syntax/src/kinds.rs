//! What sort of token a symbol is: names, literals, keywords, punctuation, comments.

use crate::language::Language;
use dwindle_grammar::SymbolId;

/// A sort of token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A name the program's author chose.
    Identifier,
    /// A number, a string, a truth value.
    Literal,
    /// A word of the language.
    Keyword,
    /// Brackets, operators, separators.
    Punctuation,
    /// A comment.
    Comment,
    /// Something else: parts of strings, tags, …
    Other,
}

impl Language {
    /// What sort of token the symbol is: by the language's data file where it says, else by the symbol's name.
    pub fn token_kind(&self, symbol: SymbolId) -> TokenKind {
        let rules = self.grammar().rules();
        let symbol_data = &rules.symbols[symbol.index()];
        let name = symbol_data.name.as_str();
        let entry = self.entry();
        if entry.identifiers.contains(&name) {
            return TokenKind::Identifier;
        }
        if entry.literals.contains(&name) {
            return TokenKind::Literal;
        }
        if !symbol_data.named {
            let word = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
            return if word { TokenKind::Keyword } else { TokenKind::Punctuation };
        }
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        let ends = |parts: &[&str]| parts.iter().any(|part| name.ends_with(part));
        let fixed = rules.samples[symbol.index()].as_ref().is_some_and(|sample| sample.fixed);
        if has(&["comment"]) {
            TokenKind::Comment
        } else if has(&[
            "number", "integer", "float", "literal", "string", "char", "boolean", "decimal", "numeric",
        ]) || matches!(
            name,
            "true" | "false" | "null" | "nil" | "none" | "undefined" | "int" | "atom"
        ) {
            TokenKind::Literal
        } else if entry.identifiers.is_empty()
            && (has(&["identifier"]) || ends(&["name", "ident", "variable", "symbol", "word", "id"]))
        {
            TokenKind::Identifier
        } else if fixed {
            TokenKind::Keyword
        } else {
            TokenKind::Other
        }
    }
}
