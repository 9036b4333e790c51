//! Writes the body of a method with parts cut out: instructions move, and with them jumps, handlers, frames and tables.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::bytes::{Input, Output};
use crate::class::{Attribute, ClassFile, Member};
use crate::code::{Code, Frame, Handler, Slot, frames};
use crate::cuts::{Cut, CutKind};
use crate::error::BadClass;
use crate::flow::{Place, entry_frame};
use crate::instruction::{Instruction, instructions};
use crate::pool::Pool;

/// What stands in the new code, in order, each at the offset it had or that of the cut it stands for.
struct Element<'c> {
    at: usize,
    /// Where the old code goes on behind it.
    end: usize,
    what: What<'c>,
}

enum What<'c> {
    Instruction(Instruction<'c>),
    Fill(&'c [u8]),
}

/// The bytes of a `Code` attribute without these cuts, which must have been found in it. Instructions that nothing leads to
/// any more go too.
pub(crate) fn splice(
    class: &mut ClassFile,
    method: &Member,
    bytes: &[u8],
    cuts: &[&Cut],
) -> Result<Vec<u8>, BadClass> {
    let mut code = Code::read(bytes)?;
    let handled: Vec<usize> =
        cuts.iter().filter(|cut| cut.kind == CutKind::Handler).map(|cut| cut.start).collect();
    code.handlers.retain(|row| !handled.contains(&row.handler));
    let elements = elements(&code.instructions, cuts)?;
    let layout = Layout::new(&code.handlers, &elements)?;

    let mut out = Vec::new();
    // A value that is filled in may be the first on a stack that had no room for one.
    let filled = elements.iter().any(|element| matches!(element.what, What::Fill(_)));
    out.put2(u16::from_be_bytes([bytes[0], bytes[1]]).max(if filled { 2 } else { 0 }));
    out.extend_from_slice(&bytes[2..4]);
    let instructions = layout.write()?;
    out.put4(u32::try_from(instructions.len()).expect("shorter than before"));
    out.extend_from_slice(&instructions);
    let rows: Vec<_> = code.handlers.iter().filter_map(|row| layout.row(row)).collect();
    out.put_count(rows.len());
    for row in rows {
        for part in [row.start, row.end, row.handler] {
            out.put2(short(part)?);
        }
        out.put2(row.catch);
    }
    let mut attributes = Vec::new();
    for attribute in &code.attributes {
        let name = class.pool.text(attribute.name)?;
        let bytes = match name.as_str() {
            "StackMapTable" => {
                let entry = entry_frame(class, method)?;
                let frames = frames(class, &entry, &attribute.bytes)?;
                layout.frames(&mut class.pool, &entry, &frames, cuts)?
            }
            "LineNumberTable" => {
                layout.table(&attribute.bytes, 4, |row, start, _| row[..2].copy_from_slice(&start))?
            }
            "LocalVariableTable" | "LocalVariableTypeTable" => {
                layout.table(&attribute.bytes, 10, |row, start, length| {
                    row[..2].copy_from_slice(&start);
                    row[2..4].copy_from_slice(&length);
                })?
            }
            // They count instructions and variables; what they would mean now is not clear.
            name if name.ends_with("TypeAnnotations") => None,
            _ => Some(attribute.bytes.to_vec()),
        };
        attributes.extend(bytes.map(|bytes| Attribute { name: attribute.name, bytes: bytes.into() }));
    }
    Attribute::write_list(&attributes, &mut out);
    Ok(out)
}

fn short(number: usize) -> Result<u16, BadClass> {
    u16::try_from(number).map_err(|_| too_far(number))
}

fn too_far(at: usize) -> BadClass {
    BadClass::Code { at, why: "it is too far away" }
}

fn elements<'c>(code: &'c [u8], cuts: &'c [&Cut]) -> Result<Vec<Element<'c>>, BadClass> {
    let mut elements = Vec::new();
    let mut cuts = cuts.iter().peekable();
    let mut gone_until = 0;
    for instruction in instructions(code) {
        let instruction = instruction?;
        while let Some(cut) = cuts.next_if(|cut| cut.start <= instruction.at) {
            // One that is inside another has gone with it.
            if cut.start >= gone_until {
                gone_until = cut.end;
                if let CutKind::Run(fill) = &cut.kind
                    && !fill.is_empty()
                {
                    elements.push(Element { at: cut.start, end: cut.end, what: What::Fill(fill) });
                }
            }
        }
        if instruction.at >= gone_until {
            let (at, end) = (instruction.at, instruction.next);
            elements.push(Element { at, end, what: What::Instruction(instruction) });
        }
    }
    Ok(elements)
}

/// Where everything goes.
struct Layout<'e> {
    elements: &'e [Element<'e>],
    /// The new offset of each element that something leads to.
    offsets: Vec<Option<usize>>,
    length: usize,
}

