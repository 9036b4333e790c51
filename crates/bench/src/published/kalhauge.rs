//! Linked items: the example program and its model, the seventeen classes, easiness, and strategies on random graphs.

use anyhow::{Context, Result};
use dwindle_logic::triage::{Answer, Confusion, Thresholds, Tool, Truth, Verdict, easiness, judge};
use dwindle_logic::{
    Ddmin, Formula, Gbr, Graph, ItemId, ItemSet, Items, Lossy, Model, ModelBuilder, Origin, Probe, Probing,
    Tracker, binary_reduction, item_count, member_count, over_family, over_items, over_valid_items,
};

use super::Figure;
use crate::formulas;
use crate::stats::geometric_mean;

pub(super) fn figures(synthetic: bool) -> Result<Vec<Figure>> {
    let mut figures = easiness_tables();
    figures.extend(classes()?);
    figures.extend(program()?);
    if synthetic {
        figures.extend(strategies()?);
    }
    Ok(figures)
}

/// Which of the tools W, D, P, S contain the first lost method, and how many programs are bugs, features, unknown.
const TABLE_2_5: [(&str, [usize; 3]); 15] = [
    ("WDP", [52, 0, 0]),
    ("WDS", [229, 0, 56]),
    ("WD", [0, 0, 39]),
    ("WPS", [0, 0, 0]),
    ("WP", [0, 0, 0]),
    ("WS", [0, 0, 3]),
    ("W", [0, 1, 0]),
    ("DPS", [402, 17, 0]),
    ("DP", [8, 0, 0]),
    ("DS", [2, 2, 35]),
    ("D", [4, 0, 22]),
    ("PS", [0, 0, 0]),
    ("P", [0, 0, 0]),
    ("S", [1, 2, 0]),
    ("", [12, 140, 4]),
];

fn easiness_tables() -> Vec<Figure> {
    let tools = ["W", "D", "P", "S"].map(Tool::new);
    let mut confusion = Confusion::default();
    for (coping, counts) in TABLE_2_5 {
        let answers = tools.each_ref().map(|tool| {
            if coping.contains(tool.name.as_str()) { Answer::Sound } else { Answer::Unsound(None) }
        });
        let thresholds = Thresholds { bug: 0.75, feature: 0.25 };
        let verdict = judge(easiness(&tools, &answers), true, thresholds);
        for (truth, count) in [Truth::Bug, Truth::Feature, Truth::Unknown].into_iter().zip(counts) {
            confusion.add(verdict, truth, count);
        }
    }
    let row = |verdict: Verdict| confusion.of(verdict).map(|count| count.to_string()).join("/");
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    vec![
        Figure::printed(
            "Table 2.6: bugs/features/unknown called bug; feature; neither",
            "683/17/56; 12/140/4; 15/5/99",
            [Verdict::Bug, Verdict::Feature, Verdict::Unknown].map(row).join("; "),
        ),
        Figure::printed(
            "Table 2.7: precision and recall of bugs; of features",
            "90.3 %, 78.6 %; 89.7 %, 43.6 %",
            [Truth::Bug, Truth::Feature]
                .map(|truth| {
                    format!("{}, {}", percent(confusion.precision(truth)), percent(confusion.recall(truth)))
                })
                .join("; "),
        ),
    ]
}

/// The seventeen classes: any graph with the published closures.
const EDGES: [(usize, usize); 19] = [
    (1, 2),
    (1, 4),
    (2, 1),
    (3, 1),
    (4, 7),
    (5, 6),
    (5, 3),
    (6, 5),
    (8, 11),
    (8, 7),
    (11, 12),
    (12, 9),
    (9, 10),
    (10, 14),
    (14, 13),
    (13, 8),
    (15, 16),
    (15, 8),
    (16, 15),
];

fn set(classes: impl IntoIterator<Item = usize>) -> ItemSet {
    ItemSet::of(17, classes.into_iter().map(ItemId::new))
}

/// Calls of the test and classes left.
fn asked(
    bug: &[usize],
    strategy: impl FnOnce(&mut dyn Probe) -> Result<ItemSet, dwindle_core::Stop>,
) -> Result<String> {
    let needed = set(bug.iter().copied());
    let mut probe = |kept: &ItemSet| needed.is_subset(kept);
    let items = Items::named((0..17).map(|class| class.to_string()))?;
    let mut tracker = Tracker::new(&mut probe, &items);
    let kept = strategy(&mut tracker)?;
    Ok(format!("{} → {}", tracker.calls().len(), kept.len()))
}

