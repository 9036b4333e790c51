//! The rules: what each item of a class needs, and what makes it needed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dwindle_logic::{Formula, ItemId, ModelBuilder, Origin, Var};

use crate::attributes::signature;
use crate::class::{ClassFile, access};
use crate::code::Code;
use crate::demand::{Demand, constant_demands, handle_demands};
use crate::error::BadClass;
use crate::flow::{Place, follow};
use crate::hierarchy::{Brief, Home, Outline, World};
use crate::instruction::instructions;
use crate::items::ClassItems;
use crate::mentions::mentions;
use crate::names::{class_signature, classes_in, element_class};
use crate::paths::{Constructor, Paths, Side, all, any};
use crate::tables::{InnerClass, bootstrap_methods, enclosing_method, inner_classes, record_components};

/// Texts for the origins of clauses, in the order of [`Why`].
const WHY: [&str; 9] = [
    "it names the class",
    "the code needs it",
    "a method without a body must get one",
    "a link to a superclass needs a constructor",
    "what a compiler generates stays together",
    "an enum or record needs it",
    "the table of inner classes",
    "a bootstrap method needs it",
    "a final field must be assigned",
];

#[derive(Clone, Copy)]
pub(crate) enum Why {
    Names,
    Code,
    Abstract,
    Constructor,
    Generated,
    Special,
    Inner,
    Bootstrap,
    Final,
}

/// Adds the rules of all classes to a model.
pub(crate) struct Rules<'a> {
    pub(crate) paths: Paths<'a>,
    pub(crate) world: &'a World<'a>,
    pub(crate) files: &'a [Arc<ClassFile>],
    pub(crate) classes: &'a [ClassItems],
    origins: Vec<Origin>,
    inner: Vec<Vec<InnerClass>>,
    /// Generated things that are pointless without one of the bodies that use them.
    pub(crate) users: BTreeMap<ItemId, BTreeSet<ItemId>>,
}

pub(crate) type Done = Result<(), BadClass>;

impl<'a> Rules<'a> {
    pub(crate) fn new(
        world: &'a World<'a>,
        files: &'a [Arc<ClassFile>],
        classes: &'a [ClassItems],
        mut builder: ModelBuilder,
    ) -> Self {
        let origins = WHY.iter().map(|why| builder.origin(*why)).collect();
        Rules {
            paths: Paths::new(world, classes, builder),
            world,
            files,
            classes,
            origins,
            inner: files
                .iter()
                .map(|file| inner_classes(file).expect("it was read when the items were listed"))
                .collect(),
            users: BTreeMap::new(),
        }
    }

    /// Says that a class stays whole if it stays, and so do all classes it names.
    pub(crate) fn keep_whole(&mut self, class: usize) {
        let items = self.classes[class].clone();
        for item in items.class.index() + 1..items.end {
            self.need(items.class, ItemId::new(item), Why::Names);
        }
        for name in mentions(&self.files[class]) {
            if let Some(other) = self.world.in_program(&name) {
                let other = &self.classes[other];
                for item in other.class.index()..other.end {
                    self.need(items.class, ItemId::new(item), Why::Names);
                }
            }
        }
    }

    /// The builder with all rules in it.
    pub(crate) fn finish(mut self) -> ModelBuilder {
        for (item, users) in std::mem::take(&mut self.users) {
            let used = any(users.into_iter().map(Formula::item));
            self.imply(item, &used, Why::Generated);
        }
        self.paths.builder
    }

    pub(crate) fn imply(&mut self, item: ItemId, then: &Formula, why: Why) {
        self.paths.imply(&[item.into()], then, self.origins[why as usize]);
    }

    pub(crate) fn need(&mut self, item: ItemId, other: ItemId, why: Why) {
        if item != other {
            self.imply(item, &Formula::item(other), why);
        }
    }

    /// That `class` may name `name`: the class exists, and is listed among its inner classes if it is one.
    pub(crate) fn need_class(&mut self, class: usize, item: ItemId, name: &str, why: Why) {
        let Some(name) = element_class(name) else { return };
        if let Some(other) = self.world.in_program(name)
            && other != class
        {
            self.need(item, self.classes[other].class, why);
        }
        if let Some(entry) = self.inner[class].iter().position(|entry| entry.inner == *name) {
            self.need(item, self.classes[class].inner[entry], why);
        }
    }

    pub(crate) fn need_types(&mut self, class: usize, item: ItemId, text: &str, why: Why) {
        for name in classes_in(text) {
            self.need_class(class, item, &name, why);
        }
    }

