//! Prints the quantified tree of a file: `cargo run --example tree -- FILE [--json|--dot] [--language NAME]`.

use dwindle_syntax::{Reader, detect, dot, json, language, readable};
use std::io::Write;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (mut file, mut format, mut name) = (None, String::new(), None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" | "--dot" => format = argument,
            "--language" => name = arguments.next(),
            _ => file = Some(PathBuf::from(argument)),
        }
    }
    let file = file.ok_or("usage: tree FILE [--json|--dot] [--language NAME]")?;
    let text = std::fs::read(&file)?;
    let language =
        name.map_or_else(|| detect(&file, &text), |name| language(&name)).ok_or("no language fits")?;
    let mut reader = Reader::new(&language);
    let tree = reader.read(&text)?;
    let shown = match format.as_str() {
        "--json" => json(&tree, reader.lexicon()).to_string(),
        "--dot" => dot(&tree, reader.lexicon()),
        _ => readable(&tree, reader.lexicon()),
    };
    std::io::stdout().write_all(shown.as_bytes())?;
    Ok(())
}
