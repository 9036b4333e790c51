//! Results are written whole or not at all, and nothing else is left beside them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Lab, skipped};
use dwindle_core::{File, Files};
use dwindle_exec::output::{Output, OutputError, keep_original};

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn single(bytes: &[u8]) -> Files {
    Files::single("whatever.c", bytes)
}

#[test]
fn a_file_is_replaced_and_nothing_else_appears() {
    let lab = Lab::new();
    let target = lab.path().join("out put.c");
    let output = Output::file(&target).unwrap();
    for bytes in [b"first".as_slice(), b"", b"\xff\0third\r\n"] {
        output.write(&single(bytes)).unwrap();
        assert_eq!(fs::read(&target).unwrap(), bytes);
        assert_eq!(names(lab.path()), ["out put.c"]);
    }
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    let before = fs::metadata(&target).unwrap().ino();
    output.write(&single(b"fourth")).unwrap();
    let after = fs::metadata(&target).unwrap();
    assert_eq!(after.mode() & 0o777, 0o640);
    assert_ne!(after.ino(), before, "a reader of the old one must not see it change");
}

#[test]
fn a_link_is_followed_and_kept() {
    let lab = Lab::new();
    lab.file("real", "old");
    symlink("real", lab.path().join("link")).unwrap();
    Output::file(lab.path().join("link")).unwrap().write(&single(b"new")).unwrap();
    assert!(fs::symlink_metadata(lab.path().join("link")).unwrap().is_symlink());
    assert_eq!(fs::read(lab.path().join("real")).unwrap(), b"new");
}

#[test]
fn a_relative_target_without_a_directory_works() {
    let lab = Lab::new();
    let output = Output::file("some-result-of-the-tests").unwrap();
    assert!(output.path().is_absolute());
    assert!(!output.path().starts_with(lab.path()));
}

#[test]
fn what_is_no_file_is_never_replaced() {
    let lab = Lab::new();
    for (target, what) in [(Path::new("/dev/null"), "a device or pipe"), (lab.path(), "a directory")] {
        let error = Output::file(target).unwrap_err();
        assert!(matches!(&error, OutputError::InTheWay { what: it, .. } if *it == what), "{error}");
    }
    let file = lab.file("file", "");
    assert!(Output::tree(file).unwrap_err().to_string().contains("a file, not a directory"));
}

#[test]
fn a_tree_is_exchanged_as_a_whole() {
    let lab = Lab::new();
    let target = lab.path().join("tree");
    let output = Output::tree(&target).unwrap();
    let run = File { executable: true, ..File::new("bin/run", *b"#!") };
    output.write(&Files::new([File::new("a", *b"1"), run, File::new("deep/er/b", *b"2")])).unwrap();
    assert_eq!(names(&target), ["a", "bin", "deep"]);
    assert_ne!(fs::metadata(target.join("bin/run")).unwrap().mode() & 0o100, 0);
    output.write(&Files::new([File::new("a", *b"3")])).unwrap();
    assert_eq!(names(&target), ["a"]);
    assert_eq!(fs::read(target.join("a")).unwrap(), b"3");
    assert_eq!(names(lab.path()), ["tree"]);
}

#[test]
fn leftovers_of_killed_writers_are_removed_and_those_of_others_kept() {
    let lab = Lab::new();
    let mut dead = Command::new("true").spawn().unwrap();
    dead.wait().unwrap();
    lab.file(&format!(".r.c.dwindle-{}", dead.id()), "half");
    fs::create_dir_all(lab.path().join(format!(".r.dwindle-{}/x", dead.id()))).unwrap();
    let alive = format!(".r.c.dwindle-{}", 1);
    lab.file(&alive, "of a living process");
    lab.file(".r.c.dwindle-notes", "not ours");
    Output::file(lab.path().join("r.c")).unwrap().write(&single(b"x")).unwrap();
    Output::tree(lab.path().join("r")).unwrap();
    assert_eq!(names(lab.path()), [alive.as_str(), ".r.c.dwindle-notes", "r.c"]);
}

#[test]
fn a_missing_directory_or_right_is_told_with_what_to_do() {
    let lab = Lab::new();
    let refused = |path: PathBuf| {
        let output = Output::file(path);
        output.and_then(|output| output.write(&single(b""))).unwrap_err()
    };
    // Seen before anything is written.
    assert!(Output::file(lab.path().join("no/such/dir/x")).is_err());
    let error = refused(lab.path().join("no/such/dir/x"));
    assert!(error.to_string().contains("create it first"), "{error}");
    // Even root may not write here.
    let error = refused("/proc/dwindle-result".into());
    assert!(!error.to_string().is_empty());
    if rustix::process::geteuid().is_root() {
        skipped("a directory without permission (root may write everywhere)");
        return;
    }
    fs::set_permissions(lab.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let error = refused(lab.path().join("x"));
    assert!(matches!(error, OutputError::Forbidden { .. }), "{error}");
    fs::set_permissions(lab.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_full_disk_keeps_the_old_result_and_leaves_nothing_behind() {
    let lab = Lab::new();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(lab.path())
        .status()
        .is_ok_and(|status| status.success());
    if !mounted {
        skipped("a full disk (this user may not mount a small file system)");
        return;
    }
    let file = Output::file(lab.path().join("file")).unwrap();
    let tree = Output::tree(lab.path().join("tree")).unwrap();
    let result = std::panic::catch_unwind(|| {
        file.write(&single(b"old")).unwrap();
        tree.write(&Files::new([File::new("d/a", *b"old")])).unwrap();
        for output in [&file, &tree] {
            let error = output.write(&Files::single("d/a", vec![0; 200_000])).unwrap_err();
            assert!(matches!(error, OutputError::DiskFull { .. }), "{error}");
            assert!(error.to_string().contains("what was there before is unchanged"));
        }
        assert_eq!(fs::read(file.path()).unwrap(), b"old");
        assert_eq!(fs::read(tree.path().join("d/a")).unwrap(), b"old");
        assert_eq!(names(lab.path()), ["file", "tree"]);
    });
    let _ = Command::new("umount").arg("-l").arg(lab.path()).status();
    result.unwrap();
}

#[test]
fn an_original_is_kept_and_never_overwritten() {
    let lab = Lab::new();
    let input = lab.file("in.c", "one");
    fs::set_permissions(&input, fs::Permissions::from_mode(0o750)).unwrap();
    let first = keep_original(&input).unwrap();
    assert_eq!(first, lab.path().join("in.c.orig"));
    assert_eq!(fs::metadata(&first).unwrap().mode() & 0o700, 0o700);
    assert_eq!(keep_original(&input).unwrap(), first);
    fs::write(&input, "two").unwrap();
    let second = keep_original(&input).unwrap();
    assert_eq!(second, lab.path().join("in.c.orig.1"));
    assert_eq!((fs::read(first).unwrap(), fs::read(second).unwrap()), (b"one".to_vec(), b"two".to_vec()));

    let dir = lab.path().join("dir");
    fs::create_dir_all(dir.join("sub")).unwrap();
    fs::write(dir.join("sub/a"), "a").unwrap();
    symlink("/nowhere/at/all", dir.join("dangling")).unwrap();
    let copy = keep_original(&dir).unwrap();
    assert_eq!(fs::read(copy.join("sub/a")).unwrap(), b"a");
    assert_eq!(fs::read_link(copy.join("dangling")).unwrap(), Path::new("/nowhere/at/all"));
    assert_eq!(keep_original(&dir).unwrap(), copy);
    fs::write(dir.join("sub/a"), "b").unwrap();
    assert_ne!(keep_original(&dir).unwrap(), copy);
}
