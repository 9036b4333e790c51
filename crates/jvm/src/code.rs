//! The body of a method: instructions, handlers, frames, and the stub that can stand for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::bytes::{Input, Output};
use crate::class::{Attribute, ClassFile};
use crate::error::BadClass;
use crate::names::{method_types, reference_name};

/// A range of instructions whose exceptions are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handler {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) handler: usize,
    /// Index of the class of the exceptions; 0 for all.
    pub(crate) catch: u16,
}

/// The `Code` attribute of a method.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) instructions: Vec<u8>,
    pub(crate) handlers: Vec<Handler>,
    pub(crate) attributes: Vec<Attribute>,
}

impl Code {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, BadClass> {
        const WHAT: &str = "the code of a method";
        let mut input = Input::new(bytes);
        input.take(4, WHAT)?;
        let length = input.u4(WHAT)? as usize;
        let instructions = input.take(length, WHAT)?.to_vec();
        let handlers = input.list(WHAT, |input| {
            Ok(Handler {
                start: input.u2(WHAT)?.into(),
                end: input.u2(WHAT)?.into(),
                handler: input.u2(WHAT)?.into(),
                catch: input.u2(WHAT)?,
            })
        })?;
        let attributes = Attribute::read_list(&mut input)?;
        input.end()?;
        Ok(Code { instructions, handlers, attributes })
    }
}

/// The bytes of a `Code` attribute without some of its own attributes.
pub(crate) fn without_attributes(
    bytes: &[u8],
    stays: &mut dyn FnMut(usize) -> bool,
) -> Result<Vec<u8>, BadClass> {
    let mut attributes = Code::read(bytes)?.attributes;
    let before: usize = attributes.iter().map(|attribute| 6 + attribute.bytes.len()).sum();
    // The list is the end of the code, after its two-byte count.
    let mut out = bytes[..bytes.len() - before - 2].to_vec();
    let mut position = 0..;
    attributes.retain(|_| position.next().is_some_and(&mut *stays));
    Attribute::write_list(&attributes, &mut out);
    Ok(out)
}

/// What a slot of a frame holds, as the verifier sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    /// Nothing that may be used.
    Top,
    Int,
    Float,
    Long,
    Double,
    Null,
    /// `this` before the constructor of the superclass was called.
    UninitializedThis,
    /// What the `new` at this offset made, before its constructor was called.
    Uninitialized(usize),
    /// An object of this class, an array by its descriptor.
    Object(Arc<str>),
}

impl Slot {
    /// What a value of this field type is on the stack; nothing for `V`.
    pub(crate) fn of(descriptor: &str) -> Option<Slot> {
        Some(match descriptor.as_bytes().first()? {
            b'B' | b'C' | b'I' | b'S' | b'Z' => Slot::Int,
            b'F' => Slot::Float,
            b'J' => Slot::Long,
            b'D' => Slot::Double,
            b'V' => return None,
            _ => Slot::Object(reference_name(descriptor)?.into()),
        })
    }

    pub(crate) fn is_wide(&self) -> bool {
        matches!(self, Slot::Long | Slot::Double)
    }
}

/// The types of all locals and of the stack at one place. Long and double take one element of the stack, but two
/// locals, the second being [`Slot::Top`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) locals: Vec<Slot>,
    pub(crate) stack: Vec<Slot>,
}

impl Frame {
    /// The frame at the entry of a method.
    pub(crate) fn entry(this: Option<Slot>, descriptor: &str) -> Result<Self, BadClass> {
        let (parameters, _) = method_types(descriptor)?;
        let mut locals: Vec<Slot> = this.into_iter().collect();
        for slot in parameters.into_iter().filter_map(Slot::of) {
            push_local(&mut locals, slot);
        }
        Ok(Frame { locals, stack: Vec::new() })
    }
}

fn push_local(locals: &mut Vec<Slot>, slot: Slot) {
    let wide = slot.is_wide();
    locals.push(slot);
    if wide {
        locals.push(Slot::Top);
    }
}

/// The frames that a `StackMapTable` declares, by offset.
pub(crate) fn frames(
    class: &ClassFile,
    entry: &Frame,
    table: &[u8],
) -> Result<BTreeMap<usize, Frame>, BadClass> {
    const WHAT: &str = "a stack map";
    let mut input = Input::new(table);
    let mut found = BTreeMap::new();
    // Locals as the table counts them: a long or double once.
    let mut locals: Vec<Slot> = Vec::new();
    let mut rest = entry.locals.iter();
    while let Some(slot) = rest.next() {
        locals.push(slot.clone());
        if slot.is_wide() {
            rest.next();
        }
    }
    let mut at: Option<usize> = None;
    for _ in 0..input.u2(WHAT)? {
        let kind = input.u1(WHAT)?;
        let mut stack = Vec::new();
        let delta = match kind {
            0..=63 => usize::from(kind),
            64..=127 => {
                stack.push(slot(class, &mut input)?);
                usize::from(kind) - 64
            }
            247 => {
                let delta = input.u2(WHAT)?;
                stack.push(slot(class, &mut input)?);
                delta.into()
            }
            248..=251 => {
                locals.truncate(locals.len().saturating_sub(usize::from(251 - kind)));
                input.u2(WHAT)?.into()
            }
            252..=254 => {
                let delta = input.u2(WHAT)?;
                for _ in 251..kind {
                    locals.push(slot(class, &mut input)?);
                }
                delta.into()
            }
            255 => {
                let delta = input.u2(WHAT)?;
                locals = input.list(WHAT, |input| slot(class, input))?;
                stack = input.list(WHAT, |input| slot(class, input))?;
                delta.into()
            }
            _ => return Err(BadClass::Attribute("StackMapTable".to_owned())),
        };
        let here = at.map_or(delta, |before| before + delta + 1);
        at = Some(here);
        let mut spread = Vec::new();
        for slot in &locals {
            push_local(&mut spread, slot.clone());
        }
        found.insert(here, Frame { locals: spread, stack });
    }
    Ok(found)
}

