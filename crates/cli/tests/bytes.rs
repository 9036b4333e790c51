//! Bytes and names of any kind: what comes out is what a reduction in this process gives, to the byte.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod common;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

use common::Case;
use dwindle::{Granularity, Reduction};

/// A test that looks for bytes, whatever they are, and that sees its directory as promised.
fn looks_for(needle: &[u8]) -> String {
    let octal: String = needle.iter().map(|byte| format!("\\{byte:03o}")).collect();
    format!(
        "export LC_ALL=C\n\
         [ \"$1\" = \"$DWINDLE_INPUT\" ] && [ \"${{1%/*}}\" = \"$PWD\" ] && [ -f \"$1\" ] || exit 9\n\
         number=0; for file in * .[!.]*; do if [ -e \"./$file\" ]; then number=$((number + 1)); fi; done\n\
         [ $number = 1 ] || exit 8\n\
         grep -qaF \"$(printf '{octal}')\" \"$1\""
    )
}

/// As `grep` sees it: no line, no match, even for nothing.
fn contains(text: &[u8], needle: &[u8]) -> bool {
    let mut parts = text.windows(needle.len().max(1));
    parts.any(|part| needle.is_empty() || part == needle)
}

#[test]
fn every_byte_is_handled_as_it_is() {
    let all: Vec<u8> = (0..=255).collect();
    let inputs: [(&str, &[u8], &[u8]); 8] = [
        ("not UTF-8", b"\xff\xfe\n\xc3\x28 a\xe9b\n\xf0\x9f\n", b"\xe9"),
        ("half a character", "aé€\n".as_bytes(), b"\xc3"),
        ("every byte", &all, b"\x80"),
        ("CRLF", b"one\r\nkeep\r\n\r\ntwo\r\n", b"keep\r"),
        ("no final newline", b"one\ntwo\nkeep", b"keep"),
        ("only newlines", b"\n\n\n\n", b""),
        ("one byte", b"x", b"x"),
        ("zeros", b"\0\0k\0\0\n\0", b"k"),
    ];
    let presets = [
        (None, Granularity::Line, "line"),
        (Some("ddmin"), Granularity::Line, "line"),
        (Some("ddmin-star"), Granularity::TwoPass, "two-pass"),
    ];
    for (what, input, needle) in inputs {
        let case = Case::new();
        case.script("t.sh", looks_for(needle));
        case.file("in.bin", input);
        for (preset, granularity, name) in presets {
            let mut here = Reduction::new(input)
                .named("in.bin")
                .granularity(granularity)
                .test(|text| contains(text, needle));
            let mut words = vec!["-q", "--granularity", name];
            if let Some(preset) = preset {
                here = here.preset(preset);
                words.extend(["--preset", preset]);
            }
            words.extend(["t.sh", "in.bin"]);
            case.reduce(words).ended_with(0);
            let (here, there) = (here.run().unwrap(), case.read("in.reduced.bin"));
            assert_eq!(there, here.bytes(), "{what}, {preset:?}");
            assert!(contains(&there, needle), "{what}");
            assert_eq!(case.read("in.bin"), input, "{what}: the input is left alone");
        }
    }
}

#[test]
fn lines_keep_their_ends() {
    let table: [(&[u8], &[u8]); 3] =
        [(b"one\r\nkeep\r\ntwo\r\n", b"keep\r\n"), (b"one\nkeep", b"keep"), (b"keep\none", b"keep\n")];
    for (input, result) in table {
        let case = Case::new();
        case.script("t.sh", looks_for(b"keep"));
        case.file("in.txt", input);
        case.reduce(["--preset", "ddmin", "t.sh", "in.txt"]).ended_with(0);
        assert_eq!(case.read("in.reduced.txt"), result);
    }
}

#[test]
fn an_empty_file_stays_empty() {
    let case = Case::new();
    case.script("t.sh", "[ -f \"$1\" ] && ! [ -s \"$1\" ]");
    case.file("in.txt", "");
    let ran = case.reduce(["--json", "t.sh", "in.txt"]).ended_with(0);
    assert_eq!(case.read("in.reduced.txt"), b"");
    assert_eq!(ran.queries_and_hits(), (0, 0));
    // There is no other empty input to warn of.
    assert!(!ran.stderr.contains("interesting on an empty input"), "{}", ran.stderr);
}

#[test]
fn a_file_of_one_byte_can_become_empty() {
    let case = Case::new();
    case.script("t.sh", "exit 0");
    case.file("in.txt", "x");
    case.reduce(["t.sh", "in.txt"]).ended_with(0);
    assert_eq!(case.read("in.reduced.txt"), b"");
}

