//! The rules of bodies and bootstrap methods: demands become formulas.

use std::sync::Arc;

use dwindle_logic::ItemId;

use crate::class::access;
use crate::demand::{Call, Demand};
use crate::hierarchy::{Brief, Home, OBJECT};
use crate::names::{element_class, package};
use crate::paths::Side;
use crate::rules::{Rules, Why};

impl Rules<'_> {
    /// All types above a class but `java/lang/Object`.
    pub(crate) fn supertypes(&self, class: usize) -> Vec<Arc<str>> {
        let mut seen: Vec<Arc<str>> = vec![Arc::clone(&self.world.briefs[class].name)];
        let mut at = 0;
        while let Some(name) = seen.get(at).cloned() {
            at += 1;
            let mut add = |above: &Arc<str>| {
                if **above != *OBJECT && !seen.contains(above) {
                    seen.push(Arc::clone(above));
                }
            };
            match self.world.find(&name) {
                Home::Program(class) => {
                    let brief = &self.world.briefs[class];
                    brief.parent.iter().chain(&brief.interfaces).for_each(&mut add);
                }
                Home::Library(lineage) => lineage.all.iter().for_each(|brief| add(&brief.name)),
                Home::Missing => {}
            }
        }
        seen.remove(0);
        seen
    }

    pub(crate) fn demand(&mut self, class: usize, item: ItemId, demand: &Demand, why: Why) {
        match demand {
            Demand::Class(name) => {
                self.need_class(class, item, name, why);
                self.note_anonymous(class, item, name);
            }
            Demand::Subtype(of, above) => {
                let formula = self.paths.subtype(of, above);
                self.imply(item, &formula, why);
            }
            Demand::Castable(from, to) => {
                let formula = self.paths.castable(from, to);
                self.imply(item, &formula, why);
            }
            Demand::Ancestry(name) => {
                if let Some(other) = element_class(name).and_then(|name| self.world.in_program(name)) {
                    for link in self.paths.ancestry(other) {
                        self.need(item, link, why);
                    }
                }
            }
            Demand::Lambda(name) => {
                if let Some(other) = self.world.in_program(name) {
                    self.need_defaults(item, other, None, why);
                }
            }
            Demand::SuperInit(_) => {
                if let Some(link) = self.classes[class].extends {
                    self.need(item, link, why);
                }
            }
            Demand::Bootstrap(number) => {
                if let Some(bootstrap) = self.classes[class].bootstrap.get(usize::from(*number)).copied() {
                    self.need(item, bootstrap, why);
                    if bootstrap != item {
                        self.users.entry(bootstrap).or_default().insert(item);
                    }
                }
            }
            Demand::Method(owner, name, descriptor, call, receiver) => {
                let Some(other) = self.world.in_program(owner) else {
                    self.protected(class, item, owner, receiver.as_ref(), why, |brief| {
                        brief.method(name, descriptor).map(|at| brief.methods[at].access)
                    });
                    return;
                };
                if let Some(formula) = self.paths.method(other, name, descriptor, *call == Call::Static) {
                    self.imply(item, &formula, why);
                }
                for above in std::iter::once(Arc::clone(owner)).chain(self.supertypes(other)) {
                    if let Some(above) = self.world.in_program(&above)
                        && let Some(throws) = self.throws(above, name, descriptor)
                    {
                        self.need(item, throws, why);
                    }
                }
                if *call == Call::Special && **name != *"<init>" {
                    self.called_above(class, item, owner, why);
                    self.need_defaults(item, other, Some(name), why);
                }
                let brief = &self.world.briefs[other];
                if let Some(position) = brief.method(name, descriptor) {
                    if brief.methods[position].is(access::PRIVATE) && other != class {
                        self.nest(class, other, item, why);
                    }
                    if name.starts_with("access$") {
                        let accessor = self.classes[other].methods[position].method;
                        self.users.entry(accessor).or_default().insert(item);
                    }
                }
                self.protected(class, item, owner, receiver.as_ref(), why, |brief| {
                    brief.method(name, descriptor).map(|at| brief.methods[at].access)
                });
            }
            Demand::Field(owner, name, descriptor, receiver) => {
                if let Some(other) = self.world.in_program(owner) {
                    if let Some(formula) = self.paths.field(other, name, descriptor) {
                        self.imply(item, &formula, why);
                    }
                    let brief = &self.world.briefs[other];
                    if let Some(position) = brief.field(name, descriptor)
                        && brief.fields[position].is(access::PRIVATE)
                        && other != class
                    {
                        self.nest(class, other, item, why);
                    }
                }
                self.protected(class, item, owner, receiver.as_ref(), why, |brief| {
                    brief.field(name, descriptor).map(|at| brief.fields[at].access)
                });
            }
        }
    }

    /// `super.m()`: the class named is above this one; an interface so named is right above it.
    fn called_above(&mut self, class: usize, item: ItemId, owner: &Arc<str>, why: Why) {
        let brief = &self.world.briefs[class];
        if *owner == brief.name {
            return;
        }
        if let Some(position) = brief.interfaces.iter().position(|interface| interface == owner) {
            self.need(item, self.classes[class].implements[position], why);
        } else if let Some(formula) = self.paths.reaches(class, owner, Side::Needed) {
            self.imply(item, &formula, why);
        }
    }

    /// A protected member of a superclass in another package: the receiver is an object of this class.
    fn protected(
        &mut self,
        class: usize,
        item: ItemId,
        owner: &Arc<str>,
        receiver: Option<&Arc<str>>,
        why: Why,
        declared: impl Fn(&Brief) -> Option<u16>,
    ) {
        let Some(receiver) = receiver else { return };
        let own = Arc::clone(&self.world.briefs[class].name);
        if **receiver == *own || receiver.starts_with('[') {
            return;
        }
        let flags = |brief: &Brief| declared(brief).filter(|_| package(&brief.name) != package(&own));
        let protected = std::iter::once(Arc::clone(owner)).chain(self.supertypes_of(owner)).any(|name| {
            let found = match self.world.find(&name) {
                Home::Program(class) => flags(&self.world.briefs[class]),
                Home::Library(lineage) => flags(lineage.brief()),
                Home::Missing => None,
            };
            found.is_some_and(|access| access & access::PROTECTED != 0)
        });
        if protected {
            let formula = self.paths.subtype(receiver, &own);
            self.imply(item, &formula, why);
        }
    }

    pub(crate) fn supertypes_of(&self, name: &str) -> Vec<Arc<str>> {
        match self.world.find(name) {
            Home::Program(class) => {
                let mut all = self.supertypes(class);
                all.push(OBJECT.into());
                all
            }
            Home::Library(lineage) => lineage.all.iter().map(|brief| Arc::clone(&brief.name)).collect(),
            Home::Missing => Vec::new(),
        }
    }

    /// Private members of another class can be used as long as both find the host of their nest.
    fn nest(&mut self, class: usize, other: usize, item: ItemId, why: Why) {
        for member in [class, other] {
            let file = Arc::clone(&self.files[member]);
            let Some(attribute) = file.find(&file.attributes, "NestHost") else {
                continue;
            };
            let host = attribute.bytes.get(..2).map(|two| u16::from_be_bytes([two[0], two[1]]));
            if let Some(Ok(host)) = host.map(|index| file.pool.class(index))
                && let Some(host) = self.world.in_program(&host)
            {
                self.need(item, self.classes[host].class, why);
            }
        }
    }

    /// An anonymous class is pointless without a body that uses it.
    fn note_anonymous(&mut self, class: usize, item: ItemId, name: &str) {
        let Some(other) = element_class(name).and_then(|name| self.world.in_program(name)) else {
            return;
        };
        let anonymous = self.world.briefs[other]
            .name
            .rsplit_once('$')
            .is_some_and(|(_, last)| last.starts_with(|first: char| first.is_ascii_digit()));
        if anonymous && other != class {
            self.users.entry(self.classes[other].class).or_default().insert(item);
        }
    }
}
