//! Slicers: delete windows of neighbouring tokens or lines, or any node of the tree, whether the grammar knows of it
//! or not. What they find, list reduction along the grammar cannot: a stray half of a construct.

use std::ops::Range;
use std::rc::Rc;

use dwindle_core::{Candidate, Pass, Session, Step, Stop};
use dwindle_syntax::{Marks, NodeId};

use crate::asker::Asker;
use crate::registry::{Family, NamedPass, Parameter, Preset, value};
use crate::source::Source;
use crate::sources::Sources;

/// What slicers are to do.
#[derive(Clone, Debug)]
pub struct SlicerOptions {
    /// The widths of the windows.
    pub windows: Range<usize>,
    /// Whether the widest window comes first.
    pub narrowing: bool,
    /// Whether what is taken must parse; `None` is yes for presets, as published, and no for passes.
    pub parse: Option<bool>,
}

/// Programs of more tokens need not parse for the tree slicer: it takes them apart until they do.
const TREE_MUST_PARSE: usize = 150;

impl Default for SlicerOptions {
    fn default() -> Self {
        SlicerOptions { windows: 1..15, narrowing: false, parse: None }
    }
}

impl SlicerOptions {
    /// The widths of the windows, in the order in which they are tried.
    fn widths(&self) -> Vec<usize> {
        if self.narrowing { self.windows.clone().rev().collect() } else { self.windows.clone().collect() }
    }
}

pub(crate) const FAMILY: Family = Family {
    presets: &[
        Preset {
            name: "token-slicer",
            about: "delete windows of 1 to 14 neighbouring tokens, from the end, to a fixpoint",
            minimal_over: None,
            build: |options, sources| {
                vec![Step::Fixpoint(vec![Step::Pass(token_slicer(&options.slicer, true, sources))])]
            },
        },
        Preset {
            name: "line-slicer",
            about: "delete windows of 1 to 14 neighbouring lines, from the end, to a fixpoint",
            minimal_over: None,
            build: |options, sources| {
                vec![Step::Fixpoint(vec![Step::Pass(line_slicer(&options.slicer, true, sources))])]
            },
        },
        Preset {
            name: "tree-slicer",
            about: "delete any node of the syntax tree, level by level from the top, to a fixpoint",
            minimal_over: None,
            build: |options, sources| {
                vec![Step::Fixpoint(vec![Step::Pass(tree_slicer(&options.slicer, true, sources))])]
            },
        },
    ],
    passes: &[
        NamedPass {
            name: "token-slicer",
            about: "delete windows of neighbouring tokens",
            build: |options, sources| token_slicer(&options.slicer, false, sources),
        },
        NamedPass {
            name: "line-slicer",
            about: "delete windows of neighbouring lines, cut between tokens",
            build: |options, sources| line_slicer(&options.slicer, false, sources),
        },
        NamedPass {
            name: "tree-slicer",
            about: "delete any node of the syntax tree",
            build: |options, sources| tree_slicer(&options.slicer, false, sources),
        },
    ],
    parameters: &[
        Parameter {
            name: "slicer.widest",
            about: "the widest window of the token and line slicers, in tokens or lines (14)",
            set: |options, text| {
                options.slicer.windows = 1..value::<usize>(text)?.max(1) + 1;
                Ok(())
            },
        },
        Parameter {
            name: "slicer.narrowing",
            about: "begin with the widest window: true or false (false)",
            set: |options, text| {
                options.slicer.narrowing = value(text)?;
                Ok(())
            },
        },
        Parameter {
            name: "slicer.parse",
            about: "take only what parses: true or false (true for presets, false for passes)",
            set: |options, text| {
                options.slicer.parse = Some(value(text)?);
                Ok(())
            },
        },
    ],
};

fn token_slicer(options: &SlicerOptions, parse: bool, sources: &Rc<Sources>) -> Box<dyn Pass> {
    Box::new(WindowSlicer {
        name: "token-slicer",
        windows: options.widths(),
        parse: options.parse.unwrap_or(parse),
        units: tokens,
        sources: Rc::clone(sources),
    })
}

fn line_slicer(options: &SlicerOptions, parse: bool, sources: &Rc<Sources>) -> Box<dyn Pass> {
    Box::new(WindowSlicer {
        name: "line-slicer",
        windows: options.widths(),
        parse: options.parse.unwrap_or(parse),
        units: lines,
        sources: Rc::clone(sources),
    })
}

fn tree_slicer(options: &SlicerOptions, parse: bool, sources: &Rc<Sources>) -> Box<dyn Pass> {
    Box::new(TreeSlicer { parse: options.parse.unwrap_or(parse), sources: Rc::clone(sources) })
}

/// Each token on its own; layout goes with the token behind it.
fn tokens(source: &Source) -> Vec<Range<u32>> {
    group(source, |_| true)
}

