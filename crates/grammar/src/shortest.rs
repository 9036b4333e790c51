//! The shortest text of every rule and every kind of node, by fixpoint over the grammar.

use crate::rule::{Rule, RuleId, Rules, Sample, SymbolId};

/// One token of a shortest text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Piece {
    /// The token's text.
    pub text: String,
    /// The symbol it shows as, if it shows.
    pub symbol: Option<SymbolId>,
    /// No white space may stand before it.
    pub immediate: bool,
    /// Always this very text; otherwise a placeholder for any token of its kind.
    pub fixed: bool,
}

/// A shortest text, as tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Template(Vec<Piece>);

impl Template {
    /// Its tokens.
    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// How many tokens it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// No token at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The tokens with one space between them where there may be one.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for piece in &self.0 {
            if !text.is_empty() && !piece.immediate && !piece.text.is_empty() {
                text.push(' ');
            }
            text.push_str(&piece.text);
        }
        text
    }

    /// Fewer tokens first, then fewer odd ones, then fewer bytes, then alphabetically, so that the fixpoint does not
    /// depend on order.
    fn is_better_than(&self, other: &Template) -> bool {
        let size = |template: &Template| {
            let bytes = template.0.iter().map(|piece| piece.text.len()).sum::<usize>();
            (template.0.len(), template.odd(), bytes)
        };
        (size(self), self) < (size(other), other)
    }

    /// How many of its tokens are likely to be understood in some places only: an operator as a name (`+` in Elixir
    /// and Julia), a name in a special spelling (`\\` in Verilog). Words and numbers stand anywhere.
    fn odd(&self) -> usize {
        let is_odd = |piece: &&Piece| !is_word(&piece.text) && (!piece.fixed || self.0.len() == 1);
        self.0.iter().filter(is_odd).count()
    }
}

/// A word or a number.
pub(crate) fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

#[derive(Debug)]
pub(crate) struct Shortest {
    rules: Vec<Option<Template>>,
    symbols: Vec<Option<Template>>,
}

impl Shortest {
    /// Where nodes of one kind can have several bodies (a statement with and without its semicolon), nobody says which
    /// one a place takes; the likeliest that has a text counts.
    pub(crate) fn new(grammar: &Rules) -> Self {
        let all = Shortest::among(grammar, &grammar.bodies);
        let likeliest = |bodies: &Vec<RuleId>| {
            let found = bodies.iter().find(|body| all.rules[body.index()].is_some());
            found.map_or_else(Vec::new, |body| vec![*body])
        };
        let bodies: Vec<_> = grammar.bodies.iter().map(likeliest).collect();
        let mut shortest = Shortest::among(grammar, &bodies);
        // A body that needs another body of its own kind inside has no text without that.
        let fill = |found: &mut Vec<Option<Template>>, all: Vec<Option<Template>>| {
            for (found, all) in found.iter_mut().zip(all) {
                *found = found.take().or(all);
            }
        };
        fill(&mut shortest.rules, all.rules);
        fill(&mut shortest.symbols, all.symbols);
        shortest
    }

    fn among(grammar: &Rules, bodies: &[Vec<RuleId>]) -> Self {
        let symbols = (0..grammar.symbols.len())
            .map(|index| {
                let sample = grammar.samples[index].as_ref()?;
                token(sample, Some(SymbolId(index as u32)))
            })
            .collect();
        let mut shortest = Shortest { rules: vec![None; grammar.definitions.len()], symbols };
        let mut changed = true;
        while changed {
            changed = false;
            for (index, definition) in grammar.definitions.iter().enumerate() {
                if let Some(found) = shortest.expand(grammar, &definition.body) {
                    changed |= improve(&mut shortest.rules[index], found);
                }
            }
            for (index, bodies) in bodies.iter().enumerate() {
                // A token has its own text; its body only says how the token is built.
                if grammar.samples[index].is_some() {
                    continue;
                }
                for body in bodies {
                    if let Some(found) = shortest.rules[body.index()].clone() {
                        changed |= improve(&mut shortest.symbols[index], found);
                    }
                }
            }
        }
        shortest
    }

    pub(crate) fn rule(&self, rule: RuleId) -> Option<&Template> {
        self.rules[rule.index()].as_ref()
    }

    pub(crate) fn symbol(&self, symbol: SymbolId) -> Option<&Template> {
        self.symbols[symbol.index()].as_ref()
    }

    fn expand(&self, grammar: &Rules, rule: &Rule) -> Option<Template> {
        match rule {
            Rule::Blank | Rule::Optional(_) | Rule::List { min: 0, .. } => Some(Template::default()),
            Rule::Child(symbol) => self.symbols[symbol.index()].clone(),
            Rule::Own(text, symbol) => token(&grammar.texts[text.index()], Some(*symbol)),
            Rule::Silent(text, symbol) => token(&grammar.texts[text.index()], *symbol),
            Rule::Call(rule) => self.rules[rule.index()].clone(),
            Rule::Seq(parts) => {
                let mut all = Template::default();
                for part in parts {
                    all.0.extend(self.expand(grammar, part)?.0);
                }
                Some(all)
            }
            Rule::Choice(parts) => {
                let mut best = None;
                for found in parts.iter().filter_map(|part| self.expand(grammar, part)) {
                    improve(&mut best, found);
                }
                best
            }
            Rule::List { element, separator, min, .. } => {
                let mut all = self.expand(grammar, element)?;
                for _ in 1..*min {
                    if let Some(separator) = separator {
                        all.0.extend(self.expand(grammar, separator)?.0);
                    }
                    all.0.extend(self.expand(grammar, element)?.0);
                }
                Some(all)
            }
        }
    }
}

fn token(sample: &Sample, symbol: Option<SymbolId>) -> Option<Template> {
    let text = sample.text.clone()?;
    if text.is_empty() {
        return Some(Template::default());
    }
    Some(Template(vec![Piece { text, symbol, immediate: sample.immediate, fixed: sample.fixed }]))
}

fn improve(best: &mut Option<Template>, found: Template) -> bool {
    if best.as_ref().is_none_or(|old| found.is_better_than(old)) {
        *best = Some(found);
        return true;
    }
    false
}
