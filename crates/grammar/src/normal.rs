//! Rules in the shape reduction wants: one list where the author wrote a separated list by hand or by recursion.
//!
//! ```text
//! X (sep X)*  sep?          (X sep)* X?          R: X (sep R)?          R: R sep X | X
//!       \_____________________ all become ______________________/
//!                  List { element: X, separator: sep, … }
//! ```
//!
//! Each rewrite keeps the set of child sequences a rule accepts.

use crate::rule::{Rule, RuleId, Rules, Trailing};

/// Rewrites every definition.
pub(crate) fn normalise(rules: &mut Rules) {
    for (index, definition) in rules.definitions.iter_mut().enumerate() {
        let body = std::mem::replace(&mut definition.body, Rule::Blank);
        let body = tidy(body);
        definition.body = tidy(unroll(body, RuleId(index as u32)));
    }
    // A hidden rule that is nothing but a list becomes part of the rules that use it: an optional one is then a list
    // without a minimum. Once is enough, lists of lists are rare.
    let lists: Vec<Option<Rule>> = rules
        .definitions
        .iter()
        .map(|definition| matches!(definition.body, Rule::List { .. }).then(|| definition.body.clone()))
        .collect();
    for definition in &mut rules.definitions {
        let body = std::mem::replace(&mut definition.body, Rule::Blank);
        definition.body = tidy(inline(body, &lists));
    }
}

fn inline(rule: Rule, lists: &[Option<Rule>]) -> Rule {
    let all = |parts: Vec<Rule>| parts.into_iter().map(|part| inline(part, lists)).collect();
    match rule {
        Rule::Call(called) => lists[called.index()].clone().unwrap_or(rule),
        Rule::Seq(parts) => Rule::Seq(all(parts)),
        Rule::Choice(parts) => Rule::Choice(all(parts)),
        Rule::Optional(inner) => Rule::Optional(Box::new(inline(*inner, lists))),
        // Not inside elements: a list of lists would hide which of them an element belongs to.
        Rule::List { .. } | Rule::Blank | Rule::Child(_) | Rule::Own(..) | Rule::Silent(..) => rule,
    }
}

/// Flattens nested sequences, choices and optionals, and finds separated lists, from the leaves up.
fn tidy(rule: Rule) -> Rule {
    match rule {
        Rule::Seq(parts) => {
            let mut flat = Vec::with_capacity(parts.len());
            for part in parts {
                match tidy(part) {
                    Rule::Blank => {}
                    Rule::Seq(inner) => flat.extend(inner),
                    other => flat.push(other),
                }
            }
            sequence(separated(flat))
        }
        Rule::Choice(parts) => {
            let mut flat: Vec<Rule> = Vec::with_capacity(parts.len());
            let mut optional = false;
            for part in parts {
                let part = match tidy(part) {
                    Rule::Optional(inner) => {
                        optional = true;
                        *inner
                    }
                    other => other,
                };
                match part {
                    Rule::Blank => optional = true,
                    Rule::Choice(inner) => flat.extend(inner),
                    other => flat.push(other),
                }
            }
            let mut unique: Vec<Rule> = Vec::with_capacity(flat.len());
            for part in flat {
                if !unique.contains(&part) {
                    unique.push(part);
                }
            }
            let choice = if unique.len() == 1 { unique.remove(0) } else { Rule::Choice(unique) };
            if optional { make_optional(choice) } else { choice }
        }
        Rule::Optional(inner) => make_optional(tidy(*inner)),
        Rule::List { element, separator, min, trailing } => match (tidy(*element), &separator) {
            (Rule::Blank, None) => Rule::Blank,
            // (X?)* is X*: an empty element is no element.
            (Rule::Optional(inner), None) => Rule::List { element: inner, separator: None, min: 0, trailing },
            (element, _) => Rule::List { element: Box::new(element), separator, min, trailing },
        },
        leaf => leaf,
    }
}

/// A part that may be left out; a list that may be left out is a list without a minimum.
fn make_optional(rule: Rule) -> Rule {
    match rule {
        Rule::Blank => Rule::Blank,
        Rule::Optional(_) => rule,
        Rule::List { element, separator, min: 0 | 1, trailing } => {
            Rule::List { element, separator, min: 0, trailing }
        }
        other => Rule::Optional(Box::new(other)),
    }
}

fn sequence(mut parts: Vec<Rule>) -> Rule {
    match parts.len() {
        0 => Rule::Blank,
        1 => parts.remove(0),
        _ => Rule::Seq(parts),
    }
}

/// The parts of a rule read as a sequence.
fn parts_of(rule: &Rule) -> &[Rule] {
    match rule {
        Rule::Seq(parts) => parts,
        other => std::slice::from_ref(other),
    }
}

/// Finds the hand-written shapes of separated lists in a flat sequence.
fn separated(mut parts: Vec<Rule>) -> Vec<Rule> {
    let mut index = 0;
    while index < parts.len() {
        if let Some((range, list)) = separator_first(&parts, index).or_else(|| separator_last(&parts, index))
        {
            index = range.start;
            parts.splice(range, [list]);
        }
        index += 1;
    }
    parts
}