    /// Adds everything about one class.
    pub(crate) fn class(&mut self, class: usize) -> Done {
        let file = Arc::clone(&self.files[class]);
        let items = self.classes[class].clone();
        let generic = file.attributes.iter().position(|attribute| file.is_named(attribute, "Signature"));
        let mut others = file.attributes.clone();
        let mut other_items = items.attributes.clone();
        if let Some(position) = generic {
            // The parts of this signature belong to the links they are about.
            others.remove(position);
            other_items.remove(position);
        }
        self.need_attributes(class, items.class, &other_items, &others)?;
        self.links(class, &file, &items)?;
        self.special_kinds(class, &file, &items)?;
        self.inner_classes(class, &items);
        self.fields(class, &file, &items)?;
        self.methods(class, &file, &items)?;
        self.bootstrap(class, &file, &items)?;
        self.obligations(class);
        if let Some((outer, method)) = enclosing_method(&file)? {
            self.need_class(class, items.class, &outer, Why::Generated);
            if method != 0
                && let Some(other) = self.world.in_program(&outer)
            {
                let (name, descriptor) = file.pool.name_and_type(method)?;
                if let Some(position) = self.world.briefs[other].method(&name, &descriptor) {
                    let around = &self.classes[other].methods[position];
                    self.need(items.class, around.code.unwrap_or(around.method), Why::Generated);
                }
            }
        }
        Ok(())
    }

    fn links(&mut self, class: usize, file: &ClassFile, items: &ClassItems) -> Done {
        let brief = &self.world.briefs[class];
        let generic = signature(file, &file.attributes)?;
        let (parameters, supertypes) = generic.as_deref().and_then(class_signature).unwrap_or_default();
        // The parameters alone are no signature; a type after them makes them one.
        if !parameters.is_empty() {
            self.need_generic(class, items.class, &format!("{parameters}V"));
        }
        let mut supertypes = supertypes.into_iter();
        let parent_signature = supertypes.next();
        if let (Some(link), Some(parent)) = (items.extends, &brief.parent) {
            self.need_class(class, link, parent, Why::Names);
            self.need_generic(class, link, parent_signature.unwrap_or_default());
            self.constructor_for_link(class, link, parent, items);
        }
        for (interface, link) in brief.interfaces.iter().zip(&items.implements) {
            self.need_class(class, *link, interface, Why::Names);
            self.need_generic(class, *link, supertypes.next().unwrap_or_default());
        }
        Ok(())
    }

    fn constructor_for_link(&mut self, class: usize, link: ItemId, parent: &str, items: &ClassItems) {
        let brief = &self.world.briefs[class];
        if items.is_whole() || brief.is(access::INTERFACE) {
            return;
        }
        let above = match self.paths.plain_constructor(parent, &brief.name) {
            Constructor::Always => return,
            Constructor::Item(item) => Formula::item(item),
            Constructor::None => Formula::Const(false),
        };
        let mut bodies = Vec::new();
        for (outline, method) in brief.methods.iter().zip(&items.methods) {
            if *outline.name == *"<init>"
                && let Some(code) = method.code
            {
                bodies.push(Formula::item(code));
                // A body that is gone is replaced by one that calls the constructor above.
                let then = any([Formula::item(code), above.clone()]);
                let premise: [Var; 2] = [method.method.into(), link.into()];
                self.paths.imply(&premise, &then, self.origins[Why::Constructor as usize]);
            }
        }
        let then = any(std::iter::once(above).chain(bodies));
        self.imply(link, &then, Why::Constructor);
    }

    /// Enums and records, whose shape the language fixes.
    fn special_kinds(&mut self, class: usize, file: &ClassFile, items: &ClassItems) -> Done {
        let brief = &self.world.briefs[class];
        let item = items.class;
        if file.is(access::ENUM) {
            let enums = self.paths.subtype(&brief.name, "java/lang/Enum");
            self.imply(item, &enums, Why::Special);
            if brief.parent.as_deref() == Some("java/lang/Enum") {
                let name = &brief.name;
                let wanted = [
                    ("values".to_owned(), format!("()[L{name};")),
                    ("valueOf".to_owned(), format!("(Ljava/lang/String;)L{name};")),
                ];
                for (method, descriptor) in &wanted {
                    if let Some(position) = brief.method(method, descriptor) {
                        self.need(item, items.methods[position].method, Why::Special);
                    }
                }
                if let Some(position) = brief.fields.iter().position(|field| *field.name == *"$VALUES") {
                    self.need(item, items.fields[position].field, Why::Special);
                }
            }
        }
        if let Some(components) = record_components(file)? {
            if let Some(link) = items.extends {
                self.need(item, link, Why::Special);
            }
            let mut constructor = String::from("(");
            for (name, descriptor, attributes) in &components {
                constructor.push_str(descriptor);
                self.need_attributes(class, item, &Vec::new(), attributes)?;
                if let Some(position) = brief.field(name, descriptor) {
                    let field = &items.fields[position];
                    self.need(item, field.finality.unwrap_or(field.field), Why::Special);
                }
                if let Some(position) = brief.method(name, &format!("(){descriptor}")) {
                    self.need(item, items.methods[position].method, Why::Special);
                }
            }
            constructor.push_str(")V");
            if let Some(position) = brief.method("<init>", &constructor) {
                self.need(item, items.methods[position].method, Why::Special);
            }
        }
        Ok(())
    }

