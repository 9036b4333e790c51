//! The shortest texts of what may stand in a place, one for each way the grammar has to write it.

use dwindle_grammar::{Grammar, Piece, Rule, RuleId, Sample, SlotId, SymbolId};

/// How deep hidden rules are followed for their alternatives.
const DEEPEST: usize = 4;

/// The shortest texts that may stand in a slot, without repeats, those of the fewest tokens first: one for each kind of
/// node, and for kinds whose shortest text is a single token (types, modifiers) one for each alternative of their
/// rules. Pieces that are not fixed are placeholders.
pub(crate) fn templates(grammar: &Grammar, slot: SlotId) -> Vec<Vec<Piece>> {
    let mut found: Vec<Vec<Piece>> =
        grammar.members(slot).flat_map(|symbol| of_symbol(grammar, symbol)).collect();
    let bytes = |text: &[Piece]| text.iter().map(|piece| piece.text.len()).sum::<usize>();
    found.sort_by_cached_key(|text| (text.len(), bytes(text), text.clone()));
    found.dedup();
    found
}

fn of_symbol(grammar: &Grammar, symbol: SymbolId) -> Vec<Vec<Piece>> {
    let Some(shortest) = grammar.shortest_of_symbol(symbol) else { return Vec::new() };
    let token = grammar.rules().samples[symbol.index()].is_some();
    if token || shortest.len() != 1 {
        return vec![shortest.pieces().to_vec()];
    }
    let bodies = grammar.bodies(symbol).iter();
    bodies.flat_map(|body| of_rule(grammar, *body, DEEPEST)).filter(|text| text.len() == 1).collect()
}

fn of_rule(grammar: &Grammar, rule: RuleId, depth: usize) -> Vec<Vec<Piece>> {
    if depth == 0 {
        return grammar.shortest_of_rule(rule).map(|text| text.pieces().to_vec()).into_iter().collect();
    }
    expand(grammar, &grammar.rules().definitions[rule.index()].body, depth)
}

/// The shortest text of each alternative of a rule. Of a sequence, one part at a time is varied.
fn expand(grammar: &Grammar, rule: &Rule, depth: usize) -> Vec<Vec<Piece>> {
    match rule {
        Rule::Blank | Rule::Optional(_) | Rule::List { min: 0, .. } => vec![Vec::new()],
        Rule::Child(symbol) => {
            grammar.shortest_of_symbol(*symbol).map(|text| text.pieces().to_vec()).into_iter().collect()
        }
        Rule::Own(text, symbol) => {
            token(&grammar.rules().texts[text.index()], Some(*symbol)).into_iter().collect()
        }
        Rule::Silent(text, symbol) => {
            token(&grammar.rules().texts[text.index()], *symbol).into_iter().collect()
        }
        Rule::Call(rule) => of_rule(grammar, *rule, depth - 1),
        Rule::Choice(parts) => parts.iter().flat_map(|part| expand(grammar, part, depth)).collect(),
        Rule::List { element, min: 1, .. } => expand(grammar, element, depth),
        // The shortest text of a longer list is of more than one token.
        Rule::List { .. } => Vec::new(),
        Rule::Seq(parts) => {
            let parts: Vec<Vec<Vec<Piece>>> = parts.iter().map(|part| expand(grammar, part, depth)).collect();
            let shortest = |at: usize| parts[at].iter().min_by_key(|text| text.len()).cloned();
            let Some(all) = (0..parts.len()).map(shortest).collect::<Option<Vec<_>>>() else {
                return Vec::new();
            };
            let varied = |at: usize| {
                let (before, behind) = (&all[..at], &all[at + 1..]);
                parts[at].iter().map(move |text| [before.concat(), text.clone(), behind.concat()].concat())
            };
            (0..parts.len()).flat_map(varied).collect()
        }
    }
}

fn token(sample: &Sample, symbol: Option<SymbolId>) -> Option<Vec<Piece>> {
    let text = sample.text.clone()?;
    let piece = Piece { text, symbol, immediate: sample.immediate, fixed: sample.fixed };
    Some(if piece.text.is_empty() { Vec::new() } else { vec![piece] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwindle_syntax::language;

    fn texts(name: &str, symbol: &str) -> Vec<String> {
        let language = language(name).expect("it is built in");
        let grammar = language.grammar();
        let symbol = grammar.symbol(symbol, true).expect("the grammar has it");
        let found = of_symbol(grammar, symbol);
        found
            .iter()
            .map(|text| text.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn a_sized_type_can_be_written_in_four_ways() {
        let found = texts("c", "sized_type_specifier");
        for text in ["short", "long", "signed", "unsigned"] {
            assert!(found.iter().any(|found| found == text), "{text} of {found:?}");
        }
    }

    #[test]
    fn larger_things_have_one_text_each() {
        assert_eq!(texts("c", "while_statement").len(), 1);
        assert_eq!(texts("c", "binary_expression").len(), 1);
    }
}
