//! T-PDD: probabilistic delta debugging with one Bayesian network over the whole syntax tree (Wang's thesis, chapter 5).
//!
//! [`Network`] holds what is believed of each part of a tree, [`Model`] proposes what to take out next and learns from
//! answers; both know nothing of syntax. A plan ties them to a source. Presets: `t-pdd` is the published algorithm,
//! `t-pdd-exact` our better one.

mod checks;
mod choose;
mod learn;
mod model;
mod network;
mod plan;
mod prior;
mod templates;

use std::rc::Rc;

use dwindle_core::{Pass, Session, Step, Stop};
use dwindle_delta::Unexecuted;

pub use checks::CheckedModel;
pub use learn::Update;
pub use model::{Model, Settings, TreeOracle, search};
pub use network::{Network, Part, PartId, Scores};

use crate::options::Options;
use crate::perses::{PUBLISHED, main_reducer};
use crate::registry::{Family, NamedPass, Parameter, Preset, value};
use crate::sources::Sources;
use plan::{Plan, PlanAsker, comments};
use templates::Templates;

/// What a user may set; what is not set is as the preset has it.
#[derive(Clone, Debug, Default)]
pub struct TpddOptions {
    /// How likely parts that can go are needed, before anything is known.
    pub sigma: Option<f64>,
    /// What a boring test changes.
    pub update: Option<Update>,
    /// The expected gain, in tokens, below which nothing is tried.
    pub threshold: Option<f64>,
    /// The most parts that one test takes out.
    pub several: Option<usize>,
    /// Whether sigma is only a first guess.
    pub learns: Option<bool>,
    /// Whether a list can go as a whole, apart from its elements.
    pub lists: Option<bool>,
    /// What checks that were not run count as.
    pub unexecuted: Unexecuted,
}

pub(crate) const FAMILY: Family = Family {
    presets: &[
        Preset {
            name: "t-cov-pdd",
            about: "t-pdd with a network for each check of the test, then replacements once (covProbDD on trees)",
            minimal_over: None,
            build: |options, sources| {
                vec![Step::Pass(checked(options, sources)), Step::Pass(templates(options, sources))]
            },
        },
        Preset {
            name: "t-pdd",
            about: "probabilistic delta debugging on the syntax tree, one part a test, then replacements once",
            minimal_over: None,
            build: |options, sources| {
                vec![Step::Pass(published(options, sources)), Step::Pass(templates(options, sources))]
            },
        },
        Preset {
            name: "t-pdd-exact",
            about: "the same with the exact posterior, several parts a test and a learnt prior, then perses on what is left",
            minimal_over: Some("tree node"),
            // What was needed once is needed for good to the model; where that is wrong, rounds of Perses find it for fewer
            // queries than replacements and single parts in turns: 463 instead of 575 on dot-segv-concentrate.
            build: |options, sources| {
                vec![
                    Step::Pass(exact(options, sources)),
                    Step::Fixpoint(vec![Step::Pass(perses(options, sources))]),
                ]
            },
        },
    ],
    passes: &[
        NamedPass {
            name: "t-cov-pdd",
            about: "t-pdd with a network for each check of the test",
            build: checked,
        },
        NamedPass {
            name: "t-pdd",
            about: "delete the part of the tree that is expected to save most tokens, again and again",
            build: published,
        },
        NamedPass {
            name: "t-pdd-exact",
            about: "delete the parts of the tree that are expected to save most tokens together, with exact posteriors",
            build: exact,
        },
        NamedPass {
            name: "t-pdd-sweep",
            about: "delete each part of the tree that can go alone, the one that saves most first",
            build: sweep,
        },
        NamedPass {
            name: "t-pdd-templates",
            about: "put descendants in the place of nodes, the largest first, each once",
            build: templates,
        },
    ],
    parameters: &[
        Parameter {
            name: "t-pdd.sigma",
            about: "how likely a part that can go is needed, at first: above 0, below 1 (0.5)",
            set: |options, text| {
                let sigma: f64 = value(text)?;
                if !(sigma > 0.0 && sigma < 1.0) {
                    return Err(format!("`{text}` is not between 0 and 1"));
                }
                options.tpdd.sigma = Some(sigma);
                Ok(())
            },
        },
        Parameter {
            name: "t-pdd.update",
            about: "what a boring test changes: literal, soft or exact (literal; exact in t-pdd-exact)",
            set: |options, text| {
                options.tpdd.update = Some(match text {
                    "literal" => Update::Literal,
                    "soft" => Update::Soft,
                    "exact" => Update::Exact,
                    _ => return Err(format!("`{text}` is not literal, soft or exact")),
                });
                Ok(())
            },
        },
        Parameter {
            name: "t-pdd.threshold",
            about: "the expected gain, in tokens, below which nothing is tried (1; 0 in t-pdd-exact)",
            set: |options, text| {
                options.tpdd.threshold = Some(value(text)?);
                Ok(())
            },
        },
        Parameter {
            name: "t-pdd.several",
            about: "the most parts that one test takes out (1; no limit in t-pdd-exact)",
            set: |options, text| {
                options.tpdd.several = Some(value::<usize>(text)?.max(1));
                Ok(())
            },
        },
        Parameter {
            name: "t-pdd.learns",
            about: "whether sigma is only a first guess: true or false (false; true in t-pdd-exact)",
            set: |options, text| {
                options.tpdd.learns = Some(value(text)?);
                Ok(())
            },
        },
        Parameter {
            name: "t-pdd.unexecuted",
            about: "what checks that were not run count as in t-cov-pdd: unknown, or failed as in the thesis (unknown)",
            set: |options, text| {
                options.tpdd.unexecuted = match text {
                    "unknown" => Unexecuted::Unknown,
                    "failed" => Unexecuted::Failed,
                    _ => return Err(format!("`{text}` is not unknown or failed")),
                };
                Ok(())
            },
        },
        Parameter {
            name: "t-pdd.lists",
            about: "whether a list can go as a whole, apart from its elements: true or false (true; false in t-pdd-exact)",
            set: |options, text| {
                options.tpdd.lists = Some(value(text)?);
                Ok(())
            },
        },
    ],
};

