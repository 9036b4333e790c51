//! What is said: every start-up check with its message and exit code, the summary for programs, help texts.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use common::{Case, Ran, is_root, make_pipe, reduce_words, skipped};

/// A case with an input of two lines and a test that wants the second.
fn usual() -> Case {
    let case = Case::new();
    case.script("t.sh", "grep -q keep in.txt");
    case.file("in.txt", "drop\nkeep\n");
    case
}

/// The warnings among what was said, but for the one that only root gets.
fn warnings(ran: &Ran) -> Vec<&str> {
    let lines = ran.stderr.lines().filter_map(|line| line.split_once("] warning: "));
    lines
        .map(|(_, warning)| warning)
        .filter(|warning| !warning.starts_with("running tests as root without a sandbox"))
        .collect()
}

/// `dwindle reduce` with these words ends with this code and says just this.
#[track_caller]
fn refused(case: &Case, words: &[&str], code: i32, message: &str) {
    let before = case.names();
    let ran = case.reduce(words.iter().copied()).ended_with(code);
    assert_eq!(ran.stderr, format!("dwindle: {message}\n"));
    assert_eq!(ran.stdout, "");
    assert_eq!(case.names(), before, "nothing is left behind");
}

#[test]
fn an_input_that_cannot_be_used() {
    let case = usual();
    refused(
        &case,
        &["t.sh", "nope.txt"],
        2,
        "the input \"nope.txt\" does not exist: check the path (the test comes first, then the input)",
    );
    refused(
        &case,
        &["t.sh", "in.txt/x"],
        2,
        "the input \"in.txt/x\" cannot be read: Not a directory (os error 20); check its permissions",
    );
    make_pipe(&case.path("pipe"));
    refused(
        &case,
        &["t.sh", "pipe"],
        2,
        "the input \"pipe\" is neither a file nor a directory: copy its content to a file first",
    );
    fs::create_dir(case.path("empty")).unwrap();
    refused(&case, &["t.sh", "empty"], 2, "the directory \"empty\" has no files: there is nothing to reduce");
}

#[test]
fn an_input_that_may_not_be_read() {
    let case = usual();
    fs::set_permissions(case.path("in.txt"), fs::Permissions::from_mode(0o000)).unwrap();
    let mut command = case.dwindle(reduce_words(["t.sh", "in.txt"]));
    if is_root() {
        // Root reads everything, so somebody else has to try.
        for dir in [case.dir().parent().unwrap().to_owned(), case.dir()] {
            fs::set_permissions(dir, fs::Permissions::from_mode(0o755)).unwrap();
        }
        command.uid(65534).gid(65534);
        let may_start =
            Command::new("test").args(["-x", env!("CARGO_BIN_EXE_dwindle")]).uid(65534).gid(65534).status();
        if !may_start.is_ok_and(|status| status.success()) {
            skipped("root reads everything, and nobody else may start dwindle here");
            return;
        }
    }
    let ran = Ran::of(&mut command).ended_with(2);
    assert_eq!(
        ran.stderr,
        "dwindle: the input \"in.txt\" cannot be read: Permission denied (os error 13); check its permissions\n"
    );
}

#[test]
fn a_test_that_cannot_be_used() {
    let case = usual();
    let path = |name: &str| format!("{:?}", case.path(name));
    refused(
        &case,
        &["nope.sh", "in.txt"],
        2,
        "the test \"nope.sh\" does not exist: check the path (the test comes first, then the input)",
    );
    fs::create_dir(case.path("dir")).unwrap();
    refused(
        &case,
        &["dir", "in.txt"],
        2,
        "the test \"dir\" is a directory: name the script or program in it",
    );
    case.file("plain.sh", "#!/bin/sh\n");
    refused(
        &case,
        &["plain.sh", "in.txt"],
        2,
        &format!("the test {0} is not executable: chmod +x {0}", path("plain.sh")),
    );
    let scripts = [
        (
            "bare.sh",
            "exit 0\n",
            "does not say what runs it: make its first line #!/bin/sh, or that of another interpreter",
        ),
        (
            "empty.sh",
            "",
            "does not say what runs it: make its first line #!/bin/sh, or that of another interpreter",
        ),
        (
            "lost.sh",
            "#!/no/such/shell\n",
            "wants to be run by \"/no/such/shell\", which is not there: install it or change the first line",
        ),
        (
            "env.sh",
            "#!/usr/bin/env no-such-language\n",
            "wants to be run by \"no-such-language\", which is not there: install it or change the first line",
        ),
        (
            "crlf.sh",
            "#!/bin/sh\r\nexit 0\r\n",
            "wants to be run by \"/bin/sh\", which is not there: install it or change the first line (which ends with a \
             carriage return: save the file with Unix line ends)",
        ),
    ];
    for (name, text, message) in scripts {
        common::write_script(&case.path(name), text);
        refused(&case, &[name, "in.txt"], 2, &format!("the test {} {message}", path(name)));
    }
}

