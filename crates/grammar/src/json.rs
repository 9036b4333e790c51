//! Reads tree-sitter's `grammar.json`.

use crate::source::{Source, SourceGrammar};
use serde_json::Value;

/// Why a grammar could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The text is no JSON.
    #[error("the grammar is not valid JSON: {0}; is it the grammar.json that `tree-sitter generate` wrote?")]
    Json(#[from] serde_json::Error),
    /// A part every grammar has is not there.
    #[error("the grammar has no `{0}`; is it the grammar.json that `tree-sitter generate` wrote?")]
    Missing(&'static str),
    /// A rule is built from something unknown.
    #[error("rule `{rule}`: {problem}")]
    Rule {
        /// The rule at fault.
        rule: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A rule refers to a name that is neither a rule nor an external token.
    #[error("rule `{rule}` refers to `{name}`, which is neither a rule nor an external token")]
    Unknown {
        /// The rule at fault.
        rule: String,
        /// The name it uses.
        name: String,
    },
    /// A compiled grammar could not be decoded.
    #[error("the compiled grammar is damaged or of another version: {0}")]
    Decode(String),
    /// A grammar in our own notation has a mistake.
    #[error("line {line}: {problem}")]
    Notation {
        /// Line of the mistake, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

/// Parses the text of a `grammar.json`.
pub(crate) fn read(text: &str) -> Result<SourceGrammar, LoadError> {
    let json: Value = serde_json::from_str(text)?;
    let mut grammar = SourceGrammar {
        name: json["name"].as_str().ok_or(LoadError::Missing("name"))?.to_owned(),
        inline: names(&json["inline"]),
        supertypes: names(&json["supertypes"]),
        ..SourceGrammar::default()
    };
    for (name, rule) in json["rules"].as_object().ok_or(LoadError::Missing("rules"))? {
        grammar.rules.push((name.clone(), source(name, rule)?));
    }
    for (list, key) in [(&mut grammar.extras, "extras"), (&mut grammar.externals, "externals")] {
        for member in json[key].as_array().into_iter().flatten() {
            list.push(source(key, member)?);
        }
    }
    Ok(grammar)
}

fn names(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Converts one node. Recursion is bounded by the JSON reader's own limit of 128 levels.
fn source(rule: &str, node: &Value) -> Result<Source, LoadError> {
    let problem = |problem: String| LoadError::Rule { rule: rule.to_owned(), problem };
    let kind = node["type"].as_str().ok_or_else(|| problem("a part without a type".to_owned()))?;
    let text = |key: &str| {
        node[key].as_str().map(str::to_owned).ok_or_else(|| problem(format!("a {kind} without `{key}`")))
    };
    let content = || source(rule, &node["content"]);
    let members = || {
        let list = node["members"].as_array().ok_or_else(|| problem(format!("a {kind} without members")))?;
        list.iter().map(|member| source(rule, member)).collect::<Result<Vec<_>, _>>()
    };
    Ok(match kind {
        "BLANK" => Source::Blank,
        "STRING" => Source::Literal(text("value")?),
        "PATTERN" => Source::Pattern(text("value")?),
        "SYMBOL" => Source::Name(text("name")?),
        "SEQ" => Source::Seq(members()?),
        "CHOICE" => Source::Choice(members()?),
        "REPEAT" => Source::Repeat { content: Box::new(content()?), min: 0 },
        "REPEAT1" => Source::Repeat { content: Box::new(content()?), min: 1 },
        "FIELD" | "PREC" | "PREC_LEFT" | "PREC_RIGHT" | "PREC_DYNAMIC" | "RESERVED" => content()?,
        "ALIAS" => Source::Alias {
            content: Box::new(content()?),
            value: text("value")?,
            named: node["named"].as_bool().unwrap_or(true),
        },
        "TOKEN" => Source::Token { content: Box::new(content()?), immediate: false },
        "IMMEDIATE_TOKEN" => Source::Token { content: Box::new(content()?), immediate: true },
        other => return Err(problem(format!("a part of the unknown type {other}"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_in_a_grammar_are_named() {
        for (text, message) in [
            ("{", "not valid JSON"),
            (r#"{"rules": {}}"#, "no `name`"),
            (r#"{"name": "x"}"#, "no `rules`"),
            (r#"{"name": "x", "rules": {"a": {}}}"#, "rule `a`: a part without a type"),
            (r#"{"name": "x", "rules": {"a": {"type": "WHAT"}}}"#, "unknown type WHAT"),
            (r#"{"name": "x", "rules": {"a": {"type": "SEQ"}}}"#, "a SEQ without members"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
