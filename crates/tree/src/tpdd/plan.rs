//! The network of a source, and the candidates that take parts of it out.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ops::Range;

use dwindle_core::{Candidate, Search, Stop, Verdict};
use dwindle_syntax::{Kind, NodeId, Role, Tree};

use super::checks::CheckedModel;
use super::model::TreeOracle;
use super::network::{Network, Part, PartId};
use crate::asker::Asker;
use crate::slicer::merged;
use crate::source::Source;

/// The parts of a source as nodes of its tree, and which of its tokens are gone.
pub(super) struct Plan<'s> {
    source: &'s Source,
    nodes: Vec<NodeId>,
    gone: Vec<bool>,
    dropped: Vec<Range<u32>>,
}

impl<'s> Plan<'s> {
    /// The network of a source. Nodes that the grammar allows to go are needed with probability `sigma`, and lists as
    /// well if `lists` says so; all others go and stay with the part they are in. Comments may be gone before.
    pub(super) fn new(source: &'s Source, sigma: f64, lists: bool, comments_gone: bool) -> (Self, Network) {
        let tree = source.tree();
        let mut network = Network::new();
        let mut nodes = Vec::new();
        let mut kinds = Kinds::default();
        let counts = Counts::new(source);
        // For each node the part it is in, and whether its tokens go with that part and no other.
        let mut place: Vec<(PartId, bool)> = Vec::with_capacity(tree.len());
        // The last element of each list, which takes the separators behind it.
        let mut last_element: HashMap<NodeId, PartId> = HashMap::new();
        for node in tree.nodes() {
            let Some(parent) = tree.parent(node) else {
                place.push((network.add(Part::fixed(None)), true));
                nodes.push(node);
                continue;
            };
            let (above, own) = place[parent.0 as usize];
            if comments_gone && tree.role(node) == Role::Extra {
                place.push((NOWHERE, false));
                continue;
            }
            let list = matches!(tree.kind(node), Kind::List(_));
            let least = tree.min(node) as u32;
            let deletable = counts.of(&tree.token_range(node)) > 0
                && (tree.is_deletable(node) || list && lists && least == 0);
            let here = if tree.role(node) == Role::Separator {
                (last_element.get(&parent).copied().unwrap_or(above), false)
            } else if own && (deletable || list) {
                let element = tree.role(node) == Role::Element;
                let part = Part {
                    p: if deletable { sigma } else { 1.0 },
                    deletable,
                    least,
                    element,
                    kind: kinds.of(tree, node),
                    ..Part::fixed(Some(above))
                };
                let id = network.add(part);
                nodes.push(node);
                if element {
                    last_element.insert(parent, id);
                }
                (id, true)
            } else {
                (above, own)
            };
            place.push(here);
            if tree.kind(node) == Kind::Token && here.0 != NOWHERE {
                let tokens = counts.of(&tree.token_range(node));
                let part = &mut network.parts[here.0 as usize];
                part.tokens += tokens;
                part.certain |= here.1 && tokens > 0;
            }
        }
        let dropped = if comments_gone { comments(source) } else { Vec::new() };
        (Plan { source, nodes, gone: vec![false; tree.len()], dropped }, network)
    }

    /// The tokens that go when these parts go as well.
    fn runs(&self, parts: &[PartId]) -> Vec<Range<u32>> {
        let tree = self.source.tree();
        let mut runs = self.dropped.clone();
        let now: BTreeSet<NodeId> = parts.iter().map(|part| self.nodes[*part as usize]).collect();
        let mut lists: Vec<NodeId> = Vec::new();
        for &node in &now {
            match (tree.role(node), tree.kind(node)) {
                (Role::Element, _) => lists.extend(tree.parent(node)),
                (Role::Optional | Role::Extra | Role::Free, _) => runs.push(tree.dropped_range(node)),
                (_, Kind::List(_)) => runs.extend(tree.cut(node, |_| false)),
                _ => unreachable!("only nodes that may go and lists are parts"),
            }
        }
        // Elements of one list come one after the other, but for those of lists inside of elements that stay.
        lists.sort_unstable();
        lists.dedup();
        for list in lists {
            runs.extend(tree.cut(list, |element| !self.gone[element.0 as usize] && !now.contains(&element)));
        }
        runs
    }

