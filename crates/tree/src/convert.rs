//! Structure conversion: a part becomes another production of the grammar, made of its own pieces.
//!
//! `a[b]` becomes `*a`, `f(a, b)` becomes `!a`, `for (;c;) s` becomes `while (c) s`, `use a::{b}` becomes `use a::b`: whatever
//! else may stand in the place is written out with holes, and parts of the old node fill them, in their order. Only what
//! leaves fewer tokens is tried.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use dwindle_core::{Pass, Session, Stop};
use dwindle_grammar::{Grammar, Piece, Rule, RuleId, SlotId, SymbolId};
use dwindle_syntax::{Marks, NodeId, TokenId, Tree};

use crate::asker::Asker;
use crate::registry::{Family, NamedPass};
use crate::rewrite::larger_parts;
use crate::source::Source;
use crate::sources::Sources;

pub(crate) const FAMILY: Family = Family {
    presets: &[],
    passes: &[NamedPass {
        name: "convert",
        about: "make another production of the grammar of a part, out of its own pieces",
        build: |_, sources| Box::new(Convert { sources: Rc::clone(sources), tallies: RefCell::default() }),
    }],
    parameters: &[],
};

/// Larger nodes are left to passes that take them apart.
const LARGEST: usize = 64;

/// The most that is tried for one node.
const CANDIDATES: usize = 64;

/// The most ways to write one kind of node, and to write a part of it.
const FORMS: usize = 24;

/// How deep hidden rules are followed.
const DEEPEST: usize = 3;

/// How many pieces are tried in the only hole of a form.
const FILLINGS: usize = 3;

/// In eager runs, conversions of one sort that were boring so often, and never interesting, are left out.
const TRIES: u32 = 6;

struct Convert {
    sources: Rc<Sources>,
    /// What became of conversions of each sort.
    tallies: RefCell<HashMap<Sort, Tally>>,
}

/// From which kind of node to which form of which kind.
type Sort = (Option<SymbolId>, SymbolId, usize);

#[derive(Clone, Copy, Default)]
struct Tally {
    boring: u32,
    interesting: u32,
}

impl Pass for Convert {
    fn name(&self) -> &str {
        "convert"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        self.sources.each(session, |source, asker| self.convert(source, asker))
    }
}

impl Convert {
    /// Tries the conversions of each node, the heaviest first, until one is taken: the tree is another one then.
    fn convert(&self, source: &Source, asker: &mut Asker<'_, '_>) -> Result<(), Stop> {
        let tree = source.tree();
        let mut forms = Forms::new(tree.language().grammar());
        let small = |node: &NodeId| tree.inner_range(*node).len() <= LARGEST;
        let mut order: Vec<NodeId> = larger_parts(tree).filter(small).collect();
        order.sort_by_key(|node| std::cmp::Reverse(tree.inner_range(*node).len()));
        for node in order {
            let eager = asker.session().is_eager();
            let conversions: Vec<Conversion> = {
                let tallies = self.tallies.borrow();
                let hopeless = |sort: &Sort| {
                    let tally = tallies.get(sort).copied().unwrap_or_default();
                    eager && tally.interesting == 0 && tally.boring >= TRIES
                };
                let all = conversions(source, &mut forms, node).into_iter();
                all.filter(|conversion| !hopeless(&conversion.sort)).take(CANDIDATES).collect()
            };
            let range = tree.inner_range(node);
            let (before, behind) = (0..range.start, range.end..tree.tokens().len() as u32);
            let candidates = conversions.iter().map(|conversion| {
                let tokens = tree.tokens();
                let part = |range: &std::ops::Range<u32>| &tokens[range.start as usize..range.end as usize];
                source.of_tokens(&[part(&before), &conversion.tokens, part(&behind)].concat())
            });
            let won = asker.first(candidates)?;
            let mut tallies = self.tallies.borrow_mut();
            for conversion in &conversions[..won.unwrap_or(conversions.len())] {
                tallies.entry(conversion.sort).or_default().boring += 1;
            }
            if let Some(won) = won {
                tallies.entry(conversions[won].sort).or_default().interesting += 1;
                return Ok(());
            }
        }
        Ok(())
    }
}

