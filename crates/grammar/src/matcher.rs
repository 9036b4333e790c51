//! The matcher: a node's children against its rule, by Earley's method over automata.
//!
//! An item says: "from child `origin` on, some rule has come to `state`". Children are read left to right; a call of a
//! hidden rule starts new items, the end of a hidden rule wakes those who called it. Lists are loops of the automaton
//! itself, so a list of n children takes n steps and not n nested calls:
//!
//! ```text
//! children:     {      x ;     y ;     z ;     }
//! items:     open list → element → element → element → close list       (states of one loop, origin 0)
//! ```
//!
//! Each item keeps one way in which it was reached, the first; reading these back gives one derivation.

use crate::automaton::{Automaton, Edge, Tag};
use crate::closure::SlotId;
use crate::grammar::Grammar;
use crate::rule::{RuleId, SymbolId};
use std::collections::HashMap;
use std::sync::Arc;

/// One step of a derivation, in the order of the children. Opens and closes nest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A list starts (the number indexes [`Grammar::list`]). Its elements and separators follow.
    OpenList(u32),
    /// One element of the innermost list starts; it may cover any number of children.
    OpenElement,
    /// What stands between two elements starts.
    OpenSeparator,
    /// A part that the rule could do without starts.
    OpenOptional,
    /// Several children that come from one alternative of a choice start.
    OpenChoice {
        /// What alone could stand in their place.
        slot: SlotId,
        /// Which alternative it is.
        alternative: u16,
    },
    /// The innermost open part ends.
    Close,
    /// A child, by its number, and what may stand in its place.
    Child {
        /// Its position among the children given.
        index: u32,
        /// The place it fills.
        slot: SlotId,
    },
}

/// Items at one child, beyond one for each state, after which a node is given up. 20 in all are usual; only a list
/// that is nested calls instead of a loop needs two per level, and would take quadratic time.
const SPARE_ITEMS: usize = 2_000;
/// Child sequences up to this length are remembered: most nodes of a file repeat some few shapes.
const REMEMBERED_LENGTH: usize = 8;
/// Shapes remembered; a bound on memory for generated inputs, never reached by hand-written ones.
const REMEMBERED_SHAPES: usize = 100_000;

#[derive(Debug, Clone, Copy)]
enum Via {
    Start,
    Empty(Tag),
    Child,
    Done(u32),
}

#[derive(Debug, Clone, Copy)]
struct Item {
    state: u32,
    origin: u32,
    before: u32,
    /// The previous item at this position with the same state, to find duplicates.
    same: u32,
    via: Via,
}

const NONE: u32 = u32::MAX;
/// Marks a call among the choices.
const NO_ALTERNATIVE: u16 = u16::MAX;

/// A shape of children: the number of the rule, then those of the children's kinds.
type Shape = Box<[u32]>;

/// Matches children against rules; keeps its buffers and what it has seen from one node to the next.
#[derive(Debug)]
pub struct Matcher {
    grammar: Arc<Grammar>,
    items: Vec<Item>,
    /// Items of the current position that are still to be expanded, next one last.
    agenda: Vec<u32>,
    /// For each position the callers waiting there: rule called, item that called, state to go on with.
    waiting: Vec<(RuleId, u32, u32)>,
    waiting_first: Vec<u32>,
    /// By state: the newest item at the position whose stamp this is.
    newest: Vec<(u64, u32)>,
    /// By rule: the stamp of the position where it was last predicted.
    predicted: Vec<u64>,
    /// Rules that ended where they began, at this position.
    empty_here: Vec<(RuleId, u32)>,
    stamp: u64,
    shapes: HashMap<Shape, Option<Arc<[Event]>>, foldhash::fast::FixedState>,
    /// The shape being looked up.
    shape: Vec<u32>,
}

impl Matcher {
    /// A matcher for one grammar.
    pub fn new(grammar: Arc<Grammar>) -> Self {
        let automaton = grammar.automaton();
        Matcher {
            items: Vec::new(),
            agenda: Vec::new(),
            waiting: Vec::new(),
            waiting_first: Vec::new(),
            newest: vec![(0, NONE); automaton.states()],
            predicted: vec![0; automaton.start.len()],
            empty_here: Vec::new(),
            stamp: 0,
            shapes: HashMap::default(),
            shape: Vec::new(),
            grammar,
        }
    }

    /// The grammar in use.
    pub fn grammar(&self) -> &Arc<Grammar> {
        &self.grammar
    }

