//! The identifiers of a source.

use dwindle_syntax::{NodeId, TokenKind};

use crate::source::Source;

/// The nodes that are identifiers, in order of the text, each with its text. An identifier can be wrapped in nodes of the
/// same extent: the outermost stands for all of them.
pub(crate) fn identifiers(source: &Source) -> Vec<(NodeId, Vec<u8>)> {
    let (tree, lexicon) = (source.tree(), source.lexicon());
    let is_name = |node: &NodeId| {
        let symbol = tree.symbol(*node).filter(|_| tree.inner_range(*node).len() == 1);
        symbol.is_some_and(|symbol| tree.language().token_kind(symbol) == TokenKind::Identifier)
    };
    let mut nodes: Vec<NodeId> = tree.nodes().filter(is_name).collect();
    nodes.dedup_by_key(|node| tree.inner_range(*node).start);
    let text = |node: NodeId| lexicon.text(tree.tokens()[tree.inner_range(node).start as usize]).to_vec();
    nodes.into_iter().map(|node| (node, text(node))).collect()
}
