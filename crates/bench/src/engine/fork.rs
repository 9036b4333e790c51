//! A test that does nothing, through a supervisor and a work directory, beside a bare loop that starts it and waits.
//! All ways take turns, so that the load of the machine hits all alike.

use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use dwindle_core::{Answer, Cancel, Candidate, Files, Options, Runner, Session, Verdict};
use dwindle_exec::sandbox::Choice;
use dwindle_exec::{CommandTest, Invocation, Judge, PersistentTest, Property, Sandbox, Setting, Supervisor};

use super::Claim;
use crate::stats::{median, timed};

const TEST: &str = "/bin/true";
const LIMIT: Duration = Duration::from_secs(60);

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

fn setting() -> Setting {
    Setting::new(Supervisor::this_program())
}

fn command(judge: Judge, setting: Setting) -> Result<CommandTest> {
    let test = CommandTest::new(Invocation::test(TEST, []), judge, setting)?;
    test.set_time_limit(Some(LIMIT));
    Ok(test)
}

/// Further ways to run a test, with their names.
fn ways() -> Result<Vec<(&'static str, Box<dyn Runner>)>> {
    let output = Property::new().stdout("").and_then(Property::judge)?;
    let answers = ["-c", "while read -r path; do echo 0; done"].map(OsString::from);
    let persistent = PersistentTest::new(Invocation::test("/bin/sh", answers), setting())?;
    let limited = command(Judge::ExitStatus, setting().memory(Some(1 << 30)))?;
    let mut ways: Vec<(&'static str, Box<dyn Runner>)> = vec![
        ("reading its output", Box::new(command(output, setting())?)),
        ("with a memory limit", Box::new(limited)),
        ("a persistent test that only answers", Box::new(persistent)),
    ];
    match Sandbox::choose(Choice::Bubblewrap) {
        Ok(sandbox) => {
            let test = command(Judge::ExitStatus, setting().sandbox(sandbox))?;
            ways.push(("in bubblewrap", Box::new(test)));
        }
        Err(why) => anstream::eprintln!("fork: left out: {why}"),
    }
    Ok(ways)
}

/// Another content every time, as in a reduction.
fn candidate(number: usize) -> Candidate {
    let text = format!("int x{number};\n");
    Candidate::of_files(Files::single("candidate.c", text.into_bytes()))
}

pub(super) fn measure(runs: usize) -> Result<Vec<Claim>> {
    let test = command(Judge::ExitStatus, setting())?;
    let ways = ways()?;
    let (mut plain, mut engine, mut others) = (Vec::new(), Vec::new(), vec![Vec::new(); ways.len()]);
    // Nothing is smaller than the input, so no candidate is taken and all are asked in one session.
    let input = Candidate::of_files(Files::single("candidate.c", *b""));
    let (asked, _, _) = Session::run(&test, input, Options::default(), |session| -> Result<()> {
        for run in 0..runs.max(1) {
            let (time, started) = timed(bare);
            started?;
            plain.push(time);
            let (time, verdict) = timed(|| session.test(candidate(run)));
            anyhow::ensure!(verdict.is_ok_and(Verdict::is_interesting), "{TEST} is boring");
            engine.push(time);
            for ((name, way), times) in ways.iter().zip(&mut others) {
                let (time, answer) = timed(|| way.run(0, &candidate(run), &Cancel::new()));
                let Answer::Verdict(Verdict::Interesting) = answer else {
                    bail!("{TEST} {name}: {answer:?}");
                };
                times.push(time);
            }
        }
        Ok(())
    });
    asked?;
    let middle = |times: &[Duration]| median(times).expect("one run at least").as_secs_f64();
    let ratio = |times: &[Duration]| middle(times) / middle(&plain);
    let what = format!("{TEST} as the test, {runs} runs: session ÷ bare fork and exec");
    let mut claims = vec![Claim::new(what, ratio(&engine), " ×").at_most(1.3)];
    for ((name, _), times) in ways.iter().zip(&others) {
        claims.push(Claim::new(format!("the same, {name} ÷ bare"), ratio(times), " ×"));
    }
    Ok(claims)
}
