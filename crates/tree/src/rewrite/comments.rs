//! Deletes comments: all of them if they can go together. Where some must stay, most of the others go with the code they
//! speak of, so looking for them one by one waits until the rest is done.

use dwindle_core::Stop;
use dwindle_delta::ListMinimizer;
use dwindle_syntax::{Edit, Marks, NodeId, Role};

use super::{Rewrite, rewrite};
use crate::asker::Asker;
use crate::source::Source;

pub(super) fn run(source: &Source, asker: &mut Asker<'_, '_>, list: &dyn ListMinimizer) -> Result<(), Stop> {
    let sites: Vec<Rewrite> = {
        let (tree, lexicon) = (source.tree(), source.lexicon());
        let is_comment = |node: &NodeId| {
            let mut tokens = tree.inner_range(*node);
            let comment = |at: u32| lexicon.marks(tree.tokens()[at as usize]).has(Marks::COMMENT);
            tree.role(*node) == Role::Extra && !tokens.is_empty() && tokens.all(comment)
        };
        let site = |node: NodeId| Rewrite {
            gain: tree.byte_range(node, &lexicon).len() as u64,
            edits: vec![Edit::Delete(node)],
        };
        tree.nodes().filter(is_comment).map(site).collect()
    };
    if asker.session().is_eager() && !sites.is_empty() {
        let edits: Vec<Edit> = sites.into_iter().flat_map(|site| site.edits).collect();
        return asker.test(&source.of_tokens(&source.tree().edited(&edits))).map(drop);
    }
    rewrite(source, asker, list, &sites)
}
