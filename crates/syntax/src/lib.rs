//! Languages, parsing, quantified trees, edits and rendering.
//!
//! ```
//! # #[cfg(feature = "json")] {
//! use dwindle_syntax::{Edit, Reader, Role, language};
//!
//! let mut reader = Reader::new(&language("json").expect("JSON is built in"));
//! let tree = reader.read(b"[1, 22, 333]")?;
//! let mut elements = tree.nodes().filter(|node| tree.role(*node) == Role::Element);
//! let array = elements.next().expect("the only value of the document");
//! let first = elements.next().expect("the array has elements");
//! assert_eq!(tree.apply(reader.lexicon(), &[Edit::Delete(first)]), b"[ 22, 333]");
//! assert_eq!(tree.apply(reader.lexicon(), &[Edit::Hoist { node: array, by: first }]), b"1");
//! # }
//! # Ok::<(), dwindle_syntax::ReadError>(())
//! ```

mod chain;
mod detect;
mod edit;
mod fuse;
mod graphviz;
mod hand_written;
mod kinds;
mod label;
mod language;
mod lexicon;
mod names;
mod raw;
mod reader;
mod replace;
mod show;
mod tree;
mod treesitter;
#[cfg(feature = "user-grammars")]
mod user_grammar;

pub use chain::Chain;
pub use detect::detect;
pub use edit::Edit;
pub use kinds::TokenKind;
pub use language::{Absent, Knowledge, Language, absent_languages, language, languages, rewrite_rules};
pub use lexicon::{Lexicon, Marks, TokenId};
pub use names::Name;
pub use reader::{Filter, ReadError, Reader};
pub use show::{dot, json, readable};
pub use tree::{Kind, NodeId, Role, Tree};
pub use treesitter::SharedRun;
#[cfg(feature = "user-grammars")]
pub use user_grammar::{GrammarError, language_from_folder, language_from_library};
