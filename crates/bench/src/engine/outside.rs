//! How much of the time of a reduction is spent outside tests: 200 KB of C, a test of 20 ms, `perses`.
//!
//! The test is a compiled program that sleeps, looks for the names that must stay, and notes how long it has taken from
//! its first line to its last; starting it is the engine's share. On a busy machine everything waits, and the wall time
//! says more about that; so the processor time is there as well.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::Claim;
use super::instructions::c_program;
use super::scale::{build, summary};
use crate::program::dwindle;
use crate::stats::timed;

/// About 200 KB.
const LINES: usize = 8_700;
/// Every so many functions, one must stay.
const EVERY: usize = 87;

/// `outside CANDIDATE LOG NAME...`
const TEST: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    double begin = now(CLOCK_MONOTONIC);
    struct timespec pause = {0, 20000000};
    nanosleep(&pause, 0);
    static char text[1 << 20];
    FILE *file = fopen(argv[1], "r");
    if (!file) return 2;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    int boring = 0;
    for (int i = 3; i < argc; i++) boring |= !strstr(text, argv[i]);
    FILE *log = fopen(argv[2], "a");
    fprintf(log, "%.9f %.9f\n", now(CLOCK_MONOTONIC) - begin, now(CLOCK_PROCESS_CPUTIME_ID));
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
    let before = cpu_of_children()?;
    let (wall, output) = timed(|| command.stdin(Stdio::null()).stderr(Stdio::inherit()).output());
    let queries = summary(&output?)?;
    let cpu = cpu_of_children()? - before;
    let (inside, cpu_inside) = time_inside(&log)?;
    let what = format!("{} bytes of C, a test of 20 ms, `perses`, {queries} queries", text.len());
    let share = |outside: f64, whole: f64| 100.0 * outside.max(0.0) / whole;
    Ok(vec![
        Claim::new(
            format!("{what}: wall time outside the test ÷ all"),
            share(wall.as_secs_f64() - inside, wall.as_secs_f64()),
            " %",
        )
        .at_most(5.0),
        Claim::new(
            "the same: processor time outside the test ÷ wall time inside it",
            share(cpu - cpu_inside, inside),
            " %",
        )
        .at_most(5.0),
    ])
}

/// What the runs of the test have noted, in seconds: wall time and processor time.
fn time_inside(log: &Path) -> Result<(f64, f64)> {
    let text = std::fs::read_to_string(log).context("what the test has noted")?;
    let mut total = (0.0, 0.0);
    for line in text.lines() {
        let times = line.split_once(' ').context("a line has two times")?;
        total.0 += times.0.parse::<f64>()?;
        total.1 += times.1.parse::<f64>()?;
    }
    Ok(total)
}

/// Processor time of all processes that this one has waited for, and those they have waited for, in seconds.
fn cpu_of_children() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The name in parentheses may have blanks; the times of children are the 14th and 15th field after it.
    let (_, fields) = stat.rsplit_once(") ").context("/proc/self/stat has a name")?;
    let times = fields.split(' ').skip(13).take(2).map(str::parse::<f64>);
    Ok(times.sum::<Result<f64, _>>()? / f64::from(TICKS))
}

/// Clock ticks a second, as Linux reports times to programs on every machine.
const TICKS: u8 = 100;
