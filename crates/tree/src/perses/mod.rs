//! Perses' main reducer: nodes of the quantified tree in order of their weight; lists are minimised, what may go is
//! deleted, and other nodes give way to descendants that fit in their place. Every candidate keeps to the grammar.

mod gtr;
mod heaviest;
mod pardis;
pub(crate) mod remains;
mod round;
mod whichever;

use std::rc::Rc;

use dwindle_core::{Pass, Session, Step, Stop};

use crate::options::Options;
use crate::registry::{Family, NamedPass, Parameter, Preset, value};
use crate::sources::Sources;
use gtr::Gtr;
use heaviest::Heaviest;
use pardis::Pardis;
use remains::{HoistLimits, Remains};
pub use round::Order;
use round::{Plan, Round};

/// What Perses' reducer is to do.
#[derive(Clone, Debug)]
pub struct PersesOptions {
    /// How deep to look for a descendant to take a node's place.
    pub depth: usize,
    /// How deep to look for a list to take the place of an element of another.
    pub splice_depth: usize,
    /// The most descendants to be tried for one node.
    pub candidates: usize,
    /// Whether to look no further below a descendant that fits.
    pub stop_at_first: bool,
    /// Whether nodes nested in nodes of their kind (`a + b - c`) are reduced as lists; `None` is what the preset says.
    pub chains: Option<bool>,
    /// Which node comes next.
    pub order: Order,
}

impl Default for PersesOptions {
    fn default() -> Self {
        PersesOptions {
            depth: 5,
            splice_depth: 3,
            candidates: 100,
            stop_at_first: false,
            chains: None,
            order: Order::default(),
        }
    }
}

impl PersesOptions {
    /// How far to look for what may take a node's place.
    pub(crate) fn limits(&self) -> HoistLimits {
        HoistLimits {
            depth: self.depth,
            splice_depth: self.splice_depth,
            most: self.candidates,
            stop_at_first: self.stop_at_first,
        }
    }
}

/// The list minimiser of the publication: each block is tried once, the last first.
pub(crate) const PUBLISHED: &str = "dfs";

