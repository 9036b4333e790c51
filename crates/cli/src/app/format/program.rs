//! Runs a formatter on a text, with a limit on time and output, and leaves nothing behind.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use dwindle::core::File;
use rustix::process::{Pid, Signal, kill_process_group};

/// The longest a formatter may take. Results are small; who needs longer hangs.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// The most it may print, for one that never stops.
const MOST_OUTPUT: u64 = 256 << 20;

/// Where a copy's path stands.
const PLACE: &[u8] = b"{}";

/// A formatter and its arguments.
#[derive(Clone, Debug)]
pub(super) struct Program {
    path: OsString,
    args: Vec<OsString>,
    limit: Duration,
}

impl Program {
    pub(super) fn new(path: OsString, args: Vec<OsString>) -> Self {
        Program { path, args, limit: TIME_LIMIT }
    }

    /// Its name without its place.
    pub(super) fn name(&self) -> String {
        Path::new(&self.path).file_name().unwrap_or(&self.path).to_string_lossy().into_owned()
    }

    /// The formatted text of a file, or why there is none.
    pub(super) fn run(&self, file: &File) -> Result<Vec<u8>, String> {
        let name = self.name();
        let copy = Copy::of(file).map_err(|error| format!("a copy for {name} cannot be made: {error}"))?;
        let (status, out, err) = self.output(file, &copy.path).map_err(|why| format!("{name} {why}"))?;
        if !status.success() {
            let said = String::from_utf8_lossy(&err);
            let last = said.trim().lines().last().map_or_else(String::new, |line| format!(": {line}"));
            return Err(format!("{name} failed ({status}){last}"));
        }
        let text = if out.is_empty() { fs::read(&copy.path).unwrap_or_default() } else { out };
        match text.is_empty() && !file.bytes.is_empty() {
            true => Err(format!("{name} gave nothing back")),
            false => Ok(text),
        }
    }

    /// How it ended, what it printed, and what it complained of.
    fn output(&self, file: &File, copy: &Path) -> Result<(ExitStatus, Vec<u8>, Vec<u8>), String> {
        let mut child = Command::new(&self.path)
            .args(self.args.iter().map(|word| with_path(word, copy)))
            .current_dir(copy.parent().unwrap_or(copy))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| format!("cannot be started: {error}"))?;
        let group = Pid::from_child(&child);
        let mut input = child.stdin.take().expect("it is piped");
        let text = std::sync::Arc::clone(&file.bytes);
        // `prettier --stdin-filepath {}` wants the name and the text, so the text is there in any case.
        let writer = std::thread::spawn(move || {
            // One that does not read its input needs none.
            let _ = input.write_all(&text);
        });
        let out = reader(child.stdout.take().expect("it is piped"));
        let err = reader(child.stderr.take().expect("it is piped"));
        let (ended, end) = channel();
        let waiter = std::thread::spawn(move || {
            let status = child.wait();
            // Nobody waits for it any more after the limit.
            let _ = ended.send(());
            status
        });
        let in_time = end.recv_timeout(self.limit).is_ok();
        // What it has started goes with it, so that its pipes close.
        let _ = kill_process_group(group, Signal::KILL);
        let status = waiter.join().map_err(|_| "cannot be waited for".to_owned())?;
        let _ = writer.join();
        let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
        match status {
            _ if !in_time => Err(format!("did not end within {} s", self.limit.as_secs_f64())),
            _ if out.len() as u64 > MOST_OUTPUT => Err("prints without end".to_owned()),
            Ok(status) => Ok((status, out, err)),
            Err(error) => Err(format!("cannot be waited for: {error}")),
        }
    }
}

fn reader(pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = pipe.take(MOST_OUTPUT + 1).read_to_end(&mut text);
        text
    })
}

fn with_path(word: &OsStr, path: &Path) -> OsString {
    let (bytes, path) = (word.as_bytes(), path.as_os_str().as_bytes());
    match bytes.windows(2).position(|pair| pair == PLACE) {
        Some(at) => OsString::from_vec([&bytes[..at], path, &bytes[at + PLACE.len()..]].concat()),
        None => word.to_owned(),
    }
}

/// A file in a directory of its own, which goes when it is dropped.
struct Copy {
    dir: PathBuf,
    path: PathBuf,
}

impl Copy {
    fn of(file: &File) -> std::io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let dir = std::env::temp_dir().join(format!("dwindle-format-{process}-{number}"));
        fs::create_dir(&dir)?;
        let path = dir.join(file.path.file_name().unwrap_or(OsStr::new("input")));
        let copy = Copy { dir, path };
        fs::write(&copy.path, &file.bytes)?;
        Ok(copy)
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        // Whatever cannot be removed from a directory for temporary files does no harm there.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<Vec<u8>, String> {
        let args = ["-c", script, "sh", "{}"].map(OsString::from).to_vec();
        let program = Program { path: "/bin/sh".into(), args, limit };
        program.run(&File::new("dir/in put.txt", *b"some text"))
    }

    #[test]
    fn what_it_prints_or_else_the_copy_is_the_formatted_text() {
        for (script, text) in [
            ("cat", "some text"),
            ("cat \"$1\"; echo !", "some text!\n"),
            ("echo x >> \"$1\"", "some textx\n"),
            ("echo x > \"$1\"; echo y", "y\n"),
            ("echo ${1##*/}", "in put.txt\n"),
            ("cat; sleep 1000 &", "some text"),
        ] {
            assert_eq!(shell(script, TIME_LIMIT), Ok(text.as_bytes().to_vec()), "{script}");
        }
    }

    #[test]
    fn one_that_fails_hangs_or_says_nothing_is_told_of() {
        for (script, limit, why) in [
            ("echo oh >&2; echo no >&2; exit 3", TIME_LIMIT, "sh failed (exit status: 3): no"),
            ("kill -9 $$", TIME_LIMIT, "sh failed (signal: 9 (SIGKILL))"),
            ("sleep 1000", Duration::from_millis(50), "sh did not end within 0.05 s"),
            (": > \"$1\"", TIME_LIMIT, "sh gave nothing back"),
        ] {
            assert_eq!(shell(script, limit), Err(why.to_owned()), "{script}");
        }
        let missing = Program { path: "/nowhere/fmt".into(), args: Vec::new(), limit: TIME_LIMIT };
        let why = missing.run(&File::new("x", *b"")).unwrap_err();
        assert!(why.starts_with("fmt cannot be started: "), "{why}");
    }
}
