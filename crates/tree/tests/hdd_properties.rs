//! What holds for HDD and hoisting on any tree and any test.

mod common;
mod hdd_programs;

use std::collections::HashMap;
use std::ops::Range;

use dwindle_core::{Files, Stop, Verdict};
use dwindle_delta::{Ddmin, ListMinimizer};
use dwindle_syntax::TokenId;
use dwindle_tree::Sources;
use dwindle_tree::hdd::{
    Builder, Cut, HddOptions, Label, Lists, NodeId, Phase, Preparation, ReductionTree, State, Tools,
    Traversal, TreeOracle,
};
use hdd_programs::PROGRAMS;
use proptest::prelude::*;

/// A tree of any shape: each node has a label or none, and a minimal text of zero to two tokens.
#[derive(Clone, Debug)]
struct Shape {
    label: Option<u32>,
    minimal: usize,
    children: Vec<Shape>,
}

fn shapes() -> impl Strategy<Value = Shape> {
    let leaf = (prop::option::of(0u32..3), 0usize..2).prop_map(|(label, minimal)| Shape {
        label,
        minimal,
        children: Vec::new(),
    });
    leaf.prop_recursive(5, 40, 4, |inner| {
        (prop::option::of(0u32..3), 0usize..3, prop::collection::vec(inner, 1..5))
            .prop_map(|(label, minimal, children)| Shape { label, minimal, children })
    })
}

/// The token that minimal texts consist of; those of the text are numbered from 1 on.
const FILLER: TokenId = TokenId(0);

fn build(shape: &Shape, builder: &mut Builder) {
    let (label, minimal) = (shape.label.map(Label), vec![FILLER; shape.minimal]);
    if shape.children.is_empty() {
        builder.token(label, &minimal);
        return;
    }
    builder.open(label, &minimal);
    shape.children.iter().for_each(|child| build(child, builder));
    builder.close();
}

fn tree(shape: &Shape, preparation: Preparation) -> ReductionTree {
    let mut builder = Builder::new();
    build(shape, &mut builder);
    let mut tree = builder.build();
    tree.prepare(preparation, |_, _| false);
    tree
}