#[test]
fn names_may_be_anything() {
    let names: [(&[u8], &[u8]); 8] = [
        (b"with space.txt", b"with space.reduced.txt"),
        (b"quo'te \"s\".txt", b"quo'te \"s\".reduced.txt"),
        (b"new\nline.txt", b"new\nline.reduced.txt"),
        (b"caf\xe9\xff.txt", b"caf\xe9\xff.reduced.txt"),
        (b"$HOME;`ls`*?.txt", b"$HOME;`ls`*?.reduced.txt"),
        (b"back\\slash%41", b"back\\slash%41.reduced"),
        (b".hidden", b".hidden.reduced"),
        (b"-x", b"-x.reduced"),
    ];
    for (name, output) in names {
        let (name, output) = (OsStr::from_bytes(name), OsStr::from_bytes(output));
        let case = Case::new();
        case.script("t.sh", looks_for(b"keep"));
        case.file(name, "one\nkeep\ntwo\n");
        // A name that looks like an option has to be given with a directory, as everywhere.
        let mut given = OsString::from("./");
        given.push(name);
        let words = ["reduce", "--sandbox", "none", "--json", "t.sh"].map(OsStr::new);
        let ran = case.run(words.into_iter().chain([given.as_os_str()])).ended_with(0);
        assert_eq!(case.read(output), b"keep", "{name:?}");
        assert_eq!(case.read(name), b"one\nkeep\ntwo\n");
        assert_eq!(case.names().len(), 4, "{:?}", case.names());
        // All of it comes from the journal, found by the run's own name.
        let runs: Vec<_> =
            fs::read_dir(case.path(".dwindle")).unwrap().map(|run| run.unwrap().path()).collect();
        assert_eq!(runs.len(), 1);
        fs::remove_file(case.path(output)).unwrap();
        let resumed = case.run([OsStr::new("resume"), runs[0].as_os_str()]).ended_with(0);
        assert_eq!(resumed.queries_and_hits(), ran.queries_and_hits());
        assert_eq!(resumed.json()["replayed"], resumed.json()["queries"]);
        assert_eq!(case.read(output), b"keep", "{name:?}");
    }
}

#[test]
fn a_name_that_looks_like_an_option_is_taken_for_one() {
    let case = Case::new();
    case.script("t.sh", "exit 0");
    case.file("-x", "x");
    case.reduce(["t.sh", "-x"]).ended_with(2).said("unexpected argument '-x' found");
}

#[test]
fn directories_with_odd_names_hold_test_input_and_output() {
    let case = Case::new();
    let dir = OsStr::from_bytes(b"a 'b'\n\xff");
    fs::create_dir(case.path(dir)).unwrap();
    let inside = |name: &str| std::path::Path::new(dir).join(name).into_os_string();
    case.script(inside("t.sh"), looks_for(b"keep"));
    case.file(inside("in.txt"), "one\nkeep\n");
    let words = ["reduce", "--sandbox", "none", "-o"].map(OsString::from);
    case.run(words.into_iter().chain([inside("out"), inside("t.sh"), inside("in.txt")])).ended_with(0);
    assert_eq!(case.read(inside("out")), b"keep");
}

#[test]
fn a_persistent_test_cannot_be_told_a_line_break() {
    let case = Case::new();
    case.script("t.sh", "while read -r path; do echo 0; done");
    case.file("new\nline", "x");
    let ran = case.reduce(["--persistent", "t.sh", "new\nline"]).ended_with(1);
    assert_eq!(
        ran.stderr,
        "dwindle: \"new\\nline\" has a line break in its name, which a persistent test cannot be told: rename it\n"
    );
}

#[test]
fn in_place_keeps_the_original_and_its_mode() {
    let case = Case::new();
    case.script("t.sh", format!("[ -x \"$1\" ] || exit 7\n{}", looks_for(b"keep")));
    let input = case.file("run me", "#!/bin/sh\nkeep\n");
    fs::set_permissions(&input, fs::Permissions::from_mode(0o750)).unwrap();
    case.reduce(["--in-place", "t.sh", "run me"]).ended_with(0);
    assert_eq!(case.text("run me"), "keep");
    assert_eq!(case.text("run me.orig"), "#!/bin/sh\nkeep\n");
    assert_eq!(case.names(), [".dwindle", "run me", "run me.orig", "t.sh"]);
    let mode = |name: &str| fs::metadata(case.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("run me"), mode("run me.orig")), (0o750, 0o750));
    // Again: the older copy is not overwritten.
    case.reduce(["--in-place", "t.sh", "run me"]).ended_with(0);
    assert_eq!(case.text("run me.orig"), "#!/bin/sh\nkeep\n");
    assert_eq!(case.text("run me.orig.1"), "keep");
}

#[test]
fn a_result_is_as_executable_as_its_input() {
    let case = Case::new();
    case.script("t.sh", looks_for(b"keep"));
    let input = case.file("in.sh", "#!/bin/sh\nkeep\n");
    for (mode, executable) in [(0o755, true), (0o644, false)] {
        fs::set_permissions(&input, fs::Permissions::from_mode(mode)).unwrap();
        let output = format!("out-{mode}");
        case.reduce(["-o", &output, "t.sh", "in.sh"]).ended_with(0);
        assert_eq!(case.text(&output), "keep");
        let mode = fs::metadata(case.path(&output)).unwrap().permissions().mode();
        assert_eq!(mode & 0o100 != 0, executable);
    }
}

#[test]
fn a_link_given_as_output_stays_one() {
    let case = Case::new();
    case.script("t.sh", looks_for(b"keep"));
    case.file("in.txt", "one\nkeep\n");
    case.file("target.txt", "old");
    std::os::unix::fs::symlink("target.txt", case.path("link.txt")).unwrap();
    case.reduce(["-o", "link.txt", "t.sh", "in.txt"]).ended_with(0);
    assert_eq!(case.text("target.txt"), "keep");
    assert!(fs::symlink_metadata(case.path("link.txt")).unwrap().is_symlink());
}
