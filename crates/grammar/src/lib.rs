//! Grammar rules as data: matching children against rules, what may stand where, shortest texts.