impl<'e> Layout<'e> {
    fn new(rows: &[Handler], elements: &'e [Element<'e>]) -> Result<Self, BadClass> {
        let mut layout = Layout { elements, offsets: vec![None; elements.len()], length: 0 };
        let reached = layout.reached(rows)?;
        for (position, element) in elements.iter().enumerate().filter(|(position, _)| reached[*position]) {
            layout.offsets[position] = Some(layout.length);
            layout.length += match &element.what {
                What::Fill(bytes) => bytes.len(),
                What::Instruction(one) if matches!(one.opcode, 170 | 171) => {
                    (layout.length & !3) + 4 - layout.length + one.operands.len()
                }
                What::Instruction(one) => one.next - one.at,
            };
        }
        Ok(layout)
    }

    /// The first element at or behind an old offset.
    fn element(&self, at: usize) -> usize {
        self.elements.partition_point(|element| element.at < at)
    }

    /// The elements that a row of the exception table covers. What stands for a cut is covered if all of the cut was.
    fn covered(&self, row: &Handler) -> std::ops::Range<usize> {
        let (start, mut end) = (self.element(row.start), self.element(row.end));
        if end > start && self.elements[end - 1].end > row.end {
            end -= 1;
        }
        start..end.max(start)
    }

    fn reached(&self, rows: &[Handler]) -> Result<Vec<bool>, BadClass> {
        let covered: Vec<_> = rows.iter().map(|row| self.covered(row)).collect();
        let mut reached = vec![false; self.elements.len()];
        let mut open = vec![0];
        while let Some(position) = open.pop() {
            let Some(element) = self.elements.get(position) else {
                return Err(BadClass::Code { at: position, why: "the code runs off its end" });
            };
            if std::mem::replace(&mut reached[position], true) {
                continue;
            }
            match &element.what {
                What::Fill(_) => open.push(position + 1),
                What::Instruction(one) => {
                    open.extend(one.targets()?.into_iter().map(|target| self.element(target)));
                    if !one.ends_path() {
                        open.push(position + 1);
                    }
                }
            }
            for (row, _) in rows.iter().zip(&covered).filter(|(_, covered)| covered.contains(&position)) {
                open.push(self.element(row.handler));
            }
        }
        Ok(reached)
    }

    /// The new offset for an old one: of what stands there now, or comes next.
    fn offset(&self, at: usize) -> usize {
        let left = self.offsets.get(self.element(at)..).unwrap_or_default();
        left.iter().flatten().next().copied().unwrap_or(self.length)
    }

    fn row(&self, row: &Handler) -> Option<Handler> {
        let covered = self.covered(row);
        let start = self.offsets[covered.clone()].iter().flatten().next().copied()?;
        let end = self.offsets[covered.end..].iter().flatten().next().copied().unwrap_or(self.length);
        Some(Handler { start, end, handler: self.offset(row.handler), catch: row.catch })
    }

    fn write(&self) -> Result<Vec<u8>, BadClass> {
        let mut out = Vec::with_capacity(self.length);
        for (element, here) in self.elements.iter().zip(&self.offsets) {
            let Some(here) = *here else { continue };
            let one = match &element.what {
                What::Fill(bytes) => {
                    out.extend_from_slice(bytes);
                    continue;
                }
                What::Instruction(one) => one,
            };
            let distances: Vec<i64> =
                one.targets()?.into_iter().map(|target| self.offset(target) as i64 - here as i64).collect();
            let four =
                |distance: i64| i32::try_from(distance).map(i32::to_be_bytes).map_err(|_| too_far(one.at));
            match one.opcode {
                153..=168 | 198 | 199 => {
                    out.push(one.opcode);
                    let two = i16::try_from(distances[0]).map_err(|_| too_far(one.at))?;
                    out.extend(two.to_be_bytes());
                }
                200 | 201 => {
                    out.push(one.opcode);
                    out.extend(four(distances[0])?);
                }
                170 | 171 => {
                    out.push(one.opcode);
                    out.resize((here & !3) + 4, 0);
                    let mut operands = one.operands.to_vec();
                    operands[..4].copy_from_slice(&four(distances[0])?);
                    let step = if one.opcode == 170 { 4 } else { 8 };
                    for (case, distance) in distances[1..].iter().enumerate() {
                        let at = 12 + step * case;
                        operands[at..at + 4].copy_from_slice(&four(*distance)?);
                    }
                    out.extend(operands);
                }
                _ if one.wide => {
                    out.extend([196, one.opcode]);
                    out.extend_from_slice(one.operands);
                }
                _ => {
                    out.push(one.opcode);
                    out.extend_from_slice(one.operands);
                }
            }
        }
        Ok(out)
    }

    /// A table whose rows start with an old offset, and go on with a length if they are long; rows about nothing go.
    fn table(
        &self,
        bytes: &[u8],
        size: usize,
        set: impl Fn(&mut [u8], [u8; 2], [u8; 2]),
    ) -> Result<Option<Vec<u8>>, BadClass> {
        let mut input = Input::new(bytes);
        let rows = input
            .list("a table of the code", |input| Ok(input.take(size, "a table of the code")?.to_vec()))?;
        let mut left = Vec::new();
        for mut row in rows {
            let old = usize::from(u16::from_be_bytes([row[0], row[1]]));
            let length = if size > 4 { usize::from(u16::from_be_bytes([row[2], row[3]])) } else { 1 };
            let (start, end) = (self.offset(old), self.offset(old + length));
            let there = start < end || (size > 4 && length == 0);
            if there {
                set(&mut row, short(start)?.to_be_bytes(), short(end - start)?.to_be_bytes());
                left.push(row);
            }
        }
        Ok((!left.is_empty()).then(|| crate::tables::list_bytes(left.iter().map(Vec::as_slice))))
    }

    /// The frames that are left, as a stack map.
    fn frames(
        &self,
        pool: &mut Pool,
        entry: &Frame,
        frames: &BTreeMap<usize, Frame>,
        cuts: &[&Cut],
    ) -> Result<Option<Vec<u8>>, BadClass> {
        let mut left: BTreeMap<usize, &Frame> = BTreeMap::new();
        for (at, frame) in frames {
            if cuts.iter().any(|cut| cut.takes(Place::Before(*at))) {
                continue;
            }
            // Where a run is gone altogether, the frame behind it takes the place of the one before it.
            if let Some(here) = self.offsets.get(self.element(*at)).copied().flatten() {
                left.insert(here, frame);
            }
        }
        let mut writer = FrameWriter { layout: self, pool, classes: HashMap::new(), out: Vec::new() };
        let mut locals = packed(&entry.locals);
        let mut before: Option<usize> = None;
        for (here, frame) in &left {
            let delta = before.map_or(*here, |before| here - before - 1);
            let next = packed(&frame.locals);
            writer.frame(short(delta)?, &locals, &next, &frame.stack)?;
            locals = next;
            before = Some(*here);
        }
        let mut out = Vec::new();
        out.put_count(left.len());
        out.extend(writer.out);
        Ok((!left.is_empty()).then_some(out))
    }
}

