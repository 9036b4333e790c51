//! Vulcan: beyond what deletion alone can reach. When the main reducer is through, auxiliary ones change the program
//! (delete neighbours that go only together, put one name for another, put other productions in the place of nodes)
//! and the main reducer goes on from there.

mod history;
mod identifiers;
mod schedule;
mod subtrees;
mod templates;
mod windows;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::str::FromStr;

use dwindle_core::{Candidate, Pass, Session, Step, Stop};

use crate::options::Options;
use crate::perses::main_reducer;
use crate::registry::{Family, NamedPass, Parameter, Preset, value};
use crate::sources::Sources;
use history::History;
use identifiers::Identifiers;
use schedule::{Change, Reducers, Schedule};
use subtrees::Subtrees;
use windows::Windows;

/// One of the auxiliary reducers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuxiliaryReducer {
    /// Deletes sets of neighbours.
    Windows,
    /// Puts one name for another.
    Identifiers,
    /// Puts other productions in the place of nodes.
    Subtrees,
}

impl FromStr for AuxiliaryReducer {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "windows" => Ok(AuxiliaryReducer::Windows),
            "identifiers" => Ok(AuxiliaryReducer::Identifiers),
            "subtrees" => Ok(AuxiliaryReducer::Subtrees),
            _ => Err(format!("`{word}` is not known here: use windows, identifiers or subtrees")),
        }
    }
}

/// What Vulcan is to do; `None` is what the preset says.
#[derive(Clone, Debug, Default)]
pub struct VulcanOptions {
    /// How often in a row an auxiliary reducer may change the program without making it smaller.
    pub limit: Option<usize>,
    /// How many neighbours are looked at together.
    pub width: Option<usize>,
    /// Whether to begin again with the first auxiliary reducer, as long as that makes the program smaller.
    pub fixpoint: Option<bool>,
    /// The auxiliary reducers, in order.
    pub order: Option<Vec<AuxiliaryReducer>>,
}

/// The parameters of a preset.
struct Published {
    limit: usize,
    width: usize,
    fixpoint: bool,
}

const VULCAN: Published = Published { limit: 10, width: 4, fixpoint: false };
const VULCAN_PLUS: Published = Published { limit: 15, width: 6, fixpoint: true };

/// Those that delete come first, those that seldom lead anywhere last.
const ORDER: [AuxiliaryReducer; 3] =
    [AuxiliaryReducer::Windows, AuxiliaryReducer::Identifiers, AuxiliaryReducer::Subtrees];

/// The widest window: its sets are numbers in the thousands.
const WIDEST: usize = 12;

pub(crate) const FAMILY: Family = Family {
    presets: &[
        Preset {
            name: "vulcan",
            about: "perses, and when that is through deletion of neighbours, renaming and re-production (Vulcan)",
            minimal_over: Some("tree node"),
            build: |options, sources| vec![Step::pass(Vulcan::new("vulcan", &VULCAN, options, sources))],
        },
        Preset {
            name: "vulcan-plus",
            about: "vulcan with wider windows, more tries, to a fixpoint (Vulcan+)",
            minimal_over: Some("tree node"),
            build: |options, sources| {
                vec![Step::pass(Vulcan::new("vulcan-plus", &VULCAN_PLUS, options, sources))]
            },
        },
    ],
    passes: &[
        NamedPass {
            name: "vulcan",
            about: "perses and the three auxiliary reducers in turn",
            build: |options, sources| Box::new(Vulcan::new("vulcan", &VULCAN, options, sources)),
        },
        NamedPass {
            name: "vulcan-windows",
            about: "delete sets of neighbours at every level of the tree",
            build: |options, sources| auxiliary_pass(AuxiliaryReducer::Windows, options, sources),
        },
        NamedPass {
            name: "vulcan-identifiers",
            about: "put one identifier for another; does not make the program smaller by itself",
            build: |options, sources| auxiliary_pass(AuxiliaryReducer::Identifiers, options, sources),
        },
        NamedPass {
            name: "vulcan-subtrees",
            about: "put the shortest texts of other productions in the place of nodes",
            build: |options, sources| auxiliary_pass(AuxiliaryReducer::Subtrees, options, sources),
        },
    ],
    parameters: &[
        Parameter {
            name: "vulcan.limit",
            about: "how often in a row a change may lead to nothing smaller (10; vulcan-plus 15)",
            set: |options, text| {
                options.vulcan.limit = Some(value(text)?);
                Ok(())
            },
        },
        Parameter {
            name: "vulcan.width",
            about: "how many neighbours are looked at together, 2 to 12 (4; vulcan-plus 6)",
            set: |options, text| {
                let width = value(text)?;
                if !(2..=WIDEST).contains(&width) {
                    return Err(format!("`{text}` is not between 2 and {WIDEST}"));
                }
                options.vulcan.width = Some(width);
                Ok(())
            },
        },
        Parameter {
            name: "vulcan.fixpoint",
            about: "begin again with the first auxiliary reducer: true or false (false; vulcan-plus true)",
            set: |options, text| {
                options.vulcan.fixpoint = Some(value(text)?);
                Ok(())
            },
        },
        Parameter {
            name: "vulcan.order",
            about: "the auxiliary reducers, with commas between them (windows,identifiers,subtrees)",
            set: |options, text| {
                let words = text.split(',').filter(|word| !word.is_empty());
                options.vulcan.order = Some(words.map(str::parse).collect::<Result<_, _>>()?);
                Ok(())
            },
        },
    ],
};

