//! `p3`: the SHA3-256 digest of the text, with its length, of boring candidates alone.

use sha3::{Digest, Sha3_256};

use super::content::ContentKeys;
use super::packed_verdict::PackedVerdict;
use crate::verdict::Verdict;

/// Keys of 32 bytes; the value holds the length, so that texts longer than an accepted best can be dropped.
///
/// To be used with boring verdicts only: a collision then costs a reduction step, and cannot pass off a candidate
/// as interesting that never was tested.
#[derive(Debug, Default)]
pub struct Sha3Keys;

impl ContentKeys for Sha3Keys {
    type Key = [u8; 32];
    /// The length above the bits of the verdict.
    type Value = u64;

    const FORGETS: bool = true;

    fn key(&mut self, content: &[u8]) -> [u8; 32] {
        Sha3_256::digest(content).into()
    }

    fn value(&self, content: &[u8], verdict: Verdict) -> u64 {
        (content.len() as u64) << PackedVerdict::BITS | u64::from(PackedVerdict::from(verdict).number())
    }

    fn verdict(&self, value: u64) -> Verdict {
        PackedVerdict::from_number((value & ((1 << PackedVerdict::BITS) - 1)) as u32).into()
    }

    fn length(&self, value: u64) -> Option<u64> {
        Some(value >> PackedVerdict::BITS)
    }
}