pub(crate) const FAMILY: Family = Family {
    presets: &[
        Preset {
            name: "perses",
            about: "heaviest node first: minimise lists, delete, replace by fitting descendants; to a fixpoint (Perses)",
            minimal_over: Some("tree node"),
            build: |options, sources| fixpoint(main_reducer(options, sources, PUBLISHED, false)),
        },
        Preset {
            name: "p-perses",
            about: "perses with the probabilistic list minimiser (p-Perses)",
            minimal_over: Some("tree node"),
            build: |options, sources| fixpoint(main_reducer(options, sources, "probdd", false)),
        },
        Preset {
            name: "perses-chains",
            about: "perses that also takes nested operators for lists, and sweeps lists to the end (ours)",
            minimal_over: Some("tree node"),
            build: |options, sources| fixpoint(main_reducer(options, sources, "one-sweep", true)),
        },
        Preset {
            name: "gtr",
            about: "level by level: ddmin over what may go, then children in their parents' place; once (GTR)",
            minimal_over: None,
            build: |options, sources| vec![Step::Pass(gtr(options, sources))],
        },
        Preset {
            name: "gtr-star",
            about: "gtr to a fixpoint (GTR*)",
            minimal_over: Some("tree node"),
            build: |options, sources| fixpoint(gtr(options, sources)),
        },
        Preset {
            name: "pardis",
            about: "one queue of all that may go, the heaviest first, each on its own; to a fixpoint (PARDIS)",
            minimal_over: Some("tree node"),
            build: |_, sources| fixpoint(Box::new(Pardis { sources: Rc::clone(sources) })),
        },
    ],
    passes: &[
        NamedPass {
            name: "perses",
            about: "one round of Perses' main reducer",
            build: |options, sources| main_reducer(options, sources, PUBLISHED, false),
        },
        NamedPass {
            name: "perses-chains",
            about: "one round of perses-chains",
            build: |options, sources| main_reducer(options, sources, "one-sweep", true),
        },
        NamedPass {
            name: "lists",
            about: "one round of perses-chains that only deletes: lists and optional parts, nothing takes another's place",
            build: |options, sources| deleting("lists", options, sources),
        },
        NamedPass {
            name: "heaviest",
            about: "delete parts of all lists together, those first that promise most; what cannot go is halved",
            build: |_, sources| Box::new(Heaviest { sources: Rc::clone(sources) }),
        },
        NamedPass {
            name: "gtr",
            about: "level by level, ddmin over what may go, then children in their parents' place",
            build: gtr,
        },
        NamedPass {
            name: "pardis",
            about: "delete what may go, the heaviest node first, each on its own",
            build: |_, sources| Box::new(Pardis { sources: Rc::clone(sources) }),
        },
    ],
    parameters: &[
        Parameter {
            name: "perses.depth",
            about: "how deep to look for a descendant to take a node's place (5)",
            set: |options, text| {
                options.perses.depth = value(text)?;
                Ok(())
            },
        },
        Parameter {
            name: "perses.splice-depth",
            about: "how deep to look for a list to take the place of an element of another (3)",
            set: |options, text| {
                options.perses.splice_depth = value(text)?;
                Ok(())
            },
        },
        Parameter {
            name: "perses.candidates",
            about: "the most descendants to be tried for one node (100)",
            set: |options, text| {
                options.perses.candidates = value(text)?;
                Ok(())
            },
        },
        Parameter {
            name: "perses.stop-at-first",
            about: "look no further below a descendant that fits: true or false (false)",
            set: |options, text| {
                options.perses.stop_at_first = value(text)?;
                Ok(())
            },
        },
        Parameter {
            name: "perses.chains",
            about: "take nodes nested in nodes of their kind for lists: true or false (as the preset says)",
            set: |options, text| {
                options.perses.chains = Some(value(text)?);
                Ok(())
            },
        },
        Parameter {
            name: "perses.order",
            about: "which node comes next: weight or level (weight)",
            set: |options, text| {
                options.perses.order = match text {
                    "weight" => Order::Weight,
                    "level" => Order::Level,
                    _ => return Err(format!("`{text}` is not known here: use weight or level")),
                };
                Ok(())
            },
        },
    ],
};

fn fixpoint(pass: Box<dyn Pass>) -> Vec<Step> {
    vec![Step::Fixpoint(vec![Step::Pass(pass)])]
}

fn gtr(options: &Options, sources: &Rc<Sources>) -> Box<dyn Pass> {
    Box::new(Gtr { minimizer: options.minimizer("ddmin"), sources: Rc::clone(sources) })
}

/// One round of the main reducer.
pub(crate) fn main_reducer(
    options: &Options,
    sources: &Rc<Sources>,
    minimizer: &str,
    chains: bool,
) -> Box<dyn Pass> {
    let plan = plan(options, minimizer, chains);
    let name = if plan.chains { "perses-chains" } else { "perses" };
    Box::new(Perses { name, plan, sources: Rc::clone(sources) })
}

/// One round that only deletes.
fn deleting(name: &'static str, options: &Options, sources: &Rc<Sources>) -> Box<dyn Pass> {
    let plan = plan(options, "one-sweep", true);
    let limits = HoistLimits { most: 0, ..plan.limits };
    Box::new(Perses { name, plan: Plan { limits, ..plan }, sources: Rc::clone(sources) })
}

fn plan(options: &Options, minimizer: &str, chains: bool) -> Plan {
    Plan {
        minimizer: options.minimizer(minimizer),
        limits: options.perses.limits(),
        chains: options.perses.chains.unwrap_or(chains),
        order: options.perses.order,
    }
}

/// One round over each file.
struct Perses {
    name: &'static str,
    plan: Plan,
    sources: Rc<Sources>,
}

impl Pass for Perses {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        self.sources.each(session, |source, asker| Round::new(&self.plan, Remains::new(source)).run(asker))
    }
}
