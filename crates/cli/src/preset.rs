//! Presets and passes by name, and the plan that makes a pipeline of them: each published algorithm as its document
//! has it, and our own.

use std::collections::HashSet;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use dwindle_core::{Files, Pass, Schedule, Session, Step, Stop, Until, Work};
use dwindle_delta::{Options as ListOptions, by_name};
use dwindle_syntax::Filter;
use dwindle_text::{
    BracketPass, CanonicalPass, FilesPass, LetterPass, SharedMinimizer, Unit, UnitPass, WordPass,
};
use dwindle_tree::rules::{RuleError, RuleFile, RulesOptions, rules_of};
use dwindle_tree::{LanguageChoice, Options as TreeOptions, Sources};
use thiserror::Error;

/// What the elements of a list-based preset are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Granularity {
    /// Characters.
    Char,
    /// Lines.
    #[default]
    Line,
    /// Lines, then characters of what is left, with one cache.
    TwoPass,
    /// Words, numbers, strings and punctuation.
    Token,
    /// Balanced brackets, level by level.
    Bracket,
}

impl Granularity {
    /// All of them, with their names on the command line.
    pub const ALL: [(&'static str, Granularity); 5] = [
        ("char", Granularity::Char),
        ("line", Granularity::Line),
        ("two-pass", Granularity::TwoPass),
        ("token", Granularity::Token),
        ("bracket", Granularity::Bracket),
    ];
}

/// How much a result may cost, for our own pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Effort {
    /// Only what gains much for few queries.
    Fast,
    /// Until no single token can go.
    #[default]
    Normal,
    /// Also what takes many queries to make a small result a little smaller.
    Max,
}

