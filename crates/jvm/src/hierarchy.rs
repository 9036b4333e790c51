//! All classes by name, those of the program and those around it, with their supertypes and members.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::class::{ClassFile, Member, access};
use crate::error::BadClass;
use crate::library::Libraries;

pub(crate) const OBJECT: &str = "java/lang/Object";

/// The outside of a field or method.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    pub(crate) name: Arc<str>,
    pub(crate) descriptor: Arc<str>,
    pub(crate) access: u16,
}

impl Outline {
    /// What a method without a body asks for: name, descriptor, and whether to be public.
    pub(crate) fn asked(&self) -> (Arc<str>, Arc<str>, u16) {
        (Arc::clone(&self.name), Arc::clone(&self.descriptor), self.access & access::PUBLIC)
    }

    pub(crate) fn is(&self, flags: u16) -> bool {
        self.access & flags == flags
    }

    /// Whether it is a default method, being one of an interface.
    pub(crate) fn is_default(&self) -> bool {
        let others = access::ABSTRACT | access::STATIC | access::PRIVATE | access::SYNTHETIC;
        self.access & others == 0 && !self.name.starts_with('<')
    }
}

/// The outside of a class.
#[derive(Clone, Debug)]
pub(crate) struct Brief {
    pub(crate) name: Arc<str>,
    pub(crate) access: u16,
    pub(crate) parent: Option<Arc<str>>,
    pub(crate) interfaces: Vec<Arc<str>>,
    pub(crate) fields: Vec<Outline>,
    pub(crate) methods: Vec<Outline>,
    /// Whether it is the class that others mean by its name: not a second one, nor one for later versions of Java.
    pub(crate) counts: bool,
}

impl Brief {
    pub(crate) fn of(class: &ClassFile) -> Result<Self, BadClass> {
        let outlines = |members: &[Member]| -> Result<Vec<Outline>, BadClass> {
            members
                .iter()
                .map(|member| {
                    Ok(Outline {
                        name: class.pool.text(member.name)?.into(),
                        descriptor: class.pool.text(member.descriptor)?.into(),
                        access: member.access,
                    })
                })
                .collect()
        };
        Ok(Brief {
            name: class.name()?.into(),
            access: class.access,
            parent: class.super_name()?.map(Arc::from),
            interfaces: class
                .interfaces
                .iter()
                .map(|index| class.pool.class(*index).map(Arc::from))
                .collect::<Result<_, _>>()?,
            fields: outlines(&class.fields)?,
            methods: outlines(&class.methods)?,
            counts: true,
        })
    }

    pub(crate) fn is(&self, flags: u16) -> bool {
        self.access & flags == flags
    }

    /// The position of a method.
    pub(crate) fn method(&self, name: &str, descriptor: &str) -> Option<usize> {
        find(&self.methods, name, descriptor)
    }

    /// The position of a field.
    pub(crate) fn field(&self, name: &str, descriptor: &str) -> Option<usize> {
        find(&self.fields, name, descriptor)
    }
}

fn find(outlines: &[Outline], name: &str, descriptor: &str) -> Option<usize> {
    outlines.iter().position(|outline| *outline.name == *name && *outline.descriptor == *descriptor)
}

/// Where a class is.
#[derive(Clone, Debug)]
pub(crate) enum Home {
    /// In the program, at this position.
    Program(usize),
    /// In a library.
    Library(Arc<Lineage>),
    /// Nowhere that is known.
    Missing,
}

/// A library class with everything it inherits from, itself first.
#[derive(Debug)]
pub(crate) struct Lineage {
    pub(crate) all: Vec<Arc<Brief>>,
    /// Whether no ancestor is missing.
    pub(crate) complete: bool,
}

impl Lineage {
    pub(crate) fn brief(&self) -> &Brief {
        &self.all[0]
    }

    pub(crate) fn is_subtype(&self, of: &str) -> bool {
        self.all.iter().any(|brief| *brief.name == *of)
    }

