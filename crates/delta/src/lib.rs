//! List minimisers over abstract elements: the ddmin family and its relatives.
//!
//! Nothing in here knows of text or trees: a minimiser sees numbered elements with weights and asks a
//! [`ListOracle`] about parts of the list.

mod chunks;
mod ddmin;
mod greeddy;
mod oracle;
mod predicate_list;
mod rng;
mod rounds;
mod session_list;
mod star;
mod visit;

pub use chunks::{Split, SplitFactor};
pub use ddmin::Ddmin;
pub use greeddy::Greeddy;
pub use oracle::{ListMinimizer, ListOracle};
pub use predicate_list::{Asked, PredicateList};
pub use session_list::SessionList;
pub use star::{Fixpoint, Star};
pub use visit::{Direction, LoopOrder, Visit};
