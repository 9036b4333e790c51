//! The quantified tree: nodes in preorder, each with its role in its parent, over the tokens of the text.

use crate::language::Language;
use crate::lexicon::{Lexicon, TokenId};
use dwindle_grammar::{SlotId, SymbolId};
use std::ops::Range;

/// A node by its position in preorder. The root is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Its position in preorder.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A node of the parser, with children.
    Rule,
    /// One token.
    Token,
    /// Elements in a row; the number indexes the grammar's lists.
    List(u32),
    /// Several neighbours that go together: one element, or one optional part.
    Group,
    /// A node the grammar does not explain: it holds errors, or its rule is unknown. Its children are free.
    Opaque,
}

/// What a node is to its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The parent needs it.
    Fixed,
    /// One of many: can go, as long as the list keeps its minimum.
    Element,
    /// Stands between two elements: goes with one of them.
    Separator,
    /// Can go.
    Optional,
    /// A comment or the like: can go.
    Extra,
    /// Nobody knows: try.
    Free,
}

#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) role: Role,
    pub(crate) symbol: Option<SymbolId>,
    pub(crate) slot: Option<SlotId>,
    pub(crate) parent: u32,
    /// The index behind its last descendant.
    pub(crate) end: u32,
    pub(crate) tokens: Range<u32>,
    /// How many of its first tokens are layout: the line break before it, or the start of its block.
    pub(crate) lead: u8,
    pub(crate) block: Block,
    /// It is a token between quotes that could not stand without them.
    pub(crate) enclosed: bool,
    pub(crate) body: Body,
}

/// Whether the first and last token of a node are the borders of a block of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Block {
    /// They are not.
    No,
    /// They are, and the node starts a line.
    Line,
    /// They are, and the node starts behind something else.
    Inline,
}

/// Which rule made a node, where nodes of its kind are made by several: a declaration, and the last one of a block,
/// which has no semicolon and shows under the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    /// There is no other.
    Only,
    /// The one of its name.
    Own,
    /// Another one.
    Other,
}

/// A parsed text.
#[derive(Debug)]
pub struct Tree {
    pub(crate) language: Language,
    pub(crate) nodes: Vec<Node>,
    pub(crate) tokens: Vec<TokenId>,
    /// For each token whether it is the end of a line and nothing else.
    pub(crate) breaks: Vec<bool>,
    /// For each token the byte its text starts at, and at the end the length of the text.
    pub(crate) starts: Vec<u32>,
    /// White space before the first token, and behind the last one.
    pub(crate) head: Vec<u8>,
    pub(crate) tail: Vec<u8>,
    pub(crate) errors: usize,
    pub(crate) inner: usize,
    pub(crate) unmatched: usize,
}

impl Tree {
    /// The node that holds all others.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// The language it was parsed as.
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: there is always a root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes, parents before children.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// What the node is.
    pub fn kind(&self, node: NodeId) -> Kind {
        self.nodes[node.index()].kind
    }

    /// What the node is to its parent.
    pub fn role(&self, node: NodeId) -> Role {
        self.nodes[node.index()].role
    }

    /// The parser's kind of node.
    pub fn symbol(&self, node: NodeId) -> Option<SymbolId> {
        self.nodes[node.index()].symbol
    }

    /// What may stand in its place.
    pub fn slot(&self, node: NodeId) -> Option<SlotId> {
        self.nodes[node.index()].slot
    }

    /// The parser's name for the node; lists, groups and unnamed text have none.
    pub fn name(&self, node: NodeId) -> Option<&str> {
        self.symbol(node).map(|symbol| self.language.grammar().rules().symbols[symbol.index()].name.as_str())
    }

