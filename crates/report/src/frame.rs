//! What the live view shows: a handful of lines, composed for a width.

use std::time::Duration;

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::format::{count, counted, per_second, percent, plural, time};
use crate::progress::{Measure, Progress};

/// Below this width the labels go, and the numbers have the line for themselves.
const COLUMNS_FOR_LABELS: usize = 60;

/// Longer lines are harder to read, and a wider sparkline says no more.
const MAX_COLUMNS: usize = 100;

const LABEL_COLUMNS: usize = 9;

/// One line of a frame. Its label and its text are told apart by their places, not by their colours alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    label: String,
    text: String,
    style: Style,
}

impl Line {
    fn new(label: &str, text: String, style: Style, columns: usize) -> Self {
        let label =
            if columns < COLUMNS_FOR_LABELS { String::new() } else { format!("{label:LABEL_COLUMNS$}") };
        Line { label, text, style }
    }

    /// How many columns it takes.
    pub(crate) fn width(&self) -> usize {
        self.label.width() + self.text.width()
    }

    /// The line as written, in colour or not.
    pub(crate) fn render(&self, colour: bool) -> String {
        let Line { label, text, style } = self;
        let dim = Style::new().dimmed();
        if !colour || style.is_plain() && label.is_empty() {
            format!("{label}{text}")
        } else {
            format!("{dim}{label}{dim:#}{style}{text}{style:#}")
        }
    }
}

/// Composes the lines of a frame for a terminal of so many columns.
pub(crate) fn compose(progress: &Progress, now: Duration, columns: usize, over: bool) -> Vec<Line> {
    // The last column stays empty: text in it would make some terminals wrap.
    let columns = columns.saturating_sub(1).min(MAX_COLUMNS);
    let room = if columns < COLUMNS_FOR_LABELS { columns } else { columns - LABEL_COLUMNS };
    let line = |label, text, style| Line::new(label, text, style, columns);
    let bold = Style::new().bold();
    let mut lines = vec![
        line("dwindle", spread(&headline(progress, over), &time(now), room), bold),
        line("size", sizes(progress, now, room), AnsiColor::Cyan.on_default()),
        line("best", fit(best(progress), room), AnsiColor::Green.on_default()),
        line("asked", fit(queries(progress, now), room), Style::new()),
    ];
    if !over {
        lines.push(line("sweep", fit(sweep(progress, now), room), Style::new()));
    }
    lines
}

fn headline(progress: &Progress, over: bool) -> String {
    match (&progress.stopped, &progress.pass) {
        (Some(reason), _) => reason.clone(),
        (None, _) if over => format!("done after {}", plural(progress.passes, "pass", "passes")),
        (None, Some(name)) => format!("pass {}: {name}", progress.passes),
        (None, None) if progress.passes == 0 => "starting".to_owned(),
        (None, None) => format!("after pass {}", progress.passes),
    }
}

/// The sizes over time between the first and the last of them.
fn sizes(progress: &Progress, now: Duration, room: usize) -> String {
    let (from, to) = (count(progress.input_bytes), count(progress.best_bytes));
    let bars = room.saturating_sub(from.len() + to.len() + 2);
    if bars < 8 {
        return progress.sparkline(now, room);
    }
    // The number on the right may shrink: the bars must not dance with it.
    let bars = room.saturating_sub(2 * from.len() + 2).max(8);
    format!("{from} {} {to}", progress.sparkline(now, bars))
}

/// The best, the most telling part first.
fn best(progress: &Progress) -> Vec<String> {
    let Progress { measure, best_bytes, input_bytes, queries, accepted, .. } = *progress;
    let size = match measure {
        Measure::Bytes => counted(best_bytes, "byte"),
        Measure::Weight => format!("weight {}", count(best_bytes)),
    };
    let mut parts = vec![format!("{size} ({})", percent(best_bytes, input_bytes))];
    parts.extend(progress.best_tokens.map(|tokens| counted(tokens, measure.part())));
    parts.push(format!(
        "{} accepted ({} of queries)",
        count(accepted),
        percent(accepted.min(queries), queries.max(1))
    ));
    parts
}

