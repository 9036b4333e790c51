//! The live view: a thread that redraws a strip of the terminal from the shared state of a run.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use dwindle_core::{Candidate, Event};

use crate::frame::{Line, compose};
use crate::progress::Progress;
use crate::screen::{Screen, Size};
use crate::watcher::Clock;

/// Smooth enough for the eye; a frame costs about 15 µs.
const BETWEEN_FRAMES: Duration = Duration::from_millis(100);

/// A pause between frames that only a stopped process has (Ctrl-Z, then `fg`).
const ASLEEP: Duration = Duration::from_secs(3);

/// Goes up around the message of each panic, which is written to the terminal behind our back.
static PANICS: AtomicU64 = AtomicU64::new(0);

type TokenCounter = Box<dyn Fn(&Candidate) -> u64 + Send>;

/// Where a view is shown, and by which clock.
pub(crate) struct Place {
    /// The terminal.
    pub(crate) out: Box<dyn Write + Send>,
    /// Whether it is to show colours.
    pub(crate) colour: bool,
    /// How large it is now.
    pub(crate) size: Box<dyn Fn() -> Size + Send + Sync>,
    /// How long the run has taken.
    pub(crate) clock: Clock,
    /// Changes when somebody has written to the terminal behind our back.
    pub(crate) disturbed: &'static AtomicU64,
    /// A pause between frames after which the shell has written there, too.
    pub(crate) asleep: Duration,
}

impl Place {
    /// The terminal behind stderr.
    pub(crate) fn stderr(clock: Clock) -> Self {
        count_panics();
        Place {
            out: Box::new(io::stderr()),
            colour: std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
            size: Box::new(size_of_stderr),
            clock,
            disturbed: &PANICS,
            asleep: ASLEEP,
        }
    }
}

/// A view that is redrawn until it is finished or dropped.
pub(crate) struct Live {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What the observer, the thread and whoever prints a message have in common.
pub(crate) struct Shared {
    progress: Mutex<Progress>,
    strip: Mutex<Strip>,
    size: Box<dyn Fn() -> Size + Send + Sync>,
    clock: Clock,
    over: Mutex<bool>,
    wake: Condvar,
}

/// The strip on the screen, and how to tell that it is not where it was.
struct Strip {
    screen: Screen,
    disturbed: &'static AtomicU64,
    disturbances: u64,
    asleep: Duration,
    drawn: Instant,
}

impl Strip {
    /// The screen, ready for the next frame: over the last one, or below what others have written since.
    fn ready(&mut self) -> &mut Screen {
        let disturbances = self.disturbed.load(Ordering::SeqCst);
        if disturbances != self.disturbances || self.drawn.elapsed() > self.asleep {
            self.screen.let_go();
        }
        (self.disturbances, self.drawn) = (disturbances, Instant::now());
        &mut self.screen
    }
}

impl Live {
    /// Shows a run.
    pub(crate) fn new(place: Place, progress: Progress, count_tokens: TokenCounter) -> Self {
        let strip = Strip {
            screen: Screen::new(place.out, place.colour),
            disturbed: place.disturbed,
            disturbances: place.disturbed.load(Ordering::SeqCst),
            asleep: place.asleep,
            drawn: Instant::now(),
        };
        let shared = Arc::new(Shared {
            progress: Mutex::new(progress),
            strip: Mutex::new(strip),
            size: place.size,
            clock: place.clock,
            over: Mutex::new(false),
            wake: Condvar::new(),
        });
        let theirs = Arc::clone(&shared);
        // Without a thread there is no view, and the reduction goes on.
        let thread = std::thread::Builder::new().name("live view".to_owned());
        let thread = thread.spawn(move || theirs.redraw(&count_tokens)).ok();
        Live { shared, thread }
    }

