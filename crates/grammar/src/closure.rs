//! What may stand where: which symbols alone can fill a place in a rule.
//!
//! A symbol fills a place when the place derives it by steps that add no text: through hidden rules, choices,
//! optional neighbours left out, and visible rules that are only a wrapper. Text is what counts, because a
//! candidate is text: the parser rebuilds the wrappers.

use crate::rule::{Rule, RuleId, Rules, SymbolId};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A place in a rule, known by the set of symbols that can fill it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SlotId(pub u32);

impl SlotId {
    /// The position in the table of slots.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of symbols.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct SymbolSet(Vec<u64>);

impl SymbolSet {
    fn new(symbols: usize) -> Self {
        SymbolSet(vec![0; symbols.div_ceil(64)])
    }

    fn insert(&mut self, symbol: SymbolId) -> bool {
        let word = &mut self.0[symbol.index() / 64];
        let before = *word;
        *word |= 1 << (symbol.index() % 64);
        *word != before
    }

    pub(crate) fn contains(&self, symbol: SymbolId) -> bool {
        self.0.get(symbol.index() / 64).is_some_and(|word| word >> (symbol.index() % 64) & 1 == 1)
    }

    fn extend(&mut self, other: &SymbolSet) -> bool {
        let mut grew = false;
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            grew |= *more & !*word != 0;
            *word |= more;
        }
        grew
    }

    fn intersection(mut self, other: &SymbolSet) -> Self {
        for (word, limit) in self.0.iter_mut().zip(&other.0) {
            *word &= limit;
        }
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub(crate) fn is_subset(&self, of: &SymbolSet) -> bool {
        self.0.iter().zip(&of.0).all(|(word, limit)| word & !limit == 0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = SymbolId> {
        self.0.iter().enumerate().flat_map(|(index, word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| SymbolId(index as u32 * 64 + bit))
        })
    }
}

/// The closure over a grammar: slots by number, and the numbers of rules and symbols.
#[derive(Debug)]
pub(crate) struct Closure {
    nullable: Vec<bool>,
    rule_units: Vec<SymbolSet>,
    symbol_units: Vec<SymbolSet>,
    pub(crate) slots: Vec<SymbolSet>,
    numbers: HashMap<SymbolSet, SlotId>,
}

impl Closure {
    pub(crate) fn new(rules: &Rules) -> Self {
        let empty = SymbolSet::new(rules.symbols.len());
        let mut closure = Closure {
            nullable: vec![false; rules.definitions.len()],
            rule_units: vec![empty.clone(); rules.definitions.len()],
            symbol_units: vec![empty; rules.symbols.len()],
            slots: Vec::new(),
            numbers: HashMap::new(),
        };
        closure.find_nullable(rules);
        closure.find_units(rules);
        closure
    }

    fn find_nullable(&mut self, rules: &Rules) {
        let mut changed = true;
        while changed {
            changed = false;
            for (index, definition) in rules.definitions.iter().enumerate() {
                if !self.nullable[index] && self.is_nullable(rules, &definition.body) {
                    self.nullable[index] = true;
                    changed = true;
                }
            }
        }
    }

    /// Whether the part can be empty text.
    fn is_nullable(&self, rules: &Rules, rule: &Rule) -> bool {
        match rule {
            Rule::Blank | Rule::Optional(_) => true,
            Rule::Child(_) | Rule::Own(..) => false,
            // Automatic semicolons and dedents have no text of their own.
            Rule::Silent(text, _) => rules.texts[text.index()].text.as_deref() == Some(""),
            Rule::Call(rule) => self.nullable[rule.index()],
            Rule::Seq(parts) => parts.iter().all(|part| self.is_nullable(rules, part)),
            Rule::Choice(parts) => parts.iter().any(|part| self.is_nullable(rules, part)),
            Rule::List { element, min, .. } => *min == 0 || (*min == 1 && self.is_nullable(rules, element)),
        }
    }

    fn find_units(&mut self, rules: &Rules) {
        for index in 0..rules.symbols.len() {
            self.symbol_units[index].insert(SymbolId(index as u32));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (index, definition) in rules.definitions.iter().enumerate() {
                let units = self.units(rules, &definition.body);
                changed |= self.rule_units[index].extend(&units);
            }
            for (index, bodies) in rules.bodies.iter().enumerate() {
                // Of several bodies (a statement with and without its semicolon, both shown as `statement`) nobody
                // says which one a place takes: what all of them can be is safe.
                let mut bodies = bodies.iter().map(|body| &self.rule_units[body.index()]);
                let Some(first) = bodies.next().cloned() else { continue };
                let units = bodies.fold(first, SymbolSet::intersection);
                changed |= self.symbol_units[index].extend(&units);
            }
        }
    }

    /// The symbols that alone can be all the text of a part.
    fn units(&self, rules: &Rules, rule: &Rule) -> SymbolSet {
        let mut units = SymbolSet::new(rules.symbols.len());
        match rule {
            Rule::Child(symbol) | Rule::Silent(_, Some(symbol)) => {
                units.extend(&self.symbol_units[symbol.index()]);
            }
            Rule::Call(rule) => {
                units.extend(&self.rule_units[rule.index()]);
            }
            Rule::Choice(parts) => {
                for part in parts {
                    units.extend(&self.units(rules, part));
                }
            }
            Rule::Optional(inner) => return self.units(rules, inner),
            Rule::List { element, min: 0 | 1, .. } => return self.units(rules, element),
            Rule::Blank | Rule::Own(..) | Rule::Silent(_, None) | Rule::List { .. } => {}
            Rule::Seq(parts) => {
                let mut needed = parts.iter().filter(|part| !self.is_nullable(rules, part));
                match (needed.next(), needed.next()) {
                    (Some(only), None) => return self.units(rules, only),
                    (None, _) => {
                        for part in parts {
                            units.extend(&self.units(rules, part));
                        }
                    }
                    (Some(_), Some(_)) => {}
                }
            }
        }
        units
    }

    /// The slot of a place; nothing when no symbol can fill it alone.
    pub(crate) fn slot(&mut self, rules: &Rules, rule: &Rule) -> Option<SlotId> {
        let units = self.units(rules, rule);
        (!units.is_empty()).then(|| self.number(units))
    }

    /// The slot that a symbol needs for itself.
    pub(crate) fn slot_of_symbol(&mut self, symbol: SymbolId) -> SlotId {
        self.number(self.symbol_units[symbol.index()].clone())
    }

    /// The slot of a whole rule.
    pub(crate) fn slot_of_rule(&mut self, rule: RuleId) -> SlotId {
        self.number(self.rule_units[rule.index()].clone())
    }

    fn number(&mut self, units: SymbolSet) -> SlotId {
        let slots = &mut self.slots;
        *self.numbers.entry(units).or_insert_with_key(|units| {
            slots.push(units.clone());
            SlotId(slots.len() as u32 - 1)
        })
    }
}
