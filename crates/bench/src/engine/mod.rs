//! `dwindle-bench engine`: what the engine adds to the work that has to be done anyway.
//!
//! Each measurement runs dwindle and something bare side by side, in turns, and prints the ratio with its bound beside
//! it. Times of their own are not printed: they say more about the machine and who else is on it.

mod claim;
mod fork;
mod instructions;
mod list;
mod log;
mod outside;
mod persistent;
mod scale;

use anyhow::Result;
use clap::{Args, ValueEnum};

pub(crate) use claim::{Claim, HEADER};
pub(crate) use instructions::{Operation, spin};
pub(crate) use list::peak_of_list;

/// What of the engine is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// An in-process predicate on a list of 100,000 elements
    List,
    /// A test that does nothing, beside a bare fork and exec
    Fork,
    /// A persistent test, beside the same test started anew
    Persistent,
    /// Wall time outside the test, with a test of 20 ms on 200 KB of C
    Outside,
    /// A log of 100,000 lines with a compiled checker, at -j 1, 2 and 4
    Scale,
    /// Logs of 1, 10 and 100 MB
    Sizes,
    /// Instructions of single operations, counted by callgrind
    Instructions,
}

#[derive(Debug, Args)]
pub(crate) struct EngineArgs {
    /// Only these parts [default: all]
    #[arg(value_enum)]
    parts: Vec<Part>,

    /// How often each side runs; the middle value counts
    #[arg(long, value_name = "N")]
    repeat: Option<usize>,

    /// Lines of the log in `scale`
    #[arg(long, value_name = "N", default_value = "100000")]
    lines: usize,
}

/// Measures, prints, and says whether all bounds hold.
pub(crate) fn run(args: &EngineArgs) -> Result<bool> {
    let parts: &[Part] = match args.parts.as_slice() {
        [] => Part::value_variants(),
        some => some,
    };
    anstream::println!("{}\n", crate::machine::Load::now());
    anstream::println!("{}", HEADER);
    let mut hold = true;
    for part in parts {
        let claims = match part {
            Part::List => list::measure(args.repeat.unwrap_or(15))?,
            Part::Fork => fork::measure(args.repeat.unwrap_or(1000))?,
            Part::Persistent => persistent::measure(args.repeat.unwrap_or(30))?,
            Part::Outside => outside::measure(args.repeat.unwrap_or(3))?,
            Part::Scale => scale::measure(args.lines)?,
            Part::Sizes => scale::sizes()?,
            Part::Instructions => instructions::measure()?,
        };
        for claim in claims {
            anstream::println!("{claim}");
            hold &= claim.holds();
        }
    }
    Ok(hold)
}

/// A log with a double free, as text.
pub(crate) fn log_of(lines: usize) -> String {
    log::Log::generate(lines, 2).text
}

/// Whether a log shows a double free.
pub(crate) fn log_shows_double_free(text: &[u8]) -> bool {
    log::shows_double_free(text)
}
