//! Reading and writing big-endian numbers, with bounds.

use crate::error::BadClass;

/// Bytes that are read from the front.
#[derive(Clone, Debug)]
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Input { bytes, at: 0 }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(crate) fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], BadClass> {
        if count > self.left() {
            return Err(BadClass::Truncated { what, end: self.bytes.len() });
        }
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], BadClass> {
        let taken = self.take(N, what)?;
        Ok(taken.try_into().expect("exactly N bytes were taken"))
    }

    pub(crate) fn u1(&mut self, what: &'static str) -> Result<u8, BadClass> {
        Ok(self.array::<1>(what)?[0])
    }

    pub(crate) fn u2(&mut self, what: &'static str) -> Result<u16, BadClass> {
        self.array(what).map(u16::from_be_bytes)
    }

    pub(crate) fn u4(&mut self, what: &'static str) -> Result<u32, BadClass> {
        self.array(what).map(u32::from_be_bytes)
    }

    /// A list with a two-byte count before it.
    pub(crate) fn list<T>(
        &mut self,
        what: &'static str,
        mut each: impl FnMut(&mut Self) -> Result<T, BadClass>,
    ) -> Result<Vec<T>, BadClass> {
        let count = self.u2(what)?;
        (0..count).map(|_| each(self)).collect()
    }

    pub(crate) fn end(&self) -> Result<(), BadClass> {
        match self.left() {
            0 => Ok(()),
            left => Err(BadClass::Trailing(left)),
        }
    }
}

/// Writes numbers to the end of a buffer.
pub(crate) trait Output {
    fn put1(&mut self, value: u8);
    fn put2(&mut self, value: u16);
    fn put4(&mut self, value: u32);
    /// The length of a list that was read with a two-byte count and has not grown beyond it since.
    fn put_count(&mut self, count: usize);
}

impl Output for Vec<u8> {
    fn put1(&mut self, value: u8) {
        self.push(value);
    }

    fn put2(&mut self, value: u16) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn put4(&mut self, value: u32) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn put_count(&mut self, count: usize) {
        self.put2(u16::try_from(count).expect("lists only shrink, and were counted with two bytes"));
    }
}
