//! List minimisers over abstract elements: the ddmin family and its relatives.
//!
//! Nothing in here knows of text or trees: a minimiser sees numbered elements with weights and asks a
//! [`ListOracle`] about parts of the list. Each one is ordinary sequential code; the candidates of a round are a lazy
//! iterator written as if every earlier one had been boring, so the oracle may look as far ahead as it has workers and
//! the result is the same for every number of them.
//!
//! ```
//! use dwindle_core::Subset;
//! use dwindle_delta::{Options, PredicateList, by_name};
//!
//! let ddmin = by_name("ddmin", &Options::default()).expect("ddmin is there");
//! let mut list = PredicateList::new(|kept: &Subset| kept.contains(1) && kept.contains(3));
//! let kept = ddmin.minimize(&[1; 5], &mut list).expect("there is no limit");
//! assert_eq!(kept.iter().collect::<Vec<_>>(), [1, 3]);
//! assert_eq!((list.queries(), list.hits()), (10, 1));
//! ```

mod algorithm1;
mod cdd;
mod check_model;
mod chunk_length;
mod chunks;
mod cov_probdd;
mod ddmin;
mod gaps;
mod greeddy;
mod halving;
mod lengths;
mod levels;
mod memory;
mod model;
mod natural_list;
mod one_minimal;
mod one_sweep;
mod options;
mod oracle;
mod persistent_probdd;
mod predicate_list;
mod pristine;
mod probdd;
mod registry;
mod rng;
mod rounds;
mod session_list;
mod star;
mod sweep;
mod ties;
mod visit;
mod wdd;
mod wprobdd;

pub use algorithm1::{Algorithm1, ChunkLength};
pub use cdd::Cdd;
pub use check_model::{CheckModel, Evidence, MOST_FAILURES, Row, Unexecuted};
pub use chunk_length::ChunkLengthDdmin;
pub use chunks::{Split, SplitFactor};
pub use cov_probdd::{CovMode, CovProbDd};
pub use ddmin::Ddmin;
pub use gaps::Gaps;
pub use greeddy::Greeddy;
pub use halving::{Halving, Search};
pub use levels::Levels;
pub use memory::Memory;
pub use natural_list::NaturalList;
pub use one_minimal::OneMinimal;
pub use one_sweep::OneSweep;
pub use options::{Options, UnknownWord};
pub use oracle::{ListMinimizer, ListOracle, ListSearch};
pub use persistent_probdd::PersistentProbDd;
pub use predicate_list::{Asked, PredicateList};
pub use pristine::Pristine;
pub use probdd::{Mode, ProbDd};
pub use registry::{Entry, all, by_name, is_one_minimal};
pub use session_list::SessionList;
pub use star::{Fixpoint, Star};
pub use sweep::Sweep;
pub use ties::Ties;
pub use visit::{Direction, LoopOrder, Visit};
pub use wdd::Wdd;
pub use wprobdd::WProbDd;
