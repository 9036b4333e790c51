//! What can be typed: the command line and its help texts.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum, ValueHint};
use dwindle::delta::{LoopOrder, Split, SplitFactor, Visit};
use dwindle_logic::Strategy;

use super::also::AlsoArgs;
use super::check_args::CheckArgs;
use super::format::FormatArgs;
use super::jar::JarArgs;
use super::language::{LanguageArgs, SourceArgs};
use super::propose::ProposeArgs;
use super::values::{
    bytes, cache_name, duration, effort, granularity, probability, share, strategies, tool, weight,
};

/// Makes an input that shows a bug as small as possible.
///
/// Give it a file that makes a tool misbehave and a test that says whether a variant still does; it returns the
/// smallest variant it can find, in as few runs of the test as it can.
#[derive(Debug, Parser)]
#[command(name = "dwindle", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Reduce a file, several files or a directory
    Reduce(Box<ReduceArgs>),
    /// Reduce linked items (packages, features, options, rows) under a model of who needs whom
    Logic(Box<LogicArgs>),
    /// Reduce Java bytecode: a jar, a directory of classes or a class file
    Jar(Box<JarArgs>),
    /// Run several tools on many inputs: which failures are bugs, which are limits that all share?
    Triage(TriageArgs),
    /// Run a reduction that is built in, with nothing to install or write
    Demo(DemoArgs),
    /// Go on with a run that was stopped or killed
    Resume(ResumeArgs),
    /// List the languages that are built in, and what is known of them
    Languages(LanguagesArgs),
    /// Show what a file's grammar makes of it: what can go, what belongs together
    Tree(TreeArgs),
    /// List the passes a pipeline can be made of
    Passes,
    /// List the presets: published algorithms and our own pipeline
    Presets,
    /// List, explain and check rewrite rules
    Rules(RulesArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "dwindle reduce [OPTIONS] <TEST> <INPUT>...\n       \
                      dwindle reduce [OPTIONS] <INPUT>... <--exit N|--crash|--signal|--stdout RE|--stderr RE> -- CMD {}\n       \
                      dwindle reduce [OPTIONS] <INPUT>... --check NAME=CMD [--check NAME=CMD]...",
    after_help = "The test runs in a directory of its own that holds only the candidate, under the input's own name; its \
                  path is also $1 and $DWINDLE_INPUT. Exit status 0 means interesting."
)]
pub(crate) struct ReduceArgs {
    /// The test, then the input: one file, several, or a directory. Without a test if a command follows `--`
    #[arg(required = true, value_name = "TEST> <INPUT", value_hint = ValueHint::FilePath)]
    pub(crate) paths: Vec<PathBuf>,

    /// A command to watch instead of a test script; `{}` stands for the candidate's path
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,

    #[command(flatten)]
    pub(crate) conditions: Conditions,

    #[command(flatten)]
    pub(crate) checks: CheckArgs,

    #[command(flatten)]
    pub(crate) panel: PanelArgs,

    #[command(flatten)]
    pub(crate) also: AlsoArgs,

    #[command(flatten)]
    pub(crate) test: TestArgs,

    #[command(flatten)]
    pub(crate) algorithm: AlgorithmArgs,

    #[command(flatten)]
    pub(crate) propose: ProposeArgs,

    #[command(flatten)]
    pub(crate) source: SourceArgs,

    #[command(flatten)]
    pub(crate) cache: CacheArgs,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,

    #[command(flatten)]
    pub(crate) format: FormatArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "dwindle logic [OPTIONS] --items FILE [--model FILE] <TEST>\n       \
                      dwindle logic [OPTIONS] --items FILE [--model FILE] <--exit N|--crash|--signal|--stdout RE|--stderr RE> -- CMD {}",
    after_help = "The test gets a file with the names of the kept items, one a line: its path is $1 and $DWINDLE_INPUT. With \
                  --files the files of the kept items are in its work directory, too. Exit status 0 means interesting; the \
                  full set must be."
)]
pub(crate) struct LogicArgs {
    /// The test. Not given if a command follows `--`
    #[arg(required_unless_present_any = ["command", "check"], conflicts_with_all = ["command", "check"], value_hint = ValueHint::FilePath)]
    pub(crate) test: Option<PathBuf>,

    /// A command to watch instead of a test script; `{}` stands for the path of the list of names
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,

    #[command(flatten)]
    pub(crate) linked: LinkedArgs,

