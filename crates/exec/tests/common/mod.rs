//! What the tests of this crate share: scripts as tests, and a look at which processes are left.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(dead_code, reason = "each test file uses its own part of this")]

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use dwindle_core::{Answer, Cancel, Candidate, Files, Runner, Verdict};
use dwindle_exec::{CommandTest, Invocation, Judge, Place, Setting, Supervisor};
use tempfile::TempDir;

const MARK: &str = "DWINDLE_LAB";

/// A directory of its own, and a mark that all its tests' processes carry.
pub(crate) struct Lab {
    path: PathBuf,
    _dir: Option<TempDir>,
    mark: String,
}

impl Lab {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = tempfile::tempdir().unwrap();
        let mark = format!("{}-{number}", std::process::id());
        Lab { path: dir.path().to_owned(), _dir: Some(dir), mark }
    }

    /// A lab whose mark is its directory, so that another process can be in the same one.
    pub(crate) fn shared() -> Self {
        let lab = Self::new();
        let mark = lab.path.display().to_string();
        Lab { mark, ..lab }
    }

    /// The other process's part of a shared lab.
    pub(crate) fn in_place(path: &Path) -> Self {
        Lab { path: path.to_owned(), _dir: None, mark: path.display().to_string() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn setting(&self) -> Setting {
        self.setting_for(Supervisor::program(env!("CARGO_BIN_EXE_dwindle-supervisor")))
    }

    pub(crate) fn setting_for(&self, supervisor: Supervisor) -> Setting {
        Setting::new(supervisor)
            .place(Place::Under(self.path().to_owned()))
            .env(MARK, &self.mark)
            .env("LAB", self.path())
    }

    /// A shell script; read by the shell, so that it matters not whether another thread still holds it open.
    pub(crate) fn script(&self, body: &str) -> Invocation {
        Invocation::test("/bin/sh", [OsString::from(self.file("test.sh", body))])
    }

    pub(crate) fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn test(&self, body: &str) -> CommandTest {
        CommandTest::new(self.script(body), Judge::ExitStatus, self.setting()).unwrap()
    }

    /// The processes of this lab's tests that are still there.
    pub(crate) fn alive(&self) -> Vec<String> {
        let mark = format!("{MARK}={}", self.mark);
        let mut alive = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
            if environ.split(|&byte| byte == 0).any(|variable| variable == mark.as_bytes()) {
                let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
                let command = String::from_utf8_lossy(&command).replace('\0', " ");
                alive.push(format!("{} {command}", entry.file_name().display()));
            }
        }
        alive
    }

    /// Cleans up after a fault that nobody else can clean up after.
    pub(crate) fn kill_all(&self) {
        for process in self.alive() {
            let pid = process.split(' ').next().and_then(|pid| pid.parse().ok());
            if let Some(pid) = pid.and_then(rustix::process::Pid::from_raw) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }

    pub(crate) fn assert_nothing_runs(&self) {
        assert_eq!(self.alive(), Vec::<String>::new());
    }

    /// Sleeps until a file shows up that a test makes.
    pub(crate) fn wait_for(&self, name: &str) {
        wait_until(name, || self.path().join(name).exists());
    }
}

pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(30), "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn candidate(bytes: &[u8]) -> Candidate {
    Candidate::of_files(Files::single("input.txt", bytes))
}

pub(crate) fn verdict(test: &impl Runner, candidate: &Candidate) -> Verdict {
    match test.run(0, candidate, &Cancel::new()) {
        Answer::Verdict(verdict) => verdict,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn broken(test: &impl Runner, candidate: &Candidate) -> String {
    match test.run(0, candidate, &Cancel::new()) {
        Answer::Broken(broken) => broken.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Says that a test could not be done here. Written directly: what a test prints is hidden when it passes.
pub(crate) fn skipped(why: &str) {
    // In one piece, on a line of its own: other tests write at the same time.
    let _ = std::io::stderr().write_all(format!("\nSKIPPED: {why}\n").as_bytes());
}
