//! What can be cut out of the body of a method: statements and exception handlers.
//!
//! A *run* is a stretch of instructions with nothing on the stack before and after it that is entered at its start only.
//! Without it, the locals it would have set are set to zero or null where the code behind it counts on them:
//!
//! ```text
//!   aload_0; invokevirtual next; astore_1   →   aconst_null; astore_1
//!   aload_0; getfield f; ifnull L; ...; L:  →   L:
//! ```
//!
//! So after the cut every slot holds what it held before, or null in the place of an object, and whatever verified
//! still does. A *handler* goes with all entries of the exception table that lead to it; nothing takes its place.

use std::collections::BTreeMap;

use crate::class::{ClassFile, Member};
use crate::code::{Code, Frame, Slot};
use crate::error::BadClass;
use crate::flow::{Followed, Place, follow};
use crate::instruction::{Instruction, instructions};

/// Something that can be left out of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) start: usize,
    /// Offset of the first instruction behind it, or the length of the code.
    pub(crate) end: usize,
    pub(crate) kind: CutKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CutKind {
    /// A run, and the instructions that take its place.
    Run(Vec<u8>),
    /// What the handler at its start does.
    Handler,
}

impl Cut {
    fn holds(&self, at: usize) -> bool {
        self.start <= at && at < self.end
    }

    /// Whether it takes a place with it. The frame at the start of a run stays, since something may jump there.
    pub(crate) fn takes(&self, place: Place) -> bool {
        match place {
            Place::At(at) => self.holds(at),
            Place::Before(at) => self.holds(at) && (self.kind == CutKind::Handler || at > self.start),
        }
    }

    pub(crate) fn is_inside(&self, other: &Cut) -> bool {
        other.start <= self.start && self.end <= other.end
    }

    fn crosses(&self, other: &Cut) -> bool {
        self.start < other.end && other.start < self.end && !self.is_inside(other) && !other.is_inside(self)
    }
}

/// All cuts of a body, each behind those it is inside of; any two are nested or apart.
pub(crate) fn cuts(class: &ClassFile, method: &Member, code: &Code) -> Result<Vec<Cut>, BadClass> {
    let followed = follow(class, method, code)?;
    let in_order = instructions(&code.instructions).collect::<Result<Vec<_>, _>>()?;
    if !followed.complete || in_order.len() < 2 || has_unreadable_name(&followed) {
        return Ok(Vec::new());
    }
    let body = Body::new(code, in_order, followed)?;
    let mut all: Vec<Cut> =
        body.spans().into_iter().filter_map(|(start, end)| body.run(start, end)).collect();
    all.extend(body.handlers());
    // The large ones first: a small one that lies across is worth less.
    all.sort_by_key(|cut| (std::cmp::Reverse(cut.end - cut.start), cut.start));
    let mut chosen: Vec<Cut> = Vec::new();
    for cut in all {
        let same = |other: &Cut| (other.start, other.end) == (cut.start, cut.end);
        if !chosen.iter().any(|other| same(other) || cut.crosses(other)) {
            chosen.push(cut);
        }
    }
    chosen.sort_by_key(|cut| (cut.start, std::cmp::Reverse(cut.end)));
    Ok(chosen)
}

/// Frames are written anew by the names of their classes, which must be exact for that.
fn has_unreadable_name(followed: &Followed) -> bool {
    let slots = followed.frames.values().flat_map(|frame| frame.locals.iter().chain(&frame.stack));
    slots.into_iter().any(|slot| matches!(slot, Slot::Object(name) if name.contains('\u{FFFD}')))
}

struct Body<'c> {
    code: &'c Code,
    instructions: Vec<Instruction<'c>>,
    /// Position of the instruction at an offset.
    position: BTreeMap<usize, usize>,
    /// Where each instruction may jump to.
    targets: Vec<Vec<usize>>,
    followed: Followed,
}

impl<'c> Body<'c> {
    fn new(code: &'c Code, instructions: Vec<Instruction<'c>>, followed: Followed) -> Result<Self, BadClass> {
        let position = instructions.iter().enumerate().map(|(at, one)| (one.at, at)).collect();
        let targets = instructions.iter().map(Instruction::targets).collect::<Result<_, _>>()?;
        Ok(Body { code, instructions, position, targets, followed })
    }

    /// The types at an offset where the stack is empty and `this` is a whole object.
    fn rest(&self, at: usize) -> Option<&Frame> {
        let state = self.followed.states.get(&at)?;
        (state.stack.is_empty() && !state.locals.contains(&Slot::UninitializedThis)).then_some(state)
    }

    /// Where the goto before an offset leads, if there is one.
    fn goto_before(&self, at: usize) -> Option<usize> {
        let before = self.position.get(&at)?.checked_sub(1)?;
        let one = &self.instructions[before];
        matches!(one.opcode, 167 | 200).then(|| self.targets[before][0])
    }

