//! Every place in a class file that holds the index of a constant.
//!
//! One walk serves two ends: to see which constants are used, and to give them new numbers.

use std::sync::Arc;

use crate::class::{Attribute, ClassFile};
use crate::instruction::instructions;
use crate::pool::Pool;

/// An attribute was met whose inside is not known, or is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unknown;

type Map<'m> = &'m mut dyn FnMut(u16) -> u16;

/// Replaces every index of the class outside its pool by what `map` says; 0 (nothing) stays.
pub(crate) fn map_indices(class: &mut ClassFile, pool: &Pool, map: Map<'_>) -> Result<(), Unknown> {
    class.this_class = map(class.this_class);
    if class.super_class != 0 {
        class.super_class = map(class.super_class);
    }
    for interface in &mut class.interfaces {
        *interface = map(*interface);
    }
    for member in class.fields.iter_mut().chain(&mut class.methods) {
        member.name = map(member.name);
        member.descriptor = map(member.descriptor);
        map_attributes(&mut member.attributes, pool, map)?;
    }
    map_attributes(&mut class.attributes, pool, map)
}

fn map_attributes(list: &mut [Attribute], pool: &Pool, map: Map<'_>) -> Result<(), Unknown> {
    for attribute in list {
        let name = pool.text(attribute.name).map_err(|_| Unknown)?;
        let mut bytes = attribute.bytes.to_vec();
        let mut place = Place { bytes: &mut bytes, at: 0, pool, map };
        place.attribute(&name)?;
        if place.at != place.bytes.len() {
            return Err(Unknown);
        }
        attribute.name = map(attribute.name);
        attribute.bytes = Arc::from(bytes);
    }
    Ok(())
}

struct Place<'a, 'm> {
    bytes: &'a mut [u8],
    at: usize,
    pool: &'a Pool,
    map: Map<'m>,
}

type Walked = Result<(), Unknown>;

impl Place<'_, '_> {
    fn skip(&mut self, count: usize) -> Walked {
        self.at = self.at.checked_add(count).ok_or(Unknown)?;
        if self.at > self.bytes.len() { Err(Unknown) } else { Ok(()) }
    }

    fn u1(&mut self) -> Result<u8, Unknown> {
        self.skip(1)?;
        Ok(self.bytes[self.at - 1])
    }

    fn u2(&mut self) -> Result<u16, Unknown> {
        self.skip(2)?;
        Ok(u16::from_be_bytes([self.bytes[self.at - 2], self.bytes[self.at - 1]]))
    }

    fn u4(&mut self) -> Result<usize, Unknown> {
        Ok(usize::from(self.u2()?) << 16 | usize::from(self.u2()?))
    }

    fn index(&mut self) -> Walked {
        let index = self.u2()?;
        if index != 0 {
            let mapped = (self.map)(index);
            self.bytes[self.at - 2..self.at].copy_from_slice(&mapped.to_be_bytes());
        }
        Ok(())
    }

    /// As many times as the two-byte count at this place says.
    fn each(&mut self, mut one: impl FnMut(&mut Self) -> Walked) -> Walked {
        for _ in 0..self.u2()? {
            one(self)?;
        }
        Ok(())
    }

    fn attribute(&mut self, name: &str) -> Walked {
        match name {
            "ConstantValue" | "Signature" | "SourceFile" | "NestHost" | "ModuleMainClass"
            | "ModuleTarget" => self.index(),
            "EnclosingMethod" => {
                self.index()?;
                self.index()
            }
            "Exceptions" | "NestMembers" | "PermittedSubclasses" | "ModulePackages" => self.each(Self::index),
            "Code" => self.code(),
            "StackMapTable" => self.each(Self::frame),
            "InnerClasses" => self.each(|place| {
                place.index()?;
                place.index()?;
                place.index()?;
                place.skip(2)
            }),
            "Synthetic" | "Deprecated" => Ok(()),
            "SourceDebugExtension" => self.skip(self.bytes.len()),
            "ModuleResolution" => self.skip(2),
            "LineNumberTable" => self.each(|place| place.skip(4)),
            "LocalVariableTable" | "LocalVariableTypeTable" => self.each(|place| {
                place.skip(4)?;
                place.index()?;
                place.index()?;
                place.skip(2)
            }),
            "RuntimeVisibleAnnotations" | "RuntimeInvisibleAnnotations" => self.each(Self::annotation),
            "RuntimeVisibleParameterAnnotations" | "RuntimeInvisibleParameterAnnotations" => {
                for _ in 0..self.u1()? {
                    self.each(Self::annotation)?;
                }
                Ok(())
            }
            "RuntimeVisibleTypeAnnotations" | "RuntimeInvisibleTypeAnnotations" => {
                self.each(Self::type_annotation)
            }
            "AnnotationDefault" => self.element(0),
            "BootstrapMethods" => self.each(|place| {
                place.index()?;
                place.each(Self::index)
            }),
            "MethodParameters" => {
                for _ in 0..self.u1()? {
                    self.index()?;
                    self.skip(2)?;
                }
                Ok(())
            }
            "Record" => self.each(|place| {
                place.index()?;
                place.index()?;
                place.nested_attributes()
            }),
            "Module" => self.module(),
            "ModuleHashes" => {
                self.index()?;
                self.each(|place| {
                    place.index()?;
                    let length = place.u2()?;
                    place.skip(length.into())
                })
            }
            _ => Err(Unknown),
        }
    }

