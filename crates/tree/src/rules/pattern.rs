//! Rules for one language: patterns and replacements cut into words and holes, kinds of node looked up in the grammar.

use std::collections::BTreeSet;

use dwindle_grammar::SymbolId;
use dwindle_syntax::{Language, TokenKind};

use super::text::{Elsewhere, Find, Rule, RuleError, RuleFile, Text};

/// A hole by number, in the order in which a rule's lines name them.
pub(super) type HoleId = usize;

/// Kinds of node.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinds {
    pub(super) symbols: BTreeSet<SymbolId>,
    /// One token only.
    pub(super) single: bool,
}

/// A part of a pattern or of a replacement.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// This very token.
    Word(Box<[u8]>),
    /// A comma that only stands where the runs beside it are not empty.
    Comma { left: Option<HoleId>, right: Option<HoleId> },
    /// A node.
    Hole { hole: HoleId, kinds: Option<Kinds> },
    /// Neighbours in a row, none perhaps.
    Run { hole: HoleId },
    /// In a replacement: what a hole holds, with the names of some parameters replaced by arguments.
    Filled { hole: HoleId, name: NamePlace, parameters: HoleId, arguments: HoleId },
}

/// Where a parameter has its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamePlace {
    First,
    Last,
}

/// A pattern, and of which kinds of node its match must be.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) kinds: Option<Kinds>,
    pub(super) items: Vec<Item>,
}

/// What happens to other places.
#[derive(Clone, Debug)]
pub(super) struct Replacement {
    pub(super) scope: Option<Kinds>,
    pub(super) pattern: Pattern,
    pub(super) becomes: Vec<Item>,
}

/// What must hold of a match.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// Two runs are equally long.
    SameCount(HoleId, HoleId),
    /// No token of the first is a token of the second.
    Lacks(HoleId, HoleId),
}

/// A rule for one language.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub(super) name: String,
    pub(super) pattern: Pattern,
    pub(super) becomes: Vec<Vec<Item>>,
    pub(super) elsewhere: Vec<Replacement>,
    pub(super) conditions: Vec<Condition>,
    pub(super) holes: usize,
}

impl Compiled {
    /// The rule of a file, for a language.
    pub(super) fn new(file: &RuleFile, rule: &Rule, language: &Language) -> Result<Self, RuleError> {
        let mut reader = PatternReader { file, language, holes: Vec::new(), bound: 0 };
        let Rule { name, find, becomes, elsewhere, conditions, .. } = rule;
        let pattern = reader.pattern(find)?;
        reader.bound = reader.holes.len();
        let becomes = becomes.iter().map(|text| reader.replacement(text)).collect::<Result<_, _>>()?;
        let elsewhere = elsewhere.iter().map(|part| reader.elsewhere(part)).collect::<Result<_, _>>()?;
        let conditions = conditions.iter().map(|text| reader.condition(text)).collect::<Result<_, _>>()?;
        Ok(Compiled {
            name: name.clone(),
            pattern,
            becomes,
            elsewhere,
            conditions,
            holes: reader.holes.len(),
        })
    }
}

/// Reads the patterns of one rule.
struct PatternReader<'r> {
    file: &'r RuleFile,
    language: &'r Language,
    holes: Vec<String>,
    /// How many of the holes the pattern to find binds.
    bound: usize,
}

