//! What is done beside a reduction: the result formatted, other findings saved, an outside program asked.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod also;
#[path = "../common/mod.rs"]
mod common;
mod format;
mod propose;
