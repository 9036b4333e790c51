//! `dwindle demo`: a whole reduction inside the binary, with nothing to install and nothing written.

mod calc;

/// A program of a hundred lines that makes the calculator divide by zero.
const PROGRAM: &[u8] = include_bytes!("prices.calc");
