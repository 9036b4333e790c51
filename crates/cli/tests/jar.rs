//! `dwindle jar` from the command line, on a program that is compiled here, and on input that is not as it should be.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use common::{Case, Ran, skipped};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// What the tests look for is in `Deep.say`, which needs the class and nothing else.
const SOURCE: &str = r#"
    interface Speaker { String say(); default String twice() { return say() + say(); } }
    abstract class Base implements Speaker { protected int count; Base(int count) { this.count = count; } abstract void more(); }
    class Deep extends Base { Deep() { super(3); } void more() { count++; } @Deprecated public String say() { return "the needle"; } }
    class User { int use(Speaker s) { return s.twice().length(); } static User of(Deep d) { return new User(); } }
    enum Colour { RED, GREEN } record Point(int x, int y) {}
    class Main { public static void main(String[] args) { System.out.println(new User().use(new Deep()) + args.length); } }
"#;

/// The classes of the program, by file name; nothing where there is no compiler.
fn classes() -> Option<&'static BTreeMap<String, Vec<u8>>> {
    static CLASSES: OnceLock<Option<BTreeMap<String, Vec<u8>>>> = OnceLock::new();
    let classes = CLASSES.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("Source.java"), SOURCE).unwrap();
        let mut javac = Command::new("javac");
        javac.args(["--release", "17", "-g", "-d", "out", "Source.java"]).current_dir(dir.path());
        assert!(javac.status().ok()?.success());
        let files = fs::read_dir(dir.path().join("out")).unwrap().flatten();
        Some(files.map(|file| (name(&file.path()), fs::read(file.path()).unwrap())).collect())
    });
    if classes.is_none() {
        skipped("there is no javac, so there are no classes to reduce");
    }
    classes.as_ref()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// A jar that can be searched as it is, for nothing in it is compressed.
fn packed<'a>(entries: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in entries {
        zip.start_file(name, stored).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn jar(classes: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let manifest = ("META-INF/MANIFEST.MF", &b"Manifest-Version: 1.0\r\n\r\n"[..]);
    let classes = classes.iter().map(|(name, bytes)| (name.as_str(), &bytes[..]));
    packed([manifest].into_iter().chain(classes))
}

/// The names in a jar, sorted.
fn entries(bytes: &[u8]) -> Vec<String> {
    let zip = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut names: Vec<_> = zip.file_names().map(|name| name.unwrap().into_owned()).collect();
    names.sort();
    names
}

fn entry(bytes: &[u8], name: &str) -> Vec<u8> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut content = Vec::new();
    zip.by_name(name).unwrap().read_to_end(&mut content).unwrap();
    content
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

/// A case with the jar and a test that wants the needle.
fn case(classes: &BTreeMap<String, Vec<u8>>) -> Case {
    let case = Case::new();
    case.file("app.jar", jar(classes));
    case.script("test.sh", "grep -aq 'the needle' \"$1\"");
    case
}

fn run(case: &Case, words: &[&str]) -> Ran {
    case.run(["jar", "--sandbox", "none", "--json"].iter().chain(words))
}

#[test]
fn one_method_of_one_class_is_left_and_everything_is_counted() {
    let Some(classes) = classes() else { return };
    let case = case(classes);
    let ran = run(&case, &["test.sh", "app.jar"]).ended_with(0).said("7 classes").said("classes  7 -> 1");
    let json = ran.json();
    let count = |name: &str| json[name].as_u64().unwrap();
    assert_eq!((count("classes_before"), count("classes_after")), (7, 1));
    assert!(count("items_after") < 8 && count("items_before") > 80, "{json}");
    assert!(count("output_bytes") < 500 && count("weight_after") < count("output_bytes"), "{json}");
    assert!(count("queries") > 3 && json["seconds"].as_f64().is_some());
    assert_eq!(json["minimal_over"], "items");
    let reduced = case.read("app.reduced.jar");
    assert_eq!(entries(&reduced), ["Deep.class"]);
    let class = entry(&reduced, "Deep.class");
    assert!(has(&class, "the needle") && has(&class, "say"));
    for gone in ["Base", "more", "Deprecated", "LineNumberTable", "SourceFile"] {
        assert!(!has(&class, gone), "{gone}");
    }
    case.assert_nothing_is_left(&ran);
}

#[test]
fn every_preset_keeps_the_needle_and_coarse_items_keep_attributes() {
    let Some(classes) = classes() else { return };
    for preset in [
        "default",
        "gbr",
        "gbr-published",
        "binary",
        "closure",
        "verify",
        "ddmin",
        "lossy-first",
        "lossy-last",
    ] {
        let case = case(classes);
        run(&case, &["-q", "--preset", preset, "--items", "coarse", "test.sh", "app.jar"]).ended_with(0);
        let reduced = case.read("app.reduced.jar");
        let class = entry(&reduced, "Deep.class");
        assert!(has(&class, "the needle") && has(&class, "SourceFile"), "{preset}");
        assert!(!entries(&reduced).contains(&"Point.class".to_owned()), "{preset}");
        // Whole classes keep what they name.
        let coarse = ["binary", "closure", "verify"].contains(&preset);
        assert_eq!(entries(&reduced).contains(&"Base.class".to_owned()), coarse, "{preset}");
    }
}

