//! What every part of dwindle speaks: candidates, verdicts, the session, caches, budget, events, journal.
//!
//! A pass is ordinary, sequential-looking code that asks a session; the session owns caching, budgets, the
//! journal, parallel speculation and the best candidate so far. Nothing in here starts a process or knows what a
//! file format is.

mod cancel;
mod candidate;
mod fingerprint;
mod runner;
mod stop;
mod subset;
mod verdict;

pub use cancel::{Cancel, WakerGuard};
pub use candidate::{Candidate, File, Files, Tokens, Variant, file_header, fingerprint_of_files};
pub use fingerprint::{Fingerprint, FingerprintIndex};
pub use runner::{Answer, Broken, Runner};
pub use stop::Stop;
pub use subset::Subset;
pub use verdict::{CheckId, Unresolved, Verdict};
