//! The tree presets, passes and their parameters, by name. Each family lists its own.

use std::rc::Rc;

use dwindle_core::{Pass, Step};

use crate::options::Options;
use crate::sources::Sources;

/// A pipeline that can be chosen by name.
pub struct Preset {
    /// What it is called.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Over what its result is 1-minimal, if it promises that.
    pub minimal_over: Option<&'static str>,
    /// Its steps.
    pub(crate) build: fn(&Options, &Rc<Sources>) -> Vec<Step>,
}

impl Preset {
    /// The steps, as the options want them.
    #[must_use]
    pub fn build(&self, options: &Options, sources: &Rc<Sources>) -> Vec<Step> {
        (self.build)(options, sources)
    }
}

/// A pass that can be chosen by name.
pub struct NamedPass {
    /// What it is called.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// The pass.
    pub(crate) build: fn(&Options, &Rc<Sources>) -> Box<dyn Pass>,
}

impl NamedPass {
    /// The pass, as the options want it.
    #[must_use]
    pub fn build(&self, options: &Options, sources: &Rc<Sources>) -> Box<dyn Pass> {
        (self.build)(options, sources)
    }
}

/// A number or word that a user can set: `NAME=VALUE`.
pub struct Parameter {
    /// What it is called: family, dot, name.
    pub name: &'static str,
    /// What it does, its values and its default, in a line.
    pub about: &'static str,
    /// Takes the value into the options, or says what values there are.
    pub(crate) set: fn(&mut Options, &str) -> Result<(), String>,
}

/// What a family of algorithms has on offer.
pub(crate) struct Family {
    pub(crate) presets: &'static [Preset],
    pub(crate) passes: &'static [NamedPass],
    pub(crate) parameters: &'static [Parameter],
}

/// All families, in the order in which they are listed. A new one goes in here.
#[rustfmt::skip] // one a line: families come and go on their own
const FAMILIES: &[&Family] = &[
    &crate::convert::FAMILY,
    &crate::hdd::FAMILY,
    &crate::links::FAMILY,
    &crate::perses::FAMILY,
    &crate::rewrite::FAMILY,
    &crate::rules::FAMILY,
    &crate::slicer::FAMILY,
    &crate::tpdd::FAMILY,
    &crate::vulcan::FAMILY,
];

/// All tree presets.
pub fn presets() -> impl Iterator<Item = &'static Preset> {
    FAMILIES.iter().flat_map(|family| family.presets)
}

/// All tree passes.
pub fn passes() -> impl Iterator<Item = &'static NamedPass> {
    FAMILIES.iter().flat_map(|family| family.passes)
}

/// All parameters.
pub fn parameters() -> impl Iterator<Item = &'static Parameter> {
    FAMILIES.iter().flat_map(|family| family.parameters)
}

/// Sets a parameter from `NAME=VALUE`.
///
/// # Errors
/// With a message for the user if there is no such parameter, or it has no such value.
pub fn set(options: &mut Options, assignment: &str) -> Result<(), String> {
    let (name, value) =
        assignment.split_once('=').ok_or_else(|| format!("`{assignment}` is not NAME=VALUE"))?;
    let parameter = parameters()
        .find(|parameter| parameter.name == name)
        .ok_or_else(|| format!("there is no parameter `{name}`: `dwindle passes` lists them"))?;
    (parameter.set)(options, value).map_err(|problem| format!("{name}: {problem}"))
}

/// Reads a value that has a textual form of its own.
pub(crate) fn value<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|problem| format!("`{text}`: {problem}"))
}
