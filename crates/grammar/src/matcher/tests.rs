//! What derivations look like, that they are sound, and that they cost what they should.

use super::*;
use crate::rule::Rules;
use proptest::prelude::*;

fn matcher(text: &str) -> Matcher {
    Matcher::new(Arc::new(Grammar::new(Rules::from_notation("test", text).unwrap())))
}

/// Symbols by name; a name in quotes is punctuation.
fn children(grammar: &Grammar, names: &str) -> Vec<SymbolId> {
    names
        .split_whitespace()
        .map(|name| {
            let found = match name.strip_prefix('\'') {
                Some(text) => grammar.symbol(text, false),
                None => grammar.symbol(name, true),
            };
            found.unwrap_or_else(|| panic!("no symbol {name}"))
        })
        .collect()
}

/// `[` list, `<` element, `,` separator, `?` optional, `|` choice, `.` end of the innermost; children by number.
fn show(events: &[Event]) -> String {
    events
        .iter()
        .map(|event| match event {
            Event::OpenList(_) => "[".to_owned(),
            Event::OpenElement => "<".to_owned(),
            Event::OpenSeparator => ",".to_owned(),
            Event::OpenOptional => "?".to_owned(),
            Event::OpenChoice { .. } => "|".to_owned(),
            Event::Close => ".".to_owned(),
            Event::Child { index, .. } => index.to_string(),
        })
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn children_are_told_apart_as_elements_optionals_and_fixed_parts() {
    for (rule, names, expected) in [
        ("\"(\" x* \")\"", "'( x x ')", "0 [ < 1 . < 2 . . 3"),
        ("\"(\" x* \")\"", "'( ')", "0 [ . 1"),
        ("\"(\" (x (\",\" x)*)? \")\"", "'( x ', x ')", "0 [ < 1 . , 2 . < 3 . . 4"),
        ("x (\",\" x)* \",\"?", "x ',", "[ < 0 . , 1 . ."),
        ("(x (\",\" x)*)? \",\"?", "',", "[ , 0 . ."),
        ("x? (\",\" x?)*", "', x ',", "[ < . , 0 . < ? 1 . . , 2 . < . ."),
        ("x \"else\"? y", "x 'else y", "0 ? 1 . 2"),
        ("x \"else\"? y", "x y", "0 1"),
        ("(x y)?", "x y", "? 0 1 ."),
        ("_hidden y\n_hidden = x | y", "x y", "0 1"),
        ("_nothing x\n_nothing = y?", "x", "0"),
        ("_left\n_left = _left \"+\" x | x", "x '+ x", "[ < 0 . , 1 . < 2 . ."),
        ("_even\n_even = x _odd | y\n_odd = x _even", "x x y", "| 0 1 2 ."),
        // A semicolon ends the statement before it although it could be a statement of its own.
        (
            "(_statement)*\n_statement = x _end | \";\"\n_end = \";\" | _none\n_none = y?",
            "x '; x",
            "[ < | 0 1 . . < 2 . .",
        ),
        ("x? x", "x", "0"),
        ("x? x?", "x", "? 0 ."),
    ] {
        let mut matcher = matcher(&format!("r = {rule}\nx = /x/\ny = /y/"));
        let grammar = Arc::clone(matcher.grammar());
        let events = matcher.derive(grammar.rule("r").unwrap(), &children(&grammar, names));
        assert_eq!(events.map(|events| show(&events)).as_deref(), Some(expected), "{rule} on {names}");
    }
}

#[test]
fn children_that_the_rule_does_not_have_are_refused() {
    for (rule, names) in
        [("x y", "x"), ("x y", "x y y"), ("x+", ""), ("x (\",\" x)*", "x ',"), ("x y | x x", "y")]
    {
        let mut matcher = matcher(&format!("r = {rule}\nx = /x/\ny = /y/"));
        let grammar = Arc::clone(matcher.grammar());
        assert_eq!(
            matcher.derive(grammar.rule("r").unwrap(), &children(&grammar, names)),
            None,
            "{rule} on {names}"
        );
    }
}

#[test]
fn a_child_fills_the_outermost_place_that_it_fills_alone() {
    let mut matcher = matcher(
        "r = _statement\n_statement = _expression \";\" | block\n_expression = _primary | call\n_primary = name | number\n\
         block = \"{\" _statement* \"}\"\ncall = name \"(\" _expression \")\"\nname = /n/\nnumber = /0/",
    );
    let grammar = Arc::clone(matcher.grammar());
    let events = matcher.derive(grammar.rule("r").unwrap(), &children(&grammar, "name ';")).unwrap();
    let Event::Child { slot, .. } = events.iter().find(|e| matches!(e, Event::Child { .. })).unwrap() else {
        panic!()
    };
    let fits = |name| grammar.replaceable(*slot, grammar.symbol(name, true).unwrap());
    assert!(fits("number") && fits("call") && fits("name"), "any expression may stand before the semicolon");
    assert!(!fits("block"), "a statement may not");
}

#[test]
fn the_cost_of_a_list_grows_with_its_length_and_not_faster() {
    let rules = [
        "x*",
        "x (\",\" x)*",
        "_statement*\n_statement = x | x \",\"",
        "_left\n_left = _left \",\" x | x",
        "_right\n_right = x (\",\" _right)?",
        "_right\n_right = x \",\" _right | x",
    ];
    for rule in rules {
        let mut matcher = matcher(&format!("r = {rule}\nx = /x/"));
        let grammar = Arc::clone(matcher.grammar());
        let mut items = |length: usize| {
            let unit = if rule.starts_with("x*") { "x " } else { "x ', " };
            let mut names = unit.repeat(length);
            names.push('x');
            let children = children(&grammar, &names);
            assert!(matcher.derive(grammar.rule("r").unwrap(), &children).is_some(), "{rule}");
            matcher.items.len()
        };
        let (short, long) = (items(1_000), items(10_000));
        assert!(long < short * 11, "{rule}: {short} items for 1,000 and {long} for 10,000");
    }
}

#[test]
fn a_rule_that_would_take_quadratic_time_is_given_up() {
    // Two rules that call each other at their ends are not unrolled into a list.
    let mut matcher = matcher("r = _a\n_a = x _b | x\n_b = x _a | x\nx = /x/");
    let grammar = Arc::clone(matcher.grammar());
    let x = grammar.symbol("x", true).unwrap();
    assert!(matcher.derive(grammar.rule("r").unwrap(), &vec![x; 100]).is_some());
    assert!(matcher.derive(grammar.rule("r").unwrap(), &vec![x; 50_000]).is_none());
}

/// A random rule over the symbols a, b and the hidden rules _h, _k, in our notation.
fn rule() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "\",\"", "\";\""]).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["_h", "_k"]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("({})", parts.join(" "))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(" | "))),
            (inner.clone(), prop::sample::select(vec!["*", "+", "?"]))
                .prop_map(|(part, q)| format!("({part}){q}")),
            inner.prop_map(|part| format!("({part} (\",\" {part})* \",\"?)")),
        ]
    })
}

