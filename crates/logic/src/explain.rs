//! A model in words: what one looks at when a result is not what one expected.

use std::fmt::Write;

use crate::first::FirstSet;
use crate::formula::Var;
use crate::model::Model;
use crate::order::Order;
use crate::progression::Progression;

/// Counts, every clause with its origin, the order of the variables and the first progression, as text.
#[must_use]
pub fn explain(model: &Model) -> String {
    let names = |vars: &[Var]| vars.iter().map(|var| model.name(*var)).collect::<Vec<_>>().join(" ");
    let edges = model.clauses().iter().filter(|clause| clause.is_edge()).count();
    let order = Order::of(model);
    let all: Vec<Var> = (0..model.vars()).map(Var::new).collect();
    let progression = Progression::new(model, &order, &all, &[], FirstSet::default());
    let mut text = String::new();
    let mut line = |content: String| writeln!(text, "{content}").expect("writing to a string works");
    line(format!(
        "{} items of weight {}, {} auxiliary variables, {} clauses, {edges} of them of the form \"a needs b\"",
        model.items().len(),
        model.items().weight(&model.items().all()),
        model.vars() - model.items().len(),
        model.clauses().len(),
    ));
    line("clauses:".to_owned());
    for index in 0..model.clauses().len() {
        line(format!("  {}", model.describe(index)));
    }
    line(format!("order:\n  {}", names(order.sequence())));
    line("progression:".to_owned());
    for index in 0..progression.len() {
        line(format!("  {index}: {}", names(progression.set(index))));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{read_items, read_rules};

    #[test]
    fn a_model_is_explained_from_counts_to_progression() {
        let items = read_items(r#"["app", {"name": "app/ui", "parent": "app"}, "font"]"#).unwrap();
        let model = read_rules(items, r#"{"require": ["app"], "rules": [{"if": "app/ui", "then": "font"}]}"#);
        let expected = "\
3 items of weight 3, 0 auxiliary variables, 2 clauses, 1 of them of the form \"a needs b\"
clauses:
  always `app` [required]
  `app/ui` needs `font` [rule 0]
order:
  `font` `app/ui` `app`
progression:
  0: `app`
  1: `font`
  2: `app/ui`
";
        assert_eq!(explain(&model.unwrap().model), expected);
    }
}
