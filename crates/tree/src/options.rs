//! What a user may set on tree passes. The defaults are those of the publications.

use dwindle_delta::{ListMinimizer, Options as ListOptions, by_name};

use crate::hdd::HddOptions;
use crate::links::LinkOptions;
use crate::perses::PersesOptions;
use crate::rules::RulesOptions;
use crate::slicer::SlicerOptions;
use crate::tpdd::TpddOptions;
use crate::vulcan::VulcanOptions;

/// What tree passes are to do; each family takes what it knows.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The list minimiser inside, by name; `None` is the one of the publication.
    pub list_minimizer: Option<String>,
    /// The parameters of the list minimiser.
    pub list: ListOptions,
    /// Decides all that is random.
    pub seed: u64,
    /// HDD and hoisting.
    pub hdd: HddOptions,
    /// Definitions and their uses.
    pub links: LinkOptions,
    /// Perses.
    pub perses: PersesOptions,
    /// Rewrite rules.
    pub rules: RulesOptions,
    /// Slicers.
    pub slicer: SlicerOptions,
    /// T-PDD.
    pub tpdd: TpddOptions,
    /// Vulcan.
    pub vulcan: VulcanOptions,
}

impl Options {
    /// The list minimiser that the user wants, or else the one of the publication.
    ///
    /// # Panics
    /// If there is none of that name: [`Options::list_minimizer`] is checked where it is set.
    #[must_use]
    pub fn minimizer(&self, published: &str) -> Box<dyn ListMinimizer> {
        let name = self.list_minimizer.as_deref().unwrap_or(published);
        by_name(name, &self.list).expect("the name was checked when it was set")
    }
}
