//! What a reduction tells people: live view, plain lines, summaries.
//!
//! Everything here is fed by [`dwindle_core::Event`]s and knows neither passes nor files. A program uses three types:
//! [`Watcher`] while a reduction runs, [`SummaryText`] and [`SummaryJson`] when it is over; both summaries say the
//! facts of one [`Outcome`]. Below them, [`Progress`] is the plain state, `Plain` writes lines, `Live` redraws a strip
//! of a terminal.
//!
//! # Why the live view writes its own escape sequences
//!
//! An inline viewport of ratatui has to know where the cursor is. crossterm asks the terminal for it through *stdout*,
//! where our `--json` goes, and reads the answer from the terminal in raw mode, where Ctrl-C is no signal. A strip that
//! moves only relative to its own last line needs neither: nothing is switched on, so nothing has to be restored, even
//! after SIGKILL. It also spares some 60 dependencies.

mod checks;
mod extras;
mod format;
mod frame;
mod history;
mod live;
mod outcome;
mod plain;
mod progress;
mod rate;
mod screen;
#[cfg(test)]
mod script;
mod summary_json;
mod summary_text;
mod watcher;

pub use checks::CheckSummary;
pub use extras::{AlsoFinding, AlsoSummary, Extras, FormatSummary, ProposalSummary};
pub use outcome::{ClassCounts, ItemCounts, Outcome};
pub use progress::{Measure, Progress};
pub use summary_json::{PassJson, SummaryJson};
pub use summary_text::SummaryText;
pub use watcher::{Style, Watcher};
