//! dwindle's end of a supervisor: starts it, sends requests, waits for answers, starts again when it is lost.

use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use dwindle_core::Cancel;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use rustix::time::Timespec;

use super::{ASKED, NAME, Supervisor, stray};
use crate::error::ExecError;
use crate::wire::{Done, Inbox, Job, Reply, Request, VERSION};

/// How long a supervisor may take to say that it is there: far more than a loaded machine needs.
const START_LIMIT: Duration = Duration::from_secs(30);

/// How long after its test's time limit a supervisor must have answered. A test can stop its supervisor
/// (`kill -STOP $PPID`); then nobody but us can end the two.
const GRACE: Duration = Duration::from_secs(10);

/// A running supervisor.
pub(crate) struct Link {
    child: Child,
    shared: Arc<Shared>,
    inbox: Inbox,
    next_id: u64,
    slot: PathBuf,
}

/// What a call-back on another thread needs to cancel a run.
struct Shared {
    socket: UnixStream,
    /// Frames must not mix.
    writing: Mutex<()>,
    pidfd: OwnedFd,
}

impl Shared {
    fn send(&self, request: &Request) -> io::Result<()> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        (&self.socket).write_all(&request.frame())
    }
}

/// How a request to a supervisor ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    Done(Done),
    /// The supervisor was gone before it had taken the request: nothing ran.
    NeverStarted,
    /// It died, or stopped answering, while the test ran.
    Lost,
}

/// How often it is looked after a supervisor that lets us wait.
const NUDGE: Duration = Duration::from_millis(300);

impl Link {
    /// Starts a supervisor for the slot with this directory.
    pub(crate) fn start(supervisor: &Supervisor, slot: &Path) -> Result<Self, ExecError> {
        let not_one = || ExecError::NotASupervisor { program: supervisor.path().to_owned() };
        let refused = |source: io::Error| ExecError::CannotStartSupervisor { source };
        if std::env::var_os(ASKED).is_some() {
            return Err(not_one());
        }
        let (ours, theirs) = UnixStream::pair().map_err(refused)?;
        let child = Command::new(supervisor.path())
            .arg0(NAME)
            .arg(slot)
            .env(ASKED, "1")
            // Out of the terminal's foreground group: Ctrl-C is for dwindle, which then ends its supervisors.
            .process_group(0)
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(refused)?;
        let pidfd = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())
            .map_err(|error| refused(error.into()))?;
        let shared = Arc::new(Shared { socket: ours, writing: Mutex::new(()), pidfd });
        let mut link = Link { child, shared, inbox: Inbox::new(), next_id: 0, slot: slot.to_owned() };
        match link.receive(Some(Instant::now() + START_LIMIT), &Cancel::new()) {
            Some(Reply::Ready { version: VERSION }) => Ok(link),
            _ => {
                link.kill();
                Err(not_one())
            }
        }
    }

    /// Runs a job, or asks the resident test when there is a question. `meanwhile` is called before it waits.
    pub(crate) fn run(
        &mut self,
        job: Job,
        question: Option<Question>,
        cancel: &Cancel,
        meanwhile: &mut dyn FnMut(),
    ) -> Outcome {
        self.next_id += 1;
        let id = self.next_id;
        let patience = job.time_limit.and_then(|limit| Instant::now().checked_add(limit)?.checked_add(GRACE));
        let request = match question {
            None => Request::Run { id, job },
            Some(Question { line, afresh }) => Request::Ask { id, job, question: line, afresh },
        };
        if self.shared.send(&request).is_err() {
            return Outcome::NeverStarted;
        }
        let shared = Arc::clone(&self.shared);
        let _waker = cancel.on_raise(move || {
            let _ = shared.send(&Request::Cancel { id });
            // In case a test has stopped its supervisor: it would sleep on with our message unread.
            let _ = pidfd_send_signal(&shared.pidfd, Signal::CONT);
        });
        meanwhile();
        loop {
            match self.receive(patience, cancel) {
                Some(Reply::Done(done)) if done.id == id => return Outcome::Done(done),
                Some(_) => {}
                None => return Outcome::Lost,
            }
        }
    }

    /// The next reply; `None` if the supervisor is gone or lets us wait for too long.
    fn receive(&mut self, patience: Option<Instant>, cancel: &Cancel) -> Option<Reply> {
        loop {
            if let Some(content) = self.inbox.next_frame().ok()? {
                return Reply::parse(content);
            }
            let left = patience.map(|patience| patience.saturating_duration_since(Instant::now()));
            let wait = left.map_or(NUDGE, |left| left.min(NUDGE));
            let wait = Timespec { tv_sec: 0, tv_nsec: wait.subsec_nanos().into() };
            let mut fds = [PollFd::from_borrowed_fd(self.shared.socket.as_fd(), PollFlags::IN)];
            match poll(&mut fds, Some(&wait)) {
                Ok(0) if left.is_some_and(|left| left <= NUDGE) => return None,
                Ok(0) => {
                    // A test may stop its supervisor even after it was cancelled.
                    if cancel.is_raised() {
                        let _ = pidfd_send_signal(&self.shared.pidfd, Signal::CONT);
                    }
                    continue;
                }
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => return None,
            }
            if self.inbox.fill(&self.shared.socket).ok()? == 0 {
                return None;
            }
        }
    }

    /// Ends a supervisor that cannot be asked to go, and what it watched over.
    pub(crate) fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        stray::end_strays(&self.slot);
    }
}

/// A line for the resident test.
pub(crate) struct Question {
    pub(crate) line: Vec<u8>,
    /// A new resident is wanted.
    pub(crate) afresh: bool,
}

impl Drop for Link {
    fn drop(&mut self) {
        // The end of the socket asks it to end everything, remove the slot's directory and go.
        let _ = self.shared.socket.shutdown(std::net::Shutdown::Both);
        let _ = pidfd_send_signal(&self.shared.pidfd, Signal::CONT);
        let _ = self.child.wait();
    }
}
