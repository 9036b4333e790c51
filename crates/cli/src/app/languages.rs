//! `dwindle languages`: which languages there are, and what is known of them.

use std::io::Write;

use anyhow::Result;
use dwindle_syntax::{Knowledge, Language, absent_languages, languages};
use serde_json::{Value, json};

use super::Exit;
use super::args::LanguagesArgs;

const COLUMNS: [&str; 5] = ["name", "language", "parser", "known", "files"];

const LEGEND: &str = "\
known: names = a query finds definitions and uses, locals = local ones too; lines, layout = line breaks, indentation count;
       directives = lines with # are kept whole. A language can be named in other ways: --json tells.";

/// `dwindle languages`
pub(crate) fn run(args: &LanguagesArgs) -> Result<Exit> {
    let mut out = anstream::stdout().lock();
    if args.json {
        writeln!(out, "{}", as_json())?;
        return Ok(Exit::Done);
    }
    let header = COLUMNS.map(str::to_owned);
    let rows: Vec<_> = std::iter::once(header).chain(languages().iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), width(3)];
    for [name, title, parser, known, files] in &rows {
        let [a, b, c, d] = widths;
        let line = format!("{name:a$}  {title:b$}  {parser:c$}  {known:d$}  {files}");
        writeln!(out, "{}", line.trim_end())?;
    }
    writeln!(out, "\n{LEGEND}")?;
    let absent = absent_languages();
    if !absent.is_empty() {
        let names: Vec<_> = absent.iter().map(|absent| absent.name).collect();
        writeln!(
            out,
            "\n{} languages are built in; {} more with `--features all-languages`: {}",
            languages().len(),
            names.len(),
            names.join(" ")
        )?;
    }
    Ok(Exit::Done)
}

fn row(language: &Language) -> [String; 5] {
    let (package, version) = language.origin();
    let known = language.knowledge();
    let parser = if known.hand_written { "ours".to_owned() } else { format!("{package} {version}") };
    let files = language.extensions().iter().map(|extension| format!(".{extension}"));
    let files = files.chain(language.filenames().iter().map(ToString::to_string));
    let files = files.chain(language.shebangs().iter().map(|program| format!("#!{program}")));
    [
        language.name().to_owned(),
        language.title().to_owned(),
        parser,
        words(known).join(" "),
        files.collect::<Vec<_>>().join(" "),
    ]
}

fn words(known: Knowledge) -> Vec<&'static str> {
    let Knowledge { hand_written: _, tags, locals, lines, layout, directives } = known;
    let all = [
        (tags, "names"),
        (locals, "locals"),
        (lines, "lines"),
        (layout, "layout"),
        (directives, "directives"),
    ];
    all.into_iter().filter_map(|(holds, word)| holds.then_some(word)).collect()
}

fn as_json() -> Value {
    let built_in = languages().iter().map(|language| {
        let (package, version) = language.origin();
        let known = language.knowledge();
        json!({
            "name": language.name(), "title": language.title(), "aliases": language.aliases(),
            "extensions": language.extensions(), "filenames": language.filenames(), "shebangs": language.shebangs(),
            "crate": package, "version": version, "hand_written": known.hand_written, "known": words(known),
        })
    });
    let absent = absent_languages().iter().map(|absent| {
        let (package, version) = absent.origin;
        json!({
            "name": absent.name, "title": absent.title, "aliases": absent.aliases, "extensions": absent.extensions,
            "filenames": absent.filenames, "crate": package, "version": version, "feature": absent.feature,
        })
    });
    json!({ "languages": built_in.collect::<Vec<_>>(), "absent": absent.collect::<Vec<_>>() })
}
