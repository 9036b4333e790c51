//! Hierarchical delta debugging and hoisting: HDD, HDDr, their coarse forms, TMIN with hoisting before them, in between
//! or both, each once or to a fixpoint.
//!
//! All of them go through a [`ReductionTree`], in one of two ways, and ask about lists of nodes they meet:
//!
//! ```text
//!          level by level (HDD)         from siblings to siblings (HDDr)
//!                 1                               -
//!              2     2                         1     1
//!            3   3     3                     3   3     2
//! ```
//!
//! A list of nodes is *pruned* by a list minimiser (each node that goes leaves its minimal text behind), or descendants
//! of its nodes are *hoisted* into their places, or both.

mod arena;
mod build;
mod changes;
mod cuts;
mod options;
mod oracle;
mod pass;
mod prepare;
mod presets;
mod walk;

pub use arena::{Label, NodeId, ReductionTree, Shape, State};
pub use build::Builder;
pub use cuts::Cut;
pub use options::{Compatibility, HddOptions, Lists, Traversal};
pub use oracle::TreeOracle;
pub use prepare::Preparation;
pub(crate) use presets::FAMILY;
pub use walk::{Phase, Tools};