    /// A derivation of the children from the rule, or nothing when the rule does not have them.
    pub fn derive(&mut self, rule: RuleId, children: &[SymbolId]) -> Option<Arc<[Event]>> {
        if children.len() > REMEMBERED_LENGTH {
            return self.derive_anew(rule, children);
        }
        self.shape.clear();
        self.shape.push(rule.0);
        self.shape.extend(children.iter().map(|child| child.0));
        if let Some(known) = self.shapes.get(self.shape.as_slice()) {
            return known.clone();
        }
        let events = self.derive_anew(rule, children);
        if self.shapes.len() < REMEMBERED_SHAPES {
            self.shapes.insert(self.shape.as_slice().into(), events.clone());
        }
        events
    }

    fn derive_anew(&mut self, rule: RuleId, children: &[SymbolId]) -> Option<Arc<[Event]>> {
        let grammar = Arc::clone(&self.grammar);
        let end = self.recognise(grammar.automaton(), rule, children)?;
        let events = self.read_back(grammar.automaton(), rule, end, children.len());
        Some(with_slots(&events, &grammar, children).into())
    }

    /// Runs the automata over the children; gives the item that ends the rule at the last child.
    fn recognise(&mut self, automaton: &Automaton, rule: RuleId, children: &[SymbolId]) -> Option<u32> {
        self.items.clear();
        self.agenda.clear();
        self.waiting.clear();
        self.waiting_first.clear();
        let limit = automaton.states() + SPARE_ITEMS;
        self.open_position();
        self.add(automaton.start[rule.index()], 0, NONE, Via::Start);
        let mut set_start = 0;
        for position in 0..=children.len() {
            let next_child = children.get(position).copied();
            // Depth first, in the order items were reached: what continues the element being read is followed to its
            // end before what starts another one, so that a semicolon ends a statement and is not one of its own.
            self.agenda.extend((set_start as u32..self.items.len() as u32).rev());
            while let Some(index) = self.agenda.pop() {
                let known = self.items.len() as u32;
                self.expand(automaton, index, position as u32);
                self.agenda.extend((known..self.items.len() as u32).rev());
                if self.items.len() - set_start > limit {
                    return None;
                }
            }
            let set_end = self.items.len();
            let Some(next_child) = next_child else { break };
            self.open_position();
            for index in set_start..set_end {
                let item = self.items[index];
                for edge in automaton.edges(item.state) {
                    if let Edge::Child(symbol, to) = *edge
                        && symbol == next_child
                    {
                        self.add(to, item.origin, index as u32, Via::Child);
                    }
                }
            }
            if self.items.len() == set_end {
                return None;
            }
            set_start = set_end;
        }
        (set_start..self.items.len())
            .find(|&index| {
                let item = &self.items[index];
                item.origin == 0 && automaton.accepts[item.state as usize] == Some(rule)
            })
            .map(|index| index as u32)
    }

    fn open_position(&mut self) {
        self.stamp += 1;
        self.waiting_first.push(self.waiting.len() as u32);
        self.empty_here.clear();
    }

    fn add(&mut self, state: u32, origin: u32, before: u32, via: Via) {
        let (stamp, mut same) = self.newest[state as usize];
        if stamp != self.stamp {
            same = NONE;
        }
        let mut other = same;
        while other != NONE {
            let item = &self.items[other as usize];
            if item.origin == origin {
                return;
            }
            other = item.same;
        }
        self.newest[state as usize] = (self.stamp, self.items.len() as u32);
        self.items.push(Item { state, origin, before, same, via });
    }

    /// All that follows from an item without reading a child.
    fn expand(&mut self, automaton: &Automaton, index: u32, position: u32) {
        let item = self.items[index as usize];
        for edge in automaton.edges(item.state) {
            match *edge {
                Edge::Empty(to, tag) => self.add(to, item.origin, index, Via::Empty(tag)),
                Edge::Child(..) => {}
                Edge::Call(rule, to) => {
                    self.waiting.push((rule, index, to));
                    if self.predicted[rule.index()] != self.stamp {
                        self.predicted[rule.index()] = self.stamp;
                        self.add(automaton.start[rule.index()], position, NONE, Via::Start);
                    }
                    for known in 0..self.empty_here.len() {
                        let (ended, done) = self.empty_here[known];
                        if ended == rule {
                            self.add(to, item.origin, index, Via::Done(done));
                        }
                    }
                }
            }
        }
        if let Some(rule) = automaton.accepts[item.state as usize] {
            if item.origin == position {
                self.empty_here.push((rule, index));
            }
            let callers = self.waiting_first[item.origin as usize] as usize
                ..self
                    .waiting_first
                    .get(item.origin as usize + 1)
                    .map_or(self.waiting.len(), |end| *end as usize);
            for caller in callers {
                let (called, before, to) = self.waiting[caller];
                if called == rule {
                    let origin = self.items[before as usize].origin;
                    self.add(to, origin, before, Via::Done(index));
                }
            }
        }
    }