/// What a node could become.
struct Conversion {
    sort: Sort,
    tokens: Vec<TokenId>,
}

/// A part of a form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Part {
    Text(Piece),
    Hole(SlotId),
}

type Form = Vec<Part>;

/// All conversions of a node that leave fewer tokens, those first that leave the fewest, without repeats.
fn conversions(source: &Source, forms: &mut Forms<'_>, node: NodeId) -> Vec<Conversion> {
    let tree = source.tree();
    let grammar = tree.language().grammar();
    let Some(slot) = tree.slot(node) else { return Vec::new() };
    let mut found: Vec<(usize, Conversion)> = Vec::new();
    let named = |symbol: &SymbolId| grammar.rules().symbols[symbol.index()].named;
    for symbol in grammar.members(slot).filter(named) {
        for (index, form) in forms.of(symbol).iter().enumerate() {
            for filling in fillings(tree, node, form) {
                let texts = form.iter().filter(|part| matches!(part, Part::Text(_))).count();
                let pieces: usize = filling.iter().map(|piece| tree.inner_range(*piece).len()).sum();
                if texts > 0 && texts + pieces < tree.inner_range(node).len() {
                    let tokens = written(source, node, form, &filling);
                    let sort = (tree.symbol(node), symbol, index);
                    found.push((texts + pieces, Conversion { sort, tokens }));
                }
            }
        }
    }
    found.sort_by_key(|(tokens, _)| *tokens);
    let mut seen: HashSet<Vec<Vec<u8>>> = HashSet::new();
    let lexicon = source.lexicon();
    found.retain(|(_, conversion)| {
        seen.insert(conversion.tokens.iter().map(|token| lexicon.text(*token).to_vec()).collect())
    });
    found.into_iter().map(|(_, conversion)| conversion).collect()
}

/// Descendants for the holes of a form: for one hole the first few that fit, for several the first that fit one behind the
/// other.
fn fillings(tree: &Tree, node: NodeId, form: &Form) -> Vec<Vec<NodeId>> {
    let grammar = tree.language().grammar();
    let holes: Vec<SlotId> = form
        .iter()
        .filter_map(|part| match part {
            Part::Hole(slot) => Some(*slot),
            Part::Text(_) => None,
        })
        .collect();
    let whole = tree.inner_range(node);
    let fits = |slot: SlotId, piece: NodeId| {
        let range = tree.inner_range(piece);
        !range.is_empty()
            && range != whole
            && tree.symbol(piece).is_some_and(|symbol| grammar.replaceable(slot, symbol))
    };
    match holes[..] {
        [] => vec![Vec::new()],
        [slot] => {
            let mut pieces: Vec<NodeId> = tree.descendants(node).filter(|piece| fits(slot, *piece)).collect();
            pieces.dedup_by_key(|piece| tree.inner_range(*piece));
            pieces.into_iter().take(FILLINGS).map(|piece| vec![piece]).collect()
        }
        _ => {
            let mut from = whole.start;
            let mut next = |slot: &SlotId| {
                let mut behind =
                    tree.descendants(node).filter(|piece| tree.inner_range(*piece).start >= from);
                let piece = behind.find(|piece| fits(*slot, *piece))?;
                from = tree.inner_range(piece).end;
                Some(piece)
            };
            holes.iter().map(&mut next).collect::<Option<Vec<_>>>().into_iter().collect()
        }
    }
}

/// The tokens of a form with its holes filled. The first one takes over the white space before the node.
fn written(source: &Source, node: NodeId, form: &Form, filling: &[NodeId]) -> Vec<TokenId> {
    let tree = source.tree();
    let mut lexicon = source.lexicon_mut();
    let start = tree.inner_range(node).start;
    let mut trivia = Some(lexicon.trivia(tree.tokens()[start as usize]).to_vec());
    let mut pieces = filling.iter();
    let mut tokens = Vec::new();
    for part in form {
        match part {
            Part::Text(piece) => {
                let marks = if piece.immediate { Marks::GLUED } else { Marks::NONE };
                tokens.push(lexicon.intern(&trivia.take().unwrap_or_default(), piece.text.as_bytes(), marks));
            }
            Part::Hole(_) => {
                let range = tree.inner_range(*pieces.next().expect("one for each hole"));
                let own = &tree.tokens()[range.start as usize..range.end as usize];
                let (head, rest) = own.split_first().expect("pieces have tokens");
                // What stood first in the node stood behind the white space before it.
                let moved = range.start == start;
                let before = trivia.take().or_else(|| moved.then(Vec::new));
                tokens.push(match before {
                    Some(trivia) => {
                        let (text, marks) = (lexicon.text(*head).to_vec(), lexicon.marks(*head));
                        lexicon.intern(&trivia, &text, marks)
                    }
                    None => *head,
                });
                tokens.extend_from_slice(rest);
            }
        }
    }
    tokens
}