    /// Whether a method is declared here or above, with at least these access flags.
    pub(crate) fn has_method(&self, name: &str, descriptor: &str, flags: u16) -> bool {
        let mut found =
            self.all.iter().filter_map(|brief| Some(&brief.methods[brief.method(name, descriptor)?]));
        found.any(|method| method.is(flags))
    }

    pub(crate) fn has_field(&self, name: &str, descriptor: &str) -> bool {
        self.all.iter().any(|brief| brief.field(name, descriptor).is_some())
    }

    /// Whether an object of a class below this one gets a body for the method from here.
    pub(crate) fn has_body(&self, name: &str, descriptor: &str, flags: u16) -> bool {
        // Superclasses come first in the list, and what they say overrides interfaces.
        self.all
            .iter()
            .filter_map(|brief| Some((brief, &brief.methods[brief.method(name, descriptor)?])))
            .min_by_key(|(brief, _)| brief.is(access::INTERFACE))
            .is_some_and(|(_, method)| {
                !method.is(access::ABSTRACT) && !method.is(access::STATIC) && method.is(flags)
            })
    }
}

/// The program's classes and a way to find the others.
#[derive(Debug)]
pub(crate) struct World<'l> {
    pub(crate) briefs: Vec<Brief>,
    by_name: HashMap<Arc<str>, usize>,
    libraries: &'l Libraries,
    known: RefCell<HashMap<Arc<str>, Option<Arc<Brief>>>>,
    lineages: RefCell<HashMap<Arc<str>, Option<Arc<Lineage>>>>,
}

impl<'l> World<'l> {
    pub(crate) fn new(briefs: Vec<Brief>, libraries: &'l Libraries) -> Self {
        let mut by_name = HashMap::new();
        for (position, brief) in briefs.iter().enumerate().filter(|(_, brief)| brief.counts) {
            by_name.entry(Arc::clone(&brief.name)).or_insert(position);
        }
        World { briefs, by_name, libraries, known: RefCell::default(), lineages: RefCell::default() }
    }

    pub(crate) fn in_program(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn find(&self, name: &str) -> Home {
        if let Some(position) = self.in_program(name) {
            return Home::Program(position);
        }
        self.lineage(name).map_or(Home::Missing, Home::Library)
    }

    fn library_brief(&self, name: &str) -> Option<Arc<Brief>> {
        if let Some(known) = self.known.borrow().get(name) {
            return known.clone();
        }
        let brief = self
            .libraries
            .class(name)
            .and_then(|bytes| Brief::of(&ClassFile::read(&bytes).ok()?).ok())
            .map(Arc::new);
        self.known.borrow_mut().insert(name.into(), brief.clone());
        brief
    }

    fn lineage(&self, name: &str) -> Option<Arc<Lineage>> {
        if let Some(known) = self.lineages.borrow().get(name) {
            return known.clone();
        }
        let lineage = self.library_brief(name).map(|brief| {
            let mut lineage = Lineage { all: vec![brief], complete: true };
            let mut at = 0;
            while let Some(brief) = lineage.all.get(at).cloned() {
                at += 1;
                for above in brief.parent.iter().chain(&brief.interfaces) {
                    if lineage.is_subtype(above) {
                        continue;
                    }
                    match self.library_brief(above) {
                        Some(above) => lineage.all.push(above),
                        None => lineage.complete = false,
                    }
                }
            }
            Arc::new(lineage)
        });
        self.lineages.borrow_mut().insert(name.into(), lineage.clone());
        lineage
    }

    /// Whether a class is known to be an interface, or known not to be.
    pub(crate) fn is_interface(&self, name: &str) -> Option<bool> {
        self.access(name).map(|flags| flags & access::INTERFACE != 0)
    }

    /// The access flags of a class, if it is known.
    pub(crate) fn access(&self, name: &str) -> Option<u16> {
        match self.find(name) {
            Home::Program(class) => Some(self.briefs[class].access),
            Home::Library(lineage) => Some(lineage.brief().access),
            Home::Missing => None,
        }
    }
}