    /// The derivation of an item as raw steps, read from the last child to the first.
    fn read_back(&self, automaton: &Automaton, rule: RuleId, end: u32, children: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut callers: Vec<(u32, RuleId)> = Vec::new();
        let mut child = children as u32;
        let mut at = end;
        loop {
            let item = self.items[at as usize];
            match item.via {
                Via::Start => match callers.pop() {
                    Some((before, rule)) => {
                        steps.push(Step::Tag(Tag::OpenChoice(
                            automaton.rule_slots[rule.index()],
                            NO_ALTERNATIVE,
                        )));
                        at = before;
                    }
                    None => break,
                },
                Via::Empty(tag) => {
                    if tag != Tag::None {
                        steps.push(Step::Tag(tag));
                    }
                    at = item.before;
                }
                Via::Child => {
                    child -= 1;
                    steps.push(Step::Child(child));
                    at = item.before;
                }
                Via::Done(done) => {
                    let rule = automaton.accepts[self.items[done as usize].state as usize].unwrap_or(rule);
                    steps.push(Step::Tag(Tag::CloseChoice));
                    callers.push((item.before, rule));
                    at = done;
                }
            }
        }
        steps.reverse();
        steps
    }
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Tag(Tag),
    Child(u32),
}

/// Turns raw steps into events: a choice or call around a single child becomes that child's slot, one around
/// several children stays, one around nothing vanishes, as do optionals that are empty.
fn with_slots(steps: &[Step], grammar: &Grammar, children: &[SymbolId]) -> Vec<Event> {
    let mut events =
        Events { grammar, list: Vec::with_capacity(steps.len()), settled: vec![false; children.len()] };
    // Open parts: where their event stands, how many children had come before.
    let mut open: Vec<(usize, u32)> = Vec::new();
    let mut seen = 0u32;
    for step in steps {
        match *step {
            Step::Child(index) => {
                let slot = grammar.slot_of_symbol(children[index as usize]);
                events.list.push(Event::Child { index, slot });
                seen += 1;
            }
            Step::Tag(tag) => {
                let event = match tag {
                    Tag::None => continue,
                    Tag::OpenList(list) => Event::OpenList(list),
                    Tag::OpenElement => Event::OpenElement,
                    Tag::OpenSeparator => Event::OpenSeparator,
                    Tag::OpenOptional => Event::OpenOptional,
                    Tag::OpenChoice(slot, alternative) => Event::OpenChoice { slot, alternative },
                    Tag::CloseList
                    | Tag::CloseElement
                    | Tag::CloseSeparator
                    | Tag::CloseOptional
                    | Tag::CloseChoice => {
                        let (at, before) = open.pop().expect("parts close in the order they open");
                        events.close(at, seen - before);
                        continue;
                    }
                };
                open.push((events.list.len(), seen));
                events.list.push(event);
            }
        }
    }
    events.list
}

struct Events<'g> {
    grammar: &'g Grammar,
    list: Vec<Event>,
    /// Children whose slot cannot grow any more.
    settled: Vec<bool>,
}

impl Events<'_> {
    fn close(&mut self, at: usize, children: u32) {
        match (self.list[at], &self.list[at + 1..]) {
            (Event::OpenChoice { slot, .. }, &[Event::Child { index, slot: narrow }]) => {
                // A hidden rule may hold text beside the child (a newline, say): then what fills the rule's place
                // is not what fills the child's, nor is anything further out.
                let settled = &mut self.settled[index as usize];
                *settled |= !self.grammar.covers(slot, narrow);
                let slot = if *settled { narrow } else { slot };
                self.list.truncate(at);
                self.list.push(Event::Child { index, slot });
            }
            // A call (no alternative) around several children says nothing a reduction could use.
            (Event::OpenChoice { alternative, .. }, _) if alternative == NO_ALTERNATIVE || children < 2 => {
                self.list.remove(at);
            }
            (Event::OpenOptional, _) if children == 0 => self.list.truncate(at),
            _ => self.list.push(Event::Close),
        }
    }
}

#[cfg(test)]
mod tests;
