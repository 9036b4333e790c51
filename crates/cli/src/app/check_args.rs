//! The options of tests with several checks, and how their values are written.

use clap::{Args, ValueEnum};

/// A test that is made of several checks.
#[derive(Debug, Args)]
#[command(next_help_heading = "A test with several checks")]
pub(crate) struct CheckArgs {
    /// One check of the test, instead of a test script: holds if the command exits with 0; all must hold. Repeatable
    #[arg(long, value_name = "NAME=CMD", value_parser = named)]
    pub(crate) check: Vec<(String, String)>,

    /// How the checks are run; several may be given, separated by commas
    #[arg(long, value_name = "MODE", value_enum, value_delimiter = ',', requires = "check")]
    pub(crate) checks: Vec<CheckMode>,

    /// Others that must hold before this check, and whose files it finds in its directory. Repeatable
    #[arg(long, value_name = "NAME=OTHER,...", value_parser = named, requires = "check")]
    pub(crate) check_needs: Vec<(String, String)>,

    /// What a run of this check costs beside the others (any unit), instead of the time it takes. Repeatable
    #[arg(long, value_name = "NAME=COST", value_parser = named, requires = "checks")]
    pub(crate) check_cost: Vec<(String, String)>,

    /// Which check of a test script failed, by its exit status; in the order in which the script runs them
    #[arg(
        long,
        value_name = "N=NAME,...",
        value_parser = named,
        value_delimiter = ',',
        conflicts_with_all = ["check", "command"]
    )]
    pub(crate) check_exit: Vec<(String, String)>,

    /// The checks that a test script reports to the file $DWINDLE_CHECKS, in order [default: those it reports on the input]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', conflicts_with_all = ["check", "command"])]
    pub(crate) check_names: Vec<String>,
}

/// How the checks are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckMode {
    /// One after the other until one fails (the default)
    Sequential,
    /// All that are independent at once, each to its end
    Parallel,
    /// Those that reject nothing on their own wait for what all others let through
    Dedup,
    /// Those first that fail most often for what they cost
    Adaptive,
}

fn named(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write NAME=VALUE, such as compiles='gcc -c {}'".to_owned()),
    }
}
