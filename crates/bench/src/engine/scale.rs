//! A log of 100,000 lines with a compiled checker, through the `dwindle` command: the same result at any `-j`, memory
//! against the size of the input, queries against ddmin on the list of lines in memory.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use dwindle::Reduction;
use dwindle_core::{Event, Subset};
use dwindle_delta::{Ddmin, ListMinimizer, PredicateList};
use serde::Deserialize;

use super::Claim;
use super::log::{CHECKER, Log, shows_double_free};
use crate::memory::family_peak;
use crate::program::dwindle;

const JOBS: [usize; 3] = [1, 2, 4];

/// The part of `dwindle reduce --json` that is looked at.
#[derive(Debug, Deserialize)]
struct Summary {
    queries: u64,
}

struct Reduced {
    text: Vec<u8>,
    queries: u64,
    peak: u64,
}

pub(super) fn measure(lines: usize) -> Result<Vec<Claim>> {
    let dir = tempfile::tempdir().context("a directory for the log")?;
    let checker = compile(dir.path())?;
    let log = Log::generate(lines, 2);
    let input = dir.path().join("input.log");
    std::fs::write(&input, &log.text)?;
    let mut list = PredicateList::new(|kept: &Subset| log.shows_double_free(kept));
    let left = Ddmin::default().minimize(&vec![1; log.lines()], &mut list).expect("there is no limit");
    let in_memory = list.queries();
    let expected: String = {
        let all: Vec<&str> = log.text.split_inclusive('\n').collect();
        left.iter().map(|line| all[line]).collect()
    };

    let mut claims = Vec::new();
    for (name, options) in [("ddmin over lines", &["--preset", "ddmin"] as &[&str]), ("our default", &[])] {
        let mut runs = Vec::new();
        for jobs in JOBS {
            let reduced = reduce(&checker, &input, jobs, options)
                .with_context(|| format!("log of {lines} lines, {name}, -j {jobs}"))?;
            claims.push(
                Claim::new(
                    format!("log of {lines} lines, {name}, -j {jobs}: peak memory ÷ input"),
                    reduced.peak as f64 / log.text.len() as f64,
                    " ×",
                )
                .at_most(10.0),
            );
            runs.push(reduced);
        }
        let first = &runs[0];
        let same = |run: &Reduced| run.text == first.text && run.queries == first.queries;
        claims.push(Claim::fact(
            format!("the same, {name}: same result and queries at -j 1, 2, 4"),
            runs.iter().all(same),
        ));
        let queries = if options.is_empty() {
            claims.push(Claim::new(
                format!(
                    "the same, {name}: bytes left (the needed lines have {}), {} queries in all",
                    expected.len(),
                    first.queries
                ),
                first.text.len() as f64,
                "",
            ));
            queries_to(&log.text, expected.len() as u64)?
        } else {
            claims.push(Claim::fact(
                format!("the same, {name}: just the needed lines are left"),
                first.text == expected.as_bytes(),
            ));
            first.queries
        };
        claims.push(
            Claim::new(
                format!(
                    "the same, {name}: {queries} queries until nothing is left but as much as the needed lines ÷ \
                     {in_memory} of ddmin in memory"
                ),
                queries as f64 / in_memory as f64,
                " ×",
            )
            .at_most(1.2),
        );
    }
    Ok(claims)
}

/// Logs of these sizes, in millions of bytes.
const MEGABYTES: [usize; 3] = [1, 10, 100];
/// About what a line of the log has.
const LINE: usize = 75;

/// Logs of 1, 10 and 100 MB: memory against the input, beyond what a run takes for next to nothing, and queries.
pub(super) fn sizes() -> Result<Vec<Claim>> {
    let dir = tempfile::tempdir().context("a directory for the log")?;
    let checker = compile(dir.path())?;
    let input = dir.path().join("input.log");
    let run = |log: &Log, options: &[&str]| {
        std::fs::write(&input, &log.text)?;
        reduce(&checker, &input, 2, options)
    };
    let least = run(&Log::generate(100, 2), &[])?.peak;
    let mut claims = vec![Claim::new("log of 100 lines, -j 2: peak memory", least as f64 / 1e6, " MB")];
    for megabytes in MEGABYTES {
        let log = Log::generate(megabytes * 1_000_000 / LINE, 2);
        for (name, options) in [("ddmin over lines", &["--preset", "ddmin"] as &[&str]), ("our default", &[])]
        {
            let reduced = run(&log, options).with_context(|| format!("log of {megabytes} MB, {name}"))?;
            let what = format!(
                "log of {megabytes} MB, {name}, -j 2: {} queries, {} bytes left; peak memory beyond that ÷ input",
                reduced.queries,
                reduced.text.len()
            );
            let more = reduced.peak.saturating_sub(least);
            claims.push(Claim::new(what, more as f64 / log.text.len() as f64, " ×").at_most(10.0));
        }
    }
    Ok(claims)
}

/// How many queries our default makes until the log is no larger than `bytes`.
fn queries_to(text: &str, bytes: u64) -> Result<u64> {
    let (mut queries, mut reached) = (0, None);
    Reduction::new(text)
        .test(shows_double_free)
        .known_interesting()
        .observer(|event| match event {
            Event::Answered { hit: false, .. } => queries += 1,
            Event::Accepted { best } if best.size() <= bytes => {
                reached.get_or_insert(queries);
            }
            _ => {}
        })
        .run()?;
    reached.context("the reduction ends with more than the needed lines")
}

/// The checker, compiled into `dir`.
pub(super) fn compile(dir: &Path) -> Result<PathBuf> {
    build(dir, "checker", CHECKER)
}

/// A C program, compiled into `dir`.
pub(super) fn build(dir: &Path, name: &str, text: &str) -> Result<PathBuf> {
    let (source, program) = (dir.join(name).with_extension("c"), dir.join(name));
    std::fs::write(&source, text)?;
    let status = Command::new("cc")
        .args(["-O2", "-w", "-o"])
        .args([&program, &source])
        .stdin(Stdio::null())
        .status()
        .context("a C compiler is needed: `cc` cannot be started")?;
    anyhow::ensure!(status.success(), "`cc` cannot compile {name}");
    Ok(program)
}

/// The queries of a `dwindle reduce --json` that has ended.
pub(super) fn summary(output: &Output) -> Result<u64> {
    anyhow::ensure!(output.status.success(), "dwindle ended with {}", output.status);
    let summary: Summary =
        serde_json::from_slice(&output.stdout).context("the summary of `dwindle reduce --json`")?;
    Ok(summary.queries)
}

fn reduce(checker: &Path, input: &Path, jobs: usize, options: &[&str]) -> Result<Reduced> {
    let output = input.with_file_name("reduced.log");
    let child = Command::new(dwindle()?)
        .args(["reduce", "--quiet", "--json", "--no-run-dir", "--sandbox", "none", "-j"])
        .arg(jobs.to_string())
        .args(options)
        .arg("-o")
        .arg(&output)
        .args([checker, input])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let (peak, ended) = watched(child)?;
    let queries = summary(&ended)?;
    Ok(Reduced { text: std::fs::read(&output)?, queries, peak })
}

/// Waits for a process and sees how much memory it has. What is read is a high-water mark, so looking now and then
/// loses only what is allocated for the first time in its last moments.
fn watched(mut child: Child) -> Result<(u64, Output)> {
    let mut peak = 0;
    loop {
        peak = family_peak(child.id()).unwrap_or(0).max(peak);
        match child.try_wait()? {
            Some(_) => return Ok((peak, child.wait_with_output()?)),
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}
