//! Every rule as a small automaton over visible children. Hidden rules are calls, quantifiers are tagged empty edges.

use crate::closure::{Closure, SlotId};
use crate::rule::{Rule, RuleId, Rules, SymbolId, Trailing};

/// What an empty edge says about the derivation that takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    None,
    OpenList(u32),
    CloseList,
    OpenElement,
    CloseElement,
    OpenSeparator,
    CloseSeparator,
    OpenOptional,
    CloseOptional,
    /// The slot of the whole choice, and the alternative taken.
    OpenChoice(SlotId, u16),
    CloseChoice,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Edge {
    Empty(u32, Tag),
    Child(SymbolId, u32),
    Call(RuleId, u32),
}

/// What is known of a list, whatever node it occurs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListInfo {
    /// The fewest elements.
    pub min: u32,
    /// What can be an element on its own; nothing when every element has several parts.
    pub slot: Option<SlotId>,
    /// A separator stands between two elements.
    pub separated: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Automaton {
    /// Edges by state: those of state `s` are `edges[first[s]..first[s + 1]]`.
    edges: Vec<Edge>,
    first: Vec<u32>,
    /// First state and last state of each rule.
    pub(crate) start: Vec<u32>,
    /// For a final state its rule.
    pub(crate) accepts: Vec<Option<RuleId>>,
    pub(crate) lists: Vec<ListInfo>,
    pub(crate) rule_slots: Vec<SlotId>,
    pub(crate) symbol_slots: Vec<SlotId>,
}

impl Automaton {
    pub(crate) fn new(rules: &Rules, closure: &mut Closure) -> Self {
        let mut builder =
            Builder { rules, closure, edges: Vec::new(), accepts: Vec::new(), lists: Vec::new() };
        let mut start = Vec::with_capacity(rules.definitions.len());
        for (index, definition) in rules.definitions.iter().enumerate() {
            let first = builder.state();
            start.push(first);
            let last = builder.build(&definition.body, first);
            let end = builder.state();
            builder.empty(last, end, Tag::None);
            builder.accepts[end as usize] = Some(RuleId(index as u32));
        }
        let rule_slots = (0..rules.definitions.len())
            .map(|rule| builder.closure.slot_of_rule(RuleId(rule as u32)))
            .collect();
        let symbol_slots = (0..rules.symbols.len())
            .map(|symbol| builder.closure.slot_of_symbol(SymbolId(symbol as u32)))
            .collect();
        let mut automaton = Automaton {
            start,
            accepts: builder.accepts,
            lists: builder.lists,
            rule_slots,
            symbol_slots,
            ..Automaton::default()
        };
        for state in builder.edges {
            automaton.first.push(automaton.edges.len() as u32);
            automaton.edges.extend(state);
        }
        automaton.first.push(automaton.edges.len() as u32);
        automaton
    }

    pub(crate) fn edges(&self, state: u32) -> &[Edge] {
        &self.edges[self.first[state as usize] as usize..self.first[state as usize + 1] as usize]
    }

    pub(crate) fn states(&self) -> usize {
        self.accepts.len()
    }
}

struct Builder<'r> {
    rules: &'r Rules,
    closure: &'r mut Closure,
    edges: Vec<Vec<Edge>>,
    accepts: Vec<Option<RuleId>>,
    lists: Vec<ListInfo>,
}

impl Builder<'_> {
    fn state(&mut self) -> u32 {
        self.edges.push(Vec::new());
        self.accepts.push(None);
        self.edges.len() as u32 - 1
    }

    fn empty(&mut self, from: u32, to: u32, tag: Tag) {
        self.edges[from as usize].push(Edge::Empty(to, tag));
    }

    /// A new state behind an empty edge.
    fn after(&mut self, from: u32, tag: Tag) -> u32 {
        let to = self.state();
        self.empty(from, to, tag);
        to
    }

    /// Adds a part after `from` and gives the state behind it. Edges that go on come before edges that stop, so
    /// that the first derivation found is the greedy one.
    fn build(&mut self, rule: &Rule, from: u32) -> u32 {
        match rule {
            Rule::Blank | Rule::Silent(_, None) => from,
            Rule::Child(symbol) | Rule::Own(_, symbol) => {
                let to = self.state();
                self.edges[from as usize].push(Edge::Child(*symbol, to));
                to
            }
            Rule::Silent(_, Some(symbol)) => {
                let to = self.state();
                self.edges[from as usize].push(Edge::Child(*symbol, to));
                self.empty(from, to, Tag::None);
                to
            }
            Rule::Call(rule) => {
                let to = self.state();
                self.edges[from as usize].push(Edge::Call(*rule, to));
                to
            }
            Rule::Seq(parts) => parts.iter().fold(from, |at, part| self.build(part, at)),
            Rule::Choice(parts) => {
                let slot = self.closure.slot(self.rules, rule);
                let to = self.state();
                for (index, part) in parts.iter().enumerate() {
                    if let Some(slot) = slot {
                        let inside = self.after(from, Tag::OpenChoice(slot, index as u16));
                        let end = self.build(part, inside);
                        self.empty(end, to, Tag::CloseChoice);
                    } else {
                        let end = self.build(part, from);
                        self.empty(end, to, Tag::None);
                    }
                }
                to
            }
            Rule::Optional(inner) => {
                let inside = self.after(from, Tag::OpenOptional);
                let end = self.build(inner, inside);
                let to = self.after(end, Tag::CloseOptional);
                self.empty(from, to, Tag::None);
                to
            }
            Rule::List { element, separator, min, trailing } => {
                self.list(element, separator.as_deref(), *min, *trailing, from)
            }
        }
    }

    fn list(
        &mut self,
        element: &Rule,
        separator: Option<&Rule>,
        min: u32,
        trailing: Trailing,
        from: u32,
    ) -> u32 {
        let slot = self.closure.slot(self.rules, element);
        let list = self.lists.len() as u32;
        self.lists.push(ListInfo { min, slot, separated: separator.is_some() });
        let open = self.after(from, Tag::OpenList(list));
        let start = self.after(open, Tag::OpenElement);
        let inside = self.build(element, start);
        let end = self.after(inside, Tag::CloseElement);
        let to = self.state();
        if let Some(separator) = separator {
            let before = self.after(end, Tag::OpenSeparator);
            let inside = self.build(separator, before);
            let after = self.after(inside, Tag::CloseSeparator);
            self.empty(after, start, Tag::OpenElement);
            if trailing != Trailing::Never {
                self.empty(after, to, Tag::CloseList);
            }
            if trailing == Trailing::Alone {
                let before = self.after(open, Tag::OpenSeparator);
                let inside = self.build(separator, before);
                let after = self.after(inside, Tag::CloseSeparator);
                self.empty(after, to, Tag::CloseList);
            }
        } else {
            self.empty(end, start, Tag::OpenElement);
        }
        self.empty(end, to, Tag::CloseList);
        if min == 0 {
            self.empty(open, to, Tag::CloseList);
        }
        to
    }
}