    fn inner_classes(&mut self, class: usize, items: &ClassItems) {
        let own = Arc::clone(&self.world.briefs[class].name);
        for (position, entry) in self.inner[class].clone().iter().enumerate() {
            let item = items.inner[position];
            for name in std::iter::once(&entry.inner).chain(&entry.outer) {
                if let Some(other) = self.world.in_program(name) {
                    self.need(item, self.classes[other].class, Why::Inner);
                }
            }
            if *entry.inner == *own {
                self.need(items.class, item, Why::Inner);
            } else if entry.outer.as_deref() == Some(&*own)
                && let Some(other) = self.world.in_program(&entry.inner)
            {
                let premise: [Var; 2] = [items.class.into(), self.classes[other].class.into()];
                self.paths.imply(&premise, &Formula::item(item), self.origins[Why::Inner as usize]);
            }
        }
    }

    fn fields(&mut self, class: usize, file: &ClassFile, items: &ClassItems) -> Done {
        let brief = &self.world.briefs[class];
        let body_of = |name: &str| {
            let all = brief.methods.iter().zip(&items.methods);
            let named = all.filter(|(outline, _)| *outline.name == *name);
            named.filter_map(|(_, method)| method.code).collect::<Vec<_>>()
        };
        let (static_bodies, object_bodies) = (body_of("<clinit>"), body_of("<init>"));
        for ((outline, member), item) in brief.fields.iter().zip(&file.fields).zip(&items.fields) {
            self.need_types(class, item.field, &outline.descriptor, Why::Names);
            self.need_attributes(class, item.field, &item.attributes, &member.attributes)?;
            let is_static = outline.is(access::STATIC);
            let synthetic = outline.is(access::SYNTHETIC);
            if synthetic {
                self.need(items.class, item.field, Why::Generated);
            }
            let constant = file.find(&member.attributes, "ConstantValue").is_some();
            let bodies = if is_static { &static_bodies } else { &object_bodies };
            if is_static && !constant && brief.is(access::ABSTRACT) {
                for body in bodies {
                    self.need(item.field, *body, Why::Final);
                }
            }
            if let Some(finality) = item.finality {
                if !(is_static && constant) {
                    for body in bodies {
                        self.need(finality, *body, Why::Final);
                    }
                }
                if synthetic || is_static {
                    self.need(item.field, finality, Why::Final);
                }
            }
        }
        Ok(())
    }

    fn methods(&mut self, class: usize, file: &ClassFile, items: &ClassItems) -> Done {
        let brief = &self.world.briefs[class];
        for ((outline, member), item) in brief.methods.iter().zip(&file.methods).zip(&items.methods) {
            self.need_types(class, item.method, &outline.descriptor, Why::Names);
            self.need_attributes(class, item.method, &item.attributes, &member.attributes)?;
            self.need_throws(class, outline, item);
            if let Some(defaultness) = item.defaultness
                && self.must_have_body(class, file, outline)
            {
                self.need(item.method, defaultness, Why::Abstract);
            }
            let Some(code) = item.code else { continue };
            if outline.is(access::SYNTHETIC) || *outline.name == *"<clinit>" {
                self.need(item.method, code, Why::Generated);
            }
            let attribute = file.find(&member.attributes, "Code").expect("an item was made for it");
            let body = Code::read(&attribute.bytes)?;
            self.debug_names(class, code, &item.code_attributes, file, &body)?;
            let followed = follow(file, member, &body)?;
            let owner = |place: Place| {
                let cut = item.cuts.iter().rev().find(|(cut, _)| cut.takes(place));
                cut.map_or(code, |(_, item)| *item)
            };
            let demands: BTreeSet<(ItemId, Demand)> =
                followed.demands.into_iter().map(|(place, demand)| (owner(place), demand)).collect();
            for (item, demand) in &demands {
                // What the whole body demands its parts need not demand again.
                if *item != code && demands.contains(&(code, demand.clone())) {
                    continue;
                }
                // Without types only the names are known: whatever the class is used as, it stays.
                if !followed.complete
                    && let Demand::Class(name) = demand
                {
                    self.demand(class, *item, &Demand::Ancestry(Arc::clone(name)), Why::Code);
                }
                self.demand(class, *item, demand, Why::Code);
            }
            if !item.cuts.is_empty() {
                self.assigned(file, items, brief, &body, &owner)?;
            }
            if !followed.complete {
                self.demand(class, code, &Demand::Ancestry(Arc::clone(&brief.name)), Why::Code);
                for name in classes_in(&outline.descriptor) {
                    self.demand(class, code, &Demand::Ancestry(name.into()), Why::Code);
                }
            }
        }
        Ok(())
    }

