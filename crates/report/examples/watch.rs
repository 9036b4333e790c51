//! Shows the live view, plain lines and both summaries of a small reduction with a slow test.
//!
//! `cargo run -p dwindle-report --example watch`, with `-v`, `-vv`, `-q` or `| cat` behind it for the other styles.

use std::io::{self, Write as _};
use std::ops::Range;
use std::time::Duration;

use dwindle_core::{Candidate, Files, Options, Session, Stop};
use dwindle_report::{Outcome, Style, SummaryJson, SummaryText, Watcher};

const LINES: usize = 400;

/// The input with only these lines, and how many words it has.
fn variant(lines: &[usize]) -> Candidate {
    let text: String = lines.iter().map(|line| format!("this is line {line}\n")).collect();
    Candidate::of_files(Files::single("input.txt", text.into_bytes()))
}

fn words(candidate: &Candidate) -> u64 {
    candidate.files().iter().map(|file| file.bytes.split(u8::is_ascii_whitespace).count() as u64).sum()
}

fn without(lines: &[usize], gone: &Range<usize>) -> Vec<usize> {
    [&lines[..gone.start], &lines[gone.end..]].concat()
}

/// Deletes runs of lines, ever shorter ones.
fn reduce(session: &mut Session<'_>) -> Result<(), Stop> {
    let mut kept: Vec<usize> = (0..LINES).collect();
    for length in [100, 25, 5, 1] {
        session.pass(&format!("runs of {length}"), |session| {
            let mut from = 0;
            while from < kept.len() {
                let starts = (from..kept.len()).step_by(length);
                let runs: Vec<_> = starts.map(|start| start..kept.len().min(start + length)).collect();
                let Some(found) = session.first(runs.iter().map(|run| variant(&without(&kept, run))))? else {
                    break;
                };
                from = runs[found].start;
                kept = without(&kept, &runs[found]);
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let verbosity = std::env::args().map(|argument| argument.matches('v').count()).max().unwrap_or(0);
    let style = Style::auto(std::env::args().any(|argument| argument == "-q"), verbosity.min(2) as u8);
    let input = variant(&(0..LINES).collect::<Vec<_>>());
    let test = |candidate: &Candidate| {
        std::thread::sleep(Duration::from_millis(40));
        let text = String::from_utf8_lossy(&candidate.files()[0].bytes).into_owned();
        (0..LINES).step_by(37).all(|needed| text.contains(&format!("line {needed}\n")))
    };
    let watcher = Watcher::new(style, input.size(), words(&input), words);
    watcher.message("each test takes 40 ms");
    let options = Options { observer: Some(Box::new(watcher.observer())), ..Options::default() };
    let (_, best, summary) = Session::run(&test, input.clone(), options, reduce);
    watcher.finish();
    let outcome = Outcome {
        summary: &summary,
        input_bytes: input.size(),
        input_tokens: Some(words(&input)),
        output_bytes: best.size(),
        output_tokens: Some(words(&best)),
        overhead_queries: 0,
        minimal_over: Some("line"),
        original: None,
        output: None,
        run: None,
    };
    write!(io::stderr(), "{}", SummaryText::new(&outcome).verbose(verbosity > 0))?;
    writeln!(io::stdout(), "{}", SummaryJson::from(&outcome))
}