    fn candidate(&self, parts: &[PartId]) -> Candidate {
        self.source.without(&self.runs(parts))
    }
}

/// The place of what is gone.
const NOWHERE: PartId = PartId::MAX;

/// The runs of all comments.
pub(super) fn comments(source: &Source) -> Vec<Range<u32>> {
    let tree = source.tree();
    let comments = tree.nodes().filter(|node| tree.role(*node) == Role::Extra);
    merged(comments.map(|node| tree.dropped_range(node)).filter(|run| !run.is_empty()).collect())
}

/// How many tokens of the language, layout apart, come before each token.
struct Counts(Vec<u32>);

impl Counts {
    fn new(source: &Source) -> Self {
        let lexicon = source.lexicon();
        let mut count = 0;
        let tokens = source.tree().tokens().iter().map(|token| {
            count += u32::from(!lexicon.marks(*token).is_layout());
            count
        });
        Counts(std::iter::once(0).chain(tokens).collect())
    }

    /// How many there are in a run.
    fn of(&self, run: &Range<u32>) -> u32 {
        self.0[run.end as usize] - self.0[run.start as usize]
    }
}

/// Numbers for kinds of parts: what the node is, and what it is to its parent.
#[derive(Default)]
struct Kinds(HashMap<(Option<u32>, Option<u32>, bool), u32>);

impl Kinds {
    fn of(&mut self, tree: &Tree, node: NodeId) -> u32 {
        let symbol = tree.symbol(node).map(|symbol| symbol.index() as u32);
        let list = tree.parent(node).and_then(|parent| match tree.kind(parent) {
            Kind::List(list) => Some(list),
            _ => None,
        });
        let next = self.0.len() as u32;
        *self.0.entry((symbol, list, tree.role(node) == Role::Element)).or_insert(next)
    }
}

/// Asks about candidates of a plan.
pub(super) struct PlanAsker<'a, 's, 'q, 'r> {
    pub(super) plan: Plan<'s>,
    pub(super) asker: &'a mut Asker<'q, 'r>,
}

impl PlanAsker<'_, '_, '_, '_> {
    /// Asks what a model with checks proposes until it has no proposal.
    pub(super) fn search(&mut self, mut model: CheckedModel) -> Result<(), Stop> {
        loop {
            let mut search =
                CheckedSearch { plan: &self.plan, model: &mut model, asked: VecDeque::new(), won: None };
            self.asker.session().search(&mut search)?;
            let Some((part, candidate)) = search.won else { return Ok(()) };
            self.asker.accept(&candidate)?;
            self.gone(&[part]);
        }
    }
}

/// What a model with checks asks, as candidates of a plan, until one of them is interesting.
struct CheckedSearch<'a, 's> {
    plan: &'a Plan<'s>,
    model: &'a mut CheckedModel,
    /// Those without a verdict yet.
    asked: VecDeque<(PartId, Candidate)>,
    won: Option<(PartId, Candidate)>,
}

impl Search for CheckedSearch<'_, '_> {
    fn next(&mut self) -> Option<Candidate> {
        let mut last = None;
        let part = self.model.propose(|part| {
            let candidate = self.plan.candidate(&[part]);
            let admitted = self.plan.source.admits(&candidate);
            last = Some(candidate);
            admitted
        })?;
        let candidate = last.expect("it was admitted");
        self.asked.push_back((part, candidate.clone()));
        Some(candidate)
    }

    fn learn(&mut self, verdict: Verdict) -> bool {
        let asked = self.asked.pop_front().expect("a verdict is about something asked for");
        let as_foreseen = self.model.learn(verdict);
        if !as_foreseen {
            self.asked.clear();
        }
        if verdict.is_interesting() {
            self.won = Some(asked);
        }
        as_foreseen
    }
}

impl TreeOracle for PlanAsker<'_, '_, '_, '_> {
    fn first(&mut self, deletions: &mut dyn Iterator<Item = Vec<PartId>>) -> Result<Option<usize>, Stop> {
        self.asker.first(deletions.map(|parts| self.plan.candidate(&parts)))
    }

    fn gone(&mut self, parts: &[PartId]) {
        self.plan.dropped = merged(self.plan.runs(parts));
        for part in parts {
            self.plan.gone[self.plan.nodes[*part as usize].0 as usize] = true;
        }
    }
}
