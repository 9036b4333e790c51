//! The outside program: started when it is first asked, spoken to in lines, ended with the run.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dwindle::core::{Cancel, WakerGuard};
use rustix::process::{Pid, Signal, kill_process_group};

/// How many lines may wait to be read: enough to keep workers busy, few enough that one that prints without end waits.
const LINES_AHEAD: usize = 64;

/// The longest line that is read: a candidate of 64 MiB, escaped.
const LONGEST_LINE: u64 = 256 << 20;

/// How much of its complaints is kept for a message.
const KEPT_COMPLAINT: usize = 4096;

/// How long it has to end by itself once its input is closed.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A running program.
pub(super) struct Talk {
    group: Pid,
    /// What is said to it. It may be slow to listen while it speaks, so nobody waits for it.
    input: Option<Sender<String>>,
    output: Receiver<Said>,
    complaint: Arc<Mutex<Vec<u8>>>,
    ended: Receiver<String>,
    _waker: WakerGuard,
}

enum Said {
    Line(Vec<u8>),
    Nothing,
    Woken,
}

impl Talk {
    /// Starts the program. Raising `interrupt` ends every wait for it.
    pub(super) fn begin(command: &[std::ffi::OsString], interrupt: &Cancel) -> Result<Self, String> {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C is ours to hear.
            .process_group(0)
            .spawn()
            .map_err(|error| format!("cannot be started: {error}"))?;
        let group = Pid::from_child(&child);
        let mut stdin = child.stdin.take().expect("it is piped");
        let (input, lines) = channel::<String>();
        std::thread::spawn(move || {
            for line in lines {
                // One that has closed its input will be found to have ended.
                if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        let (said, output) = sync_channel(LINES_AHEAD);
        let wake = Mutex::new(said.clone());
        let stdout = child.stdout.take().expect("it is piped");
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let mut line = Vec::new();
                let read = (&mut stdout).take(LONGEST_LINE).read_until(b'\n', &mut line);
                let said_now = match read {
                    Ok(0) | Err(_) => Said::Nothing,
                    Ok(_) => Said::Line(line),
                };
                let over = matches!(said_now, Said::Nothing);
                if said.send(said_now).is_err() || over {
                    break;
                }
            }
        });
        let complaint = Arc::new(Mutex::new(Vec::new()));
        let (kept, mut stderr) = (Arc::clone(&complaint), child.stderr.take().expect("it is piped"));
        std::thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(count @ 1..) = stderr.read(&mut buffer) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&buffer[..count]);
                let excess = kept.len().saturating_sub(KEPT_COMPLAINT);
                kept.drain(..excess);
            }
        });
        let ended = wait_for(child);
        let waker = interrupt.on_raise(move || {
            let wake = wake.lock().unwrap_or_else(PoisonError::into_inner);
            // Nobody waits for a full channel.
            let _ = wake.try_send(Said::Woken);
        });
        Ok(Talk { group, input: Some(input), output, complaint, ended, _waker: waker })
    }

    /// Tells it something.
    pub(super) fn say(&mut self, line: String) {
        if let Some(input) = &self.input {
            // Found to have ended when it is next listened to.
            let _ = input.send(line);
        }
    }

    /// The next line it says; nothing when the run is interrupted. An error says how it misbehaved.
    pub(super) fn hear(&mut self, patience: Duration, interrupt: &Cancel) -> Result<Option<Vec<u8>>, String> {
        loop {
            if interrupt.is_raised() {
                return Ok(None);
            }
            match self.output.recv_timeout(patience) {
                Ok(Said::Line(line)) if line.len() as u64 >= LONGEST_LINE && !line.ends_with(b"\n") => {
                    return Err(format!("wrote a line of more than {LONGEST_LINE} bytes"));
                }
                Ok(Said::Line(line)) => return Ok(Some(line)),
                Ok(Said::Woken) => {}
                Ok(Said::Nothing) | Err(RecvTimeoutError::Disconnected) => return Err(self.epitaph()),
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("said nothing for {} s and was ended", patience.as_secs_f64()));
                }
            }
        }
    }

    /// How it ended, and its last words.
    fn epitaph(&mut self) -> String {
        let how = self.ended.recv_timeout(LAST_WORDS).unwrap_or_else(|_| "it closed its output".to_owned());
        let complaint = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&complaint);
        let last = text.trim().lines().last().map_or_else(String::new, |line| format!(": {line}"));
        format!("ended ({how}){last}")
    }
}

fn wait_for(mut child: Child) -> Receiver<String> {
    let (end, ended) = channel();
    std::thread::spawn(move || {
        let how = child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        let _ = end.send(how);
    });
    ended
}

impl Drop for Talk {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.ended.recv_timeout(LAST_WORDS);
        // It may have started others.
        let _ = kill_process_group(self.group, Signal::KILL);
    }
}

/// How a command is called in messages.
pub(super) fn name(command: &[std::ffi::OsString]) -> String {
    let program = command.first().map(Path::new).and_then(Path::file_name).unwrap_or_default();
    program.to_string_lossy().into_owned()
}
