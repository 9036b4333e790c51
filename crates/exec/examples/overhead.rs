//! What a run of a test costs beyond starting a process: `/bin/true` through a supervisor and work directory, beside a
//! bare loop that starts it and waits. All alternate, so that the load of the machine hits all alike.
//!
//! `cargo run --release -p dwindle-exec --example overhead [RUNS]`; fails if the plain way costs over 30 % more.

use std::ffi::OsString;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use dwindle_core::{Answer, Cancel, Candidate, Files, Runner, Verdict};
use dwindle_exec::sandbox::Choice;
use dwindle_exec::{
    CommandTest, ExecError, Invocation, Judge, PersistentTest, Property, Sandbox, Setting, Supervisor,
};

const TEST: &str = "/bin/true";

/// The wanted ratio of the plain way to the bare loop.
const LIMIT: f64 = 1.3;

fn bare() {
    let status = Command::new(TEST)
        .arg("/some/candidate.c")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("/bin/true can be started");
    assert!(status.success());
}

/// A way to run a test, with its name.
type Way = (&'static str, Box<dyn Runner>);

fn ways() -> Result<Vec<Way>, ExecError> {
    let setting = || Setting::new(Supervisor::this_program());
    let command = |judge, setting| -> Result<Box<dyn Runner>, ExecError> {
        let test = CommandTest::new(Invocation::test(TEST, []), judge, setting)?;
        test.set_time_limit(Some(Duration::from_secs(60)));
        Ok(Box::new(test))
    };
    let output =
        Property::new().stdout("").and_then(Property::judge).expect("an expression and nothing else");
    let answers = ["-c", "while read -r path; do echo 0; done"].map(OsString::from);
    let mut ways = vec![
        ("through dwindle", command(Judge::ExitStatus, setting())?),
        ("with its output", command(output, setting())?),
        ("with a memory limit", command(Judge::ExitStatus, setting().memory(Some(1 << 30)))?),
        ("persistent", Box::new(PersistentTest::new(Invocation::test("/bin/sh", answers), setting())?)),
    ];
    match Sandbox::choose(Choice::Bubblewrap) {
        Ok(sandbox) => ways.push(("in bubblewrap", command(Judge::ExitStatus, setting().sandbox(sandbox))?)),
        Err(why) => eprintln!("{why}"),
    }
    Ok(ways)
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

fn main() -> ExitCode {
    dwindle_exec::supervisor::run_if_asked();
    let runs: usize = std::env::args().nth(1).and_then(|runs| runs.parse().ok()).unwrap_or(1000);
    let ways = ways().expect("a place for work directories");
    let mut times = vec![Vec::with_capacity(runs); ways.len() + 1];
    for run in 0..runs {
        let started = Instant::now();
        bare();
        times[0].push(started.elapsed());
        for (at, (name, way)) in ways.iter().enumerate() {
            // Another content every time, as in a reduction.
            let content = format!("int x{run};\n").into_bytes();
            let candidate = Candidate::of_files(Files::single("candidate.c", content));
            let started = Instant::now();
            let answer = way.run(0, &candidate, &Cancel::new());
            times[at + 1].push(started.elapsed());
            assert!(matches!(answer, Answer::Verdict(Verdict::Interesting)), "{name}: {answer:?}");
        }
    }
    let medians: Vec<_> = times.iter_mut().map(|times| median(times)).collect();
    let names = std::iter::once("bare fork+exec").chain(ways.iter().map(|(name, _)| *name));
    eprintln!("median of {runs} runs of {TEST} each, alternating");
    for (name, median) in names.zip(&medians) {
        eprintln!("{name:20} {:8.1} µs a run   ratio {:6.3}", median * 1e6, median / medians[0]);
    }
    if medians[1] <= LIMIT * medians[0] { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