/// The ways to write nodes of each kind.
struct Forms<'g> {
    grammar: &'g Grammar,
    known: HashMap<SymbolId, Rc<Vec<Form>>>,
}

impl<'g> Forms<'g> {
    fn new(grammar: &'g Grammar) -> Self {
        Forms { grammar, known: HashMap::new() }
    }

    fn of(&mut self, symbol: SymbolId) -> Rc<Vec<Form>> {
        let grammar = self.grammar;
        let forms = self.known.entry(symbol).or_insert_with(|| {
            let bodies = grammar.bodies(symbol).iter();
            let all = bodies
                .flat_map(|body| expand(grammar, &grammar.rules().definitions[body.index()].body, DEEPEST));
            let mut seen = HashSet::new();
            let forms = all.filter(|form| !form.is_empty() && seen.insert(form.clone()));
            Rc::new(forms.take(FORMS).collect())
        });
        Rc::clone(forms)
    }
}

fn expand(grammar: &Grammar, rule: &Rule, depth: usize) -> Vec<Form> {
    let mut forms = match rule {
        Rule::Blank => vec![Vec::new()],
        Rule::Child(symbol) | Rule::Own(_, symbol) => match &grammar.rules().samples[symbol.index()] {
            Some(sample) if sample.fixed => text(sample.text.as_deref(), sample.immediate, Some(*symbol)),
            _ => vec![vec![Part::Hole(grammar.slot_of_symbol(*symbol))]],
        },
        Rule::Silent(id, symbol) => {
            let sample = &grammar.rules().texts[id.index()];
            let known = sample.text.as_deref().filter(|_| sample.fixed);
            text(known, sample.immediate, *symbol)
        }
        Rule::Call(rule) => call(grammar, *rule, depth),
        Rule::Choice(parts) => parts.iter().flat_map(|part| expand(grammar, part, depth)).collect(),
        Rule::Optional(part) => with_nothing(expand(grammar, part, depth)),
        Rule::List { element, min: 0, .. } => with_nothing(expand(grammar, element, depth)),
        Rule::List { element, min: 1, .. } => expand(grammar, element, depth),
        Rule::List { .. } => Vec::new(),
        Rule::Seq(parts) => parts.iter().fold(vec![Vec::new()], |forms, part| {
            let ways = expand(grammar, part, depth);
            let longer = |form: &Form| ways.iter().map(|way| [&form[..], way].concat()).collect::<Vec<_>>();
            forms.iter().flat_map(longer).take(FORMS).collect()
        }),
    };
    forms.truncate(FORMS);
    forms
}

/// A hidden rule that says what may stand in a place is a hole; another one is what it is made of.
fn call(grammar: &Grammar, rule: RuleId, depth: usize) -> Vec<Form> {
    let slot = grammar.slot_of_rule(rule);
    let body = &grammar.rules().definitions[rule.index()].body;
    if matches!(body, Rule::Choice(_)) && grammar.members(slot).next().is_some() {
        return vec![vec![Part::Hole(slot)]];
    }
    if depth == 0 { Vec::new() } else { expand(grammar, body, depth - 1) }
}

fn text(text: Option<&str>, immediate: bool, symbol: Option<SymbolId>) -> Vec<Form> {
    let Some(text) = text else { return Vec::new() };
    if text.is_empty() {
        return vec![Vec::new()];
    }
    vec![vec![Part::Text(Piece { text: text.to_owned(), symbol, immediate, fixed: true })]]
}

fn with_nothing(mut forms: Vec<Form>) -> Vec<Form> {
    forms.insert(0, Vec::new());
    forms
}
