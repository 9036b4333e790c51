//! Running the user's test: processes, limits, work directories, sandbox, persistent tests.
//!
//! [`CommandTest`] and [`PersistentTest`] are the [`dwindle_core::Runner`]s of real tests. Both stand on [`Slots`]: one
//! work directory and one supervisor process a worker slot, so that a test sees nothing but its candidate and leaves
//! nothing behind, neither files nor processes, however it ends and however dwindle ends.
//!
//! Needs Linux 5.4 or later (process descriptors), and a program that calls [`supervisor::run_if_asked`] first thing
//! in `main`.

#[cfg(not(target_os = "linux"))]
compile_error!("dwindle-exec needs Linux: process descriptors and child subreapers");

mod bycatch;
mod checked;
mod checks;
mod confirming;
mod error;
mod invocation;
pub mod output;
mod persistent;
pub mod preflight;
mod property;
mod report;
mod root;
mod runner;
pub mod sandbox;
mod slots;
mod stages;
pub mod supervisor;
mod wire;
mod workdir;

pub use bycatch::{BycatchRule, EndClass, Heard};
pub use checked::CheckedTest;
pub use checks::{Check, CheckModes, Costs};
pub use confirming::Confirming;
pub use error::ExecError;
pub use invocation::Invocation;
pub use persistent::PersistentTest;
pub use property::{Judge, Property, PropertyError, SignalWanted};
pub use report::{Ending, Probe, Probed, RunReport, learned_time_limit};
pub use root::{Place, Root, remove_stale};
pub use runner::{CommandTest, Listener, Witness};
pub use sandbox::Sandbox;
pub use slots::{Setting, Slots};
pub use stages::Stages;
pub use supervisor::Supervisor;
pub use workdir::{Filled, WorkDir};
