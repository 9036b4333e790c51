//! Presets: named pipelines, each published algorithm as its document has it, and our own.

use std::rc::Rc;

use dwindle_core::Step;
use dwindle_delta::{Options as ListOptions, by_name};
use dwindle_text::{BracketPass, FilesPass, SharedMinimizer, Unit, UnitPass};

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

/// The preset that is taken when none is named.
pub const DEFAULT_PRESET: &str = "text";

/// A named pipeline.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
}

/// Every preset, ours first.
pub fn presets() -> Vec<Preset> {
    let ours = Preset {
        name: DEFAULT_PRESET,
        about: "our best for any text (the default): lines, brackets and tokens to a joint fixpoint, then characters",
    };
    let lists = dwindle_delta::all().iter().map(|list| Preset { name: list.name, about: list.about });
    std::iter::once(ours).chain(lists).collect()
}

/// The passes a pipeline can be made of, with one line each.
pub const PASSES: [(&str, &str); 5] = [
    ("files", "drop whole files of an input that has several"),
    (
        "bracket",
        "take balanced brackets apart from the outside: groups, their insides, the brackets themselves",
    ),
    ("line", "minimise the list of lines"),
    ("token", "minimise the list of words, numbers, strings and punctuation"),
    ("char", "minimise the list of characters (bytes where the text is not UTF-8)"),
];

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The preset; ours if none is named.
    pub preset: Option<String>,
    /// What the elements are, for presets that are list minimisers.
    pub granularity: Granularity,
    /// The parameters of the list minimiser.
    pub list: ListOptions,
}

/// A pipeline and what it promises.
pub struct Pipeline {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Over what the result is 1-minimal if the run was not cut short.
    pub minimal_over: Option<&'static str>,
}

impl Plan {
    /// The pipeline, or nothing if there is no preset of that name.
    #[must_use]
    pub fn pipeline(&self, several_files: bool) -> Option<Pipeline> {
        let name = self.preset.as_deref().unwrap_or(DEFAULT_PRESET);
        let mut pipeline = if name == DEFAULT_PRESET { self.ours()? } else { self.list_preset(name)? };
        if several_files {
            let dropper = if name == DEFAULT_PRESET { OUR_MINIMIZER } else { name };
            pipeline.steps.insert(0, Step::pass(FilesPass::new(self.minimizer(dropper)?)));
            // Each file ends minimal while the others were still larger.
            pipeline.minimal_over = None;
        }
        Some(pipeline)
    }

    fn minimizer(&self, name: &str) -> Option<SharedMinimizer> {
        by_name(name, &self.list).map(Rc::from)
    }

    fn list_preset(&self, name: &str) -> Option<Pipeline> {
        let list = self.minimizer(name)?;
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

    fn ours(&self) -> Option<Pipeline> {
        let list = self.minimizer(OUR_MINIMIZER)?;
        let unit = |unit| Step::pass(UnitPass::new(unit, Rc::clone(&list)));
        let coarse =
            vec![unit(Unit::Line), Step::pass(BracketPass::new(Rc::clone(&list))), unit(Unit::Token)];
        let steps = vec![Step::Fixpoint(vec![Step::Fixpoint(coarse), unit(Unit::Char)])];
        Some(Pipeline { steps, minimal_over: Some("char") })
    }
}

/// Sweeps each granularity once and closes with a sweep over single elements: 1-minimal at a price close to linear.
const OUR_MINIMIZER: &str = "one-sweep";
