//! A test with several checks, as the command line describes it.

use std::path::Path;

use anyhow::Result;
use dwindle_exec::{Check, CheckModes, CheckedTest, Costs, ExecError, Setting, Stages};

use super::check_args::{CheckArgs, CheckMode};
use super::{UsageError, tool};

/// The checks that were asked for: commands of their own, or names for what a script tells.
#[derive(Default)]
pub(crate) struct ChecksSpec {
    commands: Vec<Check>,
    modes: CheckModes,
    costs: Option<Costs>,
    /// Whether costs may be taken from the clock.
    clock: bool,
    stages: Vec<(String, Option<i32>)>,
    /// What tells these checks from others.
    words: Vec<Vec<u8>>,
}

impl ChecksSpec {
    /// `marks_count` says that the reduction learns from which check failed, so that a clock must not decide about that.
    pub(crate) fn new(args: &CheckArgs, subject: &Path, marks_count: bool) -> Result<Self> {
        let mut spec = ChecksSpec { modes: modes(args)?, clock: !marks_count, ..ChecksSpec::default() };
        for (name, command) in &args.check {
            if args.check.iter().filter(|(other, _)| other == name).count() > 1 {
                return Err(twice("--check", name));
            }
            let invocation = tool::invocation(command, subject)?;
            let program = std::fs::read(invocation.program()).unwrap_or_default();
            spec.words.extend([format!("check {name}={command}").into_bytes(), program]);
            spec.commands.push(Check { name: name.clone(), invocation, needs: Vec::new() });
        }
        spec.read_needs(args)?;
        spec.read_costs(args)?;
        spec.read_statuses(args)?;
        spec.words.push(format!("{:?} {:?}", spec.modes, spec.stages).into_bytes());
        // Refuses too many, before anything is run.
        Stages::new(spec.stages.iter().cloned()).map_err(UsageError::new)?;
        if spec.commands.len() > dwindle::core::Marks::MAX_CHECKS {
            return Err(UsageError::new(ExecError::TooManyChecks { count: spec.commands.len() }));
        }
        Ok(spec)
    }

    fn place(&self, option: &str, name: &str) -> Result<usize> {
        self.commands.iter().position(|check| check.name == name).ok_or_else(|| {
            let known: Vec<_> = self.commands.iter().map(|check| check.name.as_str()).collect();
            UsageError::new(format!("{option}: there is no check `{name}`: use {}", known.join(", ")))
        })
    }

    fn read_needs(&mut self, args: &CheckArgs) -> Result<()> {
        for (name, others) in &args.check_needs {
            let at = self.place("--check-needs", name)?;
            for other in others.split(',').map(str::trim) {
                let needed = self.place("--check-needs", other)?;
                if needed >= at {
                    return Err(UsageError::new(format!(
                        "--check-needs: `{name}` needs `{other}`, so `{other}` has to be given before it"
                    )));
                }
                self.commands[at].needs.push(needed);
                self.words.push(format!("{name} needs {other}").into_bytes());
            }
        }
        Ok(())
    }

    fn read_costs(&mut self, args: &CheckArgs) -> Result<()> {
        let mut costs = vec![1; self.commands.len()];
        for (name, cost) in &args.check_cost {
            let at = self.place("--check-cost", name)?;
            costs[at] = cost.parse().ok().filter(|cost| *cost > 0).ok_or_else(|| {
                UsageError::new(format!("--check-cost {name}: `{cost}` is no whole number above 0"))
            })?;
        }
        self.costs = (!args.check_cost.is_empty()).then(|| Costs::given(costs));
        Ok(())
    }

    fn read_statuses(&mut self, args: &CheckArgs) -> Result<()> {
        let mut statuses: Vec<(i32, &String)> = Vec::new();
        for (status, name) in &args.check_exit {
            let number = status.parse().ok().filter(|status| (1..=255).contains(status)).ok_or_else(|| {
                UsageError::new(format!(
                    "--check-exit {status}={name}: an exit status is a number from 1 to 255 here, for 0 means interesting"
                ))
            })?;
            if let Some((_, other)) = statuses.iter().find(|(known, _)| *known == number) {
                return Err(UsageError::new(format!(
                    "--check-exit: status {number} stands for `{other}` and for `{name}`: give each check a status of its own"
                )));
            }
            if statuses.iter().any(|(_, known)| *known == name) {
                return Err(twice("--check-exit", name));
            }
            statuses.push((number, name));
        }
        if args.check_names.is_empty() {
            self.stages = statuses.iter().map(|&(status, name)| (name.clone(), Some(status))).collect();
            return Ok(());
        }
        for name in &args.check_names {
            if self.stages.iter().any(|(known, _)| known == name) {
                return Err(twice("--check-names", name));
            }
            let status = statuses.iter().find(|(_, known)| *known == name).map(|&(status, _)| status);
            self.stages.push((name.clone(), status));
        }
        match statuses.iter().find(|(_, name)| !args.check_names.contains(name)) {
            Some((_, name)) => Err(UsageError::new(format!(
                "--check-exit: there is no check `{name}` among those of --check-names"
            ))),
            None => Ok(()),
        }
    }

    /// Whether there is no script, but commands for the checks.
    pub(crate) fn are_commands(&self) -> bool {
        !self.commands.is_empty()
    }

    /// The first command.
    pub(crate) fn first(&self) -> Option<&Check> {
        self.commands.first()
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = Vec<u8>> {
        self.words.iter().cloned()
    }

    /// What a script is to tell, where that was said.
    pub(crate) fn stages(&self) -> Result<Option<Stages>, ExecError> {
        if self.stages.is_empty() { Ok(None) } else { Stages::new(self.stages.iter().cloned()).map(Some) }
    }

    /// The commands, ready to run.
    pub(crate) fn build(&self, setting: &Setting) -> Result<CheckedTest, ExecError> {
        CheckedTest::new(self.commands.clone(), self.modes, setting)
    }

    /// What the checks cost: as given, as learned by an earlier part of the run, or as measured on the input.
    pub(crate) fn set_costs(&self, test: &CheckedTest, earlier: Option<&[u64]>) {
        let costs = match (&self.costs, earlier) {
            (Some(given), _) => given.clone(),
            (None, Some(earlier)) if earlier.len() == self.commands.len() => Costs::given(earlier.to_vec()),
            _ if self.clock => Costs::measured(&test.tried()),
            _ => Costs::equal(self.commands.len()),
        };
        test.set_costs(costs);
    }
}

fn modes(args: &CheckArgs) -> Result<CheckModes> {
    let has = |mode: CheckMode| args.checks.contains(&mode);
    let modes = CheckModes {
        parallel: has(CheckMode::Parallel),
        dedup: has(CheckMode::Dedup),
        adaptive: has(CheckMode::Adaptive),
    };
    if modes.parallel && (modes.adaptive || has(CheckMode::Sequential)) {
        return Err(UsageError::new(
            "--checks parallel runs them at once, so there is no order: drop one of the two",
        ));
    }
    Ok(modes)
}

fn twice(option: &str, name: &str) -> anyhow::Error {
    UsageError::new(format!("{option}: the check `{name}` is there twice: give each a name of its own"))
}
