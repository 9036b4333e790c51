//! Ctrl-C: once to stop and keep the best, twice to end at once.

use anyhow::{Context, Result};
use dwindle::core::Cancel;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::exit::Exit;

/// Raises `interrupt` on the first signal and ends the process on the second.
pub(crate) fn listen(interrupt: &Cancel) -> Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("signals cannot be caught")?;
    let interrupt = interrupt.clone();
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for _ in signals.forever() {
                if interrupt.is_raised() {
                    std::process::exit(Exit::Interrupted as i32);
                }
                interrupt.raise();
            }
        })
        .context("no thread can be started")?;
    Ok(())
}
