//! From raw nodes to the quantified tree: every node's children matched against its rule, every byte in some token.

use crate::language::Language;
use crate::lexicon::{Lexicon, Marks, TokenId};
use crate::raw::{RawNode, RawTree};
use crate::tree::{Block, Body, Kind, Node, Role, Tree};
use dwindle_grammar::{Event, Matcher, SlotId, SymbolId};
use std::ops::Range;
use std::sync::Arc;

mod tokens;

/// Builds the tree of a text from what the parser said of it.
pub(crate) fn label(
    language: &Language,
    raw: &RawTree,
    text: &[u8],
    matcher: &mut Matcher,
    lexicon: &mut Lexicon,
) -> Tree {
    let entry = language.entry();
    let symbols = &language.grammar().rules().symbols;
    let manners = symbols
        .iter()
        .map(|symbol| Manners {
            layout: entry.layout.contains(&symbol.name.as_str()),
            quoted: is_quoted(&symbol.name),
            comment: symbol.name.contains("comment"),
        })
        .collect();
    let mut labeller = Labeller {
        language,
        raw,
        text,
        matcher,
        lexicon,
        manners,
        cursor: 0,
        directive: false,
        blocks: vec![Vec::new()],
        frames: Vec::new(),
        scratch: Vec::new(),
        tree: Tree {
            language: language.clone(),
            nodes: Vec::with_capacity(raw.nodes.len() * 3 / 2),
            tokens: Vec::new(),
            breaks: Vec::new(),
            starts: Vec::new(),
            head: Vec::new(),
            tail: Vec::new(),
            errors: raw.errors,
            inner: 0,
            unmatched: 0,
        },
    };
    labeller.run();
    labeller.tree
}

/// Whether a token is all that stands between two quotes, and could not stand without them: it is more than a word.
fn is_enclosed(text: &[u8], token: Range<usize>) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    text[..token.start].last().is_some_and(|byte| matches!(byte, b'"' | b'\'' | b'`'))
        && text[..token.start].last() == text.get(token.end)
        && !text[token].iter().all(is_plain)
}

/// Kinds of node inside which white space is text.
fn is_quoted(name: &str) -> bool {
    ["string", "char", "template", "heredoc", "regex", "quoted", "comment", "text"]
        .iter()
        .any(|part| name.contains(part))
        && !name.contains("interpolat")
}

#[derive(Clone, Copy, Default)]
struct Manners {
    /// A block whose indentation counts.
    layout: bool,
    /// White space inside is text.
    quoted: bool,
    /// One token, whatever nodes it has inside.
    comment: bool,
}

struct Labeller<'a> {
    language: &'a Language,
    raw: &'a RawTree,
    text: &'a [u8],
    matcher: &'a mut Matcher,
    lexicon: &'a mut Lexicon,
    manners: Vec<Manners>,
    /// All bytes before it are in tokens.
    cursor: usize,
    /// The line being read is a preprocessor directive.
    directive: bool,
    /// Indentation of the open blocks.
    blocks: Vec<Vec<u8>>,
    frames: Vec<Frame>,
    scratch: Vec<SymbolId>,
    tree: Tree,
}

/// A node whose children are being emitted.
struct Frame {
    /// Its node in the tree.
    node: u32,
    /// Its node in the raw tree.
    raw: u32,
    /// All raw children, and how many of them are done.
    children: Vec<u32>,
    done: usize,
    /// How the grammar explains the children that are neither extras nor errors; nothing for an opaque node.
    events: Option<Arc<[Event]>>,
    /// Some of the children are errors.
    has_errors: bool,
    next_event: usize,
    /// Open lists and groups inside this node, by their tree node; `None` for parts that get no node.
    open: Vec<Option<u32>>,
    /// It pushed an indentation.
    block: bool,
    quoted: bool,
}

