//! Ending everything a test has started, wherever it went.
//!
//! The supervisor is a subreaper: whoever loses its parent below it becomes its child. So as long as there is any
//! descendant there is a child, and `ECHILD` proves that nothing is left, whatever called `setsid`, forked twice or
//! ignores signals.

use std::fs;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

/// Kills and reaps every child until there is none, and tells the most memory that one of them had in use.
///
/// With nothing to do this costs one system call.
pub(super) fn end_all_descendants() -> u64 {
    let dead = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    let mut max_rss = 0;
    loop {
        match waitid(WaitId::All, dead | WaitIdOptions::NOHANG) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            // ECHILD: nothing is left.
            Err(_) => return max_rss,
        }
        // Killing them hands us their children, which the next round ends.
        let children = children();
        let killed = children.iter().filter(|pid| kill_process(**pid, Signal::KILL).is_ok()).count();
        let reaped = reap(&children);
        max_rss = reaped.iter().copied().fold(max_rss, u64::max);
        // What we may not kill (a set-uid program) we cannot wait for either.
        if killed == 0 && reaped.is_empty() {
            return max_rss;
        }
        if reaped.is_empty() {
            // Sleeps until one of those killed is there to be reaped.
            let _ = waitid(WaitId::All, dead);
        }
    }
}

/// Reaps children that ended, all but `kept`, so that a long-lived test cannot fill the process table with orphans.
pub(super) fn reap_orphans(kept: Pid) {
    let mut orphans = children();
    orphans.retain(|pid| *pid != kept);
    reap(&orphans);
}

/// Reaps those that are dead; how much memory each had in use.
fn reap(pids: &[Pid]) -> Vec<u64> {
    let reap = |pid: &Pid| wait4::try_wait4_pid(pid.as_raw_nonzero().get().cast_unsigned()).ok().flatten();
    pids.iter().filter_map(reap).map(|usage| usage.rusage.maxrss).collect()
}

fn children() -> Vec<Pid> {
    // One thread: all children are its own. Kernels built without this file have the slower way below.
    match fs::read_to_string("/proc/thread-self/children") {
        Ok(list) => list.split_ascii_whitespace().filter_map(pid).collect(),
        Err(_) => children_by_parent(),
    }
}

fn children_by_parent() -> Vec<Pid> {
    let me = std::process::id().to_string();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| {
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            // The name in brackets may hold anything; state and parent follow its last bracket.
            let parent = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?;
            (parent == me).then(|| pid(entry.file_name().to_str()?))?
        })
        .collect()
}

fn pid(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn both_ways_of_finding_children_see_a_child() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let wanted = Pid::from_child(&child);
        assert!(children().contains(&wanted));
        assert!(children_by_parent().contains(&wanted));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
