//! Linked items under a propositional model: closures, progressions, GBR, binary reduction.
