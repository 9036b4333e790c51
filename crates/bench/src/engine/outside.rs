//! How much of the time of a reduction is spent outside tests: 200 KB of C, a test of 20 ms, `perses` and our default.
//!
//! The test is a compiled program that sleeps, looks for the names that must stay, and notes when its first line ran and
//! its last. To start a process takes its time whoever does it, so it is measured how long that is without dwindle, and
//! the share is told with it and without. On a busy machine everything waits, and the wall time says more about that; so
//! the processor time is there as well, and the middle pause between two tests, which does not mind a few long ones.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use tempfile::TempDir;

use super::Claim;
use super::instructions::c_program;
use super::scale::{build, summary};
use crate::program::dwindle;
use crate::stats::{median, timed};

/// About 200 KB.
const LINES: usize = 8_700;
/// Every so many functions, one must stay.
const EVERY: usize = 87;
/// How often the test is started without dwindle.
const BARE_STARTS: usize = 50;

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
    fprintf(log, "%.9f %.9f %.9f\n", begin, now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID));
    fclose(log);
    return boring;
}
"#;

/// What is reduced, and with what.
struct Scene {
    dir: TempDir,
    test: PathBuf,
    input: PathBuf,
    names: Vec<String>,
}

/// One reduction, in seconds.
struct Trial {
    queries: u64,
    wall: f64,
    /// What the test has seen of it.
    inside: f64,
    /// Processor time outside the test.
    cpu: f64,
    /// What a bare start of the test takes beside what it sees.
    start: f64,
    runs: usize,
    /// The middle time from the end of one test to the begin of the next.
    pause: f64,
}

pub(super) fn measure(repeat: usize) -> Result<Vec<Claim>> {
    let scene = Scene::new()?;
    let mut claims = Vec::new();
    for preset in ["perses", "auto"] {
        let trials = (0..repeat.max(1)).map(|_| scene.trial(preset)).collect::<Result<Vec<Trial>>>()?;
        let middle = |value: fn(&Trial) -> f64| {
            let values: Vec<f64> = trials.iter().map(|trial| value(trial).max(0.0)).collect();
            median(&values).expect("there is a trial at least")
        };
        let percent = |share| 100.0 * middle(share);
        let (bytes, queries) = (std::fs::metadata(&scene.input)?.len(), trials[0].queries);
        let what = format!("{bytes} bytes of C, a test of 20 ms, `{preset}`, {queries} queries");
        let outside = percent(|trial| (trial.wall - trial.inside) / trial.wall);
        let own = percent(|trial| (trial.wall - trial.inside - trial.start * trial.runs as f64) / trial.wall);
        let cpu = percent(|trial| trial.cpu / trial.inside);
        let pause = middle(|trial| trial.pause / trial.start);
        claims.extend([
            Claim::new(format!("{what}: wall time outside the test ÷ all"), outside, " %").at_most(5.0),
            Claim::new("the same, without what bare starts of the test take", own, " %").at_most(5.0),
            Claim::new("the same: processor time outside the test ÷ wall time inside it", cpu, " %")
                .at_most(5.0),
            Claim::new("the same: middle pause between two tests ÷ a bare start of the test", pause, " ×"),
        ]);
    }
    Ok(claims)
}

impl Scene {
    fn new() -> Result<Self> {
        let dir = tempfile::tempdir().context("a directory for the program")?;
        let test = build(dir.path(), "outside", TEST)?;
        let input = dir.path().join("input.c");
        std::fs::write(&input, c_program(LINES))?;
        let names = (0..LINES / 10).step_by(EVERY).map(|number| format!("f{number}("));
        Ok(Scene { test, input, names: names.collect(), dir })
    }

    fn trial(&self, preset: &str) -> Result<Trial> {
        let log = self.dir.path().join("log");
        let mut command = Command::new(dwindle()?);
        command.args(["reduce", "--quiet", "--json", "--no-run-dir", "--sandbox", "none", "-j", "1"]);
        command.args(["--preset", preset, "-o"]).arg(self.dir.path().join("reduced.c")).arg(&self.input);
        command.args(["--exit", "0", "--"]).arg(&self.test).arg("{}").arg(&log).args(&self.names);
        let before = cpu_of_children()?;
        let (wall, output) = timed(|| command.stdin(Stdio::null()).stderr(Stdio::inherit()).output());
        let queries = summary(&output?)?;
        let cpu = cpu_of_children()? - before;
        let inside = Inside::of(&log)?;
        let start = self.bare_start(&log)?;
        Ok(Trial {
            queries,
            wall: wall.as_secs_f64(),
            inside: inside.wall,
            cpu: cpu - inside.cpu,
            start,
            runs: inside.runs,
            pause: median(&inside.pauses).context("there are two tests at least")?,
        })
    }

    /// What the test takes on the input beside what it sees, when it is started without anything around it.
    fn bare_start(&self, log: &Path) -> Result<f64> {
        let start = || -> Result<f64> {
            let mut test = Command::new(&self.test);
            test.arg(&self.input).arg(log).args(&self.names);
            let (wall, status) = timed(|| test.stdin(Stdio::null()).status());
            anyhow::ensure!(status?.success(), "the test fails on the input");
            Ok(wall.as_secs_f64() - Inside::of(log)?.wall)
        };
        let starts = (0..BARE_STARTS).map(|_| start()).collect::<Result<Vec<f64>>>()?;
        Ok(median(&starts).expect("there are some"))
    }
}

/// What the runs of the test have noted, in seconds.
struct Inside {
    runs: usize,
    wall: f64,
    cpu: f64,
    /// Between one and the next.
    pauses: Vec<f64>,
}

impl Inside {
    /// Takes the notes away.
    fn of(log: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(log).context("what the test has noted")?;
        std::fs::remove_file(log)?;
        let mut inside = Inside { runs: 0, wall: 0.0, cpu: 0.0, pauses: Vec::new() };
        let mut last = None;
        for line in text.lines() {
            let times = line.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>()?;
            let [begin, end, cpu] = times[..] else { anyhow::bail!("the test notes three times") };
            inside.runs += 1;
            inside.wall += end - begin;
            inside.cpu += cpu;
            inside.pauses.extend(last.replace(end).map(|last: f64| begin - last));
        }
        Ok(inside)
    }
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
