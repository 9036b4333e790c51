//! The items of a program: what can be left out, and what each of them weighs.

use std::collections::HashSet;
use std::sync::Arc;

use dwindle_logic::{Item, ItemId};

use crate::archive::{Archive, Content, Entry, Notice};
use crate::class::{Attribute, ClassFile, Member, access};
use crate::code::Code;
use crate::cuts::{Cut, CutKind, cuts};
use crate::error::BadClass;
use crate::hierarchy::{Brief, OBJECT};
use crate::tables::{bootstrap_methods, inner_classes};

/// How far a program is taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Detail {
    /// Into the eleven kinds of items of the literature.
    Standard,
    /// And further: into statements and exception handlers, and into attributes that a class can do without:
    /// annotations, generic signatures, `throws` clauses, names of parameters and variables, line numbers.
    #[default]
    Fine,
}

/// The attributes that may be left out alone.
const REMOVABLE: [&str; 15] = [
    "Deprecated",
    "Exceptions",
    "LineNumberTable",
    "LocalVariableTable",
    "LocalVariableTypeTable",
    "MethodParameters",
    "RuntimeInvisibleAnnotations",
    "RuntimeInvisibleParameterAnnotations",
    "RuntimeInvisibleTypeAnnotations",
    "RuntimeVisibleAnnotations",
    "RuntimeVisibleParameterAnnotations",
    "RuntimeVisibleTypeAnnotations",
    "Signature",
    "SourceDebugExtension",
    "SourceFile",
];

/// For each attribute the item it is, if it may be left out alone.
pub(crate) type AttributeItems = Vec<Option<ItemId>>;

/// What to do with an entry of the archive.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    /// A directory: no item.
    Directory,
    /// A file that is kept or dropped.
    File(ItemId),
    /// A class, by its position among all classes.
    Class(usize),
    /// A jar, and plans for its entries.
    Jar(ItemId, Vec<Plan>),
}

/// The items of one class. In a class that is kept or dropped whole they are all the same.
#[derive(Clone, Debug)]
pub(crate) struct ClassItems {
    /// The class itself; its other items follow it.
    pub(crate) class: ItemId,
    /// One past its last item.
    pub(crate) end: usize,
    /// Its link to a superclass other than `java/lang/Object`.
    pub(crate) extends: Option<ItemId>,
    pub(crate) implements: Vec<ItemId>,
    pub(crate) fields: Vec<FieldItems>,
    pub(crate) methods: Vec<MethodItems>,
    pub(crate) inner: Vec<ItemId>,
    pub(crate) bootstrap: Vec<ItemId>,
    pub(crate) attributes: AttributeItems,
}

impl ClassItems {
    /// Whether it is kept or dropped whole.
    pub(crate) fn is_whole(&self) -> bool {
        self.end == self.class.index() + 1
    }
}

#[derive(Clone, Debug)]
pub(crate) struct FieldItems {
    pub(crate) field: ItemId,
    /// That it is final, if it is.
    pub(crate) finality: Option<ItemId>,
    pub(crate) attributes: AttributeItems,
}

#[derive(Clone, Debug)]
pub(crate) struct MethodItems {
    pub(crate) method: ItemId,
    /// That it has a body at all, if it is a default method: without, it is abstract.
    pub(crate) defaultness: Option<ItemId>,
    /// Its body, if it has one.
    pub(crate) code: Option<ItemId>,
    pub(crate) attributes: AttributeItems,
    /// Those of its body.
    pub(crate) code_attributes: AttributeItems,
    /// What can be cut out of its body, each behind what it is inside of.
    pub(crate) cuts: Vec<(Cut, ItemId)>,
}

impl MethodItems {
    /// What must stay for it not to be abstract.
    pub(crate) fn concrete(&self) -> ItemId {
        self.defaultness.unwrap_or(self.method)
    }
}

/// Puts items together while walking an archive.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) items: Vec<Item>,
    pub(crate) classes: Vec<ClassItems>,
    pub(crate) files: Vec<Arc<ClassFile>>,
    pub(crate) briefs: Vec<Brief>,
    pub(crate) notices: Vec<Notice>,
    detail: Detail,
    names: HashSet<String>,
    seen: HashSet<Arc<str>>,
}

