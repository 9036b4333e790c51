//! The supervisor process itself: takes requests from its socket, runs one test at a time, leaves nothing behind.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, Signal};
use rustix::time::Timespec;
use wait4::Wait4;

use super::resident::Resident;
use super::sweep::end_all_descendants;
use super::tail::Output;
use crate::root::remove_slot;
use crate::sandbox::has_run;
use crate::wire::{Capture, Done, End, Inbox, Job, Reply, Request, VERSION};

/// The longest pause for a program that somebody still holds open for writing.
const BUSY_LIMIT: Duration = Duration::from_millis(50);

/// What is kept of a sandbox's report on the test's exit: far more than it says.
const STATUS_LIMIT: u32 = 4096;

/// Serves requests from standard input, a socket, until its other end is gone.
pub(super) fn serve(slot_dir: &Path) -> io::Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    // One byte, not none: with 0 the kernel still starts a core-dump program where one is set up (that takes longer
    // than most tests), with 1 it writes no file and starts nothing.
    let none = Rlimit { current: Some(1), maximum: Some(1) };
    let _ = rustix::process::setrlimit(Resource::Core, none);
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    // Opened once: a test run as root may well replace /dev/null by a file of its own.
    let null = std::fs::File::options().read(true).write(true).open("/dev/null")?.into();
    let mut server =
        Server { control: Control { socket, inbox: Inbox::new() }, null, resident: None, buffer: Vec::new() };
    server.control.say(&Reply::Ready { version: VERSION });
    server.take_requests();
    server.end_resident();
    end_all_descendants();
    // Nobody is left to use it: this is what cleans up after a dwindle that was killed.
    remove_slot(slot_dir);
    Ok(())
}

/// The socket to dwindle.
pub(super) struct Control {
    pub(super) socket: UnixStream,
    inbox: Inbox,
}

/// What dwindle wants while a test runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Continue,
    Cancel,
    /// It is gone.
    End,
}

impl Control {
    fn say(&mut self, reply: &Reply) {
        // If nobody listens the next read says so.
        let _ = self.socket.write_all(&reply.frame());
    }

    /// The next request; `None` when dwindle is gone (or speaks nonsense, which is no better).
    fn next(&mut self) -> Option<Request> {
        loop {
            if let Some(content) = self.inbox.next_frame().ok()? {
                return Request::parse(content);
            }
            if self.inbox.fill(&self.socket).ok()? == 0 {
                return None;
            }
        }
    }

    /// What came in while request `id` is under way; called when there is something to read.
    pub(super) fn wish(&mut self, id: u64) -> Wish {
        match self.inbox.fill(&self.socket) {
            Ok(0) | Err(_) => Wish::End,
            Ok(_) => self.heard(id),
        }
    }

    /// What has come in already: a wish can be read together with the request it is about, and then nothing is left on
    /// the socket to wake anybody.
    pub(super) fn heard(&mut self, id: u64) -> Wish {
        loop {
            match self.inbox.next_frame() {
                Ok(None) => return Wish::Continue,
                Ok(Some(content)) => match Request::parse(content) {
                    Some(Request::Cancel { id: which }) if which == id => return Wish::Cancel,
                    // Too late for a run that has ended.
                    Some(Request::Cancel { .. }) => {}
                    _ => return Wish::End,
                },
                Err(_) => return Wish::End,
            }
        }
    }
}

pub(super) struct Server {
    pub(super) control: Control,
    null: OwnedFd,
    pub(super) resident: Option<Resident>,
    pub(super) buffer: Vec<u8>,
}

impl Server {
    fn take_requests(&mut self) {
        while let Some(request) = self.control.next() {
            let done = match request {
                Request::Run { id, job } => {
                    self.end_resident();
                    self.run(id, job)
                }
                Request::Ask { id, job, question, afresh } => self.ask(id, &job, &question, afresh),
                Request::Cancel { .. } => continue,
            };
            match done {
                Some(done) => self.control.say(&Reply::Done(done)),
                None => return,
            }
        }
    }

    pub(super) fn end_resident(&mut self) {
        if let Some(mut resident) = self.resident.take() {
            resident.process.end();
            end_all_descendants();
        }
    }

