//! The command line, without cases, peers or a built dwindle.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails here")]

use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn bench() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dwindle-bench"));
    command.env_remove("CARGO");
    command
}

fn text(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// A script that stands for a reducer; it is found where `install` would have put the peer.
fn fake_peer(tools: &TempDir, name: &str, script: &str) {
    let bin = tools.path().join(name).join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let path = bin.join(name);
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A case that wants an `x`.
fn case(cases: &Path) {
    case_with(cases, "grep -q x in.txt");
}

/// A case with a shell command as its test.
fn case_with(cases: &Path, command: &str) {
    let dir = cases.join("has-x");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("meta.toml"), "name = \"has-x\"\ninput = \"in.txt\"\n").unwrap();
    std::fs::write(dir.join("in.txt"), "a x\nb\n").unwrap();
    let test = dir.join("test.sh");
    std::fs::write(&test, format!("#!/bin/sh\n{command}\n")).unwrap();
    std::fs::set_permissions(&test, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn run(tools: &TempDir, contestants: &str) -> (String, String) {
    let dir = tempfile::tempdir().unwrap();
    case(dir.path());
    let out = dir.path().join("out");
    let output = bench()
        .args(["run", "--contestants", contestants, "--time-limit", "2", "--cases"])
        .arg(dir.path())
        .arg("--out")
        .arg(&out)
        .env("DWINDLE_BENCH_TOOLS", tools.path())
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap();
    assert!(output.status.success(), "{:?}", text(&output));
    assert!(std::fs::read_to_string(out.join("index.html")).unwrap().contains("has-x"));
    (text(&output).0, std::fs::read_to_string(out.join("results.csv")).unwrap())
}

#[test]
fn a_peer_that_is_not_installed_is_shown_as_missing() {
    let tools = tempfile::tempdir().unwrap();
    let (table, csv) = run(&tools, "picire,shrinkray");
    assert!(table.contains("| has-x | 3 | missing | missing |"), "{table}");
    assert!(csv.contains(",picire,1,missing,"), "{csv}");
}

#[test]
fn queries_are_counted_outside_and_the_result_is_checked_again() {
    let tools = tempfile::tempdir().unwrap();
    // picire -i INPUT --test TEST -o OUT ...
    let good = "#!/bin/sh\nmkdir \"$6\"; printf x > \"$6/in.txt\"; \"$4\" \"$2\"; \"$4\" \"$6/in.txt\"\n";
    fake_peer(&tools, "picire", good);
    let (table, csv) = run(&tools, "picire");
    assert!(table.contains("| has-x | 3 | 1 / 2 |"), "{table}");
    assert!(csv.contains(",picire,1,done,6,3,1,1,2,"), "{csv}");
    fake_peer(&tools, "picire", "#!/bin/sh\nmkdir \"$6\"; printf y > \"$6/in.txt\"\n");
    let (table, csv) = run(&tools, "picire");
    assert!(table.contains("| has-x | 3 | failed |"), "{table}");
    assert!(csv.contains("does not find the result interesting"), "{csv}");
}

#[test]
fn a_case_whose_test_removes_the_null_device_is_run_and_removes_nothing() {
    if dwindle_exec::sandbox::available().is_err() {
        eprintln!("skipped: bubblewrap does not work here");
        return;
    }
    let (tools, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let cases = dir.path().join("cases");
    let precious = dir.path().join("precious");
    std::fs::write(&precious, "kept").unwrap();
    // Should the shield ever be gone, the test gives up before it does harm.
    let harmless = "touch /etc/dwindle-bench-probe 2>&- && { rm /etc/dwindle-bench-probe; exit 99; }";
    let hostile = format!("{harmless}\nrm -f /dev/null '{}'; grep -q x in.txt", precious.display());
    case_with(&cases, &hostile);
    let tool = "#!/bin/sh\nmkdir \"$6\"; printf x > \"$6/in.txt\"; \"$4\" \"$6/in.txt\"\n";
    fake_peer(&tools, "picire", tool);
    let output = bench()
        .args(["run", "--contestants", "picire", "--time-limit", "20", "--cases"])
        .arg(&cases)
        .arg("--out")
        .arg(dir.path().join("out"))
        .env("DWINDLE_BENCH_TOOLS", tools.path())
        .output()
        .unwrap();
    let (table, error) = text(&output);
    assert!(table.contains("| has-x | 3 | 1 / 1 |"), "{table}{error}");
    assert!(precious.exists() && std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

#[test]
fn a_run_that_is_cut_counts_with_the_smallest_candidate_seen() {
    let tools = tempfile::tempdir().unwrap();
    fake_peer(&tools, "picire", "#!/bin/sh\nprintf 'x y' > part; \"$4\" \"$PWD/part\"; sleep 60\n");
    let (table, csv) = run(&tools, "picire");
    assert!(table.contains("| has-x | 3 | 2\\* / 1 |"), "{table}");
    assert!(csv.contains(",picire,1,cut,6,3,3,2,1,"), "{csv}");
}

#[test]
fn check_exits_with_1_and_says_what_changed() {
    let dir = tempfile::tempdir().unwrap();
    let baseline = dir.path().join("baseline.json");
    let entry = "{\"list/ddmin/scattered/100\": {\"queries\": 1, \"hits\": 0, \"left\": 10}}";
    std::fs::write(&baseline, entry).unwrap();
    let output = bench()
        .args(["check", "--only", "list/ddmin/scattered", "--baseline"])
        .arg(&baseline)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let (told, _) = text(&output);
    assert!(told.contains("list/ddmin/scattered/100: queries 1 → "), "{told}");
    assert!(told.contains("list/ddmin/scattered/1000: new, "), "{told}");
    assert!(told.contains("check --update"), "{told}");
    assert_eq!(std::fs::read_to_string(&baseline).unwrap(), entry, "only --update writes");
}

#[test]
fn synthetic_prints_a_row_for_each_minimiser_that_is_named() {
    let output = bench()
        .args(["synthetic", "--sizes", "100", "--shapes", "scattered,contiguous", "ddmin", "dfs"])
        .output()
        .unwrap();
    let (table, _) = text(&output);
    let row = |name: &str| table.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).unwrap();
    for name in ["ddmin", "dfs"] {
        assert_eq!(row(name).matches(" → 10 |").count(), 2, "{table}");
    }
}

#[test]
fn engine_measures_lists_and_the_bounds_stand_beside() {
    let output = bench().args(["engine", "list", "--repeat", "1"]).output().unwrap();
    let (table, error) = text(&output);
    assert!(table.contains("| ≤ 3 × |") && table.contains("| ≤ 200 MB | holds |"), "{table}{error}");
}

#[test]
fn a_contest_can_be_held_in_pieces_and_a_contestant_run_again() {
    let (tools, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (cases, out) = (dir.path().join("cases"), dir.path().join("out"));
    case(&cases);
    let tool = |left: &str| {
        format!("#!/bin/sh\nmkdir \"$6\"; printf '{left}' > \"$6/in.txt\"; \"$4\" \"$6/in.txt\"\n")
    };
    let run = |options: &[&str]| {
        let output = bench()
            .args(["run", "--time-limit", "20", "--contestants", "picire", "--cases"])
            .args([&cases, Path::new("--out"), &out])
            .args(options)
            .env("DWINDLE_BENCH_TOOLS", tools.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{:?}", text(&output));
        text(&output).0
    };
    fake_peer(&tools, "picire", &tool("x y"));
    assert!(run(&[]).contains("| has-x | 3 | 2 / 1 |"));
    assert_eq!(std::fs::read_to_string(out.join("results/has-x/picire.txt")).unwrap(), "x y");
    fake_peer(&tools, "picire", &tool("x"));
    assert!(run(&[]).contains("| has-x | 3 | 2 / 1 |"), "it was run before");
    assert!(run(&["--again", "picire"]).contains("| has-x | 3 | 1 / 1 |"));
}
