//! `dwindle-bench`: workloads, contestants and tables, the numbers behind dwindle's claims.

mod engine;
mod machine;
mod memory;
mod program;
mod rng;
mod stats;
mod synthetic;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Measures dwindle: its engine, its minimisers, and its presets beside other reducers
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// What the engine adds to the work that has to be done anyway, with the bounds it has to keep
    Engine(engine::EngineArgs),
    /// Queries and sizes of every list minimiser on lists with predicates in the same process
    Synthetic(synthetic::SyntheticArgs),
    /// Memory of one in-process reduction (`engine` starts it)
    #[command(hide = true)]
    PeakOfList,
}

fn main() -> ExitCode {
    // The tests that `engine` runs have supervisors, which are this program started again.
    dwindle_exec::supervisor::run_if_asked();
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            anstream::eprintln!("dwindle-bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether everything that was checked holds.
fn run() -> Result<bool> {
    match Cli::parse().command {
        Command::Engine(args) => engine::run(&args),
        Command::Synthetic(args) => synthetic::run(&args).map(|()| true),
        Command::PeakOfList => engine::peak_of_list().map(|()| true),
    }
}
