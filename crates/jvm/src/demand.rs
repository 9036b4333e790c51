//! What code and bootstrap methods demand of the classes around them.

use std::sync::Arc;

use crate::class::ClassFile;
use crate::error::BadClass;
use crate::pool::Constant;

/// One thing that must hold for a body to be valid.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Demand {
    /// The class exists (an array stands for its elements).
    Class(Arc<str>),
    /// The first is a subtype of the second.
    Subtype(Arc<str>, Arc<str>),
    /// One of the two is a subtype of the other, or may be for all a compiler knows.
    Castable(Arc<str>, Arc<str>),
    /// All supertypes of the class stay its supertypes.
    Ancestry(Arc<str>),
    /// The method can be called: where it is looked up, name, descriptor, how, and the class of the receiver.
    Method(Arc<str>, Arc<str>, Arc<str>, Call, Option<Arc<str>>),
    /// The field can be used: where it is looked up, name, descriptor.
    Field(Arc<str>, Arc<str>, Arc<str>, Option<Arc<str>>),
    /// The constructor calls one of this class on `this`, which must be its superclass.
    SuperInit(Arc<str>),
    /// A lambda may be an object of this interface.
    Lambda(Arc<str>),
    /// The bootstrap method of this number exists.
    Bootstrap(u16),
}

/// How a method is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Call {
    Virtual,
    Interface,
    Static,
    Special,
}

/// What a constant names, if it is one that a bootstrap method may be given.
pub(crate) fn constant_demands(class: &ClassFile, index: u16) -> Result<Vec<Demand>, BadClass> {
    let types = |text: &str| {
        crate::names::classes_in(text).into_iter().map(|name| Demand::Class(name.into())).collect::<Vec<_>>()
    };
    Ok(match class.pool.get(index) {
        Some(Constant::Class(_)) => {
            let name: Arc<str> = class.pool.class(index)?.into();
            vec![Demand::Class(Arc::clone(&name)), Demand::Ancestry(name)]
        }
        Some(Constant::MethodType(descriptor)) => types(&class.pool.text(*descriptor)?),
        Some(Constant::MethodHandle(..)) => handle_demands(class, index)?,
        Some(Constant::Dynamic(_, bootstrap, name_and_type)) => {
            let mut all = types(&class.pool.name_and_type(*name_and_type)?.1);
            all.push(Demand::Bootstrap(*bootstrap));
            all
        }
        _ => Vec::new(),
    })
}

pub(crate) fn handle_demands(class: &ClassFile, index: u16) -> Result<Vec<Demand>, BadClass> {
    let Some(Constant::MethodHandle(kind, member)) = class.pool.get(index) else {
        return Err(BadClass::Index { index, wanted: "method handle" });
    };
    let member = class.pool.member(*member)?;
    let (owner, name, descriptor): (Arc<str>, Arc<str>, Arc<str>) =
        (member.owner.into(), member.name.into(), member.descriptor.into());
    let target = match kind {
        1..=4 => Demand::Field(Arc::clone(&owner), name, descriptor, None),
        _ => {
            let call = match kind {
                6 => Call::Static,
                7 | 8 => Call::Special,
                9 => Call::Interface,
                _ => Call::Virtual,
            };
            Demand::Method(Arc::clone(&owner), name, descriptor, call, None)
        }
    };
    Ok(vec![Demand::Class(owner), target])
}