/// A reducer that gets the main one going again.
trait Auxiliary {
    /// Its name, as in reports.
    fn name(&self) -> &'static str;

    /// Changes the best once, if it can: to an interesting one of at most as many tokens.
    fn run(&self, session: &mut Session<'_>) -> Result<Change, Stop>;
}

fn auxiliary(which: AuxiliaryReducer, width: usize, sources: &Rc<Sources>) -> Box<dyn Auxiliary> {
    let sources = Rc::clone(sources);
    let history = RefCell::new(History::default());
    match which {
        AuxiliaryReducer::Windows => Box::new(Windows { sources, width }),
        AuxiliaryReducer::Identifiers => Box::new(Identifiers { sources, history }),
        AuxiliaryReducer::Subtrees => Box::new(Subtrees { sources, history }),
    }
}

/// The main reducer and the auxiliary ones in turn.
struct Vulcan {
    name: &'static str,
    sources: Rc<Sources>,
    main: Step,
    order: Vec<AuxiliaryReducer>,
    width: usize,
    schedule: Schedule,
}

impl Vulcan {
    fn new(name: &'static str, published: &Published, options: &Options, sources: &Rc<Sources>) -> Self {
        let own = &options.vulcan;
        let order = own.order.clone().unwrap_or_else(|| ORDER.to_vec());
        Vulcan {
            name,
            sources: Rc::clone(sources),
            main: Step::Fixpoint(vec![Step::Pass(main_reducer(options, sources, "dfs", false))]),
            width: own.width.unwrap_or(published.width),
            schedule: Schedule {
                auxiliaries: order.len(),
                limit: own.limit.unwrap_or(published.limit),
                fixpoint: own.fixpoint.unwrap_or(published.fixpoint),
            },
            order,
        }
    }
}

impl Pass for Vulcan {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        let build = |which: &AuxiliaryReducer| auxiliary(*which, self.width, &self.sources);
        let auxiliaries = self.order.iter().map(build).collect();
        self.schedule.run(&mut AtWork { session, main: &self.main, auxiliaries })?;
        self.sources.settle_by_tokens(session);
        Ok(())
    }
}

/// The reducers of a run.
struct AtWork<'a, 'r> {
    session: &'a mut Session<'r>,
    main: &'a Step,
    auxiliaries: Vec<Box<dyn Auxiliary>>,
}

impl Reducers for AtWork<'_, '_> {
    fn main(&mut self) -> Result<Change, Stop> {
        let before = self.session.best().fingerprint();
        self.main.run(self.session)?;
        // It only ever deletes.
        let same = self.session.best().fingerprint() == before;
        Ok(if same { Change::Nothing } else { Change::Smaller })
    }

    fn auxiliary(&mut self, which: usize) -> Result<Change, Stop> {
        let auxiliary = &self.auxiliaries[which];
        self.session.pass(auxiliary.name(), |session| auxiliary.run(session))
    }
}

/// An auxiliary reducer on its own, for pipelines of the user's making.
struct AuxiliaryPass {
    auxiliary: Box<dyn Auxiliary>,
    sources: Rc<Sources>,
    limit: usize,
    /// How many changes in a row have led to nothing smaller, and the tokens that are to be undercut.
    tries: Cell<(usize, usize)>,
}

fn auxiliary_pass(which: AuxiliaryReducer, options: &Options, sources: &Rc<Sources>) -> Box<dyn Pass> {
    Box::new(AuxiliaryPass {
        auxiliary: auxiliary(which, options.vulcan.width.unwrap_or(VULCAN.width), sources),
        sources: Rc::clone(sources),
        limit: options.vulcan.limit.unwrap_or(VULCAN.limit),
        tries: Cell::new((0, usize::MAX)),
    })
}

impl Pass for AuxiliaryPass {
    fn name(&self) -> &str {
        self.auxiliary.name()
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        let tokens = self.sources.token_count(session.best());
        let (tries, undercut) = self.tries.get();
        let tries = if tokens < undercut { 0 } else { tries };
        if tries >= self.limit {
            return Ok(());
        }
        let change = self.auxiliary.run(session)?;
        self.tries.set((tries + usize::from(change == Change::SameSize), tokens));
        Ok(())
    }
}

impl Sources {
    /// The tokens of all files that have a tree.
    fn token_count(&self, candidate: &Candidate) -> usize {
        let files = candidate.files();
        let source = |at| self.read(files, at);
        let count = |source: crate::Source| source.tree().token_count(&source.lexicon());
        (0..files.len()).filter_map(source).map(count).sum()
    }

    /// Ends a detour: with what it led to if that has fewer tokens than what is smallest in bytes, else where it began.
    fn settle_by_tokens(&self, session: &mut Session<'_>) {
        let Some(smallest) = session.left_behind().cloned() else { return };
        if self.token_count(session.best()) < self.token_count(&smallest) {
            session.stay();
        } else {
            session.return_to_smallest();
        }
    }
}