fn queries(progress: &Progress, now: Duration) -> Vec<String> {
    let Progress { queries, hits, timed_out, crashed, out_of_memory, warnings, .. } = *progress;
    let mut parts = vec![
        format!("{}, {}", plural(queries, "query", "queries"), per_second(progress.queries_per_second(now))),
        format!("{} ({})", counted(hits, "hit"), percent(hits, (queries + hits).max(1))),
    ];
    let troubles = [
        (timed_out, "time-out"),
        (crashed, "dead test"),
        (out_of_memory, "memory limit"),
        (warnings, "warning"),
    ];
    parts.extend(
        troubles.iter().filter(|(number, _)| *number > 0).map(|&(number, noun)| counted(number, noun)),
    );
    parts
}

fn sweep(progress: &Progress, now: Duration) -> Vec<String> {
    let Some(left) = progress.sweep_left else {
        return vec!["no estimate".to_owned()];
    };
    let mut parts = vec![format!("{} left", counted(left, "candidate"))];
    if let Some(rest) = progress.sweep_time(now) {
        parts[0] += &format!(", {}", time(rest));
        parts.push("if nothing more is found".to_owned());
    }
    parts
}

/// As many parts as there is room for.
fn fit(parts: Vec<String>, room: usize) -> String {
    let mut line = String::new();
    for part in parts {
        if !line.is_empty() && line.width() + 3 + part.width() > room {
            break;
        }
        if !line.is_empty() {
            line += "   ";
        }
        line += &part;
    }
    cut(&line, room)
}

/// One text at the left, one at the right.
fn spread(left: &str, right: &str, room: usize) -> String {
    let Some(gap) = room.checked_sub(right.width() + 1) else {
        return cut(left, room);
    };
    let left = cut(left, gap);
    let spaces = room - left.width() - right.width();
    format!("{left}{:spaces$}{right}", "")
}

