//! Matching patterns against the tokens and nodes of a source.
//!
//! A pattern is not parsed: its words are compared with tokens, a hole takes a node that starts at the current token,
//! the largest first, and a run takes neighbours that start there, the fewest first. What was taken is given back when
//! the rest does not fit. So one matcher serves all languages, and a pattern may be half a construct.

use std::collections::HashMap;
use std::ops::Range;

use dwindle_syntax::{Kind, Marks, NodeId, Role, TokenKind, Tree};

use super::pattern::{Condition, Item, Kinds, NamePlace, Pattern};
use crate::source::Source;

/// Steps after which a search for matches at one place is given up: far beyond what patterns take on real programs.
const MOST_STEPS: usize = 20_000;

/// The most matches that are taken at one place: one for each parameter of a long list, say.
const MOST_MATCHES: usize = 64;

/// What a hole holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    /// Its tokens.
    pub(super) range: Range<u32>,
    /// The first of its nodes, if it has any.
    first: Option<NodeId>,
}

/// What the holes of a rule hold, by number.
pub(super) type Bindings = Vec<Option<Bound>>;

/// A place where a pattern matches.
#[derive(Clone, Debug)]
pub(super) struct Match {
    /// Its tokens.
    pub(super) range: Range<u32>,
    /// The node it is, the outermost that can be deleted if there is one; nothing if it is several nodes.
    pub(super) node: Option<NodeId>,
    pub(super) bindings: Bindings,
}

/// A source, made ready for matching: one walk over its tokens and nodes.
pub(super) struct Index<'s> {
    pub(super) tree: &'s Tree,
    /// The text of each token by number, and nothing for white space, block borders and comments.
    words: Vec<Option<u32>>,
    numbers: HashMap<Box<[u8]>, u32>,
    /// Where each text stands.
    places: Vec<Vec<u32>>,
    /// For each token the first that counts from there on.
    next: Vec<u32>,
    /// For each token the nodes that start there, outermost first.
    starts: Vec<Range<u32>>,
    nodes: Vec<NodeId>,
    /// The nodes of each symbol.
    of_symbol: HashMap<u32, Vec<NodeId>>,
}

impl<'s> Index<'s> {
    pub(super) fn new(source: &'s Source) -> Self {
        let (tree, lexicon) = (source.tree(), source.lexicon());
        let len = tree.tokens().len();
        let mut index = Index {
            tree,
            words: Vec::with_capacity(len + 1),
            numbers: HashMap::new(),
            places: Vec::new(),
            next: vec![len as u32; len + 1],
            starts: vec![0..0; len + 1],
            nodes: Vec::new(),
            of_symbol: HashMap::new(),
        };
        for (at, token) in tree.tokens().iter().enumerate() {
            let marks = lexicon.marks(*token);
            // The end of a directive's line is white space and yet a token.
            let white = lexicon.text(*token).iter().all(u8::is_ascii_whitespace);
            let counts = !white && !marks.is_layout() && !marks.has(Marks::COMMENT);
            index.words.push(counts.then(|| {
                let new = index.places.len() as u32;
                let number = *index.numbers.entry(lexicon.text(*token).into()).or_insert(new);
                if number == new {
                    index.places.push(Vec::new());
                }
                index.places[number as usize].push(at as u32);
                number
            }));
        }
        index.words.push(None);
        for at in (0..len).rev() {
            index.next[at] = if index.words[at].is_some() { at as u32 } else { index.next[at + 1] };
        }
        let nodes = tree.nodes().filter(|node| !tree.inner_range(*node).is_empty());
        let mut nodes: Vec<(u32, NodeId)> = nodes.map(|node| (index.start(node), node)).collect();
        nodes.sort();
        let mut from = 0;
        for run in nodes.chunk_by(|one, other| one.0 == other.0) {
            index.starts[run[0].0 as usize] = from..from + run.len() as u32;
            from += run.len() as u32;
        }
        for node in tree.nodes() {
            if let Some(symbol) = tree.symbol(node) {
                index.of_symbol.entry(symbol.0).or_default().push(node);
            }
        }
        index.nodes = nodes.into_iter().map(|(_, node)| node).collect();
        index
    }

    /// The first token of a node that counts.
    fn start(&self, node: NodeId) -> u32 {
        self.next[self.tree.inner_range(node).start as usize]
    }

    /// The first token that counts behind a node.
    fn end(&self, node: NodeId) -> u32 {
        self.next[self.tree.token_range(node).end as usize]
    }

    fn nodes_at(&self, at: u32) -> &[NodeId] {
        let range = &self.starts[at as usize];
        &self.nodes[range.start as usize..range.end as usize]
    }

