//! `dwindle tree`: what a file is made of, as a reduction sees it.

use std::fs;
use std::io::Write;

use anyhow::{Context, Result};
use dwindle_syntax::{Reader, Tree, detect, dot, json, readable};
use dwindle_tree::LanguageChoice;
use serde_json::json;

use super::args::TreeArgs;
use super::input::Input;
use super::language::no_language;
use super::{Exit, UsageError, jar, jar_tree};

/// `dwindle tree`
pub(crate) fn run(args: &TreeArgs) -> Result<Exit> {
    let input = Input::read(std::slice::from_ref(&args.file));
    if !args.language.is_given()
        && let Ok(input) = input
        && jar::is_program(&input)
    {
        return jar_tree::show(args, &input);
    }
    if args.file.is_dir() {
        return Err(UsageError::new(format!("{:?} is a directory: give one file", args.file)));
    }
    let content = fs::read(&args.file)
        .map_err(|error| UsageError::new(format!("cannot read {:?}: {error}", args.file)))?;
    source(args, &content)
}

/// The quantified tree of a text in some language.
fn source(args: &TreeArgs, text: &[u8]) -> Result<Exit> {
    let language = match args.language.choice()? {
        LanguageChoice::Known(language) => language,
        LanguageChoice::Detect => {
            detect(&args.file, text).ok_or_else(|| UsageError::new(no_language(&args.file)))?
        }
        LanguageChoice::Text => {
            return Err(UsageError::new(
                "plain text has no tree: it is reduced by lines, brackets, words and characters",
            ));
        }
    };
    let mut reader = Reader::new(&language);
    let tree = reader.read(text).with_context(|| format!("cannot read {:?}", args.file))?;
    let mut out = std::io::stdout().lock();
    if args.json {
        let mut object = json(&tree, reader.lexicon());
        object["names"] = names(&reader);
        writeln!(out, "{object}")?;
    } else if args.dot {
        out.write_all(dot(&tree, reader.lexicon()).as_bytes())?;
    } else {
        out.write_all(readable(&tree, reader.lexicon()).as_bytes())?;
        out.flush()?;
        anstream::eprintln!("{}", summary(&tree, &reader));
    }
    Ok(Exit::Done)
}

/// The names that the text defines and uses, as far as the grammar's queries tell.
fn names(reader: &Reader) -> serde_json::Value {
    let names = reader.names().into_iter().map(|name| {
        json!({
            "start": name.bytes.start, "end": name.bytes.end, "definition": name.definition, "sort": name.sort,
        })
    });
    names.collect()
}

fn summary(tree: &Tree, reader: &Reader) -> String {
    let language = tree.language();
    let (package, version) = language.origin();
    let (explained, inner) = tree.explained();
    format!(
        "{} ({}): {} tokens, {} nodes, {} syntax errors; {explained} of {inner} inner nodes explained by their rule",
        language.title(),
        [package, version].join(" ").trim_end(),
        tree.token_count(reader.lexicon()),
        tree.len(),
        tree.errors(),
    )
}
