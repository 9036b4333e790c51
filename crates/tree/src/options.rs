//! What a user may set on tree passes. The defaults are those of the publications.

use std::fmt;
use std::rc::Rc;

use dwindle_core::{Stop, Subset};
use dwindle_delta::{ListMinimizer, ListOracle, Options as ListOptions, by_name};

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
    /// Told of every list that is handed to the minimiser.
    pub watch: Option<Watch>,
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
        let minimizer = by_name(name, &self.list).expect("the name was checked when it was set");
        match &self.watch {
            None => minimizer,
            Some(watch) => Box::new(Watched { minimizer, watch: watch.clone() }),
        }
    }
}

/// Told when a list minimiser begins, with the number of elements, and when it is through, with what is left of them.
#[derive(Clone)]
pub struct Watch(Rc<dyn Fn(usize, Option<usize>)>);

impl Watch {
    /// Calls `told` with the elements of a list, first alone and then with the elements that are left.
    pub fn new(told: impl Fn(usize, Option<usize>) + 'static) -> Self {
        Watch(Rc::new(told))
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

struct Watched {
    minimizer: Box<dyn ListMinimizer>,
    watch: Watch,
}

impl ListMinimizer for Watched {
    fn minimize_from(
        &self,
        start: Subset,
        weights: &[u64],
        oracle: &mut dyn ListOracle,
    ) -> Result<Subset, Stop> {
        let elements = start.len();
        (self.watch.0)(elements, None);
        let left = self.minimizer.minimize_from(start, weights, oracle)?;
        (self.watch.0)(elements, Some(left.len()));
        Ok(left)
    }
}