    fn is_of(&self, node: NodeId, kinds: &Kinds) -> bool {
        self.tree.symbol(node).is_some_and(|symbol| kinds.symbols.contains(&symbol))
            && (!kinds.single || self.tree.inner_range(node).len() == 1)
    }

    /// How many tokens of the language stand in a run of tokens.
    pub(super) fn count(&self, range: &Range<u32>) -> usize {
        self.words[range.start as usize..range.end as usize].iter().flatten().count()
    }

    fn words_of(&self, range: &Range<u32>) -> impl Iterator<Item = u32> + '_ {
        self.words[range.start as usize..range.end as usize].iter().flatten().copied()
    }

    /// Whether a node stands between two elements. Some rules repeat a comma and an element, and what looks like the
    /// separator there is the element.
    fn is_separator(&self, node: NodeId) -> bool {
        let symbols = &self.tree.language().grammar().rules().symbols;
        let named = self.tree.symbol(node).is_some_and(|symbol| symbols[symbol.index()].named);
        let comma = self.numbers.get(&b","[..]).copied();
        let is_comma = comma.is_some() && self.words[self.start(node) as usize] == comma;
        is_comma || self.tree.role(node) == Role::Separator && !named
    }

    /// The nodes of a run.
    pub(super) fn elements(&self, run: &Bound) -> Vec<NodeId> {
        let end = run.range.end;
        let siblings = run.first.into_iter().flat_map(|first| self.siblings(first));
        let inside = siblings.take_while(|node| self.tree.inner_range(*node).start < end);
        inside.filter(|node| !self.is_separator(*node)).collect()
    }

    /// The token that is a parameter's name.
    fn name_in(&self, node: NodeId, place: NamePlace) -> Option<u32> {
        let is_name = |node: &NodeId| {
            let symbol = self.tree.symbol(*node).filter(|_| self.tree.inner_range(*node).len() == 1);
            symbol.is_some_and(|symbol| self.tree.language().token_kind(symbol) == TokenKind::Identifier)
        };
        let mut names = std::iter::once(node).chain(self.tree.descendants(node)).filter(is_name);
        let name = match place {
            NamePlace::First => names.next(),
            NamePlace::Last => names.last(),
        };
        name.map(|name| self.start(name))
    }

    /// Which tokens of `body` are names of parameters, and the arguments that take their place. Nothing unless there is an
    /// argument for each.
    pub(super) fn substitution(
        &self,
        body: &Bound,
        place: NamePlace,
        parameters: &Bound,
        arguments: &Bound,
    ) -> Option<Vec<(u32, Range<u32>)>> {
        let (parameters, arguments) = (self.elements(parameters), self.elements(arguments));
        if parameters.len() != arguments.len() {
            return None;
        }
        let mut by_name = HashMap::new();
        for (parameter, argument) in parameters.into_iter().zip(arguments) {
            let name = self.name_in(parameter, place)?;
            by_name.insert(self.words[name as usize], self.tree.inner_range(argument));
        }
        let mut replaced = Vec::new();
        for at in body.range.clone().filter(|at| self.words[*at as usize].is_some()) {
            if let Some(argument) = by_name.get(&self.words[at as usize]) {
                replaced.push((at, argument.clone()));
            }
        }
        Some(replaced)
    }

    /// The tokens of the nearest node of these kinds around some tokens.
    pub(super) fn around(&self, range: &Range<u32>, kinds: &Kinds) -> Option<Range<u32>> {
        let innermost = self.nodes_at(self.next[range.start as usize]).last()?;
        let mut above = std::iter::successors(Some(*innermost), |node| self.tree.parent(*node));
        let wider = |node: &NodeId| {
            let tokens = self.tree.token_range(*node);
            tokens.start <= range.start && range.end <= tokens.end && tokens != *range
        };
        above.find(|node| self.is_of(*node, kinds) && wider(node)).map(|node| self.tree.token_range(node))
    }

    /// A node and those behind it below the same parent.
    fn siblings(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let behind = |node: NodeId| node.0 + 1 + self.tree.descendants(node).size_hint().0 as u32;
        let end = self.tree.parent(node).map_or(0, behind);
        std::iter::successors(Some(node), move |node| Some(NodeId(behind(*node))).filter(|next| next.0 < end))
    }

    /// All matches of a pattern, in order of the text; some holes may be bound before, and the scope may be a part of
    /// the text.
    pub(super) fn matches(
        &self,
        pattern: &Pattern,
        conditions: &[Condition],
        bindings: &Bindings,
        scope: Range<u32>,
        first_only: bool,
    ) -> Vec<Match> {
        let mut found = Vec::new();
        for at in self.starting_points(pattern, bindings) {
            if !scope.contains(&at) {
                continue;
            }
            let mut search = Search {
                index: self,
                pattern,
                conditions,
                start: at,
                found: Vec::new(),
                steps: 0,
                first_only,
            };
            search.go(0, at, None, &mut bindings.clone());
            found.append(&mut search.found);
        }
        found
    }

    /// The tokens at which a pattern may start.
    fn starting_points(&self, pattern: &Pattern, bindings: &Bindings) -> Vec<u32> {
        let number = match pattern.items.first() {
            Some(Item::Word(word)) => Some(self.numbers.get(word)),
            Some(Item::Hole { hole, .. } | Item::Run { hole }) => {
                let bound = bindings[*hole].as_ref().filter(|bound| !bound.range.is_empty());
                bound.map(|bound| self.words[self.next[bound.range.start as usize] as usize].as_ref())
            }
            _ => None,
        };
        let places = number.map(|number| number.map_or(&[][..], |number| &self.places[*number as usize]));
        let symbols = pattern.kinds.iter().flat_map(|kinds| &kinds.symbols);
        let nodes = symbols.filter_map(|symbol| self.of_symbol.get(&symbol.0));
        let of_kind: usize = nodes.clone().map(Vec::len).sum();
        if let Some(places) = places.filter(|places| pattern.kinds.is_none() || places.len() <= of_kind) {
            return places.to_vec();
        }
        let mut points: Vec<u32> = nodes.flatten().map(|node| self.start(*node)).collect();
        points.sort_unstable();
        points.dedup();
        points
    }
}

