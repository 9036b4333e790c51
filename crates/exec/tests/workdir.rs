//! When a work directory writes and when it need not.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::time::Duration;

use dwindle_core::{File, Files};
use dwindle_exec::WorkDir;
use proptest::prelude::*;

/// Longer than the clock of any file system takes to tick.
const A_TICK: Duration = Duration::from_millis(30);

#[test]
fn only_what_changed_is_written_again() {
    let base = tempfile::tempdir().unwrap();
    let mut dir = WorkDir::new(base.path().join("slot"));
    let same = File::new("d/same", *b"same");
    let files = |other: &[u8]| Files::new([same.clone(), File::new("other", other)]);
    let filled = dir.fill(&files(b"1").runs()).unwrap();
    assert_eq!((filled.fresh, filled.files_written), (true, 2));
    std::thread::sleep(A_TICK);
    // The clock has to move on once before a file can be trusted.
    dir.fill(&files(b"2").runs()).unwrap();
    std::thread::sleep(A_TICK);
    let filled = dir.fill(&files(b"3").runs()).unwrap();
    assert_eq!((filled.fresh, filled.files_written), (false, 1));
    // Same size, same inode, same content pointer: only the time tells.
    fs::write(dir.path().join("d/same"), b"SAME").unwrap();
    assert_eq!(dir.fill(&files(b"4").runs()).unwrap().files_written, 2);
    assert_eq!(fs::read(dir.path().join("d/same")).unwrap(), b"same");
}

#[test]
fn a_change_in_the_very_moment_of_writing_is_noticed() {
    let base = tempfile::tempdir().unwrap();
    let mut dir = WorkDir::new(base.path().join("slot"));
    let files = Files::single("a", *b"right");
    for _ in 0..200 {
        dir.fill(&files.runs()).unwrap();
        assert_eq!(fs::read(dir.path().join("a")).unwrap(), b"right");
        fs::write(dir.path().join("a"), b"wrong").unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn after_any_sequence_of_candidates_and_litter_only_the_candidate_is_there(
        rounds in proptest::collection::vec(
            (proptest::collection::btree_map("[ab](/[ab]){0,2}", any::<u8>(), 0..4), "[abc](/[abc]){0,2}"),
            1..6,
        ),
    ) {
        let base = tempfile::tempdir().unwrap();
        let mut dir = WorkDir::new(base.path().join("slot"));
        for (files, litter) in rounds {
            // A file cannot be a directory as well.
            let is_dir = |path: &str| files.keys().any(|other| other.starts_with(&format!("{path}/")));
            let files: Vec<_> = files
                .iter()
                .filter(|(path, _)| !is_dir(path))
                .map(|(path, byte)| File::new(path, vec![*byte]))
                .collect();
            dir.fill(&Files::new(files.clone()).runs()).unwrap();
            let mut seen = Vec::new();
            walk(dir.path(), dir.path(), &mut seen);
            seen.sort();
            let mut wanted: Vec<_> = files.iter().map(|file| (file.path.clone(), file.bytes.to_vec())).collect();
            wanted.sort();
            prop_assert_eq!(seen, wanted);
            let litter = dir.path().join(litter);
            let _ = fs::create_dir_all(litter.parent().unwrap());
            let _ = fs::write(litter, "litter");
        }
    }
}

fn walk(root: &std::path::Path, dir: &std::path::Path, seen: &mut Vec<(std::path::PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(root, &path, seen);
        } else {
            seen.push((path.strip_prefix(root).unwrap().to_owned(), fs::read(&path).unwrap()));
        }
    }
}
