//! A host that is killed at any moment: nothing of it runs on and no directory stays.
//!
//! This program plays the host as well, so it also shows that a program can be its own supervisor.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{Lab, candidate, wait_until};
use dwindle_core::{Cancel, Runner};
use dwindle_exec::{CommandTest, Judge, PersistentTest, Setting, Supervisor};

const HOST: &str = "act as the host";

fn main() {
    dwindle_exec::supervisor::run_if_asked();
    let args: Vec<_> = std::env::args().collect();
    if args.get(1).is_some_and(|arg| arg == HOST) {
        return host(Path::new(&args[2]), args[3] == "persistent");
    }
    for kind in ["command", "persistent"] {
        a_killed_host_leaves_neither_processes_nor_directories(kind);
        eprintln!("test a_killed_host_leaves_neither_processes_nor_directories ({kind}) ... ok");
    }
    the_next_start_removes_what_a_kill_of_host_and_supervisors_has_left();
    eprintln!("test the_next_start_removes_what_a_kill_of_host_and_supervisors_has_left ... ok");
}

/// Runs tests in two slots until it is killed.
fn host(place: &Path, persistent: bool) {
    let lab = Lab::in_place(place);
    let setting = lab.setting_for(Supervisor::this_program()).jobs(2);
    let runner: Box<dyn Runner + Send> = if persistent {
        let body = r#"while read -r path; do setsid sleep 1000 & touch "$LAB/on"; sleep 0.02; echo 0; done"#;
        Box::new(PersistentTest::new(lab.script(body), setting).unwrap())
    } else {
        let body = r#"setsid sleep 1000 & touch "$LAB/on"; sleep 0.02"#;
        Box::new(CommandTest::new(lab.script(body), Judge::ExitStatus, setting).unwrap())
    };
    let count = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for slot in 0..2 {
            let (runner, count) = (&runner, &count);
            scope.spawn(move || {
                loop {
                    let number = count.fetch_add(1, Ordering::Relaxed);
                    runner.run(slot, &candidate(number.to_string().as_bytes()), &Cancel::new());
                }
            });
        }
    });
}

fn start_host(lab: &Lab, kind: &str) -> std::process::Child {
    let child = Command::new(std::env::current_exe().unwrap())
        .args([HOST.as_ref(), lab.path().as_os_str(), kind.as_ref()])
        .stdin(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    lab.wait_for("on");
    child
}

fn roots(lab: &Lab) -> Vec<PathBuf> {
    let entries = fs::read_dir(lab.path()).unwrap().flatten().map(|entry| entry.path());
    entries.filter(|path| path.is_dir()).collect()
}

fn a_killed_host_leaves_neither_processes_nor_directories(kind: &str) {
    for round in 0_u64..8 {
        let lab = Lab::shared();
        let mut host = start_host(&lab, kind);
        std::thread::sleep(Duration::from_millis(round * 7));
        host.kill().unwrap();
        host.wait().unwrap();
        // Its supervisors see it at once, but they need a moment.
        wait_until("everything ends", || lab.alive().is_empty() && roots(&lab).is_empty());
    }
}

fn the_next_start_removes_what_a_kill_of_host_and_supervisors_has_left() {
    let lab = Lab::shared();
    let mut host = start_host(&lab, "command");
    let before = roots(&lab);
    assert_eq!(before.len(), 1);
    // Supervisors first, or they would clean up.
    let children = fs::read_dir(format!("/proc/{}/task", host.id())).unwrap().flatten();
    let children = children.map(|task| fs::read_to_string(task.path().join("children")).unwrap_or_default());
    let supervisors: Vec<i32> = children
        .flat_map(|list| list.split_whitespace().map(|pid| pid.parse().unwrap()).collect::<Vec<_>>())
        .collect();
    assert!(!supervisors.is_empty());
    let stop = |pid: i32, signal| {
        rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal).unwrap();
    };
    // Stopped, so that it starts no new ones.
    stop(i32::try_from(host.id()).unwrap(), rustix::process::Signal::STOP);
    supervisors.into_iter().for_each(|pid| stop(pid, rustix::process::Signal::KILL));
    host.kill().unwrap();
    host.wait().unwrap();
    assert_eq!(roots(&lab), before);
    let setting =
        Setting::new(Supervisor::this_program()).place(dwindle_exec::Place::Under(lab.path().to_owned()));
    let test = CommandTest::new(lab.script("exit 0"), Judge::ExitStatus, setting).unwrap();
    assert_eq!(roots(&lab), [test.root()]);
    lab.kill_all();
}
