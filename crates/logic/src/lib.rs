//! Linked items under a propositional model: closures, progressions, GBR, binary reduction.
//!
//! Some inputs are sets of things that need each other: packages, features, classes and their members, rows with
//! foreign keys. A [`Model`] says in clauses which sets are valid; the strategies here ask a [`Probe`] about valid sets
//! only. Everything is pure and deterministic: no process, no file, no clock, no thread.
//!
//! ```
//! use dwindle_logic::{Formula, Gbr, ItemSet, Items, ModelBuilder};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let items = Items::named(["app", "tls", "plain", "docs"])?;
//! let [app, tls, plain] = ["app", "tls", "plain"].map(|name| items.find(name).unwrap());
//! let mut model = ModelBuilder::new(items);
//! model.rule(&Formula::item(app).implies(Formula::any([tls, plain].map(Formula::item))), "some transport");
//! let model = model.finish()?;
//!
//! let mut still_fails = |kept: &ItemSet| kept.contains(app);
//! let result = Gbr::default().reduce(&model, &mut still_fails)?;
//! assert_eq!(result.kept.len(), 2);
//! # Ok(())
//! # }
//! ```

mod baseline;
mod binary;
mod clause;
mod closing;
mod cnf;
mod engine;
mod explain;
mod first;
pub mod format;
mod formula;
mod gbr;
mod graph;
mod item;
mod local;
mod model;
mod order;
mod probe;
mod progression;
mod render;
mod search;
mod session;
mod set;
mod solve;
mod strategy;
pub mod triage;

pub use baseline::{Ddmin, Linear, ListReducer, over_family, over_items, over_valid_items};
pub use binary::{Cost, binary_reduction, item_count, member_count};
pub use clause::Clause;
pub use explain::explain;
pub use first::{FirstSet, SEARCH_EFFORT};
pub use formula::{Formula, Var};
pub use gbr::{Gbr, Reduction};
pub use graph::{Closures, Graph, Lossy};
pub use item::{BadItems, Item, ItemId, Items};
pub use model::{BadModel, Model, ModelBuilder, Origin};
pub use order::Order;
pub use probe::{Probe, Tracker};
pub use progression::Progression;
pub use render::{Kept, Rendering};
pub use search::Probing;
pub use session::{Lessons, LogicPass, SessionProbe};
pub use set::ItemSet;
pub use strategy::{Strategy, UnknownStrategy};

#[doc(no_inline)]
pub use dwindle_core::Stop;
