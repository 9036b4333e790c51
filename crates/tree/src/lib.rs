//! Reducing source code along its syntax tree.
//!
//! [`Sources`] reads the files of a run as quantified trees and is shared by all passes of a pipeline; a [`Source`] is
//! one file of the best as a tree, and makes candidates out of the tokens a pass keeps; [`Asker`] asks the session
//! about them, after the syntax filter. The algorithms come in families, each with its presets, passes and parameters.

mod asker;
mod convert;
pub mod hdd;
mod identifiers;
mod links;
mod luck;
mod options;
mod perses;
mod printed;
mod registry;
mod rewrite;
pub mod rules;
mod sieve;
mod slicer;
mod source;
mod sources;
pub mod tpdd;
mod vulcan;

pub use asker::{Asker, ListAsker};
pub use links::LinkOptions;
pub use options::{Options, Watch};
pub use perses::{Order as PersesOrder, PersesOptions};
pub use printed::Part;
pub use registry::{NamedPass, Parameter, Preset, parameters, passes, presets, set};
pub use slicer::SlicerOptions;
pub use source::Source;
pub use sources::{LanguageChoice, Sources};
pub use vulcan::{AuxiliaryReducer, VulcanOptions};
