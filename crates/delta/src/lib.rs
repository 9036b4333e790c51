//! List minimisers over abstract elements: the ddmin family and its relatives.
//!
//! Nothing in here knows of text or trees: a minimiser sees numbered elements with weights and asks a
//! [`ListOracle`] about parts of the list.

mod oracle;

pub use oracle::{ListMinimizer, ListOracle, SessionList};
