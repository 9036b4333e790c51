//! `zip`: the text, compressed with DEFLATE at its best level.

use flate2::{Compress, Compression, FlushCompress};

use super::content::{ContentKeys, bare, unpack};
use crate::verdict::Verdict;

/// Keys that are the compressed text: no collisions, a few times smaller, and slow to make.
#[derive(Default)]
pub struct DeflateKeys {
    /// Some 300 KiB that would otherwise be set up for each key. Scratch: no part of what is remembered.
    state: Option<Compress>,
}

impl ContentKeys for DeflateKeys {
    type Key = Box<[u8]>;
    type Value = u32;

    fn key(&mut self, content: &[u8]) -> Box<[u8]> {
        let state = self.state.get_or_insert_with(|| Compress::new(Compression::best(), true));
        state.reset();
        let mut out = Vec::with_capacity(content.len() / 4 + 64);
        loop {
            let read = state.total_in() as usize;
            let status = state.compress_vec(&content[read..], &mut out, FlushCompress::Finish);
            match status.expect("a compressor that was just reset takes any bytes") {
                flate2::Status::StreamEnd => return out.into(),
                flate2::Status::Ok | flate2::Status::BufError => out.reserve(out.len() / 2 + 64),
            }
        }
    }

    fn value(&self, _content: &[u8], verdict: Verdict) -> u32 {
        bare(verdict)
    }

    fn verdict(&self, value: u32) -> Verdict {
        unpack(value)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn keys_can_be_decompressed_and_depend_on_the_text_alone() {
        let mut keys = DeflateKeys::default();
        let noise: Vec<u8> = (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let texts = [Vec::new(), b"int main() {}".to_vec(), noise, vec![b'x'; 100_000]];
        let first: Vec<_> = texts.iter().map(|text| keys.key(text)).collect();
        let second: Vec<_> = texts.iter().map(|text| keys.key(text)).collect();
        assert_eq!(first, second);
        for (text, key) in texts.iter().zip(&first) {
            let mut back = Vec::new();
            flate2::read::ZlibDecoder::new(&**key).read_to_end(&mut back).unwrap();
            assert_eq!(&back, text);
        }
    }
}
