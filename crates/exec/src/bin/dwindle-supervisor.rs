//! A program that is nothing but a supervisor: for this crate's own tests and for hosts that cannot call the hook.

use std::process::ExitCode;

fn main() -> ExitCode {
    dwindle_exec::supervisor::run_if_asked();
    eprintln!("dwindle-supervisor is started by dwindle, not by hand");
    ExitCode::from(2)
}
