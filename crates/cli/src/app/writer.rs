//! A thread that writes results while the reduction goes on.
//!
//! To make a file safe takes a disk some milliseconds, longer than many tests. So the newest best is handed over and
//! written at once, but nobody waits for it; those that come while one is being written replace each other, and the
//! last one always gets there. Killed in between, the place holds an older best, whole, and `resume` finds the way to
//! the newest without running a test.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use dwindle::core::{Candidate, Fingerprint};

/// Puts a result in its place; an error says what is wrong and what to do.
pub(crate) type Write = Box<dyn Fn(&Candidate) -> Result<(), String> + Send + Sync>;

/// Writes results in the background, one after the other.
pub(crate) struct Writer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    write: Write,
}

#[derive(Default)]
struct State {
    next: Option<Candidate>,
    busy: bool,
    closed: bool,
    /// What was written last.
    written: Option<Fingerprint>,
    /// What went wrong and was not told yet.
    problem: Option<String>,
}

impl Writer {
    pub(crate) fn new(write: Write) -> Self {
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new(), write });
        let worker = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("writer".to_owned()).spawn(move || worker.work());
        // Without a thread the end of the run writes the result all the same.
        Writer { shared, thread: thread.ok() }
    }

    /// Hands over a new best. Gives the problem that an earlier one had, once.
    pub(crate) fn hand_over(&self, best: &Candidate) -> Result<(), String> {
        let mut state = self.shared.state();
        state.next = Some(best.clone());
        self.shared.changed.notify_all();
        state.problem.take().map_or(Ok(()), Err)
    }

    /// Waits until nothing is being written, and says what is there.
    pub(crate) fn settle(&self) -> Option<Fingerprint> {
        let mut state = self.shared.state();
        while self.thread.is_some() && (state.busy || state.next.is_some()) {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.written
    }

    /// Writes a result while the caller waits.
    pub(crate) fn write(&self, result: &Candidate) -> Result<(), String> {
        (self.shared.write)(result)
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        loop {
            let best = {
                let mut state = self.state();
                loop {
                    if let Some(best) = state.next.take() {
                        state.busy = true;
                        break best;
                    }
                    if state.closed {
                        return;
                    }
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            };
            let result = (self.write)(&best);
            let mut state = self.state();
            state.busy = false;
            match result {
                Ok(()) => state.written = Some(best.fingerprint()),
                Err(problem) => state.problem = Some(problem),
            }
            self.changed.notify_all();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.state().closed = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // Its panics have been reported by the hook.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwindle::core::Files;
    use std::sync::mpsc::channel;

    fn candidate(text: &str) -> Candidate {
        Candidate::of_files(Files::single("x", text.as_bytes()))
    }

    #[test]
    fn the_last_one_always_gets_there_and_those_between_may_not() {
        let (started, first_started) = channel();
        let (go, wait_to_go) = channel::<()>();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (log, wait_to_go) = (Arc::clone(&seen), Mutex::new(wait_to_go));
        let writer = Writer::new(Box::new(move |best| {
            log.lock().unwrap().push(best.size());
            started.send(()).unwrap();
            wait_to_go.lock().unwrap().recv().unwrap();
            Ok(())
        }));
        writer.hand_over(&candidate("12345")).unwrap();
        first_started.recv().unwrap();
        for text in ["1234", "123", "12"] {
            writer.hand_over(&candidate(text)).unwrap();
        }
        go.send(()).unwrap();
        go.send(()).unwrap();
        assert_eq!(writer.settle(), Some(candidate("12").fingerprint()));
        assert_eq!(*seen.lock().unwrap(), [5, 2]);
    }

    #[test]
    fn a_problem_is_told_with_the_next_one() {
        let writer = Writer::new(Box::new(|best| match best.size() {
            3 => Err("full".to_owned()),
            _ => Ok(()),
        }));
        assert_eq!(writer.hand_over(&candidate("123")), Ok(()));
        assert_eq!(writer.settle(), None);
        assert_eq!(writer.hand_over(&candidate("12")), Err("full".to_owned()));
        assert_eq!(writer.settle(), Some(candidate("12").fingerprint()));
        assert_eq!(writer.hand_over(&candidate("1")), Ok(()));
    }
}