    #[command(flatten)]
    pub(crate) conditions: Conditions,

    #[command(flatten)]
    pub(crate) checks: CheckArgs,

    #[command(flatten)]
    pub(crate) test_args: TestArgs,

    #[command(flatten)]
    pub(crate) cache: CacheArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What to reduce, and how")]
pub(crate) struct LinkedArgs {
    /// The items: a JSON list of names, or of objects with `name`, `parent`, `weight`, `required`, `file`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) items: PathBuf,

    /// Which sets are valid: rules in JSON, or clauses in DIMACS CNF [default: items need their parents, no more]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) model: Option<PathBuf>,

    #[arg(long, value_name = "NAME", default_value = "gbr", help = strategies(), value_parser = str::parse::<Strategy>)]
    pub(crate) strategy: Strategy,

    /// How many prefixes a search of the gbr and binary strategies probes at a time: fewer rounds with several jobs
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u8).range(1..))]
    pub(crate) probes: u8,

    /// Let the gbr strategies drop single items at the end, each with what needs it: for tests that are not monotone
    #[arg(long)]
    pub(crate) closing: bool,

    /// Let the gbr strategies learn rules that the test prints, as lines `dwindle-rule: RULE` in the form of the JSON model
    #[arg(long)]
    pub(crate) lessons: bool,

    /// Put the files of the kept items into the test's work directory, and into the result, beside the list of names
    #[arg(long)]
    pub(crate) files: bool,

    /// Where the result goes: a file of names, or a directory with --files [default: the items' name with `.reduced`]
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) output: Option<PathBuf>,
}

/// What makes a run of the command interesting; all that are given must hold.
#[derive(Debug, Args)]
#[command(next_help_heading = "Interesting if (with -- CMD; all given must hold)")]
pub(crate) struct Conditions {
    /// The command exits with this status
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) exit: Option<i32>,

    /// The command is ended by a signal (this one, if a number is given)
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true)]
    pub(crate) signal: Option<Option<i32>>,

    /// The command crashes: ended by a signal, or exit status 128 + n as shells report it
    #[arg(long)]
    pub(crate) crash: bool,

    /// Its standard output matches this regular expression
    #[arg(long, value_name = "RE")]
    pub(crate) stdout: Option<String>,

    /// Its standard error matches this regular expression
    #[arg(long, value_name = "RE")]
    pub(crate) stderr: Option<String>,

    /// It runs into the time limit (give --timeout)
    #[arg(long)]
    pub(crate) timeout_is_interesting: bool,
}

impl Conditions {
    pub(crate) fn is_empty(&self) -> bool {
        let Conditions { exit, signal, crash, stdout, stderr, timeout_is_interesting } = self;
        exit.is_none()
            && signal.is_none()
            && !crash
            && stdout.is_none()
            && stderr.is_none()
            && !timeout_is_interesting
    }
}

/// Other tools of the same kind, which should cope with what the target fails on.
#[derive(Debug, Args)]
#[command(next_help_heading = "A panel of other tools")]
pub(crate) struct PanelArgs {
    /// Another tool that must still cope (exit status 0) with a candidate to be taken; `{}` stands for its path. Repeatable
    #[arg(long, value_name = "CMD")]
    pub(crate) panel: Vec<String>,

    /// The share of all tools, the failing target among them, that must cope [default: all but the target]
    #[arg(long, value_name = "E", requires = "panel", value_parser = share)]
    pub(crate) panel_easiness: Option<f64>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "A tool's command is asked whether the tool's own result on the input is wrong: exit status 0 means sound (no sign \
                  of it), 1 unsound (wrong for sure; the first line of its output is taken as the difference), anything else or \
                  a time-out no answer. It runs in a directory of its own that holds only the input."
)]
pub(crate) struct TriageArgs {
    /// The inputs: files or directories
    #[arg(required = true, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    pub(crate) inputs: Vec<PathBuf>,

    /// A tool and the command that checks it, at least twice; `{}` stands for the input's path
    #[arg(long = "tool", required = true, value_name = "NAME=COMMAND", value_parser = tool)]
    pub(crate) tools: Vec<ToolArg>,

    /// How much a tool's vote counts [default: 1]
    #[arg(long = "weight", value_name = "NAME=W", value_parser = weight)]
    pub(crate) weights: Vec<(String, f64)>,