/// Random sentence of the rule, following the source form so that it does not depend on what is tested.
fn sentence(
    grammar: &crate::source::SourceGrammar,
    dice: &mut impl FnMut(usize) -> usize,
) -> Option<Vec<String>> {
    use crate::source::Source;
    let rule = |name: &str| grammar.rules.iter().find(|(rule, _)| rule == name).map(|(_, body)| body);
    let mut out = Vec::new();
    let mut agenda = vec![rule("r")?];
    let mut steps = 0;
    while let Some(part) = agenda.pop() {
        steps += 1;
        if steps > 500 {
            return None;
        }
        match part {
            Source::Literal(text) => out.push(format!("'{text}")),
            Source::Name(name) if name.starts_with('_') => agenda.push(rule(name)?),
            Source::Name(name) => out.push(name.clone()),
            Source::Seq(parts) => agenda.extend(parts.iter().rev()),
            Source::Choice(parts) => agenda.push(&parts[dice(parts.len())]),
            Source::Repeat { content, min } => {
                for _ in 0..*min as usize + dice(4) {
                    agenda.push(content);
                }
            }
            _ => {}
        }
    }
    Some(out)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn what_a_rule_generates_matches_and_what_may_be_deleted_still_matches(
        r in rule(), h in rule(), k in rule(), seed in any::<u64>(),
    ) {
        let text = format!("r = {r}\n_h = {h}\n_k = {k}\na = /a/\nb = /b/");
        let source = crate::notation::read("t", &text).unwrap();
        let mut state = seed | 1;
        let mut dice = |n: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) as usize % n
        };
        let Some(names) = sentence(&source, &mut dice) else { return Ok(()) };
        prop_assume!(names.len() < 40);
        let mut matcher = matcher(&text);
        let grammar = Arc::clone(matcher.grammar());
        let rule = grammar.rule("r").unwrap();
        let Some(all) = names.iter().map(|name| match name.strip_prefix('\'') {
            Some(text) => grammar.symbol(text, false),
            None => grammar.symbol(name, true),
        }).collect::<Option<Vec<_>>>() else { return Ok(()) };
        let events = matcher.derive(rule, &all);
        prop_assert!(events.is_some(), "{text} does not match {names:?}");
        let events = events.unwrap();
        let mut next = 0;
        let mut depth = 0i32;
        for event in events.iter() {
            match event {
                Event::Child { index, .. } => { prop_assert_eq!(*index, next); next += 1; }
                Event::Close => depth -= 1,
                _ => depth += 1,
            }
            prop_assert!(depth >= 0);
        }
        prop_assert_eq!((next as usize, depth), (all.len(), 0));
        for removed in deletions(&grammar, &events) {
            let kept: Vec<_> = all.iter().enumerate().filter(|(i, _)| !removed.contains(&(*i as u32))).map(|(_, s)| *s).collect();
            prop_assert!(matcher.derive(rule, &kept).is_some(), "{text}: {names:?} without {removed:?}");
        }
    }
}