fn plain_list(rule: &Rule) -> Option<(&[Rule], u32)> {
    match rule {
        Rule::List { element, separator: None, min, .. } => Some((parts_of(element), *min)),
        _ => None,
    }
}

/// `X (sep X)*`, and an optional separator after it.
fn separator_first(parts: &[Rule], index: usize) -> Option<(std::ops::Range<usize>, Rule)> {
    let (body, min) = plain_list(&parts[index])?;
    // The longest element leaves the shortest separator, which is what the author meant.
    let split = (1..body.len()).find(|&split| parts[..index].ends_with(&body[split..]))?;
    let start = index - (body.len() - split);
    let separator = sequence(body[..split].to_vec());
    let (end, trailing) = trailing(parts, index + 1, &separator, Trailing::Allowed);
    let element = Box::new(sequence(body[split..].to_vec()));
    Some((start..end, Rule::List { element, separator: Some(Box::new(separator)), min: min + 1, trailing }))
}

/// `(X sep)* X?` and `(X sep)* X sep?`; also a finished list without minimum before an optional separator.
fn separator_last(parts: &[Rule], index: usize) -> Option<(std::ops::Range<usize>, Rule)> {
    if let Rule::List { element, separator: Some(separator), min: 0, trailing: Trailing::Never } =
        &parts[index]
    {
        let (end, trailing) = trailing(parts, index + 1, separator, Trailing::Alone);
        let list =
            Rule::List { element: element.clone(), separator: Some(separator.clone()), min: 0, trailing };
        return (end > index + 1).then_some((index..end, list));
    }
    let (body, 0) = plain_list(&parts[index])? else {
        return None;
    };
    for split in (1..body.len()).rev() {
        let element = sequence(body[..split].to_vec());
        let separator = sequence(body[split..].to_vec());
        let list = |min, trailing| Rule::List {
            element: Box::new(element.clone()),
            separator: Some(Box::new(separator.clone())),
            min,
            trailing,
        };
        let rest = &parts[index + 1..];
        if rest.starts_with(&body[..split]) {
            let (end, trailing) = trailing(parts, index + 1 + split, &separator, Trailing::Allowed);
            return Some((index..end, list(1, trailing)));
        }
        if let Some(Rule::Optional(last)) = rest.first()
            && **last == element
        {
            return Some((index..index + 2, list(0, Trailing::Allowed)));
        }
    }
    None
}

/// Takes an optional separator at `at` into the list that ends there.
fn trailing(parts: &[Rule], at: usize, separator: &Rule, found: Trailing) -> (usize, Trailing) {
    match parts.get(at) {
        Some(Rule::Optional(last)) if **last == *separator => (at + 1, found),
        _ => (at, Trailing::Never),
    }
}

/// Takes one part off an end of a sequence.
type End = fn(&[Rule]) -> Option<(&Rule, &[Rule])>;