#[test]
fn reduce_finds_jars_directories_and_classes_on_its_own() {
    let Some(classes) = classes() else { return };
    let case = case(classes);
    case.reduce(["--json", "test.sh", "app.jar"]).ended_with(0).said("classes  7 -> 1");
    // The extension does not matter, but what is inside.
    case.file("blob", jar(classes));
    case.reduce(["test.sh", "blob"]).ended_with(0).said("classes  7 -> 1");
    for (name, bytes) in classes {
        case.file(format!("out/pkg/{name}"), bytes);
    }
    case.file("out/notes.txt", "some notes");
    case.script("dir.sh", "grep -raq 'the needle' \"$1\"");
    case.reduce(["dir.sh", "out"]).ended_with(0).said("classes  7 -> 1");
    assert!(has(&case.read("out.reduced/pkg/Deep.class"), "the needle"));
    assert_eq!(common::names(&case.path("out.reduced")), ["pkg"]);
    case.file("Deep.class", &classes["Deep.class"]);
    case.reduce(["test.sh", "Deep.class"]).ended_with(0).said("classes  1 -> 1");
    assert!(case.read("Deep.reduced.class").len() < classes["Deep.class"].len());
    // Presets that classes do not have take the bytes.
    case.reduce(["--preset", "text", "-o", "bytes", "test.sh", "app.jar"]).ended_with(0);
    assert_eq!(case.text("bytes"), "the needle");
}

#[test]
fn a_jar_is_reduced_in_place_with_a_copy_kept_and_by_a_command() {
    let Some(classes) = classes() else { return };
    let case = case(classes);
    run(&case, &["--in-place", "test.sh", "app.jar"]).ended_with(0);
    assert_eq!(entries(&case.read("app.jar")), ["Deep.class"]);
    assert_eq!(case.read("app.jar.orig"), jar(classes));
    let words = ["app.jar.orig", "-o", "small.jar", "--exit", "0", "--", "grep", "-aq", "the needle", "{}"];
    run(&case, &words).ended_with(0);
    assert_eq!(entries(&case.read("small.jar")), ["Deep.class"]);
}

#[test]
fn the_result_is_the_same_for_every_number_of_jobs() {
    let Some(classes) = classes() else { return };
    let results = ["-j1", "-j4"].map(|jobs| {
        let case = case(classes);
        let ran = run(&case, &[jobs, "test.sh", "app.jar"]).ended_with(0);
        (ran.queries_and_hits(), case.read("app.reduced.jar"))
    });
    assert!(results[0] == results[1]);
}

#[test]
fn a_run_is_resumed_without_the_input_and_comes_to_the_same_result() {
    let Some(classes) = classes() else { return };
    let whole = case(classes);
    let ran = run(&whole, &["-j1", "test.sh", "app.jar"]).ended_with(0);
    for command in ["jar", "reduce"] {
        let case = case(classes);
        case.run([command, "--sandbox", "none", "-j1", "--max-queries", "5", "test.sh", "app.jar"])
            .ended_with(0)
            .said("go on    dwindle resume .dwindle/app-1");
        fs::remove_file(case.path("app.jar")).unwrap();
        let resumed = case.run(["resume", "app-1"]).ended_with(0).said("5 from the journal");
        assert!(resumed.stderr.contains("classes  7 -> 1"), "{}", resumed.stderr);
        assert_eq!(case.read("app.reduced.jar"), whole.read("app.reduced.jar"));
    }
    assert!(ran.json()["queries"].as_u64().unwrap() > 5);
}

#[test]
fn a_directory_run_is_resumed_too() {
    let Some(classes) = classes() else { return };
    let case = Case::new();
    for (name, bytes) in classes {
        case.file(format!("out/{name}"), bytes);
    }
    case.script("dir.sh", "grep -raq 'the needle' \"$1\"");
    run(&case, &["-j1", "--max-queries", "3", "dir.sh", "out"]).ended_with(0);
    fs::remove_dir_all(case.path("out")).unwrap();
    case.run(["resume", "out-1"]).ended_with(0).said("classes  7 -> 1");
    assert_eq!(common::names(&case.path("out.reduced")), ["Deep.class"]);
}

