//! The `dwindle` command.

mod app;

fn main() {}
