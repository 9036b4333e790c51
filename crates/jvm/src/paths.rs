//! Formulas about the hierarchy: what is still a subtype, what is still inherited, once some links are gone.
//!
//! A class may reach a supertype on several paths; one is enough. Formulas of supertypes are shared: what is larger than
//! a few variables gets one of its own, so that diamonds of interfaces do not multiply.

use std::collections::HashMap;
use std::sync::Arc;

use dwindle_logic::{Clause, Formula, ItemId, ModelBuilder, Origin, Var};

use crate::class::access;
use crate::hierarchy::{Home, OBJECT, World};
use crate::items::ClassItems;
use crate::names::{package, reference_name};

/// Formulas with more variables than this are given a variable of their own.
const SHARE_ABOVE: usize = 4;

/// All of these; constants are folded.
pub(crate) fn all(parts: impl IntoIterator<Item = Formula>) -> Formula {
    let mut left = Vec::new();
    for part in parts {
        match part {
            Formula::Const(true) => {}
            Formula::Const(false) => return part,
            Formula::All(mut inner) => left.append(&mut inner),
            other => left.push(other),
        }
    }
    match left.len() {
        0 => Formula::Const(true),
        1 => left.remove(0),
        _ => Formula::All(left),
    }
}

/// At least one of these; constants are folded.
pub(crate) fn any(parts: impl IntoIterator<Item = Formula>) -> Formula {
    let mut left = Vec::new();
    for part in parts {
        match part {
            Formula::Const(false) => {}
            Formula::Const(true) => return part,
            Formula::Any(mut inner) => left.append(&mut inner),
            other if left.contains(&other) => {}
            other => left.push(other),
        }
    }
    match left.len() {
        0 => Formula::Const(false),
        1 => left.remove(0),
        _ => Formula::Any(left),
    }
}

fn size(formula: &Formula) -> usize {
    match formula {
        Formula::All(parts) | Formula::Any(parts) => parts.iter().map(size).sum(),
        _ => 1,
    }
}

/// One of the ways that are known; if there is none, all links of which one must be it, nobody knows which.
fn either(ways: Vec<Formula>, unclear: Vec<Formula>) -> Option<Formula> {
    if !ways.is_empty() {
        Some(any(ways))
    } else if unclear.is_empty() {
        None
    } else {
        Some(all(unclear))
    }
}

/// Which way round a formula is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    /// Something needs it: it may be a little too strong.
    Needed,
    /// It makes something needed: it may be a little too weak.
    Given,
}

type MethodKey = (usize, Arc<str>, Arc<str>);

/// What a declaration must be like to count: its access flags, and whether it is static.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Wanted {
    flags: u16,
    is_static: bool,
}

/// Makes and remembers formulas.
pub(crate) struct Paths<'a> {
    pub(crate) world: &'a World<'a>,
    pub(crate) classes: &'a [ClassItems],
    pub(crate) builder: ModelBuilder,
    shared: Origin,
    subtypes: HashMap<(usize, Arc<str>, Side), Option<Formula>>,
    inherited: HashMap<(MethodKey, Wanted), Option<Formula>>,
    bodies: HashMap<(MethodKey, u16), Option<Formula>>,
    fields: HashMap<MethodKey, Option<Formula>>,
}

impl<'a> Paths<'a> {
    pub(crate) fn new(world: &'a World<'a>, classes: &'a [ClassItems], mut builder: ModelBuilder) -> Self {
        let shared = builder.origin("paths through the hierarchy");
        Paths {
            world,
            classes,
            builder,
            shared,
            subtypes: HashMap::new(),
            inherited: HashMap::new(),
            bodies: HashMap::new(),
            fields: HashMap::new(),
        }
    }

    /// Says that if all of `premise` are kept, `then` holds. What never held to begin with is not asked for.
    pub(crate) fn imply(&mut self, premise: &[Var], then: &Formula, origin: Origin) {
        match then {
            Formula::Const(_) => {}
            Formula::Var(var) => self.builder.clause(Clause::new(premise.iter().copied(), [*var]), origin),
            Formula::All(parts) => {
                for part in parts {
                    self.imply(premise, part, origin);
                }
            }
            _ => {
                let given = Formula::all(premise.iter().map(|var| Formula::Var(*var)));
                self.builder.formula(&given.implies(then.clone()), origin);
            }
        }
    }