impl Listing {
    pub(crate) fn new(detail: Detail) -> Self {
        Listing { detail, ..Listing::default() }
    }

    /// Items for the attributes that may be left out alone; their weight is taken from the owner.
    fn attributes(
        &mut self,
        class: &ClassFile,
        list: &[Attribute],
        owner: ItemId,
        whole: bool,
    ) -> AttributeItems {
        let mut item = |attribute: &Attribute| {
            let name = class.pool.text(attribute.name).ok()?;
            if whole || self.detail == Detail::Standard || !REMOVABLE.contains(&name.as_str()) {
                return None;
            }
            let weight = 6 + attribute.bytes.len();
            let text = format!("{}!{name}", self.items[owner.index()].name.trim_start_matches("class "));
            let item = self.item(text, Some(owner), weight);
            let left = &mut self.items[owner.index()].weight;
            *left = left.saturating_sub(weight as u64).max(1);
            Some(item)
        };
        list.iter().map(&mut item).collect()
    }

    /// Items for statements and handlers; their weight is taken from what they are inside of.
    fn cuts(&mut self, class: &ClassFile, method: &Member, body: &Code, code: ItemId) -> Vec<(Cut, ItemId)> {
        // A body that cannot be followed is told of when its rules are made.
        let Ok(found) = cuts(class, method, body) else { return Vec::new() };
        let mut list: Vec<(Cut, ItemId)> = Vec::new();
        for cut in found {
            let around = list.iter().rev().find(|(other, _)| cut.is_inside(other));
            let owner = around.map_or(code, |(_, item)| *item);
            let kind = if cut.kind == CutKind::Handler { "handler" } else { "statement" };
            let name = format!("{}!{kind} {}..{}", self.items[code.index()].name, cut.start, cut.end);
            let weight = cut.end - cut.start;
            let item = self.item(name, Some(owner), weight);
            let left = &mut self.items[owner.index()].weight;
            *left = left.saturating_sub(weight as u64).max(1);
            list.push((cut, item));
        }
        list
    }

    fn item(&mut self, name: String, parent: Option<ItemId>, weight: usize) -> ItemId {
        let mut unique = name;
        // The same interface or member twice is not legal, but no reason to give up.
        while !self.names.insert(unique.clone()) {
            unique.push('\'');
        }
        let id = ItemId::new(self.items.len());
        self.items.push(Item { parent, weight: weight as u64, ..Item::new(unique) });
        id
    }

    /// Lists an archive; `prefix` is the path of the jar it is, if it is inside another one.
    pub(crate) fn archive(&mut self, archive: &Archive, prefix: &str, parent: Option<ItemId>) -> Vec<Plan> {
        archive.entries.iter().map(|entry| self.entry(entry, prefix, parent)).collect()
    }

    fn entry(&mut self, entry: &Entry, prefix: &str, parent: Option<ItemId>) -> Plan {
        let path = format!("{prefix}{}", entry.name);
        match &entry.content {
            Content::Directory => Plan::Directory,
            Content::Jar(jar) => {
                let item = self.item(format!("jar {path}"), parent, 22);
                Plan::Jar(item, self.archive(jar, &format!("{path}!/"), Some(item)))
            }
            Content::Class(class) if !class.is(access::MODULE) => {
                match self.class(class, &path, entry, parent) {
                    Ok(position) => Plan::Class(position),
                    Err(why) => {
                        self.notices.push(Notice::Opaque(path.clone(), why));
                        Plan::File(self.item(format!("file {path}"), parent, entry.bytes.len()))
                    }
                }
            }
            Content::Class(_) | Content::Other => {
                Plan::File(self.item(format!("file {path}"), parent, entry.bytes.len()))
            }
        }
    }

