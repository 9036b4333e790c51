//! Lists with predicates in the same process: how many queries each minimiser takes, and what it leaves.

mod table;
mod workload;

pub(crate) use table::{SyntheticArgs, cell, needed_of, run};
pub(crate) use workload::{Shape, Workload, needed};
