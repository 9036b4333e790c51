//! The heaviest part first, wherever it stands: all lists and optional parts of a tree are reduced together.
//!
//! A part is a run of elements of one list, or an optional node. One that cannot go is halved, and one that cannot be
//! halved is looked into. Of all parts that wait, the one comes next that promises most: its tokens, times the share
//! of parts like it that could go so far. So bodies of functions go before anybody asks for each of a thousand
//! declarations.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;

use dwindle_core::{Candidate, Pass, Session, Stop};
use dwindle_grammar::SymbolId;
use dwindle_syntax::{Kind, NodeId, Role};

use super::remains::Remains;
use crate::asker::Asker;
use crate::sources::Sources;

/// One round over each file, each part once.
pub(super) struct Heaviest {
    pub(super) sources: Rc<Sources>,
}

impl Pass for Heaviest {
    fn name(&self) -> &str {
        "heaviest"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        self.sources.each(session, |source, asker| reduce(asker, Remains::new(source)))
    }
}

fn reduce(asker: &mut Asker<'_, '_>, mut remains: Remains<'_>) -> Result<(), Stop> {
    let mut queue = Queue::default();
    queue.look_into(&remains, remains.tree().root());
    loop {
        let mut pulls = Pulls { queue: &mut queue, remains: &remains, pulled: Vec::new() };
        let won = asker.first(&mut pulls)?;
        let pulled = pulls.pulled;
        let Some(part) = queue.settle(pulled, won) else { return Ok(()) };
        let runs = part.runs(&remains).expect("it was asked for");
        match part {
            Part::Optional(node) => remains.delete(node, runs),
            Part::Run { list, elements, .. } => {
                let mut left = remains.elements(list);
                left.retain(|element| elements.binary_search(element).is_err());
                remains.keep_elements(list, left);
                remains.drop_runs(runs);
            }
        }
    }
}

/// What may go.
#[derive(Clone)]
enum Part {
    Run { list: NodeId, elements: Vec<NodeId> },
    Optional(NodeId),
}

impl Part {
    fn weight(&self, remains: &Remains<'_>) -> u32 {
        match self {
            Part::Run { elements, .. } => elements.iter().map(|element| remains.weight(*element)).sum(),
            Part::Optional(node) => remains.weight(*node),
        }
    }

    /// The runs of tokens that go with it; nothing if too little of its list would be left.
    fn runs(&self, remains: &Remains<'_>) -> Option<Vec<Range<u32>>> {
        match self {
            Part::Optional(node) => remains.deletion(*node),
            Part::Run { list, elements } => {
                let mut left = remains.elements(*list);
                left.retain(|element| elements.binary_search(element).is_err());
                let mut kept = left.iter().peekable();
                (left.len() >= remains.least(*list)).then(|| {
                    remains.tree().cut(*list, |element| kept.next_if(|kept| **kept == element).is_some())
                })
            }
        }
    }

    /// Parts that are alike: of one kind, about as heavy.
    fn class(&self, remains: &Remains<'_>, weight: u32) -> Class {
        let node = match self {
            Part::Run { elements, .. } => elements[0],
            Part::Optional(node) => *node,
        };
        let kind = remains.tree().symbol(node).map(SymbolId::index);
        (kind, matches!(self, Part::Run { elements, .. } if elements.len() > 1), weight.ilog2())
    }
}

/// Kind of the (first) node, whether there are several, and the logarithm of the weight.
type Class = (Option<usize>, bool, u32);

/// How often something was tried, and how often it went well.
#[derive(Clone, Copy, Default)]
struct Tally {
    tried: u32,
    gone: u32,
}

impl Tally {
    /// The share that can be expected to go, if `like` is the share of all there are.
    fn share(self, like: f64) -> f64 {
        (f64::from(self.gone) + DOUBT * like) / (f64::from(self.tried) + DOUBT)
    }
}

/// How many tries of a class weigh as much as what is known of all.
const DOUBT: f64 = 4.0;

/// The parts that wait.
#[derive(Default)]
struct Queue {
    parts: Vec<(Part, u64, Class)>,
    waiting: BTreeSet<(u64, usize)>,
    tallies: HashMap<Class, Tally>,
    all: Tally,
}

/// A part that was asked for as if it could not go.
struct Pulled {
    part: usize,
    /// How many parts there were before those it came apart into.
    before: usize,
    /// Whether it was asked for at all.
    asked: bool,
}