/// The text that cuts leave, token by token.
fn print(len: u32, cuts: &[Cut<'_>]) -> Vec<u32> {
    let mut text = Vec::new();
    let mut at = 0;
    for cut in cuts {
        assert!(at <= cut.range.start && cut.range.start < cut.range.end, "cuts are in order: {cuts:?}");
        text.extend((at..cut.range.start).map(|token| token + 1));
        text.extend(cut.by.iter().map(|token| token.0));
        at = cut.range.end;
    }
    text.extend((at..len).map(|token| token + 1));
    text
}

/// The same text, read off the tree.
fn walk(tree: &ReductionTree, node: NodeId, text: &mut Vec<u32>) {
    match tree.state(node) {
        State::Removed => {
            text.extend(tree.minimal(node).expect("it was pruned").iter().map(|token| token.0));
        }
        _ if tree.children(node).is_empty() => text.extend(tree.tokens(node).map(|token| token + 1)),
        _ => tree.children(node).iter().for_each(|child| walk(tree, *child, text)),
    }
}

fn walked(tree: &ReductionTree) -> Vec<u32> {
    let mut text = Vec::new();
    walk(tree, tree.root(), &mut text);
    text
}

/// Answers by which tokens are left: all that are needed, and with one of a pair the other.
struct Needs {
    len: u32,
    needed: Vec<u32>,
    pair: (u32, u32),
    asked: HashMap<Vec<u32>, bool>,
}

impl Needs {
    fn interesting(&self, text: &[u32]) -> bool {
        let has = |token: &u32| text.contains(token);
        self.needed.iter().all(has) && has(&self.pair.0) == has(&self.pair.1)
    }

    fn ask(&mut self, cuts: &[Cut<'_>]) -> bool {
        let text = print(self.len, cuts);
        let interesting = self.interesting(&text);
        self.asked.insert(text, interesting);
        interesting
    }
}

impl TreeOracle for Needs {
    fn first<'t>(
        &mut self,
        mut variants: &mut dyn Iterator<Item = Vec<Cut<'t>>>,
    ) -> Result<Option<usize>, Stop> {
        Ok(Iterator::position(&mut variants, |cuts| self.ask(&cuts)))
    }

    fn all(&mut self, variants: Vec<Vec<Cut<'_>>>) -> Result<Vec<Verdict>, Stop> {
        let verdict = |interesting| if interesting { Verdict::Interesting } else { Verdict::BORING };
        Ok(variants.iter().map(|cuts| verdict(self.ask(cuts))).collect())
    }

    fn accept(&mut self, _: Vec<Cut<'_>>) -> Result<(), Stop> {
        Ok(())
    }
}

fn same_label(tree: &ReductionTree, node: NodeId, by: NodeId) -> bool {
    tree.label(node).is_some() && tree.label(node) == tree.label(by)
}

/// The nodes that still stand, parents before children; the root is asked about in some forms only.
fn standing(tree: &ReductionTree, with_root: bool) -> Vec<NodeId> {
    let mut nodes = vec![tree.root()];
    nodes.retain(|node| tree.state(*node) == State::Keep);
    let mut at = 0;
    while at < nodes.len() {
        let children = tree.children(nodes[at]).iter().copied();
        nodes.extend(children.filter(|child| tree.state(*child) == State::Keep));
        at += 1;
    }
    nodes.retain(|node| with_root || *node != tree.root());
    nodes
}

/// The texts of the tree with one node more replaced by one of the topmost descendants of its label.
fn hoisted(tree: &ReductionTree, with_root: bool) -> Vec<Vec<u32>> {
    fn topmost(tree: &ReductionTree, node: NodeId, below: NodeId, found: &mut Vec<NodeId>) {
        for child in tree.children(below) {
            match tree.state(*child) {
                State::Removed => {}
                _ if same_label(tree, node, *child) => found.push(*child),
                State::Keep => topmost(tree, node, *child, found),
                State::Hidden => {}
            }
        }
    }
    fn with(tree: &ReductionTree, node: NodeId, from: NodeId, to: NodeId, text: &mut Vec<u32>) {
        let node = if node == from { to } else { node };
        if tree.state(node) == State::Removed || tree.children(node).is_empty() {
            walk(tree, node, text);
        } else {
            tree.children(node).iter().for_each(|child| with(tree, *child, from, to, text));
        }
    }
    let mut texts = Vec::new();
    for node in standing(tree, with_root) {
        let mut found = Vec::new();
        topmost(tree, node, node, &mut found);
        for by in found {
            let mut text = Vec::new();
            with(tree, tree.root(), node, by, &mut text);
            texts.push(text);
        }
    }
    texts
}

/// The texts of the tree with one standing node more pruned.
fn pruned(tree: &ReductionTree, with_root: bool) -> Vec<Vec<u32>> {
    fn without(tree: &ReductionTree, node: NodeId, gone: NodeId, text: &mut Vec<u32>) {
        if node == gone {
            text.extend(tree.minimal(node).expect("made with one").iter().map(|token| token.0));
        } else if tree.state(node) == State::Removed || tree.children(node).is_empty() {
            walk(tree, node, text);
        } else {
            tree.children(node).iter().for_each(|child| without(tree, *child, gone, text));
        }
    }
    let mut texts = Vec::new();
    for node in standing(tree, with_root) {
        let mut text = Vec::new();
        without(tree, tree.root(), node, &mut text);
        texts.push(text);
    }
    texts
}

fn phase() -> impl Strategy<Value = Phase> {
    (any::<bool>(), 0..3).prop_map(|(recursive, what)| Phase {
        recursive,
        prune: what != 1,
        hoist: what != 0,
        coarse: false,
        star: true,
    })
}

fn traversal() -> impl Strategy<Value = Traversal> {
    prop_oneof![
        Just(Traversal::DepthLast),
        Just(Traversal::DepthFirst),
        Just(Traversal::BreadthFirst),
        Just(Traversal::BreadthLast)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_fixpoint_ends_is_interesting_and_nothing_more_can_be_pruned_or_hoisted(
        shape in shapes(),
        phase in phase(),
        traversal in traversal(),
        several in any::<bool>(),
        (flatten, squeeze) in (any::<bool>(), any::<bool>()),
        needed in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        pair in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        let mut tree = tree(&shape, Preparation { flatten, squeeze, hide: true });
        let len = tree.tokens(tree.root()).end;
        let token = |index: &prop::sample::Index| index.index(len as usize) as u32 + 1;
        let mut oracle = Needs {
            len,
            needed: needed.iter().map(token).collect(),
            pair: (token(&pair.0), token(&pair.1)),
            asked: HashMap::new(),
        };
        let minimizer: Box<dyn ListMinimizer> = Box::new(Ddmin::default());
        let tools = Tools { minimizer: &*minimizer, compatible: &same_label, several, traversal };
        phase.run(&mut tree, &tools, &mut oracle).expect("nothing stops it");
        let left = print(len, &tree.cuts());
        prop_assert_eq!(&left, &walked(&tree), "the cuts print what the tree says");
        prop_assert!(oracle.interesting(&left));
        let pruned = if phase.prune { pruned(&tree, !phase.recursive) } else { Vec::new() };
        let hoisted = if phase.hoist { hoisted(&tree, !phase.recursive) } else { Vec::new() };
        for text in pruned.iter().chain(&hoisted) {
            prop_assert!(!oracle.interesting(text), "{:?} instead of {:?}", text, left);
        }
    }
}

#[test]
fn preparation_changes_no_token_of_any_language() {
    for program in PROGRAMS {
        let sources = common::sources();
        let files = Files::single(program.name, program.text.as_bytes());
        let source = Sources::read(&sources, &files, 0).expect("its language is known");
        for lists in [Lists::Published, Lists::Separators] {
            for (flatten, squeeze, hide) in
                [(false, false, false), (true, false, false), (false, true, false), (true, true, true)]
            {
                let preparation = Preparation { flatten, squeeze, hide };
                let options = HddOptions { preparation, lists, ..HddOptions::default() };
                let tree = ReductionTree::of(&source, &options);
                assert!(tree.cuts().is_empty());
                assert_eq!(tree.tokens(tree.root()), 0..source.tree().tokens().len() as u32);
                for node in tree.preorder() {
                    assert_in_order(&tree, node, &source.lexicon(), source.tree());
                }
            }
        }
    }
}

/// The children of a node cover its tokens in order, line breaks and block borders aside.
fn assert_in_order(
    tree: &ReductionTree,
    node: NodeId,
    lexicon: &dwindle_syntax::Lexicon,
    syntax: &dwindle_syntax::Tree,
) {
    let layout = |mut run: Range<u32>| run.all(|at| lexicon.marks(syntax.tokens()[at as usize]).is_layout());
    let whole = tree.tokens(node);
    let mut at = whole.start;
    for child in tree.children(node) {
        let run = tree.tokens(*child);
        assert!(at <= run.start && run.start < run.end && run.end <= whole.end, "{run:?} in {whole:?}");
        assert!(layout(at..run.start), "{:?} is nobody's", at..run.start);
        at = run.end;
    }
    assert!(tree.children(node).is_empty() || layout(at..whole.end));
}
