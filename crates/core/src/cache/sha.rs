//! `sha`: the SHA-512 digest of the text.

use sha2::{Digest, Sha512};

use super::content::{ContentKeys, bare, unpack};
use crate::verdict::Verdict;

/// Keys of 64 bytes, whatever the candidates weigh. Nothing is ever forgotten.
#[derive(Debug, Default)]
pub struct Sha512Keys;

impl ContentKeys for Sha512Keys {
    type Key = [u8; 64];
    type Value = u32;

    fn key(&mut self, content: &[u8]) -> [u8; 64] {
        Sha512::digest(content).into()
    }

    fn value(&self, _content: &[u8], verdict: Verdict) -> u32 {
        bare(verdict)
    }

    fn verdict(&self, value: u32) -> Verdict {
        unpack(value)
    }
}
