//! The strategies by name: one call from a model and a probe to a result.

use std::fmt;
use std::str::FromStr;

use dwindle_core::Stop;

use crate::baseline::{Ddmin, Linear, ListReducer, over_family, over_items, over_valid_items};
use crate::binary::binary_reduction;
use crate::gbr::{Gbr, Reduction};
use crate::graph::Lossy;
use crate::model::Model;
use crate::probe::Probe;
use crate::search::Probing;
use crate::set::ItemSet;

/// A way to reduce the items of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Generalized binary reduction with these options.
    Gbr(Gbr),
    /// Binary reduction over the closures of the model, clauses that are no edges being forced into one.
    Binary(Lossy, Probing),
    /// A list reducer over the same closures.
    Closure(Lossy),
    /// One closure after the other, the largest first.
    Linear(Lossy),
    /// A list reducer over the items; sets the model does not allow are not tested.
    Verify,
    /// A list reducer over the items, the model being ignored.
    Ddmin,
}

impl Default for Strategy {
    fn default() -> Self {
        Strategy::Gbr(Gbr::default())
    }
}

/// Names as typed on the command line, with what they mean and in a few words.
const NAMED: [(&str, Strategy, &str); 10] = [
    (
        "gbr",
        Strategy::Gbr(Gbr {
            first: crate::first::FirstSet::Minimal,
            probing: Probing::Binary,
            closing: false,
            wide_rounds: 0,
        }),
        "generalized binary reduction with minimal first sets (default)",
    ),
    (
        "gbr-published",
        Strategy::Gbr(Gbr {
            first: crate::first::FirstSet::Closure,
            probing: Probing::Faithful,
            closing: false,
            wide_rounds: 0,
        }),
        "the same as published, probes of known outcome included",
    ),
    (
        "gbr-lightest",
        Strategy::Gbr(Gbr {
            first: crate::first::FirstSet::Lightest,
            probing: Probing::Binary,
            closing: false,
            wide_rounds: 0,
        }),
        "the same, preferring light items where there is a choice",
    ),
    (
        "gbr-optimal",
        Strategy::Gbr(Gbr {
            first: crate::first::FirstSet::Lightest,
            probing: Probing::Binary,
            closing: false,
            wide_rounds: 50,
        }),
        "the same, looking for the lightest set of all for up to 50 rounds",
    ),
    (
        "binary",
        Strategy::Binary(Lossy::First, Probing::Binary),
        "binary reduction over closures (lossy-first)",
    ),
    (
        "lossy-last",
        Strategy::Binary(Lossy::Last, Probing::Binary),
        "the same, other clauses by their last edge",
    ),
    ("closure", Strategy::Closure(Lossy::First), "delta debugging over closures"),
    ("linear", Strategy::Linear(Lossy::First), "one closure after the other"),
    ("verify", Strategy::Verify, "delta debugging over items, valid sets only"),
    ("ddmin", Strategy::Ddmin, "delta debugging over items, model ignored"),
];

/// No strategy has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStrategy(String);

impl std::error::Error for UnknownStrategy {}

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = NAMED.iter().map(|(name, ..)| *name).collect();
        write!(f, "there is no strategy `{}`; choose one of {}", self.0, names.join(", "))
    }
}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        let name = if name == "lossy-first" { "binary" } else { name };
        let found = NAMED.iter().find(|(known, ..)| *known == name);
        found.map(|(_, strategy, _)| *strategy).ok_or_else(|| UnknownStrategy(name.to_owned()))
    }
}

impl Strategy {
    /// All named strategies, each with a few words.
    pub fn named() -> impl Iterator<Item = (&'static str, Strategy, &'static str)> {
        NAMED.into_iter()
    }

    /// Reduces all items of a model, which are taken to be interesting. List strategies use delta debugging.
    ///
    /// # Errors
    /// If the probe says stop.
    pub fn reduce(self, model: &Model, probe: &mut dyn Probe) -> Result<Reduction, Stop> {
        self.reduce_with(model, &mut Ddmin, probe)
    }

    /// The same with another list reducer for the list strategies.
    ///
    /// # Errors
    /// If the probe says stop.
    pub fn reduce_with(
        self,
        model: &Model,
        list: &mut dyn ListReducer,
        probe: &mut dyn Probe,
    ) -> Result<Reduction, Stop> {
        let cost = |_: &[usize], union: &ItemSet| model.items().weight(union);
        match self {
            Strategy::Gbr(gbr) => gbr.reduce(model, probe),
            Strategy::Binary(lossy, probing) => {
                let closures = lossy.closures(model);
                let kept = binary_reduction(&closures.base, &closures.family, &cost, probing, probe)?;
                Ok(Reduction::plain(kept, model.is_graph()))
            }
            Strategy::Closure(lossy) => {
                let closures = lossy.closures(model);
                over_family(&closures.base, &closures.family, list, probe)
                    .map(|kept| Reduction::plain(kept, false))
            }
            Strategy::Linear(lossy) => {
                let closures = lossy.closures(model);
                let kept = over_family(&closures.base, &closures.family, &mut Linear, probe)?;
                Ok(Reduction::plain(kept, false))
            }
            Strategy::Verify => {
                over_valid_items(model, list, probe).map(|kept| Reduction::plain(kept, false))
            }
            Strategy::Ddmin => {
                over_items(model.items().len(), list, probe).map(|kept| Reduction::plain(kept, false))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_strategy_is_found_by_its_name() {
        for (name, strategy, _) in Strategy::named() {
            assert_eq!(name.parse(), Ok(strategy));
        }
        assert_eq!("gbr".parse(), Ok(Strategy::default()));
        let message = "grb".parse::<Strategy>().unwrap_err().to_string();
        assert!(message.contains("choose one of gbr,"), "{message}");
    }
}