impl Effort {
    /// All of them, with their names on the command line.
    pub const ALL: [(&'static str, Effort); 3] =
        [("fast", Effort::Fast), ("normal", Effort::Normal), ("max", Effort::Max)];
}

/// The preset that is taken when none is named.
pub const DEFAULT_PRESET: &str = "auto";

/// Our pipeline for files of no known language.
const TEXT_PRESET: &str = "text";

/// Our pipeline for files of a known language: what takes things away, coarse to fine. The schedule soon finds its own
/// order.
const WORKING_PASSES: [&str; 13] = [
    "comments",
    "links",
    "unused",
    "heaviest",
    "definitions",
    "merge",
    "inline",
    "rules",
    "perses-chains",
    "repeats",
    "replace",
    "token-slicer",
    "convert",
];

/// Those of them that have far more to propose than pays.
const COSTLY_PASSES: [&str; 2] = ["token-slicer", "convert"];

/// And what makes smaller what stays.
const POLISHING_PASSES: [&str; 3] = ["names", "literals", "blanks"];

/// Something that has a name on the command line.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// Its name.
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
}

/// Every preset, ours first.
pub fn presets() -> Vec<Named> {
    let auto = Named {
        name: DEFAULT_PRESET,
        about: "our best (the default): along the syntax tree where the language is known, else as text",
    };
    let text = Named {
        name: TEXT_PRESET,
        about: "our best for any text: lines, brackets and tokens to a joint fixpoint, then words made short, then characters",
    };
    let trees = dwindle_tree::presets().map(|preset| Named { name: preset.name, about: preset.about });
    let lists = dwindle_delta::all().iter().map(|list| Named { name: list.name, about: list.about });
    [auto, text].into_iter().chain(trees).chain(lists).collect()
}

/// Every pass that a pipeline of one's own can be made of.
pub fn passes() -> Vec<Named> {
    let text = TEXT_PASSES.iter().map(|(name, about, _)| Named { name, about });
    let trees = dwindle_tree::passes().map(|pass| Named { name: pass.name, about: pass.about });
    text.chain(trees).collect()
}

/// Every parameter of presets and passes that is set by `NAME=VALUE`.
pub fn parameters() -> Vec<Named> {
    dwindle_tree::parameters().map(|set| Named { name: set.name, about: set.about }).collect()
}

/// The part of it that gains much for few queries.
const FAST_TREE_PASSES: [&str; 4] = ["comments", "links", "unused", "heaviest"];

type BuildPass = fn(SharedMinimizer) -> Box<dyn Pass>;

const TEXT_PASSES: [(&str, &str, BuildPass); 8] = [
    ("files", "drop whole files of an input that has several", |list| Box::new(FilesPass::new(list))),
    (
        "bracket",
        "take balanced brackets apart from the outside: groups, their insides, the brackets themselves",
        |list| Box::new(BracketPass::new(list)),
    ),
    ("line", "minimise the list of lines", |list| Box::new(UnitPass::new(Unit::Line, list))),
    ("token", "minimise the list of words, numbers, strings and punctuation", |list| {
        Box::new(UnitPass::new(Unit::Token, list))
    }),
    ("words", "give each word a short name at all its places, and make numbers 0", |list| {
        Box::new(WordPass::new(list))
    }),
    ("char", "minimise the list of characters (bytes where the text is not UTF-8)", |list| {
        Box::new(UnitPass::new(Unit::Char, list))
    }),
    ("letter", "minimise the list of characters, but for line breaks", |list| {
        Box::new(LetterPass::new(list))
    }),
    ("canonical-text", "of equals the more natural one: letters to a, digits to 0", |list| {
        Box::new(CanonicalPass::new(list))
    }),
];

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The preset; ours if none is named.
    pub preset: Option<String>,
    /// How much the result may cost, without a preset.
    pub effort: Effort,
    /// These passes instead of a preset, in this order.
    pub passes: Vec<String>,
    /// Passes to leave out of whatever pipeline it is.
    pub without: Vec<String>,
    /// Whether the passes are repeated until a whole round changes nothing.
    pub fixpoint: bool,
    /// What the elements are, for presets that are list minimisers.
    pub granularity: Granularity,
    /// The parameters of the list minimiser.
    pub list: ListOptions,
    /// The list minimiser inside passes and tree presets; their own if none is named.
    pub list_minimizer: Option<String>,
    /// `NAME=VALUE`, see [`parameters`].
    pub set: Vec<String>,
    /// Rewrite rules beside those that come with dwindle, for the `rules` pass.
    pub rules: Vec<Arc<RuleFile>>,
    /// The language of the files.
    pub language: LanguageChoice,
    /// Which candidates are not worth a test; the preset's own choice if there is none here.
    pub syntax: Option<Filter>,
}

/// Why there is no pipeline for a plan.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlanError {
    /// There is no preset of that name.
    #[error("there is no preset `{0}`: `dwindle presets` lists them")]
    NoSuchPreset(String),
    /// There is no pass of that name.
    #[error("there is no pass `{0}`: `dwindle passes` lists them")]
    NoSuchPass(String),
    /// The pipeline has no pass of that name that could be left out.
    #[error("there is no pass `{0}` to leave out of this pipeline")]
    NotInPipeline(String),
    /// There is no list minimiser of that name.
    #[error(
        "there is no list minimiser `{0}`: the list presets of `dwindle presets` are what can stand here"
    )]
    NoSuchMinimizer(String),
    /// A parameter or its value is wrong.
    #[error("{0}")]
    Parameter(String),
    /// A rewrite rule does not fit the language of a file.
    #[error("{0}")]
    Rules(#[from] RuleError),
    /// No rule of that name fits the language of any file.
    #[error("there is no rule `{0}` for these files: `dwindle rules LANGUAGE` lists those of a language")]
    NoSuchRule(String),
    /// A tree is asked for, and no file has one.
    #[error(
        "`{name}` works on syntax trees, and the language of {path} is not known: name it with --language \
         (`dwindle languages` lists them), or leave the preset out"
    )]
    NoLanguage {
        /// The preset or pass.
        name: String,
        /// The first file.
        path: PathBuf,
    },
}

