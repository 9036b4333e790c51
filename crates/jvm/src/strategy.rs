//! Strategies for programs, by name: over whole classes, over all items, or both.

use std::fmt;
use std::str::FromStr;

use dwindle_core::Stop;
use dwindle_logic::{
    Clause, Ddmin, Gbr, Graph, ItemId, ItemSet, ListReducer, Lossy, Model, ModelBuilder, Probe, Probing,
    Reduction, Var, binary_reduction, over_family,
};

use crate::mentions::mentions;
use crate::program::Program;

/// A way to reduce a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Strategy {
    /// Whole classes first, then their coarse items, then all, then single items until none can go: ours.
    #[default]
    Default,
    /// Generalized binary reduction over all items.
    Gbr(Gbr),
    /// Binary reduction over closures of the graph of classes.
    Binary,
    /// Delta debugging over closures of the graph of classes.
    Closure,
    /// Delta debugging over classes, sets that lack a class they name being left out.
    Verify,
    /// Delta debugging over classes.
    Ddmin,
    /// Binary reduction over the items, rules that are no edges being forced into one.
    Lossy(Lossy),
}

/// No strategy has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStrategy(String);

impl std::error::Error for UnknownStrategy {}

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Strategy::named().map(|(name, ..)| name).collect();
        write!(f, "there is no strategy `{}`; choose one of {}", self.0, names.join(", "))
    }
}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        Strategy::named()
            .find(|(known, ..)| *known == name)
            .map(|(_, strategy, _)| strategy)
            .ok_or_else(|| UnknownStrategy(name.to_owned()))
    }
}

impl Strategy {
    /// All named strategies, each with a few words.
    pub fn named() -> impl Iterator<Item = (&'static str, Strategy, &'static str)> {
        [
            (
                "default",
                Strategy::Default,
                "our best (the default): classes, then coarse items, then fine ones, then one by one",
            ),
            ("gbr", Strategy::Gbr(Gbr::default()), "generalized binary reduction over all items"),
            ("gbr-published", Strategy::Gbr(Gbr::published()), "the same as published"),
            ("binary", Strategy::Binary, "binary reduction over classes"),
            ("closure", Strategy::Closure, "delta debugging over closures of classes"),
            ("verify", Strategy::Verify, "delta debugging over classes, complete sets only"),
            ("ddmin", Strategy::Ddmin, "delta debugging over classes"),
            (
                "lossy-first",
                Strategy::Lossy(Lossy::First),
                "binary reduction over items, other rules by their first edge",
            ),
            ("lossy-last", Strategy::Lossy(Lossy::Last), "the same, other rules by their last edge"),
        ]
        .into_iter()
    }
}

/// What a reduction ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The items that are left: interesting, or all of them.
    pub kept: ItemSet,
    /// No valid proper subset is interesting, provided the test is monotone on valid sets.
    pub locally_minimal: bool,
    /// No single item can be dropped, with what needs it, whatever the test is like.
    pub one_minimal: bool,
}

impl From<Reduction> for Reduced {
    fn from(reduction: Reduction) -> Self {
        Reduced {
            kept: reduction.kept,
            locally_minimal: reduction.locally_minimal,
            one_minimal: reduction.one_minimal,
        }
    }
}

/// Reduces a program. All of it is taken to be interesting; the probe is asked about sets of items of its model.
///
/// # Errors
/// If the probe says stop. What was found so far is with the probe.
pub fn reduce(program: &Program, strategy: Strategy, probe: &mut dyn Probe) -> Result<Reduced, Stop> {
    let model = program.model();
    match strategy {
        Strategy::Gbr(gbr) => gbr.reduce(model, probe).map(Reduced::from),
        Strategy::Lossy(lossy) => {
            let binary = dwindle_logic::Strategy::Binary(lossy, Probing::Binary);
            binary.reduce(model, probe).map(Reduced::from)
        }
        Strategy::Default => {
            let mut space = by_classes(program, Strategy::Binary, probe)?;
            let fine = program.fine_items();
            if !fine.is_empty() {
                // Ten times fewer items decide most of it; what is left of the fine ones is worth a look each.
                let coarse = Gbr::default();
                space = within(model, &space, &fine, |part, probe| coarse.reduce(part, probe), probe)?.kept;
            }
            let gbr = Gbr { closing: true, ..Gbr::default() };
            within(model, &space, &[], |part, probe| gbr.reduce(part, probe), probe)
        }
        Strategy::Binary | Strategy::Closure | Strategy::Verify | Strategy::Ddmin => {
            let kept = by_classes(program, strategy, probe)?;
            Ok(Reduced { kept, locally_minimal: false, one_minimal: false })
        }
    }
}

