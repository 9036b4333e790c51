//! Rules over the visible children of a node: the form everything else is derived from, and its compact encoding.

use crate::json::LoadError;
use crate::source::SourceGrammar;
use crate::{json, lower, notation};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the table it points into.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index_type!(
    /// A kind of visible node: a name, and whether it is a named node or a piece of punctuation.
    SymbolId
);
index_type!(
    /// A definition: a rule of the grammar, or a body made for an alias.
    RuleId
);
index_type!(
    /// A token that leaves no node behind, with its shortest text.
    TextId
);

/// A kind of visible node.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Symbol {
    /// Its name as the parser shows it.
    pub name: String,
    /// A named node, as opposed to punctuation and keywords.
    pub named: bool,
}

/// The shortest text of a token.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sample {
    /// The text; nothing when it is not known (hand-written scanners).
    pub text: Option<String>,
    /// No white space may stand before it.
    pub immediate: bool,
    /// Always this very text (a keyword, a bracket), as opposed to one of many (a name, a number).
    pub fixed: bool,
}

/// What stands after the last element of a separated list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Trailing {
    /// Nothing.
    Never,
    /// A separator may.
    Allowed,
    /// A separator may, even where there is no element at all.
    Alone,
}

/// A rule over visible children.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Rule {
    /// Nothing.
    Blank,
    /// One visible child.
    Child(SymbolId),
    /// A token of this one place, shown under a name that other things have too: of those none is known to fit.
    Own(TextId, SymbolId),
    /// A token that usually leaves no child; some show up under the given symbol.
    Silent(TextId, Option<SymbolId>),
    /// A hidden rule: its children are spliced in.
    Call(RuleId),
    /// All parts, in order.
    Seq(Vec<Rule>),
    /// One of the parts.
    Choice(Vec<Rule>),
    /// The part, or nothing.
    Optional(Box<Rule>),
    /// Elements in a row, with separators between them where the list has one.
    List {
        /// One element.
        element: Box<Rule>,
        /// What stands between two elements.
        separator: Option<Box<Rule>>,
        /// The fewest elements.
        min: u32,
        /// What may stand after the last one.
        trailing: Trailing,
    },
}

/// A named body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// The rule's name in the grammar.
    pub name: String,
    /// What it consists of.
    pub body: Rule,
}

/// A grammar as data: the tables everything else is computed from. Encodes to a few bytes per part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// The grammar's own name.
    pub name: String,
    /// Kinds of visible nodes.
    pub symbols: Vec<Symbol>,
    /// The shortest text of those symbols that are tokens.
    pub samples: Vec<Option<Sample>>,
    /// The shortest texts of tokens that leave no node.
    pub texts: Vec<Sample>,
    /// All rules, visible and hidden, and bodies made for aliases.
    pub definitions: Vec<Definition>,
    /// For each symbol the bodies its nodes can have, likeliest first.
    pub bodies: Vec<Vec<RuleId>>,
    /// Symbols that may stand between any two tokens: comments and the like.
    pub extras: Vec<SymbolId>,
}

impl Rules {
    /// Reads tree-sitter's `grammar.json`. `externals` gives texts for tokens of hand-written scanners, by name.
    pub fn from_json(text: &str, externals: &BTreeMap<String, String>) -> Result<Rules, LoadError> {
        lower::lower(&json::read(text)?, externals)
    }

    /// Reads a grammar in our own notation (see [`crate::notation`]).
    pub fn from_notation(name: &str, text: &str) -> Result<Rules, LoadError> {
        lower::lower(&notation::read(name, text)?, &BTreeMap::new())
    }

    /// Reads a grammar that is already in source form.
    pub fn from_source(
        grammar: &SourceGrammar,
        externals: &BTreeMap<String, String>,
    ) -> Result<Rules, LoadError> {
        lower::lower(grammar, externals)
    }

    /// Makes the lists that the named rules consist of non-empty: some parsers accept less than their language does,
    /// an empty block in Python for one.
    pub fn require_elements(&mut self, names: &[String]) {
        for definition in self.definitions.iter_mut().filter(|definition| names.contains(&definition.name)) {
            let parts = match &mut definition.body {
                Rule::Seq(parts) => parts.as_mut_slice(),
                other => std::slice::from_mut(other),
            };
            for part in parts {
                if let Rule::List { min, .. } = part {
                    *min = (*min).max(1);
                }
            }
        }
    }

    /// The compact form, to be embedded in a program.
    pub fn encode(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("tables of integers and strings always encode")
    }

    /// Reads the compact form back.
    pub fn decode(bytes: &[u8]) -> Result<Rules, LoadError> {
        postcard::from_bytes(bytes).map_err(|error| LoadError::Decode(error.to_string()))
    }
}
