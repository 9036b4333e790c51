//! The algorithms by name, and what can be set on them.

use std::rc::Rc;

use dwindle_core::Step;

use crate::options::Options;
use crate::registry::{Family, NamedPass, Parameter, Preset, value};
use crate::sources::Sources;

use super::options::{Compatibility, Lists, switch};
use super::pass::{pass, steps};
use super::walk::Phase;

const PRUNE: Phase = Phase { recursive: false, prune: true, hoist: false, coarse: false, star: false };
const HOIST: Phase = Phase { prune: false, hoist: true, ..PRUNE };
const BOTH: Phase = Phase { hoist: true, ..PRUNE };

const fn r(phase: Phase) -> Phase {
    Phase { recursive: true, ..phase }
}

const fn coarse(phase: Phase) -> Phase {
    Phase { coarse: true, ..phase }
}

const fn star(phase: Phase) -> Phase {
    Phase { star: true, ..phase }
}

/// The hoisting before a coarse phase: the published figures were measured without the filter of the definition.
fn before_coarse(phase: Phase, options: &Options) -> Phase {
    Phase { coarse: options.hdd.filtered, ..phase }
}

/// A preset of one phase.
macro_rules! one {
    ($name:literal, $phase:expr, $minimal:expr, $about:literal) => {
        Preset {
            name: $name,
            about: $about,
            minimal_over: $minimal,
            build: |options, sources| steps($name, vec![$phase], "ddmin", options, sources),
        }
    };
}

/// A preset that hoists first.
macro_rules! two {
    ($name:literal, $hoist:expr, $phase:expr, $minimal:expr, $about:literal) => {
        Preset {
            name: $name,
            about: $about,
            minimal_over: $minimal,
            build: |options, sources| steps($name, vec![$hoist, $phase], "ddmin", options, sources),
        }
    };
}

/// The same before a coarse phase.
macro_rules! two_coarse {
    ($name:literal, $hoist:expr, $phase:expr, $about:literal) => {
        Preset {
            name: $name,
            about: $about,
            minimal_over: None,
            build: |options, sources| {
                let phases = vec![before_coarse($hoist, options), coarse($phase)];
                steps($name, phases, "ddmin", options, sources)
            },
        }
    };
}

/// A preset with ProbDD inside.
macro_rules! probabilistic {
    ($name:literal, $phase:expr, $about:literal) => {
        Preset {
            name: $name,
            about: $about,
            minimal_over: None,
            build: |options, sources| steps($name, vec![$phase], "probdd", options, sources),
        }
    };
}

/// A pass: one phase, once.
macro_rules! named {
    ($name:literal, $phase:expr, $about:literal) => {
        NamedPass {
            name: $name,
            about: $about,
            build: |options, sources| pass($name, vec![$phase], "ddmin", options, sources),
        }
    };
}

/// A parameter: its field and what reads it.
macro_rules! parameter {
    ($name:literal, $options:ident => $field:expr, $read:expr, $about:literal) => {
        Parameter {
            name: $name,
            about: $about,
            set: |$options, word| {
                $field = $read(word)?;
                Ok(())
            },
        }
    };
}

const TREE: Option<&str> = Some("tree node");

