//! Lets one identifier stand for another and deletes the other's definition, in one step.

use dwindle_core::Stop;
use dwindle_delta::ListMinimizer;
use dwindle_syntax::{Edit, NodeId};

use super::definitions::{Definition, definitions};
use super::{Rewrite, rewrite};
use crate::asker::Asker;
use crate::source::Source;

/// How many of the most frequent names are tried as the one that takes over.
const TARGETS: usize = 4;

pub(super) fn run(source: &Source, asker: &mut Asker<'_, '_>, list: &dyn ListMinimizer) -> Result<(), Stop> {
    let before = asker.session().best().fingerprint();
    let definitions = definitions(source);
    let mut targets: Vec<(&Vec<u8>, &Definition)> = definitions.iter().collect();
    targets.sort_by_key(|(_, definition)| std::cmp::Reverse(definition.uses.len()));
    for (target, _) in targets.into_iter().take(TARGETS) {
        let others = definitions.iter().filter(|(name, _)| *name != target);
        let sites: Vec<Rewrite> =
            others.filter_map(|(_, definition)| merged(source, definition, target)).collect();
        rewrite(source, asker, list, &sites)?;
        // The tree is that of the text before: another target waits for the next round.
        if asker.session().best().fingerprint() != before {
            return Ok(());
        }
    }
    Ok(())
}

/// The definition goes, and another name stands where it was used.
fn merged(source: &Source, definition: &Definition, target: &[u8]) -> Option<Rewrite> {
    let tree = source.tree();
    let mut lexicon = source.lexicon_mut();
    let mut renamed = |node: &NodeId| {
        let token = tree.tokens()[tree.inner_range(*node).start as usize];
        let (trivia, marks) = (lexicon.trivia(token).to_vec(), lexicon.marks(token));
        Edit::Replace { node: *node, by: vec![lexicon.intern(&trivia, target, marks)] }
    };
    let edits: Vec<Edit> = definition.uses.iter().map(&mut renamed).collect();
    let gain = definition.parts.iter().map(|part| tree.token_range(*part).len() as u64).sum();
    let deleted = definition.parts.iter().copied().map(Edit::Delete);
    (!edits.is_empty()).then(|| Rewrite { edits: deleted.chain(edits).collect(), gain })
}
