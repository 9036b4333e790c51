//! What was found out about elements in earlier lists: levels of a tree, rounds of a fixpoint, one pass after another.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Beliefs by the identity of elements, which fade as other elements go.
///
/// That an element was needed is a fact about the list it was in. Once as many other elements are gone as are left, half
/// of the belief is gone, too; and even a fresh one is put to the test again, alone at first: where nothing has changed
/// the cache answers.
#[derive(Debug, Default)]
pub struct Memory {
    known: RefCell<HashMap<u64, Known>>,
    /// How many elements have gone in all lists.
    gone: Cell<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    p: f64,
    /// How many elements had gone when that was found out.
    gone: u64,
}

/// No belief is stronger than this: above a half an element is tried alone, and at 1 it would not be tried at all.
const STRONGEST: f64 = 0.9;

impl Memory {
    /// What is believed of an element of a list of which `left` elements are left, if it was ever in one; at least the
    /// prior.
    pub(crate) fn recall(&self, identity: u64, prior: f64, left: usize) -> Option<f64> {
        let Known { p, gone } = *self.known.borrow().get(&identity)?;
        let since = (self.gone.get() - gone) as f64 / left.max(1) as f64;
        Some((prior + (p - prior) * (-since).exp2()).clamp(prior.min(STRONGEST), STRONGEST))
    }

    /// An element was needed with probability `p` when `gone` elements of this list had gone.
    pub(crate) fn learn(&self, identity: u64, p: f64, gone: u32) {
        let gone = self.gone.get() + u64::from(gone);
        self.known.borrow_mut().insert(identity, Known { p, gone });
    }

    /// A list is done, and so many elements of it are gone.
    pub(crate) fn went(&self, gone: usize) {
        self.gone.set(self.gone.get() + gone as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_belief_halves_when_as_many_elements_went_as_are_left() {
        let memory = Memory::default();
        memory.learn(7, 1.0, 0);
        assert_eq!(memory.recall(8, 0.1, 10), None);
        assert_eq!(memory.recall(7, 0.1, 10), Some(STRONGEST));
        memory.went(10);
        assert!((memory.recall(7, 0.1, 10).unwrap() - 0.55).abs() < 1e-12);
        memory.went(1000);
        assert!((memory.recall(7, 0.1, 10).unwrap() - 0.1).abs() < 1e-12);
        memory.learn(7, 1.0, 3);
        memory.went(3);
        assert_eq!(memory.recall(7, 0.1, 10), Some(STRONGEST), "nothing has gone since");
    }
}
