//! Trees for people and programs: indented text, JSON and Graphviz.

use crate::lexicon::Lexicon;
use crate::tree::{Kind, NodeId, Role, Tree};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Longest piece of text shown beside a node.
const EXCERPT: usize = 40;
/// Depth beyond which lines are not indented further: a tree 100,000 deep would print gigabytes of blanks.
const DEEPEST: usize = 80;

fn label(tree: &Tree, node: NodeId) -> String {
    let name = tree.name(node).unwrap_or("text");
    match tree.kind(node) {
        Kind::Rule | Kind::Token => name.to_owned(),
        Kind::List(_) => format!("list of at least {}", tree.min(node)),
        Kind::Group => "group".to_owned(),
        Kind::Opaque => format!("{name} (not explained)"),
    }
}

fn role(tree: &Tree, node: NodeId) -> &'static str {
    match tree.role(node) {
        Role::Fixed => "fixed",
        Role::Element => "element",
        Role::Separator => "separator",
        Role::Optional => "optional",
        Role::Extra => "extra",
        Role::Free => "free",
    }
}

fn text(tree: &Tree, lexicon: &Lexicon, node: NodeId) -> String {
    let tokens = tree.inner_range(node);
    let bytes: Vec<u8> = tokens.flat_map(|at| lexicon.text(tree.tokens()[at as usize]).to_vec()).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// One line per node, indented by depth: role, kind, and the text of tokens.
pub fn readable(tree: &Tree, lexicon: &Lexicon) -> String {
    let mut out = String::new();
    walk(tree, |node, depth| {
        let mark = match tree.role(node) {
            Role::Fixed => ' ',
            Role::Element => '*',
            Role::Separator => ',',
            Role::Optional => '?',
            Role::Extra => '#',
            Role::Free => '~',
        };
        let _ = write!(out, "{:indent$}{mark} {}", "", label(tree, node), indent = depth.min(DEEPEST) * 2);
        if tree.kind(node) == Kind::Token {
            let text = text(tree, lexicon, node);
            if tree.name(node) != Some(&text) {
                let short: String = text.chars().take(EXCERPT).collect();
                let dots = if short.len() < text.len() { "…" } else { "" };
                let _ = write!(out, " {short:?}{dots}");
            }
        }
        out.push('\n');
    });
    out
}

/// The tree as JSON: a flat list of nodes in preorder, each with its parent, so that depth does not matter.
pub fn json(tree: &Tree, lexicon: &Lexicon) -> Value {
    let nodes = tree.nodes().map(|node| {
        let bytes = tree.byte_range(node, lexicon);
        let kind = match tree.kind(node) {
            Kind::Rule => "rule",
            Kind::Token => "token",
            Kind::List(_) => "list",
            Kind::Group => "group",
            Kind::Opaque => "opaque",
        };
        let mut object = json!({
            "kind": kind, "role": role(tree, node), "name": tree.name(node), "start": bytes.start, "end": bytes.end,
            "parent": tree.parent(node).map(|parent| parent.0),
        });
        if matches!(tree.kind(node), Kind::List(_)) {
            object["min"] = json!(tree.min(node));
        }
        object
    });
    let (explained, inner) = tree.explained();
    json!({
        "language": tree.language().name(), "tokens": tree.token_count(lexicon), "errors": tree.errors(),
        "inner_nodes": inner, "explained_nodes": explained, "nodes": nodes.collect::<Vec<_>>(),
    })
}

/// The tree for Graphviz.
pub fn dot(tree: &Tree, lexicon: &Lexicon) -> String {
    let mut out = String::from("digraph tree {\n  node [shape=box, fontname=monospace];\n");
    for node in tree.nodes() {
        let label =
            if tree.kind(node) == Kind::Token { text(tree, lexicon, node) } else { label(tree, node) };
        let short: String = label.chars().take(EXCERPT).collect();
        let style = match tree.role(node) {
            Role::Fixed => "solid",
            Role::Element | Role::Separator => "bold",
            Role::Optional => "dashed",
            Role::Extra | Role::Free => "dotted",
        };
        let _ = writeln!(out, "  n{} [label={:?}, style={style}];", node.0, short);
        if let Some(parent) = tree.parent(node) {
            let _ = writeln!(out, "  n{} -> n{};", parent.0, node.0);
        }
    }
    out.push_str("}\n");
    out
}

/// Visits every node with its depth, parents first.
fn walk(tree: &Tree, mut visit: impl FnMut(NodeId, usize)) {
    let mut depths: Vec<u32> = Vec::new();
    for node in tree.nodes() {
        while depths.last().is_some_and(|end| *end <= node.0) {
            depths.pop();
        }
        visit(node, depths.len());
        depths.push(tree.nodes[node.0 as usize].end);
    }
}