impl PatternReader<'_> {
    fn fail(&self, at: &Text, problem: impl Into<String>) -> RuleError {
        RuleError { file: self.file.name.clone(), line: at.line, problem: problem.into() }
    }

    fn pattern(&mut self, find: &Find) -> Result<Pattern, RuleError> {
        let kinds = match &find.kinds {
            Some(kinds) => Some(self.kinds(&find.pattern, kinds)?),
            None => None,
        };
        let items = self.items(&find.pattern, true)?;
        match items.first() {
            None => Err(self.fail(&find.pattern, "the pattern is empty")),
            Some(Item::Word(_)) => Ok(Pattern { kinds, items }),
            Some(Item::Hole { hole, .. } | Item::Run { hole }) if *hole < self.bound => {
                Ok(Pattern { kinds, items })
            }
            Some(_) if kinds.is_some() => Ok(Pattern { kinds, items }),
            Some(_) => Err(self.fail(
                &find.pattern,
                "a pattern that starts with a hole matches anything: say of which kind of node it is, as in \
                 `find(KIND) PATTERN` (`dwindle tree FILE` shows kinds)",
            )),
        }
    }

    fn replacement(&mut self, text: &Text) -> Result<Vec<Item>, RuleError> {
        self.items(text, false)
    }

    fn elsewhere(&mut self, part: &Elsewhere) -> Result<Replacement, RuleError> {
        let scope = match &part.scope {
            Some(kinds) => Some(self.kinds(&part.find.pattern, kinds)?),
            None => None,
        };
        let pattern = self.pattern(&part.find)?;
        let becomes = self.replacement(&part.becomes)?;
        Ok(Replacement { scope, pattern, becomes })
    }

    fn condition(&self, text: &Text) -> Result<Condition, RuleError> {
        let words: Vec<&str> = text.text.split_whitespace().collect();
        let hole = |word: &str| {
            let name = word.trim_start_matches(['$', '*']);
            let known = self.holes.iter().position(|hole| hole == name);
            known.ok_or_else(|| self.fail(text, format!("no pattern of this rule has a hole `${name}`")))
        };
        match words[..] {
            ["count", one, "=", "count", other] => Ok(Condition::SameCount(hole(one)?, hole(other)?)),
            [one, "lacks", other] => Ok(Condition::Lacks(hole(one)?, hole(other)?)),
            _ => Err(self.fail(text, "conditions are `count $a = count $b` and `$a lacks $b`")),
        }
    }

    /// The kinds of node that `a|b|c` names: kinds of the grammar, hidden rules of it, `name`, `literal`.
    fn kinds(&self, at: &Text, names: &str) -> Result<Kinds, RuleError> {
        let grammar = self.language.grammar();
        let of_sort = |sort| {
            let symbols = (0..grammar.rules().symbols.len() as u32).map(SymbolId);
            symbols.filter(move |symbol| self.language.token_kind(*symbol) == sort)
        };
        let mut kinds = Kinds { single: names == "name", ..Kinds::default() };
        for name in names.split('|').map(str::trim) {
            match name {
                "name" => kinds.symbols.extend(of_sort(TokenKind::Identifier)),
                "literal" => kinds.symbols.extend(of_sort(TokenKind::Literal)),
                _ => {
                    let hidden = grammar.rule(name).or_else(|| grammar.rule(&format!("_{name}")));
                    if let Some(symbol) = grammar.symbol(name, true) {
                        kinds.symbols.insert(symbol);
                    } else if let Some(rule) = hidden {
                        kinds.symbols.extend(grammar.members(grammar.slot_of_rule(rule)));
                    } else {
                        return Err(self.fail(
                            at,
                            format!(
                                "{} has no kind of node `{name}`: `dwindle tree FILE` shows the kinds there are",
                                self.language.title()
                            ),
                        ));
                    }
                }
            }
        }
        Ok(kinds)
    }

    /// A pattern or replacement as words and holes.
    fn items(&mut self, text: &Text, is_pattern: bool) -> Result<Vec<Item>, RuleError> {
        let mut items = Vec::new();
        let mut rest = text.text.trim_start();
        while !rest.is_empty() {
            // Two dollar signs are one that starts a word, such as `${`.
            let escaped = rest.starts_with("$$");
            if let Some(hole) = rest.strip_prefix('$').filter(|_| !escaped) {
                rest = self.hole(text, hole, is_pattern, &mut items)?;
            } else {
                rest = &rest[usize::from(escaped)..];
                let end = word_end(rest, self.language, &self.file.letters);
                items.push(Item::Word(rest.as_bytes()[..end].into()));
                rest = &rest[end..];
            }
            rest = rest.trim_start();
        }
        let run = |item: Option<&Item>| match item {
            Some(Item::Run { hole }) => Some(*hole),
            _ => None,
        };
        for at in 0..items.len() {
            let (left, right) = (at.checked_sub(1).and_then(|at| run(items.get(at))), run(items.get(at + 1)));
            let is_comma = matches!(&items[at], Item::Word(word) if **word == *b",");
            if is_comma && (left.is_some() || right.is_some()) {
                items[at] = Item::Comma { left, right };
            }
        }
        Ok(items)
    }

    /// Reads a hole, behind its `$`, and gives what comes after it.
    fn hole<'t>(
        &mut self,
        at: &Text,
        text: &'t str,
        is_pattern: bool,
        items: &mut Vec<Item>,
    ) -> Result<&'t str, RuleError> {
        let (name, is_run) = text.strip_prefix('*').map_or((text, false), |name| (name, true));
        let (name, mut rest) = split_name(name);
        let hole = self.hole_id(at, name, is_pattern)?;
        let mut kinds = None;
        let kind_names = rest.strip_prefix(':').filter(|names| names.starts_with(is_name_byte) && !is_run);
        if let Some(names) = kind_names {
            let end = names.find(|c: char| !is_name_byte(c) && c != '|').unwrap_or(names.len());
            if !is_pattern {
                return Err(
                    self.fail(at, format!("`${name}` has its kind in the pattern: leave it out here"))
                );
            }
            kinds = Some(self.kinds(at, &names[..end])?);
            rest = &names[end..];
        } else if let Some(filled) = rest.strip_prefix('@') {
            let wrong = || self.fail(at, format!("write `${name}@first($*params, $*args)` or `@last`"));
            let (inside, behind) = filled.split_once(')').ok_or_else(wrong)?;
            let (place, runs) = inside.split_once('(').ok_or_else(wrong)?;
            let place = match place {
                "first" => NamePlace::First,
                "last" => NamePlace::Last,
                _ => return Err(wrong()),
            };
            let (parameters, arguments) = runs.split_once(',').ok_or_else(wrong)?;
            let run = |run: &str| run.trim().strip_prefix("$*").map(str::to_owned).ok_or_else(wrong);
            let (parameters, arguments) = (run(parameters)?, run(arguments)?);
            let (parameters, arguments) =
                (self.hole_id(at, &parameters, false)?, self.hole_id(at, &arguments, false)?);
            items.push(Item::Filled { hole, name: place, parameters, arguments });
            return Ok(behind);
        }
        items.push(if is_run { Item::Run { hole } } else { Item::Hole { hole, kinds } });
        Ok(rest)
    }

    fn hole_id(&mut self, at: &Text, name: &str, is_pattern: bool) -> Result<HoleId, RuleError> {
        if name.is_empty() {
            return Err(self.fail(at, "`$` starts a hole and needs a name; a dollar sign itself is `$$`"));
        }
        if let Some(known) = self.holes.iter().position(|hole| hole == name) {
            return Ok(known);
        }
        if !is_pattern {
            return Err(self.fail(at, format!("no pattern of this rule has a hole `${name}`")));
        }
        self.holes.push(name.to_owned());
        Ok(self.holes.len() - 1)
    }
}

fn is_name_byte(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn split_name(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c| !is_name_byte(c)).unwrap_or(text.len()))
}

/// Where the first token of a text ends: the longest of a word, a quoted string and the grammar's own punctuation.
fn word_end(text: &str, language: &Language, letters: &str) -> usize {
    let is_letter = |c: char| is_name_byte(c) || !c.is_ascii() || letters.contains(c);
    let word = text.find(|c| !is_letter(c)).unwrap_or(text.len());
    let string = text.strip_prefix('"').and_then(|inside| inside.find('"')).map_or(0, |end| end + 2);
    let symbols = language.grammar().rules().symbols.iter();
    let fixed = symbols.filter(|symbol| !symbol.named && text.starts_with(symbol.name.as_str()));
    let fixed = fixed.map(|symbol| symbol.name.len()).max().unwrap_or(0);
    let one = text.chars().next().map_or(0, char::len_utf8);
    [word, string, fixed, one].into_iter().max().unwrap_or(0)
}
