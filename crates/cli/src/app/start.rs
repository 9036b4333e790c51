//! The first runs of a test: is the input interesting, is the test of one mind, how long does it take?

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use dwindle::core::Candidate;
use dwindle_exec::learned_time_limit;
use dwindle_exec::preflight::{self, Baseline, Finding};
use dwindle_exec::sandbox::Sandbox;
use dwindle_report::Watcher;

use super::args::{SandboxArg, TestArgs};
use super::run_dir::Record;
use super::test::{self, Test, TestSpec};

/// The longest a first run may take. Nobody has said how long the test takes, but one that hangs must not hang us.
const FIRST_RUN_LIMIT: Duration = Duration::from_secs(600);

/// All that the first runs need.
pub(crate) struct Start<'a> {
    pub(crate) spec: &'a TestSpec,
    pub(crate) args: &'a TestArgs,
    pub(crate) jobs: usize,
    pub(crate) input: &'a Candidate,
    pub(crate) watcher: &'a Arc<Watcher>,
}

/// A test that was tried out on the input.
pub(crate) struct Ready {
    pub(crate) test: Test,
    /// How often it was run for that.
    pub(crate) runs: u64,
    /// It cannot live in the sandbox it was to have.
    pub(crate) left_sandbox: bool,
}

impl Start<'_> {
    /// Tries the test on the input and on nothing, and learns how long it may take.
    pub(crate) fn first(&self) -> Result<Ready> {
        let mut sandbox = test::sandbox(self.args.sandbox)?;
        let mut runs = 0;
        let mut left_sandbox = false;
        let (mut test, mut baseline) = self.try_out(&sandbox, &mut runs)?;
        // Nobody asked for the sandbox: a test that cannot live in it goes without.
        let optional = self.args.sandbox == SandboxArg::Auto && !sandbox.is_none();
        if optional && matches!(baseline, Err(Finding::NotInteresting { .. } | Finding::CannotRun(_))) {
            let outside = self.try_out(&Sandbox::None, &mut runs)?;
            if outside.1.is_ok() {
                self.watcher.message(
                    "warning: the input is interesting only outside the sandbox, so the test runs without one; \
                     `--sandbox none` says so from the start",
                );
                (test, baseline) = outside;
                sandbox = Sandbox::None;
                left_sandbox = true;
            }
        }
        let baseline = baseline.map_err(|finding| match self.spec.watches_a_command() {
            true => finding.of_a_command(),
            false => finding.of_a_check(&test.check_names()),
        })?;
        self.spec.settle_checks(&test, None);
        for warning in preflight::root_without_sandbox(&sandbox).into_iter().chain(baseline.warnings) {
            self.watcher.message(&format!("warning: {warning}"));
        }
        let limit = self.args.timeout.unwrap_or_else(|| learned_time_limit(baseline.slowest));
        test.set_time_limit(Some(limit));
        if let Some(panel) = test.panel() {
            runs += panel.len();
            panel.check(self.input)?;
        }
        let (took, limit) = (seconds(baseline.slowest), seconds(limit));
        self.watcher.message(&format!("the test takes {took} on the input; its time limit is {limit}"));
        Ok(Ready { test, runs, left_sandbox })
    }

    /// A run that goes on has been through all that, and has learned its time limit.
    pub(crate) fn again(&self, record: &Record) -> Result<Ready> {
        let left_sandbox = record.left_sandbox;
        let sandbox = match left_sandbox {
            true => Sandbox::None,
            false => test::sandbox(self.args.sandbox)?,
        };
        let test = self.build(&sandbox)?;
        let limit = record.time_limit_ms.map(Duration::from_millis);
        test.set_time_limit(self.args.timeout.or(limit));
        self.spec.settle_checks(&test, Some((&record.checks, &record.check_costs)));
        Ok(Ready { test, runs: 0, left_sandbox })
    }

    fn try_out(&self, sandbox: &Sandbox, runs: &mut u64) -> Result<(Test, Result<Baseline, Finding>)> {
        let test = self.build(sandbox)?;
        test.set_time_limit(self.args.timeout.or(Some(FIRST_RUN_LIMIT)));
        let baseline = preflight::check_runs(&test, self.input);
        // A test that fails twice on the input is asked no more.
        *runs += baseline.as_ref().map_or(2, |baseline| u64::from(baseline.runs));
        Ok((test, baseline))
    }

    fn build(&self, sandbox: &Sandbox) -> Result<Test> {
        self.spec.build(self.args, self.jobs, self.input.files().size(), sandbox.clone(), self.watcher)
    }
}

fn seconds(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{:.1} s", time.as_secs_f64())
    }
}
