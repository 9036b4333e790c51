//! From the grammar as written to rules over visible children.
//!
//! tree-sitter hides much of a derivation: rules whose name starts with `_`, supertypes and inlined rules never show,
//! anonymous patterns leave no node, aliases rename. This module decides for every part of every rule what a node's
//! child list will show of it.

use crate::json::LoadError;
use crate::normal;
use crate::rule::{Definition, Rule, RuleId, Rules, Sample, Symbol, SymbolId, TextId, Trailing};
use crate::sample;
use crate::shortest::is_word;
use crate::source::{Source, SourceGrammar};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Lowers and normalises a whole grammar.
pub(crate) fn lower(
    grammar: &SourceGrammar,
    externals: &BTreeMap<String, String>,
) -> Result<Rules, LoadError> {
    let mut lowering = Lowering::new(grammar, externals);
    lowering.declare();
    lowering.bodies()?;
    lowering.extras()?;
    let mut rules = lowering.finish();
    normal::normalise(&mut rules);
    Ok(rules)
}

struct Lowering<'g> {
    grammar: &'g SourceGrammar,
    sources: HashMap<&'g str, &'g Source>,
    /// External tokens, with their text where the language's data file gives one.
    externals: HashMap<&'g str, Option<&'g str>>,
    hidden: HashSet<&'g str>,
    inline: HashSet<&'g str>,
    rules: Rules,
    symbols: HashMap<(String, bool), SymbolId>,
    texts: HashMap<Sample, TextId>,
    definitions: HashMap<String, RuleId>,
    /// What makes nodes of each kind.
    makers: Vec<Vec<&'g Source>>,
    /// Bodies that a symbol gets through aliases.
    aliased: Vec<(SymbolId, RuleId)>,
    /// Inlined rules being expanded under an alias, to stop at recursion.
    expanding: Vec<&'g str>,
}

impl<'g> Lowering<'g> {
    fn new(grammar: &'g SourceGrammar, texts: &'g BTreeMap<String, String>) -> Self {
        let sources: HashMap<_, _> =
            grammar.rules.iter().map(|(name, source)| (name.as_str(), source)).collect();
        let inline: HashSet<_> = grammar.inline.iter().map(String::as_str).collect();
        let hidden = sources
            .keys()
            .copied()
            .filter(|name| name.starts_with('_'))
            .chain(inline.iter().copied())
            .chain(grammar.supertypes.iter().map(String::as_str))
            .collect();
        let externals = grammar
            .externals
            .iter()
            .filter_map(|external| match external {
                Source::Name(name) => Some((name.as_str(), texts.get(name).map(String::as_str))),
                _ => None,
            })
            .collect();
        Lowering {
            grammar,
            sources,
            externals,
            hidden,
            inline,
            rules: Rules { name: grammar.name.clone(), ..Rules::default() },
            symbols: HashMap::new(),
            texts: HashMap::new(),
            definitions: HashMap::new(),
            makers: Vec::new(),
            aliased: Vec::new(),
            expanding: Vec::new(),
        }
    }

    /// Gives every rule its number, and every visible rule and external token its symbol.
    fn declare(&mut self) {
        for external in &self.grammar.externals {
            match external {
                Source::Name(name) if !name.starts_with('_') && !self.hidden.contains(name.as_str()) => {
                    self.symbol(name, true);
                }
                Source::Literal(text) => {
                    self.symbol(text, false);
                }
                _ => {}
            }
        }
        for (name, source) in &self.grammar.rules {
            let id = RuleId(self.rules.definitions.len() as u32);
            self.rules.definitions.push(Definition { name: name.clone(), body: Rule::Blank });
            self.definitions.insert(name.clone(), id);
            if !self.hidden.contains(name.as_str()) {
                let symbol = self.symbol(name, true);
                self.made_by(symbol, source);
            }
        }
    }

    fn bodies(&mut self) -> Result<(), LoadError> {
        for (index, (name, source)) in self.grammar.rules.iter().enumerate() {
            let body = match source.as_literal() {
                // `true: 'true'` is a leaf, unless the literal is used elsewhere too: then it has one child.
                Some(_) if source.is_token() => self.token(source),
                _ => self.part(name, source, None)?,
            };
            self.rules.definitions[index].body = body;
        }
        Ok(())
    }

