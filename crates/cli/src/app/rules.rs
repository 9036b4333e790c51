//! `dwindle rules`: which rewrite rules there are, what each does, and whether their examples come out.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use dwindle_syntax::{Language, language};
use dwindle_tree::LanguageChoice;
use dwindle_tree::rules::{Rule, RuleFile, check_examples, rules_of, shipped_for};
use serde_json::{Value, json};

use super::args::RulesArgs;
use super::language::LanguageArgs;
use super::{Exit, UsageError};

/// Reads the user's own rule files.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<Arc<RuleFile>>> {
    let file = |path: &PathBuf| {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| UsageError::new(format!("the rules {name} cannot be read: {error}")))?;
        RuleFile::parse(&name, &text).map(Arc::new).map_err(UsageError::new)
    };
    paths.iter().map(file).collect()
}

/// `dwindle rules`
pub(crate) fn run(args: &RulesArgs) -> Result<Exit> {
    let own = read(&args.rules)?;
    let named = args.language.clone().or_else(|| own.iter().find_map(|file| file.language.clone()));
    let languages = match named {
        Some(name) => vec![known(&name)?],
        None if !own.is_empty() => {
            return Err(UsageError::new(
                "say for which language the rules are: `dwindle rules LANGUAGE --rules FILE`, or `language NAME` in the file",
            ));
        }
        None => shipped_for().filter_map(language).collect(),
    };
    let mut all = Vec::new();
    for language in languages {
        let mut rules = rules_of(&own, &language).map_err(UsageError::new)?;
        if let Some(name) = &args.name {
            rules.retain(|rule| rule.name == *name);
            if rules.is_empty() {
                let (title, short) = (language.title(), language.name());
                return Err(UsageError::new(format!(
                    "{title} has no rule `{name}`: `dwindle rules {short}` lists them"
                )));
            }
        }
        all.push((language, rules));
    }
    let mut out = anstream::stdout().lock();
    if args.check {
        let mut broken = 0;
        for (language, rules) in &all {
            for problem in rules.iter().filter_map(|rule| check_examples(&own, language, rule).err()) {
                broken += 1;
                writeln!(out, "{problem}")?;
            }
            let examples: usize = rules.iter().map(|rule| rule.examples.len()).sum();
            writeln!(out, "{}: {} rules, {examples} examples", language.name(), rules.len())?;
        }
        if broken > 0 {
            return Err(UsageError::new(format!("{broken} rules do not do what their examples say")));
        }
    } else if args.json {
        let languages = all.iter().map(|(language, rules)| {
            json!({ "language": language.name(), "rules": rules.iter().map(as_json).collect::<Vec<_>>() })
        });
        writeln!(out, "{}", json!({ "languages": languages.collect::<Vec<_>>() }))?;
    } else if args.name.is_some() {
        all.iter().flat_map(|(_, rules)| rules).try_for_each(|rule| explain(&mut out, rule))?;
    } else if let [(_, rules)] = &all[..] {
        table(&mut out, rules.iter().map(|rule| (rule.name.clone(), rule.about.clone())).collect())?;
    } else {
        let row = |(language, rules): &(Language, Vec<Rule>)| {
            (language.name().to_owned(), format!("{} rules", rules.len()))
        };
        table(&mut out, all.iter().map(row).collect())?;
        writeln!(out, "\n`dwindle rules LANGUAGE` lists them, `dwindle rules LANGUAGE NAME` explains one.")?;
    }
    Ok(Exit::Done)
}

fn known(name: &str) -> Result<Language> {
    let wanted = LanguageArgs { language: Some(name.to_owned()), grammar: None };
    match wanted.choice()? {
        LanguageChoice::Known(language) => Ok(language),
        LanguageChoice::Detect | LanguageChoice::Text => {
            Err(UsageError::new("plain text has no rules: `dwindle rules` lists the languages that have"))
        }
    }
}

fn table(out: &mut impl Write, rows: Vec<(String, String)>) -> Result<()> {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, about) in rows {
        writeln!(out, "{name:width$}  {about}")?;
    }
    Ok(())
}

fn explain(out: &mut impl Write, rule: &Rule) -> Result<()> {
    let Rule { name, about, file, text, examples, .. } = rule;
    writeln!(out, "{name}: {about}\n({file})\n\n{text}")?;
    for example in examples {
        let indented = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
        writeln!(out, "  this\n{}  becomes\n{}", indented(&example.before), indented(&example.after))?;
    }
    Ok(())
}

fn as_json(rule: &Rule) -> Value {
    let examples =
        rule.examples.iter().map(|example| json!({ "before": example.before, "after": example.after }));
    json!({
        "name": rule.name, "about": rule.about, "file": rule.file, "text": rule.text,
        "examples": examples.collect::<Vec<_>>(),
    })
}
