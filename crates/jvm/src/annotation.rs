//! What annotations name: their classes, elements, constants.

use crate::bytes::Input;
use crate::class::Attribute;
use crate::class::ClassFile;
use crate::error::BadClass;

/// Something an annotation needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Named {
    /// Types, as a descriptor.
    Types(String),
    /// The element of an annotation type, by the type's descriptor and its own name.
    Element(String, String),
    /// A constant of an enum, by the enum's descriptor and its own name.
    EnumConstant(String, String),
}

/// What the annotations in an attribute need; nothing if it holds none.
pub(crate) fn named_in(class: &ClassFile, attribute: &Attribute) -> Result<Vec<Named>, BadClass> {
    let mut reader = Reader { class, input: Input::new(&attribute.bytes), found: Vec::new() };
    match class.pool.text(attribute.name)?.as_str() {
        "RuntimeVisibleAnnotations" | "RuntimeInvisibleAnnotations" => reader.list()?,
        "RuntimeVisibleParameterAnnotations" | "RuntimeInvisibleParameterAnnotations" => {
            for _ in 0..reader.input.u1(WHAT)? {
                reader.list()?;
            }
        }
        "RuntimeVisibleTypeAnnotations" | "RuntimeInvisibleTypeAnnotations" => {
            for _ in 0..reader.input.u2(WHAT)? {
                reader.target()?;
                reader.annotation(0)?;
            }
        }
        "AnnotationDefault" => reader.element(0)?,
        _ => {}
    }
    Ok(reader.found)
}

const WHAT: &str = "an annotation";

struct Reader<'c> {
    class: &'c ClassFile,
    input: Input<'c>,
    found: Vec<Named>,
}

impl Reader<'_> {
    fn text(&mut self) -> Result<String, BadClass> {
        let index = self.input.u2(WHAT)?;
        self.class.pool.text(index)
    }

    fn list(&mut self) -> Result<(), BadClass> {
        for _ in 0..self.input.u2(WHAT)? {
            self.annotation(0)?;
        }
        Ok(())
    }

    fn annotation(&mut self, depth: usize) -> Result<(), BadClass> {
        let class = self.text()?;
        self.found.push(Named::Types(class.clone()));
        for _ in 0..self.input.u2(WHAT)? {
            let element = self.text()?;
            self.found.push(Named::Element(class.clone(), element));
            self.element(depth + 1)?;
        }
        Ok(())
    }

    fn element(&mut self, depth: usize) -> Result<(), BadClass> {
        if depth > 64 {
            return Err(BadClass::Attribute("an annotation nested too deep".to_owned()));
        }
        match self.input.u1(WHAT)? {
            b'e' => {
                let (class, name) = (self.text()?, self.text()?);
                self.found.push(Named::Types(class.clone()));
                self.found.push(Named::EnumConstant(class, name));
            }
            b'c' => {
                let types = self.text()?;
                self.found.push(Named::Types(types));
            }
            b'@' => self.annotation(depth + 1)?,
            b'[' => {
                for _ in 0..self.input.u2(WHAT)? {
                    self.element(depth + 1)?;
                }
            }
            _ => {
                self.input.u2(WHAT)?;
            }
        }
        Ok(())
    }

    /// Skips what a type annotation is attached to.
    fn target(&mut self) -> Result<(), BadClass> {
        let length = match self.input.u1(WHAT)? {
            0x00 | 0x01 | 0x16 => 1,
            0x13..=0x15 => 0,
            0x40 | 0x41 => 6 * usize::from(self.input.u2(WHAT)?),
            0x47..=0x4B => 3,
            _ => 2,
        };
        self.input.take(length, WHAT)?;
        let steps = self.input.u1(WHAT)?;
        self.input.take(2 * usize::from(steps), WHAT)?;
        Ok(())
    }
}
