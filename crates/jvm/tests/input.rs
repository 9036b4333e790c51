//! Directories, single classes, jars inside jars, libraries beside the program, and the way through a session.

mod common;

use std::path::Path;
use std::sync::Arc;

use common::{compile, jar, open, program, skipped};
use dwindle_core::{Candidate, Options, Pass, Session};
use dwindle_jvm::{Archive, Content, Detail, Libraries, Limits, Program, ProgramPass, Strategy, kept_items};

const SOURCE: &str = "class P { void a() {} } class A extends P { int f; void b() { a(); } void c() {} }";

fn kept_without(program: &Program, lacking: &[&str]) -> dwindle_logic::ItemSet {
    let items = program.model().items();
    let mut kept = items.all();
    for name in lacking {
        kept.remove(items.find(name).unwrap_or_else(|| panic!("no item {name}")));
    }
    kept
}

#[test]
fn a_directory_comes_back_as_files_with_its_other_files() {
    let Some(classes) = compile(SOURCE, "17") else {
        return skipped("no Java compiler is installed");
    };
    let directory = tempfile::tempdir().expect("a temporary directory");
    for entry in open(&classes).expect("a good zip").entries {
        std::fs::write(directory.path().join(entry.name), &*entry.bytes).expect("a file can be written");
    }
    std::fs::create_dir(directory.path().join("sub")).expect("a directory can be made");
    std::fs::write(directory.path().join("sub/note.txt"), "x").expect("a file can be written");
    let program =
        Program::open(directory.path(), "in", &Libraries::of_java(), Limits::default(), Detail::Standard)
            .expect("a good directory");
    let paths = |lacking: &[&str]| -> Vec<String> {
        let files = program.render(&kept_without(&program, lacking));
        files.iter().map(|file| file.path.display().to_string()).collect()
    };
    assert_eq!(paths(&[]), ["in/A.class", "in/P.class", "in/sub/note.txt"]);
    assert_eq!(paths(&["file sub/note.txt"]), ["in/A.class", "in/P.class"]);
}

#[test]
fn a_single_class_comes_back_as_one() {
    let Some(classes) = compile("class A { int f; int g; }", "17") else {
        return skipped("no Java compiler is installed");
    };
    let bytes = Arc::clone(&open(&classes).expect("a good zip").entries[0].bytes);
    let archive = Archive::of_bytes("A.class", &bytes, Limits::default()).expect("a good class");
    let program =
        Program::new(archive, "A.class", &Libraries::none(), Detail::Standard).expect("a good class");
    assert_eq!(program.render(&program.model().items().all())[0].bytes, bytes);
    let smaller = program.render(&kept_without(&program, &["A.g:I"]));
    assert!(smaller[0].bytes.len() < bytes.len());
    assert_eq!(dwindle_jvm::ClassFile::read(&smaller[0].bytes).expect("a good class").fields.len(), 1);
}

#[test]
fn classes_in_a_jar_inside_a_jar_are_items_of_their_own() {
    let Some(classes) = compile(SOURCE, "17") else {
        return skipped("no Java compiler is installed");
    };
    let outer = jar(&[("lib/inner.jar", &classes), ("note.txt", b"x")]);
    let program = program(&outer);
    assert_eq!(program.render(&program.model().items().all())[0].bytes, outer);
    let files = program.render(&kept_without(&program, &["A.f:I", "file note.txt"]));
    let archive = open(&files[0].bytes).expect("what we write can be read");
    let Content::Jar(inner) = &archive.entries[0].content else {
        panic!("the jar inside is still one");
    };
    assert_eq!((archive.entries.len(), inner.entries.len()), (1, 2));
    let none = dwindle_logic::ItemSet::empty(program.model().items().len());
    assert!(open(&program.render(&none)[0].bytes).expect("an empty jar").entries.is_empty());
}

#[test]
fn what_libraries_ask_for_is_known_once_they_are_named() {
    let source = "interface Lib { void n(); } class A implements Lib { public void n() {} }";
    let Some(classes) = compile(source, "17") else {
        return skipped("no Java compiler is installed");
    };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let archive = open(&classes).expect("a good zip");
    let class = |name: &str| {
        let entry = archive.entries.iter().find(|entry| entry.name == name);
        Arc::clone(&entry.expect("javac wrote it").bytes)
    };
    let library = directory.path().join("lib.jar");
    std::fs::write(&library, jar(&[("Lib.class", &class("Lib.class"))])).expect("a file can be written");
    let input = jar(&[("A.class", &class("A.class"))]);
    for (known, may_go) in [(false, true), (true, false)] {
        let mut libraries = Libraries::of_java();
        if known {
            libraries.add(Path::new(&library), Limits::default()).expect("a good jar");
        }
        let program = Program::new(open(&input).expect("a good zip"), "x.jar", &libraries, Detail::Standard)
            .expect("a class");
        let kept = kept_without(&program, &["A.n()V", "A.n()V!code"]);
        assert_eq!(program.model().allows(&kept), may_go);
    }
}

#[test]
fn a_session_ends_with_the_same_jar_for_every_number_of_jobs() {
    let Some(classes) = compile(common::BUSY, "17") else {
        return skipped("no Java compiler is installed");
    };
    let program = common::program_in(&classes, Detail::Fine);
    let wanted = program.model().items().find("Op.<clinit>()V!code").expect("it is there");
    let interesting =
        move |candidate: &Candidate| kept_items(candidate).expect("made by a program").contains(wanted);
    for (name, strategy, _) in Strategy::named() {
        let pass = ProgramPass::new(name, Arc::clone(&program), strategy);
        let run = |jobs: usize| {
            let input = program.candidate(program.model().items().all());
            let options = Options { jobs, ..Options::default() };
            let (result, best, _) = Session::run(&interesting, input, options, |session| pass.run(session));
            assert!(result.is_ok(), "{name}");
            best
        };
        let (one, four) = (run(1), run(4));
        assert_eq!(one.fingerprint(), four.fingerprint(), "{name}");
        assert!(interesting(&one) && one.size() > 0, "{name}");
        if strategy == Strategy::Default {
            let classes = program.class_count(kept_items(&one).expect("made by a program"));
            assert!(classes <= 4, "an enum with two bodies, and what it implements: {classes}");
        }
    }
}
