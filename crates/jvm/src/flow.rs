//! Follows the types through the body of a method, as a verifier does.
//!
//! Between two frames of the stack map the types of all slots follow from the instructions, so one walk over the code
//! meets every check a verifier makes. Each becomes a [`Demand`]. Where there are no frames (old classes) the walk gives
//! up at the first branch and the model asks for more than is needed.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::class::{ClassFile, Member, access};
use crate::code::{Code, Frame, LocalType, Slot, frames, local_types};
use crate::demand::Demand;
use crate::error::BadClass;
use crate::instruction::{Instruction, instructions};
use crate::names::{method_types, reference_name};

/// Where in a body a demand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Place {
    /// From reaching the instruction at this offset: its frame, and what flows into it.
    Before(usize),
    /// From the instruction itself.
    At(usize),
}

/// What is known of a body after one walk over it.
pub(crate) struct Followed {
    pub(crate) demands: Vec<(Place, Demand)>,
    /// Whether types could be followed to its end.
    pub(crate) complete: bool,
    /// The types before each instruction.
    pub(crate) states: BTreeMap<usize, Frame>,
    /// The frames that are declared.
    pub(crate) frames: BTreeMap<usize, Frame>,
}

/// The frame at the entry of a method.
pub(crate) fn entry_frame(class: &ClassFile, method: &Member) -> Result<Frame, BadClass> {
    let receiver = match (method.is(access::STATIC), class.pool.text(method.name)?.as_str()) {
        (true, _) => None,
        (false, "<init>") => Some(Slot::UninitializedThis),
        (false, _) => Some(object(&class.name()?)),
    };
    Frame::entry(receiver, &class.pool.text(method.descriptor)?)
}

/// Follows the types through a body.
pub(crate) fn follow(class: &ClassFile, method: &Member, code: &Code) -> Result<Followed, BadClass> {
    let this: Arc<str> = class.name()?.into();
    let descriptor = class.pool.text(method.descriptor)?;
    let entry = entry_frame(class, method)?;
    let frames = match class.find(&code.attributes, "StackMapTable") {
        Some(table) => frames(class, &entry, &table.bytes)?,
        None => BTreeMap::new(),
    };
    let result = method_types(&descriptor)?.1;
    let mut walk = Walk {
        class,
        this,
        result: reference_name(result).map(Arc::from),
        frames,
        code,
        locals_table: local_types(class, code)?,
        state: Some(entry),
        lost: false,
        found: Vec::new(),
        placed: Vec::new(),
        states: BTreeMap::new(),
    };
    for handler in &code.handlers {
        if handler.catch != 0 {
            let class: Arc<str> = class.pool.class(handler.catch)?.into();
            walk.found.push(Demand::Class(Arc::clone(&class)));
            walk.found.push(Demand::Subtype(class, "java/lang/Throwable".into()));
            walk.place(Place::At(handler.handler));
        }
    }
    for instruction in instructions(&code.instructions) {
        walk.step(&instruction?)?;
    }
    let mut demands = walk.placed;
    demands.sort();
    demands.dedup();
    Ok(Followed { demands, complete: !walk.lost, states: walk.states, frames: walk.frames })
}

pub(crate) struct Walk<'c> {
    pub(crate) class: &'c ClassFile,
    pub(crate) this: Arc<str>,
    result: Option<Arc<str>>,
    frames: BTreeMap<usize, Frame>,
    code: &'c Code,
    locals_table: Vec<LocalType>,
    /// The types here; nothing if this place is not reached by falling through.
    state: Option<Frame>,
    /// A place was met whose types are not known.
    lost: bool,
    /// What was found at the place the walk is at.
    pub(crate) found: Vec<Demand>,
    placed: Vec<(Place, Demand)>,
    states: BTreeMap<usize, Frame>,
}

pub(crate) fn object(name: &str) -> Slot {
    Slot::Object(name.into())
}

