//! Several files and directories as the input: the test sees the tree, whole files go first, the result is a directory.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod common;

use std::fs;
use std::path::Path;

use common::{Case, Ran};
use dwindle::Reduction;
use dwindle::core::{Candidate, File, Files};

/// All files below a directory with what they hold, sorted.
fn tree(dir: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(next) = dirs.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
            } else {
                let name = path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

#[track_caller]
fn assert_tree(case: &Case, dir: &str, expected: &[(&str, &str)]) {
    let expected: Vec<_> =
        expected.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    assert_eq!(tree(&case.path(dir)), expected);
}

fn pass_names(ran: &Ran) -> Vec<String> {
    let json = ran.json();
    let passes = json["passes"].as_array().unwrap();
    passes.iter().map(|pass| pass["name"].as_str().unwrap().to_owned()).collect()
}

/// A run that is resumed at its end walks the same way without running the test.
#[track_caller]
fn assert_resumes(case: &Case, run: &str, ran: &Ran, output: &str) {
    let before = tree(&case.path(output));
    fs::remove_dir_all(case.path(output)).unwrap();
    let resumed = case.run(["resume", run]).ended_with(0);
    assert_eq!(resumed.queries_and_hits(), ran.queries_and_hits());
    assert_eq!(resumed.json()["replayed"], resumed.json()["queries"]);
    assert_eq!(tree(&case.path(output)), before);
}

#[test]
fn several_files_lie_side_by_side_and_whole_ones_go_first() {
    let case = Case::new();
    // The first is always what the test is told, there or not.
    case.script("t.sh", "[ \"$1\" = \"$PWD/a.c\" ] || exit 9\ngrep -qs 'int main' a.c && grep -qs proto a.h");
    let files = [
        ("a.c", "#include \"a.h\"\nint main() {\n  return 0;\n}\n"),
        ("a.h", "int proto();\nint other();\n"),
        ("b.c", "int b;\nint c;\n"),
        ("c.c", "int d;\n"),
    ];
    for (name, text) in files {
        case.file(name, text);
    }
    let ran = case.reduce(["--json", "t.sh", "a.c", "a.h", "b.c", "c.c"]).ended_with(0);
    case.assert_nothing_is_left(&ran);
    assert_tree(&case, "a.reduced", &[("a.c", "int main"), ("a.h", "proto")]);
    assert_eq!(pass_names(&ran)[0], "files");
    let first = &ran.json()["passes"][0];
    assert_eq!(first["bytes_before"].as_u64().unwrap() - first["bytes_after"].as_u64().unwrap(), 21);
    for (name, text) in files {
        assert_eq!(case.text(name), text, "the input is left alone");
    }
    assert_eq!(case.names(), [".dwindle", "a.c", "a.h", "a.reduced", "b.c", "c.c", "t.sh"]);

    // The same as in this process.
    let file = |(name, text): (&str, &str)| File {
        path: name.into(),
        bytes: text.as_bytes().into(),
        executable: false,
    };
    let has = |candidate: &Candidate, name: &str, text: &str| {
        let file = candidate.files().iter().find(|file| file.path == Path::new(name));
        file.is_some_and(|file| String::from_utf8_lossy(&file.bytes).contains(text))
    };
    let here = Reduction::of_files(Files::new(files.map(file)))
        .runner(|candidate: &Candidate| has(candidate, "a.c", "int main") && has(candidate, "a.h", "proto"))
        .run()
        .unwrap();
    assert_eq!(ran.queries_and_hits(), (here.summary.counts.queries, here.summary.counts.hits));
    assert_resumes(&case, "a-1", &ran, "a.reduced");
}

#[test]
fn the_first_file_may_go() {
    let case = Case::new();
    case.script("t.sh", "[ \"$1\" = \"$PWD/a.c\" ] && grep -qs keep b.c");
    case.file("a.c", "one\n");
    case.file("b.c", "two\nkeep\n");
    let ran = case.reduce(["--json", "t.sh", "a.c", "b.c"]).ended_with(0);
    assert_tree(&case, "a.reduced", &[("b.c", "keep")]);
    assert_resumes(&case, "a-1", &ran, "a.reduced");
}

#[test]
fn relative_paths_keep_their_directories() {
    let case = Case::new();
    case.script("t.sh", "grep -qs keep src/deep/a.c && grep -qs keep include/a.h && ! [ -e a.c ]");
    case.file("src/deep/a.c", "one\nkeep\n");
    case.file("include/a.h", "two\nkeep\n");
    case.file("src/b.c", "three\n");
    let ran = case
        .reduce(["--json", "-o", "out", "t.sh", "./src/deep/a.c", "include/a.h", "src/b.c"])
        .ended_with(0);
    assert_tree(&case, "out", &[("include/a.h", "keep"), ("src/deep/a.c", "keep")]);
    assert_resumes(&case, "src-1", &ran, "out");
}

#[test]
fn a_directory_is_the_tree_the_test_sees() {
    let case = Case::new();
    case.script(
        "t.sh",
        "[ \"$1\" = \"$PWD/project\" ] && grep -qs keep \"$1/src/deep/main.c\" && grep -qs keep project/Makefile",
    );
    case.file("project/Makefile", "all:\nkeep:\n");
    case.file("project/src/deep/main.c", "int x;\nkeep\nint y;\n");
    case.file("project/src/deep/util.c", "int u;\n");
    case.file("project/src/other.c", "int o;\n");
    case.file("project/.dwindle/old-1/journal", "not part of it");
    let ran = case.reduce(["--json", "t.sh", "project/"]).ended_with(0);
    case.assert_nothing_is_left(&ran);
    assert_tree(&case, "project.reduced", &[("Makefile", "keep"), ("src/deep/main.c", "keep")]);
    assert_eq!(pass_names(&ran)[0], "files");
    assert_eq!(ran.json()["input_bytes"], 11 + 19 + 7 + 7);
    // Directories that became empty are gone, the input is untouched.
    assert!(!case.path("project.reduced/src/other.c").exists());
    assert_eq!(case.text("project/src/deep/main.c"), "int x;\nkeep\nint y;\n");
    assert_resumes(&case, "project-1", &ran, "project.reduced");
}

#[test]
fn a_directory_can_be_reduced_in_place() {
    let case = Case::new();
    case.script("t.sh", "grep -qs keep project/a.c");
    case.file("project/a.c", "one\nkeep\n");
    case.file("project/sub/b.c", "two\n");
    case.reduce(["--in-place", "t.sh", "project"]).ended_with(0);
    assert_tree(&case, "project", &[("a.c", "keep")]);
    assert_tree(&case, "project.orig", &[("a.c", "one\nkeep\n"), ("sub/b.c", "two\n")]);
    assert_eq!(case.names(), [".dwindle", "project", "project.orig", "t.sh"]);
}

#[test]
fn a_directory_with_one_file_stays_a_directory() {
    let case = Case::new();
    case.script("t.sh", "grep -qs keep \"$1/only.c\"");
    case.file("project/only.c", "one\nkeep\n");
    let ran = case.reduce(["--json", "t.sh", "project"]).ended_with(0);
    assert_tree(&case, "project.reduced", &[("only.c", "keep")]);
    assert_resumes(&case, "project-1", &ran, "project.reduced");
}

#[test]
fn one_name_twice_is_refused() {
    let case = Case::new();
    case.script("t.sh", "exit 0");
    let one = case.file("x/a.c", "one");
    let other = case.file("y/a.c", "two");
    let (one, other) = (one.to_str().unwrap(), other.to_str().unwrap());
    for words in [[one, other], ["x/a.c", "./x/a.c"], ["x", "x/a.c"]] {
        let ran = case.reduce(["t.sh"].into_iter().chain(words)).ended_with(2);
        let name = if words[0] == one { "a.c" } else { "x/a.c" };
        assert_eq!(
            ran.stderr,
            format!(
                "dwindle: two inputs would both be {name:?} in the test's directory: give paths relative to a common directory\n"
            )
        );
    }
    // Given relative to here they are two.
    case.reduce(["t.sh", "x/a.c", "y/a.c"]).ended_with(0);
}

#[test]
fn a_second_result_replaces_the_first() {
    let case = Case::new();
    case.file("a.c", "one\n");
    case.file("b.c", "two\n");
    for (needed, left) in [("a.c", "one"), ("b.c", "two")] {
        case.script("t.sh", format!("grep -qs {left} {needed}"));
        case.reduce(["t.sh", "a.c", "b.c"]).ended_with(0);
        assert_tree(&case, "a.reduced", &[(needed, left)]);
    }
    assert_eq!(case.names(), [".dwindle", "a.c", "a.reduced", "b.c", "t.sh"]);
}
