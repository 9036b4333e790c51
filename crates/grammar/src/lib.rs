//! Grammar rules as data: matching a node's children against its rule, what may stand where, shortest texts.
//!
//! A syntax tree shows which nodes a text has, but not why: whether a child is one of many, could be left out, or is
//! needed. The grammar knows. This crate reads grammars in tree-sitter's `grammar.json` form ([`Rules`]), compiles
//! them ([`Grammar`]), and explains the children of a node ([`Matcher`]). It knows no parser: nodes come as sequences
//! of [`SymbolId`]s.

mod automaton;
mod closure;
mod grammar;
mod json;
mod lower;
mod matcher;
mod normal;
pub mod notation;
mod rule;
mod sample;
mod shortest;
pub mod source;

pub use automaton::ListInfo;
pub use closure::SlotId;
pub use grammar::Grammar;
pub use json::LoadError;
pub use matcher::{Event, Matcher};
pub use rule::{Definition, Rule, RuleId, Rules, Sample, Symbol, SymbolId, TextId, Trailing};
pub use shortest::{Piece, Template};
