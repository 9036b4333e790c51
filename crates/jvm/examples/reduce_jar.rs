//! Reduces a jar with a test script: `cargo run -p dwindle-jvm --example reduce_jar -- TEST JAR [STRATEGY] [OUT]`.
//!
//! The test sees the jar under its own name in an empty directory. With `PERSISTENT=1` it is started once and answers a
//! line for each line it reads.
#![allow(clippy::print_stdout, reason = "an example shows what it did")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dwindle_core::{Event, Options, Pass, Runner, Session};
use dwindle_exec::{CommandTest, Invocation, Judge, PersistentTest, Setting, Supervisor};
use dwindle_jvm::{Detail, Libraries, Limits, Program, ProgramPass, Strategy, kept_items};

fn main() -> Result<(), Box<dyn Error>> {
    dwindle_exec::supervisor::run_if_asked();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (test, jar) = match &arguments[..] {
        [test, jar, ..] => (std::fs::canonicalize(test)?, Path::new(jar)),
        _ => return Err("usage: reduce_jar TEST JAR [STRATEGY] [OUT]".into()),
    };
    let strategy = arguments.get(2).map_or(Ok(Strategy::Default), |name| name.parse())?;
    // The strategies of the literature are compared by the items of the literature.
    let detail = if strategy == Strategy::Default { Detail::Fine } else { Detail::Standard };
    let file_name = jar.file_name().ok_or("the jar has no name")?;
    let program = Arc::new(Program::open(jar, file_name, &Libraries::of_java(), Limits::default(), detail)?);
    for notice in program.notices() {
        println!("note: {notice}");
    }
    let setting = Setting::new(Supervisor::this_program());
    let invocation = Invocation::test(test, []);
    let limit = Some(Duration::from_secs(600));
    let runner: Box<dyn Runner> = if std::env::var_os("PERSISTENT").is_some() {
        let test = PersistentTest::new(invocation, setting)?;
        test.set_time_limit(limit);
        Box::new(test)
    } else {
        let test = CommandTest::new(invocation, Judge::ExitStatus, setting)?;
        test.set_time_limit(limit);
        Box::new(test)
    };
    let all = program.model().items().all();
    let input = program.candidate(all.clone());
    let size = input.size();
    println!(
        "{} classes, {} items, {} clauses, {size} bytes",
        program.class_count(&all),
        all.len(),
        program.model().clauses().len()
    );
    let mut queries = 0;
    let options = Options {
        observer: Some(Box::new(|event: &Event<'_>| match event {
            Event::Answered { hit: false, .. } => queries += 1,
            Event::Accepted { best } => println!("after {queries} queries: {} bytes", best.size()),
            _ => {}
        })),
        ..Options::default()
    };
    let pass = ProgramPass::new("jar", Arc::clone(&program), strategy);
    let (result, best, summary) = Session::run(&*runner, input.clone(), options, |session| {
        if !session.test(input.clone())?.is_interesting() {
            println!("the test does not find the jar interesting");
            return Ok(());
        }
        pass.run(session)
    });
    if let Err(stop) = result {
        println!("stopped: {stop}");
    }
    let kept = kept_items(&best).expect("candidates are made by the program");
    println!(
        "{} classes, {} items, {} bytes ({:.1} %), {} queries, {} hits, {:.0} s",
        program.class_count(kept),
        kept.len(),
        best.size(),
        100.0 * best.size() as f64 / size as f64,
        summary.counts.queries,
        summary.counts.hits,
        summary.time.as_secs_f64()
    );
    if let Some(out) = arguments.get(3) {
        std::fs::write(out, &best.files()[0].bytes)?;
    }
    if std::env::var_os("SHOW").is_some() {
        for name in program.model().items().names(kept) {
            println!("  {name}");
        }
    }
    Ok(())
}
