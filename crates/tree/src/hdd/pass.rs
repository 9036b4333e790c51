//! HDD as a pass: the tree of a file, prepared, and phases that run on it one after the other.

use std::ops::Range;
use std::rc::Rc;

use dwindle_core::{Pass, Session, Step, Stop};
use dwindle_syntax::TokenId;

use crate::asker::Asker;
use crate::options::Options;
use crate::source::Source;
use crate::sources::Sources;

use super::arena::{NodeId, ReductionTree};
use super::build::from_syntax;
use super::options::{Compatibility, HddOptions};
use super::walk::{Phase, Tools, by_label};

/// Runs phases on the tree of each file. The tree is built once and all phases go on with what the one before left of it,
/// as the reference does.
struct Hdd {
    name: &'static str,
    phases: Vec<Phase>,
    /// The list minimiser of the publication.
    published: &'static str,
    options: Options,
    sources: Rc<Sources>,
}

/// The steps of an algorithm of the family.
pub(super) fn steps(
    name: &'static str,
    phases: Vec<Phase>,
    published: &'static str,
    options: &Options,
    sources: &Rc<Sources>,
) -> Vec<Step> {
    let repeated = options.hdd.reparse;
    let step = Step::Pass(pass(name, phases, published, options, sources));
    vec![if repeated { Step::Fixpoint(vec![step]) } else { step }]
}

/// An algorithm of the family as a pass.
pub(super) fn pass(
    name: &'static str,
    phases: Vec<Phase>,
    published: &'static str,
    options: &Options,
    sources: &Rc<Sources>,
) -> Box<dyn Pass> {
    Box::new(Hdd { name, phases, published, options: options.clone(), sources: Rc::clone(sources) })
}

impl Pass for Hdd {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        let hdd = &self.options.hdd;
        self.sources.each(session, |source, asker| {
            // One for each tree: what it remembers, it remembers by the numbers of nodes.
            let minimizer = self.options.minimizer(self.published);
            let mut tree = ReductionTree::of(source, hdd);
            let by_grammar = |tree: &ReductionTree, node: NodeId, by: NodeId| {
                tree.grammar_allows(source, node, by) && tree.layout_allows(node, by)
            };
            let tools = Tools {
                minimizer: &*minimizer,
                compatible: match hdd.compatible {
                    Compatibility::Label => &by_label,
                    Compatibility::Grammar => &by_grammar,
                },
                several: hdd.several,
                traversal: hdd.traversal,
            };
            for phase in &self.phases {
                phase.run(&mut tree, &tools, asker as &mut Asker<'_, '_>)?;
            }
            Ok(())
        })
    }
}

impl ReductionTree {
    /// The tree of a source, prepared.
    #[must_use]
    pub fn of(source: &Source, options: &HddOptions) -> Self {
        let syntax = source.tree();
        let mut tree = from_syntax(syntax, &mut source.lexicon_mut(), options.lists);
        let lexicon = source.lexicon();
        tree.prepare(options.preparation, |run: Range<u32>, minimal: &[TokenId]| {
            let read = &syntax.tokens()[run.start as usize..run.end as usize];
            let mut read = read.iter().filter(|token| !lexicon.marks(**token).is_layout());
            let mut minimal = minimal.iter();
            loop {
                match (read.next(), minimal.next()) {
                    (None, None) => return true,
                    (Some(a), Some(b)) if lexicon.text(*a) == lexicon.text(*b) => {}
                    _ => return false,
                }
            }
        });
        tree
    }

    /// Whether the grammar allows a descendant in the place a node has now.
    fn grammar_allows(&self, source: &Source, node: NodeId, by: NodeId) -> bool {
        match (self.node(node).place, self.node(by).origin) {
            (Some(place), Some(origin)) => {
                self.node(by).inner != self.node(node).inner && source.tree().replaceable(place, origin)
            }
            _ => false,
        }
    }
}