    fn share(&mut self, formula: Formula, side: Side) -> Formula {
        if size(&formula) <= SHARE_ABOVE {
            return formula;
        }
        let var = self.builder.auxiliary();
        match side {
            Side::Needed => self.imply(&[var], &formula, self.shared),
            Side::Given => {
                let rule = formula.implies(Formula::Var(var));
                self.builder.formula(&rule, self.shared);
            }
        }
        Formula::Var(var)
    }

    /// The links from a class to the types right above it.
    fn links(&self, class: usize) -> Vec<(Formula, Arc<str>)> {
        let (brief, items) = (&self.world.briefs[class], &self.classes[class]);
        let parent = brief.parent.iter().map(|parent| {
            let link = items.extends.map_or(Formula::Const(true), Formula::item);
            (link, Arc::clone(parent))
        });
        let interfaces = brief
            .interfaces
            .iter()
            .zip(&items.implements)
            .map(|(interface, item)| (Formula::item(*item), Arc::clone(interface)));
        parent.chain(interfaces).collect()
    }

    /// That a class is still a subtype of `of`; nothing if it never was, as far as is known.
    pub(crate) fn reaches(&mut self, class: usize, of: &Arc<str>, side: Side) -> Option<Formula> {
        if self.world.briefs[class].name == *of || **of == *OBJECT {
            return Some(Formula::Const(true));
        }
        let key = (class, Arc::clone(of), side);
        if let Some(known) = self.subtypes.get(&key) {
            return known.clone();
        }
        // Made-up classes may inherit from themselves; such paths lead nowhere.
        self.subtypes.insert(key.clone(), None);
        let mut paths = Vec::new();
        let mut unclear = Vec::new();
        for (link, above) in self.links(class) {
            match self.world.find(&above) {
                Home::Program(above) => {
                    if let Some(further) = self.reaches(above, of, side) {
                        paths.push(all([link, further]));
                    }
                }
                Home::Library(lineage) if lineage.is_subtype(of) => paths.push(link),
                Home::Library(lineage) if lineage.complete => {}
                Home::Missing if above == *of => paths.push(link),
                Home::Library(_) | Home::Missing => unclear.push(link),
            }
        }
        if side == Side::Given {
            unclear.clear();
        }
        let formula = either(paths, unclear).map(|formula| self.share(formula, side));
        self.subtypes.insert(key, formula.clone());
        formula
    }

    /// That one type is still a subtype of another, arrays included.
    pub(crate) fn subtype(&mut self, of: &str, above: &str) -> Formula {
        if of == above || above == OBJECT {
            return Formula::Const(true);
        }
        if let Some(component) = of.strip_prefix('[') {
            let components = (reference_name(component), above.strip_prefix('[').and_then(reference_name));
            return match components {
                (Some(of), Some(above)) => self.subtype(of, above),
                _ => Formula::Const(true),
            };
        }
        match self.world.in_program(of) {
            Some(class) => self.reaches(class, &above.into(), Side::Needed).unwrap_or(Formula::Const(true)),
            None => Formula::Const(true),
        }
    }

    /// That a cast between two types is one a compiler accepts.
    pub(crate) fn castable(&mut self, from: &str, to: &str) -> Formula {
        if let (Some(from), Some(to)) = (from.strip_prefix('['), to.strip_prefix('[')) {
            return match (reference_name(from), reference_name(to)) {
                (Some(from), Some(to)) => self.castable(from, to),
                _ => Formula::Const(true),
            };
        }
        let (Some(one), Some(other)) = (self.world.access(from), self.world.access(to)) else {
            return Formula::Const(true);
        };
        // Some object may well be of both types, if one is an interface and neither is final.
        if (one | other) & access::INTERFACE != 0 && (one | other) & access::FINAL == 0 {
            return Formula::Const(true);
        }
        let mut ways = Vec::new();
        for (low, high) in [(from, to), (to, from)] {
            match self.world.in_program(low) {
                Some(class) => ways.extend(self.reaches(class, &high.into(), Side::Needed)),
                None if self.world.in_program(high).is_none() => return Formula::Const(true),
                None => {}
            }
        }
        if ways.is_empty() { Formula::Const(true) } else { any(ways) }
    }