/// Reduces whole classes and files.
fn by_classes(program: &Program, strategy: Strategy, probe: &mut dyn Probe) -> Result<ItemSet, Stop> {
    let units = Units::of(program);
    let universe = program.model().items().len();
    let weights: Vec<u64> = units.items.iter().map(|set| program.model().items().weight(set)).collect();
    let mut probe = WholeUnits { units: &units, probe };
    let count = units.items.len();
    let kept = match strategy {
        Strategy::Ddmin => Ddmin.reduce(count, &mut probe)?,
        Strategy::Verify => Ddmin.reduce(count, &mut Complete { units: &units, probe: &mut probe })?,
        Strategy::Closure => {
            let closures = units.graph().closures();
            over_family(&ItemSet::empty(count), &closures, &mut Ddmin, &mut probe)?
        }
        _ => {
            let closures = units.graph().closures();
            let cost = |_: &[usize], union: &ItemSet| union.iter().map(|unit| weights[unit.index()]).sum();
            binary_reduction(&ItemSet::empty(count), &closures, &cost, Probing::Binary, &mut probe)?
        }
    };
    Ok(units.all_items(&kept, universe))
}

/// Classes and files as wholes: which items each has, and which others it names.
struct Units {
    items: Vec<ItemSet>,
    needs: Vec<Vec<usize>>,
}

impl Units {
    fn of(program: &Program) -> Self {
        let model = program.model();
        let universe = model.items().len();
        let mut unit_of: Vec<Option<usize>> = vec![None; universe];
        let mut items = Vec::new();
        let mut unit_of_class = Vec::new();
        for class in &program.classes {
            let range = (class.class.index()..class.end).map(ItemId::new);
            for item in range.clone() {
                unit_of[item.index()] = Some(items.len());
            }
            unit_of_class.push(items.len());
            items.push(ItemSet::of(universe, range));
        }
        for (item, _) in model.items().iter() {
            if unit_of[item.index()].is_none() {
                unit_of[item.index()] = Some(items.len());
                items.push(ItemSet::of(universe, [item]));
            }
        }
        let unit = |item: ItemId| unit_of[item.index()].expect("every item has a unit");
        let mut needs = vec![Vec::new(); items.len()];
        for (class, file) in program.files.iter().enumerate() {
            let needed = mentions(file)
                .into_iter()
                .filter_map(|name| program.position(&name))
                .map(|other| unit_of_class[other]);
            needs[unit_of_class[class]].extend(needed);
        }
        for (item, _) in model.items().iter() {
            // What is inside a jar needs the jar.
            if let Some(parent) = program.parent(item)
                && unit(parent) != unit(item)
            {
                needs[unit(item)].push(unit(parent));
            }
        }
        Units { items, needs }
    }

    fn graph(&self) -> Graph {
        let edges = self.needs.iter().enumerate();
        Graph::new(self.items.len(), edges.flat_map(|(from, needs)| needs.iter().map(move |to| (from, *to))))
    }

    fn all_items(&self, kept: &ItemSet, universe: usize) -> ItemSet {
        kept.iter().fold(ItemSet::empty(universe), |mut all, unit| {
            all.extend_by(&self.items[unit.index()]);
            all
        })
    }

    fn is_complete(&self, kept: &ItemSet) -> bool {
        kept.iter()
            .all(|unit| self.needs[unit.index()].iter().all(|other| kept.contains(ItemId::new(*other))))
    }
}

/// Turns sets of units into sets of items.
struct WholeUnits<'a> {
    units: &'a Units,
    probe: &'a mut dyn Probe,
}

impl WholeUnits<'_> {
    fn universe(units: &Units) -> usize {
        units.items.first().map_or(0, ItemSet::universe)
    }
}

impl Probe for WholeUnits<'_> {
    fn test(&mut self, kept: &ItemSet) -> Result<bool, Stop> {
        self.probe.test(&self.units.all_items(kept, Self::universe(self.units)))
    }

    fn first(&mut self, candidates: &mut dyn Iterator<Item = ItemSet>) -> Result<Option<usize>, Stop> {
        let units = self.units;
        let universe = Self::universe(units);
        self.probe.first(&mut candidates.map(|kept| units.all_items(&kept, universe)))
    }

    fn all(&mut self, candidates: &[ItemSet]) -> Result<Vec<bool>, Stop> {
        let universe = Self::universe(self.units);
        let sets: Vec<ItemSet> = candidates.iter().map(|kept| self.units.all_items(kept, universe)).collect();
        self.probe.all(&sets)
    }
}

/// Answers "boring" by itself where a class is missing that another one names.
struct Complete<'a, 'p> {
    units: &'a Units,
    probe: &'a mut WholeUnits<'p>,
}

impl Probe for Complete<'_, '_> {
    fn test(&mut self, kept: &ItemSet) -> Result<bool, Stop> {
        if self.units.is_complete(kept) { self.probe.test(kept) } else { Ok(false) }
    }