#[test]
fn an_input_that_is_not_interesting_shows_status_and_the_last_lines() {
    let case = usual();
    let advice = "it must exit with status 0 in a directory that holds nothing but the input: use absolute paths for \
                  everything else it needs";
    case.script("t.sh", "for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $n >&2; done; exit 3");
    let lines: Vec<_> = (3..=12).map(|number| format!("line {number}")).collect();
    refused(
        &case,
        &["t.sh", "in.txt"],
        1,
        &format!(
            "the test does not find the input interesting (exit status 3); {advice}. The last of its output:\n{}",
            lines.join("\n")
        ),
    );
    case.script("t.sh", "exit 1");
    refused(
        &case,
        &["t.sh", "in.txt"],
        1,
        &format!(
            "the test does not find the input interesting (exit status 1); {advice}. It printed nothing."
        ),
    );
    case.script("t.sh", "kill -SEGV $$");
    refused(
        &case,
        &["t.sh", "in.txt"],
        1,
        "the test does not find the input interesting (ended by signal 11 (SIGSEGV)); it must exit with status 0. It printed \
         nothing.",
    );
    case.script("t.sh", "echo so far; exec sleep 1000");
    refused(
        &case,
        &["--timeout", "500ms", "t.sh", "in.txt"],
        1,
        "the test does not find the input interesting (ended at its time limit); give it more time with --timeout. The last \
         of its output:\nso far",
    );
    case.script("t.sh", "exec tail /dev/zero");
    refused(
        &case,
        &["--memory", "64M", "--timeout", "60s", "t.sh", "in.txt"],
        1,
        "the test does not find the input interesting (out of memory at its limit); give it more memory with --memory. The \
         last of its output:\ntail: memory exhausted",
    );
    case.script("t.sh", "while read -r path; do echo 1; done");
    refused(
        &case,
        &["--persistent", "t.sh", "in.txt"],
        1,
        &format!(
            "the test does not find the input interesting (exit status 1); {advice}. It printed nothing."
        ),
    );
    case.script("t.sh", "while read -r path; do echo yes; done");
    refused(
        &case,
        &["--persistent", "t.sh", "in.txt"],
        1,
        "the persistent test answered \"yes\": it must print one number a candidate on standard output (0 = interesting), and \
         everything else on standard error",
    );
}

#[test]
fn a_command_that_does_not_do_it_on_the_input_shows_what_it_does() {
    let case = usual();
    refused(
        &case,
        &["--stdout", "nope", "in.txt", "--", "cat", "{}"],
        1,
        "the command does not meet the conditions on the input (exit status 0): all that are given must hold, in a directory \
         that holds nothing but the input. The last of its output:\ndrop\nkeep",
    );
}

#[test]
fn a_test_that_is_interesting_on_nothing_is_a_warning() {
    let case = usual();
    case.script("t.sh", "exit 0");
    let ran = case.reduce(["t.sh", "in.txt"]).ended_with(0);
    assert_eq!(
        warnings(&ran),
        [
            "the test is also interesting on an empty input, so the result will be empty: make it check that the problem is \
             still there"
        ]
    );
    assert_eq!(case.text("in.reduced.txt"), "");
}

#[test]
fn a_test_that_flips_is_a_warning_that_names_the_remedy() {
    let case = usual();
    let runs = case.outside("runs");
    // Boring the second time it sees the input.
    case.script(
        "t.sh",
        format!("echo >> '{0}'; [ \"$(wc -l < '{0}')\" != 2 ] && grep -q keep in.txt", runs.display()),
    );
    let ran = case.reduce(["t.sh", "in.txt"]).ended_with(0);
    assert_eq!(
        warnings(&ran),
        [
            "the test is flaky: 2 of 3 runs on the same input were interesting; make it deterministic, or use --confirm N (an \
             accepted candidate must then be interesting N times)"
        ]
    );
}

#[test]
fn a_result_that_the_test_no_longer_likes_is_a_warning() {
    let case = usual();
    let last = case.outside("last");
    // The smallest candidate is interesting once.
    let flip = format!(
        "if [ \"$(cat in.txt)\" = keep ]; then mkdir '{}' 2>&1; else grep -q keep in.txt; fi",
        last.display()
    );
    case.script("t.sh", flip);
    let ran = case.reduce(["--preset", "ddmin", "t.sh", "in.txt"]).ended_with(0);
    assert_eq!(
        warnings(&ran),
        ["the test no longer finds the result interesting, so it wavers: run again with --confirm 3"]
    );
    // Asked twice, the candidate is never taken.
    fs::remove_dir(&last).unwrap();
    let ran = case.reduce(["--confirm", "2", "--preset", "ddmin", "t.sh", "in.txt"]).ended_with(0);
    assert_eq!(warnings(&ran), Vec::<&str>::new());
    assert_eq!(case.text("in.reduced.txt"), "drop\nkeep\n");
}

