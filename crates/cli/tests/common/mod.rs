//! What the end-to-end tests share: a directory of its own for each case, tests to reduce with, and looks at what is
//! left behind.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses some of it")]
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

/// Far longer than anything here takes on a loaded machine: who waits this long waits in vain.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A script that is open for writing cannot be executed, and a process that is being started holds all our open files
/// for a moment: nothing is started while a script is written.
static WRITING_SCRIPTS: RwLock<()> = RwLock::new(());

/// A directory of its own to run dwindle in, removed at the end.
pub struct Case {
    home: tempfile::TempDir,
}

impl Case {
    pub fn new() -> Self {
        let home = tempfile::Builder::new().prefix("dwindle-case-").tempdir().unwrap();
        fs::create_dir(home.path().join("tmp")).unwrap();
        fs::create_dir(home.path().join("here")).unwrap();
        Case { home }
    }

    /// Where dwindle is started.
    pub fn dir(&self) -> PathBuf {
        self.home.path().join("here")
    }

    /// What dwindle has as its directory for temporary files.
    pub fn tmp(&self) -> PathBuf {
        self.home.path().join("tmp")
    }

    /// A place that is neither.
    pub fn outside(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.dir().join(name.as_ref())
    }

    /// Writes a file, with the directories above it.
    pub fn file(&self, name: impl AsRef<OsStr>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Writes a test: a shell script with this body.
    pub fn script(&self, name: impl AsRef<OsStr>, body: impl AsRef<str>) -> PathBuf {
        let path = self.path(name);
        write_script(&path, &format!("#!/bin/sh\n{}\n", body.as_ref()));
        path
    }

    pub fn read(&self, name: impl AsRef<OsStr>) -> Vec<u8> {
        let path = self.path(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub fn text(&self, name: impl AsRef<OsStr>) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// dwindle, here, with these words.
    pub fn dwindle<I: IntoIterator<Item: AsRef<OsStr>>>(&self, words: I) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dwindle"));
        command.args(words);
        self.at_home(command)
    }

    /// Any program as it would be started here; its environment names this case, which tells its descendants.
    pub fn at_home(&self, mut command: Command) -> Command {
        command.current_dir(self.dir()).env("TMPDIR", self.tmp()).env_remove("COLUMNS").stdin(Stdio::null());
        command
    }

    /// Runs dwindle to its end.
    pub fn run<I: IntoIterator<Item: AsRef<OsStr>>>(&self, words: I) -> Ran {
        Ran::of(&mut self.dwindle(words))
    }

    /// `dwindle reduce` without a sandbox, whatever the user.
    pub fn reduce<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> Ran {
        self.run(reduce_words(words))
    }

    /// The names in the directory, sorted.
    pub fn names(&self) -> Vec<String> {
        names(&self.dir())
    }

    /// The processes that were started here and still run, as their command lines.
    pub fn processes(&self) -> Vec<String> {
        let mark = self.home.path().as_os_str().as_bytes().to_owned();
        let has_mark = |text: &[u8]| text.windows(mark.len()).any(|part| part == mark);
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let found = processes.filter_map(|process| {
            let part = |name: &str| fs::read(process.path().join(name)).unwrap_or_default();
            let command = part("cmdline");
            (has_mark(&part("environ")) || has_mark(&command)).then(|| {
                let name = process.file_name();
                format!("{} {}", name.display(), String::from_utf8_lossy(&command).replace('\0', " "))
            })
        });
        found.collect()
    }

    /// Waits until nothing runs any more: those that dwindle leaves behind when it is killed need a moment.
    pub fn wait_until_nothing_runs(&self) {
        wait_for(|| match self.processes() {
            none if none.is_empty() => Ok(()),
            some => Err(format!("still running: {some:#?}")),
        });
    }

    /// Nothing runs and nothing is in the directory for temporary files.
    pub fn assert_nothing_is_left(&self, ran: &Ran) {
        self.wait_until_nothing_runs();
        assert_eq!(work_roots(ran.pid), Vec::<PathBuf>::new());
        assert_eq!(names(&self.tmp()), Vec::<String>::new());
    }
}

pub fn reduce_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    ["reduce", "--sandbox", "none"].into_iter().chain(words).collect()
}

pub fn write_script(path: &Path, text: &str) {
    let _alone = WRITING_SCRIPTS.write().unwrap_or_else(PoisonError::into_inner);
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

pub fn spawn(command: &mut Command) -> Child {
    let _no_script_is_open = WRITING_SCRIPTS.read().unwrap_or_else(PoisonError::into_inner);
    command.spawn().unwrap()
}

/// Says that something could not be tested here. Written directly, in one piece: what a test prints is hidden when it
/// passes, and others write at the same time.
pub fn skipped(why: &str) {
    let _ = std::io::stderr().write_all(format!("\nSKIPPED: {why}\n").as_bytes());
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The names in a directory, sorted; none if it is not there.
pub fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The work directories in memory of the dwindle with this process number.
pub fn work_roots(pid: u32) -> Vec<PathBuf> {
    let entries = fs::read_dir("/dev/shm").into_iter().flatten().flatten();
    let prefix = format!("dwindle-slots-{pid}-");
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix));
    ours.map(|entry| entry.path()).collect()
}

/// Waits until a condition holds; what is wrong is said when it never does.
pub fn wait_for<T>(mut condition: impl FnMut() -> Result<T, String>) -> T {
    let begin = Instant::now();
    loop {
        match condition() {
            Ok(value) => return value,
            Err(problem) => assert!(begin.elapsed() < PATIENCE, "{problem}"),
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What came of a run.
#[derive(Debug)]
pub struct Ran {
    pub pid: u32,
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn of(command: &mut Command) -> Ran {
        Ran::start(command).finish()
    }

    /// Starts a process with its output caught.
    pub fn start(command: &mut Command) -> Running {
        Running { child: spawn(command.stdout(Stdio::piped()).stderr(Stdio::piped())) }
    }

    fn new(pid: u32, output: Output) -> Ran {
        Ran {
            pid,
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Fails, with all that was said, unless the run ended with this code.
    #[track_caller]
    pub fn ended_with(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "\nstdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    /// Fails unless it said this on standard error.
    #[track_caller]
    pub fn said(self, text: &str) -> Ran {
        assert!(self.stderr.contains(text), "not there: {text}\nstderr: {}", self.stderr);
        self
    }

    /// Fails unless the last line on standard error is this.
    #[track_caller]
    pub fn said_at_last(self, text: &str) -> Ran {
        assert_eq!(self.stderr.lines().last(), Some(text), "stderr: {}", self.stderr);
        self
    }

    /// The summary of `--json`.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\nstdout: {}\nstderr: {}", self.stdout, self.stderr))
    }

    /// `queries` and `hits` of the summary.
    #[track_caller]
    pub fn queries_and_hits(&self) -> (u64, u64) {
        let json = self.json();
        let number = |name: &str| json[name].as_u64().unwrap();
        (number("queries"), number("hits"))
    }
}

/// A process that was started and not yet waited for.
pub struct Running {
    child: Child,
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), signal).unwrap();
    }

    pub fn is_over(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    pub fn finish(self) -> Ran {
        let pid = self.child.id();
        Ran::new(pid, self.child.wait_with_output().unwrap())
    }
}

/// A named pipe through which tests tell us a line a run.
pub struct Tally {
    path: PathBuf,
    pipe: fs::File,
    lines: Receiver<String>,
}

impl Tally {
    pub fn new(path: PathBuf) -> Self {
        make_pipe(&path);
        // Open for both: a pipe that always has a reader and a writer neither ends nor blocks.
        let pipe = fs::File::options().read(true).write(true).open(&path).unwrap();
        let reader = BufReader::new(pipe.try_clone().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in reader.lines() {
                if sender.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Tally { path, pipe, lines }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for the next line.
    #[track_caller]
    pub fn next(&self) -> String {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => panic!("no test has run"),
            Err(RecvTimeoutError::Disconnected) => panic!("the pipe is broken"),
        }
    }

    /// All lines that have been told since the last call.
    pub fn rest(&self) -> Vec<String> {
        (&self.pipe).write_all(b"=\n").unwrap();
        std::iter::repeat_with(|| self.next()).take_while(|line| line != "=").collect()
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        // The reader finds nobody to tell and ends.
        drop(std::mem::replace(&mut self.lines, channel().1));
        let _ = (&self.pipe).write_all(b"=\n");
    }
}

pub fn make_pipe(path: &Path) {
    rustix::fs::mknodat(
        rustix::fs::CWD,
        path,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
}

/// The shell's way to put the lines of the candidate into `$text`, each with a comma behind it; no process is started.
pub const READ_LINES: &str =
    r#"text=; while IFS= read -r line || [ -n "$line" ]; do text="$text$line,"; done < "$1""#;

/// Lines for a script that waits at a gate until [`Gate::open`]: it tells that it waits, and waits.
pub struct Gate {
    arrivals: Tally,
    path: PathBuf,
}

impl Gate {
    pub fn new(case: &Case) -> Self {
        let path = case.outside("gate");
        make_pipe(&path);
        Gate { arrivals: Tally::new(case.outside("arrivals")), path }
    }

    /// What a test does to wait here.
    pub fn wait(&self) -> String {
        let (arrivals, gate) = (self.arrivals.path().display(), self.path.display());
        format!("if ! [ -e '{gate}.open' ]; then echo > '{arrivals}'; read -r _ < '{gate}'; fi")
    }

    /// Waits until a test waits.
    #[track_caller]
    pub fn wait_for_arrival(&self) {
        self.arrivals.next();
    }

    /// Lets everybody through from now on.
    pub fn open(&self) {
        fs::write(self.path.with_extension("open"), "").unwrap();
        // Without a reader there is nobody to wake; a reader that comes later finds the gate open.
        let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK;
        if let Ok(gate) = rustix::fs::open(&self.path, flags, rustix::fs::Mode::empty()) {
            let _ = rustix::io::write(gate, b"\n\n\n\n");
        }
    }
}

/// Numbers that look random and are the same every time (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}
