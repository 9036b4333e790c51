//! The supervisor's side of a persistent test: one process that stays and answers one line a question.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::process::{ChildStdin, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use super::serve::{Process, Server, Sleep, Wish, cannot_start, end_of, sleep};
use super::sweep::{end_all_descendants, reap_orphans};
use super::tail::Output;
use crate::wire::{Capture, Done, End, Job};

/// Longer than any number: who says more does not speak our protocol.
const MAX_LINE: usize = 4096;

/// A cancelled test that is about to answer is cheaper waited for than started again, up to this.
const MAX_GRACE: Duration = Duration::from_secs(1);

/// A test that stays.
pub(super) struct Resident {
    pub(super) process: Process,
    job: Job,
    stdin: ChildStdin,
    answers: OwnedFd,
    errors: Output,
    /// What came in of an answer so far.
    line: Vec<u8>,
    /// How long an answer takes, as a running mean.
    usual: Option<Duration>,
}

enum Read {
    Line(Vec<u8>),
    Part,
    /// The end of its output, or more than a line may hold.
    Closed,
}

enum Heard {
    Line(Vec<u8>),
    Died,
    TimedOut,
    Cancelled { answered: bool },
    Gone,
}

impl Server {
    /// Puts one question to the resident test; `None` when dwindle is gone.
    pub(super) fn ask(&mut self, id: u64, job: &Job, question: &[u8], afresh: bool) -> Option<Done> {
        let started = Instant::now();
        if afresh
            || self.resident.as_ref().is_some_and(|resident| !resident.serves(job) || !resident.is_quiet())
        {
            self.end_resident();
        }
        let mut resident = match self.resident.take() {
            Some(resident) => resident,
            None => match self.settle(job.clone()) {
                Ok(resident) => resident,
                Err(error) => return Some(cannot_start(id, &error)),
            },
        };
        let limit = job.time_limit;
        // If it is dead already, the exit shows below.
        let _ = resident.stdin.write_all(&[question, b"\n"].concat());
        let deadline = limit.and_then(|limit| started.checked_add(limit));
        let heard = self.hear(id, &mut resident, deadline);
        let wall = started.elapsed();
        let (end, lives) = match heard {
            Heard::Line(line) => {
                let usual = resident.usual.unwrap_or(wall);
                resident.usual = Some((usual * 7 + wall) / 8);
                (End::Answered(line), true)
            }
            Heard::Cancelled { answered } => (End::Cancelled, answered),
            Heard::TimedOut => (End::TimedOut, false),
            Heard::Died => (End::Exited(0), false),
            Heard::Gone => {
                self.resident = Some(resident);
                return None;
            }
        };
        if lives {
            reap_orphans(resident.process.pid);
            let stderr = resident.errors.take();
            self.resident = Some(resident);
            return Some(Done { id, end, wall, max_rss: 0, stdout: Vec::new(), stderr });
        }
        let (status, max_rss) = resident.process.end();
        let max_rss = max_rss.max(end_all_descendants());
        let end = if matches!(end, End::Exited(_)) { end_of(status) } else { end };
        let stderr = resident.errors.finish(&mut self.buffer);
        Some(Done { id, end, wall, max_rss, stdout: resident.line, stderr })
    }

    fn settle(&self, job: Job) -> std::io::Result<Resident> {
        let mut command = self.command(&job)?;
        let limit = match job.capture {
            Capture::Nothing => 0,
            Capture::Together(limit) | Capture::Apart(limit) => limit,
        };
        let (errors, theirs) = Output::new(limit)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(theirs);
        let mut process = Process::start(command)?;
        let stdin = process.child.stdin.take().expect("asked for a pipe");
        let answers = OwnedFd::from(process.child.stdout.take().expect("asked for a pipe"));
        rustix::io::ioctl_fionbio(&answers, true)?;
        Ok(Resident { process, job, stdin, answers, errors, line: Vec::new(), usual: None })
    }

    fn hear(&mut self, id: u64, resident: &mut Resident, mut deadline: Option<Instant>) -> Heard {
        let mut cancelled = false;
        let mut heard = self.control.heard(id);
        loop {
            match heard {
                Wish::Continue => {}
                Wish::End => return Heard::Gone,
                Wish::Cancel => {
                    cancelled = true;
                    let grace = resident.usual.map_or(Duration::ZERO, |usual| (usual * 2).min(MAX_GRACE));
                    deadline = Some(Instant::now() + grace);
                }
            }
            let woken = {
                let mut fds = Vec::with_capacity(4);
                fds.push(PollFd::new(&resident.answers, PollFlags::IN));
                fds.push(PollFd::new(&resident.process.pidfd, PollFlags::IN));
                fds.push(PollFd::new(&self.control.socket, PollFlags::IN));
                if let Some(pipe) = resident.errors.pipe() {
                    fds.push(PollFd::from_borrowed_fd(pipe, PollFlags::IN));
                }
                match sleep(&mut fds, deadline) {
                    Sleep::Over => None,
                    Sleep::Interrupted => Some([false; 4]),
                    Sleep::Ready => {
                        Some([0, 1, 2, 3].map(|at| fds.get(at).is_some_and(|fd| !fd.revents().is_empty())))
                    }
                }
            };
            let over = |cancelled| {
                if cancelled { Heard::Cancelled { answered: false } } else { Heard::TimedOut }
            };
            let Some([answer, exit, wish, error]) = woken else {
                return over(cancelled);
            };
            if answer {
                match resident.read_line() {
                    Read::Line(_) if cancelled => return Heard::Cancelled { answered: true },
                    Read::Line(line) => return Heard::Line(line),
                    Read::Part if exit => return Heard::Died,
                    Read::Part => {}
                    // Without its output it can never answer again.
                    Read::Closed => return Heard::Died,
                }
            } else if exit {
                return Heard::Died;
            }
            heard = if wish { self.control.wish(id) } else { Wish::Continue };
            if error {
                resident.errors.pull(&mut self.buffer);
            }
            // Endless output keeps a pipe ready: the clock has to be looked at here too.
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return over(cancelled);
            }
        }
    }
}

impl Resident {
    /// Whether this process is what the job asks for; the time limit may differ from question to question.
    fn serves(&self, job: &Job) -> bool {
        self.job.program == job.program
            && self.job.args == job.args
            && self.job.env == job.env
            && self.job.cwd == job.cwd
    }

    /// Whether nothing was said that nobody asked for; such words would be taken for the next answer.
    fn is_quiet(&self) -> bool {
        self.line.is_empty() && rustix::io::read(&self.answers, &mut [0]) == Err(Errno::AGAIN)
    }

    /// Takes in what is there; a line comes without its end.
    fn read_line(&mut self) -> Read {
        let mut buffer = [0; 512];
        loop {
            if let Some(end) = self.line.iter().position(|&byte| byte == b'\n') {
                let rest = self.line.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.line, rest);
                line.pop();
                return Read::Line(line);
            }
            if self.line.len() > MAX_LINE {
                return Read::Closed;
            }
            match rustix::io::read(&self.answers, &mut buffer) {
                Ok(0) => return Read::Closed,
                Ok(count) => self.line.extend_from_slice(&buffer[..count]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Read::Part,
                Err(_) => return Read::Closed,
            }
        }
    }
}
