//! `dwindle tree` of Java bytecode: the items of a program and the clauses between them.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::Result;
use dwindle_jvm::{Detail, Limits, Program};
use dwindle_logic::{ItemId, Model, Var};
use serde_json::json;

use super::args::TreeArgs;
use super::input::Input;
use super::jar::program;
use super::{Exit, UsageError};

/// Shows a program that was found where a text could have been.
pub(crate) fn show(args: &TreeArgs, input: &Input) -> Result<Exit> {
    if args.dot {
        return Err(UsageError::new("--dot draws syntax trees: of bytecode there is text, or --json"));
    }
    let program = program(input, Limits::default(), Detail::Fine)?;
    let model = program.model();
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", as_json(model))?;
    } else {
        out.write_all(as_text(model).as_bytes())?;
        out.flush()?;
        for notice in program.notices() {
            anstream::eprintln!("note: {notice}");
        }
        anstream::eprintln!("{}", summary(&program));
    }
    Ok(Exit::Done)
}

/// Items below what they are part of, each with its weight in bytes, then clauses with what they stem from.
fn as_text(model: &Model) -> String {
    let items = model.items();
    let mut below: Vec<Vec<ItemId>> = vec![Vec::new(); items.len()];
    let mut open: Vec<(ItemId, usize)> = Vec::new();
    for (id, item) in items.iter() {
        match item.parent {
            Some(parent) => below[parent.index()].push(id),
            None => open.push((id, 0)),
        }
    }
    open.reverse();
    let mut text = String::new();
    while let Some((id, depth)) = open.pop() {
        let item = &items[id];
        writeln!(text, "{:indent$}{}  {}", "", item.name, item.weight, indent = 2 * depth)
            .expect("writing to a string works");
        open.extend(below[id.index()].iter().rev().map(|child| (*child, depth + 1)));
    }
    text.push('\n');
    for index in 0..model.clauses().len() {
        text.push_str(&model.describe(index));
        text.push('\n');
    }
    text
}

fn as_json(model: &Model) -> serde_json::Value {
    let items = model.items().iter().map(|(_, item)| {
        let parent = item.parent.map(ItemId::index);
        json!({"name": item.name, "parent": parent, "weight": item.weight})
    });
    let names = |vars: &[Var]| vars.iter().map(|var| model.name(*var)).collect::<Vec<_>>();
    let clauses = model.clauses().iter().enumerate().map(|(index, clause)| {
        json!({"needs": names(clause.needs()), "gives": names(clause.gives()), "says": model.describe(index)})
    });
    json!({"items": items.collect::<Vec<_>>(), "clauses": clauses.collect::<Vec<_>>()})
}

fn summary(program: &Program) -> String {
    let model = program.model();
    let all = model.items().all();
    format!(
        "Java bytecode: {} classes, {} items, {} clauses",
        program.class_count(&all),
        all.len(),
        model.clauses().len()
    )
}
