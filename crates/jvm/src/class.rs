//! A class file as a list of parts. What nobody changes is written back as it was read.

use std::sync::Arc;

use crate::bytes::{Input, Output};
use crate::error::BadClass;
use crate::pool::Pool;

/// Access flags that matter here.
pub mod access {
    /// May be used from anywhere.
    pub const PUBLIC: u16 = 0x0001;
    /// May be used from its own class (and nest) only.
    pub const PRIVATE: u16 = 0x0002;
    /// May be used from its package and from subclasses.
    pub const PROTECTED: u16 = 0x0004;
    /// Belongs to the class and not to its objects.
    pub const STATIC: u16 = 0x0008;
    /// Is assigned once, not overridden, or not extended.
    pub const FINAL: u16 = 0x0010;
    /// Is an interface.
    pub const INTERFACE: u16 = 0x0200;
    /// Has no body, or cannot be made objects of.
    pub const ABSTRACT: u16 = 0x0400;
    /// Computes with floating point numbers as old machines did not.
    pub const STRICT: u16 = 0x0800;
    /// Was made by the compiler.
    pub const SYNTHETIC: u16 = 0x1000;
    /// Is an enum.
    pub const ENUM: u16 = 0x4000;
    /// Is a module description and no class.
    pub const MODULE: u16 = 0x8000;
}

/// An attribute: a name and bytes whose meaning depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Index of its name.
    pub name: u16,
    /// What is in it.
    pub bytes: Arc<[u8]>,
}

/// A field or a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its access flags.
    pub access: u16,
    /// Index of its name.
    pub name: u16,
    /// Index of its descriptor.
    pub descriptor: u16,
    /// Its attributes, in stored order.
    pub attributes: Vec<Attribute>,
}

/// A class file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassFile {
    /// Minor version.
    pub minor: u16,
    /// Major version: 52 is Java 8, 69 is Java 25.
    pub major: u16,
    /// Its constants.
    pub pool: Pool,
    /// Its access flags.
    pub access: u16,
    /// Index of its own name.
    pub this_class: u16,
    /// Index of its superclass; 0 for `java/lang/Object` and modules.
    pub super_class: u16,
    /// Indices of the interfaces it names.
    pub interfaces: Vec<u16>,
    /// Its fields, in stored order.
    pub fields: Vec<Member>,
    /// Its methods, in stored order.
    pub methods: Vec<Member>,
    /// Its attributes, in stored order.
    pub attributes: Vec<Attribute>,
}

impl Attribute {
    pub(crate) fn read_list(input: &mut Input<'_>) -> Result<Vec<Self>, BadClass> {
        input.list("the attributes", |input| {
            let name = input.u2("an attribute")?;
            let length = input.u4("an attribute")? as usize;
            Ok(Attribute { name, bytes: input.take(length, "an attribute")?.into() })
        })
    }

    pub(crate) fn write_list(list: &[Self], out: &mut Vec<u8>) {
        out.put_count(list.len());
        for attribute in list {
            out.put2(attribute.name);
            out.put4(u32::try_from(attribute.bytes.len()).expect("attributes only shrink"));
            out.extend_from_slice(&attribute.bytes);
        }
    }
}

impl Member {
    fn read(input: &mut Input<'_>) -> Result<Self, BadClass> {
        const WHAT: &str = "a field or method";
        Ok(Member {
            access: input.u2(WHAT)?,
            name: input.u2(WHAT)?,
            descriptor: input.u2(WHAT)?,
            attributes: Attribute::read_list(input)?,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.put2(self.access);
        out.put2(self.name);
        out.put2(self.descriptor);
        Attribute::write_list(&self.attributes, out);
    }

    /// Whether all of these access flags are set.
    #[must_use]
    pub fn is(&self, flags: u16) -> bool {
        self.access & flags == flags
    }
}

impl ClassFile {
    /// Reads a class.
    ///
    /// # Errors
    /// If the bytes are no class file.
    pub fn read(bytes: &[u8]) -> Result<Self, BadClass> {
        const WHAT: &str = "the class header";
        let mut input = Input::new(bytes);
        let magic = input.u4(WHAT)?;
        if magic != 0xCAFE_BABE {
            return Err(BadClass::Magic(magic));
        }
        let (minor, major) = (input.u2(WHAT)?, input.u2(WHAT)?);
        let pool = Pool::read(&mut input)?;
        let class = ClassFile {
            minor,
            major,
            pool,
            access: input.u2(WHAT)?,
            this_class: input.u2(WHAT)?,
            super_class: input.u2(WHAT)?,
            interfaces: input.list("the interfaces", |input| input.u2("the interfaces"))?,
            fields: input.list("the fields", Member::read)?,
            methods: input.list("the methods", Member::read)?,
            attributes: Attribute::read_list(&mut input)?,
        };
        input.end()?;
        Ok(class)
    }

    /// Writes the class.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.put4(0xCAFE_BABE);
        out.put2(self.minor);
        out.put2(self.major);
        self.pool.write(&mut out);
        out.put2(self.access);
        out.put2(self.this_class);
        out.put2(self.super_class);
        out.put_count(self.interfaces.len());
        for interface in &self.interfaces {
            out.put2(*interface);
        }
        for members in [&self.fields, &self.methods] {
            out.put_count(members.len());
            for member in members {
                member.write(&mut out);
            }
        }
        Attribute::write_list(&self.attributes, &mut out);
        out
    }

    /// Its own name, with slashes.
    ///
    /// # Errors
    /// If the name's index leads nowhere.
    pub fn name(&self) -> Result<String, BadClass> {
        self.pool.class(self.this_class)
    }

    /// The name of its superclass, if it has one.
    ///
    /// # Errors
    /// If the index leads nowhere.
    pub fn super_name(&self) -> Result<Option<String>, BadClass> {
        match self.super_class {
            0 => Ok(None),
            index => self.pool.class(index).map(Some),
        }
    }

    /// Whether all of these access flags are set.
    #[must_use]
    pub fn is(&self, flags: u16) -> bool {
        self.access & flags == flags
    }

    /// The first of `attributes` called `name`.
    #[must_use]
    pub fn find<'a>(&self, attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
        attributes.iter().find(|attribute| self.is_named(attribute, name))
    }

    /// Whether an attribute is called `name`.
    #[must_use]
    pub fn is_named(&self, attribute: &Attribute, name: &str) -> bool {
        matches!(
            self.pool.get(attribute.name),
            Some(crate::pool::Constant::Utf8(text)) if **text == *name.as_bytes()
        )
    }
}
