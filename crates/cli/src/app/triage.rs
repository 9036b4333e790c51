//! `dwindle triage`: several tools on many inputs, each tool asked about itself.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, anyhow};
use dwindle::core::{Answer as Ran, Cancel, Candidate, Runner};
use dwindle_exec::{CommandTest, Ending, Judge, Place, Property, RunReport, Sandbox, Setting, Supervisor};
use dwindle_logic::triage::{Answer, Matrix, Row, Thresholds, Tool, to_json, to_table, triage};

use super::args::{ToolArg, TriageArgs};
use super::input::Input;
use super::{Exit, UsageError, interrupt, test, tool};

/// `dwindle triage`
pub(crate) fn run(args: &TriageArgs) -> Result<Exit> {
    let tools = weighed(args)?;
    // Said now, not after the first hour: every tool can be found.
    for tool in &args.tools {
        tool::invocation(&tool.command, "input".as_ref())?;
    }
    let inputs: Vec<Input> =
        args.inputs.iter().map(|path| Input::read(std::slice::from_ref(path))).collect::<Result<_>>()?;
    let interrupt = Cancel::new();
    interrupt::listen(&interrupt)?;
    let Some(answers) =
        Runs { args, inputs: &inputs, sandbox: test::sandbox(args.sandbox)?, interrupt }.all()?
    else {
        return Ok(Exit::Interrupted);
    };
    let rows = args.inputs.iter().zip(answers.chunks(tools.len()));
    let rows =
        rows.map(|(path, answers)| Row { input: path.display().to_string(), answers: answers.to_vec() });
    let usual = Thresholds::for_tools(tools.len());
    let thresholds = Thresholds {
        bug: args.bug_from.unwrap_or(usual.bug),
        feature: args.feature_below.unwrap_or(usual.feature),
    };
    let matrix = Matrix { rows: rows.collect(), tools };
    let outcome = triage(&matrix, Some(thresholds)).map_err(UsageError::new)?;
    let text = if args.json { to_json(&outcome) + "\n" } else { to_table(&outcome) };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

/// The tools with their weights.
fn weighed(args: &TriageArgs) -> Result<Vec<Tool>> {
    let mut tools: Vec<Tool> = Vec::new();
    for ToolArg { name, .. } in &args.tools {
        if tools.iter().any(|tool| tool.name == *name) {
            return Err(UsageError::new(format!(
                "there are two tools `{name}`: give each a name of its own"
            )));
        }
        tools.push(Tool::new(name));
    }
    if tools.len() < 2 {
        return Err(UsageError::new(
            "there is only one tool: easiness compares tools, so give --tool at least twice",
        ));
    }
    for (name, weight) in &args.weights {
        let Some(tool) = tools.iter_mut().find(|tool| tool.name == *name) else {
            return Err(UsageError::new(format!("--weight: there is no tool `{name}`")));
        };
        tool.weight = *weight;
    }
    Ok(tools)
}

/// All runs of all tools.
struct Runs<'a> {
    args: &'a TriageArgs,
    inputs: &'a [Input],
    sandbox: Sandbox,
    interrupt: Cancel,
}

impl Runs<'_> {
    /// The answers, input by input; nothing if the user has lost patience.
    fn all(&self) -> Result<Option<Vec<Answer>>> {
        let tools = self.args.tools.len();
        let count = self.inputs.len() * tools;
        let answers: Vec<Mutex<Option<Answer>>> = (0..count).map(|_| Mutex::default()).collect();
        let problem: Mutex<Option<anyhow::Error>> = Mutex::default();
        let next = AtomicUsize::new(0);
        let jobs = self.args.jobs.or_else(|| std::thread::available_parallelism().ok());
        let work = || {
            while !self.interrupt.is_raised() && lock(&problem).is_none() {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(place) = answers.get(number) else { return };
                match self.one(&self.inputs[number / tools], &self.args.tools[number % tools]) {
                    Ok(answer) => *lock(place) = answer,
                    Err(error) => *lock(&problem) = Some(error),
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..jobs.map_or(1, std::num::NonZero::get).min(count) {
                scope.spawn(work);
            }
        });
        if let Some(problem) = lock(&problem).take() {
            return Err(problem);
        }
        Ok(answers.into_iter().map(|answer| lock(&answer).take()).collect())
    }

    /// One tool on one input; nothing if it was interrupted.
    fn one(&self, input: &Input, tool: &ToolArg) -> Result<Option<Answer>> {
        let place = self.args.work_dir.clone().map_or(Place::Auto, Place::Under);
        let setting = Setting::new(Supervisor::this_program())
            .place(place)
            .input_size(input.files.size())
            .sandbox(self.sandbox.clone())
            .memory(self.args.memory);
        let invocation = tool::invocation(&tool.command, &input.argument)?;
        // It is not the judge that counts here, but it sees to it that both streams are kept, apart.
        let judge = Judge::Property(Property::new().exit(1).stdout("").map_err(UsageError::new)?);
        let report: Arc<Mutex<Option<RunReport>>> = Arc::default();
        let heard = Arc::clone(&report);
        let test = CommandTest::new(invocation, judge, setting)?
            .listener(move |_, report| *lock(&heard) = Some(report.clone()));
        test.set_time_limit(Some(self.args.timeout));
        match test.run(0, &Candidate::of_files(input.files.clone()), &self.interrupt) {
            Ran::Cancelled => Ok(None),
            Ran::Broken(broken) => {
                Err(anyhow!(broken).context(format!("tool `{}` cannot be run", tool.name)))
            }
            Ran::Verdict(_) => {
                let report = lock(&report).take().expect("a run that gave a verdict was reported");
                let answer = answer(&report, &test.work_dir(0), &input.argument);
                if self.args.verbose {
                    let what = match &answer {
                        Answer::Sound => "sound".to_owned(),
                        Answer::Unsound(None) => "unsound".to_owned(),
                        Answer::Unsound(Some(difference)) => format!("unsound: {difference}"),
                        Answer::None => format!("no answer ({})", report.ending),
                    };
                    anstream::eprintln!("{}: {}: {what}", input.given[0].display(), tool.name);
                }
                Ok(Some(answer))
            }
        }
    }
}

/// What a run says of its tool: 0 is sound, 1 unsound, all else no evidence.
fn answer(report: &RunReport, work_dir: &Path, input: &Path) -> Answer {
    let first = |output: &[u8]| first_line(output).map(|line| anonymous(&line, work_dir, input));
    match report.ending {
        Ending::Exited(0) => Answer::Sound,
        Ending::Exited(1) => Answer::Unsound(first(&report.stdout).or_else(|| first(&report.stderr))),
        _ => Answer::None,
    }
}

fn first_line(output: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(output);
    // It goes into a table on a terminal.
    let harmless =
        |line: &str| line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(harmless)
}

/// The path of the input becomes `{}` and our directory goes: they would tell apart what is the same.
fn anonymous(line: &str, work_dir: &Path, input: &Path) -> String {
    let path = |path: &Path| path.display().to_string();
    line.replace(&path(&work_dir.join(input)), "{}").replace(&(path(work_dir) + "/"), "")
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