impl Labeller<'_> {
    fn run(&mut self) {
        self.enter(0, 0, Role::Fixed, None);
        while !self.frames.is_empty() {
            if self.error_is_next() {
                self.error();
                continue;
            }
            let frame = self.frames.last_mut().expect("there is one");
            match &frame.events {
                Some(events) => match events.get(frame.next_event).copied() {
                    Some(event) => {
                        frame.next_event += 1;
                        self.event(event);
                    }
                    None => self.leave(),
                },
                None => match frame.children.get(frame.done).copied() {
                    Some(child) => {
                        frame.done += 1;
                        let parent = frame.node;
                        let role =
                            if self.raw.nodes[child as usize].extra { Role::Extra } else { Role::Free };
                        self.enter(child, parent, role, None);
                    }
                    None => self.leave(),
                },
            }
        }
        self.tree.tail = self.text[self.cursor..].to_vec();
        self.tree.starts.push(self.text.len() as u32);
        let is_break = |token: &TokenId| self.lexicon.marks(*token).has(Marks::BREAK);
        self.tree.breaks = self.tree.tokens.iter().map(is_break).collect();
    }

    /// The tree node that what comes next belongs to.
    fn parent(&self) -> u32 {
        let frame = self.frames.last().expect("a frame is open while its children are emitted");
        frame.open.iter().rev().find_map(|open| *open).unwrap_or(frame.node)
    }

    fn event(&mut self, event: Event) {
        let frame = self.frames.last_mut().expect("events belong to a frame");
        let events = frame.events.as_ref().expect("this frame is explained");
        let following = |ahead: usize| events.get(frame.next_event + ahead);
        let kind = match event {
            Event::Close => {
                if let Some(node) = frame.open.pop().flatten() {
                    self.close(node);
                }
                return;
            }
            Event::Child { slot, .. } => {
                self.child(Role::Fixed, Some(slot));
                return;
            }
            // A list without elements has nothing to show.
            Event::OpenList(_) if following(0) == Some(&Event::Close) => {
                frame.next_event += 1;
                return;
            }
            Event::OpenChoice { .. } => {
                frame.open.push(None);
                return;
            }
            Event::OpenList(list) => (Kind::List(list), Role::Fixed),
            Event::OpenElement => (Kind::Group, Role::Element),
            Event::OpenSeparator => (Kind::Group, Role::Separator),
            Event::OpenOptional => (Kind::Group, Role::Optional),
        };
        // A part that is one child needs no group: the child itself takes the role, and the place of the whole part.
        if kind.0 == Kind::Group
            && let Some((slot, length)) = only_child(&events[frame.next_event..])
        {
            frame.next_event += length;
            let list = frame.open.last().copied().flatten().map(|list| self.tree.nodes[list as usize].kind);
            let slot = match (kind.1, list) {
                (Role::Element, Some(Kind::List(list))) => {
                    let wide = self.language.grammar().list(list).slot;
                    wide.filter(|wide| self.language.grammar().covers(*wide, slot)).unwrap_or(slot)
                }
                _ => slot,
            };
            self.child(kind.1, Some(slot));
            return;
        }
        self.extras();
        let parent = self.parent();
        let node = self.open(kind.0, kind.1, None, None, parent);
        self.frames.last_mut().expect("still open").open.push(Some(node));
    }

    /// Whether the next child that is no comment is an error among children that are explained. It belongs to none of
    /// the parts that end before it.
    fn error_is_next(&self) -> bool {
        let frame = self.frames.last().expect("a frame is open");
        let Some(events) = frame.events.as_ref().filter(|_| frame.has_errors) else { return false };
        if events.get(frame.next_event) == Some(&Event::Close) {
            return false;
        }
        let mut nodes = frame.children[frame.done..].iter().map(|child| &self.raw.nodes[*child as usize]);
        nodes.find(|node| !node.extra).is_some_and(RawNode::is_error)
    }

    /// Emits an error, which is next, after the comments before it.
    fn error(&mut self) {
        self.extras();
        let parent = self.parent();
        let frame = self.frames.last_mut().expect("a frame is open");
        let child = frame.children[frame.done];
        frame.done += 1;
        self.enter(child, parent, Role::Free, None);
    }

    /// Emits the comments before the next child.
    fn extras(&mut self) {
        loop {
            let frame = self.frames.last_mut().expect("a frame is open");
            let Some(&child) = frame.children.get(frame.done) else {
                return;
            };
            if !self.raw.nodes[child as usize].extra {
                return;
            }
            frame.done += 1;
            let parent = self.parent();
            self.enter(child, parent, Role::Extra, None);
            // A comment with inner nodes opens a frame of its own; finish it before going on.
            self.finish_above(parent);
        }
    }

    /// Runs frames opened above the current one to their end.
    fn finish_above(&mut self, parent: u32) {
        while let Some(frame) = self.frames.last_mut()
            && frame.node > parent
            && self.raw.nodes[frame.raw as usize].extra
        {
            if let Some(child) = frame.children.get(frame.done).copied() {
                frame.done += 1;
                let node = frame.node;
                self.enter_flat(child, node);
            } else {
                self.leave();
            }
        }
    }

    /// A child of a comment: one flat token, whatever is inside.
    fn enter_flat(&mut self, child: u32, parent: u32) {
        let raw = self.raw.nodes[child as usize];
        self.hidden(raw.start as usize, parent, Role::Free);
        if raw.start < raw.end {
            let node = self.open(Kind::Token, Role::Free, raw.symbol, None, parent);
            self.token(raw.start as usize, raw.end as usize, Marks::GLUED);
            self.close(node);
        }
    }

    /// Emits the next child of the current node, after the comments before it.
    fn child(&mut self, role: Role, slot: Option<SlotId>) {
        self.extras();
        let parent = self.parent();
        let frame = self.frames.last_mut().expect("a frame is open");
        let child = frame.children[frame.done];
        frame.done += 1;
        self.enter(child, parent, role, slot);
    }

    /// Starts a raw node: a token at once, an inner node as a new frame.
    fn enter(&mut self, raw_id: u32, parent: u32, role: Role, slot: Option<SlotId>) {
        let raw = self.raw.nodes[raw_id as usize];
        let manners = raw.symbol.map(|symbol| self.manners[symbol.index()]).unwrap_or_default();
        let free = self.frames.last().is_some_and(|frame| frame.events.is_none());
        if raw_id != 0 {
            self.hidden(raw.start as usize, parent, if free { Role::Free } else { Role::Fixed });
        }
        let childless = self.raw.is_leaf(raw_id) && raw_id != 0;
        if childless && raw.start == raw.end {
            // A token without text: an automatic semicolon, or one the parser made up.
            return;
        }
        // Text that the parser skipped comes as one piece, however long: it is taken apart like any hidden text.
        let leaf = (childless && !raw.error) || (raw_id != 0 && raw.extra && manners.comment);
        let kind = if leaf { Kind::Token } else { Kind::Rule };
        let node = self.open(kind, role, raw.symbol, slot, parent);
        if !manners.layout && raw_id != 0 {
            self.line_break(node, raw.start as usize);
        }
        if leaf {
            let quoted = self.frames.last().is_some_and(|frame| frame.quoted);
            let mut marks = Marks::NONE;
            if quoted && self.cursor == raw.start as usize && self.cursor > 0 && !self.is_first_in_frame() {
                marks = marks.with(Marks::GLUED);
            }
            if raw.extra {
                marks = marks.with(Marks::COMMENT);
            }
            let text = raw.start as usize..raw.end as usize;
            self.tree.nodes[node as usize].enclosed = is_enclosed(self.text, text.clone());
            self.token(text.start, text.end, marks);
            self.close(node);
            return;
        }
        let block = manners.layout && self.indent(node, raw.start as usize..raw.end as usize);
        self.tree.nodes[node as usize].body = self.body(raw_id);
        let children: Vec<u32> = self.raw.children(raw_id).collect();
        let has_errors = children.iter().any(|child| self.raw.nodes[*child as usize].is_error());
        let events = self.explain(raw_id, &children);
        self.tree.nodes[node as usize].kind = if events.is_some() { Kind::Rule } else { Kind::Opaque };
        self.frames.push(Frame {
            node,
            raw: raw_id,
            children,
            done: 0,
            events,
            has_errors,
            next_event: 0,
            open: Vec::new(),
            block,
            quoted: manners.quoted || raw.extra,
        });
    }

    /// Whether nothing of the current frame has been printed yet.
    fn is_first_in_frame(&self) -> bool {
        let Some(frame) = self.frames.last() else {
            return true;
        };
        let Node { tokens, lead, .. } = &self.tree.nodes[frame.node as usize];
        self.tree.tokens.len() <= tokens.start as usize + usize::from(*lead)
    }

    /// What of several bodies that its kind can have a node has.
    fn body(&self, raw_id: u32) -> Body {
        let raw = self.raw.nodes[raw_id as usize];
        let rules = self.language.grammar().rules();
        let Some(symbol) = raw.symbol else { return Body::Only };
        match rules.bodies[symbol.index()].as_slice() {
            [own, _, ..] if rules.definitions[own.index()].name == rules.symbols[symbol.index()].name => {
                if raw.renamed {
                    Body::Other
                } else {
                    Body::Own
                }
            }
            _ => Body::Only,
        }
    }

    /// How the grammar explains a node's children, errors among them aside; nothing when it does not.
    fn explain(&mut self, raw_id: u32, children: &[u32]) -> Option<Arc<[Event]>> {
        let raw = self.raw.nodes[raw_id as usize];
        let children = children.iter().map(|child| &self.raw.nodes[*child as usize]);
        if raw.error {
            return None;
        }
        // What holds of files without errors is not told from nodes that have some.
        let is_whole = children.clone().all(|child| !child.error);
        self.tree.inner += usize::from(is_whole);
        self.scratch.clear();
        for child in children.filter(|child| !child.extra && !child.is_error()) {
            let Some(symbol) = child.symbol else {
                self.tree.unmatched += usize::from(is_whole);
                return None;
            };
            self.scratch.push(symbol);
        }
        let grammar = self.language.grammar();
        let bodies = raw.symbol.map_or(&[][..], |symbol| grammar.bodies(symbol));
        let found = raw
            .rule
            .into_iter()
            .chain(bodies.iter().copied())
            .find_map(|rule| self.matcher.derive(rule, &self.scratch));
        self.tree.unmatched += usize::from(is_whole && found.is_none());
        found
    }

    fn leave(&mut self) {
        self.extras();
        let frame = self.frames.pop().expect("a frame is open");
        let raw = self.raw.nodes[frame.raw as usize];
        if frame.raw == 0 {
            self.hidden(self.text.len(), frame.node, Role::Free);
        } else {
            let role = if frame.events.is_none() { Role::Free } else { Role::Fixed };
            self.hidden(raw.end as usize, frame.node, role);
            // White space at the very end belongs to the node: the newline that ends a directive, say.
            if self.cursor < raw.end as usize {
                let node = self.open(Kind::Token, Role::Fixed, None, None, frame.node);
                self.push(self.cursor, &[], raw.end as usize, Marks::GLUED);
                self.close(node);
            }
        }
        if frame.block {
            self.blocks.pop();
            self.push_layout(self.cursor, &[], Marks::DEDENT);
        }
        self.close(frame.node);
    }

    fn open(
        &mut self,
        kind: Kind,
        role: Role,
        symbol: Option<SymbolId>,
        slot: Option<SlotId>,
        parent: u32,
    ) -> u32 {
        let at = self.tree.tokens.len() as u32;
        self.tree.nodes.push(Node {
            kind,
            role,
            symbol,
            slot,
            parent,
            end: 0,
            tokens: at..at,
            lead: 0,
            block: Block::No,
            enclosed: false,
            body: Body::Only,
        });
        self.tree.nodes.len() as u32 - 1
    }

    fn close(&mut self, node: u32) {
        let (nodes, tokens) = (self.tree.nodes.len() as u32, self.tree.tokens.len() as u32);
        let node = &mut self.tree.nodes[node as usize];
        node.end = nodes;
        node.tokens.end = tokens;
    }
}

/// The slot of the only child before the current part closes, and how many events the part has; nothing when it has
/// more children, or none.
fn only_child(events: &[Event]) -> Option<(SlotId, usize)> {
    let mut depth = 1;
    let mut found = None;
    for (index, event) in events.iter().enumerate() {
        match event {
            Event::Child { slot, .. } => {
                if found.replace(*slot).is_some() {
                    return None;
                }
            }
            Event::Close => depth -= 1,
            _ => depth += 1,
        }
        if depth == 0 {
            return found.map(|slot| (slot, index + 1));
        }
    }
    None
}
