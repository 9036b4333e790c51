//! A strip of lines at the bottom of what was printed, redrawn in place.
//!
//! ```text
//!   $ dwindle reduce ./test.sh case.c
//!   warning: ...                         printed above the strip, scrolls away as usual
//!   dwindle  pass 3: line      12.3 s    ┐
//!   size     10,034 ██▆▅▃▂▁ 1,234        │ the strip
//!   best     1,234 bytes (12.3 %)        ┘
//!   _                                    the cursor always rests here
//! ```
//!
//! Only moves relative to the cursor are used, and a frame is one write: whoever stops the program, and however, finds
//! a whole frame and the cursor below it.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::format::harmless;
use crate::frame::Line;

/// Terminals that know it show what is between the two at once; others ignore it.
const BEGIN_UPDATE: &str = "\x1b[?2026h";
const END_UPDATE: &str = "\x1b[?2026l";

/// How large a terminal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

/// The strip and the terminal it is on.
pub(crate) struct Screen {
    out: Box<dyn Write + Send>,
    colour: bool,
    /// The widths of the lines that are drawn above the cursor.
    drawn: Vec<usize>,
}

impl Screen {
    /// A strip on a terminal, below what is there.
    pub(crate) fn new(out: Box<dyn Write + Send>, colour: bool) -> Self {
        Screen { out, colour, drawn: Vec::new() }
    }

    /// Draws a frame over the last one.
    pub(crate) fn draw(&mut self, frame: &[Line], size: Size) -> io::Result<()> {
        self.print(None, frame, size)
    }

    /// Prints a text that stays, with the frame below it.
    pub(crate) fn above(&mut self, text: &str, frame: &[Line], size: Size) -> io::Result<()> {
        self.print(Some(text), frame, size)
    }

    /// Leaves the last frame where it is: somebody else has written below it.
    pub(crate) fn let_go(&mut self) {
        self.drawn.clear();
    }

    fn print(&mut self, text: Option<&str>, frame: &[Line], size: Size) -> io::Result<()> {
        let mut bytes = String::from(BEGIN_UPDATE);
        let rows = self.rows_drawn(size);
        if rows > 0 {
            write!(bytes, "\x1b[{rows}A").expect("a string takes everything");
        }
        bytes.push('\r');
        if let Some(text) = text {
            bytes += "\x1b[J";
            for line in harmless(text).lines() {
                bytes += line;
                bytes += "\r\n";
            }
        }
        // A strip as high as the terminal could not be redrawn: its top would have scrolled away.
        let frame = &frame[..frame.len().min(size.rows.saturating_sub(1))];
        for line in frame {
            bytes += &line.render(self.colour);
            bytes += "\x1b[K\r\n";
        }
        // What a longer frame left behind, and the ^C that the terminal echoed.
        bytes += "\x1b[J";
        bytes += END_UPDATE;
        self.drawn = frame.iter().map(Line::width).collect();
        self.out.write_all(bytes.as_bytes())?;
        self.out.flush()
    }