/// Locals as a stack map counts them: a long or double once, nothing at the end.
fn packed(locals: &[Slot]) -> Vec<Slot> {
    let mut packed = Vec::new();
    let mut rest = locals.iter();
    while let Some(slot) = rest.next() {
        packed.push(slot.clone());
        if slot.is_wide() {
            rest.next();
        }
    }
    while packed.last() == Some(&Slot::Top) {
        packed.pop();
    }
    packed
}

struct FrameWriter<'a> {
    layout: &'a Layout<'a>,
    pool: &'a mut Pool,
    /// The constants of the classes so far.
    classes: HashMap<Arc<str>, u16>,
    out: Vec<u8>,
}

impl FrameWriter<'_> {
    /// In the shortest form there is.
    fn frame(
        &mut self,
        delta: u16,
        before: &[Slot],
        locals: &[Slot],
        stack: &[Slot],
    ) -> Result<(), BadClass> {
        let small = u8::try_from(delta).ok().filter(|small| *small < 64);
        let more = locals.len() as isize - before.len() as isize;
        let common = before.len().min(locals.len());
        match (stack, more, small) {
            ([], 0, Some(small)) if before == locals => self.out.push(small),
            ([one], 0, Some(small)) if before == locals => {
                self.out.push(64 + small);
                self.slot(one)?;
            }
            ([one], 0, None) if before == locals => {
                self.out.push(247);
                self.out.put2(delta);
                self.slot(one)?;
            }
            ([], -3..=3, _) if before[..common] == locals[..common] => {
                self.out.push(251u8.wrapping_add_signed(more as i8));
                self.out.put2(delta);
                for slot in &locals[common..] {
                    self.slot(slot)?;
                }
            }
            _ => {
                self.out.push(255);
                self.out.put2(delta);
                for list in [locals, stack] {
                    self.out.put_count(list.len());
                    for slot in list {
                        self.slot(slot)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn slot(&mut self, slot: &Slot) -> Result<(), BadClass> {
        match slot {
            Slot::Top => self.out.push(0),
            Slot::Int => self.out.push(1),
            Slot::Float => self.out.push(2),
            Slot::Double => self.out.push(3),
            Slot::Long => self.out.push(4),
            Slot::Null => self.out.push(5),
            Slot::UninitializedThis => self.out.push(6),
            Slot::Object(name) => {
                let index = match self.classes.get(name) {
                    Some(index) => *index,
                    None => self.pool.add_class(name)?,
                };
                self.classes.insert(Arc::clone(name), index);
                self.out.push(7);
                self.out.put2(index);
            }
            Slot::Uninitialized(at) => {
                self.out.push(8);
                self.out.put2(short(self.layout.offset(*at))?);
            }
        }
        Ok(())
    }
}