    /// The job as a command in a group of its own, without input.
    pub(super) fn command(&self, job: &Job) -> io::Result<Command> {
        let mut command = Command::new(OsStr::from_bytes(&job.program));
        command
            .args(job.args.iter().map(|arg| OsStr::from_bytes(arg)))
            .envs(job.env.iter().map(|(name, value)| (OsStr::from_bytes(name), OsStr::from_bytes(value))))
            .env_remove(super::ASKED)
            .current_dir(OsStr::from_bytes(&job.cwd))
            .process_group(0)
            .stdin(self.null()?);
        Ok(command)
    }

    pub(super) fn null(&self) -> io::Result<Stdio> {
        Ok(self.null.try_clone()?.into())
    }

    fn start(&self, job: &mut Job) -> io::Result<(Process, [Option<Output>; 2], Option<Output>)> {
        let status = match job.status_arg {
            None => None,
            Some(arg) => {
                let (status, theirs) = Output::new(STATUS_LIMIT)?;
                rustix::io::fcntl_setfd(&theirs, rustix::io::FdFlags::empty())?;
                job.args[arg] = theirs.as_raw_fd().to_string().into_bytes();
                // Open for the sandbox to inherit until it is started.
                Some((status, theirs))
            }
        };
        let mut command = self.command(job)?;
        let outputs = match job.capture {
            Capture::Nothing => {
                command.stdout(self.null()?).stderr(self.null()?);
                [None, None]
            }
            Capture::Together(limit) => {
                let (output, theirs) = Output::new(limit)?;
                command.stdout(theirs.try_clone()?).stderr(theirs);
                [Some(output), None]
            }
            Capture::Apart(limit) => {
                let (stdout, theirs) = Output::new(limit)?;
                command.stdout(theirs);
                let (stderr, theirs) = Output::new(limit)?;
                command.stderr(theirs);
                [Some(stdout), Some(stderr)]
            }
        };
        let process = Process::start(command)?;
        Ok((process, outputs, status.map(|(status, _)| status)))
    }

    /// Runs a job to its end; `None` when dwindle is gone.
    fn run(&mut self, id: u64, mut job: Job) -> Option<Done> {
        let started = Instant::now();
        let deadline = job.time_limit.and_then(|limit| started.checked_add(limit));
        let (mut process, mut outputs, status) = match self.start(&mut job) {
            Ok(started) => started,
            Err(error) => return Some(cannot_start(id, &error)),
        };
        let mut woken = Woken::Wish(self.control.heard(id));
        let stopped = loop {
            match woken {
                Woken::Exit => break None,
                Woken::Time => break Some(End::TimedOut),
                Woken::Output | Woken::Wish(Wish::Continue) => {}
                Woken::Wish(Wish::Cancel) => break Some(End::Cancelled),
                Woken::Wish(Wish::End) => {
                    process.end();
                    return None;
                }
            }
            woken = self.wait(id, &process, &mut outputs, deadline);
        };
        let wall = started.elapsed();
        let (exit, max_rss) = process.end();
        let max_rss = max_rss.max(end_all_descendants());
        let report = status.map(|status| status.finish(&mut self.buffer));
        let [stdout, stderr] =
            outputs.map(|output| output.map(|output| output.finish(&mut self.buffer)).unwrap_or_default());
        let end = stopped.unwrap_or_else(|| match report {
            Some(report) if !has_run(&report) => End::SandboxFailed,
            _ => end_of(exit),
        });
        Some(Done { id, end, wall, max_rss, stdout, stderr })
    }

