//! Reducing text without a grammar: lines, characters, tokens, brackets, whole files.
//!
//! Text is cut into pieces; a candidate is the runs of pieces it keeps, so making and fingerprinting one does not
//! touch the text. What to drop is up to the list minimisers of `dwindle-delta`.

mod brackets;
mod canonical;
mod passes;
mod segments;
mod units;
mod words;

pub use canonical::CanonicalPass;
pub use passes::{BracketPass, FilesPass, LetterPass, SharedMinimizer, UnitPass};
pub use segments::Segments;
pub use units::{Unit, count_tokens};
pub use words::WordPass;