    /// The node above.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        (node.0 != 0).then(|| NodeId(self.nodes[node.index()].parent))
    }

    /// The nodes directly below, in order.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.nodes[node.index()].end;
        let mut at = node.0 + 1;
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let child = NodeId(at);
                at = self.nodes[child.index()].end;
                child
            })
        })
    }

    /// All nodes below, parents before children.
    pub fn descendants(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        (node.0 + 1..self.nodes[node.index()].end).map(NodeId)
    }

    /// The fewest elements a list may keep; zero for anything else.
    pub fn min(&self, node: NodeId) -> usize {
        let Kind::List(list) = self.kind(node) else {
            return 0;
        };
        self.language.grammar().list(list).min as usize
    }

    /// The node's tokens, by position in [`Tree::tokens`]; the line break before it is the first of them.
    pub fn token_range(&self, node: NodeId) -> Range<u32> {
        self.nodes[node.index()].tokens.clone()
    }

    /// The node's tokens without the line break before it, or without the borders of its block.
    pub fn inner_range(&self, node: NodeId) -> Range<u32> {
        let Node { tokens, lead, block, .. } = &self.nodes[node.index()];
        let end = tokens.end - u32::from(*block != Block::No);
        (tokens.start + u32::from(*lead)).min(end)..end
    }

    /// Whether the node starts a line, where line breaks count.
    fn starts_line(&self, node: NodeId) -> bool {
        let Node { lead, block, .. } = &self.nodes[node.index()];
        *lead == 1 && *block == Block::No
    }

    /// The tokens that go when the node goes. The line break before it is one of them, unless what follows stands on
    /// the same line: then it has to serve that.
    pub fn dropped_range(&self, node: NodeId) -> Range<u32> {
        let tokens = self.token_range(node);
        let line_ends = self.breaks.get(tokens.end as usize).is_none_or(|is_break| *is_break);
        if self.starts_line(node) && !line_ends { self.inner_range(node) } else { tokens }
    }

    /// What has to stay of `by`, a descendant, when it takes the node's place.
    pub(crate) fn hoisted_range(&self, node: NodeId, by: NodeId) -> Range<u32> {
        // The statements of a block start lines: the first one cannot go without its line break.
        if self.nodes[node.index()].block == Block::Line {
            self.token_range(by)
        } else {
            self.inner_range(by)
        }
    }

    /// Whether the line structure allows a descendant in the node's place.
    pub(crate) fn layout_allows(&self, node: NodeId, by: NodeId) -> bool {
        self.nodes[node.index()].block != Block::Line
            || self.starts_line(by)
            || matches!(self.kind(by), Kind::List(_))
    }

    /// The tokens of the text.
    pub fn tokens(&self) -> &[TokenId] {
        &self.tokens
    }

    /// How many tokens of the language it has: line breaks and block borders do not count.
    pub fn token_count(&self, lexicon: &Lexicon) -> usize {
        self.tokens.iter().filter(|token| !lexicon.marks(**token).is_layout()).count()
    }

    /// The node's bytes in the text it was parsed from, without white space around it.
    pub fn byte_range(&self, node: NodeId, lexicon: &Lexicon) -> Range<usize> {
        let tokens = self.inner_range(node);
        let real = tokens.clone().filter(|at| !lexicon.marks(self.tokens[*at as usize]).is_layout());
        let (Some(first), Some(last)) = (real.clone().next(), real.clone().next_back()) else {
            let at = self.starts[tokens.start as usize] as usize;
            return at..at;
        };
        let end = self.starts[last as usize] as usize + lexicon.text(self.tokens[last as usize]).len();
        self.starts[first as usize] as usize..end
    }

    /// The token whose text starts at this byte, by position in [`Tree::tokens`].
    pub fn token_at(&self, byte: usize, lexicon: &Lexicon) -> Option<u32> {
        let from = self.starts.partition_point(|start| (*start as usize) < byte);
        let same = self.starts[from..].iter().take_while(|start| **start as usize == byte).count();
        let mut candidates = (from..(from + same).min(self.tokens.len())).rev();
        candidates.find(|at| !lexicon.marks(self.tokens[*at]).is_layout()).map(|at| at as u32)
    }

    /// How many syntax errors the parser found.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Of how many inner nodes, outside errors, the grammar explains the children; and how many there are.
    pub fn explained(&self) -> (usize, usize) {
        (self.inner - self.unmatched, self.inner)
    }

    /// White space before the first token, and behind the last one.
    pub fn margins(&self) -> (&[u8], &[u8]) {
        (&self.head, &self.tail)
    }

    /// The text of some of the tokens, in order; of all of them exactly the text that was parsed.
    pub fn render(&self, lexicon: &Lexicon, tokens: impl IntoIterator<Item = TokenId>) -> Vec<u8> {
        let mut text = self.head.clone();
        text.extend(lexicon.render(tokens));
        text.extend_from_slice(&self.tail);
        text
    }

    /// The text of the tokens in the given runs.
    pub fn render_runs(&self, lexicon: &Lexicon, runs: &[Range<u32>]) -> Vec<u8> {
        let tokens = runs.iter().flat_map(|run| &self.tokens[run.start as usize..run.end as usize]);
        self.render(lexicon, tokens.copied())
    }
}