/// A pipeline and what it promises.
pub struct Pipeline {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Over what the result is 1-minimal if the run was not cut short.
    pub minimal_over: Option<&'static str>,
}

impl Plan {
    /// The pipeline for these files.
    ///
    /// # Errors
    /// If a name or parameter is wrong, or the files have no tree and one is needed.
    pub fn pipeline(&self, files: &Files) -> Result<Pipeline, PlanError> {
        if let Some(name) = self.list_minimizer.as_ref().filter(|name| by_name(name, &self.list).is_none()) {
            return Err(PlanError::NoSuchMinimizer(name.clone()));
        }
        self.check_rules(files)?;
        let mut pipeline = self.whole_pipeline(files)?;
        for name in &self.without {
            if !Step::remove(&mut pipeline.steps, name) {
                return Err(PlanError::NotInPipeline(name.clone()));
            }
            // It may have been the one that made sure of it.
            pipeline.minimal_over = None;
        }
        Ok(pipeline)
    }

    /// Whether the user's rules fit the languages of the files, and rules that are named are there.
    fn check_rules(&self, files: &Files) -> Result<(), PlanError> {
        let RulesOptions { only, skip, .. } = self.tree_options()?.rules;
        if self.rules.is_empty() && only.is_empty() && skip.is_empty() {
            return Ok(());
        }
        let mut known = HashSet::new();
        for language in Sources::new(self.language.clone(), Filter::Off).languages(files).iter().flatten() {
            known.extend(rules_of(&self.rules, language)?.into_iter().map(|rule| rule.name));
        }
        match only.iter().chain(&skip).find(|name| !known.contains(*name)) {
            Some(name) => Err(PlanError::NoSuchRule(name.clone())),
            None => Ok(()),
        }
    }

    /// The pipeline with nothing left out.
    fn whole_pipeline(&self, files: &Files) -> Result<Pipeline, PlanError> {
        if !self.passes.is_empty() {
            return self.own_passes(files);
        }
        let name = self.preset.as_deref().unwrap_or(DEFAULT_PRESET);
        let mut pipeline = if name == DEFAULT_PRESET {
            self.auto(files)?
        } else if name == TEXT_PRESET {
            self.text()
        } else if let Some(preset) = dwindle_tree::presets().find(|preset| preset.name == name) {
            let sources = self.sources(files, name, Filter::Off)?;
            let steps = preset.build(&self.tree_options()?, &sources);
            Pipeline { steps, minimal_over: preset.minimal_over }
        } else {
            self.list_preset(name).ok_or_else(|| PlanError::NoSuchPreset(name.to_owned()))?
        };
        if files.len() > 1 {
            let dropper = by_name(name, &self.list).map_or_else(|| self.minimizer(OUR_MINIMIZER), Rc::from);
            pipeline.steps.insert(0, Step::pass(FilesPass::new(dropper)));
            // Each file ends minimal while the others were still larger.
            pipeline.minimal_over = None;
        }
        Ok(pipeline)
    }

    /// The list minimiser that was asked for, or else this one.
    fn minimizer(&self, default: &str) -> SharedMinimizer {
        let name = self.list_minimizer.as_deref().unwrap_or(default);
        by_name(name, &self.list).map(Rc::from).expect("the name was checked, and ours is there")
    }

    fn tree_options(&self) -> Result<TreeOptions, PlanError> {
        let mut options = TreeOptions {
            list_minimizer: self.list_minimizer.clone(),
            list: self.list.clone(),
            seed: self.list.seed.unwrap_or_default(),
            ..TreeOptions::default()
        };
        for assignment in &self.set {
            dwindle_tree::set(&mut options, assignment).map_err(PlanError::Parameter)?;
        }
        options.rules.files.clone_from(&self.rules);
        Ok(options)
    }

