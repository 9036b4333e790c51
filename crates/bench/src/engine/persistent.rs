//! A test that stays, beside the same test started anew for every candidate: queries in the same time.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use dwindle_core::{Answer, Cancel, Candidate, Files, Runner};
use dwindle_exec::{CommandTest, Invocation, Judge, PersistentTest, Setting, Supervisor};

use super::Claim;
use crate::program::python as python3;
use crate::stats::{median, timed};

/// Both ways of one test: with a path as argument it exits, without it answers a line for each line.
const PYTHON: &str = "\
import json, re, sys

def boring(path):
    try:
        return 0 if re.search('[a-z]', str(json.load(open(path)))) else 1
    except ValueError:
        return 1

if len(sys.argv) > 1:
    sys.exit(boring(sys.argv[1]))
for line in sys.stdin:
    print(boring(line.rstrip('\\n')), flush=True)
";

const JAVA: &str = "\
import java.io.*;
import java.nio.file.*;

public class Test {
    static int boring(String path) throws IOException {
        return Files.readString(Path.of(path)).contains(\"key\") ? 0 : 1;
    }

    public static void main(String[] args) throws IOException {
        if (args.length > 0) {
            System.exit(boring(args[0]));
        }
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(boring(line));
            System.out.flush();
        }
    }
}
";

struct Language {
    name: &'static str,
    program: PathBuf,
    args: Vec<OsString>,
}

pub(super) fn measure(runs: usize) -> Result<Vec<Claim>> {
    let dir = tempfile::tempdir().context("a directory for the tests")?;
    let mut claims = Vec::new();
    for language in [python(dir.path()), java(dir.path())] {
        match language {
            Ok(language) => claims.push(gain(&language, runs.max(1))?),
            Err(missing) => anstream::eprintln!("persistent: left out: {missing:#}"),
        }
    }
    Ok(claims)
}

fn gain(language: &Language, runs: usize) -> Result<Claim> {
    let setting = || Setting::new(Supervisor::this_program());
    let invocation = || Invocation::test(&language.program, language.args.clone());
    let anew = CommandTest::new(invocation(), Judge::ExitStatus, setting())?;
    let staying = PersistentTest::new(invocation(), setting())?;
    let limit = Some(Duration::from_secs(60));
    anew.set_time_limit(limit);
    staying.set_time_limit(limit);
    let ask = |test: &dyn Runner, candidate: &Candidate| -> Result<Duration> {
        let (time, answer) = timed(|| test.run(0, candidate, &Cancel::new()));
        match answer {
            Answer::Verdict(verdict) if verdict.is_interesting() => Ok(time),
            other => bail!("the {} test does not find its input interesting: {other:?}", language.name),
        }
    };
    let candidate = |run: usize| {
        Candidate::of_files(Files::single("in.json", format!("{{\"key\": {run}}}").into_bytes()))
    };
    // Its start is paid once in a whole reduction.
    ask(&staying, &candidate(0))?;
    let (mut slow, mut fast) = (Vec::new(), Vec::new());
    for run in 0..runs {
        slow.push(ask(&anew, &candidate(run))?);
        fast.push(ask(&staying, &candidate(run))?);
    }
    let middle = |times: &[Duration]| median(times).expect("one run at least").as_secs_f64();
    Ok(Claim::new(
        format!("--persistent with a test in {}: queries a second ÷ started anew", language.name),
        middle(&slow) / middle(&fast),
        " ×",
    )
    .at_least(1.0))
}

fn python(dir: &Path) -> Result<Language> {
    let script = dir.join("test.py");
    std::fs::write(&script, PYTHON)?;
    Ok(Language { name: "Python", program: python3()?, args: vec![script.into()] })
}

fn java(dir: &Path) -> Result<Language> {
    let source = dir.join("Test.java");
    std::fs::write(&source, JAVA)?;
    let status = Command::new("javac")
        .arg("-d")
        .arg(dir)
        .arg(&source)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("javac cannot be started")?;
    anyhow::ensure!(status.success(), "javac cannot compile the test");
    Ok(Language { name: "Java", program: "java".into(), args: vec!["-cp".into(), dir.into(), "Test".into()] })
}