/// Every single deletion that the derivation calls legal, as the children it removes.
fn deletions(grammar: &Grammar, events: &[Event]) -> Vec<Vec<u32>> {
    let end_of = |start: usize| {
        let mut depth = 0;
        (start..events.len())
            .find(|&at| {
                depth += match events[at] {
                    Event::Close => -1,
                    Event::Child { .. } => 0,
                    _ => 1,
                };
                depth == 0
            })
            .expect("balanced")
    };
    let inside = |start: usize| {
        events[start..end_of(start)]
            .iter()
            .filter_map(|event| if let Event::Child { index, .. } = event { Some(*index) } else { None })
            .collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::OpenOptional => found.push(inside(at)),
            Event::OpenList(list) => {
                let mut parts = Vec::new();
                let mut cursor = at + 1;
                while !matches!(events[cursor], Event::Close) {
                    parts.push(cursor);
                    cursor = end_of(cursor) + 1;
                }
                let elements: Vec<_> =
                    (0..parts.len()).filter(|&p| matches!(events[parts[p]], Event::OpenElement)).collect();
                if elements.len() as u32 <= grammar.list(*list).min {
                    continue;
                }
                for &element in &elements {
                    let mut removed = inside(parts[element]);
                    // The separator behind goes along, or the one before where the element is the last.
                    let separator =
                        if element + 1 < parts.len() { Some(element + 1) } else { element.checked_sub(1) };
                    if let Some(separator) =
                        separator.filter(|&p| matches!(events[parts[p]], Event::OpenSeparator))
                    {
                        removed.extend(inside(parts[separator]));
                    }
                    found.push(removed);
                }
            }
            _ => {}
        }
    }
    found
}