/// Turns a rule's recursion on itself into a list where it stands at the very start or end.
/// Only hidden rules recurse like that without a node of their own in between.
fn unroll(body: Rule, this: RuleId) -> Rule {
    let call = Rule::Call(this);
    if !mentions(&body, &call) {
        return body;
    }
    let alternatives = match &body {
        Rule::Choice(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    let list = |element: Vec<Rule>, separator: Vec<Rule>, min: u32| Rule::List {
        element: Box::new(sequence(element)),
        separator: (!separator.is_empty()).then(|| Box::new(sequence(separator))),
        min,
        trailing: Trailing::Never,
    };
    // R: X (sep R)?   and   R: (R sep)? X
    if let [only] = alternatives {
        let parts = parts_of(only);
        if let [head @ .., Rule::Optional(tail)] = parts
            && let [separator @ .., last] = parts_of(tail)
            && *last == call
            && !head.is_empty()
            && ![head, separator].concat().iter().any(|part| mentions(part, &call))
        {
            return list(head.to_vec(), separator.to_vec(), 1);
        }
        if let [Rule::Optional(head), tail @ ..] = parts
            && let [first, separator @ ..] = parts_of(head)
            && *first == call
            && !tail.is_empty()
            && ![tail, separator].concat().iter().any(|part| mentions(part, &call))
        {
            return list(tail.to_vec(), separator.to_vec(), 1);
        }
        return body;
    }
    let (recursive, base): (Vec<&Rule>, Vec<&Rule>) =
        alternatives.iter().partition(|alternative| mentions(alternative, &call));
    if base.is_empty() {
        return body;
    }
    // R: R a | R b | c   becomes   c (a | b)*,   and mirrored.
    let strip = |side: End| {
        recursive
            .iter()
            .map(|alternative| {
                let (end, rest) = side(parts_of(alternative))?;
                let clean =
                    *end == call && !rest.is_empty() && !rest.iter().any(|part| mentions(part, &call));
                clean.then(|| sequence(rest.to_vec()))
            })
            .collect::<Option<Vec<_>>>()
    };
    let base = Rule::Choice(base.into_iter().cloned().collect());
    if let Some(tails) = strip(<[Rule]>::split_first) {
        return Rule::Seq(vec![base, list(vec![Rule::Choice(tails)], vec![], 0)]);
    }
    if let Some(heads) = strip(<[Rule]>::split_last) {
        return Rule::Seq(vec![list(vec![Rule::Choice(heads)], vec![], 0), base]);
    }
    body
}

fn mentions(rule: &Rule, wanted: &Rule) -> bool {
    if rule == wanted {
        return true;
    }
    match rule {
        Rule::Seq(parts) | Rule::Choice(parts) => parts.iter().any(|part| mentions(part, wanted)),
        Rule::Optional(inner) => mentions(inner, wanted),
        Rule::List { element, separator, .. } => {
            mentions(element, wanted) || separator.as_ref().is_some_and(|part| mentions(part, wanted))
        }
        Rule::Blank | Rule::Child(_) | Rule::Own(..) | Rule::Silent(..) | Rule::Call(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule in the notation it came from, lists as `{element % separator}min`.
    fn show(rules: &Rules, rule: &Rule) -> String {
        let all = |parts: &[Rule], glue: &str| {
            parts.iter().map(|part| show(rules, part)).collect::<Vec<_>>().join(glue)
        };
        match rule {
            Rule::Blank => "()".to_owned(),
            Rule::Child(symbol) | Rule::Own(_, symbol) => rules.symbols[symbol.index()].name.clone(),
            Rule::Silent(text, _) => format!("~{}", rules.texts[text.index()].text.as_deref().unwrap_or("?")),
            Rule::Call(rule) => rules.definitions[rule.index()].name.clone(),
            Rule::Seq(parts) => all(parts, " "),
            Rule::Choice(parts) => format!("({})", all(parts, "|")),
            Rule::Optional(inner) => format!("[{}]", show(rules, inner)),
            Rule::List { element, separator, min, trailing } => {
                let separator = separator.as_ref().map(|part| format!(" % {}", show(rules, part)));
                let mark = match trailing {
                    Trailing::Never => "",
                    Trailing::Allowed => "t",
                    Trailing::Alone => "a",
                };
                format!("{{{}{}}}{min}{mark}", show(rules, element), separator.unwrap_or_default())
            }
        }
    }

    #[test]
    fn every_shape_of_a_separated_list_becomes_one_list() {
        for (rule, expected) in [
            ("x (\",\" x)*", "{x % ,}1"),
            ("(x (\",\" x)*)?", "{x % ,}0"),
            ("x (\",\" x)* \",\"?", "{x % ,}1t"),
            ("(x (\",\" x)* \",\"?)?", "{x % ,}0t"),
            ("\"(\" (x (\",\" x)*)? \",\"? \")\"", "( {x % ,}0a )"),
            ("(x \",\")* x?", "{x % ,}0t"),
            ("(x \",\")* x", "{x % ,}1"),
            ("(x \",\")* x \",\"?", "{x % ,}1t"),
            ("x y (\",\" x y)*", "{x y % ,}1"),
            ("y x (\",\" x)*", "y {x % ,}1"),
            ("x ((\",\" | \";\") x)*", "{x % (,|;)}1"),
            ("x? (\",\" x?)*", "{[x] % ,}1"),
            ("x (\",\" x)+", "{x % ,}2"),
            ("(x \";\")*", "{x ;}0"),
            ("x+", "{x}1"),
            ("(x+)?", "{x}0"),
            ("(x?)*", "{x}0"),
        ] {
            let text = format!("r = {rule}\nx = /x/\ny = /y/");
            let rules = Rules::from_notation("t", &text).unwrap();
            assert_eq!(show(&rules, &rules.definitions[0].body), expected, "{rule}");
        }
    }

    #[test]
    fn a_hidden_rule_that_is_a_list_is_spliced_into_its_users() {
        let text = "r = \"(\" _items? \")\"\n_items = x (\",\" x)* \",\"?\nx = /x/";
        let rules = Rules::from_notation("t", text).unwrap();
        assert_eq!(show(&rules, &rules.definitions[0].body), "( {x % ,}0t )");
    }

    #[test]
    fn recursion_at_either_end_becomes_a_list() {
        for (rule, expected) in [
            ("x (\",\" _r)?", "{x % ,}1"),
            ("(_r \",\")? x", "{x % ,}1"),
            ("_r \",\" x | x", "{x % ,}1"),
            ("x _r | y", "{x}0 y"),
            ("_r x | _r y | x y", "x y {(x|y)}0"),
            ("x | \"(\" _r \")\"", "(x|( _r ))"),
        ] {
            let text = format!("_r = {rule}\nx = /x/\ny = /y/");
            let rules = Rules::from_notation("t", &text).unwrap();
            assert_eq!(show(&rules, &rules.definitions[0].body), expected, "{rule}");
        }
    }
}
