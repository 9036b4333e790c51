//! One contestant on one case, once.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use dwindle::text::count_tokens;
use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};

use super::contestant::{Contestant, Setup};
use super::count::{Answer, Counted, read, runs, write_wrapper};
use super::told::Told;
use crate::cases::Case;
use crate::machine::Load;
use crate::shield::Shield;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Ending {
    /// The tool was through.
    Done,
    /// The time was over.
    Cut,
    /// The tool failed, or its result is not interesting.
    Failed(String),
    /// The tool is not installed.
    Missing,
    /// The tool is not meant for such inputs.
    Unfit,
}

impl Ending {
    /// Its word in tables.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Ending::Done => "done",
            Ending::Cut => "cut",
            Ending::Failed(_) => "failed",
            Ending::Missing => "missing",
            Ending::Unfit => "unfit",
        }
    }
}

/// A point of a curve: the smallest so far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Point {
    pub(crate) queries: u64,
    pub(crate) seconds: f64,
    pub(crate) bytes: u64,
    pub(crate) tokens: u64,
}

/// The terms all contestants have: when a run is ended, and how many tests may run at once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Terms {
    pub(crate) seconds: f64,
    /// Runs of the test: the same on every machine, however busy it is.
    pub(crate) queries: Option<u64>,
    pub(crate) jobs: usize,
}

/// What a contestant did on a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Trial {
    pub(crate) ending: Ending,
    /// Size of the result.
    pub(crate) bytes: u64,
    pub(crate) tokens: u64,
    /// Runs of the test, counted outside the tool.
    pub(crate) queries: u64,
    pub(crate) seconds: f64,
    pub(crate) load: Load,
    pub(crate) curve: Vec<Point>,
    /// What our own tool says of the run.
    pub(crate) told: Option<Told>,
    /// The result itself.
    #[serde(skip)]
    pub(crate) result: Vec<u8>,
}

impl Trial {
    /// A run that did not take place.
    pub(crate) fn none(ending: Ending) -> Self {
        Trial {
            ending,
            bytes: 0,
            tokens: 0,
            queries: 0,
            seconds: 0.0,
            load: Load::now(),
            curve: Vec::new(),
            told: None,
            result: Vec::new(),
        }
    }

    /// Whether our tool ended because it had made as many queries as it was allowed to.
    pub(crate) fn is_out_of_queries(&self) -> bool {
        self.told.as_ref().is_some_and(|told| told.stopped.as_deref() == Some("queries"))
    }

    /// Tokens of the smallest after so many queries; nothing if the run was cut before.
    pub(crate) fn after(&self, queries: u64) -> Option<u64> {
        if !self.counts() || self.ending == Ending::Cut && self.queries < queries {
            return None;
        }
        let so_far = self.curve.iter().take_while(|point| point.queries <= queries);
        so_far.last().map(|point| point.tokens)
    }

    /// Whether it can have begun with this text: what another one has left may have changed since.
    pub(crate) fn began_with(&self, start: &[u8]) -> bool {
        self.curve.first().is_none_or(|first| first.bytes == start.len() as u64)
    }

    /// Characters of the result that are no white space.
    pub(crate) fn characters(&self) -> u64 {
        let text = String::from_utf8_lossy(&self.result);
        text.chars().filter(|c| !c.is_whitespace()).count() as u64
    }

    /// Whether there is a result to compare.
    pub(crate) fn counts(&self) -> bool {
        matches!(self.ending, Ending::Done | Ending::Cut)
    }
}

/// How long a tool has to stop when it is told that the time is over.
const GRACE: Duration = Duration::from_secs(3);
/// How long the original test may take when a result is checked again.
const RECHECK: Duration = Duration::from_secs(120);
/// How often it is looked whether a tool has ended. Runs last seconds to minutes; tests are waited for by the tools.
const POLL: Duration = Duration::from_millis(10);

