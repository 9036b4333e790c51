//! What a run of a test costs beyond starting a process: `/bin/true` through a supervisor and work directory, beside a
//! bare loop that starts it and waits. Both alternate, so that the load of the machine hits both alike.
//!
//! `cargo run --release -p dwindle-exec --example overhead [RUNS]`

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use dwindle_core::{Answer, Cancel, Candidate, Files, Runner, Verdict};
use dwindle_exec::{CommandTest, Invocation, Judge, Setting, Supervisor};

const TEST: &str = "/bin/true";

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

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn main() -> ExitCode {
    dwindle_exec::supervisor::run_if_asked();
    let runs: usize = std::env::args()
        .nth(1)
        .and_then(|runs| runs.parse().ok())
        .unwrap_or(2000);
    let setting = Setting::new(Supervisor::this_program());
    let test =
        CommandTest::new(Invocation::test(TEST, []), Judge::ExitStatus, setting).expect("a work directory");
    test.set_time_limit(Some(Duration::from_secs(5)));
    let cancel = Cancel::new();
    let (mut plain, mut ours) = (Vec::new(), Vec::new());
    for run in 0..runs {
        let started = Instant::now();
        bare();
        plain.push(started.elapsed());
        // Another content every time, as in a reduction.
        let candidate = Candidate::of_files(Files::single(
            "candidate.c",
            format!("int x{run};\n").into_bytes(),
        ));
        let started = Instant::now();
        let answer = test.run(0, &candidate, &cancel);
        ours.push(started.elapsed());
        assert!(
            matches!(answer, Answer::Verdict(Verdict::Interesting)),
            "{answer:?}"
        );
    }
    let (plain, ours) = (median(plain), median(ours));
    let ratio = ours.as_secs_f64() / plain.as_secs_f64();
    eprintln!("bare fork+exec   {:8.1} µs a run", plain.as_secs_f64() * 1e6);
    eprintln!("through dwindle  {:8.1} µs a run", ours.as_secs_f64() * 1e6);
    eprintln!("ratio            {ratio:8.3}   (median of {runs} runs each, alternating)");
    if ratio <= 1.3 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