    /// From this easiness up, a failure is a bug [default: (n-1)/n for n tools: one fails alone]
    #[arg(long, value_name = "E", value_parser = share)]
    pub(crate) bug_from: Option<f64>,

    /// Below this easiness, a failure is a limit that the tools share [default: 1/n: all fail]
    #[arg(long, value_name = "E", value_parser = share)]
    pub(crate) feature_below: Option<f64>,

    /// How many tools may run at once [default: all cores]
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,

    /// The longest a tool may take on an input
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub(crate) timeout: Duration,

    /// The most memory each process of a tool may have, such as 2G
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) memory: Option<u64>,

    /// What the tools are shut in: bubblewrap lets them write to their work directory only, without network
    #[arg(long, value_enum, default_value_t = SandboxArg::Auto)]
    pub(crate) sandbox: SandboxArg,

    /// Where the work directories go [default: memory-backed storage if there is room, else the temp directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) work_dir: Option<PathBuf>,

    /// Print one JSON object instead of tables
    #[arg(long)]
    pub(crate) json: bool,

    /// Say what each run answers, on standard error
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// A tool by its name, and the command that checks it.
#[derive(Clone, Debug)]
pub(crate) struct ToolArg {
    pub(crate) name: String,
    pub(crate) command: String,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Running the test")]
pub(crate) struct TestArgs {
    /// How many tests may run at once; the result is the same for any number [default: all cores]
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,

    /// The longest a test may take, such as 10s or 500ms [default: 10 times its first run, at least 5s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,

    /// The most memory each process of a test may have, such as 2G
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) memory: Option<u64>,

    /// What the test is shut in: bubblewrap lets it write to its work directory only, without network
    #[arg(long, value_enum, default_value_t = SandboxArg::Auto)]
    pub(crate) sandbox: SandboxArg,

    /// Start the test once per worker: it reads a path a line and answers `0` (interesting) or another number a line
    #[arg(long)]
    pub(crate) persistent: bool,

    /// A candidate must be interesting this many times in a row to be taken (for tests that waver)
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) confirm: NonZeroUsize,

    /// Where the tests' work directories go [default: memory-backed storage if there is room, else the temp directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) work_dir: Option<PathBuf>,

    /// Let the test's output through to standard error
    #[arg(long)]
    pub(crate) show_output: bool,

    /// Stop after this time, with the best so far
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) max_time: Option<Duration>,

    /// Stop after this many runs of the test, with the best so far
    #[arg(long, value_name = "N")]
    pub(crate) max_queries: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SandboxArg {
    /// bubblewrap if dwindle runs as root and it works here, nothing otherwise
    Auto,
    /// bubblewrap, or give up
    Bwrap,
    /// Nothing
    None,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "How to reduce")]
pub(crate) struct AlgorithmArgs {
    /// A published algorithm instead of our own pipeline (`dwindle presets` lists them)
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,

    /// How much the result may cost: `fast` does what gains much for few tests, `max` also what takes many
    #[arg(long, value_name = "fast|normal|max", default_value = "normal", value_parser = effort, conflicts_with_all = ["preset", "passes"])]
    pub(crate) effort: dwindle::Effort,

    /// These passes, in this order, instead of a preset (`dwindle passes` lists them)
    #[arg(long, value_name = "A,B,...", value_delimiter = ',', conflicts_with = "preset")]
    pub(crate) passes: Vec<String>,

    /// Leave these passes out of the pipeline, whatever it is (`--json` lists those that ran)
    #[arg(long, value_name = "A,B,...", value_delimiter = ',')]
    pub(crate) without: Vec<String>,

    /// Repeat the passes until a whole round changes nothing
    #[arg(long, requires = "passes")]
    pub(crate) fixpoint: bool,

    /// The list minimiser inside passes and tree presets [default: their own]
    #[arg(long, value_name = "NAME")]
    pub(crate) list_minimizer: Option<String>,

    /// A parameter of a preset or pass (`dwindle passes` lists them)
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,

