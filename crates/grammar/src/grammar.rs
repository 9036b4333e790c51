//! A grammar ready for use: rules, automata, slots and, on demand, shortest texts.

use crate::automaton::{Automaton, ListInfo};
use crate::closure::{Closure, SlotId};
use crate::rule::{RuleId, Rules, SymbolId};
use crate::shortest::{Shortest, Template};
use std::collections::HashMap;
use std::sync::OnceLock;

/// A compiled grammar.
#[derive(Debug)]
pub struct Grammar {
    rules: Rules,
    automaton: Automaton,
    closure: Closure,
    symbols: HashMap<(String, bool), SymbolId>,
    names: HashMap<String, RuleId>,
    shortest: OnceLock<Shortest>,
}

impl Grammar {
    /// Compiles the rules.
    pub fn new(rules: Rules) -> Self {
        let mut closure = Closure::new(&rules);
        let automaton = Automaton::new(&rules, &mut closure);
        let symbols = rules
            .symbols
            .iter()
            .enumerate()
            .map(|(index, symbol)| ((symbol.name.clone(), symbol.named), SymbolId(index as u32)))
            .collect();
        let mut names = HashMap::new();
        for (index, definition) in rules.definitions.iter().enumerate() {
            names.entry(definition.name.clone()).or_insert(RuleId(index as u32));
        }
        Grammar { rules, automaton, closure, symbols, names, shortest: OnceLock::new() }
    }

    /// The tables it was compiled from.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    pub(crate) fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// The symbol with this name.
    pub fn symbol(&self, name: &str, named: bool) -> Option<SymbolId> {
        self.symbols.get(&(name.to_owned(), named)).copied()
    }

    /// The rule with this name, hidden or not.
    pub fn rule(&self, name: &str) -> Option<RuleId> {
        self.names.get(name).copied()
    }

    /// The bodies a node of this kind can have, likeliest first.
    pub fn bodies(&self, symbol: SymbolId) -> &[RuleId] {
        &self.rules.bodies[symbol.index()]
    }

    /// Facts about a list that occurs in a derivation.
    pub fn list(&self, list: u32) -> ListInfo {
        self.automaton.lists[list as usize]
    }

    /// The slot that takes exactly what can stand for this symbol.
    pub fn slot_of_symbol(&self, symbol: SymbolId) -> SlotId {
        self.automaton.symbol_slots[symbol.index()]
    }

    /// The slot that takes exactly what can stand for this rule, hidden or not.
    pub fn slot_of_rule(&self, rule: RuleId) -> SlotId {
        self.automaton.rule_slots[rule.index()]
    }

    /// Whether a node of this kind may stand in the slot.
    pub fn replaceable(&self, slot: SlotId, symbol: SymbolId) -> bool {
        self.closure.slots[slot.index()].contains(symbol)
    }

    /// Whether everything that may stand in `narrow` may stand in `wide` too.
    pub fn covers(&self, wide: SlotId, narrow: SlotId) -> bool {
        let (wide, narrow) = (&self.closure.slots[wide.index()], &self.closure.slots[narrow.index()]);
        narrow.is_subset(wide)
    }

    /// The kinds of node that may stand in the slot.
    pub fn members(&self, slot: SlotId) -> impl Iterator<Item = SymbolId> {
        self.closure.slots[slot.index()].iter()
    }

    fn shortest(&self) -> &Shortest {
        self.shortest.get_or_init(|| Shortest::new(&self.rules))
    }

    /// The shortest text of a node of this kind, as tokens; nothing when a scanner's token has no known text.
    pub fn shortest_of_symbol(&self, symbol: SymbolId) -> Option<&Template> {
        self.shortest().symbol(symbol)
    }

    /// The shortest text of a rule, hidden or not.
    pub fn shortest_of_rule(&self, rule: RuleId) -> Option<&Template> {
        self.shortest().rule(rule)
    }

