//! Deletes what is defined and not used, all of it at once: a preprocessed file is full of it, and list by list it would
//! be found one by one.
//!
//! Unused is a name that stands only where it is defined (as function, type, class …, by the grammar's queries; each
//! overload is a definition), and in declarations that name nothing else, such as `using std::name;`.

use std::collections::{BTreeSet, HashMap, HashSet};

use dwindle_core::Stop;
use dwindle_delta::ListMinimizer;
use dwindle_syntax::{Edit, Kind, NodeId, Role, Tree};

use super::names::by_text;
use super::{Rewrite, rewrite};
use crate::asker::Asker;
use crate::source::Source;

/// So few are left to the pass that takes definitions one by one.
const FEW: usize = 8;

pub(super) fn run(source: &Source, asker: &mut Asker<'_, '_>, list: &dyn ListMinimizer) -> Result<(), Stop> {
    let tree = source.tree();
    let site = |parts: BTreeSet<NodeId>| Rewrite {
        gain: parts.iter().map(|part| tree.token_range(*part).len() as u64).sum(),
        edits: parts.into_iter().map(Edit::Delete).collect(),
    };
    let sites: Vec<Rewrite> = unused(source).into_iter().map(site).collect();
    if sites.len() < FEW { Ok(()) } else { rewrite(source, asker, list, &sites) }
}

/// The parts to delete for each name that is not used.
fn unused(source: &Source) -> Vec<BTreeSet<NodeId>> {
    let tree = source.tree();
    let defined: HashSet<u32> = {
        let lexicon = source.lexicon();
        let of_its_own = |sort: &str| !matches!(sort, "" | "var" | "parameter" | "field" | "constant");
        let names = source.names().into_iter().filter(|name| name.definition && of_its_own(&name.sort));
        names.filter_map(|name| tree.token_at(name.bytes.start, &lexicon)).collect()
    };
    let identifiers = by_text(source);
    let parts = parts(tree);
    let part = |node: &NodeId| parts[node.index()];
    let token = |node: &NodeId| tree.inner_range(*node).start;
    // The parts that define each name, and the lists that such parts stand in.
    let mut definers: Vec<BTreeSet<NodeId>> = Vec::new();
    let mut lists = HashSet::new();
    for nodes in identifiers.values() {
        let parts = nodes.iter().filter(|node| defined.contains(&token(node))).filter_map(&part);
        definers.push(parts.inspect(|part| lists.extend(list_of(tree, *part))).collect());
    }
    // Qualifiers, as `std` in `using std::name;`, do not count.
    let is_qualifier = |node: &NodeId| {
        let lexicon = source.lexicon();
        let next = tree.tokens().get(tree.inner_range(*node).end as usize);
        next.is_some_and(|next| matches!(lexicon.text(*next), b"::" | b"."))
    };
    let mut names_in: HashMap<NodeId, HashSet<usize>> = HashMap::new();
    for (name, nodes) in identifiers.values().enumerate() {
        for part in nodes.iter().filter(|node| !is_qualifier(node)).filter_map(&part) {
            names_in.entry(part).or_default().insert(name);
        }
    }
    let mut unused = Vec::new();
    for (nodes, mut parts) in identifiers.values().zip(definers).filter(|(_, parts)| !parts.is_empty()) {
        let within = |part: &NodeId, node: &NodeId| {
            let (outer, inner) = (tree.token_range(*part), tree.token_range(*node));
            outer.start <= inner.start && inner.end <= outer.end
        };
        let mentions = nodes.iter().filter(|node| !parts.iter().any(|part| within(part, node)));
        let alone = |part: &NodeId| {
            names_in.get(part).is_some_and(|names| names.len() == 1)
                && list_of(tree, *part).is_some_and(|list| lists.contains(&list))
        };
        let mentions = mentions.map(|node| part(node).filter(alone)).collect::<Option<Vec<_>>>();
        if let Some(mentions) = mentions {
            parts.extend(mentions);
            unused.push(parts);
        }
    }
    unused
}

/// For each node the innermost part around it that is an element of a list that may be empty.
fn parts(tree: &Tree) -> Vec<Option<NodeId>> {
    let mut parts: Vec<Option<NodeId>> = Vec::new();
    // Parents come before children.
    for node in tree.nodes() {
        let list = tree.parent(node).filter(|_| tree.role(node) == Role::Element);
        let is_part =
            list.is_some_and(|list| matches!(tree.kind(list), Kind::List(_)) && tree.min(list) == 0);
        let around = tree.parent(node).and_then(|parent| parts[parent.index()]);
        parts.push(if is_part { Some(node) } else { around });
    }
    parts
}

/// Which list of the grammar a part is in.
fn list_of(tree: &Tree, part: NodeId) -> Option<u32> {
    match tree.kind(tree.parent(part)?) {
        Kind::List(list) => Some(list),
        _ => None,
    }
}
