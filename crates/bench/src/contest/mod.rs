//! Contestants on cases: the same test, counted outside the tools, the same time limit, results checked again.

mod ablation;
mod archive;
mod arena;
mod contestant;
mod count;
mod install;
mod peers;
mod relay;
mod run;
mod told;
mod trial;
mod verify;

pub(crate) use ablation::{AblationArgs, ablation};
pub(crate) use count::{CountArgs, count};
pub(crate) use install::{InstallArgs, install};
pub(crate) use relay::{RelayArgs, relay};
pub(crate) use run::{Row, RunArgs, run};
#[cfg(test)]
pub(crate) use told::{PassTold, Told};
pub(crate) use trial::{Ending, Point, Terms, Trial, is_interesting};
