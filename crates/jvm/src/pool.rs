//! The constant pool: read, looked up, appended to, written back byte for byte.

use crate::bytes::{Input, Output};
use crate::error::BadClass;

/// One constant. Numbers stay as their bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// Index 0 and the second index of a long or double: nothing is there.
    Nothing,
    /// Text in modified UTF-8.
    Utf8(Box<[u8]>),
    /// An int.
    Integer([u8; 4]),
    /// A float.
    Float([u8; 4]),
    /// A long.
    Long([u8; 8]),
    /// A double.
    Double([u8; 8]),
    /// A class, by its name.
    Class(u16),
    /// A string, by its text.
    String(u16),
    /// A field, method or interface method (tag 9, 10, 11): its class, its name and type.
    Member(u8, u16, u16),
    /// A name and a descriptor.
    NameAndType(u16, u16),
    /// A method handle: its kind and the member.
    MethodHandle(u8, u16),
    /// A method type, by its descriptor.
    MethodType(u16),
    /// A constant (tag 17) or call site (tag 18) made by a bootstrap method: which, and its name and type.
    Dynamic(u8, u16, u16),
    /// A module (tag 19) or package (tag 20), by its name.
    Named(u8, u16),
}

impl Constant {
    fn read(input: &mut Input<'_>, index: u16) -> Result<Self, BadClass> {
        const WHAT: &str = "the constant pool";
        Ok(match input.u1(WHAT)? {
            1 => {
                let length = input.u2(WHAT)?;
                Constant::Utf8(input.take(length.into(), WHAT)?.into())
            }
            3 => Constant::Integer(input.array(WHAT)?),
            4 => Constant::Float(input.array(WHAT)?),
            5 => Constant::Long(input.array(WHAT)?),
            6 => Constant::Double(input.array(WHAT)?),
            7 => Constant::Class(input.u2(WHAT)?),
            8 => Constant::String(input.u2(WHAT)?),
            tag @ 9..=11 => Constant::Member(tag, input.u2(WHAT)?, input.u2(WHAT)?),
            12 => Constant::NameAndType(input.u2(WHAT)?, input.u2(WHAT)?),
            15 => Constant::MethodHandle(input.u1(WHAT)?, input.u2(WHAT)?),
            16 => Constant::MethodType(input.u2(WHAT)?),
            tag @ 17..=18 => Constant::Dynamic(tag, input.u2(WHAT)?, input.u2(WHAT)?),
            tag @ 19..=20 => Constant::Named(tag, input.u2(WHAT)?),
            tag => return Err(BadClass::Tag { index, tag }),
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Constant::Nothing => {}
            Constant::Utf8(text) => {
                out.put1(1);
                out.put_count(text.len());
                out.extend_from_slice(text);
            }
            Constant::Integer(bytes) => {
                out.put1(3);
                out.extend_from_slice(bytes);
            }
            Constant::Float(bytes) => {
                out.put1(4);
                out.extend_from_slice(bytes);
            }
            Constant::Long(bytes) => {
                out.put1(5);
                out.extend_from_slice(bytes);
            }
            Constant::Double(bytes) => {
                out.put1(6);
                out.extend_from_slice(bytes);
            }
            Constant::Class(name) => {
                out.put1(7);
                out.put2(*name);
            }
            Constant::String(text) => {
                out.put1(8);
                out.put2(*text);
            }
            Constant::NameAndType(name, descriptor) => {
                out.put1(12);
                out.put2(*name);
                out.put2(*descriptor);
            }
            Constant::MethodHandle(kind, member) => {
                out.put1(15);
                out.put1(*kind);
                out.put2(*member);
            }
            Constant::MethodType(descriptor) => {
                out.put1(16);
                out.put2(*descriptor);
            }
            Constant::Member(tag, first, second) | Constant::Dynamic(tag, first, second) => {
                out.put1(*tag);
                out.put2(*first);
                out.put2(*second);
            }
            Constant::Named(tag, name) => {
                out.put1(*tag);
                out.put2(*name);
            }
        }
    }

    /// The other constants it names, each replaced by what `map` says.
    pub(crate) fn map_indices(&mut self, map: &mut dyn FnMut(u16) -> u16) {
        match self {
            Constant::Nothing
            | Constant::Utf8(_)
            | Constant::Integer(_)
            | Constant::Float(_)
            | Constant::Long(_)
            | Constant::Double(_) => {}
            Constant::Class(index)
            | Constant::String(index)
            | Constant::MethodHandle(_, index)
            | Constant::MethodType(index)
            // The other number of a dynamic constant is no index of a constant.
            | Constant::Dynamic(_, _, index)
            | Constant::Named(_, index) => *index = map(*index),
            Constant::Member(_, first, second) | Constant::NameAndType(first, second) => {
                *first = map(*first);
                *second = map(*second);
            }
        }
    }

    fn is_wide(&self) -> bool {
        matches!(self, Constant::Long(_) | Constant::Double(_))
    }
}

/// A member as code names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemberRef {
    /// The class it is looked up in; `[…` for arrays.
    pub owner: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Whether the owner is said to be an interface.
    pub interface: bool,
}