fn published(options: &Options, sources: &Rc<Sources>) -> Box<dyn Pass> {
    Box::new(TreePdd::new("t-pdd", Settings::PUBLISHED, true, &options.tpdd, sources))
}

fn exact(options: &Options, sources: &Rc<Sources>) -> Box<dyn Pass> {
    Box::new(TreePdd::new("t-pdd-exact", Settings::EXACT, false, &options.tpdd, sources))
}

fn checked(options: &Options, sources: &Rc<Sources>) -> Box<dyn Pass> {
    let pass = TreePdd::new("t-cov-pdd", Settings::PUBLISHED, true, &options.tpdd, sources);
    Box::new(TreePdd { checks: Some(options.tpdd.unexecuted), ..pass })
}

/// Tries every part once, whatever it promises.
fn sweep(_: &Options, sources: &Rc<Sources>) -> Box<dyn Pass> {
    let settings = Settings { threshold: 0.0, ..Settings::PUBLISHED };
    Box::new(TreePdd {
        name: "t-pdd-sweep",
        settings,
        lists: false,
        checks: None,
        sources: Rc::clone(sources),
    })
}

/// A round of the host as it is published.
fn perses(options: &Options, sources: &Rc<Sources>) -> Box<dyn Pass> {
    main_reducer(options, sources, PUBLISHED, false)
}

fn templates(options: &Options, sources: &Rc<Sources>) -> Box<dyn Pass> {
    Box::new(Templates { limits: options.perses.limits(), sources: Rc::clone(sources) })
}

/// Takes parts out of the tree, as a model proposes.
struct TreePdd {
    name: &'static str,
    settings: Settings,
    lists: bool,
    /// With a network for each check, and what those that were not run count as.
    checks: Option<Unexecuted>,
    sources: Rc<Sources>,
}

impl TreePdd {
    fn new(
        name: &'static str,
        own: Settings,
        lists: bool,
        options: &TpddOptions,
        sources: &Rc<Sources>,
    ) -> Self {
        let settings = Settings {
            sigma: options.sigma.unwrap_or(own.sigma),
            update: options.update.unwrap_or(own.update),
            threshold: options.threshold.unwrap_or(own.threshold),
            several: options.several.unwrap_or(own.several),
            learns: options.learns.unwrap_or(own.learns),
        };
        let lists = options.lists.unwrap_or(lists);
        TreePdd { name, settings, lists, checks: None, sources: Rc::clone(sources) }
    }
}

impl Pass for TreePdd {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        self.sources.each(session, |source, asker| {
            // Comments are no tokens of the language: parsers of the publications do not even see them.
            let comments = comments(source);
            let gone = !comments.is_empty() && asker.test(&source.without(&comments))?.is_interesting();
            let (plan, network) = Plan::new(source, self.settings.sigma, self.lists, gone);
            let Settings { sigma, threshold, .. } = self.settings;
            if let Some(unexecuted) = self.checks {
                let checks = asker.session().checks();
                let model = CheckedModel::new(network, checks, sigma, threshold, unexecuted);
                return PlanAsker { plan, asker }.search(model);
            }
            let model = Model::new(network, self.settings);
            search(model, &mut PlanAsker { plan, asker }).map(drop)
        })
    }
}
