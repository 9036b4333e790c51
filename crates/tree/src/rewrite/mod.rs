//! Passes beyond deletion: each proposes a list of rewrites, every one of which makes the text smaller or plainer, and a list
//! minimiser finds which of them can be made together.
//!
//! An element of the list is a site that is left as it is; dropping it from the list rewrites it. So all rewrites are
//! tried at once, then halves, down to single ones, and the result is that no single rewrite is left to make.

mod blanks;
mod canonical;
mod comments;
mod definitions;
mod inline;
mod literals;
mod merge;
mod names;
mod numbers;
mod repeats;
mod replace;
mod unused;

use std::rc::Rc;

use dwindle_core::{Candidate, Pass, Session, Stop, Subset};
use dwindle_delta::ListMinimizer;
use dwindle_syntax::{Edit, Kind, Lexicon, NodeId, TokenId, Tree};

use crate::asker::Asker;
use crate::options::Options;
use crate::registry::{Family, NamedPass};
use crate::source::Source;
use crate::sources::Sources;

/// The list minimiser of rewrites: near linear, and none that can be made alone is left.
const MINIMIZER: &str = "one-sweep";

pub(crate) const FAMILY: Family = Family {
    presets: &[],
    passes: &[
        NamedPass {
            name: "comments",
            about: "delete comments",
            build: |options, sources| build("comments", options, sources, comments::run),
        },
        NamedPass {
            name: "blanks",
            about: "make white space short: one line break or one space, or nothing where nothing is needed",
            build: |options, sources| build("blanks", options, sources, blanks::run),
        },
        NamedPass {
            name: "names",
            about: "give identifiers short names: a, b, c ...",
            build: |options, sources| build("names", options, sources, names::run),
        },
        NamedPass {
            name: "literals",
            about: "make numbers 0 or 1, and numbers and strings short",
            build: |options, sources| build("literals", options, sources, literals::run),
        },
        NamedPass {
            name: "canonical",
            about: "of equals the more natural one: names in order, small numbers, plain operators and characters",
            build: |options, sources| build("canonical", options, sources, canonical::run),
        },
        NamedPass {
            name: "unused",
            about: "delete what is defined and not used, all of it at once if it can go",
            build: |options, sources| build("unused", options, sources, unused::run),
        },
        NamedPass {
            name: "definitions",
            about: "delete a definition together with everything that uses it, or with its uses made up for",
            build: |options, sources| build("definitions", options, sources, definitions::run),
        },
        NamedPass {
            name: "merge",
            about: "let one identifier stand for another and delete the other's definition, in one step",
            build: |options, sources| build("merge", options, sources, merge::run),
        },
        NamedPass {
            name: "inline",
            about: "put what a definition says in the place of its name and delete the definition, in one step",
            build: |options, sources| build("inline", options, sources, inline::run),
        },
        NamedPass {
            name: "repeats",
            about: "change what stands in several places in all of them at once",
            build: |options, sources| build("repeats", options, sources, repeats::run),
        },
        NamedPass {
            name: "replace",
            about: "put a literal or another small text of the program in the place of larger parts",
            build: |options, sources| build("replace", options, sources, replace::run),
        },
    ],
    parameters: &[],
};

type Body = fn(&Source, &mut Asker<'_, '_>, &dyn ListMinimizer) -> Result<(), Stop>;

fn build(name: &'static str, options: &Options, sources: &Rc<Sources>, body: Body) -> Box<dyn Pass> {
    Box::new(RewritePass { name, minimizer: options.minimizer(MINIMIZER), sources: Rc::clone(sources), body })
}

/// A pass that rewrites each file in one way.
struct RewritePass {
    name: &'static str,
    minimizer: Box<dyn ListMinimizer>,
    sources: Rc<Sources>,
    body: Body,
}

impl Pass for RewritePass {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        self.sources.each(session, |source, asker| (self.body)(source, asker, &*self.minimizer))
    }
}

/// The nodes of more than one token whose place others may take: of those with the same tokens the outermost.
pub(crate) fn larger_parts(tree: &Tree) -> impl Iterator<Item = NodeId> {
    let is_part = |node: NodeId| tree.kind(node) == Kind::Rule && tree.slot(node).is_some();
    let is_outermost = move |node: &NodeId| {
        let range = tree.inner_range(*node);
        let same = |above: &NodeId| tree.inner_range(*above) == range;
        let mut wrappers =
            std::iter::successors(tree.parent(*node), |above| tree.parent(*above)).take_while(same);
        range.len() > 1 && is_part(*node) && !wrappers.any(is_part)
    };
    tree.nodes().filter(is_outermost)
}

/// A rewrite of single tokens: what becomes of each of them.
struct Relabel {
    tokens: Vec<(u32, TokenId)>,
    /// Bytes that it saves.
    gain: u64,
}

/// The same token with another text.
fn reworded(lexicon: &mut Lexicon, token: TokenId, text: &[u8]) -> TokenId {
    let (trivia, marks) = (lexicon.trivia(token).to_vec(), lexicon.marks(token));
    lexicon.intern(&trivia, text, marks)
}

/// Makes as many of these rewrites as can be made together, and gives the tokens that come of it.
fn relabel(
    source: &Source,
    asker: &mut Asker<'_, '_>,
    minimizer: &dyn ListMinimizer,
    tokens: &[TokenId],
    sites: &[Relabel],
) -> Result<Vec<TokenId>, Stop> {
    let rewritten = |kept: &Subset| {
        let mut tokens = tokens.to_vec();
        for (_, site) in sites.iter().enumerate().filter(|(at, _)| !kept.contains(*at)) {
            site.tokens.iter().for_each(|(at, new)| tokens[*at as usize] = *new);
        }
        tokens
    };
    let gains: Vec<u64> = sites.iter().map(|site| site.gain).collect();
    let kept = minimise(asker, minimizer, &gains, |kept| source.of_tokens(&rewritten(kept)))?;
    Ok(rewritten(&kept))
}

/// A rewrite of parts of the tree, which belong together.
struct Rewrite {
    edits: Vec<Edit>,
    /// Tokens that it saves, about.
    gain: u64,
}

/// Makes as many of these rewrites as can be made together.
fn rewrite(
    source: &Source,
    asker: &mut Asker<'_, '_>,
    minimizer: &dyn ListMinimizer,
    sites: &[Rewrite],
) -> Result<(), Stop> {
    let candidate = |kept: &Subset| {
        let made = sites.iter().enumerate().filter(|(at, _)| !kept.contains(*at));
        let edits: Vec<Edit> = made.flat_map(|(_, site)| site.edits.iter().cloned()).collect();
        source.of_tokens(&source.tree().edited(&edits))
    };
    let gains: Vec<u64> = sites.iter().map(|site| site.gain).collect();
    minimise(asker, minimizer, &gains, candidate)?;
    Ok(())
}

/// Which sites stay as they are.
fn minimise(
    asker: &mut Asker<'_, '_>,
    minimizer: &dyn ListMinimizer,
    gains: &[u64],
    candidate: impl Fn(&Subset) -> Candidate,
) -> Result<Subset, Stop> {
    if gains.is_empty() {
        return Ok(Subset::empty());
    }
    // Minimisers of the ddmin family never ask for the empty list.
    if asker.test(&candidate(&Subset::empty()))?.is_interesting() {
        return Ok(Subset::empty());
    }
    minimizer.minimize(gains, &mut asker.list(candidate))
}