    /// Sleeps until something happens, and reads what a test has put out.
    fn wait(
        &mut self,
        id: u64,
        process: &Process,
        outputs: &mut [Option<Output>; 2],
        deadline: Option<Instant>,
    ) -> Woken {
        let ready = {
            let mut fds = Vec::with_capacity(4);
            fds.push(PollFd::new(&process.pidfd, PollFlags::IN));
            fds.push(PollFd::new(&self.control.socket, PollFlags::IN));
            let pipes = outputs.iter().map(|output| output.as_ref().and_then(Output::pipe));
            let at = pipes.map(|pipe| {
                let pipe = pipe?;
                fds.push(PollFd::from_borrowed_fd(pipe, PollFlags::IN));
                Some(fds.len() - 1)
            });
            let at: Vec<_> = at.collect();
            match sleep(&mut fds, deadline) {
                Sleep::Over => return Woken::Time,
                Sleep::Interrupted => return Woken::Output,
                Sleep::Ready => {}
            }
            let is_ready = |at: usize| !fds[at].revents().is_empty();
            (is_ready(0), is_ready(1), [at[0].is_some_and(is_ready), at[1].is_some_and(is_ready)])
        };
        let (exited, wished, readable) = ready;
        if exited {
            return Woken::Exit;
        }
        if wished {
            return Woken::Wish(self.control.wish(id));
        }
        for (output, readable) in outputs.iter_mut().zip(readable) {
            if let (Some(output), true) = (output, readable) {
                output.pull(&mut self.buffer);
            }
        }
        // Endless output keeps the pipe ready: the clock has to be looked at here too.
        match deadline {
            Some(deadline) if Instant::now() >= deadline => Woken::Time,
            _ => Woken::Output,
        }
    }
}

enum Woken {
    Exit,
    Time,
    Output,
    Wish(Wish),
}

/// How a sleep on descriptors ended.
pub(super) enum Sleep {
    Ready,
    Over,
    Interrupted,
}

/// Sleeps until a descriptor is ready or the deadline has come.
pub(super) fn sleep(fds: &mut [PollFd<'_>], deadline: Option<Instant>) -> Sleep {
    let left = deadline.map(|deadline| timespec(deadline.saturating_duration_since(Instant::now())));
    match poll(fds, left.as_ref()) {
        Ok(0) => Sleep::Over,
        Ok(_) => Sleep::Ready,
        // A signal; or the kernel is out of memory, and there is no other way on than to look again.
        Err(_) => Sleep::Interrupted,
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: duration.subsec_nanos().into(),
    }
}

/// A child that leads a process group of its own.
pub(super) struct Process {
    pub(super) child: Child,
    pub(super) pid: Pid,
    pub(super) pidfd: OwnedFd,
}

impl Process {
    pub(super) fn start(mut command: Command) -> io::Result<Self> {
        let child = spawn(&mut command)?;
        // Our own copies of the test's ends of pipes must not keep them open.
        drop(command);
        let pid = Pid::from_child(&child);
        match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => Ok(Process { child, pid, pidfd }),
            Err(error) => {
                let _ = rustix::process::kill_process_group(pid, Signal::KILL);
                end_all_descendants();
                Err(error.into())
            }
        }
    }

    /// Kills its group, while its number is still taken, and reaps it.
    pub(super) fn end(&mut self) -> (Option<ExitStatus>, u64) {
        let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
        loop {
            match self.child.try_wait4() {
                Ok(Some(usage)) => return (Some(usage.status), usage.rusage.maxrss),
                // Killed, not yet dead.
                Ok(None) => {
                    let _ = sleep(&mut [PollFd::new(&self.pidfd, PollFlags::IN)], None);
                }
                Err(_) => return (None, 0),
            }
        }
    }
}

/// Starts a command. A program that was just written may be busy for a moment: another thread of dwindle that starts
/// a process gives it, for the time between fork and exec, a copy of every open file.
fn spawn(command: &mut Command) -> io::Result<Child> {
    let mut pause = Duration::from_micros(100);
    loop {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && pause < BUSY_LIMIT => {
                std::thread::sleep(pause);
                pause *= 2;
            }
            started => return started,
        }
    }
}

pub(super) fn end_of(status: Option<ExitStatus>) -> End {
    match status.map(|status| (status.code(), status.signal())) {
        Some((Some(code), _)) => End::Exited(code),
        Some((_, Some(signal))) => End::Signalled(signal),
        // Cannot be: it was our child and nobody else waits for it.
        _ => End::Signalled(9),
    }
}

pub(super) fn cannot_start(id: u64, error: &io::Error) -> Done {
    let errno = error.raw_os_error().unwrap_or(Errno::INVAL.raw_os_error());
    Done {
        id,
        end: End::CannotStart(errno),
        wall: Duration::ZERO,
        max_rss: 0,
        stdout: Vec::new(),
        stderr: Vec::new(),
    }
}