/// The constants of a class, by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    list: Vec<Constant>,
}

impl Pool {
    pub(crate) fn read(input: &mut Input<'_>) -> Result<Self, BadClass> {
        let count = input.u2("the constant pool")?;
        let mut list = vec![Constant::Nothing];
        while list.len() < usize::from(count) {
            let index = u16::try_from(list.len()).expect("below the two-byte count");
            let constant = Constant::read(input, index)?;
            let wide = constant.is_wide();
            list.push(constant);
            if wide {
                list.push(Constant::Nothing);
            }
        }
        // The count is one more than there are constants, so it is never 0; found by fuzzing.
        if list.len() > usize::from(count) {
            return Err(BadClass::Truncated { what: "the constant pool", end: input.at() });
        }
        Ok(Pool { list })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.put_count(self.list.len());
        for constant in &self.list {
            constant.write(out);
        }
    }

    /// One more than the largest index.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is no constant.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.len() <= 1
    }

    /// The constants with their indices, index 0 included.
    pub fn iter(&self) -> impl Iterator<Item = (u16, &Constant)> {
        (0..=u16::MAX).zip(&self.list)
    }

    pub(crate) fn list_mut(&mut self) -> &mut Vec<Constant> {
        &mut self.list
    }

    /// The constant at `index`.
    #[must_use]
    pub fn get(&self, index: u16) -> Option<&Constant> {
        self.list.get(usize::from(index))
    }

    /// The text at `index`. Text that is not UTF-8 (lone surrogates, zero bytes) shows its odd bytes as `\xNN`.
    ///
    /// # Errors
    /// If no text is there.
    pub fn text(&self, index: u16) -> Result<String, BadClass> {
        match self.get(index) {
            Some(Constant::Utf8(text)) => Ok(readable(text)),
            _ => Err(BadClass::Index { index, wanted: "text" }),
        }
    }

    /// The name of the class at `index`.
    ///
    /// # Errors
    /// If no class is there.
    pub fn class(&self, index: u16) -> Result<String, BadClass> {
        match self.get(index) {
            Some(Constant::Class(name)) => self.text(*name),
            _ => Err(BadClass::Index { index, wanted: "class" }),
        }
    }

    /// The name and the descriptor at `index`.
    ///
    /// # Errors
    /// If none are there.
    pub fn name_and_type(&self, index: u16) -> Result<(String, String), BadClass> {
        match self.get(index) {
            Some(Constant::NameAndType(name, descriptor)) => Ok((self.text(*name)?, self.text(*descriptor)?)),
            _ => Err(BadClass::Index { index, wanted: "name and type" }),
        }
    }

    /// The field or method at `index`.
    ///
    /// # Errors
    /// If none is there.
    pub fn member(&self, index: u16) -> Result<MemberRef, BadClass> {
        match self.get(index) {
            Some(Constant::Member(tag, owner, name_and_type)) => {
                let (name, descriptor) = self.name_and_type(*name_and_type)?;
                Ok(MemberRef { owner: self.class(*owner)?, name, descriptor, interface: *tag == 11 })
            }
            _ => Err(BadClass::Index { index, wanted: "member" }),
        }
    }

    /// The index of this text, which is appended if it is not there yet.
    ///
    /// # Errors
    /// If the pool is full.
    pub fn add_text(&mut self, text: &str) -> Result<u16, BadClass> {
        self.add(Constant::Utf8(text.as_bytes().into()))
    }

    /// The index of this class, which is appended if it is not there yet.
    ///
    /// # Errors
    /// If the pool is full.
    pub fn add_class(&mut self, name: &str) -> Result<u16, BadClass> {
        let name = self.add_text(name)?;
        self.add(Constant::Class(name))
    }

    /// The index of this method, which is appended if it is not there yet.
    ///
    /// # Errors
    /// If the pool is full.
    pub fn add_method(&mut self, owner: &str, name: &str, descriptor: &str) -> Result<u16, BadClass> {
        let owner = self.add_class(owner)?;
        let (name, descriptor) = (self.add_text(name)?, self.add_text(descriptor)?);
        let name_and_type = self.add(Constant::NameAndType(name, descriptor))?;
        self.add(Constant::Member(10, owner, name_and_type))
    }

    fn add(&mut self, constant: Constant) -> Result<u16, BadClass> {
        let index = match self.list.iter().position(|known| *known == constant) {
            Some(index) => index,
            None if self.list.len() >= usize::from(u16::MAX) => return Err(BadClass::PoolFull),
            None => {
                self.list.push(constant);
                self.list.len() - 1
            }
        };
        Ok(u16::try_from(index).expect("the pool is not full"))
    }
}

fn readable(text: &[u8]) -> String {
    text.utf8_chunks().fold(String::with_capacity(text.len()), |mut all, chunk| {
        all.push_str(chunk.valid());
        for byte in chunk.invalid() {
            all.push_str(&format!("\\x{byte:02X}"));
        }
        all
    })
}
