//! The one type through which a program shows a run.

use std::io::{self, IsTerminal};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use dwindle_core::{Candidate, Event};

use crate::live::{Live, Place, Shared, lock};
use crate::plain::Plain;
use crate::progress::{Measure, Progress};

/// How long the run has taken so far.
pub(crate) type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// How a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A strip of the terminal that is redrawn.
    Live,
    /// Lines; with 1 every accepted candidate has one, with 2 every answer.
    Plain {
        /// How often the user wrote `-v`.
        verbosity: u8,
    },
    /// Not at all.
    Silent,
}

impl Style {
    /// What suits stderr: nothing if `quiet`, else the live view on a terminal that a person looks at, else lines.
    /// Who asks for more with `-v` wants to read it: lines, too.
    #[must_use]
    pub fn auto(quiet: bool, verbosity: u8) -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_none_or(|term| term == "dumb");
        let ci = set("CI").is_some_and(|ci| ci != "false" && ci != "0");
        Self::choose(quiet, verbosity, io::stderr().is_terminal() && !dumb && !ci)
    }

    fn choose(quiet: bool, verbosity: u8, watched: bool) -> Self {
        match (quiet, verbosity, watched) {
            (true, ..) => Style::Silent,
            (false, 0, true) => Style::Live,
            (false, ..) => Style::Plain { verbosity },
        }
    }
}

/// Shows a run on stderr while it goes on.
///
/// ```
/// use dwindle_report::{Style, Watcher};
///
/// let watcher = Watcher::new(Style::Silent, 1000, 200, |best| best.size() / 5);
/// let mut observer = watcher.observer();
/// observer(&dwindle_core::Event::Warning("the disk is nearly full"));
/// watcher.message("5 s for each test");
/// watcher.finish();
/// ```
pub struct Watcher {
    view: View,
    live: Mutex<Option<Live>>,
    clock: Clock,
}

#[derive(Clone)]
enum View {
    Live(Arc<Shared>),
    Plain(Arc<Mutex<Plain>>),
    Silent,
}

impl Watcher {
    /// Begins to show a run; its time counts from now. `count_tokens` is asked for the tokens of a best now and then,
    /// perhaps on another thread, and not at all if those of the input are unknown.
    pub fn new(
        style: Style,
        input_bytes: u64,
        input_tokens: impl Into<Option<u64>>,
        count_tokens: impl Fn(&Candidate) -> u64 + Send + 'static,
    ) -> Self {
        Self::of(style, Progress::new(input_bytes, input_tokens.into()), count_tokens)
    }

    /// The same for a run over items: `count_items` says how many a best has.
    pub fn of_items(
        style: Style,
        input_weight: u64,
        input_items: u64,
        count_items: impl Fn(&Candidate) -> u64 + Send + 'static,
    ) -> Self {
        let mut progress = Progress::new(input_weight, Some(input_items));
        progress.measure = Measure::Weight;
        Self::of(style, progress, count_items)
    }

    fn of(style: Style, progress: Progress, count: impl Fn(&Candidate) -> u64 + Send + 'static) -> Self {
        let begin = Instant::now();
        let clock: Clock = Arc::new(move || begin.elapsed());
        let mut live = None;
        let view = match style {
            Style::Live => {
                let place = Place::stderr(Arc::clone(&clock));
                View::Live(live.insert(Live::new(place, progress, Box::new(count))).shared())
            }
            Style::Plain { verbosity } => {
                let plain = Plain::new(Box::new(io::stderr()), verbosity, progress, Box::new(count));
                View::Plain(Arc::new(Mutex::new(plain)))
            }
            Style::Silent => View::Silent,
        };
        Watcher { view, live: Mutex::new(live), clock }
    }

    /// What the checks of the test are called, for lines that tell of every answer.
    pub fn name_checks(&self, names: &[String]) {
        if let View::Plain(plain) = &self.view {
            lock(plain).name_checks(names.to_vec());
        }
    }

    /// What the session is to tell its events to.
    pub fn observer(&self) -> impl FnMut(&Event<'_>) + Send + use<> {
        let (view, clock) = (self.view.clone(), Arc::clone(&self.clock));
        move |event| match &view {
            View::Live(shared) => shared.on(event),
            View::Plain(plain) => lock(plain).on(event, clock()),
            View::Silent => {}
        }
    }

    /// Prints a text that is no event: above the live view, or as a line. From any thread, at any time.
    pub fn message(&self, text: &str) {
        match &self.view {
            View::Live(shared) => shared.print(text),
            View::Plain(plain) => lock(plain).line((self.clock)(), text),
            View::Silent => {}
        }
    }

    /// Draws the live view a last time and leaves it there. Dropping the watcher does the same.
    pub fn finish(&self) {
        if let Some(live) = lock(&self.live).as_mut() {
            live.finish();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_wins_then_verbose_then_the_terminal() {
        let table = [
            ((true, 2, true), Style::Silent),
            ((false, 0, true), Style::Live),
            ((false, 1, true), Style::Plain { verbosity: 1 }),
            ((false, 0, false), Style::Plain { verbosity: 0 }),
        ];
        for ((quiet, verbosity, watched), style) in table {
            assert_eq!(Style::choose(quiet, verbosity, watched), style);
        }
    }

    #[test]
    fn a_watcher_can_be_shared_between_threads() {
        fn shareable<T: Send + Sync>(_: &T) {}
        let watcher = Watcher::new(Style::Silent, 10, None, dwindle_core::Candidate::size);
        shareable(&watcher);
        let mut observer = watcher.observer();
        watcher.finish();
        drop(watcher);
        observer(&Event::Warning("comes late"));
    }
}
