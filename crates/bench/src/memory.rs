//! How much memory processes have had at most.
//!
//! Read from `VmHWM` in `/proc`, which belongs to one address space. The maximum that `wait4` reports does not: a child
//! started by a large parent inherits the parent's.

use std::path::Path;

/// The most memory this process has had resident so far, in bytes.
pub(crate) fn own_peak() -> Option<u64> {
    peak(Path::new("/proc/self"))
}

/// The most memory a process has had resident, in bytes, and what those of its descendants that run the same program
/// have for themselves now. dwindle's supervisors are such descendants, its tests are not; the pages of the program
/// itself, which all of them share, count once.
pub(crate) fn family_peak(pid: u32) -> Option<u64> {
    let program = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let mut total = peak(Path::new(&format!("/proc/{pid}")))?;
    let mut todo = children(pid);
    while let Some(pid) = todo.pop() {
        let dir = format!("/proc/{pid}");
        if std::fs::read_link(format!("{dir}/exe")).is_ok_and(|other| other == program) {
            total += status(Path::new(&dir), "RssAnon:").unwrap_or(0);
            todo.extend(children(pid));
        }
    }
    Some(total)
}

fn peak(process: &Path) -> Option<u64> {
    status(process, "VmHWM:")
}

fn status(process: &Path, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(process.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

fn children(pid: u32) -> Vec<u32> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_grows_with_what_is_touched() {
        let before = own_peak().unwrap();
        let block = vec![1u8; 64 << 20];
        assert!(own_peak().unwrap() >= before.max(block.len() as u64));
        assert!(family_peak(std::process::id()).unwrap() >= own_peak().unwrap());
    }
}