    /// How many rows the last frame takes now: a terminal that became narrower has wrapped its lines.
    fn rows_drawn(&self, size: Size) -> usize {
        self.drawn.iter().map(|width| width.div_ceil(size.columns.max(1)).max(1)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::compose;
    use crate::progress::Progress;
    use crate::script::{Shared, terminal};
    use dwindle_core::Event;
    use std::time::Duration;

    /// A terminal emulator behind a strip.
    struct Terminal {
        screen: Screen,
        out: Shared,
        read: usize,
        parser: vt100::Parser,
        size: Size,
    }

    impl Terminal {
        fn new(columns: u16, rows: u16) -> Self {
            let out = Shared::default();
            let size = Size { columns: columns.into(), rows: rows.into() };
            let screen = Screen::new(Box::new(out.clone()), true);
            Terminal { screen, out, read: 0, parser: terminal(rows, columns), size }
        }

        fn frame(&self, pass: &str) -> Vec<Line> {
            let mut progress = Progress::new(1000, None);
            progress.on(&Event::PassStarted { name: pass, size: 1000 }, Duration::ZERO);
            compose(&progress, Duration::ZERO, self.size.columns, false)
        }

        fn draw(&mut self, pass: &str) {
            self.screen.draw(&self.frame(pass), self.size).unwrap();
            self.show();
        }

        fn above(&mut self, text: &str, pass: &str) {
            self.screen.above(text, &self.frame(pass), self.size).unwrap();
            self.show();
        }

        fn show(&mut self) {
            let bytes = self.out.bytes();
            self.parser.process(&bytes[self.read..]);
            self.read = bytes.len();
        }

        fn contents(&self) -> String {
            self.parser.screen().contents()
        }
    }

    #[test]
    fn a_frame_replaces_the_last_one_below_what_was_there() {
        let mut terminal = Terminal::new(70, 12);
        terminal.parser.process(b"$ dwindle reduce\r\n");
        terminal.draw("bracket");
        terminal.draw("line");
        terminal.above("warning: the disk\nis nearly full", "line");
        terminal.draw("char");
        insta::assert_snapshot!(terminal.contents(), @r"
        $ dwindle reduce
        warning: the disk
        is nearly full
        dwindle  pass 1: char                                          0.00 s
        size     1,000 ████████████████████████████████████████████████ 1,000
        best     1,000 bytes (100.0 %)   0 accepted (0 % of queries)
        asked    0 queries, 0.00/s   0 hits (0 %)
        sweep    no estimate
        ");
        assert_eq!(terminal.parser.screen().cursor_position(), (8, 0));
    }

    #[test]
    fn the_strip_stays_whole_while_the_terminal_scrolls() {
        let mut terminal = Terminal::new(70, 8);
        for text in 1..=20 {
            terminal.above(&format!("message {text}"), "line");
        }
        let contents = terminal.contents();
        assert!(contents.starts_with("message 19\nmessage 20\ndwindle  pass 1: line"), "{contents}");
        assert_eq!(contents.matches("dwindle").count(), 1);
    }

    #[test]
    fn an_echoed_interrupt_is_wiped_away() {
        let mut terminal = Terminal::new(70, 8);
        terminal.draw("line");
        terminal.parser.process(b"^C");
        terminal.draw("line");
        assert!(!terminal.contents().contains("^C"));
    }

    #[test]
    fn a_low_terminal_shows_the_first_lines() {
        let mut terminal = Terminal::new(70, 3);
        terminal.draw("line");
        terminal.draw("char");
        let contents = terminal.contents();
        assert_eq!(contents.lines().count(), 2, "{contents}");
        assert!(contents.starts_with("dwindle  pass 1: char"));
    }

    #[test]
    fn lines_that_a_narrower_terminal_has_wrapped_are_overwritten() {
        let mut terminal = Terminal::new(100, 20);
        terminal.draw("line");
        let widths: Vec<usize> = terminal.frame("line").iter().map(Line::width).collect();
        // The emulator does not wrap again, so the terminal's part is played by hand.
        let narrow = Size { columns: 40, rows: 20 };
        let rows: usize = widths.iter().map(|width| width.div_ceil(40)).sum();
        assert!(rows > widths.len());
        assert_eq!(terminal.screen.rows_drawn(narrow), rows);
    }

    #[test]
    fn a_strip_that_is_let_go_stays_on_the_screen() {
        let mut terminal = Terminal::new(70, 20);
        terminal.draw("line");
        terminal.screen.let_go();
        terminal.parser.process(b"[1]+ Stopped\r\n$ fg\r\n");
        terminal.draw("char");
        let contents = terminal.contents();
        assert!(
            contents.contains("pass 1: line") && contents.contains("$ fg\ndwindle  pass 1: char"),
            "{contents}"
        );
    }
}
