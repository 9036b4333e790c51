//! `dwindle-bench`: workloads, contestants and tables, the numbers behind dwindle's claims.

mod caches;
mod cases;
mod check;
mod contest;
mod engine;
mod formulas;
mod links;
mod lists;
mod machine;
mod memory;
mod output;
mod program;
mod published;
mod rng;
mod shield;
mod stats;
mod synthetic;
mod trees;

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
    /// Queries and sizes of presets on generated C programs
    Trees(trees::TreesArgs),
    /// How long the lists are that tree presets reduce on cases, and how many queries go into them
    Lists(lists::ListsArgs),
    /// Calls and sizes of the strategies for linked items, on generated models
    Formulas(formulas::FormulasArgs),
    /// Definitions as linked items beside plain list reduction, on generated programs or cases
    Links(links::LinksArgs),
    /// Memory, time and saved queries of every cache scheme, with the bounds the default has to keep
    Caches(caches::CachesArgs),
    /// Tables and worked examples of the documents we build on, next to what we get
    Published(published::PublishedArgs),
    /// Our presets and other reducers on cases, by one protocol
    Run(contest::RunArgs),
    /// Ours on what others have left, and others on what ours has left
    Relay(contest::RelayArgs),
    /// Our default with each of its passes left out in turn
    Ablation(contest::AblationArgs),
    /// Install the other reducers, and what cases need, with the ordinary package clients
    Install(contest::InstallArgs),
    /// Compare query counts and sizes of a fast set of workloads with the committed baseline
    Check(check::CheckArgs),
    /// Run a test and count it (`run` puts it around the tests of cases)
    #[command(hide = true)]
    Count(contest::CountArgs),
    /// Do an operation of the engine many times (`engine instructions` counts them)
    #[command(hide = true)]
    Spin {
        #[arg(value_enum)]
        operation: engine::Operation,
        times: usize,
    },
    /// Memory of one in-process reduction (`engine` starts it)
    #[command(hide = true)]
    PeakOfList,
}

fn main() -> ExitCode {
    // The tests that `engine` runs have supervisors, which are this program started again.
    dwindle_exec::supervisor::run_if_asked();
    let command = Cli::parse().command;
    if let Command::Count(args) = &command {
        // The status of the test is what counts; a wrapper that fails makes a candidate boring.
        return contest::count(args).unwrap_or(ExitCode::from(125));
    }
    match run(command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            anstream::eprintln!("dwindle-bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether everything that was checked holds.
fn run(command: Command) -> Result<bool> {
    match command {
        Command::Run(args) => contest::run(&args),
        Command::Relay(args) => contest::relay(&args),
        Command::Ablation(args) => contest::ablation(&args),
        Command::Install(args) => contest::install(&args),
        Command::Check(args) => check::run(&args),
        Command::Count(_) => unreachable!("done before"),
        Command::Caches(args) => caches::run(&args),
        Command::Formulas(args) => formulas::run(&args),
        Command::Links(args) => links::run(&args).map(|()| true),
        Command::Published(args) => published::run(&args),
        Command::Trees(args) => trees::run(&args).map(|()| true),
        Command::Lists(args) => lists::run(&args).map(|()| true),
        Command::Engine(args) => engine::run(&args),
        Command::Synthetic(args) => synthetic::run(&args).map(|()| true),
        Command::Spin { operation, times } => {
            engine::spin(operation, times);
            Ok(true)
        }
        Command::PeakOfList => engine::peak_of_list().map(|()| true),
    }
}
