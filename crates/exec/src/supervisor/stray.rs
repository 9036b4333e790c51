//! Finding the processes of a test whose supervisor was killed.
//!
//! This is the one case in which they cannot be found by parentage: they were handed on to whoever reaps orphans on
//! this machine. They are known by the environment variable every test gets, and by where they are. It costs a look
//! at every process of the machine, and is only done when a supervisor was lost.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

/// The variable that tells a test's processes from all others: the directory of its slot.
pub(crate) const MARK: &str = "DWINDLE_SLOT";

/// Kills every process that belongs to the slot with this directory, until there is none.
pub(super) fn end_strays(slot: &Path) {
    // What forks while we look is found in the next round; the bound is for what we may not kill.
    for _ in 0..100 {
        let strays: Vec<_> = strays(slot).collect();
        if strays.is_empty() {
            return;
        }
        for pid in strays {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

fn strays(slot: &Path) -> impl Iterator<Item = Pid> {
    let marked = [MARK.as_bytes(), b"=", slot.as_os_str().as_bytes()].concat();
    let slot = slot.to_owned();
    let me = std::process::id().to_string();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter_map(move |entry| {
        let name = entry.file_name();
        let name = name.to_str().filter(|name| *name != me)?;
        let pid = name.parse().ok().and_then(Pid::from_raw)?;
        let process = entry.path();
        // A zombie has neither: it is as good as gone.
        let environ = fs::read(process.join("environ")).unwrap_or_default();
        let is_marked = environ.split(|&byte| byte == 0).any(|variable| variable == marked);
        let is_inside = || fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(&slot));
        (is_marked || is_inside()).then_some(pid)
    })
}
