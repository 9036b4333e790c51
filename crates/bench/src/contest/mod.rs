//! Contestants on cases: the same test, counted outside the tools, the same time limit, results checked again.

mod contestant;
mod count;
mod install;
mod peers;
mod run;
mod trial;

pub(crate) use count::{CountArgs, count};
pub(crate) use install::{InstallArgs, install};
pub(crate) use run::{Row, RunArgs, run};
pub(crate) use trial::{Ending, Point, Trial};