fn classes() -> Result<Vec<Figure>> {
    let mut builder = ModelBuilder::new(Items::named((0..17).map(|class| class.to_string()))?);
    for (from, to) in EDGES {
        builder.need(ItemId::new(from), ItemId::new(to), Origin::Line(1));
    }
    let model = builder.finish()?;
    // Smallest first; as published, S7 before S8.
    let by_size = [
        set([7]),
        set([0]),
        set([4, 7]),
        set([1, 2, 4, 7]),
        set([1, 2, 3, 4, 7]),
        set(1..8),
        set(7..15),
        set(7..17),
    ];
    let published: Vec<ItemSet> = by_size.iter().rev().cloned().collect();
    // S1 to S8 are the largest first, but {7} is S7 and {0} is S8.
    let mut family = published;
    family.swap(6, 7);
    let mut closures = Graph::new(17, EDGES).closures();
    let (mut sorted, none) = (by_size.to_vec(), set([]));
    sorted.sort();
    closures.sort();
    let binary = |bug: &[usize], cost, probing| {
        asked(bug, |probe| binary_reduction(&none, &family, cost, probing, probe))
    };
    let plain = asked(&[1], |probe| {
        let mut valid =
            |kept: &ItemSet| -> bool { model.allows(kept) && matches!(probe.test(kept), Ok(true)) };
        over_items(17, &mut Ddmin, &mut valid)
    })?;
    Ok(vec![
        Figure::printed(
            "Seventeen classes: distinct closures",
            "S1 to S8",
            if closures == sorted { "S1 to S8" } else { "others" },
        ),
        Figure::printed("ddmin, class 1 needed: closed sets it meets → classes left", "5 → 14", plain),
        Figure::printed(
            "verify: calls → classes left",
            "5 → 14",
            asked(&[1], |probe| over_valid_items(&model, &mut Ddmin, probe))?,
        ),
        Figure::printed(
            "closure, S1 to S8: calls → classes left",
            "4 → 7",
            asked(&[1], |probe| over_family(&none, &family, &mut Ddmin, probe))?,
        ),
        Figure::printed(
            "closure, by size: calls → classes left",
            "5 → 4",
            asked(&[1], |probe| over_family(&none, &by_size, &mut Ddmin, probe))?,
        ),
        Figure::derived(
            "closure, by size, classes 1 and 12 needed (the figure leaves a repeated call out)",
            "16 → 16",
            asked(&[1, 12], |probe| over_family(&none, &by_size, &mut Ddmin, probe))?,
        ),
        Figure::printed(
            "binary, by number of closures: calls → classes left",
            "6 → 7",
            binary(&[1], &member_count, Probing::Faithful)?,
        ),
        Figure::printed(
            "binary, by size of the union: calls → classes left",
            "6 → 4",
            binary(&[1], &item_count, Probing::Faithful)?,
        ),
        Figure::printed(
            "the same, classes 1 and 12 needed",
            "9 → 11",
            binary(&[1, 12], &item_count, Probing::Faithful)?,
        ),
    ])
}

const NAMES: [&str; 20] = [
    "A", "A.m", "A.m!", "A.n", "A.n!", "A<I", "B", "B.m", "B.m!", "B.n", "B.n!", "B<I", "I", "I.m", "I.n",
    "M", "M.x", "M.x!", "M.main", "M.main!",
];

/// The clauses of the example program; the last one is the required item.
const CLAUSES: &str = "
    A<I => A; A<I => I; A.n => A; A.n => B; A.n! => A.n; A.m => A; A.m! => A.m; A<I & I.n => A.n; A<I & I.m => A.m;
    B<I => B; B<I => I; B.n => B; B.n! => B.n; B.m => B; B.m! => B.m; B<I & I.n => B.n; B<I & I.m => B.m;
    I.m => I; I.n => I; I.n => B;
    M.x => M; M.x => I; M.x! => M.x; M.x! => I.m; M.x! => I;
    M.main => M; M.main! => M.main; M.main! => M; M.main! => M.x; M.main! => A; M.main! => A<I;
    => M.main!";

fn example(required: bool) -> Result<Model> {
    let items = Items::named(NAMES)?;
    let mut builder = ModelBuilder::new(items.clone());
    for text in CLAUSES.split(';') {
        let (needs, gives) = text.split_once("=>").context("a clause has an arrow")?;
        let needs: Vec<_> = needs.split('&').map(str::trim).filter(|name| !name.is_empty()).collect();
        if needs.is_empty() && !required {
            continue;
        }
        let item = |name: &str| items.find(name.trim()).map(Formula::item).context("a listed name");
        let premise: Result<Vec<_>> = needs.into_iter().map(item).collect();
        builder.rule(&Formula::all(premise?).implies(item(gives)?), text.trim());
    }
    Ok(builder.finish()?)
}