    /// All links above a class, to the top.
    pub(crate) fn ancestry(&self, class: usize) -> Vec<ItemId> {
        let mut seen = vec![class];
        let mut links = Vec::new();
        let mut at = 0;
        while let Some(class) = seen.get(at).copied() {
            at += 1;
            let (brief, items) = (&self.world.briefs[class], &self.classes[class]);
            links.extend(items.extends);
            links.extend(&items.implements);
            for above in brief.parent.iter().chain(&brief.interfaces) {
                if let Some(above) = self.world.in_program(above)
                    && !seen.contains(&above)
                {
                    seen.push(above);
                }
            }
        }
        links
    }

    /// That a method is found when it is looked up in a class; nothing if it never was.
    pub(crate) fn method(
        &mut self,
        class: usize,
        name: &Arc<str>,
        descriptor: &Arc<str>,
        is_static: bool,
    ) -> Option<Formula> {
        let brief = &self.world.briefs[class];
        if let Some(position) = brief.method(name, descriptor) {
            let item = self.classes[class].methods[position].method;
            if brief.methods[position].is(access::PRIVATE) || **name == *"<init>" {
                return Some(Formula::item(item));
            }
        }
        // Who could call a public method may not be able to call one above it that is not.
        let flags = self.first_access(class, name, descriptor) & access::PUBLIC;
        let wanted = Wanted { flags, is_static };
        self.inherited((class, Arc::clone(name), Arc::clone(descriptor)), wanted)
    }

    fn inherited(&mut self, key: MethodKey, wanted: Wanted) -> Option<Formula> {
        if let Some(known) = self.inherited.get(&(key.clone(), wanted)) {
            return known.clone();
        }
        self.inherited.insert((key.clone(), wanted), None);
        let (class, name, descriptor) = &key;
        let brief = &self.world.briefs[*class];
        let mut ways = Vec::new();
        let mut unclear = Vec::new();
        if let Some(position) = brief.method(name, descriptor) {
            let method = &brief.methods[position];
            let counts = method.is(wanted.flags) && method.is(access::STATIC) == wanted.is_static;
            if counts && !method.is(access::PRIVATE) {
                ways.push(Formula::item(self.classes[*class].methods[position].method));
            }
        }
        for (link, above) in self.links(*class) {
            match self.world.find(&above) {
                Home::Program(above) => {
                    let further = self.inherited((above, Arc::clone(name), Arc::clone(descriptor)), wanted);
                    ways.extend(further.map(|further| all([link, further])));
                }
                Home::Library(lineage) if lineage.has_method(name, descriptor, wanted.flags) => {
                    ways.push(link);
                }
                Home::Library(lineage) if lineage.complete => {}
                Home::Library(_) | Home::Missing => unclear.push(link),
            }
        }
        let formula = either(ways, unclear).map(|formula| self.share(formula, Side::Needed));
        self.inherited.insert((key, wanted), formula.clone());
        formula
    }

    /// That objects of a class have a body with at least these access flags for a method; nothing if they never had.
    pub(crate) fn body(
        &mut self,
        class: usize,
        name: &Arc<str>,
        descriptor: &Arc<str>,
        flags: u16,
    ) -> Option<Formula> {
        let key = ((class, Arc::clone(name), Arc::clone(descriptor)), flags);
        if let Some(known) = self.bodies.get(&key) {
            return known.clone();
        }
        self.bodies.insert(key.clone(), None);
        let brief = &self.world.briefs[class];
        let mut ways = Vec::new();
        let mut declared = None;
        if let Some(position) = brief.method(name, descriptor) {
            let method = &brief.methods[position];
            declared = Some(method.is(access::ABSTRACT));
            if !method.is(access::ABSTRACT) && !method.is(access::STATIC) && method.is(flags) {
                ways.push(Formula::item(self.classes[class].methods[position].concrete()));
            }
        }
        // An abstract declaration hides what is above it. It may be gone itself, but then nothing is lost by asking.
        if declared != Some(true) {
            let hidden = self.hidden_by_class(class, name, descriptor);
            for (link, above) in self.links(class) {
                if hidden && self.world.is_interface(&above) == Some(true) {
                    continue;
                }
                match self.world.find(&above) {
                    Home::Program(above) => {
                        ways.extend(
                            self.body(above, name, descriptor, flags).map(|further| all([link, further])),
                        );
                    }
                    Home::Library(lineage) if lineage.has_body(name, descriptor, flags) => ways.push(link),
                    Home::Library(_) | Home::Missing => {}
                }
            }
        }
        let formula = (!ways.is_empty()).then(|| any(ways));
        let formula = formula.map(|formula| self.share(formula, Side::Needed));
        self.bodies.insert(key, formula.clone());
        formula
    }