impl Walk<'_> {
    fn place(&mut self, place: Place) {
        self.placed.extend(self.found.drain(..).map(|demand| (place, demand)));
    }

    fn step(&mut self, instruction: &Instruction<'_>) -> Result<(), BadClass> {
        if let Some(frame) = self.frames.get(&instruction.at).cloned() {
            if let Some(state) = self.state.take() {
                self.flows_into(&state, &frame);
            }
            self.named_in_frame(&frame);
            self.state = Some(frame);
        }
        let Some(mut state) = self.state.take() else {
            // Not reached, or only from where types were lost. What the instruction names counts all the same.
            self.lost = true;
            let mut nothing = Frame { locals: Vec::new(), stack: Vec::new() };
            self.effect(instruction, &mut nothing)?;
            self.place(Place::At(instruction.at));
            return Ok(());
        };
        self.states.insert(instruction.at, state.clone());
        self.covered_by_handlers(instruction.at, &state);
        self.place(Place::Before(instruction.at));
        self.effect(instruction, &mut state)?;
        self.covered_by_handlers(instruction.at, &state);
        for target in instruction.targets()? {
            match self.frames.get(&target).cloned() {
                Some(frame) => self.flows_into(&state, &frame),
                None => self.lost = true,
            }
        }
        self.place(Place::At(instruction.at));
        // Subroutines of old classes come back with types that only a full analysis knows.
        self.lost |= matches!(instruction.opcode, 168 | 169 | 201);
        if !instruction.ends_path() && !self.lost {
            self.state = Some(state);
        }
        Ok(())
    }

    fn named_in_frame(&mut self, frame: &Frame) {
        for slot in frame.locals.iter().chain(&frame.stack) {
            if let Slot::Object(name) = slot {
                self.found.push(Demand::Class(Arc::clone(name)));
            }
        }
    }

    fn covered_by_handlers(&mut self, at: usize, state: &Frame) {
        let code = self.code;
        for handler in &code.handlers {
            if handler.start <= at && at < handler.end {
                let Some(frame) = self.frames.get(&handler.handler).cloned() else {
                    self.lost = true;
                    continue;
                };
                self.slots_flow(&state.locals, &frame.locals);
                let caught = match handler.catch {
                    0 => "java/lang/Throwable".to_owned(),
                    class => self.class.pool.class(class).unwrap_or_default(),
                };
                self.slots_flow(&[object(&caught)], &frame.stack);
            }
        }
    }

    fn flows_into(&mut self, state: &Frame, frame: &Frame) {
        self.slots_flow(&state.locals, &frame.locals);
        self.slots_flow(&state.stack, &frame.stack);
    }

    fn slots_flow(&mut self, from: &[Slot], to: &[Slot]) {
        for (from, to) in from.iter().zip(to) {
            if let Slot::Object(to) = to {
                self.subtype(from, to);
            }
        }
    }

    pub(crate) fn subtype(&mut self, slot: &Slot, class: &str) {
        if let Slot::Object(name) = slot
            && **name != *class
            && class != "java/lang/Object"
        {
            self.found.push(Demand::Subtype(Arc::clone(name), class.into()));
        }
    }

    pub(crate) fn class(&mut self, index: u16) -> Result<Arc<str>, BadClass> {
        let name: Arc<str> = self.class.pool.class(index)?.into();
        self.found.push(Demand::Class(Arc::clone(&name)));
        Ok(name)
    }

    pub(crate) fn pop(&mut self, state: &mut Frame) -> Slot {
        state.stack.pop().unwrap_or_else(|| {
            self.lost = true;
            Slot::Top
        })
    }

    fn pops(&mut self, state: &mut Frame, count: usize) {
        for _ in 0..count {
            self.pop(state);
        }
    }

    fn store(&mut self, instruction: &Instruction<'_>, state: &mut Frame, number: usize) {
        let slot = self.pop(state);
        let declared = self
            .locals_table
            .iter()
            .find(|local| {
                local.number == number && local.start <= instruction.next && instruction.next < local.end
            })
            .map(|local| Arc::clone(&local.class));
        if let Some(class) = declared {
            self.found.push(Demand::Class(Arc::clone(&class)));
            self.subtype(&slot, &class);
        }
        let end = number + 1 + usize::from(slot.is_wide());
        if state.locals.len() < end {
            state.locals.resize(end, Slot::Top);
        }
        if slot.is_wide() {
            state.locals[number + 1] = Slot::Top;
        }
        // Half of a long that is written over is no value any more.
        if number > 0 && state.locals[number - 1].is_wide() {
            state.locals[number - 1] = Slot::Top;
        }
        state.locals[number] = slot;
    }

    fn load(&mut self, state: &mut Frame, number: usize) {
        let slot = state.locals.get(number).cloned().unwrap_or_else(|| {
            self.lost = true;
            Slot::Top
        });
        state.stack.push(slot);
    }

    /// What the instruction does to the types, and what it demands.
    fn effect(&mut self, i: &Instruction<'_>, state: &mut Frame) -> Result<(), BadClass> {
        use Slot::{Double, Float, Int, Long, Null};
        let push = |state: &mut Frame, slot: Slot| state.stack.push(slot);
        match i.opcode {
            0 | 132 | 167 | 169 | 177 | 200 => {}
            1 => push(state, Null),
            2..=8 | 16 | 17 => push(state, Int),
            9 | 10 => push(state, Long),
            11..=13 => push(state, Float),
            14 | 15 => push(state, Double),
            18 => self.constant(u16::from(i.u1(0)), state)?,
            19 | 20 => self.constant(i.u2(0), state)?,
            21..=25 => self.load(state, i.local()),
            26..=45 => self.load(state, usize::from((i.opcode - 26) % 4)),
            46..=53 => self.array_load(i.opcode, state),
            54..=58 => self.store(i, state, i.local()),
            59..=78 => self.store(i, state, usize::from((i.opcode - 59) % 4)),
            79..=86 => {
                let value = self.pop(state);
                self.pop(state);
                let array = self.pop(state);
                if let (83, Slot::Object(array)) = (i.opcode, array)
                    && let Some(component) = array.strip_prefix('[').and_then(reference_name)
                {
                    self.subtype(&value, component);
                }
            }
            87 | 153..=158 | 170..=175 | 194 | 195 | 198 | 199 => self.pops(state, 1),
            159..=166 => self.pops(state, 2),
            88..=95 => self.shuffle(i.opcode, state),
            96..=115 => {
                self.pops(state, 2);
                push(state, [Int, Long, Float, Double][usize::from(i.opcode % 4)].clone());
            }
            116..=119 => {
                self.pops(state, 1);
                push(state, [Int, Long, Float, Double][usize::from(i.opcode % 4)].clone());
            }
            120..=131 => {
                self.pops(state, 2);
                push(state, [Int, Long][usize::from(i.opcode % 2)].clone());
            }
            133..=147 => {
                self.pops(state, 1);
                push(
                    state,
                    match i.opcode {
                        133 | 140 | 143 => Long,
                        134 | 137 | 144 => Float,
                        135 | 138 | 141 => Double,
                        _ => Int,
                    },
                );
            }
            148..=152 => {
                self.pops(state, 2);
                push(state, Int);
            }
            // The address a subroutine returns to; types are lost from here on.
            168 | 201 => push(state, Slot::Top),
            176 => {
                let value = self.pop(state);
                if let Some(result) = self.result.clone() {
                    self.subtype(&value, &result);
                }
            }
            178..=181 => self.field(i, state)?,
            182..=185 => self.invoke(i, state)?,
            186 => self.invoke_dynamic(i.u2(0), state)?,
            187 => {
                self.class(i.u2(0))?;
                push(state, Slot::Uninitialized(i.at));
            }
            188 => {
                self.pops(state, 1);
                let kind = ["[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"];
                let name = kind.get(usize::from(i.u1(0)).wrapping_sub(4)).copied();
                push(state, object(name.unwrap_or("[I")));
            }
            189 => {
                self.pops(state, 1);
                let component = self.class(i.u2(0))?;
                let array = if component.starts_with('[') {
                    format!("[{component}")
                } else {
                    format!("[L{component};")
                };
                push(state, object(&array));
            }
            190 => {
                self.pops(state, 1);
                push(state, Int);
            }
            191 => {
                let thrown = self.pop(state);
                self.subtype(&thrown, "java/lang/Throwable");
            }
            192 | 193 => {
                let value = self.pop(state);
                let class = self.class(i.u2(0))?;
                if let Slot::Object(name) = value
                    && *name != *class
                {
                    self.found.push(Demand::Castable(name, Arc::clone(&class)));
                }
                push(state, if i.opcode == 192 { Slot::Object(class) } else { Int });
            }
            197 => {
                self.pops(state, i.u1(2).into());
                let class = self.class(i.u2(0))?;
                push(state, Slot::Object(class));
            }
            _ => {
                return Err(BadClass::Code { at: i.at, why: "the opcode is unknown" });
            }
        }
        Ok(())
    }

    fn array_load(&mut self, opcode: u8, state: &mut Frame) {
        self.pop(state);
        let array = self.pop(state);
        let loaded = match opcode {
            47 => Slot::Long,
            48 => Slot::Float,
            49 => Slot::Double,
            50 => match array {
                Slot::Object(array) => match array.strip_prefix('[').and_then(reference_name) {
                    Some(component) => object(component),
                    None => object("java/lang/Object"),
                },
                _ => Slot::Null,
            },
            _ => Slot::Int,
        };
        state.stack.push(loaded);
    }

    /// `pop2`, the `dup`s and `swap`. A long or double is one element of the stack and counts as two words.
    fn shuffle(&mut self, opcode: u8, state: &mut Frame) {
        let mut take = |state: &mut Frame, words: usize| {
            let first = self.pop(state);
            if words == 2 && !first.is_wide() {
                let second = self.pop(state);
                vec![second, first]
            } else {
                vec![first]
            }
        };
        // How many words are copied, and how many they are put below of.
        let (copied, below) = match opcode {
            88 => {
                take(state, 2);
                return;
            }
            95 => {
                let (top, next) = (take(state, 1), take(state, 1));
                state.stack.extend(top.into_iter().chain(next));
                return;
            }
            89 => (1, 0),
            90 => (1, 1),
            91 => (1, 2),
            92 => (2, 0),
            93 => (2, 1),
            _ => (2, 2),
        };
        let top = take(state, copied);
        let under = if below == 0 { Vec::new() } else { take(state, below) };
        state.stack.extend(top.iter().cloned().chain(under).chain(top.iter().cloned()));
    }
}
