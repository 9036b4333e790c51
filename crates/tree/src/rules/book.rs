//! The rules there are for a language: those that come with dwindle, those of languages it includes, the user's own.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use dwindle_core::{Files, Subset};
use dwindle_syntax::{Filter, Language, language, rewrite_rules};

use super::matching::Index;
use super::pattern::Compiled;
use super::sites::{Site, sites};
use super::text::{Rule, RuleError, RuleFile};
use super::variants::candidate;
use crate::source::Source;
use crate::sources::{LanguageChoice, Sources};

/// The languages whose rules come with dwindle, in this build or not.
pub fn shipped_for() -> impl Iterator<Item = &'static str> {
    rewrite_rules().iter().map(|(name, _)| *name)
}

/// Rules by language, compiled when first asked for.
pub(super) struct Book {
    own: Vec<Arc<RuleFile>>,
    compiled: RefCell<HashMap<&'static str, Rc<Vec<Compiled>>>>,
}

impl Book {
    pub(super) fn new(own: &[Arc<RuleFile>]) -> Self {
        Book { own: own.to_vec(), compiled: RefCell::default() }
    }

    pub(super) fn rules(&self, language: &Language) -> Rc<Vec<Compiled>> {
        let compile = || {
            // Who hands in rules of their own has seen by `rules_of` whether they fit.
            let rules = compiled(&self.own, language).unwrap_or_default();
            Rc::new(rules.into_iter().map(|(_, compiled)| compiled).collect())
        };
        Rc::clone(self.compiled.borrow_mut().entry(language.name()).or_insert_with(compile))
    }
}

/// The rules for a language: with the user's own, which take the place of others of the same name.
///
/// # Errors
/// If a rule of the user's does not fit the language.
pub fn rules_of(own: &[Arc<RuleFile>], language: &Language) -> Result<Vec<Rule>, RuleError> {
    Ok(compiled(own, language)?.into_iter().map(|(rule, _)| rule).collect())
}

fn compiled(own: &[Arc<RuleFile>], language: &Language) -> Result<Vec<(Rule, Compiled)>, RuleError> {
    let mut rules: Vec<(Rule, Compiled)> = Vec::new();
    let mut files = Vec::new();
    collect(language.name(), &mut files)?;
    for file in own.iter().filter(|file| file.is_for(language)) {
        files.extend(includes(file)?);
        files.push(Include { file: Arc::clone(file), included: false });
    }
    for Include { file, included } in files {
        for rule in &file.rules {
            match Compiled::new(&file, rule, language) {
                Ok(compiled) => match rules.iter_mut().find(|(known, _)| known.name == rule.name) {
                    Some(known) => *known = (rule.clone(), compiled),
                    None => rules.push((rule.clone(), compiled)),
                },
                // A rule of a related language may speak of what this one does not have.
                Err(_) if included => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(rules)
}

struct Include {
    file: Arc<RuleFile>,
    included: bool,
}

/// The shipped files for a language, those it includes before it.
fn collect(name: &str, files: &mut Vec<Include>) -> Result<(), RuleError> {
    let Some((_, text)) = rewrite_rules().iter().find(|(known, _)| *known == name) else { return Ok(()) };
    let file = Arc::new(RuleFile::parse(&format!("{name}.rules"), text)?);
    files.extend(includes(&file)?);
    files.push(Include { file, included: false });
    Ok(())
}

/// What a file includes.
fn includes(file: &RuleFile) -> Result<Vec<Include>, RuleError> {
    let mut files = Vec::new();
    for include in &file.includes {
        let known = files.len();
        collect(&include.text, &mut files)?;
        if files.len() == known {
            let problem =
                format!("there are no rules for `{}`: `dwindle rules` lists what there is", include.text);
            return Err(RuleError { file: file.name.clone(), line: include.line, problem });
        }
    }
    files.iter_mut().for_each(|file| file.included = true);
    Ok(files)
}

impl RuleFile {
    /// Whether its rules are for this language.
    fn is_for(&self, wanted: &Language) -> bool {
        self.language.as_deref().is_none_or(|name| language(name).is_some_and(|named| named == *wanted))
    }
}

/// Applies a rule for a language to its own examples: each must have a match that gives what the example says, and that
/// must parse.
///
/// # Errors
/// If an example does not come out.
pub fn check_examples(own: &[Arc<RuleFile>], language: &Language, rule: &Rule) -> Result<(), RuleError> {
    let rules = compiled(own, language)?;
    let found = rules.iter().find(|(known, _)| known.name == rule.name);
    let fail = |line, problem| RuleError { file: rule.file.clone(), line, problem };
    let (_, compiled) =
        found.ok_or_else(|| fail(rule.line, format!("`{}` is for another language", rule.name)))?;
    for example in &rule.examples {
        let sources = Sources::new(LanguageChoice::Known(language.clone()), Filter::Off);
        let read = |text: &str| {
            // Some grammars want the last line to end.
            let text = format!("{text}\n");
            let source = sources.read(&Files::single("example", text.as_bytes()), 0);
            source.filter(|source| source.tree().errors() == 0).ok_or_else(|| {
                fail(
                    example.line,
                    format!("rule `{}`: {} does not parse: {text}", rule.name, language.title()),
                )
            })
        };
        let expected = words(&read(&example.after)?);
        let source = read(&example.before)?;
        let sites = sites(&source, &Index::new(&source), compiled);
        let single = (0..sites.len()).map(|at| Subset::full(sites.len()).without(at..at + 1));
        let results: Vec<String> =
            single.chain([Subset::empty()]).map(|kept| text_of(&source, &sites, &kept)).collect();
        let mut reread = results.iter().filter_map(|text| read(text).ok());
        if !reread.any(|source| words(&source) == expected) {
            let problem = format!(
                "rule `{}` does not make `{}` of its example, but {}",
                rule.name,
                example.after,
                if sites.is_empty() {
                    "finds nothing to change".to_owned()
                } else {
                    format!("`{}`", results[0])
                }
            );
            return Err(fail(example.line, problem));
        }
    }
    Ok(())
}

fn text_of(source: &Source, sites: &[Site], kept: &Subset) -> String {
    String::from_utf8_lossy(&candidate(source, sites, kept).files()[0].bytes).trim_end().to_owned()
}

/// The tokens of a source, without layout.
fn words(source: &Source) -> Vec<Vec<u8>> {
    let lexicon = source.lexicon();
    let tokens = source.tree().tokens().iter().filter(|token| !lexicon.marks(**token).is_layout());
    tokens.map(|token| lexicon.text(*token).to_vec()).collect()
}