    fn extras(&mut self) -> Result<(), LoadError> {
        for extra in &self.grammar.extras {
            if let Rule::Child(symbol) = self.part("extras", extra, None)? {
                self.rules.extras.push(symbol);
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Rules {
        let mut bodies = vec![Vec::new(); self.rules.symbols.len()];
        for ((name, named), symbol) in &self.symbols {
            if *named && let Some(rule) = self.definitions.get(name) {
                bodies[symbol.index()].push(*rule);
            }
        }
        for (symbol, rule) in self.aliased {
            if !bodies[symbol.index()].contains(&rule) {
                bodies[symbol.index()].push(rule);
            }
        }
        self.rules.bodies = bodies;
        // Punctuation and keywords stand for nothing but themselves anyway.
        let shared: Vec<bool> = (self.makers.iter().zip(&self.rules.symbols))
            .map(|(makers, symbol)| makers.len() > 1 && symbol.named)
            .collect();
        for definition in &mut self.rules.definitions {
            relax(&mut definition.body, &shared);
        }
        self.rules
    }

    /// What a node's children show of one part. Under an alias every step of the part takes the alias's name.
    fn part(&mut self, rule: &str, source: &'g Source, alias: Option<SymbolId>) -> Result<Rule, LoadError> {
        Ok(match source {
            Source::Blank => Rule::Blank,
            Source::Literal(text) if text.is_empty() => Rule::Blank,
            Source::Literal(_) | Source::Pattern(_) | Source::Token { .. } => {
                if let Some(alias) = alias {
                    self.made_by(alias, source);
                    Rule::Own(self.text(sample_of(source)), alias)
                } else if let Some(text) = source.as_literal().filter(|text| !text.is_empty()) {
                    let symbol = self.symbol(text, false);
                    self.sample(symbol, source);
                    Rule::Child(symbol)
                } else {
                    self.token(source)
                }
            }
            Source::Name(name) => self.name(rule, name, alias)?,
            Source::Seq(members) => Rule::Seq(self.parts(rule, members, alias)?),
            Source::Choice(members) => {
                let mut parts = self.parts(rule, members, alias)?;
                let before = parts.len();
                parts.retain(|part| *part != Rule::Blank);
                let optional = parts.len() < before;
                let choice = if parts.len() == 1 { parts.remove(0) } else { Rule::Choice(parts) };
                if optional { Rule::Optional(Box::new(choice)) } else { choice }
            }
            Source::Repeat { content, min } => {
                let list = list_of(self.part(rule, content, alias)?, *min);
                let Some(alias) = alias else { return Ok(list) };
                // The parser may also show the whole repetition as one node of the alias's kind.
                let body = list_of(self.part(rule, content, None)?, 1);
                let id = RuleId(self.rules.definitions.len() as u32);
                self.rules.definitions.push(Definition { name: format!("{rule} (repeated)"), body });
                self.aliased.push((alias, id));
                Rule::Choice(vec![Rule::Child(alias), list])
            }
            Source::Alias { content, value, named } => {
                let symbol = self.symbol(value, *named);
                self.part(rule, content, Some(symbol))?
            }
        })
    }

    fn parts(
        &mut self,
        rule: &str,
        members: &'g [Source],
        alias: Option<SymbolId>,
    ) -> Result<Vec<Rule>, LoadError> {
        members.iter().map(|member| self.part(rule, member, alias)).collect()
    }

    fn name(&mut self, rule: &str, name: &'g str, alias: Option<SymbolId>) -> Result<Rule, LoadError> {
        if let Some(source) = self.sources.get(name).copied() {
            let id = self.definitions[name];
            return Ok(match alias {
                // An inlined rule vanishes, so its steps take the alias.
                Some(_) if self.inline.contains(name) && !self.expanding.contains(&name) => {
                    self.expanding.push(name);
                    let part = self.part(rule, source, alias);
                    self.expanding.pop();
                    part?
                }
                Some(alias) => {
                    self.made_by(alias, source);
                    self.aliased.push((alias, id));
                    Rule::Child(alias)
                }
                None if !self.hidden.contains(name) => Rule::Child(self.symbol(name, true)),
                None if source.is_token() => self.token(source),
                None => Rule::Call(id),
            });
        }
        let Some(text) = self.externals.get(name).copied() else {
            return Err(LoadError::Unknown { rule: rule.to_owned(), name: name.to_owned() });
        };
        let sample = Sample { text: text.map(str::to_owned), immediate: false, fixed: false };
        let symbol = match alias {
            Some(alias) => alias,
            // Scanners make automatic semicolons, indents and the like: they leave no node.
            None if name.starts_with('_') => return Ok(Rule::Silent(self.text(sample), None)),
            None => self.symbol(name, true),
        };
        self.rules.samples[symbol.index()].get_or_insert(sample);
        Ok(Rule::Child(symbol))
    }

    /// A token without a name of its own. It leaves no node, but a literal that is used elsewhere too shows up.
    fn token(&mut self, source: &Source) -> Rule {
        let shows = source.as_literal().filter(|text| !text.is_empty()).map(|text| {
            let symbol = self.symbol(text, false);
            self.sample(symbol, source);
            symbol
        });
        let text = self.text(sample_of(source));
        Rule::Silent(text, shows)
    }

    /// The symbol of this name. Parsers hold names as C strings, so one that is a NUL byte has an empty name.
    fn symbol(&mut self, name: &str, named: bool) -> SymbolId {
        let name = name.split('\0').next().unwrap_or_default();
        let rules = &mut self.rules;
        *self.symbols.entry((name.to_owned(), named)).or_insert_with(|| {
            rules.symbols.push(Symbol { name: name.to_owned(), named });
            rules.samples.push(None);
            SymbolId(rules.symbols.len() as u32 - 1)
        })
    }

    /// Notes what makes nodes of this kind, and its shortest text if that is a token.
    fn made_by(&mut self, symbol: SymbolId, source: &'g Source) {
        if source.is_token() {
            self.sample(symbol, source);
        }
        let index = symbol.index();
        self.makers.resize_with(self.makers.len().max(index + 1), Vec::new);
        if !self.makers[index].contains(&source) {
            self.makers[index].push(source);
        }
    }

    /// Notes a token's shortest text; of several tokens under one name the shortest counts.
    fn sample(&mut self, symbol: SymbolId, source: &Source) {
        let new = sample_of(source);
        let slot = &mut self.rules.samples[symbol.index()];
        let length = |sample: &Sample| {
            sample.text.as_ref().map_or((usize::MAX, false), |text| (text.len(), !is_word(text)))
        };
        match slot {
            Some(old) => {
                let fixed = old.fixed && new.fixed && old.text == new.text;
                if length(&new) < length(old) {
                    *old = new;
                }
                old.fixed = fixed;
            }
            None => *slot = Some(new),
        }
    }

    fn text(&mut self, sample: Sample) -> TextId {
        let texts = &mut self.rules.texts;
        *self.texts.entry(sample).or_insert_with_key(|sample| {
            texts.push(sample.clone());
            TextId(texts.len() as u32 - 1)
        })
    }
}

fn sample_of(source: &Source) -> Sample {
    Sample {
        text: sample::shortest(source),
        immediate: matches!(source, Source::Token { immediate: true, .. }),
        fixed: source.as_literal().is_some(),
    }
}

/// A token whose name nothing else has is like any child.
fn relax(rule: &mut Rule, shared: &[bool]) {
    match rule {
        Rule::Own(_, symbol) if !shared[symbol.index()] => *rule = Rule::Child(*symbol),
        Rule::Seq(parts) | Rule::Choice(parts) => parts.iter_mut().for_each(|part| relax(part, shared)),
        Rule::Optional(inner) => relax(inner, shared),
        Rule::List { element, separator, .. } => {
            relax(element, shared);
            if let Some(separator) = separator {
                relax(separator, shared);
            }
        }
        Rule::Blank | Rule::Child(_) | Rule::Own(..) | Rule::Silent(..) | Rule::Call(_) => {}
    }
}

fn list_of(element: Rule, min: u32) -> Rule {
    Rule::List { element: Box::new(element), separator: None, min, trailing: Trailing::Never }
}
