//! Attributes of classes that are lists: inner classes, bootstrap methods, names of classes.

use crate::bytes::{Input, Output};
use crate::class::{Attribute, ClassFile};
use crate::error::BadClass;

/// An entry of the `InnerClasses` attribute.
#[derive(Clone, Debug)]
pub(crate) struct InnerClass {
    pub(crate) inner: String,
    pub(crate) outer: Option<String>,
}

/// An entry of the `BootstrapMethods` attribute.
#[derive(Clone, Debug)]
pub(crate) struct BootstrapMethod {
    pub(crate) handle: u16,
    pub(crate) arguments: Vec<u16>,
}

pub(crate) fn inner_classes(class: &ClassFile) -> Result<Vec<InnerClass>, BadClass> {
    const WHAT: &str = "the inner classes";
    let Some(attribute) = class.find(&class.attributes, "InnerClasses") else {
        return Ok(Vec::new());
    };
    Input::new(&attribute.bytes).list(WHAT, |input| {
        let (inner, outer) = (input.u2(WHAT)?, input.u2(WHAT)?);
        input.take(4, WHAT)?;
        Ok(InnerClass {
            inner: class.pool.class(inner)?,
            outer: match outer {
                0 => None,
                index => Some(class.pool.class(index)?),
            },
        })
    })
}

pub(crate) fn bootstrap_methods(class: &ClassFile) -> Result<Vec<BootstrapMethod>, BadClass> {
    match class.find(&class.attributes, "BootstrapMethods") {
        Some(attribute) => read_bootstrap_methods(&attribute.bytes),
        None => Ok(Vec::new()),
    }
}

pub(crate) fn read_bootstrap_methods(bytes: &[u8]) -> Result<Vec<BootstrapMethod>, BadClass> {
    const WHAT: &str = "the bootstrap methods";
    Input::new(bytes).list(WHAT, |input| {
        Ok(BootstrapMethod { handle: input.u2(WHAT)?, arguments: input.list(WHAT, |input| input.u2(WHAT))? })
    })
}

/// The classes listed in an attribute that is nothing but such a list, with their indices.
pub(crate) fn class_list(class: &ClassFile, attribute: &Attribute) -> Result<Vec<(u16, String)>, BadClass> {
    const WHAT: &str = "a list of classes";
    Input::new(&attribute.bytes).list(WHAT, |input| {
        let index = input.u2(WHAT)?;
        Ok((index, class.pool.class(index)?))
    })
}

/// The class and the name and type (0 if none) of the method around a local class.
pub(crate) fn enclosing_method(class: &ClassFile) -> Result<Option<(String, u16)>, BadClass> {
    const WHAT: &str = "the enclosing method";
    let Some(attribute) = class.find(&class.attributes, "EnclosingMethod") else {
        return Ok(None);
    };
    let mut input = Input::new(&attribute.bytes);
    Ok(Some((class.pool.class(input.u2(WHAT)?)?, input.u2(WHAT)?)))
}

/// A component of a record: name, descriptor, attributes.
pub(crate) type Component = (String, String, Vec<Attribute>);

/// The components of a record.
pub(crate) fn record_components(class: &ClassFile) -> Result<Option<Vec<Component>>, BadClass> {
    const WHAT: &str = "the record components";
    let Some(attribute) = class.find(&class.attributes, "Record") else {
        return Ok(None);
    };
    let list = Input::new(&attribute.bytes).list(WHAT, |input| {
        let (name, descriptor) = (input.u2(WHAT)?, input.u2(WHAT)?);
        Ok((class.pool.text(name)?, class.pool.text(descriptor)?, Attribute::read_list(input)?))
    })?;
    Ok(Some(list))
}

/// The bytes of a list with a two-byte count, each element with the bytes given.
pub(crate) fn list_bytes<'a>(elements: impl ExactSizeIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    out.put_count(elements.len());
    for element in elements {
        out.extend_from_slice(element);
    }
    out
}
