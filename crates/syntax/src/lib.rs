//! Languages, parsing, quantified trees, edits and rendering.
