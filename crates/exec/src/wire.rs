//! The frames that pass between dwindle and a supervisor: a length, a kind, and plain fields, all little-endian.
//!
//! Both ends are the same build of the same program, so there is no versioning beyond a number said at the start.
//! Byte strings are carried as they are: paths and arguments need not be UTF-8.

use std::io::{self, Read};
use std::time::Duration;

/// Said by a supervisor when it is ready; another number means another build.
pub(crate) const VERSION: u64 = 1;

/// A frame longer than this is not one of ours: the largest honest one carries two captured outputs.
const MAX_FRAME: usize = 1 << 30;

/// What becomes of the output of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    /// Thrown away by the kernel.
    Nothing,
    /// Both streams into one, as a terminal would show them; only the last bytes are kept.
    Together(u32),
    /// Each stream of its own; only the last bytes of each are kept.
    Apart(u32),
}

/// One program to be run, spelled out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) program: Vec<u8>,
    pub(crate) args: Vec<Vec<u8>>,
    /// Set on top of the supervisor's own environment.
    pub(crate) env: Vec<(Vec<u8>, Vec<u8>)>,
    pub(crate) cwd: Vec<u8>,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) capture: Capture,
    /// Which argument is to hold the number of a descriptor that a sandbox reports the test's exit to.
    pub(crate) status_arg: Option<usize>,
}

/// What dwindle says to a supervisor.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// Run a program to its end.
    Run { id: u64, job: Job },
    /// Put a question to the resident test, starting it if there is none (or if a new one is wanted).
    Ask { id: u64, job: Job, question: Vec<u8>, afresh: bool },
    /// The answer to `id` is not wanted any more.
    Cancel { id: u64 },
}

/// How a program ended, as far as its supervisor can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    Cancelled,
    /// A sandbox ended without having run it.
    SandboxFailed,
    /// The system refused to start it, with this error number.
    CannotStart(i32),
    /// A resident test answered this line and lives on.
    Answered(Vec<u8>),
}

/// The answer to a [`Request::Run`] or [`Request::Ask`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) id: u64,
    pub(crate) end: End,
    pub(crate) wall: Duration,
    pub(crate) max_rss: u64,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// What a supervisor says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Ready { version: u64 },
    Done(Done),
}

/// Puts one frame together.
struct Writer(Vec<u8>);

impl Writer {
    fn new(kind: u8) -> Self {
        let mut bytes = Vec::with_capacity(512);
        bytes.extend_from_slice(&[0; 4]);
        bytes.push(kind);
        Writer(bytes)
    }

    fn number(&mut self, number: u64) -> &mut Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn job(&mut self, job: &Job) -> &mut Self {
        self.bytes(&job.program).bytes(&job.cwd);
        self.number(job.args.len() as u64);
        for arg in &job.args {
            self.bytes(arg);
        }
        self.number(job.env.len() as u64);
        for (name, value) in &job.env {
            self.bytes(name).bytes(value);
        }
        self.number(job.time_limit.map_or(u64::MAX, nanoseconds));
        self.number(job.status_arg.map_or(u64::MAX, |arg| arg as u64));
        match job.capture {
            Capture::Nothing => self.number(0).number(0),
            Capture::Together(limit) => self.number(1).number(limit.into()),
            Capture::Apart(limit) => self.number(2).number(limit.into()),
        }
    }

    fn frame(mut self) -> Vec<u8> {
        let length = u32::try_from(self.0.len() - 4).expect("captures are limited to far less than 4 GiB");
        self.0[..4].copy_from_slice(&length.to_le_bytes());
        self.0
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX - 1)
}