/// Runs a contestant on a case, beginning with `start`.
pub(crate) fn run(
    contestant: &Contestant,
    case: &Case,
    start: &[u8],
    terms: &Terms,
    shield: &Shield,
) -> Result<Trial> {
    if !contestant.takes(case) {
        return Ok(Trial::none(Ending::Unfit));
    }
    let Ok(program) = contestant.program() else {
        return Ok(Trial::none(Ending::Missing));
    };
    let temp = tempfile::tempdir().context("a directory for the run")?;
    let dir = temp.path().join("work");
    std::fs::create_dir(&dir)?;
    let input = dir.join(case.input_name());
    std::fs::write(&input, start)?;
    let counts = temp.path().join("counts");
    let test = write_wrapper(&counts, contestant.handover(), &case.test, case.input_name(), shield)?;
    let setup =
        Setup { case, dir: &dir, input: &input, test: &test, jobs: terms.jobs, queries: terms.queries };
    let recipe = match contestant.recipe(&program, &setup) {
        Ok(recipe) => recipe,
        Err(error) => return Ok(Trial::none(Ending::Failed(format!("{error:#}")))),
    };

    let load = Load::now();
    let limit = Duration::from_secs_f64(terms.seconds);
    let (begin, epoch) = (Instant::now(), SystemTime::now().duration_since(UNIX_EPOCH)?);
    let log = temp.path().join("log");
    // Ours counts by itself, so that the end is the same in every run; others are stopped.
    let most = terms.queries.filter(|_| !contestant.is_ours());
    let mut ending = Ending::Done;
    for words in &recipe.commands {
        let (program, args) = words.split_first().context("a recipe has a program")?;
        let mut command = Command::new(program);
        command.args(args).current_dir(&dir).env("TMPDIR", temp.path());
        let output = File::create(&log)?;
        command.stdout(output.try_clone()?).stderr(output);
        let spent = || most.is_some_and(|most| runs(&counts) >= most);
        match bounded(command, limit.saturating_sub(begin.elapsed()), &spent)? {
            None => {
                ending = Ending::Cut;
                break;
            }
            // Some tools end with another status when they are content; the result decides.
            Some(status) if status.success() || recipe.result.is_file() => {}
            // Presets for trees say so where the language is not known.
            Some(_) if contestant.is_ours() && last_line(&log).contains("works on syntax trees") => {
                return Ok(Trial::none(Ending::Unfit));
            }
            Some(status) => ending = Ending::Failed(format!("{status}: {}", last_line(&log))),
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    let counted = read(&counts)?;
    let told = contestant.is_ours().then(|| Told::read(&log)).flatten();
    if told.as_ref().is_some_and(|told| told.stopped.is_some()) {
        ending = Ending::Cut;
    }
    let mut result = std::fs::read(&recipe.result).ok();
    if ending == Ending::Cut {
        // Not every tool writes its best before it is through; what it has found is what counts.
        // If that is nothing, the input is as small as it got.
        result = Some(counted.smallest.as_ref().map_or_else(|| Ok(start.to_vec()), std::fs::read)?);
    }
    let result = result.filter(|_| !matches!(ending, Ending::Failed(_)));
    if let (Some(bytes), true) = (&result, ending == Ending::Done)
        && !is_interesting(case, bytes, shield)?
    {
        ending = Ending::Failed("the original test does not find the result interesting".to_owned());
    }
    if result.is_none() && !matches!(ending, Ending::Failed(_)) {
        ending = Ending::Failed(format!("no result: {}", last_line(&log)));
    }
    let result = result.unwrap_or_default();
    Ok(Trial {
        ending,
        bytes: result.len() as u64,
        tokens: count_tokens(&result),
        queries: counted.runs,
        seconds,
        load,
        curve: curve(&counted, epoch.as_micros() as u64, start),
        told,
        result,
    })
}

/// The smallest so far, at each run that made it smaller.
fn curve(counted: &Counted, begin: u64, input: &[u8]) -> Vec<Point> {
    let mut answers = counted.answers.clone();
    answers.sort_by_key(|answer| answer.runs);
    let (bytes, tokens) = (input.len() as u64, count_tokens(input));
    let mut points = vec![Point { queries: 0, seconds: 0.0, bytes, tokens }];
    for Answer { runs, micros, bytes, tokens } in answers {
        if points.last().is_some_and(|last| bytes < last.bytes) {
            let seconds = micros.saturating_sub(begin) as f64 / 1e6;
            points.push(Point { queries: runs, seconds, bytes, tokens });
        }
    }
    points
}

/// Runs a command in a process group of its own; nothing if it had to be ended.
fn bounded(mut command: Command, limit: Duration, spent: &dyn Fn() -> bool) -> Result<Option<ExitStatus>> {
    let program = command.get_program().display().to_string();
    let child = command.stdin(Stdio::null()).process_group(0).spawn();
    let mut child = child.with_context(|| format!("{program} cannot be started"))?;
    let ended = wait(&mut child, limit, spent)?;
    if ended.is_none() {
        signal(&child, Signal::INT);
        wait(&mut child, GRACE, &|| false)?;
    }
    // Whatever it left behind must not load the machine for the next one.
    signal(&child, Signal::KILL);
    child.wait()?;
    Ok(ended)
}

fn wait(child: &mut Child, limit: Duration, spent: &dyn Fn() -> bool) -> Result<Option<ExitStatus>> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begin.elapsed() >= limit || spent() {
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}

fn signal(child: &Child, signal: Signal) {
    // The group may be gone already.
    let _ = kill_process_group(Pid::from_child(child), signal);
}

/// Asks the original test, in a fresh directory.
pub(crate) fn is_interesting(case: &Case, bytes: &[u8], shield: &Shield) -> Result<bool> {
    let dir = tempfile::tempdir()?;
    std::fs::write(dir.path().join(case.input_name()), bytes)?;
    let mut test = shield.command(&case.test, dir.path());
    test.stdout(Stdio::null()).stderr(Stdio::null());
    Ok(bounded(test, RECHECK, &|| false)?.is_some_and(|status| status.success()))
}

fn last_line(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.trim().chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_falls() {
        let answer = |runs, bytes| Answer { runs, micros: 1_000_000 + runs * 500_000, bytes, tokens: 0 };
        let counted = Counted {
            runs: 9,
            answers: vec![answer(1, 100), answer(4, 60), answer(3, 80), answer(8, 70)],
            smallest: None,
        };
        let points = curve(&counted, 1_000_000, &[b'x'; 100]);
        let shown: Vec<_> = points.iter().map(|p| (p.queries, p.seconds, p.bytes)).collect();
        assert_eq!(shown, [(0, 0.0, 100), (3, 1.5, 80), (4, 2.0, 60)]);
    }

    #[test]
    fn a_run_that_was_cut_says_nothing_of_later_queries() {
        let point = |queries, tokens| Point { queries, seconds: 0.0, bytes: tokens, tokens };
        let curve = vec![point(0, 50), point(10, 20), point(30, 5)];
        let trial = |ending| Trial { queries: 40, curve: curve.clone(), ..Trial::none(ending) };
        let cut = trial(Ending::Cut);
        assert_eq!([5, 10, 40, 41].map(|n| cut.after(n)), [Some(50), Some(20), Some(5), None]);
        assert_eq!(trial(Ending::Done).after(1000), Some(5));
    }

    #[test]
    fn a_command_that_does_not_end_is_ended_with_its_children() {
        let dir = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' INT; sleep 60 & echo $! > pid; wait; sleep 60"]).current_dir(dir.path());
        assert_eq!(bounded(command, Duration::from_millis(300), &|| false).unwrap(), None);
        let pid = std::fs::read_to_string(dir.path().join("pid")).unwrap();
        let is_there = || {
            let status = std::fs::read_to_string(format!("/proc/{}/status", pid.trim())).unwrap_or_default();
            !(status.is_empty() || status.contains("State:\tZ"))
        };
        // It has its signal already, but has to be scheduled once more to die of it.
        let begin = Instant::now();
        while is_there() {
            assert!(begin.elapsed() < Duration::from_secs(30), "the child lives on");
            std::thread::sleep(POLL);
        }
    }
}