fn slot(class: &ClassFile, input: &mut Input<'_>) -> Result<Slot, BadClass> {
    const WHAT: &str = "a stack map";
    Ok(match input.u1(WHAT)? {
        0 => Slot::Top,
        1 => Slot::Int,
        2 => Slot::Float,
        3 => Slot::Double,
        4 => Slot::Long,
        5 => Slot::Null,
        6 => Slot::UninitializedThis,
        7 => Slot::Object(class.pool.class(input.u2(WHAT)?)?.into()),
        8 => Slot::Uninitialized(input.u2(WHAT)?.into()),
        _ => return Err(BadClass::Attribute("StackMapTable".to_owned())),
    })
}

/// A local variable with its range, number and type, for source level tools.
pub(crate) struct LocalType {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) number: usize,
    pub(crate) class: Arc<str>,
}

pub(crate) fn local_types(class: &ClassFile, code: &Code) -> Result<Vec<LocalType>, BadClass> {
    const WHAT: &str = "the local variables";
    let Some(table) = class.find(&code.attributes, "LocalVariableTable") else {
        return Ok(Vec::new());
    };
    let mut input = Input::new(&table.bytes);
    let list = input.list(WHAT, |input| {
        let (start, length) = (usize::from(input.u2(WHAT)?), usize::from(input.u2(WHAT)?));
        let (_, descriptor, number) = (input.u2(WHAT)?, input.u2(WHAT)?, input.u2(WHAT)?);
        let descriptor = class.pool.text(descriptor)?;
        Ok(reference_name(&descriptor).map(|name| LocalType {
            start,
            end: start + length,
            number: number.into(),
            class: name.into(),
        }))
    })?;
    Ok(list.into_iter().flatten().collect())
}

/// A body without branches that does nothing: it returns the default value of its type. A constructor calls the
/// no-argument constructor (`super_init`, an index) of its superclass first.
pub(crate) fn stub(is_static: bool, descriptor: &str, super_init: Option<u16>) -> Result<Vec<u8>, BadClass> {
    let (parameters, result) = method_types(descriptor)?;
    let size = |type_: &str| if matches!(type_, "J" | "D") { 2 } else { 1 };
    let locals: u16 = u16::from(!is_static) + parameters.iter().map(|type_| size(type_)).sum::<u16>();
    let mut code = Vec::new();
    if let Some(index) = super_init {
        // aload_0, invokespecial
        code.extend([42, 183]);
        code.put2(index);
    }
    code.extend_from_slice(match result.as_bytes()[0] {
        b'V' => &[177],
        b'J' => &[9, 173],
        b'F' => &[11, 174],
        b'D' => &[14, 175],
        b'L' | b'[' => &[1, 176],
        _ => &[3, 172],
    });
    let stack = if result == "V" { u16::from(super_init.is_some()) } else { size(result) };
    let mut out = Vec::new();
    out.put2(stack);
    out.put2(locals);
    out.put4(u32::try_from(code.len()).expect("a stub is a few bytes"));
    out.extend_from_slice(&code);
    // No handlers, no attributes.
    out.put4(0);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_has_room_for_its_parameters_and_its_result() {
        for (is_static, descriptor, stack, locals, code) in [
            (true, "()V", 0, 0, &[177][..]),
            (false, "(JLx;)D", 2, 4, &[14, 175]),
            (true, "(D)[I", 1, 2, &[1, 176]),
            (false, "(Z)Z", 1, 2, &[3, 172]),
        ] {
            let stub = stub(is_static, descriptor, None).expect("a good descriptor");
            let mut wanted = vec![0, stack, 0, locals, 0, 0, 0, u8::try_from(code.len()).expect("short")];
            wanted.extend_from_slice(code);
            wanted.extend([0; 4]);
            assert_eq!(stub, wanted, "{descriptor}");
        }
    }

    #[test]
    fn the_stub_of_a_constructor_calls_the_one_above() {
        let stub = stub(false, "(I)V", Some(0x0102)).expect("a good descriptor");
        assert_eq!(stub, [0, 1, 0, 2, 0, 0, 0, 5, 42, 183, 1, 2, 177, 0, 0, 0, 0]);
    }
}