#[test]
fn words_that_name_nothing() {
    let case = usual();
    refused(
        &case,
        &["--preset", "nope", "t.sh", "in.txt"],
        2,
        "there is no preset `nope`: `dwindle presets` lists them",
    );
    for (words, message) in [
        (&["--passes", "line,nope"][..], "there is no pass `nope`: `dwindle passes` lists them"),
        (&["--without", "nope"][..], "there is no pass `nope` to leave out of this pipeline"),
        (
            &["--passes", "line", "--list-minimizer", "nope"],
            "there is no list minimiser `nope`: the list presets of `dwindle presets` are what can stand here",
        ),
        (
            &["--preset", "tree-slicer"],
            "`tree-slicer` works on syntax trees, and the language of in.txt is not known: name it with --language \
             (`dwindle languages` lists them), or leave the preset out",
        ),
    ] {
        refused(&case, &[words, &["t.sh", "in.txt"]].concat(), 2, message);
    }
    case.file("in.json", "[\"keep\"]");
    case.script("t.sh", "grep -q keep in.json");
    for (assignment, message) in [
        ("nope=1", "there is no parameter `nope`: `dwindle passes` lists them"),
        ("nope", "`nope` is not NAME=VALUE"),
        ("slicer.widest=many", "slicer.widest: `many`: invalid digit found in string"),
    ] {
        let words = ["--preset", "tree-slicer", "--set", assignment, "t.sh", "in.json"];
        refused(&case, &words, 2, message);
    }
    let table = [
        (["--cache", "nope"], "error: invalid value 'nope' for '--cache <SCHEME>': use one of "),
        (
            ["--granularity", "word"],
            "error: invalid value 'word' for '--granularity <char|line|two-pass|token|bracket>': use char, line, two-pass, \
             token or bracket",
        ),
        (["--split", "half"], "error: invalid value 'half' for '--split <zeller|balanced>': "),
        (["--subsets", "up"], "error: invalid value 'up' for '--subsets <forward|backward|random|skip>': "),
        (["--split-factor", "1"], "error: invalid value '1' for '--split-factor <N|inf>': "),
        (
            ["--timeout", "1d"],
            "error: invalid value '1d' for '--timeout <TIME>': `d` is no unit of time: use ms, s, m or h",
        ),
        (
            ["--memory", "1T"],
            "error: invalid value '1T' for '--memory <BYTES>': `T` is no unit of size: use K, M or G",
        ),
        (["-j", "0"], "error: invalid value '0' for '--jobs <N>': "),
    ];
    for (words, message) in table {
        let ran = case.reduce(words.into_iter().chain(["t.sh", "in.txt"])).ended_with(2);
        assert!(ran.stderr.starts_with(message), "{}", ran.stderr);
    }
    let resumed = case.run(["resume", "nope"]).ended_with(2);
    assert_eq!(resumed.stderr, "dwindle: there is no run \"nope\": `ls .dwindle` shows them\n");
}

