//! Source code as linked items: definitions are items, uses are implications, and a strategy of `dwindle-logic`
//! looks for the fewest items that are still interesting.
//!
//! Plain list reduction tries to delete a definition while its uses are still there, and fails; here a candidate keeps
//! with each item what it uses. The links come from the grammar's own queries (`tags`, `locals`) and the texts of
//! identifiers; they follow no scopes or types, so they are hints: a wrong one costs size or queries, never more.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use dwindle_core::{Pass, Session, Stop};
use dwindle_logic::{Formula, Item, ItemId, ItemSet, Items, Model, ModelBuilder, SessionProbe, Strategy};
use dwindle_syntax::{Kind, NodeId, Role, Tree};

use crate::asker::Asker;
use crate::identifiers::identifiers;
use crate::registry::{Family, NamedPass, Parameter, value};
use crate::source::Source;
use crate::sources::Sources;

/// What the pass over definitions is to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkOptions {
    /// How the items are reduced.
    pub strategy: Strategy,
}

pub(crate) const FAMILY: Family = Family {
    presets: &[],
    passes: &[NamedPass {
        name: "links",
        about: "keep as few definitions as possible, each with what it uses, under a model of who uses whom",
        build: |options, sources| {
            Box::new(LinksPass { strategy: options.links.strategy, sources: Rc::clone(sources) })
        },
    }],
    parameters: &[Parameter {
        name: "links.strategy",
        about: "how definitions are reduced, a strategy of `dwindle logic`: binary, verify, ddmin, ... (gbr)",
        set: |options, text| {
            options.links.strategy = value(text)?;
            Ok(())
        },
    }],
};

/// Reduces the definitions of a program under a model of who uses whom.
struct LinksPass {
    strategy: Strategy,
    sources: Rc<Sources>,
}

impl Pass for LinksPass {
    fn name(&self) -> &str {
        "links"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        self.sources.each(session, |source, asker| {
            let Some(links) = Links::of(source) else { return Ok(()) };
            links.reduce(self.strategy, source, asker)
        })
    }
}

/// The items of a program and the model over them.
struct Links {
    /// The node of each item, in order of the text.
    nodes: Vec<NodeId>,
    model: Model,
}

impl Links {
    /// The links of a source; nothing if no two items are linked.
    fn of(source: &Source) -> Option<Self> {
        let tree = source.tree();
        let definitions = definitions(source);
        let nodes = item_nodes(tree, definitions.iter().map(|(token, _)| *token));
        let numbers: HashMap<NodeId, usize> =
            nodes.iter().enumerate().map(|(at, node)| (*node, at)).collect();
        let owners = owners(tree, &nodes);
        let parents: Vec<Option<usize>> = nodes
            .iter()
            .map(|node| {
                let mut above = std::iter::successors(tree.parent(*node), |node| tree.parent(*node));
                above.find_map(|node| numbers.get(&node).copied())
            })
            .collect();
        let mut definers: HashMap<&[u8], BTreeSet<usize>> = HashMap::new();
        for (token, name) in &definitions {
            definers.entry(name).or_default().extend(owners[*token as usize]);
        }

        let items = Items::new(nodes.iter().enumerate().map(|(at, node)| item(tree, at, *node)).collect());
        let mut model = ModelBuilder::new(items.expect("numbers are unique names"));
        let (inside, uses) = (model.origin("is inside"), model.origin("uses"));
        for (at, parent) in parents.iter().enumerate() {
            if let Some(parent) = parent {
                model.need(ItemId::new(at), ItemId::new(*parent), inside);
            }
        }
        let within = |item: usize, outer: Option<usize>| {
            let mut above = std::iter::successors(Some(item), |at| parents[*at]);
            outer.is_none_or(|outer| above.any(|at| at == outer))
        };
        let mut linked = false;
        let mut seen: BTreeSet<(Option<usize>, &[u8])> = BTreeSet::new();
        let identifiers = identifier_tokens(source);
        for (token, name) in &identifiers {
            let user = owners[*token as usize];
            let Some(definers) = definers.get(&name[..]).filter(|_| seen.insert((user, name))) else {
                continue;
            };
            // Definitions beside the user or around it come before others of the same name.
            let near = |definer: &&usize| user.is_some_and(|user| within(user, parents[**definer]));
            let near: Vec<usize> = definers.iter().filter(near).copied().collect();
            let targets = if near.is_empty() { definers.iter().copied().collect() } else { near };
            if user.is_some_and(|user| targets.contains(&user)) {
                continue;
            }
            linked = true;
            let any = Formula::any(targets.iter().map(|at| Formula::item(ItemId::new(*at))));
            match user {
                Some(user) => model.formula(&Formula::item(ItemId::new(user)).implies(any), uses),
                None => model.formula(&any, uses),
            }
        }
        let model = model.finish().ok().filter(|_| linked)?;
        Some(Links { nodes, model })
    }