/// A comma has been left out or not: what the run behind it must be.
type Expected = Option<bool>;

/// A search for matches at one place.
struct Search<'i, 's> {
    index: &'i Index<'s>,
    pattern: &'i Pattern,
    conditions: &'i [Condition],
    start: u32,
    found: Vec<Match>,
    steps: usize,
    first_only: bool,
}

impl Search<'_, '_> {
    /// Matches the items from one on against the tokens from here on. True when there is nothing more to look for.
    fn go(&mut self, item: usize, at: u32, filled: Expected, bindings: &mut Bindings) -> bool {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return true;
        }
        let (index, pattern) = (self.index, self.pattern);
        let at = index.next[at as usize];
        let Some(current) = pattern.items.get(item) else { return self.end(at, bindings) };
        match current {
            Item::Word(word) => {
                let number = index.numbers.get(word);
                number.is_some()
                    && index.words[at as usize].as_ref() == number
                    && self.go(item + 1, at + 1, None, bindings)
            }
            Item::Comma { left, right } => {
                let left_empty = left.is_some_and(|hole| is_empty(bindings, hole));
                if left_empty {
                    return self.go(item + 1, at, None, bindings);
                }
                let comma = index.numbers.get(&b","[..]);
                let is_comma = comma.is_some() && index.words[at as usize].as_ref() == comma;
                if right.is_none() {
                    return is_comma && self.go(item + 1, at + 1, None, bindings);
                }
                (is_comma && self.go(item + 1, at + 1, Some(true), bindings))
                    || self.go(item + 1, at, Some(false), bindings)
            }
            Item::Hole { hole, kinds } => self.hole(item, at, *hole, kinds.as_ref(), bindings),
            Item::Run { hole } => self.run(item, at, *hole, filled, bindings),
            Item::Filled { .. } => false,
        }
    }

    /// What a bound hole holds must stand here again.
    fn again(&mut self, item: usize, at: u32, hole: usize, bindings: &mut Bindings) -> bool {
        let Some(bound) = bindings[hole].clone() else { return false };
        let mut at = at;
        for word in self.index.words_of(&bound.range) {
            at = self.index.next[at as usize];
            if self.index.words[at as usize] != Some(word) {
                return false;
            }
            at += 1;
        }
        self.go(item + 1, at, None, bindings)
    }

    fn hole(
        &mut self,
        item: usize,
        at: u32,
        hole: usize,
        kinds: Option<&Kinds>,
        bindings: &mut Bindings,
    ) -> bool {
        if bindings[hole].is_some() {
            return self.again(item, at, hole, bindings);
        }
        let mut last_end = None;
        for &node in self.index.nodes_at(at) {
            let fits = match kinds {
                Some(kinds) => self.index.is_of(node, kinds),
                None => matches!(self.index.tree.kind(node), Kind::Rule | Kind::Token | Kind::Opaque),
            };
            let range = self.index.tree.inner_range(node);
            if !fits || last_end == Some(range.end) {
                continue;
            }
            last_end = Some(range.end);
            bindings[hole] = Some(Bound { range: range.clone(), first: Some(node) });
            if self.go(item + 1, range.end, None, bindings) {
                return true;
            }
        }
        bindings[hole] = None;
        false
    }

    fn run(&mut self, item: usize, at: u32, hole: usize, filled: Expected, bindings: &mut Bindings) -> bool {
        if bindings[hole].is_some() {
            return self.again(item, at, hole, bindings);
        }
        if filled != Some(true) {
            bindings[hole] = Some(Bound { range: at..at, first: None });
            if self.go(item + 1, at, None, bindings) {
                return true;
            }
        }
        if filled != Some(false) {
            for bound in self.runs_at(at) {
                let end = bound.range.end;
                bindings[hole] = Some(bound);
                if self.go(item + 1, end, None, bindings) {
                    return true;
                }
            }
        }
        bindings[hole] = None;
        false
    }

    /// The runs of neighbours that start here, shortest first. Of several with the same tokens the elements of a list
    /// come before the list as a whole.
    fn runs_at(&self, at: u32) -> Vec<Bound> {
        let (index, tree) = (self.index, self.index.tree);
        let mut runs: Vec<(bool, Bound)> = Vec::new();
        // Where the pattern starts, a run is a part of the node that is looked for, or that node, and not what follows it.
        let kinds = self.pattern.kinds.as_ref().filter(|_| at == self.start);
        let looked_for = |node: &NodeId| kinds.is_none_or(|kinds| index.is_of(*node, kinds));
        let nodes = index.nodes_at(at);
        let outside = nodes.iter().position(looked_for).unwrap_or(nodes.len());
        for (depth, &first) in nodes[outside..].iter().enumerate() {
            let most = if kinds.is_some() && depth == 0 { 1 } else { usize::MAX };
            let listed = tree.parent(first).is_some_and(|parent| matches!(tree.kind(parent), Kind::List(_)));
            let start = tree.inner_range(first).start;
            for last in index.siblings(first).take(most).filter(|node| !index.is_separator(*node)) {
                let end = if last == first { tree.inner_range(last).end } else { tree.token_range(last).end };
                runs.push((!listed, Bound { range: start..end, first: Some(first) }));
            }
        }
        runs.sort_by_key(|(unlisted, bound)| (bound.range.end, *unlisted));
        runs.dedup_by_key(|(_, bound)| bound.range.end);
        runs.into_iter().map(|(_, bound)| bound).collect()
    }

    /// The pattern ends here: a match, if that is the end of a node or of neighbours in a list.
    fn end(&mut self, at: u32, bindings: &Bindings) -> bool {
        let Some((range, node)) = self.extent(at) else { return false };
        if range.is_empty() || !self.conditions.iter().all(|condition| self.holds(condition, bindings)) {
            return false;
        }
        self.found.push(Match { range, node, bindings: bindings.clone() });
        self.first_only || self.found.len() >= MOST_MATCHES
    }

    /// The node, or the neighbours in a list, from the start of the search to here.
    fn extent(&self, at: u32) -> Option<(Range<u32>, Option<NodeId>)> {
        let (index, tree) = (self.index, self.index.tree);
        let kinds = self.pattern.kinds.as_ref();
        let fits = |node: &NodeId| kinds.is_none_or(|kinds| index.is_of(*node, kinds));
        let nodes = index.nodes_at(self.start);
        let mut whole = nodes.iter().filter(|node| index.end(**node) == at).copied();
        if let Some(node) = whole.clone().find(&fits) {
            let removable = whole.find(|node| tree.is_deletable(*node)).unwrap_or(node);
            return Some((tree.inner_range(node), Some(removable)));
        }
        let first = nodes.iter().find(|node| fits(node) && tree.role(**node) == Role::Element)?;
        let last = index.siblings(*first).find(|node| index.end(*node) >= at)?;
        let exact = index.end(last) == at && tree.role(last) == Role::Element;
        exact.then(|| (tree.inner_range(*first).start..tree.token_range(last).end, None))
    }

    /// Whether a condition holds, or cannot be told yet.
    fn holds(&self, condition: &Condition, bindings: &Bindings) -> bool {
        let (Condition::SameCount(one, other) | Condition::Lacks(one, other)) = condition;
        let (Some(one), Some(other)) = (&bindings[*one], &bindings[*other]) else { return true };
        match condition {
            Condition::SameCount(..) => self.index.elements(one).len() == self.index.elements(other).len(),
            Condition::Lacks(..) => {
                let absent: Vec<u32> = self.index.words_of(&other.range).collect();
                !self.index.words_of(&one.range).any(|word| absent.contains(&word))
            }
        }
    }
}

fn is_empty(bindings: &Bindings, hole: usize) -> bool {
    bindings[hole].as_ref().is_none_or(|bound| bound.range.is_empty())
}
