//! Reducing text without a grammar: lines, characters, tokens, brackets.