#[test]
fn the_tree_of_a_jar_is_its_items_and_clauses() {
    let Some(classes) = classes() else { return };
    let case = case(classes);
    let ran = case.run(["tree", "app.jar"]).ended_with(0).said("Java bytecode: 7 classes");
    let line = |start: &str| ran.stdout.lines().any(|line| line.starts_with(start));
    for start in ["class Deep  ", "  Deep<<Base  ", "  Deep.say()", "    Deep.say()Ljava/lang/String;!code  "]
    {
        assert!(line(start), "{start:?}\n{}", ran.stdout);
    }
    assert!(line("`Deep<<Base` needs `class Base` [it names the class]"), "{}", ran.stdout);
    let json = case.run(["tree", "--json", "app.jar"]).ended_with(0).json();
    assert_eq!(json["items"][0]["name"], "file META-INF/MANIFEST.MF");
    assert!(json["clauses"].as_array().unwrap().len() > 50);
    case.run(["tree", "--dot", "app.jar"]).ended_with(2).said("--dot draws syntax trees");
}

#[test]
fn what_is_wrong_with_an_input_is_said_in_one_line_and_nothing_is_written() {
    let Some(classes) = classes() else { return };
    let class = |name: &str| &classes[name][..];
    let good = jar(classes);
    let two = packed([("A.class", class("Deep.class")), ("B.class", class("Main.class"))]);
    let zeros = vec![0; 3 << 20];
    let mut bomb = ZipWriter::new(Cursor::new(Vec::new()));
    bomb.start_file("Zeros.class", SimpleFileOptions::default()).unwrap();
    bomb.write_all(&zeros).unwrap();
    let table: [(&str, Vec<u8>, &str); 8] = [
        ("cut.jar", good[..good.len() / 2].to_vec(), "cut.jar is not a jar that can be read"),
        (
            "cut.class",
            class("Deep.class")[..200].to_vec(),
            "the class file ends at byte 200, in the middle of",
        ),
        ("magic.class", b"nonsense, not a class".to_vec(), "magic.class is not a jar that can be read"),
        ("twice.jar", patched(&two, "B.class", "A.class"), "has two entries of the same name"),
        ("out.jar", patched(&two, "B.class", "../vile"), "has an entry that leads outside of it: `../vile`"),
        ("bomb.jar", bomb.finish().unwrap().into_inner(), "bomb.jar unpacks to more than 1048576 bytes"),
        ("none.jar", packed([("a.txt", &b"text"[..])]), "none.jar holds no class that can be read"),
        ("empty.jar", Vec::new(), "empty.jar"),
    ];
    for (name, bytes, message) in table {
        let case = Case::new();
        case.file(name, bytes);
        case.script("test.sh", "true");
        let before = case.names();
        let ran = run(&case, &["--max-unpacked", "1M", "test.sh", name]).ended_with(2).said(message);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        assert_eq!(case.names(), before, "{name}");
        assert!(!case.outside("vile").exists());
        case.assert_nothing_is_left(&ran);
    }
}

#[test]
fn reduce_says_what_is_wrong_with_a_jar_instead_of_taking_it_for_text() {
    let Some(classes) = classes() else { return };
    let case = case(classes);
    let bytes = case.read("app.jar");
    case.file("app.jar", &bytes[..bytes.len() / 2]);
    case.reduce(["test.sh", "app.jar"])
        .ended_with(2)
        .said("app.jar is not a jar that can be read")
        .said("--preset text");
}

#[test]
fn a_class_that_cannot_be_read_or_does_not_verify_is_no_reason_to_give_up() {
    let Some(classes) = classes() else { return };
    let mut classes = classes.clone();
    classes.insert("Broken.class".to_owned(), classes["Main.class"][..100].to_vec());
    // A body that starts by dropping a value that is not there does not verify.
    let bad = patched(&classes["Deep.class"], "\u{2a}\u{6}", "\u{57}\u{6}");
    assert_ne!(bad, classes["Deep.class"]);
    classes.insert("Deep.class".to_owned(), bad);
    let case = case(&classes);
    run(&case, &["test.sh", "app.jar"])
        .ended_with(0)
        .said("note: Broken.class cannot be read")
        .said("classes  7 -> 1");
    assert_eq!(entries(&case.read("app.reduced.jar")), ["Deep.class"]);
}

#[test]
fn a_signed_jar_loses_its_signature_and_that_is_said() {
    let Some(classes) = classes() else { return };
    let case = Case::new();
    let signature = [("META-INF/KEY.SF", &b"x"[..]), ("META-INF/KEY.RSA", &b"y"[..])];
    let classes = classes.iter().map(|(name, bytes)| (name.as_str(), &bytes[..]));
    case.file("app.jar", packed(signature.into_iter().chain(classes)));
    case.script("test.sh", "! grep -aq KEY.SF \"$1\" && grep -aq 'the needle' \"$1\"");
    run(&case, &["test.sh", "app.jar"]).ended_with(0).said("the jar is signed, which no reduced jar can be");
}

fn patched(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let (mut bytes, from, to) = (bytes.to_vec(), from.as_bytes(), to.as_bytes());
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
    bytes
}
