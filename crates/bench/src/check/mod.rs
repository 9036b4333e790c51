//! `dwindle-bench check`: query counts and sizes of a fast set of workloads against a committed baseline.
//!
//! Counts only, no times: the same on every machine, so that a difference always means that behaviour changed. A commit
//! that changes it on purpose updates the baseline with `--update`, and the diff of that file shows what it did.

mod baseline;
mod workloads;

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use baseline::Baseline;

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Take what is measured now as the baseline
    #[arg(long)]
    update: bool,

    /// Where the baseline is
    #[arg(long, value_name = "FILE", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/baseline.json"))]
    baseline: PathBuf,

    /// Only workloads whose name begins so
    #[arg(long, value_name = "PREFIX", conflicts_with = "update")]
    only: Option<String>,
}

/// Whether nothing changed, or the change was taken.
pub(crate) fn run(args: &CheckArgs) -> Result<bool> {
    let wanted = |name: &str| args.only.as_deref().is_none_or(|prefix| name.starts_with(prefix));
    let now = workloads::measure(&wanted)?;
    if args.update {
        let before = Baseline::read(&args.baseline).unwrap_or_default();
        for change in before.changes(&now) {
            anstream::println!("{change}");
        }
        now.write(&args.baseline)?;
        anstream::println!("{} workloads are the baseline now", now.len());
        return Ok(true);
    }
    let before = Baseline::read(&args.baseline)?.only(&wanted);
    let changes = before.changes(&now);
    for change in &changes {
        anstream::println!("{change}");
    }
    if changes.is_empty() {
        anstream::println!("{} workloads, all as in the baseline", now.len());
    } else {
        anstream::println!(
            "{} of {} workloads differ from the baseline; if that is meant, run `dwindle-bench check --update` and commit \
             the baseline with the change",
            changes.len(),
            now.len()
        );
    }
    Ok(changes.is_empty())
}