    /// What the observer of the session needs.
    pub(crate) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    /// Draws the last frame, which stays, and ends the thread.
    pub(crate) fn finish(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        *lock(&self.shared.over) = true;
        self.shared.wake.notify_all();
        // A panic of the thread has had its message; the reduction does not depend on it.
        let _ = thread.join();
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Shared {
    /// Takes note of an event.
    pub(crate) fn on(&self, event: &Event<'_>) {
        let now = (self.clock)();
        lock(&self.progress).on(event, now);
        if let Event::Warning(text) = event {
            self.print(&format!("warning: {text}"));
        }
    }

    /// Prints a text above the view, or below it once it is finished.
    pub(crate) fn print(&self, text: &str) {
        let mut strip = lock(&self.strip);
        let screen = strip.ready();
        let size = (self.size)();
        let _ = if *lock(&self.over) {
            screen.let_go();
            screen.above(text, &[], size)
        } else {
            screen.above(text, &self.frame(size, false), size)
        };
    }

    fn frame(&self, size: Size, over: bool) -> Vec<Line> {
        compose(&lock(&self.progress), (self.clock)(), size.columns, over)
    }

    fn redraw(&self, count_tokens: &TokenCounter) {
        loop {
            let waiting = self.wake.wait_timeout_while(lock(&self.over), BETWEEN_FRAMES, |over| !*over);
            let over = *waiting.unwrap_or_else(PoisonError::into_inner).0;
            self.count(count_tokens);
            let size = (self.size)();
            let drawn = lock(&self.strip).ready().draw(&self.frame(size, over), size);
            if over || drawn.is_err() {
                return;
            }
        }
    }

    /// Counts the tokens of a new best here, where nobody waits for it.
    fn count(&self, count_tokens: &TokenCounter) {
        let best = lock(&self.progress).uncounted().cloned();
        if let Some(best) = best {
            let tokens = count_tokens(&best);
            lock(&self.progress).counted(&best, tokens);
        }
    }
}

/// The size of the terminal behind stderr.
fn size_of_stderr() -> Size {
    let size = rustix::termios::tcgetwinsize(io::stderr()).ok();
    let or = |number: u16, usual: usize| if number == 0 { usual } else { number.into() };
    Size {
        columns: size.map_or(80, |size| or(size.ws_col, 80)),
        rows: size.map_or(24, |size| or(size.ws_row, 24)),
    }
}

/// Nothing here leaves a value half changed, so a panic elsewhere does no harm to it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // Before: no frame is drawn over the text above. After: none is drawn over the message.
            PANICS.fetch_add(1, Ordering::SeqCst);
            usual(panic);
            PANICS.fetch_add(1, Ordering::SeqCst);
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{candidate, play, terminal};

    /// An emulated terminal, with a clock that is set by hand.
    fn place(out: &crate::script::Shared, time: &Arc<AtomicU64>) -> Place {
        let time = Arc::clone(time);
        Place {
            out: Box::new(out.clone()),
            colour: false,
            size: Box::new(|| Size { columns: 70, rows: 20 }),
            clock: Arc::new(move || Duration::from_millis(time.load(Ordering::SeqCst))),
            disturbed: &UNDISTURBED,
            asleep: Duration::MAX,
        }
    }

    fn view(place: Place) -> Live {
        Live::new(place, Progress::new(10_034, Some(2001)), Box::new(|best| best.size() / 5))
    }

    static UNDISTURBED: AtomicU64 = AtomicU64::new(0);

    fn contents(out: &crate::script::Shared) -> String {
        let mut parser = terminal(20, 70);
        parser.process(&out.bytes());
        parser.screen().contents()
    }

    #[test]
    fn the_last_frame_stays_with_warnings_and_messages_around_it() {
        let (out, time) = (crate::script::Shared::default(), Arc::default());
        let mut live = view(place(&out, &time));
        let shared = live.shared();
        shared.print("12 s for each test");
        play(&mut |event, now| {
            time.store(u64::try_from(now.as_millis()).unwrap(), Ordering::SeqCst);
            shared.on(event);
        });
        live.finish();
        live.finish();
        shared.print("case.reduced.c was written");
        insta::assert_snapshot!(contents(&out), @r"
        12 s for each test
        warning: the disk is nearly full
        dwindle  the time limit of the run was reached                 6.40 s
        size     10,034 █████▇▇▇▇▇▇▆▆▆▆▆▆▅▅▅▅▅▅▅▅▅▅▅▄▄▄▄▄▄▃▃▃▃▃▃▂▂▂▂▂▁ 168
        best     168 bytes (1.7 %)   33 tokens
        asked    54 queries, 8.4/s   11 hits (16.9 %)   1 time-out
        case.reduced.c was written
        ");
    }

    #[test]
    fn dropping_a_view_ends_its_thread_and_leaves_the_last_frame() {
        let (out, time) = (crate::script::Shared::default(), Arc::default());
        let live = view(place(&out, &time));
        let shared = live.shared();
        shared.on(&Event::Accepted { best: &candidate(500) });
        drop(live);
        assert_eq!(Arc::strong_count(&shared), 1);
        assert!(contents(&out).contains("500 bytes (5.0 %)   100 tokens"), "{}", contents(&out));
    }

    #[test]
    fn the_view_is_redrawn_without_any_event() {
        let (out, time) = (crate::script::Shared::default(), Arc::default());
        let _live = view(place(&out, &time));
        let deadline = Instant::now() + Duration::from_secs(60);
        time.store(7000, Ordering::SeqCst);
        while !contents(&out).contains("7.00 s") {
            assert!(Instant::now() < deadline, "{}", contents(&out));
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_frame_is_not_drawn_over_what_others_have_written() {
        static DISTURBED: AtomicU64 = AtomicU64::new(0);
        let (out, time) = (crate::script::Shared::default(), Arc::default());
        let place = Place { disturbed: &DISTURBED, ..place(&out, &time) };
        let mut live = view(place);
        live.shared().print("before");
        DISTURBED.fetch_add(1, Ordering::SeqCst);
        live.finish();
        assert_eq!(contents(&out).matches("dwindle").count(), 2, "{}", contents(&out));
    }

    #[test]
    fn a_frame_after_a_long_sleep_is_drawn_below() {
        let (out, time) = (crate::script::Shared::default(), Arc::default());
        let mut live = view(Place { asleep: Duration::ZERO, ..place(&out, &time) });
        live.shared().print("before");
        live.finish();
        assert!(contents(&out).matches("dwindle").count() >= 2, "{}", contents(&out));
    }

    #[test]
    fn a_panic_disturbs_the_view_on_stderr() {
        let disturbed = Place::stderr(Arc::new(Duration::default)).disturbed;
        let before = disturbed.load(Ordering::SeqCst);
        assert!(std::thread::spawn(|| panic!("on purpose")).join().is_err());
        // Another test may panic meanwhile.
        assert!(disturbed.load(Ordering::SeqCst) >= before + 2);
    }

    #[test]
    fn a_terminal_that_is_gone_ends_the_view_but_not_the_run() {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let place =
            Place { out: Box::new(Gone), ..place(&crate::script::Shared::default(), &Arc::default()) };
        let mut live = Live::new(place, Progress::new(1, None), Box::new(Candidate::size));
        live.shared().print("nobody reads this");
        live.finish();
    }
}
