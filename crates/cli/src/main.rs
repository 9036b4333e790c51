//! The `dwindle` command.

use std::process::ExitCode;

mod app;

fn main() -> ExitCode {
    // Each worker slot has a supervisor, which is this program started again: it must not get any further than here.
    dwindle_exec::supervisor::run_if_asked();
    app::main().into()
}
