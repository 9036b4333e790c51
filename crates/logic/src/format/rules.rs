//! The model as JSON formulas.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{FormatError, ModelError, ReadModel, find_item, json_error, kind_of};
use crate::formula::Formula;
use crate::item::Items;
use crate::model::ModelBuilder;

const FORMS: &str = "a rule is a name, true, false, {\"all\": […]}, {\"any\": […]}, {\"not\": …}, \
                     {\"if\": …, \"then\": …} or {\"iff\": […, …]}";

/// Reads `{"require": [names], "absent": [names], "rules": [rules]}`, or just the list of rules. A rule that is an object
/// may say `"why"`.
///
/// # Errors
/// If the text is not in this format, or the full set of items breaks a rule.
pub fn read_rules(items: Items, text: &str) -> Result<ReadModel, ModelError> {
    let value: Value = serde_json::from_str(text).map_err(|error| json_error(&error))?;
    let empty = Vec::new();
    let (required, absent, rules) = match &value {
        Value::Array(rules) => (&empty, &empty, rules),
        Value::Object(fields) => {
            known_fields(fields, &["require", "absent", "rules"], "model file")?;
            let list = |name: &str| match fields.get(name) {
                None => Ok(&empty),
                Some(Value::Array(list)) => Ok(list),
                Some(other) => {
                    let problem = format!("`{name}` must be a list, not {}", kind_of(other));
                    Err(FormatError::new("model file", problem, "put it in brackets: [ … ]"))
                }
            };
            (list("require")?, list("absent")?, list("rules")?)
        }
        other => {
            let problem = format!("expected a list of rules, found {}", kind_of(other));
            return Err(FormatError::new("model file", problem, FORMS).into());
        }
    };
    let absent: HashSet<&str> = names(absent, "absent")?.into_iter().collect();
    let mut builder = ModelBuilder::new(items);
    for (index, name) in names(required, "require")?.into_iter().enumerate() {
        let item = find_item(builder.items(), name, &format!("require[{index}]"))?;
        builder.require(item);
    }
    for (index, rule) in rules.iter().enumerate() {
        let place = format!("rules[{index}]");
        let why = match rule.get("why") {
            Some(Value::String(why)) => format!("rule {index}: {why}"),
            Some(_) => {
                return Err(FormatError::new(place, "`why` must be a text", "write it in quotes").into());
            }
            None => format!("rule {index}"),
        };
        let formula = Reader { items: builder.items(), absent: &absent }.formula(rule, &place, true)?;
        builder.rule(&formula, why);
    }
    let model = builder.finish()?;
    let absent = absent.iter().filter(|name| model.items().find(name).is_none()).count();
    Ok(ReadModel::new(model, absent))
}

fn names<'v>(list: &'v [Value], field: &str) -> Result<Vec<&'v str>, FormatError> {
    let with_index = list.iter().enumerate();
    with_index
        .map(|(index, value)| {
            value.as_str().ok_or_else(|| {
                let problem = format!("expected a name, found {}", kind_of(value));
                FormatError::new(format!("{field}[{index}]"), problem, "list names, each in quotes")
            })
        })
        .collect()
}

fn known_fields(fields: &Map<String, Value>, known: &[&str], place: &str) -> Result<(), FormatError> {
    match fields.keys().find(|field| !known.contains(&field.as_str())) {
        None => Ok(()),
        Some(unknown) => {
            let help = format!("known here: {}", known.join(", "));
            Err(FormatError::new(place, format!("the field `{unknown}` is not known"), help))
        }
    }
}

struct Reader<'i> {
    items: &'i Items,
    absent: &'i HashSet<&'i str>,
}

impl Reader<'_> {
    fn formula(&self, value: &Value, place: &str, outermost: bool) -> Result<Formula, FormatError> {
        match value {
            Value::Bool(constant) => Ok(Formula::Const(*constant)),
            Value::String(name) if self.absent.contains(name.as_str()) && self.items.find(name).is_none() => {
                Ok(Formula::Const(false))
            }
            Value::String(name) => find_item(self.items, name, place).map(Formula::item),
            Value::Object(fields) => self.compound(fields, place, outermost),
            other => {
                Err(FormatError::new(place, format!("expected a rule, found {}", kind_of(other)), FORMS))
            }
        }
    }

    fn compound(
        &self,
        fields: &Map<String, Value>,
        place: &str,
        outermost: bool,
    ) -> Result<Formula, FormatError> {
        let mut said: Vec<&str> = fields.keys().map(String::as_str).collect();
        said.retain(|field| !(outermost && *field == "why"));
        said.sort_unstable();
        let inner = |field: &str| self.formula(&fields[field], &format!("{place}.{field}"), false);
        match said[..] {
            ["all"] => Ok(Formula::All(self.list(&fields["all"], &format!("{place}.all"))?)),
            ["any"] => Ok(Formula::Any(self.list(&fields["any"], &format!("{place}.any"))?)),
            ["not"] => Ok(inner("not")?.negated()),
            ["if", "then"] => Ok(inner("if")?.implies(inner("then")?)),
            ["iff"] => {
                let place = format!("{place}.iff");
                let [a, b]: [Formula; 2] =
                    self.list(&fields["iff"], &place)?.try_into().map_err(|list: Vec<_>| {
                        let problem = format!("`iff` compares two rules, not {}", list.len());
                        FormatError::new(place, problem, "split it into pairs")
                    })?;
                Ok(a.same_as(b))
            }
            _ => {
                let problem = format!("an object with {} is no rule", said.join(", "));
                Err(FormatError::new(place, problem, FORMS))
            }
        }
    }

    fn list(&self, value: &Value, place: &str) -> Result<Vec<Formula>, FormatError> {
        let Value::Array(list) = value else {
            let problem = format!("expected a list of rules, found {}", kind_of(value));
            return Err(FormatError::new(place, problem, "put it in brackets: [ … ]"));
        };
        let with_index = list.iter().enumerate();
        with_index.map(|(index, part)| self.formula(part, &format!("{place}[{index}]"), false)).collect()
    }
}
