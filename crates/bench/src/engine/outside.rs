//! How much of the wall time of a reduction is spent outside tests: 200 KB of C, a test of 20 ms, `perses`.
//!
//! The test is a compiled program that sleeps, looks for the names that must stay, and notes how long it has taken from
//! its first line to its last; starting it is the engine's share.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::Claim;
use super::instructions::c_program;
use super::scale::{build, summary};
use crate::program::dwindle;
use crate::stats::timed;

/// About 200 KB.
const LINES: usize = 6_700;
/// Every so many functions, one must stay.
const EVERY: usize = 67;

/// `outside CANDIDATE LOG NAME...`
const TEST: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    double begin = now();
    struct timespec pause = {0, 20000000};
    nanosleep(&pause, 0);
    static char text[1 << 20];
    FILE *file = fopen(argv[1], "r");
    if (!file) return 2;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    int boring = 0;
    for (int i = 3; i < argc; i++) boring |= !strstr(text, argv[i]);
    FILE *log = fopen(argv[2], "a");
    fprintf(log, "%.9f\n", now() - begin);
    fclose(log);
    return boring;
}
"#;

pub(super) fn measure() -> Result<Vec<Claim>> {
    let dir = tempfile::tempdir().context("a directory for the program")?;
    let test = build(dir.path(), "outside", TEST)?;
    let (input, log) = (dir.path().join("input.c"), dir.path().join("log"));
    let text = c_program(LINES);
    std::fs::write(&input, &text)?;
    let names = (0..LINES / 10).step_by(EVERY).map(|number| format!("f{number}("));
    let mut command = Command::new(dwindle()?);
    command.args(["reduce", "--quiet", "--json", "--no-run-dir", "--sandbox", "none", "-j", "1"]);
    command.args(["--preset", "perses", "-o"]).arg(dir.path().join("reduced.c")).arg(&input);
    command.args(["--exit", "0", "--"]).arg(&test).arg("{}").arg(&log).args(names);
    let (wall, output) = timed(|| command.stdin(Stdio::null()).stderr(Stdio::inherit()).output());
    let queries = summary(&output?)?;
    let inside = time_inside(&log)?;
    let what = format!(
        "{} bytes of C, a test of 20 ms, `perses`, {queries} queries: wall time outside the test",
        text.len()
    );
    Ok(vec![Claim::new(what, 100.0 * (1.0 - inside / wall.as_secs_f64()), " %").at_most(5.0)])
}

/// What the runs of the test have noted, in seconds.
fn time_inside(log: &Path) -> Result<f64> {
    let text = std::fs::read_to_string(log).context("what the test has noted")?;
    text.lines().map(|line| line.parse::<f64>().with_context(|| format!("no time: {line}"))).sum()
}