/// The tokens of each line.
fn lines(source: &Source) -> Vec<Range<u32>> {
    let (tree, lexicon) = (source.tree(), source.lexicon());
    let starts_line = |at: usize| {
        let token = tree.tokens()[at];
        let broken = at > 0 && lexicon.marks(tree.tokens()[at - 1]).has(Marks::BREAK);
        broken || lexicon.trivia(token).contains(&b'\n') || lexicon.marks(token).has(Marks::OWN_LINE)
    };
    group(source, starts_line)
}

/// Cuts the tokens before each that is no layout and of which `starts` says so; layout before it goes along.
fn group(source: &Source, starts: impl Fn(usize) -> bool) -> Vec<Range<u32>> {
    let (tree, lexicon) = (source.tree(), source.lexicon());
    let layout = |at: usize| lexicon.marks(tree.tokens()[at]).is_layout();
    let mut units: Vec<Range<u32>> = Vec::new();
    let mut pending = 0;
    for at in (0..tree.tokens().len()).filter(|at| !layout(*at)) {
        let end = at as u32 + 1;
        match units.last_mut().filter(|_| !starts(at)) {
            Some(unit) => unit.end = end,
            None => units.push(pending..end),
        }
        pending = end;
    }
    units
}

/// Deletes windows of neighbouring units.
struct WindowSlicer {
    name: &'static str,
    windows: Vec<usize>,
    parse: bool,
    units: fn(&Source) -> Vec<Range<u32>>,
    sources: Rc<Sources>,
}

impl Pass for WindowSlicer {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        self.sources.each(session, |source, asker| {
            let mut units = (self.units)(source);
            let mut dropped = Vec::new();
            for width in &self.windows {
                slide(source, asker, &mut units, &mut dropped, *width, self.parse)?;
            }
            Ok(())
        })
    }
}

/// Slides a window over the units that are left, from the end to the start.
fn slide(
    source: &Source,
    asker: &mut Asker<'_, '_>,
    units: &mut Vec<Range<u32>>,
    dropped: &mut Vec<Range<u32>>,
    width: usize,
    parse: bool,
) -> Result<(), Stop> {
    let mut end = units.len();
    while end >= width {
        let starts = (0..=end - width).rev();
        let without = |start: usize| {
            let window = units[start..start + width].iter().cloned();
            source.without(&dropped.iter().cloned().chain(window).collect::<Vec<_>>())
        };
        let taken = |source: &Source, candidate: &Candidate| !parse || source.parses(candidate);
        let Some((won, candidate)) = asker.find_that(starts.clone().map(without), taken)? else { break };
        asker.accept(&candidate)?;
        let start = end - width - won;
        dropped.extend(units.drain(start..start + width));
        *dropped = merged(std::mem::take(dropped));
        end = (start + width - 1).min(units.len());
    }
    Ok(())
}

/// The same runs, neighbours put together.
pub(crate) fn merged(mut runs: Vec<Range<u32>>) -> Vec<Range<u32>> {
    runs.sort_by_key(|run| run.start);
    let mut merged: Vec<Range<u32>> = Vec::with_capacity(runs.len());
    for run in runs {
        match merged.last_mut().filter(|last| last.end >= run.start) {
            Some(last) => last.end = last.end.max(run.end),
            None => merged.push(run),
        }
    }
    merged
}

/// Deletes single nodes, level by level from the top, each level from right to left.
struct TreeSlicer {
    parse: bool,
    sources: Rc<Sources>,
}

impl Pass for TreeSlicer {
    fn name(&self) -> &str {
        "tree-slicer"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        self.sources.each(session, |source, asker| {
            let tree = source.tree();
            let mut order: Vec<NodeId> = Vec::with_capacity(tree.len());
            let mut level = vec![tree.root()];
            while !level.is_empty() {
                order.extend(level.iter().rev());
                level = level.iter().flat_map(|node| tree.children(*node)).collect();
            }
            let mut dropped: Vec<Range<u32>> = Vec::new();
            let mut rest = &order[..];
            loop {
                let gone = |node: &NodeId| {
                    let range = tree.dropped_range(*node);
                    range.is_empty()
                        || dropped.iter().any(|run| run.start <= range.start && range.end <= run.end)
                };
                let asked: Vec<usize> = (0..rest.len()).filter(|at| !gone(&rest[*at])).collect();
                let without = |at: &usize| {
                    let run = tree.dropped_range(rest[*at]);
                    source.without(&dropped.iter().cloned().chain([run]).collect::<Vec<_>>())
                };
                let taken = |source: &Source, candidate: &Candidate| {
                    let small = source.token_count(candidate).is_some_and(|count| count <= TREE_MUST_PARSE);
                    !(self.parse && small) || source.parses(candidate)
                };
                let Some((won, candidate)) = asker.find_that(asked.iter().map(without), taken)? else {
                    return Ok(());
                };
                asker.accept(&candidate)?;
                let won = asked[won];
                dropped.push(tree.dropped_range(rest[won]));
                dropped = merged(dropped);
                rest = &rest[won + 1..];
            }
        })
    }
}
