//! dwindle makes an input that shows a bug as small as it can, in as few runs of the test as it can.
//!
//! This crate is the library behind the `dwindle` command: [`Reduction`] sets up a reduction of bytes or files with a
//! closure as the test, for fuzzers and property-test frameworks that want to embed it. The command line is in the
//! book, <https://github.com/dwindle-rs/dwindle>.
//!
//! What the parts are called, how a test may be run elsewhere ([`dwindle_core::Runner`]) and how to write a pass of
//! your own is in [`dwindle_core`].

mod preset;
mod reduction;

pub use dwindle_core as core;
pub use dwindle_delta as delta;
pub use dwindle_syntax as syntax;
pub use dwindle_text as text;
pub use dwindle_tree as tree;
pub use preset::{
    DEFAULT_PRESET, Effort, Granularity, Named, Pipeline, Plan, PlanError, parameters, passes, presets,
};
pub use reduction::{Error, Reduced, Reduction};
