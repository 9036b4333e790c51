//! Files that describe items and models: reading, with messages that say what, where and what to do; writing.
//!
//! Everything works on text; reading the file itself is left to the caller.

mod dimacs;
mod items;
mod rules;

pub use dimacs::{read_dimacs, write_dimacs};
pub use items::read_items;
pub use rules::read_rules;

use thiserror::Error;

use crate::item::{ItemId, Items};
use crate::model::{BadModel, Model};

/// Something in a file is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {problem}; {help}")]
pub struct FormatError {
    /// Where: a line, or the way into a JSON value.
    pub place: String,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub help: String,
}

impl FormatError {
    fn new(place: impl Into<String>, problem: impl Into<String>, help: impl Into<String>) -> Self {
        FormatError { place: place.into(), problem: problem.into(), help: help.into() }
    }
}

/// Why a model could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ModelError {
    /// The file is not in the format.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The file is fine, but the items break what it says.
    #[error(transparent)]
    Broken(#[from] BadModel),
}

/// A model that was read, and what is worth telling the user about it.
#[derive(Clone, Debug)]
pub struct ReadModel {
    /// The model.
    pub model: Model,
    /// Names the model knows that are no items: taken as not there.
    pub absent: usize,
    /// Items the model does not mention: they can always go.
    pub unmentioned: usize,
}

impl ReadModel {
    fn new(model: Model, absent: usize) -> Self {
        let mut mentioned = vec![false; model.vars()];
        for clause in model.clauses() {
            for var in clause.needs().iter().chain(clause.gives()) {
                mentioned[var.index()] = true;
            }
        }
        let unmentioned = mentioned[..model.items().len()].iter().filter(|seen| !**seen).count();
        ReadModel { model, absent, unmentioned }
    }
}

/// Reads a model in either format: JSON if the first character is `{` or `[`, clauses otherwise.
///
/// # Errors
/// If the text is not in the format, or the full set of items breaks the model.
pub fn read_model(items: Items, text: &str) -> Result<ReadModel, ModelError> {
    if text.trim_start().starts_with(['{', '[']) { read_rules(items, text) } else { read_dimacs(items, text) }
}

fn find_item(items: &Items, name: &str, place: &str) -> Result<ItemId, FormatError> {
    items.find(name).ok_or_else(|| {
        let hint = items.nearest(name).map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        FormatError::new(
            place,
            format!("there is no item `{name}`{hint}"),
            "add it to the items, or to the \"absent\" names if your input does not have it",
        )
    })
}

fn json_error(error: &serde_json::Error) -> FormatError {
    FormatError::new(
        format!("line {}, column {}", error.line(), error.column()),
        format!("this is not JSON: {error}"),
        "correct it there; a JSON checker of your editor will point to the same place",
    )
}

fn kind_of(value: &serde_json::Value) -> &'static str {
    match value {
        serde_json::Value::Null => "null",
        serde_json::Value::Bool(_) => "true or false",
        serde_json::Value::Number(_) => "a number",
        serde_json::Value::String(_) => "a text",
        serde_json::Value::Array(_) => "a list",
        serde_json::Value::Object(_) => "an object",
    }
}
