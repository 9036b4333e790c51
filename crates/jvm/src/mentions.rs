//! Which classes a class file names anywhere: in code, descriptors, signatures, annotations, tables.

use std::collections::BTreeSet;

use crate::class::ClassFile;
use crate::names::{classes_in, element_class};
use crate::pool::Constant;

/// The names of all classes that the constants of a class may mean. A string that looks like a descriptor counts, which
/// keeps a class too many now and then and is never wrong.
#[must_use]
pub fn mentions(class: &ClassFile) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (index, constant) in class.pool.iter() {
        match constant {
            Constant::Class(_) => {
                if let Ok(name) = class.pool.class(index) {
                    names.extend(element_class(&name).map(str::to_owned));
                }
            }
            Constant::Utf8(text) if matches!(text.first(), Some(b'L' | b'[' | b'(' | b'<')) => {
                if let Ok(text) = class.pool.text(index) {
                    names.extend(classes_in(&text));
                }
            }
            _ => {}
        }
    }
    names
}