    /// Stretches that may be runs.
    fn spans(&self) -> Vec<(usize, usize)> {
        let mut spans = Vec::new();
        let mut start = None;
        for (one, targets) in self.instructions.iter().zip(&self.targets) {
            if self.rest(one.at).is_some() {
                start = Some(one.at);
            }
            let Some(start) = start else { continue };
            // A single statement. One that never gets to its end leaves nothing to go on with.
            if !one.ends_path() && self.rest(one.next).is_some() {
                spans.push((start, one.next));
            }
            for target in targets {
                if *target > one.at {
                    // What a branch steps over, with the branch: `if`, loops that test first, `switch`; then with `else`.
                    spans.push((start, *target));
                    spans.extend(self.goto_before(*target).map(|end| (start, end)));
                } else {
                    // Loops that test last, or never.
                    spans.push((*target, one.next));
                }
            }
        }
        for handler in &self.code.handlers {
            spans.extend(self.goto_before(handler.handler).map(|end| (handler.start, end)));
        }
        spans.retain(|(start, end)| start < end);
        spans.sort_unstable();
        spans.dedup();
        spans
    }

    /// Whether nothing outside leads to the inside of a stretch.
    fn is_closed(&self, start: usize, end: usize) -> bool {
        let inside = |at: usize| start < at && at < end;
        let jumps = self.instructions.iter().zip(&self.targets);
        let entered = jumps
            .filter(|(one, _)| !(start <= one.at && one.at < end))
            .any(|(_, targets)| targets.iter().any(|target| inside(*target)));
        let handled = self
            .code
            .handlers
            .iter()
            .any(|row| inside(row.handler) && !(start <= row.start && row.end <= end));
        !entered && !handled
    }

    fn run(&self, start: usize, end: usize) -> Option<Cut> {
        let (before, after) = (self.rest(start)?, self.rest(end)?);
        if !self.is_closed(start, end) {
            return None;
        }
        let fills = fills(before, after)?;
        let covering = self.code.handlers.iter().filter(|row| row.start <= start && end <= row.end);
        for row in covering {
            let frame = self.followed.frames.get(&row.handler)?;
            if !fills.iter().all(|(local, fill)| fits(fill, frame.locals.get(*local))) {
                return None;
            }
        }
        let bytes: Vec<u8> = fills.iter().flat_map(|(local, fill)| fill_bytes(*local, fill)).collect();
        // Code that only ever gets shorter needs no longer jumps.
        (bytes.len() < end - start).then_some(Cut { start, end, kind: CutKind::Run(bytes) })
    }

    fn handlers(&self) -> Vec<Cut> {
        let mut cuts = Vec::new();
        for row in &self.code.handlers {
            let start = row.handler;
            let Some(&first) = self.position.get(&start) else { continue };
            let falls_in = first == 0 || !self.instructions[first - 1].ends_path();
            if falls_in {
                continue;
            }
            let from_before = |at: usize| {
                self.targets[..first].iter().flatten().any(|target| *target == at)
                    || self.code.handlers.iter().any(|other| other.handler == at)
            };
            let behind =
                self.instructions[first..].iter().map(|one| one.next).find(|next| from_before(*next));
            let end = behind.unwrap_or(self.code.instructions.len());
            if self.is_closed(start, end) {
                cuts.push(Cut { start, end, kind: CutKind::Handler });
            }
        }
        cuts
    }
}

/// What is to be put into which locals so that `before` can stand for `after`; nothing if that cannot be.
fn fills(before: &Frame, after: &Frame) -> Option<Vec<(usize, Slot)>> {
    let mut fills = Vec::new();
    let mut locals = after.locals.iter().enumerate();
    while let Some((local, wanted)) = locals.next() {
        if wanted.is_wide() {
            locals.next();
        }
        let there = before.locals.get(local).unwrap_or(&Slot::Top);
        match (there, wanted) {
            (_, Slot::Top) | (Slot::Null, Slot::Object(_)) => {}
            (there, wanted) if there == wanted => {}
            (_, Slot::Int | Slot::Float | Slot::Long | Slot::Double) => fills.push((local, wanted.clone())),
            (_, Slot::Null | Slot::Object(_)) => fills.push((local, Slot::Null)),
            (_, Slot::UninitializedThis | Slot::Uninitialized(_)) => return None,
        }
    }
    Some(fills)
}

/// Whether a value may be in a local of a handler.
fn fits(fill: &Slot, local: Option<&Slot>) -> bool {
    match (fill, local) {
        (_, None | Some(Slot::Top)) | (Slot::Null, Some(Slot::Null | Slot::Object(_))) => true,
        (fill, Some(local)) => fill == local,
    }
}

/// Instructions that put zero or null into a local.
fn fill_bytes(local: usize, fill: &Slot) -> Vec<u8> {
    let (constant, store) = match fill {
        Slot::Int => (3, 54),
        Slot::Long => (9, 55),
        Slot::Float => (11, 56),
        Slot::Double => (14, 57),
        _ => (1, 58),
    };
    let mut bytes = vec![constant];
    match (u8::try_from(local), u16::try_from(local)) {
        (Ok(short @ 0..4), _) => bytes.push(59 + 4 * (store - 54) + short),
        (Ok(short), _) => bytes.extend([store, short]),
        (_, wide) => {
            bytes.extend([196, store]);
            bytes.extend(wide.expect("a local has a number of two bytes").to_be_bytes());
        }
    }
    bytes
}