    /// Rewrite rules of your own for the `rules` pass, beside those that are built in (`dwindle rules`). Repeatable
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) rules: Vec<PathBuf>,

    /// What a preset's list is made of
    #[arg(long, value_parser = granularity, value_name = "char|line|two-pass|token|bracket", default_value = "line")]
    pub(crate) granularity: dwindle::Granularity,

    /// How ddmin cuts a list into chunks
    #[arg(long, value_name = "zeller|balanced", default_value = "zeller", value_parser = str::parse::<Split>)]
    pub(crate) split: Split,

    /// Into how many chunks a chunk is cut when nothing could be removed; `inf`: single elements at once
    #[arg(long, value_name = "N|inf", default_value = "2", value_parser = str::parse::<SplitFactor>)]
    pub(crate) split_factor: SplitFactor,

    /// In which order ddmin tries chunks alone
    #[arg(long, value_name = ORDERS, default_value = "skip", value_parser = str::parse::<Visit>)]
    pub(crate) subsets: Visit,

    /// In which order ddmin tries to remove chunks
    #[arg(long, value_name = ORDERS, default_value = "backward", value_parser = str::parse::<Visit>)]
    pub(crate) complements: Visit,

    /// Which of the two ddmin tries first
    #[arg(
        long,
        value_name = "subsets-first|complements-first",
        default_value = "subsets-first",
        value_parser = str::parse::<LoopOrder>
    )]
    pub(crate) order: LoopOrder,

    /// How many candidates greeddy looks at before it decides
    #[arg(long, value_name = "N", default_value = "4")]
    pub(crate) window: NonZeroUsize,

    /// The prior of the probabilistic presets [default: the preset's own]
    #[arg(long, value_name = "P", value_parser = probability)]
    pub(crate) sigma: Option<f64>,

    /// Seed of everything random; also lets probabilistic presets draw lots among equals
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "How to reduce")]
pub(crate) struct CacheArgs {
    /// How tested candidates are remembered
    #[arg(long, value_name = "SCHEME", default_value = "hash", value_parser = cache_name)]
    pub(crate) cache: String,

    /// Let the scheme forget what it forgets as published; without this, what a pass may ask for again is remembered by its
    /// fingerprint, and all schemes make the same queries
    #[arg(long)]
    pub(crate) cache_as_published: bool,

    /// Do not remember time-outs and crashes of the test: such candidates are tested again when they come again
    #[arg(long)]
    pub(crate) forget_unresolved: bool,

    /// Keep verdicts in this directory, and use those of earlier runs with the same test
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) cache_dir: Option<PathBuf>,
}

const ORDERS: &str = "forward|backward|random|skip";

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct PlaceArgs {
    /// Where the result goes [default: the input's name with `.reduced` before its extension]
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) output: Option<PathBuf>,

    /// Write the result over the input; the input is kept with `.orig` behind its name
    #[arg(long, conflicts_with = "output")]
    pub(crate) in_place: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Print a summary as one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// Say nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Say more; twice for every run of the test
    #[arg(short, long, action = ArgAction::Count, conflicts_with = "quiet")]
    pub(crate) verbose: u8,

    /// Keep no run directory (`.dwindle/RUN`): the run cannot be resumed
    #[arg(long)]
    pub(crate) no_run_dir: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// How many tests may run at once
    #[arg(short, long, value_name = "N", default_value = "1")]
    pub(crate) jobs: NonZeroUsize,

    /// Print a summary as one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The run: a directory below `.dwindle`, or its name
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) run: PathBuf,

    /// How many tests may run at once [default: as in the run]
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,

    /// Stop after this time, with the best so far; the run's own limit does not count again
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) max_time: Option<Duration>,

    /// Stop after this many runs of the test in all, those of the journal included; the run's own limit does not count again
    #[arg(long, value_name = "N")]
    pub(crate) max_queries: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct LanguagesArgs {
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    /// The language; without it, the languages that have rules are listed
    pub(crate) language: Option<String>,

    /// A rule of it, to be explained
    pub(crate) name: Option<String>,

    /// Rules of your own, beside those that are built in. Repeatable
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) rules: Vec<PathBuf>,

    /// Apply each rule to its own examples and say which do not come out
    #[arg(long)]
    pub(crate) check: bool,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "One line a node, in the order of the text. The sign before it says what it is to the node above: `*` an element \
                  of a list, `,` a separator, `?` optional, `#` a comment or the like, `~` unknown (beside an error, or without a \
                  rule); nothing means that it must stay."
)]
pub(crate) struct TreeArgs {
    /// The file
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) language: LanguageArgs,

    /// Print one JSON object: a flat list of nodes, parents before children
    #[arg(long)]
    pub(crate) json: bool,

    /// Print a graph for Graphviz
    #[arg(long, conflicts_with = "json")]
    pub(crate) dot: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
