//! A program: an archive, its items, the model over them, and the candidates made of them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dwindle_core::{Candidate, File, Files, Fingerprint, Variant, fingerprint_of_file};
use dwindle_logic::{BadItems, BadModel, Formula, ItemId, ItemSet, Items, Model, ModelBuilder};
use thiserror::Error;

use crate::archive::{Archive, Content, Entry, Limits, Notice, Shape};
use crate::class::ClassFile;
use crate::error::{BadArchive, BadClass};
use crate::hierarchy::{Home, World};
use crate::items::{ClassItems, Detail, Listing, Plan};
use crate::library::Libraries;
use crate::mentions::mentions;
use crate::names::package;
use crate::pool::Constant;
use crate::rules::Rules;
use crate::trim::{Surroundings, trim};

/// Why there is no model of a program.
#[derive(Debug, Error)]
pub enum BadProgram {
    /// It cannot be read.
    #[error(transparent)]
    Archive(#[from] BadArchive),
    /// There is no class in it.
    #[error("{0} holds no class that can be read")]
    NoClass(String),
    /// A name is there twice.
    #[error(transparent)]
    Items(#[from] BadItems),
    /// The whole program breaks its own rules.
    #[error(transparent)]
    Model(#[from] BadModel),
}

/// A jar, a directory of classes or a class, taken apart.
#[derive(Debug)]
pub struct Program {
    /// Under which name the test is to see it.
    file_name: PathBuf,
    archive: Archive,
    plans: Vec<Plan>,
    pub(crate) classes: Vec<ClassItems>,
    pub(crate) files: Vec<Arc<ClassFile>>,
    /// Where a class is that others mean by its name.
    positions: HashMap<Arc<str>, usize>,
    parents: Vec<Option<ItemId>>,
    model: Model,
    notices: Vec<Notice>,
}

impl Program {
    /// Reads a program. `file_name` is what the test is to see it as.
    ///
    /// # Errors
    /// If it cannot be read or holds no class.
    pub fn open(
        path: &Path,
        file_name: impl Into<PathBuf>,
        libraries: &Libraries,
        limits: Limits,
        detail: Detail,
    ) -> Result<Self, BadProgram> {
        Self::new(Archive::open(path, limits)?, file_name, libraries, detail)
    }

    /// Takes an archive apart.
    ///
    /// # Errors
    /// If it holds no class.
    pub fn new(
        archive: Archive,
        file_name: impl Into<PathBuf>,
        libraries: &Libraries,
        detail: Detail,
    ) -> Result<Self, BadProgram> {
        let file_name = file_name.into();
        let mut listing = Listing::new(detail);
        let plans = listing.archive(&archive, "", None);
        if listing.classes.is_empty() {
            return Err(BadProgram::NoClass(file_name.display().to_string()));
        }
        let Listing { items, classes, files, briefs, mut notices, .. } = listing;
        notices.splice(0..0, archive.notices.iter().cloned());
        let parents = items.iter().map(|item| item.parent).collect();
        let world = World::new(briefs, libraries);
        let builder = ModelBuilder::new(Items::new(items)?);
        let (mut builder, broken) = all_rules(&world, &files, &classes, builder);
        for (class, why) in broken {
            notices.push(Notice::Opaque(world.briefs[class].name.to_string(), why));
        }
        modules(&archive, &plans, &world, &classes, &mut builder);
        class_path(&archive, &plans, &world, &files, &classes, &mut builder);
        let model = builder.finish()?;
        let counting = world.briefs.iter().enumerate().filter(|(_, brief)| brief.counts);
        let positions = counting.map(|(at, brief)| (Arc::clone(&brief.name), at)).collect();
        Ok(Program { file_name, plans, classes, files, positions, parents, model, notices, archive })
    }

    /// The items and their rules.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What the user should know about how the input was taken.
    #[must_use]
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// How many classes a set keeps.
    #[must_use]
    pub fn class_count(&self, kept: &ItemSet) -> usize {
        self.classes.iter().filter(|class| kept.contains(class.class)).count()
    }

    /// The items beyond the eleven kinds of the literature.
    pub(crate) fn fine_items(&self) -> Vec<ItemId> {
        let mut fine = Vec::new();
        for class in &self.classes {
            fine.extend(class.attributes.iter().flatten());
            fine.extend(class.fields.iter().flat_map(|field| field.attributes.iter().flatten()));
            for method in &class.methods {
                fine.extend(method.attributes.iter().chain(&method.code_attributes).flatten());
                fine.extend(method.defaultness);
                fine.extend(method.cuts.iter().map(|(_, item)| item));
            }
        }
        fine
    }

    /// The position of the class that others mean by `name`.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }

    /// The item that an item is part of.
    pub(crate) fn parent(&self, item: ItemId) -> Option<ItemId> {
        self.parents[item.index()]
    }

    /// The candidate that keeps these items.
    #[must_use]
    pub fn candidate(self: &Arc<Self>, kept: ItemSet) -> Candidate {
        let entries = self.entries(&kept);
        Candidate::new(KeptClasses {
            program: Arc::clone(self),
            whole: kept.len() == kept.universe(),
            kept,
            entries,
        })
    }

    /// The files of the program with the kept items only.
    #[must_use]
    pub fn render(&self, kept: &ItemSet) -> Files {
        self.files_of(&self.entries(kept), kept.len() == kept.universe())
    }

    fn entries(&self, kept: &ItemSet) -> Vec<(usize, Arc<[u8]>)> {
        self.kept_entries(&self.archive, &self.plans, kept)
    }

    fn kept_entries(&self, archive: &Archive, plans: &[Plan], kept: &ItemSet) -> Vec<(usize, Arc<[u8]>)> {
        let mut entries = Vec::new();
        for (position, (entry, plan)) in archive.entries.iter().zip(plans).enumerate() {
            let bytes = match plan {
                Plan::Directory => continue,
                Plan::File(item) => kept.contains(*item).then(|| Arc::clone(&entry.bytes)),
                Plan::Class(class) => kept
                    .contains(self.classes[*class].class)
                    .then(|| self.class_bytes(*class, &entry.bytes, kept)),
                Plan::Jar(item, plans) => kept.contains(*item).then(|| {
                    let Content::Jar(jar) = &entry.content else {
                        unreachable!("only jars are planned as jars")
                    };
                    if whole_jar(&self.classes, plans, kept) {
                        Arc::clone(&entry.bytes)
                    } else {
                        jar.pack(&self.kept_entries(jar, plans, kept)).into()
                    }
                }),
            };
            entries.extend(bytes.map(|bytes| (position, bytes)));
        }
        entries
    }

    fn class_bytes(&self, class: usize, original: &Arc<[u8]>, kept: &ItemSet) -> Arc<[u8]> {
        let items = &self.classes[class];
        if all_kept(items, kept) {
            return Arc::clone(original);
        }
        let around = Around { program: self, kept };
        match trim(&self.files[class], items, kept, &around) {
            Ok(trimmed) => trimmed.write().into(),
            // Only a pool without room for one more constant comes here. The class stays whole then.
            Err(_) => Arc::clone(original),
        }
    }

    fn files_of(&self, entries: &[(usize, Arc<[u8]>)], whole: bool) -> Files {
        match self.archive.shape {
            Shape::Jar => {
                let bytes = match self.archive.original() {
                    Some(original) if whole => Arc::clone(original),
                    _ => self.archive.pack(entries).into(),
                };
                Files::single(self.file_name.clone(), bytes)
            }
            Shape::Class => match entries.first() {
                Some((_, bytes)) => Files::single(self.file_name.clone(), Arc::clone(bytes)),
                None => Files::default(),
            },
            Shape::Directory => Files::new(entries.iter().map(|(entry, bytes)| {
                let path = self.file_name.join(&self.archive.entries[*entry].name);
                File::new(path, Arc::clone(bytes))
            })),
        }
    }
}

fn all_kept(items: &ClassItems, kept: &ItemSet) -> bool {
    (items.class.index()..items.end).all(|item| kept.contains(ItemId::new(item)))
}

fn whole_jar(classes: &[ClassItems], plans: &[Plan], kept: &ItemSet) -> bool {
    plans.iter().all(|plan| match plan {
        Plan::Directory => true,
        Plan::File(item) => kept.contains(*item),
        Plan::Class(class) => all_kept(&classes[*class], kept),
        Plan::Jar(item, plans) => kept.contains(*item) && whole_jar(classes, plans, kept),
    })
}

/// The rules of all classes. A class whose inside cannot be understood adds those that were found until then.
fn all_rules(
    world: &World<'_>,
    files: &[Arc<ClassFile>],
    classes: &[ClassItems],
    builder: ModelBuilder,
) -> (ModelBuilder, Vec<(usize, BadClass)>) {
    let mut rules = Rules::new(world, files, classes, builder);
    let mut broken = Vec::new();
    for class in 0..classes.len() {
        if let Err(why) = rules.class(class) {
            rules.keep_whole(class);
            broken.push((class, why));
        }
    }
    (rules.finish(), broken)
}

/// A module description needs the classes it names, and something in every package it opens.
fn modules(
    archive: &Archive,
    plans: &[Plan],
    world: &World<'_>,
    classes: &[ClassItems],
    builder: &mut ModelBuilder,
) {
    for (entry, plan) in archive.entries.iter().zip(plans) {
        if let (Content::Jar(jar), Plan::Jar(_, plans)) = (&entry.content, plan) {
            modules(jar, plans, world, classes, builder);
        }
        let (Content::Class(module), Plan::File(item)) = (&entry.content, plan) else {
            continue;
        };
        for (index, constant) in module.pool.iter() {
            let needed = match constant {
                Constant::Class(_) => module
                    .pool
                    .class(index)
                    .ok()
                    .and_then(|name| world.in_program(&name))
                    .map(|class| Formula::item(classes[class].class)),
                Constant::Named(20, name) => module.pool.text(*name).ok().map(|name| {
                    let inside = world.briefs.iter().zip(classes);
                    let inside = inside.filter(|(brief, _)| brief.counts && *package(&brief.name) == *name);
                    Formula::any(inside.map(|(_, items)| Formula::item(items.class)))
                }),
                _ => None,
            };
            if let Some(needed) = needed.filter(|needed| *needed != Formula::Any(Vec::new())) {
                builder.rule(&Formula::item(*item).implies(needed), "the module description names it");
            }
        }
    }
}

/// A manifest with a class path: what is in neither the program nor the platform is found through it.
fn class_path(
    archive: &Archive,
    plans: &[Plan],
    world: &World<'_>,
    files: &[Arc<ClassFile>],
    classes: &[ClassItems],
    builder: &mut ModelBuilder,
) {
    let is_manifest = |entry: &Entry| {
        let class_path = b"\nclass-path:";
        entry.name.eq_ignore_ascii_case("META-INF/MANIFEST.MF")
            && entry.bytes.windows(class_path.len()).any(|part| part.eq_ignore_ascii_case(class_path))
    };
    let mut entries = archive.entries.iter().zip(plans);
    let Some((_, Plan::File(manifest))) = entries.find(|(entry, _)| is_manifest(entry)) else {
        return;
    };
    let origin = builder.origin("a class from elsewhere is found through the manifest");
    for (file, items) in files.iter().zip(classes) {
        if mentions(file).iter().any(|name| matches!(world.find(name), Home::Missing)) {
            builder.need(items.class, *manifest, origin);
        }
    }
}

/// The classes around one that is written.
struct Around<'a> {
    program: &'a Program,
    kept: &'a ItemSet,
}

impl Surroundings for Around<'_> {
    fn exists(&self, name: &str) -> bool {
        self.program.position(name).is_none_or(|class| self.kept.contains(self.program.classes[class].class))
    }

    fn is_directly_below(&self, name: &str, above: &str) -> bool {
        let Some(class) = self.program.position(name) else {
            return true;
        };
        let (file, items) = (&self.program.files[class], &self.program.classes[class]);
        let parent = file.super_name().ok().flatten();
        let parent = items.extends.filter(|_| parent.as_deref() == Some(above));
        let interfaces = file.interfaces.iter().zip(&items.implements);
        let interface = interfaces
            .filter(|(index, _)| file.pool.class(**index).is_ok_and(|name| name == above))
            .map(|(_, item)| *item);
        self.kept.contains(items.class)
            && parent.into_iter().chain(interface).any(|link| self.kept.contains(link))
    }
}

/// A candidate that keeps some items of a program.
struct KeptClasses {
    program: Arc<Program>,
    whole: bool,
    kept: ItemSet,
    entries: Vec<(usize, Arc<[u8]>)>,
}

impl Variant for KeptClasses {
    /// Of the entries and not of the zip file around them, which is only made when the test really runs.
    fn fingerprint(&self) -> Fingerprint {
        let start = Fingerprint::of(b"\0classes\0");
        self.entries.iter().fold(start, |all, (entry, bytes)| {
            let name = &self.program.archive.entries[*entry].name;
            all.then(fingerprint_of_file(Path::new(name), Fingerprint::of(bytes)))
        })
    }

    fn size(&self) -> u64 {
        self.entries.iter().map(|(_, bytes)| bytes.len() as u64).sum()
    }

    fn render(&self) -> Files {
        self.program.files_of(&self.entries, self.whole)
    }
}

/// Which items a candidate made by [`Program::candidate`] keeps.
#[must_use]
pub fn kept_items(candidate: &Candidate) -> Option<&ItemSet> {
    candidate.variant::<KeptClasses>().map(|variant| &variant.kept)
}