    fn first(&mut self, candidates: &mut dyn Iterator<Item = ItemSet>) -> Result<Option<usize>, Stop> {
        let mut asked = Vec::new();
        let complete = candidates.enumerate().filter(|(_, kept)| self.units.is_complete(kept));
        let found = self.probe.first(&mut complete.map(|(index, kept)| {
            asked.push(index);
            kept
        }))?;
        Ok(found.map(|index| asked[index]))
    }
}

/// Reduces inside `space`, a set that is known to be interesting. Rules it breaks itself do not count. Items that are
/// `tied` stay as long as their parents do.
fn within(
    model: &Model,
    space: &ItemSet,
    tied: &[ItemId],
    run: impl FnOnce(&Model, &mut dyn Probe) -> Result<Reduction, Stop>,
    probe: &mut dyn Probe,
) -> Result<Reduced, Stop> {
    let (part, back) = restrict(model, space, tied);
    let universe = model.items().len();
    let mut inside = Inside { back: &back, universe, probe };
    let reduction = run(&part, &mut inside)?;
    let kept = ItemSet::of(universe, reduction.kept.iter().map(|item| back[item.index()]));
    Ok(Reduced { kept, ..reduction.into() })
}

/// The model of the items in `space` alone, and the item each of its items stands for.
fn restrict(model: &Model, space: &ItemSet, tied: &[ItemId]) -> (Model, Vec<ItemId>) {
    let items = model.items();
    let back: Vec<ItemId> = space.iter().collect();
    let mut forth: Vec<Option<ItemId>> = vec![None; items.len()];
    for (new, old) in back.iter().enumerate() {
        forth[old.index()] = Some(ItemId::new(new));
    }
    let list = back.iter().map(|old| {
        let mut item = items[*old].clone();
        item.parent = item.parent.and_then(|parent| forth[parent.index()]);
        item
    });
    let list = dwindle_logic::Items::new(list.collect()).expect("names and parents were fine before");
    let mut builder = ModelBuilder::new(list);
    let mut vars: Vec<Option<Var>> = forth.iter().map(|new| new.map(Var::from)).collect();
    let alive = auxiliaries(model, space);
    vars.extend(alive.into_iter().map(|alive| alive.then(|| builder.auxiliary())));
    let origin = builder.origin("a rule of the whole program");
    for clause in model.clauses() {
        let needs: Option<Vec<Var>> = clause.needs().iter().map(|var| vars[var.index()]).collect();
        let gives: Vec<Var> = clause.gives().iter().filter_map(|var| vars[var.index()]).collect();
        if let Some(needs) = needs
            && !gives.is_empty()
        {
            builder.clause(Clause::new(needs, gives), origin);
        }
    }
    let origin = builder.origin("it goes with what it is part of");
    for item in tied {
        let parent = items[*item].parent.and_then(|parent| forth[parent.index()]);
        if let (Some(parent), Some(item)) = (parent, forth[item.index()]) {
            builder.need(parent, item, origin);
        }
    }
    (builder.finish().expect("clauses that give nothing were left out"), back)
}

/// Which auxiliary variables can be true when exactly the items in `space` are.
fn auxiliaries(model: &Model, space: &ItemSet) -> Vec<bool> {
    let items = model.items().len();
    let mut alive = vec![true; model.vars() - items];
    loop {
        let mut changed = false;
        let is_true = |alive: &[bool], var: Var| match var.index().checked_sub(items) {
            Some(auxiliary) => alive[auxiliary],
            None => space.contains(ItemId::new(var.index())),
        };
        for clause in model.clauses() {
            if !clause.holds(|var| is_true(&alive, var))
                && let Some(last) = clause.needs().last().and_then(|var| var.index().checked_sub(items))
            {
                alive[last] = false;
                changed = true;
            }
        }
        if !changed {
            return alive;
        }
    }
}

/// Turns sets of a restricted model into sets of the whole one.
struct Inside<'a> {
    back: &'a [ItemId],
    universe: usize,
    probe: &'a mut dyn Probe,
}

fn outside(back: &[ItemId], universe: usize, kept: &ItemSet) -> ItemSet {
    ItemSet::of(universe, kept.iter().map(|item| back[item.index()]))
}

impl Probe for Inside<'_> {
    fn test(&mut self, kept: &ItemSet) -> Result<bool, Stop> {
        self.probe.test(&outside(self.back, self.universe, kept))
    }

    fn first(&mut self, candidates: &mut dyn Iterator<Item = ItemSet>) -> Result<Option<usize>, Stop> {
        let (back, universe) = (self.back, self.universe);
        self.probe.first(&mut candidates.map(|kept| outside(back, universe, &kept)))
    }

    fn all(&mut self, candidates: &[ItemSet]) -> Result<Vec<bool>, Stop> {
        let sets: Vec<ItemSet> =
            candidates.iter().map(|kept| outside(self.back, self.universe, kept)).collect();
        self.probe.all(&sets)
    }
}
