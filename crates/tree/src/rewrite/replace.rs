//! Puts the smallest texts in the place of larger parts: a literal, or a single token that stands in such a place elsewhere
//! in the program.
//!
//! What is deleted or gives way to a part of its own is the business of other passes; here a call of ten tokens becomes `0`
//! or `x`, which were nowhere in it.

use dwindle_core::Stop;
use dwindle_delta::ListMinimizer;
use dwindle_syntax::{Edit, NodeId, TokenId};

use super::definitions::literal;
use super::repeats::SmallTexts;
use super::{Rewrite, larger_parts, rewrite};
use crate::asker::Asker;
use crate::source::Source;

/// How many texts of the program are tried in each place.
const TEXTS: usize = 2;

pub(super) fn run(source: &Source, asker: &mut Asker<'_, '_>, list: &dyn ListMinimizer) -> Result<(), Stop> {
    let before = asker.session().best().fingerprint();
    let tree = source.tree();
    let places: Vec<NodeId> = larger_parts(tree).collect();
    let small = SmallTexts::new(source);
    let text = |node: NodeId, way: usize| -> Option<TokenId> {
        match way {
            0 => literal(source, node),
            way => small.in_place(source, node, way - 1),
        }
    };
    for way in 0..=TEXTS {
        let site = |node: &NodeId| {
            let by = vec![text(*node, way)?];
            let gain = tree.inner_range(*node).len() as u64 - 1;
            Some(Rewrite { edits: vec![Edit::Replace { node: *node, by }], gain })
        };
        let sites: Vec<Rewrite> = places.iter().filter_map(site).collect();
        rewrite(source, asker, list, &sites)?;
        // The tree is that of the text before: the other ways wait for the next round.
        if asker.session().best().fingerprint() != before {
            return Ok(());
        }
    }
    Ok(())
}
