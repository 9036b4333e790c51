//! Reduction trees by hand, and from syntax trees.
//!
//! The publications build theirs from ANTLR's trees, in which every rule of the grammar has a node, and add a
//! *quantifier* node for each match of a part that may be missing or repeated. A quantified tree holds the same facts in
//! another form; what stands for what:
//!
//! ```text
//! quantified tree                     reduction tree
//! an optional part, a comment         a quantifier around it: prints nothing when it is pruned
//! an element of a list                the same
//! a list `x (',' x)*`                 published: the first x, then a quantifier around each `, x`: the first can never go
//!                                     separators: a quantifier around each x; a comma goes along
//! a list `(x (',' x)*)?`              the same in a quantifier of its own
//! a place that takes several kinds    a node labelled with the place, its minimal text the shortest of any kind ...
//! a node of some kind                 ... around a node labelled with the kind, its minimal text the shortest of that kind
//! ```

use std::collections::HashMap;
use std::ops::Range;

use dwindle_grammar::{SlotId, SymbolId, Template};
use dwindle_syntax::{Kind, Lexicon, Marks, NodeId as SyntaxNode, Role, TokenId, Tree};

use super::arena::{Label, Node, NodeId, ReductionTree, SeparatedList, State};
use super::options::Lists;

/// Builds a tree from the root down, in order of the text.
#[derive(Debug, Default)]
pub struct Builder {
    nodes: Vec<Node>,
    texts: Vec<TokenId>,
    lists: Vec<SeparatedList>,
    /// The nodes being built, outermost first.
    open: Vec<NodeId>,
    tokens: u32,
}

impl Builder {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a node that prints `minimal` when it is pruned; all up to its [`Builder::close`] is inside.
    pub fn open(&mut self, label: Option<Label>, minimal: &[TokenId]) -> NodeId {
        let minimal = self.minimal(minimal);
        let node = self.add(self.open.last().copied(), label, Some(minimal), self.tokens..self.tokens);
        self.open.push(node);
        node
    }

    /// Ends the node that was started last.
    pub fn close(&mut self) {
        let node = self.open.pop().expect("one close for each open");
        let node = &mut self.nodes[node.index()];
        node.tokens.end = self.tokens;
        (node.dropped, node.inner) = (node.tokens.clone(), node.tokens.clone());
    }

    /// The next token of the text, which prints `minimal` when it is pruned.
    pub fn token(&mut self, label: Option<Label>, minimal: &[TokenId]) -> NodeId {
        let node = self.open(label, minimal);
        self.tokens += 1;
        self.close();
        node
    }

    /// The tree.
    ///
    /// # Panics
    /// If nothing was built, or not all that was started was ended.
    #[must_use]
    pub fn build(self) -> ReductionTree {
        assert!(self.open.is_empty() && !self.nodes.is_empty(), "one close for each open");
        let Builder { nodes, texts, lists, .. } = self;
        ReductionTree { nodes, root: NodeId(0), texts, lists, cuts: Vec::new() }
    }

    fn minimal(&mut self, tokens: &[TokenId]) -> Range<u32> {
        let from = self.texts.len() as u32;
        self.texts.extend_from_slice(tokens);
        from..self.texts.len() as u32
    }

    fn add(
        &mut self,
        parent: Option<NodeId>,
        label: Option<Label>,
        minimal: Option<Range<u32>>,
        tokens: Range<u32>,
    ) -> NodeId {
        let node = NodeId(self.nodes.len() as u32);
        self.nodes.push(Self::node(parent, label, minimal, tokens));
        if let Some(parent) = parent {
            self.nodes[parent.index()].children.push(node);
        }
        node
    }
}

impl Builder {
    /// A node without children.
    pub(super) fn node(
        parent: Option<NodeId>,
        label: Option<Label>,
        minimal: Option<Range<u32>>,
        tokens: Range<u32>,
    ) -> Node {
        Node {
            label,
            minimal,
            children: Vec::new(),
            parent,
            state: State::Keep,
            dropped: tokens.clone(),
            inner: tokens.clone(),
            tokens,
            origin: None,
            place: None,
            list: None,
        }
    }
}

/// Builds the reduction tree of a syntax tree.
pub(super) fn from_syntax(tree: &Tree, lexicon: &mut Lexicon, lists: Lists) -> ReductionTree {
    let mut made = FromSyntax {
        tree,
        lexicon,
        lists,
        builder: Builder::new(),
        inside: vec![NodeId(0); tree.len()],
        open_lists: HashMap::new(),
        shortest: HashMap::new(),
        templates: HashMap::new(),
    };
    for node in tree.nodes() {
        made.visit(node);
    }
    made.builder.build().spanning()
}

