//! The command line: reads arguments, wires the crates together, tells what happened. No algorithm lives here.

mod args;
mod demo;
mod exit;
mod input;
mod interrupt;
mod run_dir;