    /// The shortest texts that may stand in a slot, one for each kind of node, shortest first, without repeats.
    /// Punctuation and keywords take the place of their like only: where a named node fits, each operator that can be
    /// quoted as a name (Elixir has 60) would be a text of its own. Tokens that are not [fixed](crate::Piece::fixed)
    /// are placeholders: fill them from the text they replace.
    pub fn alternatives(&self, slot: SlotId) -> Vec<(SymbolId, &Template)> {
        let named = |symbol: &SymbolId| self.rules.symbols[symbol.index()].named;
        let any_named = self.members(slot).any(|symbol| named(&symbol));
        let mut found: Vec<(SymbolId, &Template)> = self
            .members(slot)
            .filter(|symbol| !any_named || named(symbol))
            .filter_map(|symbol| self.shortest().symbol(symbol).map(|template| (symbol, template)))
            .collect();
        found.sort_by_key(|(symbol, template)| {
            (template.len(), template.text().len(), template.text(), *symbol)
        });
        found.dedup_by(|a, b| a.1 == b.1);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANGUAGE: &str = "
        program = _statement*
        _statement = _expression \";\" | block | while
        block = \"{\" _statement* \"}\"
        while = \"while\" \"(\" _expression \")\" _statement
        _expression = name | number | call | sum
        call = _expression \"(\" (_expression (\",\" _expression)*)? \")\"
        sum = _expression \"+\" _expression
        argument = _expression
        name = /[a-z]+/
        number = /[0-9]+/
        endless = \"x\" endless";

    fn grammar() -> Grammar {
        Grammar::new(Rules::from_notation("test", LANGUAGE).unwrap())
    }

    #[test]
    fn the_shortest_text_of_every_rule_is_found() {
        let grammar = grammar();
        for (rule, text) in [
            ("program", Some("")),
            ("_statement", Some("0 ;")),
            ("while", Some("while ( 0 ) 0 ;")),
            ("call", Some("0 ( )")),
            ("sum", Some("0 + 0")),
            ("number", Some("0")),
            ("endless", None),
        ] {
            let rule_id = grammar.rule(rule).unwrap();
            assert_eq!(grammar.shortest_of_rule(rule_id).map(Template::text).as_deref(), text, "{rule}");
        }
    }

    #[test]
    fn alternatives_of_a_slot_come_shortest_first_with_placeholders() {
        let grammar = grammar();
        let slot = grammar.slot_of_symbol(grammar.symbol("argument", true).unwrap());
        let texts: Vec<_> = grammar.alternatives(slot).iter().map(|(_, template)| template.text()).collect();
        assert_eq!(texts, ["0", "a", "0 ( )", "0 + 0"]);
        let name = grammar.shortest_of_symbol(grammar.symbol("name", true).unwrap()).unwrap();
        assert!(!name.pieces()[0].fixed, "a name is a placeholder");
    }

    #[test]
    fn a_wrapper_may_be_replaced_by_what_it_wraps_but_not_the_other_way_round() {
        let grammar = grammar();
        let symbol = |name| grammar.symbol(name, true).unwrap();
        let fits = |place, with| grammar.replaceable(grammar.slot_of_symbol(symbol(place)), symbol(with));
        assert!(fits("argument", "sum"));
        assert!(!fits("sum", "argument"));
        assert!(!fits("while", "block"));
    }

    #[test]
    fn a_kind_with_several_bodies_stands_for_what_all_of_them_can_be() {
        // The last statement of a block has no semicolon and is called a statement all the same.
        let json = r#"{"name": "t", "rules": {
            "block": {"type": "SEQ", "members": [
                {"type": "REPEAT", "content": {"type": "SYMBOL", "name": "statement"}},
                {"type": "ALIAS", "named": true, "value": "statement", "content": {"type": "SYMBOL", "name": "last"}}]},
            "statement": {"type": "SEQ", "members": [
                {"type": "SYMBOL", "name": "word"}, {"type": "STRING", "value": ";"}]},
            "last": {"type": "CHOICE", "members": [
                {"type": "SYMBOL", "name": "word"}, {"type": "SYMBOL", "name": "operator"}]},
            "word": {"type": "PATTERN", "value": "[a-z]+"},
            "operator": {"type": "CHOICE", "members": [
                {"type": "STRING", "value": "+"}, {"type": "STRING", "value": "-"}]}}}"#;
        let grammar = Grammar::new(Rules::from_json(json, &std::collections::BTreeMap::new()).unwrap());
        let symbol = |name| grammar.symbol(name, true).unwrap();
        assert!(!grammar.replaceable(grammar.slot_of_symbol(symbol("statement")), symbol("word")));
        assert_eq!(grammar.shortest_of_symbol(symbol("statement")).unwrap().text(), "a ;");
        // Where a name fits, operators are no texts of their own.
        let slot = grammar.slot_of_symbol(symbol("last"));
        let texts: Vec<_> = grammar.alternatives(slot).iter().map(|(_, template)| template.text()).collect();
        assert_eq!(texts, ["+", "a"]);
        let last = grammar.rule("last").unwrap();
        assert_eq!(grammar.shortest_of_rule(last).unwrap().text(), "a");
    }

    #[test]
    fn a_token_of_one_place_is_not_replaced_by_others_of_its_name() {
        // In `let x = "a b"` the name is a word and the value is any text; both are shown as text.
        let json = r#"{"name": "t", "rules": {
            "binding": {"type": "SEQ", "members": [
                {"type": "ALIAS", "named": true, "value": "text", "content": {"type": "PATTERN", "value": "[a-z]+"}},
                {"type": "CHOICE", "members": [{"type": "BLANK"}, {"type": "SEQ", "members": [
                    {"type": "STRING", "value": "="}, {"type": "SYMBOL", "name": "text"}]}]}]},
            "label": {"type": "ALIAS", "named": true, "value": "mark", "content": {"type": "PATTERN", "value": "[a-z]+"}},
            "text": {"type": "PATTERN", "value": "[^=]+"}}}"#;
        let grammar = Grammar::new(Rules::from_json(json, &std::collections::BTreeMap::new()).unwrap());
        let symbol = |name| grammar.symbol(name, true).unwrap();
        let fits = |place, with| grammar.replaceable(grammar.slot_of_symbol(symbol(place)), symbol(with));
        assert!(!fits("binding", "text"));
        assert!(fits("label", "mark"), "nothing else is called so");
        assert!(fits("text", "text"));
    }

    #[test]
    fn the_compact_form_reads_back_the_same() {
        let rules = Rules::from_notation("test", LANGUAGE).unwrap();
        assert_eq!(Rules::decode(&rules.encode()).unwrap(), rules);
        assert!(Rules::decode(&rules.encode()[..20]).is_err());
    }
}
