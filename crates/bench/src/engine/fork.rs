//! A test that does nothing, through a supervisor and a work directory, beside a bare loop that starts it and waits.
//! Both take turns, so that the load of the machine hits both alike.

use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use dwindle_core::{Answer, Cancel, Candidate, Files, Options, Runner, Session, Verdict};
use dwindle_exec::{CommandTest, Invocation, Judge, Setting, Supervisor};

use super::Claim;
use crate::stats::{median, timed};

const TEST: &str = "/bin/true";

fn bare() -> Result<()> {
    let status = Command::new(TEST)
        .arg("/some/candidate.c")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .with_context(|| format!("{TEST} cannot be started"))?;
    anyhow::ensure!(status.success(), "{TEST} fails");
    Ok(())
}

/// Another content every time, as in a reduction, and of another size: a boring one is never smaller than the best.
fn candidate(run: usize) -> Candidate {
    let text = format!("int x{run};\n");
    Candidate::of_files(Files::single("candidate.c", text.into_bytes()))
}

pub(super) fn measure(runs: usize) -> Result<Vec<Claim>> {
    let setting = Setting::new(Supervisor::this_program());
    let test = CommandTest::new(Invocation::test(TEST, []), Judge::ExitStatus, setting)?;
    test.set_time_limit(Some(Duration::from_secs(60)));
    let cancel = Cancel::new();
    let (mut plain, mut runner, mut engine) = (Vec::new(), Vec::new(), Vec::new());
    let input = Candidate::of_files(Files::single("candidate.c", *b""));
    // Nothing is smaller than the input, so no candidate is taken and all are asked in one session.
    let (asked, _, _) = Session::run(&test, input, Options::default(), |session| -> Result<()> {
        for run in 0..runs.max(1) {
            let (time, started) = timed(bare);
            started?;
            plain.push(time);
            let ours = candidate(2 * run);
            let (time, answer) = timed(|| test.run(0, &ours, &cancel));
            let Answer::Verdict(Verdict::Interesting) = answer else {
                bail!("{TEST} through a supervisor: {answer:?}");
            };
            runner.push(time);
            let ours = candidate(2 * run + 1);
            let (time, verdict) = timed(|| session.test(ours));
            anyhow::ensure!(verdict.is_ok_and(Verdict::is_interesting), "{TEST} is boring");
            engine.push(time);
        }
        Ok(())
    });
    asked?;
    let middle = |times: &[Duration]| median(times).expect("one run at least").as_secs_f64();
    let bare = middle(&plain);
    Ok(vec![
        Claim::new(
            format!("{TEST} as the test, {runs} runs: session ÷ bare fork and exec"),
            middle(&engine) / bare,
            " ×",
        )
        .at_most(1.3),
        Claim::new("the same: the runner alone ÷ bare", middle(&runner) / bare, " ×"),
    ])
}