/// How many sets of items a model allows, by trying all.
fn models(model: &Model) -> usize {
    let mask = |vars: &[dwindle_logic::Var]| vars.iter().fold(0u32, |bits, var| bits | 1 << var.index());
    let masks: Vec<_> =
        model.clauses().iter().map(|clause| (mask(clause.needs()), mask(clause.gives()))).collect();
    let holds = |bits: &u32| masks.iter().all(|(needs, gives)| bits & needs != *needs || bits & gives != 0);
    (0..1u32 << model.vars()).filter(holds).count()
}

fn program() -> Result<Vec<Figure>> {
    let (model, free) = (example(true)?, example(false)?);
    let bug = model.items().set(["A.m!", "M.x!", "M.main!"]).context("listed names")?;
    let run = |reduce: &dyn Fn(&mut dyn Probe) -> Result<ItemSet, dwindle_core::Stop>| {
        let mut sizes: Vec<usize> = Vec::new();
        let kept = reduce(&mut |kept: &ItemSet| {
            sizes.push(kept.len());
            bug.is_subset(kept)
        })?;
        anyhow::Ok((sizes, kept.len()))
    };
    let gbr = |gbr: Gbr| run(&|probe| gbr.reduce(&model, probe).map(|reduced| reduced.kept));
    let lossy = |lossy: Lossy| {
        let closures = lossy.closures(&model);
        run(&|probe| {
            binary_reduction(&closures.base, &closures.family, &item_count, Probing::Faithful, probe)
        })
    };
    let (sizes, left) = gbr(Gbr::published())?;
    let (known, same) = gbr(Gbr { probing: Probing::Binary, ..Gbr::published() })?;
    let list = |sizes: &[usize]| sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    Ok(vec![
        Figure::printed(
            "FJI example: variables, clauses",
            "20, 32",
            format!("{}, {}", model.vars(), free.clauses().len() + 1),
        ),
        Figure::printed("FJI example: models (without the required item)", "6766", models(&free).to_string()),
        Figure::derived("FJI example: models with the required item", "543", models(&model).to_string()),
        Figure::printed(
            "FJI example: calls of GBR → variables left",
            "11 → 11",
            format!("{} → {left}", sizes.len()),
        ),
        Figure::derived(
            "FJI example: variables of the candidates of GBR",
            "7, 14, 17, 19, 20, 9, 15, 18, 19, 20, 11",
            list(&sizes),
        ),
        Figure::derived(
            "FJI example: the same without the two probes of known outcome",
            "9 → 11",
            format!("{} → {same}", known.len()),
        ),
        Figure::derived(
            "FJI example: variables left by lossy first, lossy last",
            "13, 13",
            format!("{}, {}", lossy(Lossy::First)?.1, lossy(Lossy::Last)?.1),
        ),
    ])
}

/// Chapters 3 and 4 on random models of the published sizes.
fn strategies() -> Result<Vec<Figure>> {
    let percent = |values: &[f64]| format!("{:.1} %", 100.0 * geometric_mean(values).unwrap_or(0.0));
    let mut figures = Vec::new();
    // Chapter 3: 171 classes (the median), 3.6 edges each.
    for (name, published) in
        [("binary", "25.7 %"), ("closure", "29.8 %"), ("verify", "42.6 %"), ("ddmin", "31.9 %, mostly cut")]
    {
        let cells = formulas::sample(name, 171..191, 3.6, 0, 3)?;
        let sizes: Vec<f64> = cells.iter().map(|cell| cell.items).collect();
        let calls: Vec<f64> = cells.iter().map(|cell| cell.calls).collect();
        figures.push(Figure::synthetic(
            format!(
                "Table 3.1: classes left by `{name}` (ours: 20 random graphs, with the mean number of calls)"
            ),
            published,
            format!("{}, {:.0} calls", percent(&sizes), geometric_mean(&calls).unwrap_or(0.0)),
        ));
    }
    // Chapter 4: 2,900 items, 3 clauses each, 1 in 40 no edge.
    for (name, published) in [
        ("gbr-published", "4.55 %, 57.8 calls"),
        ("gbr", "–"),
        ("binary", "4.80 %, 60.1 calls (lossy first)"),
        ("lossy-last", "4.92 %, 64.0 calls"),
    ] {
        let cells = formulas::sample(name, 2_900..2_908, 3.0, 25, 4)?;
        let weights: Vec<f64> = cells.iter().map(|cell| cell.weight).collect();
        let calls: Vec<f64> = cells.iter().map(|cell| cell.calls).collect();
        figures.push(Figure::synthetic(
            format!("Chapter 4, companion data: bytes left by `{name}` (ours: 8 random models, by weight)"),
            published,
            format!("{}, {:.1} calls", percent(&weights), geometric_mean(&calls).unwrap_or(0.0)),
        ));
    }
    Ok(figures)
}
