//! Reduces items under a model with a test that gets the kept names as a file: the smallest front end there is.
//!
//! `cargo run -p dwindle-logic --example names -- ITEMS.json MODEL.(cnf|json) STRATEGY TEST`

#![allow(clippy::print_stdout, reason = "printing is what this example is for")]

use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::{env, fs};

use dwindle_core::{Candidate, Options, Pass, Session};
use dwindle_logic::format::{read_items, read_model};
use dwindle_logic::{Kept, LogicPass, Rendering, Strategy};

/// Writes the candidate's only file and runs the test on it.
fn run_test(test: &Path, folder: &Path, candidate: &Candidate) -> std::io::Result<bool> {
    let file = &candidate.files()[0];
    let path = folder.join(&file.path);
    fs::write(&path, &file.bytes)?;
    Ok(Command::new(test).arg(&path).status()?.success())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [items, model, strategy, test] = &arguments[..] else {
        return Err("usage: names ITEMS.json MODEL.(cnf|json) STRATEGY TEST".into());
    };
    let items = read_items(&fs::read_to_string(items)?)?;
    let read = read_model(items, &fs::read_to_string(model)?)?;
    let strategy: Strategy = strategy.parse()?;
    let (model, test) = (Arc::new(read.model), fs::canonicalize(test)?);
    let folder = env::temp_dir().join(format!("dwindle-names-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let rendering = Arc::new(Rendering::names(model.items(), "kept.txt"));
    let runner = |candidate: &Candidate| run_test(&test, &folder, candidate).unwrap_or(false);
    let input = rendering.candidate(model.items().all());
    if !runner(&input) {
        return Err(
            "the test is not interested in the full set of items: exit status 0 means interesting".into()
        );
    }
    let pass = LogicPass::new("logic", Arc::clone(&model), Arc::clone(&rendering), strategy);
    let (result, best, summary) =
        Session::run(&runner, input, Options::default(), |session| pass.run(session));
    result?;
    fs::remove_dir_all(&folder)?;
    let kept = best.variant::<Kept>().expect("the pass makes candidates of this kind").items();
    println!(
        "{} of {} items, weight {} of {}, {} queries; {} clauses, {} auxiliary variables, {} items free of rules",
        kept.len(),
        model.items().len(),
        best.size(),
        model.items().weight(&model.items().all()),
        summary.counts.queries,
        model.clauses().len(),
        model.vars() - model.items().len(),
        read.unmentioned,
    );
    for name in model.items().names(kept) {
        println!("{name}");
    }
    Ok(())
}