impl Queue {
    fn push(&mut self, remains: &Remains<'_>, part: Part) {
        let weight = part.weight(remains);
        if weight == 0 {
            return;
        }
        let class = part.class(remains, weight);
        let share = self.tallies.get(&class).copied().unwrap_or_default().share(self.all.share(0.5));
        let promise = (f64::from(weight) * share * 1000.0) as u64;
        // Of equals the last one in the text comes first: later things use earlier ones.
        self.waiting.insert((promise, self.parts.len()));
        self.parts.push((part, promise, class));
    }

    /// The nearest parts inside a node, however deep they lie.
    fn look_into(&mut self, remains: &Remains<'_>, node: NodeId) {
        let tree = remains.tree();
        let mut open = vec![(node, Role::Fixed)];
        while let Some((node, role)) = open.pop() {
            match role {
                Role::Separator | Role::Extra | Role::Element => continue,
                Role::Optional | Role::Free => {
                    self.push(remains, Part::Optional(node));
                    continue;
                }
                Role::Fixed => {}
            }
            if matches!(tree.kind(node), Kind::List(_)) {
                let elements: Vec<NodeId> = tree.elements(node).collect();
                if !elements.is_empty() {
                    self.push(remains, Part::Run { list: node, elements });
                }
            }
            let first = open.len();
            open.extend(tree.children(node).map(|child| (child, tree.role(child))));
            open[first..].reverse();
        }
    }

    /// What a part that cannot go comes apart into.
    fn take_apart(&mut self, remains: &Remains<'_>, part: &Part) {
        match part {
            Part::Run { list, elements } if elements.len() > 1 => {
                let half = part.weight(remains) / 2;
                let mut weight = 0;
                let reaches_half = |element: &NodeId| {
                    weight += remains.weight(*element);
                    weight > half
                };
                let cut = elements.iter().position(reaches_half).unwrap_or(0).clamp(1, elements.len() - 1);
                for elements in [&elements[..cut], &elements[cut..]] {
                    self.push(remains, Part::Run { list: *list, elements: elements.to_vec() });
                }
            }
            Part::Run { elements, .. } => self.look_into(remains, elements[0]),
            Part::Optional(node) => self.look_into(remains, *node),
        }
    }

    /// Takes the next part out as if it could not go.
    fn pull(&mut self, remains: &Remains<'_>) -> Option<(Pulled, Option<Candidate>)> {
        let (_, next) = self.waiting.pop_last()?;
        let (part, _, class) = self.parts[next].clone();
        let before = self.parts.len();
        let candidate = part.runs(remains).map(|runs| remains.without(&runs));
        let asked = candidate.is_some();
        if asked {
            self.tallies.entry(class).or_default().tried += 1;
            self.all.tried += 1;
        }
        self.take_apart(remains, &part);
        Some((Pulled { part: next, before, asked }, candidate))
    }

    /// Puts everything as it is after the part that won, and gives that part. Nothing has won if no part waits.
    fn settle(&mut self, mut pulled: Vec<Pulled>, won: Option<usize>) -> Option<Part> {
        let won = won?;
        let mut asked = pulled.iter().enumerate().filter(|(_, pulled)| pulled.asked);
        let (winner, _) = asked.nth(won).expect("it was asked for");
        while let Some(Pulled { part, before, asked }) = pulled.pop() {
            for (at, (_, promise, _)) in self.parts.iter().enumerate().skip(before) {
                self.waiting.remove(&(*promise, at));
            }
            self.parts.truncate(before);
            let (_, promise, class) = self.parts[part];
            let tally = self.tallies.entry(class).or_default();
            if pulled.len() == winner {
                tally.gone += 1;
                self.all.gone += 1;
                return Some(self.parts[part].0.clone());
            }
            tally.tried -= u32::from(asked);
            self.all.tried -= u32::from(asked);
            self.waiting.insert((promise, part));
        }
        None
    }
}

/// Parts in the order in which they are to be asked for if none of them can go.
struct Pulls<'q, 's> {
    queue: &'q mut Queue,
    remains: &'q Remains<'s>,
    pulled: Vec<Pulled>,
}

impl Iterator for Pulls<'_, '_> {
    type Item = Candidate;

    fn next(&mut self) -> Option<Candidate> {
        loop {
            let (pulled, candidate) = self.queue.pull(self.remains)?;
            self.pulled.push(pulled);
            if candidate.is_some() {
                return candidate;
            }
        }
    }
}