/// A separated list being built.
struct OpenList {
    /// The node around the elements.
    around: NodeId,
    /// The node around the element that is being built, and its separator so far.
    element: Option<NodeId>,
    separator: Range<u32>,
    /// Its number, where separators are known.
    number: Option<u32>,
    elements: usize,
}

/// What minimal texts are made for: a kind of node, or a place; and the white space before it.
type TextKey = (Label, TokenId);

struct FromSyntax<'a> {
    tree: &'a Tree,
    lexicon: &'a mut Lexicon,
    lists: Lists,
    builder: Builder,
    /// For each node of the syntax tree the node its children go into.
    inside: Vec<NodeId>,
    open_lists: HashMap<SyntaxNode, OpenList>,
    /// Minimal texts by what they are for and the token whose white space they take over.
    shortest: HashMap<TextKey, Option<Range<u32>>>,
    /// The same without white space.
    templates: HashMap<Label, Option<Template>>,
}

fn label_of_symbol(symbol: SymbolId) -> Label {
    Label(symbol.0 * 2)
}

fn label_of_slot(slot: SlotId) -> Label {
    Label(slot.0 * 2 + 1)
}

impl FromSyntax<'_> {
    fn visit(&mut self, node: SyntaxNode) {
        let tree = self.tree;
        let parent = tree.parent(node);
        let around = parent.map(|parent| self.around(parent, node));
        let inside = match tree.kind(node) {
            Kind::List(list) => {
                let info = tree.language().grammar().list(list);
                let around = around.expect("the root is no list");
                if info.separated { self.open_list(node, around, info.min) } else { around }
            }
            Kind::Group => match tree.role(node) {
                // An element of a separated list has its quantifier already, if it has one.
                Role::Element if parent.is_some_and(|list| self.open_lists.contains_key(&list)) => {
                    around.expect("a group has a parent")
                }
                Role::Element | Role::Optional => self.quantifier(around, node),
                _ => around.expect("a group has a parent"),
            },
            Kind::Rule | Kind::Token | Kind::Opaque => self.kind(around, node),
        };
        self.inside[node.0 as usize] = inside;
    }

    /// What a child of `parent` goes into.
    fn around(&mut self, parent: SyntaxNode, node: SyntaxNode) -> NodeId {
        let (tree, published) = (self.tree, self.lists == Lists::Published);
        let Some(list) = self.open_lists.get_mut(&parent) else { return self.inside[parent.0 as usize] };
        let range = tree.token_range(node);
        match tree.role(node) {
            Role::Separator => {
                list.separator = range.clone();
                let last = tree.elements(parent).last().is_none_or(|last| last < node);
                if last && !published {
                    if let Some(number) = list.number {
                        self.builder.lists[number as usize].trailing = range;
                    }
                    list.element = None;
                    return list.around;
                }
                let quantifier = self.builder.add(Some(list.around), None, Some(0..0), range);
                list.element = Some(quantifier);
                quantifier
            }
            Role::Element => {
                let (first, number, separator) =
                    (list.elements == 0, list.number, std::mem::take(&mut list.separator));
                list.elements += 1;
                let quantifier = match list.element.take() {
                    Some(quantifier) => quantifier,
                    None if first && published => return list.around,
                    None => self.builder.add(Some(list.around), None, Some(0..0), range),
                };
                if let Some(number) = number {
                    self.builder.nodes[quantifier.index()].list = Some(number);
                    self.builder.lists[number as usize].elements.push((quantifier, separator));
                }
                quantifier
            }
            _ => list.element.unwrap_or(list.around),
        }
    }

    fn open_list(&mut self, node: SyntaxNode, parent: NodeId, min: u32) -> NodeId {
        let wrapped = min == 0 && self.lists == Lists::Published;
        let around = if wrapped { self.quantifier(Some(parent), node) } else { parent };
        let number = (self.lists == Lists::Separators).then(|| {
            self.builder.lists.push(SeparatedList::default());
            self.builder.lists.len() as u32 - 1
        });
        let list = OpenList { around, element: None, separator: 0..0, number, elements: 0 };
        self.open_lists.insert(node, list);
        around
    }

    fn quantifier(&mut self, parent: Option<NodeId>, node: SyntaxNode) -> NodeId {
        let quantifier = self.builder.add(parent, None, Some(0..0), 0..0);
        self.place(quantifier, node);
        quantifier
    }

    fn place(&mut self, made: NodeId, node: SyntaxNode) {
        let tree = self.tree;
        let made = &mut self.builder.nodes[made.index()];
        made.tokens = tree.token_range(node);
        made.dropped = tree.dropped_range(node);
        made.inner = tree.inner_range(node);
    }

    /// A node of some kind, in the place it stands in, in a quantifier if that may be empty.
    fn kind(&mut self, mut parent: Option<NodeId>, node: SyntaxNode) -> NodeId {
        let tree = self.tree;
        let in_list = tree.parent(node).is_some_and(|list| self.open_lists.contains_key(&list));
        if match tree.role(node) {
            Role::Element => !in_list,
            Role::Optional | Role::Extra | Role::Free => true,
            Role::Fixed | Role::Separator => false,
        } {
            parent = Some(self.quantifier(parent, node));
        }
        let symbols = &tree.language().grammar().rules().symbols;
        let symbol = tree.symbol(node).filter(|symbol| symbols[symbol.index()].named);
        let kind = symbol.map(label_of_symbol);
        let place = tree.slot(node).filter(|_| symbol.is_some()).map(label_of_slot);
        let mut outermost = None;
        if let Some(place) = place.filter(|place| kind.is_some_and(|kind| self.differ(*place, kind))) {
            let minimal = self.minimal(place, node);
            let made = self.builder.add(parent, Some(place), minimal, 0..0);
            self.place(made, node);
            outermost = Some(made);
            parent = Some(made);
        }
        let minimal = kind.and_then(|kind| self.minimal(kind, node));
        let made = self.builder.add(parent, kind, minimal, 0..0);
        self.place(made, node);
        let outermost = &mut self.builder.nodes[outermost.unwrap_or(made).index()];
        (outermost.origin, outermost.place) = (Some(node), Some(node));
        made
    }

    /// Whether a place takes something shorter than the shortest of a kind.
    fn differ(&mut self, place: Label, kind: Label) -> bool {
        let text = |template: Option<&Template>| template.map(Template::text);
        let place = text(self.template(place));
        place.is_some() && place != text(self.template(kind))
    }

    fn template(&mut self, label: Label) -> Option<&Template> {
        let grammar = self.tree.language().grammar();
        self.templates
            .entry(label)
            .or_insert_with(|| match label.0 % 2 {
                0 => grammar.shortest_of_symbol(SymbolId(label.0 / 2)).cloned(),
                _ => {
                    grammar.alternatives(SlotId(label.0 / 2)).first().map(|(_, template)| (*template).clone())
                }
            })
            .as_ref()
    }

    /// The minimal text for a node, with the white space that stands before it now.
    fn minimal(&mut self, label: Label, node: SyntaxNode) -> Option<Range<u32>> {
        let first = self.tree.inner_range(node).start as usize;
        let first = self.tree.tokens().get(first).copied()?;
        if let Some(known) = self.shortest.get(&(label, first)) {
            return known.clone();
        }
        let template = self.template(label).cloned();
        let text = template.map(|template| {
            let mut trivia = self.lexicon.trivia(first).to_vec();
            let mut glued = self.lexicon.marks(first).has(Marks::GLUED);
            let mut tokens = Vec::with_capacity(template.len());
            let mut quote = "";
            for piece in template.pieces() {
                // The two ends of an empty string: with a space between them it would not be empty.
                let closing = piece.text == quote && matches!(quote, "\"" | "'" | "`");
                quote = if closing { "" } else { &piece.text };
                let glue = std::mem::take(&mut glued) || piece.immediate || closing;
                let marks = if glue { Marks::GLUED } else { Marks::NONE };
                tokens.push(self.lexicon.intern(&std::mem::take(&mut trivia), piece.text.as_bytes(), marks));
            }
            self.builder.minimal(&tokens)
        });
        self.shortest.insert((label, first), text.clone());
        text
    }
}

impl ReductionTree {
    /// Widens each node to the tokens of its children.
    fn spanning(mut self) -> Self {
        for index in (0..self.nodes.len()).rev() {
            let Some(span) = self.span(&self.nodes[index].children) else { continue };
            let node = &mut self.nodes[index];
            let wider = match node.tokens.is_empty() {
                true => span,
                false => node.tokens.start.min(span.start)..node.tokens.end.max(span.end),
            };
            if wider != node.tokens {
                (node.tokens, node.dropped, node.inner) = (wider.clone(), wider.clone(), wider);
            }
        }
        self
    }

    /// The tokens from the first of some neighbours to the last.
    pub(super) fn span(&self, nodes: &[NodeId]) -> Option<Range<u32>> {
        let (first, last) = (nodes.first()?, nodes.last()?);
        Some(self.node(*first).tokens.start..self.node(*last).tokens.end)
    }
}