const PRESETS: &[Preset] = &[
    one!("hdd", PRUNE, None, "prune level by level, once (HDD)"),
    one!("hdd-star", star(PRUNE), TREE, "prune level by level, to a fixpoint (HDD*)"),
    one!("hddr", r(PRUNE), None, "prune siblings, depth first, once (HDDr)"),
    one!("hddr-star", star(r(PRUNE)), TREE, "prune siblings, depth first, to a fixpoint (HDDr*)"),
    one!("coarse-hdd", coarse(PRUNE), None, "hdd on what may vanish only"),
    one!("coarse-hdd-star", star(coarse(PRUNE)), None, "hdd-star on what may vanish only"),
    one!("coarse-hddr", coarse(r(PRUNE)), None, "hddr on what may vanish only"),
    one!(
        "coarse-hddr-star",
        star(coarse(r(PRUNE))),
        None,
        "hddr-star on what may vanish only: fewest queries"
    ),
    one!("hddh-star", star(BOTH), TREE, "hdd-star that also hoists on each level (HDDH*)"),
    one!("hddhr-star", star(r(BOTH)), TREE, "hddr-star that also hoists among siblings (HDDHr*)"),
    two!("hoist-hdd-star", star(HOIST), star(PRUNE), TREE, "hoist to a fixpoint, then hdd-star"),
    two!("hoistr-hddr-star", star(r(HOIST)), star(r(PRUNE)), TREE, "the same among siblings, then hddr-star"),
    two!("hoist-hddh-star", star(HOIST), star(BOTH), TREE, "hoist to a fixpoint, then hddh-star"),
    two!(
        "hoistr-hddhr-star",
        star(r(HOIST)),
        star(r(BOTH)),
        TREE,
        "the same among siblings, then hddhr-star"
    ),
    two_coarse!("coarse-hoist-hdd-star", star(HOIST), star(PRUNE), "hoist, then coarse-hdd-star"),
    one!("coarse-hddh-star", star(coarse(BOTH)), None, "hddh-star on what may vanish only"),
    two_coarse!("coarse-hoist-hddh-star", star(HOIST), star(BOTH), "hoist, then coarse-hddh-star"),
    two_coarse!("coarse-hoistr-hddr-star", star(r(HOIST)), star(r(PRUNE)), "hoist, then coarse-hddr-star"),
    one!("coarse-hddhr-star", star(coarse(r(BOTH))), None, "hddhr-star on what may vanish only"),
    two_coarse!("coarse-hoistr-hddhr-star", star(r(HOIST)), star(r(BOTH)), "hoist, then coarse-hddhr-star"),
    probabilistic!("p-hdd", PRUNE, "hdd with probdd inside"),
    probabilistic!("p-hdd-star", star(PRUNE), "hdd-star with probdd inside"),
    probabilistic!("p-hddr-star", star(r(PRUNE)), "hddr-star with probdd inside"),
    Preset {
        name: "hddhr-plus",
        about: "hddhr-star with our repairs: separators, hoisting by grammar, several at once, parsed again",
        minimal_over: TREE,
        build: plus,
    },
];

/// `hddhr-star` with what we know better.
fn plus(options: &Options, sources: &Rc<Sources>) -> Vec<Step> {
    let mut better = options.clone();
    better.hdd.lists = Lists::Separators;
    better.hdd.compatible = Compatibility::Grammar;
    better.hdd.several = true;
    better.hdd.reparse = true;
    steps("hddhr-plus", vec![star(r(BOTH))], "ddmin", &better, sources)
}

pub(crate) const FAMILY: Family = Family {
    presets: PRESETS,
    passes: &[
        named!("hdd", PRUNE, "prune the syntax tree level by level"),
        named!("hddr", r(PRUNE), "prune the syntax tree from siblings to siblings"),
        named!("hoist", HOIST, "put descendants in the place of nodes, level by level"),
        named!("hoistr", r(HOIST), "put descendants in the place of nodes, from siblings to siblings"),
        named!("hddh", BOTH, "prune, then hoist, level by level"),
        named!("hddhr", r(BOTH), "prune, then hoist, from siblings to siblings"),
        named!("coarse-hdd", coarse(PRUNE), "hdd on what may vanish only"),
        named!("coarse-hddr", coarse(r(PRUNE)), "hddr on what may vanish only"),
    ],
    parameters: &[
        parameter!("hdd.flatten", options => options.hdd.preparation.flatten, switch, "read recursion as repetition: on, off (on)"),
        parameter!("hdd.squeeze", options => options.hdd.preparation.squeeze, switch, "put nodes with one child and the same minimal text together: on, off (on)"),
        parameter!("hdd.hide", options => options.hdd.preparation.hide, switch, "do not ask about nodes that would print the same: on, off (on)"),
        parameter!("hdd.lists", options => options.hdd.lists, value, "lists with separators: published (the first element stays), separators (published)"),
        parameter!("hdd.traversal", options => options.hdd.traversal, value, "order of the recursive forms: depth-last, depth-first, breadth-first, breadth-last (depth-last)"),
        parameter!("hdd.reparse", options => options.hdd.reparse, switch, "parse the result again and begin anew until nothing changes: on, off (off)"),
        parameter!("hoist.compatible", options => options.hdd.compatible, value, "what may be hoisted: label (the same), grammar (what it allows there) (label)"),
        parameter!("hoist.several", options => options.hdd.several, switch, "hoist several descendants in one test: on, off (off)"),
        parameter!("hoist.filtered", options => options.hdd.filtered, switch, "hoisting before a coarse phase is coarse too, as defined but not as measured: on, off (off)"),
    ],
};
