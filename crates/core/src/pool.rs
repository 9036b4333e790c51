//! The workers that run tests for a session.
//!
//! With one job there is no thread at all: the test runs where the session is. With more, each worker owns one slot
//! of the runner and takes the next task when it is free.

use std::collections::HashMap;
use std::thread::Scope;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::cancel::Cancel;
use crate::candidate::Candidate;
use crate::runner::{Answer, Runner};

/// Names one run of the test.
pub(crate) type TaskId = u64;

struct Task {
    id: TaskId,
    candidate: Candidate,
    cancel: Cancel,
}

/// A run that has ended.
pub(crate) struct Done {
    pub(crate) id: TaskId,
    pub(crate) candidate: Candidate,
    pub(crate) answer: Answer,
}

/// Runs tests, at most `jobs` at once.
pub(crate) struct Pool<'r> {
    runner: &'r dyn Runner,
    jobs: usize,
    threads: Option<Threads>,
    running: HashMap<TaskId, Cancel>,
    ready: Vec<Done>,
    next: TaskId,
}

struct Threads {
    tasks: Sender<Task>,
    done: Receiver<Done>,
}

impl<'r> Pool<'r> {
    pub(crate) fn new<'s>(runner: &'r dyn Runner, jobs: usize, scope: &'s Scope<'s, 'r>) -> Self {
        let threads = (jobs > 1).then(|| {
            let (tasks, todo) = unbounded::<Task>();
            let (finished, done) = unbounded();
            for slot in 0..jobs {
                let (todo, finished) = (todo.clone(), finished.clone());
                scope.spawn(move || {
                    for Task { id, candidate, cancel } in todo {
                        let answer = if cancel.is_raised() {
                            Answer::Cancelled
                        } else {
                            runner.run(slot, &candidate, &cancel)
                        };
                        if finished.send(Done { id, candidate, answer }).is_err() {
                            break;
                        }
                    }
                });
            }
            Threads { tasks, done }
        });
        Pool { runner, jobs, threads, running: HashMap::new(), ready: Vec::new(), next: 0 }
    }

    /// What runs the tests.
    pub(crate) fn runner(&self) -> &'r dyn Runner {
        self.runner
    }

    /// The run that was started last.
    pub(crate) fn last_started(&self) -> TaskId {
        self.next
    }

    /// Whether another test can be started now.
    pub(crate) fn has_room(&self) -> bool {
        self.running.len() < self.jobs
    }

    /// Whether all workers have something to do and none has ended.
    pub(crate) fn is_busy(&self) -> bool {
        !self.has_room() && self.threads.as_ref().is_some_and(|threads| threads.done.is_empty())
    }

    /// Starts a test. With one job it has ended when this returns, and `meanwhile` may have been called.
    pub(crate) fn start(
        &mut self,
        candidate: Candidate,
        cancel: Cancel,
        meanwhile: &mut dyn FnMut(),
    ) -> TaskId {
        self.next += 1;
        let id = self.next;
        self.running.insert(id, cancel.clone());
        match &self.threads {
            None => {
                let answer = self.runner.run_meanwhile(0, &candidate, &cancel, meanwhile);
                self.ready.push(Done { id, candidate, answer });
            }
            Some(threads) => {
                threads.tasks.send(Task { id, candidate, cancel }).expect("workers live as long as the pool");
            }
        }
        id
    }

    /// The next run that ended, waiting for it.
    ///
    /// # Panics
    /// If nothing is running.
    pub(crate) fn wait(&mut self) -> Done {
        assert!(!self.running.is_empty(), "waiting for a test while none runs");
        let done = match &self.threads {
            None => self.ready.pop().expect("a test run in place has ended"),
            Some(threads) => threads.done.recv().expect("workers live as long as the pool"),
        };
        self.running.remove(&done.id);
        done
    }

    /// Ends a run whose result is not wanted any more; it is reported by [`Pool::wait`] all the same.
    pub(crate) fn cancel(&self, id: TaskId) {
        if let Some(cancel) = self.running.get(&id) {
            cancel.raise();
        }
    }

    /// Ends everything and waits for it.
    pub(crate) fn drain(&mut self) -> Vec<Done> {
        for cancel in self.running.values() {
            cancel.raise();
        }
        let mut ended = Vec::new();
        while !self.running.is_empty() {
            ended.push(self.wait());
        }
        ended
    }
}
