//! A scripted run for the tests of this crate.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dwindle_core::cache::CacheUsage;
use dwindle_core::{Candidate, Counts, Event, Files, PassReport, Stop, Summary, Verdict};

use crate::outcome::Outcome;

/// A best of so many bytes.
pub(crate) fn candidate(size: u64) -> Candidate {
    let bytes = vec![b'x'; usize::try_from(size).expect("scripts are small")];
    Candidate::of_files(Files::single("input", bytes))
}

/// A query that was answered.
pub(crate) fn query(verdict: Verdict) -> Event<'static> {
    Event::Answered { verdict, hit: false, sweep_left: None }
}

/// What a pass did.
pub(crate) fn report(name: &str, queries: u64, hits: u64, accepted: u64, sizes: (u64, u64)) -> PassReport {
    PassReport {
        name: name.to_owned(),
        counts: Counts { queries, hits, accepted, ..Counts::default() },
        size_before: sizes.0,
        size_after: sizes.1,
        time: Duration::from_millis(100 * (queries + hits)),
    }
}

/// Plays a run on 10,034 bytes: one pass over lines, one over characters that the time limit cuts short. A question
/// is answered every 100 ms; every eighth is interesting, every fifth boring one is a hit.
pub(crate) fn play(on: &mut dyn FnMut(&Event<'_>, Duration)) {
    let mut now = Duration::ZERO;
    let mut best = 10_034;
    for (name, answers, hits) in [("line", 40, 7), ("char", 24, 4)] {
        let before = best;
        on(&Event::PassStarted { name, size: best }, now);
        for asked in 1..=answers {
            now += Duration::from_millis(100);
            let sweep_left = Some(200 - asked);
            if asked % 8 == 0 {
                best = best * 3 / 5;
                on(&Event::Answered { verdict: Verdict::Interesting, hit: false, sweep_left }, now);
                on(&Event::Accepted { best: &candidate(best) }, now);
            } else {
                on(&Event::Answered { verdict: Verdict::BORING, hit: asked % 5 == 0, sweep_left }, now);
            }
        }
        if name == "char" {
            on(&query(Verdict::Unresolved(dwindle_core::Unresolved::TimedOut)), now);
            on(&Event::Warning("the disk is nearly full"), now);
            on(&Event::Stopped(&Stop::OutOfTime), now);
        }
        let answers = answers as u64;
        on(&Event::PassEnded(&report(name, answers - hits, hits, answers / 8, (before, best))), now);
    }
}

/// What a run of two passes counted.
pub(crate) fn summary(stop: Option<Stop>) -> Summary {
    Summary {
        counts: Counts { queries: 1234, hits: 678, accepted: 8, unresolved: 2, replayed: 0 },
        started: 1300,
        passes: vec![report("line", 1000, 600, 5, (10_034, 779)), report("char", 234, 78, 3, (779, 168))],
        cache: CacheUsage { peak_bytes: 40_000, peak_entries: 900, ..CacheUsage::default() },
        time: Duration::from_millis(65_250),
        stop,
        ..Summary::default()
    }
}

/// What that run came to.
pub(crate) fn outcome(summary: &Summary) -> Outcome<'_> {
    Outcome {
        summary,
        input_bytes: 10_034,
        input_tokens: Some(2001),
        output_bytes: 168,
        output_tokens: Some(35),
        overhead_queries: 5,
        minimal_over: Some("char"),
        original: Some(Path::new("my case.c")),
        output: Some(Path::new("my case.reduced.c")),
        run: Some(Path::new(".dwindle/7")),
    }
}

/// An emulated terminal.
pub(crate) fn terminal(rows: u16, columns: u16) -> vt100::Parser {
    let size = |number: u16| number.try_into().expect("a terminal has rows and columns");
    vt100::Parser::new(size(rows), size(columns), 100)
}

/// A place that several hold, and that can be read back.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    /// All that was written.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }

    /// All that was written, as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes()).unwrap()
    }
}

impl io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