    fn class(
        &mut self,
        class: &ClassFile,
        path: &str,
        entry: &Entry,
        parent: Option<ItemId>,
    ) -> Result<usize, BadClass> {
        let mut brief = Brief::of(class)?;
        let name = Arc::clone(&brief.name);
        // Everything that can go wrong goes wrong before the first item is made.
        let inner = inner_classes(class)?;
        let bootstrap = bootstrap_methods(class)?;
        let versioned = entry.name.starts_with("META-INF/versions/");
        brief.counts = !versioned && self.seen.insert(Arc::clone(&name));
        if !brief.counts && !versioned {
            self.notices.push(Notice::SecondClass(path.to_owned()));
        }
        let first = brief.counts;
        let fine = first && class.clone().drop_unknown_and_unused();
        let bytes = entry.bytes.len();
        let item =
            self.item(if first { format!("class {name}") } else { format!("class {path}") }, parent, bytes);
        let start = self.items.len();
        let part = |listing: &mut Self, text: String, parent: ItemId, weight: usize| {
            if fine { listing.item(text, Some(parent), weight) } else { item }
        };
        let extends = brief
            .parent
            .as_ref()
            .filter(|parent| ***parent != *OBJECT)
            .map(|parent| part(self, format!("{name}<<{parent}"), item, 2));
        let implements = brief
            .interfaces
            .iter()
            .map(|interface| part(self, format!("{name}<{interface}"), item, 2))
            .collect();
        let mut fields = Vec::new();
        for (outline, member) in brief.fields.iter().zip(&class.fields) {
            let text = format!("{name}.{}:{}", outline.name, outline.descriptor);
            let finality_text = format!("{text}!final");
            let field = part(self, text, item, member_weight(class, member));
            let finality = outline.is(access::FINAL).then(|| part(self, finality_text, field, 1));
            let attributes = self.attributes(class, &member.attributes, field, !fine);
            fields.push(FieldItems { field, finality, attributes });
        }
        let mut methods = Vec::new();
        for (outline, member) in brief.methods.iter().zip(&class.methods) {
            let text = format!("{name}.{}{}", outline.name, outline.descriptor);
            let (code_text, default_text) = (format!("{text}!code"), format!("{text}!default"));
            let method = part(self, text, item, member_weight(class, member));
            let may_be_abstract = brief.is(access::INTERFACE) && outline.is_default();
            let defaultness = (fine && self.detail == Detail::Fine && may_be_abstract)
                .then(|| part(self, default_text, method, 8));
            let code = class
                .find(&member.attributes, "Code")
                .map(|code| part(self, code_text, defaultness.unwrap_or(method), code.bytes.len()));
            let attributes = self.attributes(class, &member.attributes, method, !fine);
            let body = class.find(&member.attributes, "Code").and_then(|code| Code::read(&code.bytes).ok());
            let (mut code_attributes, mut cuts) = (Vec::new(), Vec::new());
            if let (Some(item), Some(body)) = (code, body) {
                code_attributes = self.attributes(class, &body.attributes, item, !fine);
                if fine && self.detail == Detail::Fine {
                    cuts = self.cuts(class, member, &body, item);
                }
            }
            methods.push(MethodItems { method, defaultness, code, attributes, code_attributes, cuts });
        }
        let inner =
            inner.iter().map(|entry| part(self, format!("{name}!inner {}", entry.inner), item, 8)).collect();
        let bootstrap = bootstrap
            .iter()
            .enumerate()
            .map(|(number, method)| {
                part(self, format!("{name}!bootstrap {number}"), item, 4 + 2 * method.arguments.len())
            })
            .collect();
        let parts: u64 = self.items[start..].iter().map(|item| item.weight).sum();
        let own = &mut self.items[item.index()].weight;
        *own = own.saturating_sub(parts).max(1);
        let attributes = self.attributes(class, &class.attributes, item, !fine);
        self.classes.push(ClassItems {
            class: item,
            end: self.items.len(),
            extends,
            implements,
            fields,
            methods,
            inner,
            bootstrap,
            attributes,
        });
        self.files.push(Arc::new(class.clone()));
        self.briefs.push(brief);
        Ok(self.classes.len() - 1)
    }
}

fn member_weight(class: &ClassFile, member: &Member) -> usize {
    let attributes = member
        .attributes
        .iter()
        .filter(|attribute| !class.is_named(attribute, "Code"))
        .map(|attribute| 6 + attribute.bytes.len());
    8 + attributes.sum::<usize>()
}