    /// The files as trees, if any of them has one.
    fn sources(&self, files: &Files, name: &str, filter: Filter) -> Result<Rc<Sources>, PlanError> {
        let sources = Sources::new(self.language.clone(), self.syntax.unwrap_or(filter));
        if sources.languages(files).iter().all(Option::is_none) {
            let path = files.first().map(|file| file.path.clone()).unwrap_or_default();
            return Err(PlanError::NoLanguage { name: name.to_owned(), path });
        }
        Ok(Rc::new(sources))
    }

    fn own_passes(&self, files: &Files) -> Result<Pipeline, PlanError> {
        let mut sources = None;
        let mut steps = Vec::new();
        for name in &self.passes {
            let pass = if let Some((.., build)) = TEXT_PASSES.iter().find(|(known, ..)| known == name) {
                build(self.minimizer(OUR_MINIMIZER))
            } else {
                let pass = dwindle_tree::passes()
                    .find(|pass| pass.name == name)
                    .ok_or_else(|| PlanError::NoSuchPass(name.clone()))?;
                let shared = match &sources {
                    Some(shared) => shared,
                    None => sources.insert(self.sources(files, name, Filter::NoWorse)?),
                };
                pass.build(&self.tree_options()?, shared)
            };
            steps.push(Step::Pass(pass));
        }
        let steps = if self.fixpoint { vec![Step::Fixpoint(steps)] } else { steps };
        Ok(Pipeline { steps, minimal_over: None })
    }

    fn list_preset(&self, name: &str) -> Option<Pipeline> {
        let list: SharedMinimizer = by_name(name, &self.list).map(Rc::from)?;
        let unit = |unit| Step::pass(UnitPass::new(unit, Rc::clone(&list)));
        let (steps, over) = match self.granularity {
            Granularity::Char => (vec![unit(Unit::Char)], Some("char")),
            Granularity::Line => (vec![unit(Unit::Line)], Some("line")),
            Granularity::Token => (vec![unit(Unit::Token)], Some("token")),
            Granularity::TwoPass => (vec![unit(Unit::Line), unit(Unit::Char)], Some("char")),
            Granularity::Bracket => (vec![Step::pass(BracketPass::new(Rc::clone(&list)))], None),
        };
        let one_minimal = dwindle_delta::is_one_minimal(name, &self.list);
        Some(Pipeline { steps, minimal_over: over.filter(|_| one_minimal) })
    }