    fn nested_attributes(&mut self) -> Walked {
        self.each(|place| {
            let name_at = place.at;
            let name = place.u2()?;
            let length = place.u4()?;
            let name_text = place.pool.text(name).map_err(|_| Unknown)?;
            let end = place.at.checked_add(length).ok_or(Unknown)?;
            if end > place.bytes.len() {
                return Err(Unknown);
            }
            let mut inside =
                Place { bytes: &mut place.bytes[place.at..end], at: 0, pool: place.pool, map: place.map };
            inside.attribute(&name_text)?;
            if inside.at != length {
                return Err(Unknown);
            }
            let mapped = (place.map)(name);
            place.bytes[name_at..name_at + 2].copy_from_slice(&mapped.to_be_bytes());
            place.at = end;
            Ok(())
        })
    }

    fn code(&mut self) -> Walked {
        self.skip(4)?;
        let length = self.u4()?;
        let start = self.at;
        self.skip(length)?;
        self.code_indices(start)?;
        self.each(|place| {
            place.skip(6)?;
            place.index()
        })?;
        self.nested_attributes()
    }

    fn code_indices(&mut self, start: usize) -> Walked {
        let mut places = Vec::new();
        for instruction in instructions(&self.bytes[start..self.at]) {
            let instruction = instruction.map_err(|_| Unknown)?;
            match instruction.opcode {
                18 => places.push((instruction.at, false)),
                19 | 20 | 178..=187 | 189 | 192 | 193 | 197 => places.push((instruction.at, true)),
                _ => {}
            }
        }
        for (at, two_bytes) in places {
            let operand = start + at + 1;
            if two_bytes {
                let index = u16::from_be_bytes([self.bytes[operand], self.bytes[operand + 1]]);
                self.bytes[operand..operand + 2].copy_from_slice(&(self.map)(index).to_be_bytes());
            } else {
                let index = u16::from(self.bytes[operand]);
                self.bytes[operand] = u8::try_from((self.map)(index)).map_err(|_| Unknown)?;
            }
        }
        Ok(())
    }

    fn frame(&mut self) -> Walked {
        match self.u1()? {
            0..=63 => Ok(()),
            64..=127 => self.verification_type(),
            247 => {
                self.skip(2)?;
                self.verification_type()
            }
            248..=251 => self.skip(2),
            kind @ 252..=254 => {
                self.skip(2)?;
                for _ in 251..kind {
                    self.verification_type()?;
                }
                Ok(())
            }
            255 => {
                self.skip(2)?;
                self.each(Self::verification_type)?;
                self.each(Self::verification_type)
            }
            _ => Err(Unknown),
        }
    }

    fn verification_type(&mut self) -> Walked {
        match self.u1()? {
            0..=6 => Ok(()),
            7 => self.index(),
            8 => self.skip(2),
            _ => Err(Unknown),
        }
    }

    fn annotation(&mut self) -> Walked {
        self.index()?;
        self.each(|place| {
            place.index()?;
            place.element(0)
        })
    }

    fn element(&mut self, depth: usize) -> Walked {
        // Nested annotations are written by hand; a bound keeps made-up ones from using up the stack.
        if depth > 64 {
            return Err(Unknown);
        }
        match self.u1()? {
            b'e' => {
                self.index()?;
                self.index()
            }
            b'@' => {
                self.index()?;
                self.each(|place| {
                    place.index()?;
                    place.element(depth + 1)
                })
            }
            b'[' => self.each(|place| place.element(depth + 1)),
            b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => self.index(),
            _ => Err(Unknown),
        }
    }

    fn type_annotation(&mut self) -> Walked {
        match self.u1()? {
            0x00 | 0x01 | 0x16 => self.skip(1)?,
            0x10..=0x12 | 0x17 | 0x42..=0x46 => self.skip(2)?,
            0x13..=0x15 => {}
            0x40 | 0x41 => self.each(|place| place.skip(6))?,
            0x47..=0x4B => self.skip(3)?,
            _ => return Err(Unknown),
        }
        let steps = self.u1()?;
        self.skip(2 * usize::from(steps))?;
        self.annotation()
    }

    fn module(&mut self) -> Walked {
        self.index()?;
        self.skip(2)?;
        self.index()?;
        self.each(|place| {
            place.index()?;
            place.skip(2)?;
            place.index()
        })?;
        for _exports_then_opens in 0..2 {
            self.each(|place| {
                place.index()?;
                place.skip(2)?;
                place.each(Self::index)
            })?;
        }
        self.each(Self::index)?;
        self.each(|place| {
            place.index()?;
            place.each(Self::index)
        })
    }
}