/// Takes one frame apart; `None` as soon as something does not fit.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn int(&mut self) -> Option<i32> {
        self.number().map(|number| number as i32)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn job(&mut self) -> Option<Job> {
        let program = self.bytes()?.to_vec();
        let cwd = self.bytes()?.to_vec();
        let args: Vec<_> =
            (0..self.number()?).map(|_| self.bytes().map(<[u8]>::to_vec)).collect::<Option<_>>()?;
        let env = (0..self.number()?)
            .map(|_| Some((self.bytes()?.to_vec(), self.bytes()?.to_vec())))
            .collect::<Option<_>>()?;
        let time_limit = match self.number()? {
            u64::MAX => None,
            nanoseconds => Some(Duration::from_nanos(nanoseconds)),
        };
        let status_arg = match self.number()? {
            u64::MAX => None,
            arg => Some(usize::try_from(arg).ok().filter(|arg| *arg < args.len())?),
        };
        let (capture, limit) = (self.number()?, u32::try_from(self.number()?).ok()?);
        let capture = match capture {
            0 => Capture::Nothing,
            1 => Capture::Together(limit),
            2 => Capture::Apart(limit),
            _ => return None,
        };
        Some(Job { program, args, env, cwd, time_limit, capture, status_arg })
    }
}

impl Request {
    /// This request as a frame.
    pub(crate) fn frame(&self) -> Vec<u8> {
        let mut writer;
        match self {
            Request::Run { id, job } => {
                writer = Writer::new(1);
                writer.number(*id).job(job);
            }
            Request::Ask { id, job, question, afresh } => {
                writer = Writer::new(2);
                writer.number(*id).job(job).bytes(question).number((*afresh).into());
            }
            Request::Cancel { id } => {
                writer = Writer::new(3);
                writer.number(*id);
            }
        }
        writer.frame()
    }

    /// Reads a frame's content.
    pub(crate) fn parse(content: &[u8]) -> Option<Self> {
        let (&kind, rest) = content.split_first()?;
        let mut reader = Reader(rest);
        let id = reader.number()?;
        Some(match kind {
            1 => Request::Run { id, job: reader.job()? },
            2 => Request::Ask {
                id,
                job: reader.job()?,
                question: reader.bytes()?.to_vec(),
                afresh: reader.number()? != 0,
            },
            3 => Request::Cancel { id },
            _ => return None,
        })
    }
}

impl Reply {
    /// This reply as a frame.
    pub(crate) fn frame(&self) -> Vec<u8> {
        let mut writer;
        match self {
            Reply::Ready { version } => {
                writer = Writer::new(10);
                writer.number(*version);
            }
            Reply::Done(done) => {
                writer = Writer::new(11);
                writer.number(done.id);
                match &done.end {
                    End::Exited(code) => writer.number(0).number(*code as u64),
                    End::Signalled(signal) => writer.number(1).number(*signal as u64),
                    End::TimedOut => writer.number(2),
                    End::Cancelled => writer.number(3),
                    End::CannotStart(errno) => writer.number(4).number(*errno as u64),
                    End::SandboxFailed => writer.number(6),
                    End::Answered(line) => writer.number(5).bytes(line),
                };
                writer.number(nanoseconds(done.wall)).number(done.max_rss);
                writer.bytes(&done.stdout).bytes(&done.stderr);
            }
        }
        writer.frame()
    }

    /// Reads a frame's content.
    pub(crate) fn parse(content: &[u8]) -> Option<Self> {
        let (&kind, rest) = content.split_first()?;
        let mut reader = Reader(rest);
        match kind {
            10 => Some(Reply::Ready { version: reader.number()? }),
            11 => {
                let id = reader.number()?;
                let end = match reader.number()? {
                    0 => End::Exited(reader.int()?),
                    1 => End::Signalled(reader.int()?),
                    2 => End::TimedOut,
                    3 => End::Cancelled,
                    4 => End::CannotStart(reader.int()?),
                    5 => End::Answered(reader.bytes()?.to_vec()),
                    6 => End::SandboxFailed,
                    _ => return None,
                };
                Some(Reply::Done(Done {
                    id,
                    end,
                    wall: Duration::from_nanos(reader.number()?),
                    max_rss: reader.number()?,
                    stdout: reader.bytes()?.to_vec(),
                    stderr: reader.bytes()?.to_vec(),
                }))
            }
            _ => None,
        }
    }
}