#[test]
fn words_that_do_not_go_together() {
    let case = usual();
    refused(
        &case,
        &["in.txt"],
        2,
        "there is only one path: give the test, then the input (`dwindle reduce test.sh small.c`), or a command behind `--` \
         (`dwindle reduce small.c --crash -- cc {}`)",
    );
    refused(
        &case,
        &["in.txt", "--crash"],
        2,
        "there is no command to watch: give it at the end, behind `--`, with `{}` for the input",
    );
    refused(
        &case,
        &["--exit", "1", "t.sh", "in.txt"],
        2,
        "--exit, --crash, --stdout and the like describe a command: give it behind `--`, or drop them and let the test's exit \
         status decide",
    );
    refused(
        &case,
        &["in.txt", "--", "cat"],
        2,
        "say what makes a run interesting: --exit N, --signal, --crash, --stdout RE, --stderr RE or --timeout-is-interesting",
    );
    let conditions: [(&[&str], &str); 5] = [
        (
            &["--exit", "1", "--timeout-is-interesting"],
            "--exit and --timeout-is-interesting can never both hold: give one of them",
        ),
        (&["--exit", "1", "--crash"], "--exit and --crash can never both hold: give one of them"),
        (&["--exit", "256"], "--exit 256: an exit status is a number from 0 to 255"),
        (&["--exit", "-1"], "--exit -1: an exit status is a number from 0 to 255"),
        (&["--signal=99"], "--signal 99: a signal is a number from 1 to 64"),
    ];
    for (words, message) in conditions {
        let words = [words, &["in.txt", "--", "cat", "{}"]].concat();
        refused(&case, &words, 2, message);
    }
    for option in ["--stdout", "--stderr"] {
        let ran = case.reduce([option, "(", "in.txt", "--", "cat", "{}"]).ended_with(2);
        ran.said(&format!("dwindle: {option} regex parse error:")).said("error: unclosed group");
    }
    refused(
        &case,
        &["--persistent", "--exit", "0", "in.txt", "--", "cat"],
        2,
        "--persistent needs a test that speaks its protocol, not a command behind `--`",
    );
    refused(
        &case,
        &["--exit", "0", "in.txt", "--", "no-such-command", "{}"],
        2,
        "the command \"no-such-command\" was found neither here nor in PATH: check its name, or give its path",
    );
    for words in [["-q", "-v"], ["--in-place", "-oout"]] {
        let ran = case.reduce(words.into_iter().chain(["t.sh", "in.txt"])).ended_with(2);
        ran.said("cannot be used with");
    }
    case.file("other.txt", "");
    refused(
        &case,
        &["--in-place", "t.sh", "in.txt", "other.txt"],
        2,
        "--in-place takes one file or one directory: give -o DIR for several inputs",
    );
}

#[test]
fn a_place_where_no_result_can_go() {
    let case = usual();
    fs::create_dir(case.path("dir")).unwrap();
    refused(&case, &["-o", "dir", "t.sh", "in.txt"], 2, "the output \"dir\" is a directory: name a file");
    refused(
        &case,
        &["-o", "/dev/null", "t.sh", "in.txt"],
        2,
        "\"/dev/null\" is there and is a device or pipe: name another place for the result with -o",
    );
    case.file("other.txt", "");
    refused(
        &case,
        &["-o", "t.sh", "t.sh", "in.txt", "other.txt"],
        2,
        "\"t.sh\" is there and is a file, not a directory: name another place for the result with -o",
    );
}

#[test]
fn a_directory_for_the_result_that_is_not_there_is_seen_before_the_first_test() {
    let case = usual();
    refused(
        &case,
        &["-o", "nowhere/out.txt", "t.sh", "in.txt"],
        2,
        "\"nowhere/out.txt\" cannot be written: its directory does not exist; create it first",
    );
}

#[test]
fn a_sandbox_that_is_not_there() {
    let case = usual();
    let mut command = case.dwindle(["reduce", "--sandbox", "bwrap", "t.sh", "in.txt"]);
    let ran = Ran::of(command.env("PATH", case.tmp())).ended_with(1);
    assert_eq!(
        ran.stderr,
        "dwindle: bubblewrap (the program bwrap) is not installed: apt install bubblewrap, or use --sandbox none\n"
    );
    assert_eq!(case.names(), ["in.txt", "t.sh"]);
}

#[test]
fn properties_of_a_command_need_no_script() {
    let table: [(&[&str], &str); 5] = [
        (&["--exit", "3"], "grep -q keep \"$1\" && exit 3"),
        (&["--signal"], "grep -q keep \"$1\" && kill -KILL $$"),
        (&["--crash"], "grep -q keep \"$1\" && kill -ABRT $$"),
        (&["--stdout", "(?m)^ke+p$"], "cat \"$1\""),
        (&["--timeout", "1s", "--timeout-is-interesting"], "grep -q keep \"$1\" && sleep 1000"),
    ];
    for (conditions, body) in table {
        let case = usual();
        case.script("command.sh", body);
        let words = ["--preset", "ddmin", "in.txt", "--", "./command.sh", "{}"];
        case.reduce(conditions.iter().copied().chain(words)).ended_with(0);
        assert_eq!(case.text("in.reduced.txt"), "keep\n", "{conditions:?}");
    }
}

#[test]
fn work_directories_lie_where_they_are_wanted() {
    let case = usual();
    case.script(
        "t.sh",
        format!("case \"$PWD\" in '{}'/*) grep -q keep in.txt;; *) exit 1;; esac", case.tmp().display()),
    );
    let tmp = case.tmp();
    let words = ["--work-dir", tmp.to_str().unwrap(), "t.sh", "in.txt"];
    let ran = case.reduce(words).ended_with(0);
    case.assert_nothing_is_left(&ran);
    let ran = case.reduce(["--work-dir", "nowhere", "t.sh", "in.txt"]).ended_with(1);
    assert_eq!(
        ran.stderr,
        "dwindle: cannot find \"nowhere\": No such file or directory (os error 2); choose another place for the test's work \
         directories with --work-dir\n"
    );
}
