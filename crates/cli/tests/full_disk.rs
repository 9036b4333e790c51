//! A full disk: the best goes where there is room, and what was there before is never damaged.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod common;

use std::fs;
use std::process::Command;

use common::{Case, Ran, reduce_words, skipped};

/// Runs dwindle with its output in a file system of its own of `pages` pages, of which all but `free` are taken, and then
/// shows what is in it. `None` if this machine does not let us make one.
fn in_a_small_file_system(case: &Case, pages: u32, free: u32) -> Option<Ran> {
    let dir = case.path("small");
    fs::create_dir(&dir).unwrap();
    let may = Ran::of(
        case.at_home(Command::new("unshare")).args(["-m", "mount", "-t", "tmpfs", "tmpfs"]).arg(&dir),
    );
    if may.code != Some(0) {
        skipped(&format!("no file system can be mounted here: {}", may.stderr.trim()));
        return None;
    }
    let script = format!(
        "mount -t tmpfs -o size={}k tmpfs small || exit 99\n\
         head -c {} /dev/zero > small/filler || exit 98\n\
         \"$@\"; status=$?; rm small/filler; for file in small/*; do cat \"$file\"; done; ls -A small | wc -l; exit $status",
        pages * 4,
        (pages - free) * 4096
    );
    let mut command = case.at_home(Command::new("unshare"));
    command.args(["-m", "sh", "-c", &script, "sh", env!("CARGO_BIN_EXE_dwindle")]);
    command.args(reduce_words(["--preset", "ddmin", "-j", "1", "-o", "small/out.txt", "t.sh", "in.txt"]));
    Some(Ran::of(&mut command))
}

/// Ten lines of four pages each, of which one is needed.
fn large_lines(case: &Case) {
    let lines: String = (0..10).map(|number| format!("{number}{:.>16383}\n", "")).collect();
    case.file("in.txt", lines);
    case.script("t.sh", "grep -q ^7 \"$1\"");
}

#[test]
fn a_disk_that_is_full_for_a_while_costs_nothing() {
    let case = Case::new();
    large_lines(&case);
    let Some(ran) = in_a_small_file_system(&case, 16, 6) else {
        return;
    };
    let ran = ran.ended_with(0).said("warning: no space left to write");
    case.wait_until_nothing_runs();
    // The one line, which has room, and nothing else.
    assert!(ran.stdout.starts_with("7...") && ran.stdout.ends_with(".\n1\n"));
    assert_eq!(ran.stdout.len(), 16384 + 1 + 2);
}

#[test]
fn a_result_that_has_no_room_on_its_disk_is_kept_elsewhere() {
    let case = Case::new();
    large_lines(&case);
    let Some(ran) = in_a_small_file_system(&case, 16, 2) else {
        return;
    };
    let ran = ran.ended_with(1);
    case.wait_until_nothing_runs();
    // Nothing is left of the attempts.
    assert!(ran.stdout.ends_with("0\n"), "{}", ran.stdout);
    ran.said("warning: no space left to write").said(
        "dwindle: the result is in \".dwindle/in-1/best\" instead, because its own place cannot be written: no space left to write",
    );
    let best = case.text(".dwindle/in-1/best/in.txt");
    assert!(best.starts_with("7...") && best.len() == 16385, "{} bytes", best.len());
}
