//! Generated texts, and what some of them show, as predicates in this process.

use std::fmt::Write;

use crate::engine::{log_of, log_shows_double_free};
use crate::rng::Rng;

/// A log in which an address is freed twice.
pub(crate) fn log() -> String {
    log_of(2_000)
}

pub(crate) fn shows_double_free(text: &[u8]) -> bool {
    log_shows_double_free(text)
}

/// Rows with a key, one of which comes twice.
pub(crate) fn csv() -> String {
    let mut rng = Rng::new(1);
    let mut text = String::new();
    for row in 0..400 {
        let key = if row == 310 { 42 } else { row };
        let state = if row == 310 { "open" } else { rng.pick(&["open", "closed"]) };
        writeln!(text, "{key},item {},{state},{}", rng.below(90), row * 3).expect("strings take all");
    }
    text
}

/// Sections of options, two of which count.
pub(crate) fn ini() -> String {
    let mut rng = Rng::new(2);
    let mut text = String::new();
    for section in ["server", "cache", "storage", "network", "users", "logging"] {
        writeln!(text, "[{section}]").expect("strings take all");
        for key in 0..30 {
            writeln!(text, "option_{key} = {}", rng.below(1000)).expect("strings take all");
            match (section, key) {
                ("cache", 12) => text += "mode = fast\n",
                ("network", 21) => text += "retries = 7\n",
                _ => {}
            }
        }
    }
    text
}

/// Nested lists and objects with one word deep inside.
pub(crate) fn json() -> String {
    fn value(rng: &mut Rng, depth: usize, out: &mut String) {
        match (depth, rng.below(3)) {
            (0, _) | (_, 0) => write!(out, "{}", rng.below(100_000)).expect("strings take all"),
            (_, 1) => {
                *out += "[";
                for at in 0..3 + rng.below(4) {
                    if at > 0 {
                        *out += ", ";
                    }
                    value(rng, depth - 1, out);
                }
                *out += "]";
            }
            _ => {
                *out += "{\n";
                for at in 0..3 + rng.below(4) {
                    if at > 0 {
                        *out += ",\n";
                    }
                    write!(out, "\"key{}_{at}\": ", rng.below(50)).expect("strings take all");
                    value(rng, depth - 1, out);
                }
                *out += "\n}";
            }
        }
    }
    let mut rng = Rng::new(11);
    let mut text = String::from("{\n");
    for at in 0..24 {
        write!(text, "\"part{at}\": ").expect("strings take all");
        if at == 15 {
            text += "{\"a\": [1, {\"b\": {\"c\": \"needle\", \"d\": null}}, 2]}";
        } else {
            value(&mut rng, 3, &mut text);
        }
        text += if at == 23 { "\n" } else { ",\n" };
    }
    text + "}\n"
}

/// Definitions and a use of one that is not there.
pub(crate) fn lisp() -> String {
    let mut rng = Rng::new(3);
    let mut text = String::new();
    for at in (0..40).filter(|&at| at != 17) {
        let (a, b) = (rng.below(100), rng.below(100));
        writeln!(
            text,
            "(define (helper-{at} x y)\n  (if (> x {a})\n      (+ y (* x {b}))\n      (list x y (quote done))))"
        )
        .expect("strings take all");
        writeln!(text, "(define value-{at} (helper-{} {a} {b}))", (at + 5) % 17).expect("strings take all");
    }
    text += "(define main\n  (lambda (args)\n    (let ((first (car args)))\n";
    for at in 0..12 {
        writeln!(text, "      (print (helper-{} first {at}))", at + 10).expect("strings take all");
    }
    text + "      first)))\n"
}

/// Classes with methods, one of which yields in a loop.
pub(crate) fn python() -> String {
    let mut rng = Rng::new(4);
    let mut text = String::from("import os\nimport sys\n\n");
    for class in 0..12 {
        writeln!(text, "class Part{class}(object):\n    \"\"\"Part number {class}.\"\"\"\n")
            .expect("strings take all");
        for method in 0..4 {
            let (a, b) = (rng.below(50), rng.below(50));
            writeln!(text, "    def step_{method}(self, value, *rest):").expect("strings take all");
            if (class, method) == (7, 2) {
                text += "        while value < 10:\n            value += 1\n            if value % 3:\n                yield value\n";
            } else {
                writeln!(
                    text,
                    "        for index in range({a}):\n            if index > {b}:\n                return [index, value]\n            value = value + index"
                )
                .expect("strings take all");
            }
            text += "        print(value, file=sys.stderr)\n\n";
        }
    }
    text
}

/// Sections of items, one of which is broken.
pub(crate) fn xml() -> String {
    let mut rng = Rng::new(5);
    let mut text = String::from("<?xml version=\"1.0\"?>\n<page title=\"stock\">\n");
    for section in 0..30 {
        writeln!(text, "  <section id=\"s{section}\" order=\"{}\">", rng.below(100))
            .expect("strings take all");
        for item in 0..6 {
            let state = if (section, item) == (19, 3) { "broken" } else { rng.pick(&["new", "used"]) };
            writeln!(
                text,
                "    <item state=\"{state}\" price=\"{}\"><name>thing {item}</name><note/></item>",
                rng.below(500)
            )
            .expect("strings take all");
        }
        text += "  </section>\n";
    }
    text + "</page>\n"
}

/// Valid JSON with the word at depth 4 or below.
pub(crate) fn has_deep_needle(text: &[u8]) -> bool {
    fn walk(value: &serde_json::Value, depth: usize) -> bool {
        match value {
            serde_json::Value::Array(values) => values.iter().any(|value| walk(value, depth + 1)),
            serde_json::Value::Object(values) => values.values().any(|value| walk(value, depth + 1)),
            value => depth >= 4 && value == "needle",
        }
    }
    serde_json::from_slice(text).is_ok_and(|value| walk(&value, 0))
}

/// Balanced parentheses, a definition of `main` that uses a helper, and no definition of that.
pub(crate) fn has_unbound_helper(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let mut depth = 0usize;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return false,
            ')' => depth -= 1,
            _ => {}
        }
    }
    let main = text.find("(define main");
    depth == 0
        && !text.contains("(define (helper-17 ")
        && main.is_some_and(|at| text[at..].contains("(helper-17 "))
}

/// Well-formed elements, one of them a broken item in a section.
pub(crate) fn has_broken_item(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let (mut open, mut found, mut rest): (Vec<&str>, bool, &str) = (Vec::new(), false, &text);
    while let Some(at) = rest.find('<') {
        let Some(len) = rest[at..].find('>') else {
            return false;
        };
        let tag = &rest[at + 1..at + len];
        rest = &rest[at + len + 1..];
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if tag.starts_with('?') {
            continue;
        } else if name.is_empty() {
            return false;
        } else if tag.starts_with('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else {
            found |= name == "item" && open.last() == Some(&"section") && tag.contains("state=\"broken\"");
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
    }
    found && open.is_empty()
}
