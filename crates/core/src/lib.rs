//! What every part of dwindle speaks: candidates, verdicts, the session, caches, budget, events, journal.
//!
//! A pass is ordinary, sequential-looking code that asks a [`Session`]; the session owns caching, budgets, the
//! journal, parallel speculation and the best candidate so far. Nothing in here starts a process or knows what a
//! file format is.

pub mod cache;
mod cancel;
mod candidate;
mod event;
mod fingerprint;
mod journal;
mod marks;
mod natural;
mod pass;
mod patience;
mod pool;
mod questions;
mod runner;
mod schedule;
mod search;
mod session;
mod stop;
mod store;
mod subset;
mod verdict;

pub use cancel::{Cancel, WakerGuard};
pub use candidate::{
    Candidate, File, FileRuns, Files, Run, Tokens, Variant, fingerprint_of_file, fingerprint_of_files,
};
pub use event::{Counts, Event, PassReport, Summary};
pub use fingerprint::{Fingerprint, FingerprintIndex};
pub use journal::Journal;
pub use marks::{CheckCounts, CheckId, CheckTally, Mark, Marks};
pub use natural::{Naturalness, plainer};
pub use pass::{Pass, Step};
pub use runner::{Answer, Broken, Runner};
pub use schedule::{Schedule, Until, Work};
pub use search::Search;
pub use session::{Keeper, Known, Observer, Options, Session};
pub use stop::Stop;
pub use store::{StoreError, TestKey, VerdictStore};
pub use subset::Subset;
pub use verdict::{Unresolved, Verdict};
