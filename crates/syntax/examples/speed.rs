//! How long reading takes: `cargo run --release --example speed -- FILE`.
//!
//! Prints the time to parse and label the file, and the mean time to check the syntax of a variant with one part deleted.

use dwindle_syntax::{Edit, Reader, Role, detect};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Variants checked.
const VARIANTS: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = PathBuf::from(std::env::args().nth(1).ok_or("usage: speed FILE")?);
    let text = std::fs::read(&file)?;
    let language = detect(&file, &text).ok_or("no language fits")?;
    let start = Instant::now();
    language.grammar();
    let loading = start.elapsed();
    let mut reader = Reader::new(&language);
    let start = Instant::now();
    let tree = reader.read(&text)?;
    let reading = start.elapsed();
    let deletable: Vec<_> =
        tree.nodes().filter(|node| matches!(tree.role(*node), Role::Element | Role::Optional)).collect();
    let step = (deletable.len() / VARIANTS).max(1);
    let mut checking = Duration::ZERO;
    let mut variant = text.clone();
    let sample: Vec<_> = deletable.iter().step_by(step).collect();
    for node in &sample {
        variant = tree.apply(reader.lexicon(), &[Edit::Delete(**node)]);
        let start = Instant::now();
        reader.errors(&variant);
        checking += start.elapsed();
    }
    let checking = checking / sample.len().max(1) as u32;
    let start = Instant::now();
    let again = reader.read(&variant)?;
    let rereading = start.elapsed();
    writeln!(
        std::io::stdout(),
        "{} bytes, {} tokens, {} nodes: grammar loaded in {loading:.1?}, read in {reading:.1?}; one variant checked in \
         {checking:.2?}, read ({} nodes) in {rereading:.1?}",
        text.len(),
        tree.token_count(reader.lexicon()),
        tree.len(),
        again.len(),
    )?;
    Ok(())
}