/// Cuts what comes out of a stream into frames.
pub(crate) struct Inbox {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Inbox {
    pub(crate) fn new() -> Self {
        Inbox { buffer: vec![0; 16 << 10], start: 0, end: 0 }
    }

    /// Reads once from `stream`; 0 is its end.
    pub(crate) fn fill(&mut self, mut stream: impl Read) -> io::Result<usize> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.end * 2, 0);
        }
        loop {
            match stream.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(count) => {
                    self.end += count;
                    return Ok(count);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The content of the next whole frame, if one has come in.
    pub(crate) fn next_frame(&mut self) -> io::Result<Option<&[u8]>> {
        let Some((length, rest)) = self.buffer[self.start..self.end].split_first_chunk() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length) as usize;
        if length > MAX_FRAME {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not a frame"));
        }
        if rest.len() < length {
            return Ok(None);
        }
        let from = self.start + 4;
        self.start = from + length;
        Ok(Some(&self.buffer[from..from + length]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_job() -> impl Strategy<Value = Job> {
        let bytes = || proptest::collection::vec(any::<u8>(), 0..20);
        let capture = prop_oneof![
            Just(Capture::Nothing),
            any::<u32>().prop_map(Capture::Together),
            any::<u32>().prop_map(Capture::Apart)
        ];
        (
            bytes(),
            proptest::collection::vec(bytes(), 0..5),
            proptest::collection::vec((bytes(), bytes()), 0..5),
            bytes(),
            proptest::option::of(0..u64::MAX / 2),
            capture,
        )
            .prop_map(|(program, args, env, cwd, limit, capture)| Job {
                status_arg: args.len().checked_sub(1),
                program,
                args,
                env,
                cwd,
                time_limit: limit.map(Duration::from_nanos),
                capture,
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn requests_cut_at_any_place_come_out_as_they_went_in(
            jobs in proptest::collection::vec((any::<u64>(), any_job(), any::<bool>()), 1..6),
            step in 1_usize..50,
        ) {
            let requests: Vec<_> = jobs
                .into_iter()
                .map(|(id, job, ask)| match ask {
                    true => Request::Ask { id, question: job.cwd.clone(), job, afresh: id % 2 == 0 },
                    false => Request::Run { id, job },
                })
                .collect();
            let stream: Vec<u8> = requests.iter().flat_map(Request::frame).collect();
            let (mut inbox, mut seen) = (Inbox::new(), Vec::new());
            for piece in stream.chunks(step) {
                inbox.fill(piece).unwrap();
                while let Some(content) = inbox.next_frame().unwrap() {
                    seen.push(Request::parse(content).unwrap());
                }
            }
            prop_assert_eq!(seen, requests);
        }

        #[test]
        fn garbage_is_refused_without_a_panic(content in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = Request::parse(&content);
            let _ = Reply::parse(&content);
        }
    }

    #[test]
    fn replies_come_out_as_they_went_in() {
        let ends = [
            End::Exited(-1),
            End::Exited(255),
            End::Signalled(11),
            End::TimedOut,
            End::Cancelled,
            End::CannotStart(2),
            End::SandboxFailed,
            End::Answered(b"0".to_vec()),
        ];
        for end in ends {
            let reply = Reply::Done(Done {
                id: 7,
                end,
                wall: Duration::from_millis(3),
                max_rss: 9,
                stdout: b"out".to_vec(),
                stderr: vec![0xff; 300],
            });
            assert_eq!(Reply::parse(&reply.frame()[4..]), Some(reply));
        }
        let ready = Reply::Ready { version: VERSION };
        assert_eq!(Reply::parse(&ready.frame()[4..]), Some(ready));
    }
}