    /// The access flags of the declaration that a class has or inherits first from the program; none if there is none.
    fn first_access(&self, class: usize, name: &str, descriptor: &str) -> u16 {
        let mut seen = vec![class];
        let mut at = 0;
        while let Some(class) = seen.get(at).copied() {
            at += 1;
            let brief = &self.world.briefs[class];
            if let Some(position) = brief.method(name, descriptor) {
                return brief.methods[position].access;
            }
            let above = brief.parent.iter().chain(&brief.interfaces);
            for above in above.filter_map(|above| self.world.in_program(above)) {
                if !seen.contains(&above) {
                    seen.push(above);
                }
            }
        }
        0
    }

    /// Whether a superclass in the program declares the method without a body, so that defaults of interfaces do not count.
    fn hidden_by_class(&self, class: usize, name: &str, descriptor: &str) -> bool {
        let mut at = class;
        for _ in 0..self.world.briefs.len() {
            let Some(above) = self.world.briefs[at].parent.as_ref() else {
                return false;
            };
            let Some(above) = self.world.in_program(above) else {
                return false;
            };
            let brief = &self.world.briefs[above];
            if let Some(position) = brief.method(name, descriptor) {
                return brief.methods[position].is(access::ABSTRACT);
            }
            at = above;
        }
        false
    }

    /// That a field is found when it is looked up in a class; nothing if it never was.
    pub(crate) fn field(&mut self, class: usize, name: &Arc<str>, descriptor: &Arc<str>) -> Option<Formula> {
        let brief = &self.world.briefs[class];
        if let Some(position) = brief.field(name, descriptor) {
            return Some(Formula::item(self.classes[class].fields[position].field));
        }
        let key = (class, Arc::clone(name), Arc::clone(descriptor));
        if let Some(known) = self.fields.get(&key) {
            return known.clone();
        }
        self.fields.insert(key.clone(), None);
        let mut ways = Vec::new();
        let mut unclear = Vec::new();
        for (link, above) in self.links(class) {
            match self.world.find(&above) {
                Home::Program(above) => {
                    let further = self.field(above, name, descriptor);
                    ways.extend(further.map(|further| all([link, further])));
                }
                Home::Library(lineage) if lineage.has_field(name, descriptor) => ways.push(link),
                Home::Library(lineage) if lineage.complete => {}
                Home::Library(_) | Home::Missing => unclear.push(link),
            }
        }
        let formula = either(ways, unclear).map(|formula| self.share(formula, Side::Needed));
        self.fields.insert(key, formula.clone());
        formula
    }

    /// The constructor without arguments of a class, as one of its subclasses would call it.
    pub(crate) fn plain_constructor(&self, of: &str, from: &str) -> Constructor {
        let usable = |flags: u16| {
            flags & (access::PUBLIC | access::PROTECTED) != 0
                || (flags & access::PRIVATE == 0 && package(of) == package(from))
        };
        match self.world.find(of) {
            Home::Program(class) => {
                let brief = &self.world.briefs[class];
                match brief.method("<init>", "()V") {
                    Some(position) if usable(brief.methods[position].access) => {
                        Constructor::Item(self.classes[class].methods[position].method)
                    }
                    _ => Constructor::None,
                }
            }
            Home::Library(lineage) => {
                let brief = lineage.brief();
                match brief.method("<init>", "()V") {
                    Some(position) if usable(brief.methods[position].access) => Constructor::Always,
                    _ => Constructor::None,
                }
            }
            Home::Missing => Constructor::None,
        }
    }
}

/// Whether there is a constructor without arguments.
pub(crate) enum Constructor {
    /// In a library.
    Always,
    /// In the program.
    Item(ItemId),
    /// There is none that can be called.
    None,
}
