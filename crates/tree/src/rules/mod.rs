//! Rewrite rules as data: `languages/<language>.rules`, and files of the user's own.
//!
//! A rule is a pattern with holes, what becomes of a match, what happens to other places that have to do with it, and
//! examples, which are its documentation and its test. All matches of a rule are one list to reduce: an element that is
//! dropped is a match that is rewritten.

mod book;
mod list;
mod matching;
mod pattern;
mod sites;
mod text;
mod variants;

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use dwindle_core::{Pass, Session, Stop};
use dwindle_delta::ListMinimizer;

pub use book::{check_examples, rules_of, shipped_for};
pub use text::{Example, Rule, RuleError, RuleFile};

use crate::asker::Asker;
use crate::options::Options;
use crate::registry::{Family, NamedPass, Parameter, value};
use crate::source::Source;
use crate::sources::Sources;
use book::Book;
use matching::Index;
use pattern::Compiled;
use sites::sites;

/// The list minimiser of rewrites: near linear, and none that can be made alone is left.
const MINIMIZER: &str = "one-sweep";

/// What the rules pass is to do.
#[derive(Clone, Debug, Default)]
pub struct RulesOptions {
    /// Rules of the user's own, beside those that come with dwindle.
    pub files: Vec<Arc<RuleFile>>,
    /// Only the rules of these names; all if there are none.
    pub only: Vec<String>,
    /// Not the rules of these names.
    pub skip: Vec<String>,
    /// Whether each rule is a pass of its own in reports.
    pub each: bool,
}

impl RulesOptions {
    fn wants(&self, name: &str) -> bool {
        let named = |names: &[String]| names.iter().any(|known| known == name);
        (self.only.is_empty() || named(&self.only)) && !named(&self.skip)
    }
}

pub(crate) const FAMILY: Family = Family {
    presets: &[],
    passes: &[NamedPass {
        name: "rules",
        about: "rewrite by the rules of the language (`dwindle rules` lists them): inline, simplify types, drop parameters ...",
        build: |options, sources| Box::new(RulesPass::new(options, sources)),
    }],
    parameters: &[
        Parameter {
            name: "rules.only",
            about: "only the rules of these names, such as `inline-call,typedef` [default: all]",
            set: |options, text| names(text).map(|names| options.rules.only = names),
        },
        Parameter {
            name: "rules.skip",
            about: "not the rules of these names [default: none]",
            set: |options, text| names(text).map(|names| options.rules.skip = names),
        },
        Parameter {
            name: "rules.each",
            about: "whether each rule is a pass of its own in reports: true or false [default: false]",
            set: |options, text| value(text).map(|each| options.rules.each = each),
        },
    ],
};

fn names(text: &str) -> Result<Vec<String>, String> {
    Ok(text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// Rewrites by the rules of each file's language.
struct RulesPass {
    options: RulesOptions,
    minimizer: Box<dyn ListMinimizer>,
    sources: Rc<Sources>,
    book: Book,
    /// The rules of which the last run could make no use. They wait until a run of the others changes nothing.
    resting: RefCell<HashSet<String>>,
}

impl RulesPass {
    fn new(options: &Options, sources: &Rc<Sources>) -> Self {
        RulesPass {
            options: options.rules.clone(),
            minimizer: options.minimizer(MINIMIZER),
            sources: Rc::clone(sources),
            book: Book::new(&options.rules.files),
            resting: RefCell::default(),
        }
    }

    /// Applies the rules that are wanted, from one on, until one has changed the best; gives the number of the next one to apply
    /// to the new text, or nothing if all are done.
    fn go_on(
        &self,
        (rules, from): (&[Compiled], usize),
        wanted: &dyn Fn(&str) -> bool,
        source: &Source,
        asker: &mut Asker<'_, '_>,
    ) -> Result<Option<usize>, Stop> {
        let index = Index::new(source);
        for (at, rule) in rules.iter().enumerate().skip(from) {
            let sites = if wanted(&rule.name) { sites(source, &index, rule) } else { Vec::new() };
            if sites.is_empty() {
                continue;
            }
            let before = asker.session().best().fingerprint();
            if self.options.each {
                let name = format!("rules/{}", rule.name);
                asker.session().pass(&name, |session| {
                    list::make(&mut Asker::new(session, source), &*self.minimizer, &sites)
                })?;
            } else {
                list::make(asker, &*self.minimizer, &sites)?;
            }
            if asker.session().best().fingerprint() != before {
                self.resting.borrow_mut().remove(&rule.name);
                return Ok(Some(at + 1));
            }
            self.resting.borrow_mut().insert(rule.name.clone());
        }
        Ok(None)
    }

    /// Applies the rules that are wanted to each file.
    fn go_over(&self, session: &mut Session<'_>, wanted: &dyn Fn(&str) -> bool) -> Result<(), Stop> {
        let mut from = 0;
        self.sources.each_while(session, |source, asker| {
            let rules = self.book.rules(source.tree().language());
            // A rule sees what the rules before it have left.
            let next = self.go_on((&rules, from), wanted, source, asker)?;
            from = next.unwrap_or(0);
            Ok(next.is_some())
        })
    }
}

impl Pass for RulesPass {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        let before = session.best().fingerprint();
        let resting = self.resting.borrow().clone();
        self.go_over(session, &|name| self.options.wants(name) && !resting.contains(name))?;
        if session.best().fingerprint() == before {
            self.go_over(session, &|name| self.options.wants(name) && resting.contains(name))?;
        }
        Ok(())
    }
}
