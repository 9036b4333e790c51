//! Caches of tested candidates: one trait, several schemes.
//!
//! The session is the only user of a cache and calls it from one thread, in the order in which a sequential run
//! would ask: a verdict that a speculative run found early is handed over when its turn comes, after every accept
//! that precedes it. So a scheme is plain single-threaded code, no verdict can arrive for a base that is gone, and
//! the answers do not depend on `-j`.
//!
//! Schemes differ in what they take for a key (`content`: the bytes or a digest of them; `sequence`: the runs of
//! tokens kept of a base; `hash`: the fingerprint) and in what they forget when a smaller best is accepted. None of
//! them can answer wrongly but by a collision of digests; forgetting only costs queries.

mod alphabet;
mod base;
mod config;
mod content;
mod filter;
mod hash;
mod interval;
mod keymap;
mod meter;
mod none;
mod packed;
mod packed_verdict;
mod rcc;
mod registry;
mod rstr;
mod sha;
mod sha3;
mod str;
mod supplement;
mod words;
mod zip;

pub use config::ConfigCache;
pub use content::ContentCache;
pub use filter::Filtered;
pub use hash::HashCache;
pub use interval::{Id, decode, encode};
pub use meter::{CacheSample, CacheUsage};
pub use none::NoCache;
pub use rcc::{Forget, IntervalCache};
pub use registry::{CacheOptions, CacheScheme, SCHEMES, by_name};
pub use rstr::RefreshedTokens;
pub use sha::Sha512Keys;
pub use sha3::Sha3Keys;
pub use str::TextCache;
pub use supplement::Supplemented;
pub use zip::DeflateKeys;

use crate::candidate::Candidate;
use crate::fingerprint::Fingerprint;
use crate::verdict::Verdict;

/// Remembers verdicts of tested candidates.
pub trait VerdictCache {
    /// The verdict on `candidate`, if it is known.
    fn get(&mut self, candidate: &Candidate) -> Option<Verdict>;

    /// Remembers a verdict (a scheme may decline).
    fn put(&mut self, candidate: &Candidate, verdict: Verdict);

    /// A new best was accepted: what can no longer be asked may be dropped.
    fn accepted(&mut self, best: &Candidate);

    /// The best, in the form in which it will be varied: the input at the start, or the same content in other tokens.
    fn recast(&mut self, _best: &Candidate) {}

    /// What was dropped since the last call although it is no longer than the best, and so may be asked for again by a
    /// pass that does more than delete. Only a cache that is to be supplemented tells.
    fn forgotten(&mut self) -> Vec<(Fingerprint, Verdict)> {
        Vec::new()
    }

    /// How much is stored right now, and was at most.
    fn usage(&self) -> CacheUsage;

    /// How much was stored over time: a bounded list, with an entry for each noticeable change.
    fn samples(&self) -> &[CacheSample] {
        &[]
    }
}