    fn reduce(&self, strategy: Strategy, source: &Source, asker: &mut Asker<'_, '_>) -> Result<(), Stop> {
        let tree = source.tree();
        let numbers: HashMap<NodeId, usize> =
            self.nodes.iter().enumerate().map(|(at, node)| (*node, at)).collect();
        let lists: BTreeSet<NodeId> = self.nodes.iter().filter_map(|node| tree.parent(*node)).collect();
        let candidate = |kept: ItemSet| {
            let stays = |node| numbers.get(&node).is_none_or(|at| kept.contains(ItemId::new(*at)));
            let dropped: Vec<Range<u32>> = lists.iter().flat_map(|list| tree.cut(*list, stays)).collect();
            source.without(&dropped)
        };
        strategy.reduce(&self.model, &mut SessionProbe::new(asker.session(), &candidate))?;
        Ok(())
    }
}

fn item(tree: &Tree, at: usize, node: NodeId) -> Item {
    Item { weight: tree.token_range(node).len() as u64, ..Item::new(at.to_string()) }
}

/// The tokens that are names being defined, and their texts: those the grammar's queries find, or else the first name
/// of each top-level construct, if it stands there for the first time.
fn definitions(source: &Source) -> Vec<(u32, Vec<u8>)> {
    let (tree, lexicon) = (source.tree(), source.lexicon());
    let names = source.names().into_iter().filter(|name| name.definition);
    let found: Vec<(u32, Vec<u8>)> = names
        .filter_map(|name| tree.token_at(name.bytes.start, &lexicon))
        .map(|token| (token, lexicon.text(tree.tokens()[token as usize]).to_vec()))
        .collect();
    if !found.is_empty() {
        return found;
    }
    let top = owners(tree, &item_nodes(tree, std::iter::empty()));
    let (mut seen, mut last, mut new) = (HashSet::new(), None, Vec::new());
    for (token, name) in identifier_tokens(source) {
        let first = top[token as usize].is_some() && last != top[token as usize];
        last = top[token as usize];
        if seen.insert(name.clone()) && first {
            new.push((token, name));
        }
    }
    new
}

/// All identifiers with their tokens.
fn identifier_tokens(source: &Source) -> Vec<(u32, Vec<u8>)> {
    let token = |node| source.tree().inner_range(node).start;
    identifiers(source).into_iter().map(|(node, text)| (token(node), text)).collect()
}

/// The nodes that become items: what stands directly in a list of the root, and the innermost list element around each
/// definition.
fn item_nodes(tree: &Tree, definitions: impl Iterator<Item = u32>) -> Vec<NodeId> {
    let is_item = |node: &NodeId| {
        tree.role(*node) == Role::Element
            && tree
                .parent(*node)
                .is_some_and(|list| matches!(tree.kind(list), Kind::List(_)) && tree.min(list) == 0)
    };
    let top = tree.children(tree.root()).filter(|child| matches!(tree.kind(*child), Kind::List(_)));
    let mut nodes: BTreeSet<NodeId> = top.flat_map(|list| tree.children(list)).filter(is_item).collect();
    let innermost = innermost(tree, is_item);
    nodes.extend(definitions.filter_map(|token| innermost[token as usize]));
    nodes.into_iter().collect()
}

/// For each token the innermost node around it that `wanted` says.
fn innermost(tree: &Tree, wanted: impl Fn(&NodeId) -> bool) -> Vec<Option<NodeId>> {
    let mut around = Vec::with_capacity(tree.tokens().len());
    // Those that are open, from the outside; each token is looked at once, however deep they are nested.
    let mut open: Vec<NodeId> = Vec::new();
    let mut fill = |open: &mut Vec<NodeId>, until: usize| {
        while around.len() < until {
            let is_past = |node: &NodeId| tree.token_range(*node).end as usize <= around.len();
            while open.last().is_some_and(is_past) {
                open.pop();
            }
            around.push(open.last().copied());
        }
    };
    for node in tree.nodes().filter(wanted) {
        let tokens = tree.token_range(node);
        fill(&mut open, tokens.start as usize);
        if !tokens.is_empty() {
            open.push(node);
        }
    }
    fill(&mut open, tree.tokens().len());
    around
}

/// For each token the innermost item it is in.
fn owners(tree: &Tree, nodes: &[NodeId]) -> Vec<Option<usize>> {
    let numbers: HashMap<NodeId, usize> = nodes.iter().enumerate().map(|(at, node)| (*node, at)).collect();
    let around = innermost(tree, |node| numbers.contains_key(node));
    around.into_iter().map(|node| node.map(|node| numbers[&node])).collect()
}
