//! Instructions that name constants: what they do to the types, and what they demand.

use std::sync::Arc;

use crate::code::{Frame, Slot};
use crate::demand::{Call, Demand, handle_demands};
use crate::error::BadClass;
use crate::flow::{Walk, object};
use crate::instruction::Instruction;
use crate::names::{classes_in, method_types, reference_name};
use crate::pool::{Constant, MemberRef};

impl Walk<'_> {
    pub(crate) fn constant(&mut self, index: u16, state: &mut Frame) -> Result<(), BadClass> {
        let slot = match self.class.pool.get(index) {
            Some(Constant::Integer(_)) => Slot::Int,
            Some(Constant::Float(_)) => Slot::Float,
            Some(Constant::Long(_)) => Slot::Long,
            Some(Constant::Double(_)) => Slot::Double,
            Some(Constant::String(_)) => object("java/lang/String"),
            Some(Constant::Class(_)) => {
                let class = self.class(index)?;
                self.found.push(Demand::Ancestry(class));
                object("java/lang/Class")
            }
            Some(Constant::MethodType(descriptor)) => {
                let text = self.class.pool.text(*descriptor)?;
                self.types_in(&text);
                object("java/lang/invoke/MethodType")
            }
            Some(Constant::MethodHandle(..)) => {
                self.found.extend(handle_demands(self.class, index)?);
                object("java/lang/invoke/MethodHandle")
            }
            Some(Constant::Dynamic(_, bootstrap, name_and_type)) => {
                self.found.push(Demand::Bootstrap(*bootstrap));
                let (_, descriptor) = self.class.pool.name_and_type(*name_and_type)?;
                self.types_in(&descriptor);
                Slot::of(&descriptor).unwrap_or(Slot::Top)
            }
            _ => {
                return Err(BadClass::Index { index, wanted: "loadable" });
            }
        };
        state.stack.push(slot);
        Ok(())
    }

    fn types_in(&mut self, descriptor: &str) {
        for class in classes_in(descriptor) {
            self.found.push(Demand::Class(class.into()));
        }
    }

    pub(crate) fn field(&mut self, i: &Instruction<'_>, state: &mut Frame) -> Result<(), BadClass> {
        let field = self.class.pool.member(i.u2(0))?;
        let type_ =
            Slot::of(&field.descriptor).ok_or_else(|| BadClass::Descriptor(field.descriptor.clone()))?;
        if matches!(i.opcode, 179 | 181) {
            let value = self.pop(state);
            if let Slot::Object(class) = &type_ {
                self.subtype(&value, &class.clone());
            }
        }
        let mut receiver = None;
        if matches!(i.opcode, 180 | 181)
            && let Slot::Object(class) = self.pop(state)
        {
            self.subtype(&Slot::Object(Arc::clone(&class)), &field.owner);
            receiver = Some(class);
        }
        if matches!(i.opcode, 178 | 180) {
            state.stack.push(type_);
        }
        let owner: Arc<str> = field.owner.into();
        self.found.push(Demand::Class(Arc::clone(&owner)));
        self.found.push(Demand::Field(owner, field.name.into(), field.descriptor.into(), receiver));
        Ok(())
    }

    fn arguments(&mut self, descriptor: &str, state: &mut Frame) -> Result<(), BadClass> {
        for parameter in method_types(descriptor)?.0.into_iter().rev() {
            let argument = self.pop(state);
            if let Some(class) = reference_name(parameter) {
                self.subtype(&argument, class);
            }
        }
        Ok(())
    }

    pub(crate) fn invoke(&mut self, i: &Instruction<'_>, state: &mut Frame) -> Result<(), BadClass> {
        let method = self.class.pool.member(i.u2(0))?;
        self.arguments(&method.descriptor, state)?;
        let mut receiver = None;
        if i.opcode != 184 {
            match self.pop(state) {
                Slot::Object(class) => {
                    self.subtype(&Slot::Object(Arc::clone(&class)), &method.owner);
                    receiver = Some(class);
                }
                raw @ (Slot::UninitializedThis | Slot::Uninitialized(_)) if method.name == "<init>" => {
                    self.initialize(&raw, &method, state);
                }
                _ => {}
            }
        }
        state.stack.extend(Slot::of(method_types(&method.descriptor)?.1));
        let call = match i.opcode {
            182 => Call::Virtual,
            183 => Call::Special,
            184 => Call::Static,
            _ => Call::Interface,
        };
        let owner: Arc<str> = method.owner.into();
        self.found.push(Demand::Class(Arc::clone(&owner)));
        self.found.push(Demand::Method(owner, method.name.into(), method.descriptor.into(), call, receiver));
        Ok(())
    }

    fn initialize(&mut self, raw: &Slot, method: &MemberRef, state: &mut Frame) {
        let class = if *raw == Slot::UninitializedThis {
            if *method.owner != *self.this {
                self.found.push(Demand::SuperInit(method.owner.as_str().into()));
            }
            Arc::clone(&self.this)
        } else {
            method.owner.as_str().into()
        };
        for slot in state.locals.iter_mut().chain(&mut state.stack) {
            if slot == raw {
                *slot = Slot::Object(Arc::clone(&class));
            }
        }
    }

    pub(crate) fn invoke_dynamic(&mut self, index: u16, state: &mut Frame) -> Result<(), BadClass> {
        let Some(Constant::Dynamic(_, bootstrap, name_and_type)) = self.class.pool.get(index) else {
            return Err(BadClass::Index { index, wanted: "dynamic" });
        };
        let (_, descriptor) = self.class.pool.name_and_type(*name_and_type)?;
        self.found.push(Demand::Bootstrap(*bootstrap));
        self.types_in(&descriptor);
        self.arguments(&descriptor, state)?;
        let made = Slot::of(method_types(&descriptor)?.1);
        if let Some(Slot::Object(class)) = &made {
            self.found.push(Demand::Lambda(Arc::clone(class)));
        }
        state.stack.extend(made);
        Ok(())
    }
}