/// The beginning of a text, if it has no room.
fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut width = 0;
    let fits = |c: &char| {
        width += c.width().unwrap_or(0);
        width < room
    };
    let mut short: String = text.chars().take_while(fits).collect();
    if room > 0 {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{candidate, play, terminal};
    use dwindle_core::Event;
    use proptest::prelude::*;

    /// The state of the scripted run when `now` has come.
    fn progress_at(moment: Duration) -> Progress {
        let mut progress = Progress::new(10_034, Some(2001));
        play(&mut |event, now| {
            if now <= moment {
                progress.on(event, now);
                if let Event::Accepted { best } = event {
                    progress.counted(best, best.size() / 5);
                }
            }
        });
        progress
    }

    fn frame(moment: Duration, columns: usize, over: bool) -> String {
        let lines = compose(&progress_at(moment), moment, columns, over);
        lines.iter().map(|line| line.render(false) + "|\n").collect()
    }

    #[test]
    fn a_frame_of_100_columns() {
        insta::assert_snapshot!(frame(Duration::from_millis(3100), 100, false), @r"
        dwindle  pass 1: line                                                                        3.10 s|
        size     10,034 ███████████████████▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃ 2,167|
        best     2,167 bytes (21.6 %)   433 tokens   3 accepted (12.0 % of queries)|
        asked    25 queries, 8.1/s   6 hits (19.4 %)|
        sweep    169 candidates left, 16.9 s   if nothing more is found|
        ");
    }

    #[test]
    fn a_frame_of_60_columns_has_no_labels() {
        insta::assert_snapshot!(frame(Duration::from_millis(3100), 60, false), @r"
        pass 1: line                                         3.10 s|
        10,034 ███████████▆▆▆▆▆▆▆▆▆▆▆▆▅▅▅▅▅▅▅▅▅▅▅▃▃▃▃▃▃▃▃▃▃▃ 2,167|
        2,167 bytes (21.6 %)   433 tokens|
        25 queries, 8.1/s   6 hits (19.4 %)|
        169 candidates left, 16.9 s   if nothing more is found|
        ");
    }

    #[test]
    fn a_frame_of_40_columns_keeps_the_most_telling_parts() {
        insta::assert_snapshot!(frame(Duration::from_millis(3100), 40, false), @r"
        pass 1: line                     3.10 s|
        10,034 ██████▆▆▆▆▆▆▅▅▅▅▅▅▅▃▃▃▃▃▃ 2,167|
        2,167 bytes (21.6 %)   433 tokens|
        25 queries, 8.1/s   6 hits (19.4 %)|
        169 candidates left, 16.9 s|
        ");
    }

    #[test]
    fn the_first_frame_shows_the_input() {
        let progress = Progress::new(10_034, Some(2001));
        let lines = compose(&progress, Duration::ZERO, 80, false);
        insta::assert_snapshot!(lines.iter().map(|line| line.render(false) + "\n").collect::<String>(), @r"
        dwindle  starting                                                        0.00 s
        size     10,034 ████████████████████████████████████████████████████████ 10,034
        best     10,034 bytes (100.0 %)   2,001 tokens   0 accepted (0 % of queries)
        asked    0 queries, 0.00/s   0 hits (0 %)
        sweep    no estimate
        ");
    }

    #[test]
    fn the_last_frame_says_how_it_ended() {
        insta::assert_snapshot!(frame(Duration::from_secs(7), 100, true), @r"
        dwindle  the time limit of the run was reached                                               7.00 s|
        size     10,034 ████████▇▇▇▇▇▇▇▇▇▆▆▆▆▆▆▆▆▆▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▄▄▄▄▄▄▄▄▄▃▃▃▃▃▃▃▃▂▂▂▂▂▂▂▂▂▁▁▁▁▁▁▁ 168|
        best     168 bytes (1.7 %)   33 tokens   8 accepted (14.8 % of queries)|
        asked    54 queries, 7.7/s   11 hits (16.9 %)   1 time-out   1 warning|
        ");
    }

    #[test]
    fn colour_adds_no_information() {
        let moment = Duration::from_millis(3100);
        let progress = progress_at(moment);
        for line in compose(&progress, moment, 80, false) {
            let mut parser = terminal(1, 100);
            parser.process(line.render(true).as_bytes());
            assert!(line.render(true).contains("\x1b["), "{line:?}");
            assert_eq!(parser.screen().contents(), line.render(false).trim_end());
        }
    }

    #[test]
    fn a_name_with_wide_characters_is_cut_between_them() {
        assert_eq!(cut("\u{6f22}\u{5b57}\u{6f22}\u{5b57}", 6), "\u{6f22}\u{5b57}…");
        assert_eq!(cut("\u{6f22}\u{5b57}\u{6f22}\u{5b57}", 5), "\u{6f22}\u{5b57}…");
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 0), "");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn no_line_reaches_the_last_column(
            columns in 0_usize..150, sizes in (0_u64..1 << 40, 0_u64..5000), name in "\\PC{0,60}", left in 0_usize..1 << 40,
        ) {
            let mut progress = Progress::new(sizes.0, Some(sizes.0));
            let now = Duration::from_secs(10_000);
            progress.on(&Event::PassStarted { name: &name, size: sizes.0 }, Duration::ZERO);
            progress.on(&Event::Accepted { best: &candidate(sizes.1) }, Duration::from_secs(1));
            let verdict = dwindle_core::Verdict::BORING;
            progress.on(&Event::Answered { verdict, hit: false, sweep_left: Some(left) }, now);
            for over in [false, true] {
                for line in compose(&progress, now, columns, over) {
                    prop_assert!(line.width() < columns.max(1), "{line:?}");
                }
            }
        }
    }
}