    /// Whether a default method that became abstract would hide a body above it, or be one too many for a lambda.
    fn must_have_body(&self, class: usize, file: &ClassFile, outline: &Outline) -> bool {
        let declares = |brief: &Brief| brief.method(&outline.name, &outline.descriptor).is_some();
        let overrides = self.supertypes_of(&self.world.briefs[class].name).iter().any(|above| {
            match self.world.find(above) {
                Home::Program(above) => declares(&self.world.briefs[above]),
                Home::Library(lineage) => declares(lineage.brief()),
                Home::Missing => true,
            }
        });
        overrides || mentions(file).contains("java/lang/FunctionalInterface")
    }

    /// The default methods of an interface and of those above it stay default methods; all, or those of one name.
    pub(crate) fn need_defaults(&mut self, item: ItemId, class: usize, named: Option<&str>, why: Why) {
        let own = Arc::clone(&self.world.briefs[class].name);
        for name in std::iter::once(own).chain(self.supertypes(class)) {
            let Some(other) = self.world.in_program(&name) else { continue };
            let classes = self.classes;
            for (outline, method) in self.world.briefs[other].methods.iter().zip(&classes[other].methods) {
                let Some(defaultness) = method.defaultness else { continue };
                if named.is_none_or(|named| *outline.name == *named) {
                    // One that is gone altogether is in nobody's way.
                    let premise: [Var; 2] = [item.into(), method.method.into()];
                    self.paths.imply(&premise, &Formula::item(defaultness), self.origins[why as usize]);
                }
            }
        }
    }

    /// A final field stays assigned where it was.
    fn assigned(
        &mut self,
        file: &ClassFile,
        items: &ClassItems,
        brief: &Brief,
        body: &Code,
        owner: &dyn Fn(Place) -> ItemId,
    ) -> Done {
        for instruction in instructions(&body.instructions) {
            let instruction = instruction?;
            if !matches!(instruction.opcode, 179 | 181) {
                continue;
            }
            let field = file.pool.member(instruction.u2(0))?;
            if *field.owner == *brief.name
                && let Some(position) = brief.field(&field.name, &field.descriptor)
                && let Some(finality) = items.fields[position].finality
            {
                self.need(finality, owner(Place::At(instruction.at)), Why::Final);
            }
        }
        Ok(())
    }

    fn bootstrap(&mut self, class: usize, file: &ClassFile, items: &ClassItems) -> Done {
        for (method, item) in bootstrap_methods(file)?.iter().zip(&items.bootstrap) {
            let mut all = handle_demands(file, method.handle)?;
            for argument in &method.arguments {
                all.extend(constant_demands(file, *argument)?);
            }
            for demand in all {
                self.demand(class, *item, &demand, Why::Bootstrap);
            }
        }
        Ok(())
    }

    /// Methods without a body above a class that can have objects: as long as they are inherited, there is a body.
    fn obligations(&mut self, class: usize) {
        let brief = &self.world.briefs[class];
        if brief.is(access::ABSTRACT) || brief.is(access::INTERFACE) || self.classes[class].is_whole() {
            return;
        }
        let mut asked: BTreeMap<(Arc<str>, Arc<str>, u16), Vec<Formula>> = BTreeMap::new();
        for above in self.supertypes(class) {
            let Some(reached) = self.paths.reaches(class, &above, Side::Given) else {
                continue;
            };
            match self.world.find(&above) {
                Home::Program(other) => {
                    for (outline, item) in
                        self.world.briefs[other].methods.iter().zip(&self.classes[other].methods)
                    {
                        if outline.is(access::ABSTRACT) || item.defaultness.is_some() {
                            asked
                                .entry(outline.asked())
                                .or_default()
                                .push(all([reached.clone(), Formula::item(item.method)]));
                        }
                    }
                }
                Home::Library(lineage) => {
                    for outline in lineage.brief().methods.iter().filter(|method| method.is(access::ABSTRACT))
                    {
                        asked.entry(outline.asked()).or_default().push(reached.clone());
                    }
                }
                Home::Missing => {}
            }
        }
        let origin = self.origins[Why::Abstract as usize];
        for ((name, descriptor, flags), given) in asked {
            let Some(body) = self.paths.body(class, &name, &descriptor, flags) else {
                continue;
            };
            if body == Formula::Const(true) {
                continue;
            }
            for given in given {
                self.paths.builder.formula(&given.implies(body.clone()), origin);
            }
        }
    }
}
