//! The items file: a JSON list of names or objects.

use serde_json::Value;

use super::{FormatError, json_error, kind_of};
use crate::item::{Item, ItemId, Items};

const FIELDS: &str = "an item has `name` and may have `parent`, `weight`, `required` and `file`";

/// Reads items from JSON: `["a", {"name": "b", "parent": "a", "weight": 10, "required": true, "file": "b.txt"}]`, or the
/// same list as the field `items` of an object.
///
/// # Errors
/// If the text is not in this format, a name occurs twice, or a parent is unknown.
pub fn read_items(text: &str) -> Result<Items, FormatError> {
    let value: Value = serde_json::from_str(text).map_err(|error| json_error(&error))?;
    let list = match &value {
        Value::Array(list) => list,
        Value::Object(fields) => match fields.get("items") {
            Some(Value::Array(list)) => list,
            _ => {
                let help = "write {\"items\": [ … ]} or just the list";
                return Err(FormatError::new("items file", "the object has no list `items`", help));
            }
        },
        other => {
            let problem = format!("expected a list of items, found {}", kind_of(other));
            return Err(FormatError::new("items file", problem, FIELDS));
        }
    };
    let mut items = Vec::with_capacity(list.len());
    let mut parents = Vec::new();
    for (index, value) in list.iter().enumerate() {
        let (item, parent) = read_item(index, value)?;
        parents.extend(parent.map(|parent| (index, parent)));
        items.push(item);
    }
    // Names must be known before parents can be found, whichever comes first in the file.
    let named = Items::new(items.clone()).map_err(|error| bad(&error))?;
    for (index, parent) in parents {
        let place = format!("item {index} (`{}`)", items[index].name);
        items[index].parent = Some(find_parent(&named, &parent, &place)?);
    }
    Items::new(items).map_err(|error| bad(&error))
}

fn bad(error: &crate::item::BadItems) -> FormatError {
    FormatError::new("items file", error.to_string(), "correct the items file")
}

fn find_parent(items: &Items, parent: &str, place: &str) -> Result<ItemId, FormatError> {
    items.find(parent).ok_or_else(|| {
        let hint =
            items.nearest(parent).map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        FormatError::new(
            place,
            format!("its parent `{parent}` is no item{hint}"),
            "name an item of the same file",
        )
    })
}

fn read_item(index: usize, value: &Value) -> Result<(Item, Option<String>), FormatError> {
    let no_fields = serde_json::Map::new();
    let (name, fields) = match value {
        Value::String(name) => (name, &no_fields),
        Value::Object(fields) => match fields.get("name") {
            Some(Value::String(name)) => (name, fields),
            _ => {
                let problem = "it has no `name`, or one that is not a text";
                return Err(FormatError::new(format!("item {index}"), problem, FIELDS));
            }
        },
        other => {
            let problem = format!("expected a name or an object, found {}", kind_of(other));
            return Err(FormatError::new(format!("item {index}"), problem, FIELDS));
        }
    };
    // The test sees one name a line, and a name with a line break would be two.
    if name.is_empty() || name.contains('\n') {
        let problem = "its name is empty or has a line break";
        return Err(FormatError::new(
            format!("item {index}"),
            problem,
            "the test sees names one a line: rename it",
        ));
    }
    let place = format!("item {index} (`{name}`)");
    let wrong = |field: &str, wanted: &str, value: &Value| {
        let problem = format!("`{field}` must be {wanted}, not {}", kind_of(value));
        FormatError::new(place.clone(), problem, FIELDS)
    };
    let mut item = Item::new(name.clone());
    let mut parent = None;
    for (field, value) in fields {
        match (field.as_str(), value) {
            ("name", _) | ("parent" | "file", Value::Null) => {}
            ("parent", Value::String(name)) => parent = Some(name.clone()),
            ("parent", other) => return Err(wrong(field, "the name of an item", other)),
            ("weight", value) => {
                item.weight = value.as_u64().filter(|weight| *weight > 0).ok_or_else(|| {
                    let problem = format!("`weight` must be a whole number from 1 up, not {value}");
                    FormatError::new(place.clone(), problem, "leave it out for 1")
                })?;
            }
            ("required", Value::Bool(required)) => item.required = *required,
            ("required", other) => return Err(wrong(field, "true or false", other)),
            ("file", Value::String(path)) => item.file = Some(path.clone()),
            ("file", other) => return Err(wrong(field, "a path", other)),
            (unknown, _) => {
                return Err(FormatError::new(
                    place.clone(),
                    format!("the field `{unknown}` is not known"),
                    FIELDS,
                ));
            }
        }
    }
    Ok((item, parent))
}
