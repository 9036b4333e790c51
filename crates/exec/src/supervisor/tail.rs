//! The last bytes of an output that may be endless.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

/// What one read takes at most: the usual capacity of a pipe.
const CHUNK: usize = 64 << 10;

/// Keeps the last bytes of what it is given.
pub(super) struct Tail {
    bytes: Vec<u8>,
    limit: usize,
}

impl Tail {
    pub(super) fn new(limit: usize) -> Self {
        Tail { bytes: Vec::new(), limit }
    }

    pub(super) fn push(&mut self, more: &[u8]) {
        self.bytes.extend_from_slice(more);
        // Moved only when twice too long: each byte is moved once on average.
        if self.bytes.len() > 2 * self.limit.max(CHUNK) {
            self.bytes.drain(..self.bytes.len() - self.limit);
        }
    }

    pub(super) fn take(&mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.drain(..bytes.len().saturating_sub(self.limit));
        bytes
    }
}

/// The reading end of a test's output.
pub(super) struct Output {
    pipe: Option<OwnedFd>,
    tail: Tail,
}

impl Output {
    /// A pipe: what we read, and what the test writes to.
    pub(super) fn new(limit: u32) -> rustix::io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        Ok((Output { pipe: Some(ours), tail: Tail::new(limit as usize) }, theirs))
    }

    /// What to poll, until the test has closed it.
    pub(super) fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Reads once what is there; tells whether there may be more.
    pub(super) fn pull(&mut self, buffer: &mut Vec<u8>) -> bool {
        let Some(pipe) = &self.pipe else { return false };
        buffer.resize(CHUNK, 0);
        match rustix::io::read(pipe, &mut buffer[..]) {
            Ok(0) => self.pipe = None,
            Ok(count) => {
                self.tail.push(&buffer[..count]);
                return true;
            }
            Err(Errno::INTR) => return true,
            Err(Errno::AGAIN) => {}
            Err(_) => self.pipe = None,
        }
        false
    }

    /// Everything that is still in the pipe, then the last bytes of the whole output.
    pub(super) fn finish(mut self, buffer: &mut Vec<u8>) -> Vec<u8> {
        // Bounded, should a process that we may not kill go on writing: a pipe holds 1 MiB at most by default.
        for _ in 0..16 {
            if !self.pull(buffer) {
                break;
            }
        }
        self.tail.take()
    }

    /// The last bytes so far.
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.tail.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_bytes_are_kept_and_memory_stays_bounded() {
        let mut tail = Tail::new(10);
        for round in 0..100_u8 {
            tail.push(&[round; 5000]);
            assert!(tail.bytes.capacity() < 8 * CHUNK);
        }
        tail.push(b"the end");
        assert_eq!(tail.take(), b"ccc\x74he end".to_vec());
        assert_eq!(tail.take(), b"");
    }
}