    fn auto(&self, files: &Files) -> Result<Pipeline, PlanError> {
        let sources = Sources::new(self.language.clone(), self.syntax.unwrap_or(Filter::NoWorse));
        let known = sources.languages(files);
        if known.iter().all(Option::is_none) {
            return Ok(self.text());
        }
        let (sources, options) = (Rc::new(sources), self.tree_options()?);
        let pass = |name: &&str| {
            let pass = dwindle_tree::passes().find(|pass| pass.name == *name).expect("ours are there");
            pass.build(&options, &sources)
        };
        let list = self.minimizer(OUR_MINIMIZER);
        let unit = |unit| -> Box<dyn Pass> { Box::new(UnitPass::new(unit, Rc::clone(&list))) };
        let all = |names: &[&str]| names.iter().map(pass).collect::<Vec<_>>();
        let work = |name: &&str| Work { pass: pass(name), is_costly: COSTLY_PASSES.contains(name) };
        let working = |names: &[&str]| names.iter().map(work).collect::<Vec<_>>();
        let Pipeline { steps: as_text, minimal_over } = self.text();
        let up_to = |most, pass| -> Box<dyn Pass> { Box::new(WhenSmall { pass, most }) };
        let small = || {
            [
                up_to(SMALL, Box::new(LetterPass::new(self.minimizer(CLOSING_MINIMIZER)))),
                up_to(TINY, Box::new(UnitPass::new(Unit::Char, self.minimizer(CLOSING_MINIMIZER)))),
                up_to(SMALL, pass(&"canonical")),
            ]
        };
        let mut schedule = match self.effort {
            Effort::Fast => Schedule {
                working: working(&FAST_TREE_PASSES),
                polishing: Vec::new(),
                closing: None,
                until: Until::Eager,
            },
            Effort::Normal => Schedule {
                working: working(&WORKING_PASSES),
                polishing: all(&POLISHING_PASSES).into_iter().chain(small()).collect(),
                closing: Some(Box::new(UnitPass::new(Unit::Token, self.minimizer(CLOSING_MINIMIZER)))),
                until: Until::Thorough,
            },
            Effort::Max => {
                let mut working = working(&WORKING_PASSES);
                working.push(work(&"vulcan"));
                let mut polishing = all(&POLISHING_PASSES);
                polishing.extend([unit(Unit::Token), pass(&"canonical")]);
                Schedule { working, polishing, closing: Some(unit(Unit::Char)), until: Until::Fixpoint }
            }
        };
        if known.iter().any(Option::is_none) {
            schedule.closing = None;
            let steps = std::iter::once(Step::Scheduled(schedule)).chain(as_text).collect();
            return Ok(Pipeline { steps: vec![Step::Fixpoint(steps)], minimal_over });
        }
        let over = match self.effort {
            Effort::Fast => None,
            Effort::Normal => Some("token"),
            Effort::Max => Some("char"),
        };
        let minimal_over = minimal_over.and(over);
        Ok(Pipeline { steps: vec![Step::Scheduled(schedule)], minimal_over })
    }

    fn text(&self) -> Pipeline {
        let list = self.minimizer(OUR_MINIMIZER);
        let unit = |unit| Step::pass(UnitPass::new(unit, Rc::clone(&list)));
        let coarse =
            vec![unit(Unit::Line), Step::pass(BracketPass::new(Rc::clone(&list))), unit(Unit::Token)];
        let (step, over) = match self.effort {
            Effort::Fast => (Step::Fixpoint(coarse), "token"),
            Effort::Normal | Effort::Max => {
                // Whole tokens have been tried by then: stretches of characters that can go are short.
                let fine = self.minimizer(FINE_MINIMIZER);
                let finer = [
                    Step::Fixpoint(coarse),
                    Step::pass(WordPass::new(Rc::clone(&list))),
                    Step::pass(UnitPass::new(Unit::Char, Rc::clone(&fine))),
                    Step::pass(WhenSmall { pass: Box::new(CanonicalPass::new(fine)), most: SMALL }),
                ];
                (Step::Fixpoint(finer.into()), "char")
            }
        };
        let name = self.list_minimizer.as_deref().unwrap_or(OUR_MINIMIZER);
        let one_minimal = dwindle_delta::is_one_minimal(name, &self.list);
        Pipeline { steps: vec![step], minimal_over: Some(over).filter(|_| one_minimal) }
    }
}

/// Bytes of a result that is small enough to be gone through by characters: there are at most so many queries in it.
const SMALL: u64 = 256;

/// Bytes of a result that can be read at a glance, on one line or several: there, line breaks are characters too.
const TINY: u64 = 64;

/// A pass that is only run on what is small.
struct WhenSmall {
    pass: Box<dyn Pass>,
    /// The most bytes.
    most: u64,
}

impl Pass for WhenSmall {
    fn name(&self) -> &str {
        self.pass.name()
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        if session.best().size() > self.most { Ok(()) } else { self.pass.run(session) }
    }
}

/// Trees have been reduced by then: what is left to make sure of are single tokens.
const CLOSING_MINIMIZER: &str = "one-by-one";

/// Single elements, and several at once only where one has just gone.
const FINE_MINIMIZER: &str = "sweep";

/// Sweeps each granularity once and closes with a sweep over single elements: 1-minimal at a price close to linear.
const OUR_MINIMIZER: &str = "one-sweep";
