//! Bad input: typed errors or whole files, never a panic, nothing written.
//!
//! `DWINDLE_JVM_ROUNDS` makes the search for panics longer than it is by default.

mod common;

use std::sync::Arc;

use common::{Dice, jar, open, program, random_solution};
use dwindle_jvm::{
    Archive, BadArchive, BadClass, BadProgram, ClassFile, Content, Detail, Libraries, Limits, Notice, Program,
};

/// `class A` without members, by hand.
fn class_a() -> Vec<u8> {
    let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52, 0, 5];
    for (tag, rest) in
        [(1u8, &b"\0\x01A"[..]), (7, b"\0\x01"), (1, b"\0\x10java/lang/Object"), (7, b"\0\x03")]
    {
        bytes.push(tag);
        bytes.extend_from_slice(rest);
    }
    // Public; this, super; no interfaces, fields, methods, attributes.
    bytes.extend([0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0]);
    bytes
}

#[test]
fn a_class_cut_short_anywhere_is_an_error() {
    let whole = class_a();
    assert!(ClassFile::read(&whole).is_ok());
    for length in 0..whole.len() {
        let error = ClassFile::read(&whole[..length]).expect_err("it is cut");
        assert!(matches!(error, BadClass::Truncated { .. }), "{length}: {error}");
    }
}

#[test]
fn a_pool_that_counts_less_than_nothing_is_an_error() {
    let mut bytes = class_a()[..8].to_vec();
    // No constants but a count of 0 instead of 1; all indices and counts behind it are 0.
    bytes.extend([0; 16]);
    assert!(matches!(ClassFile::read(&bytes), Err(BadClass::Truncated { .. })));
    bytes[9] = 1;
    assert!(ClassFile::read(&bytes).is_ok_and(|class| class.write() == bytes));
}

#[test]
fn wrong_magic_and_trailing_bytes_are_errors() {
    let mut bytes = class_a();
    bytes.push(0);
    assert_eq!(ClassFile::read(&bytes), Err(BadClass::Trailing(1)));
    bytes[0] = 0xCB;
    assert_eq!(ClassFile::read(&bytes), Err(BadClass::Magic(0xCBFE_BABE)));
}

#[test]
fn a_class_that_cannot_be_read_is_kept_or_dropped_whole_and_said_so() {
    let archive = open(&jar(&[("A.class", &class_a()), ("B.class", b"nonsense")])).expect("a good zip");
    assert!(matches!(archive.entries[1].content, Content::Other));
    assert!(matches!(&archive.notices[..], [Notice::Opaque(name, BadClass::Magic(_))] if name == "B.class"));
    let program =
        Program::new(archive, "x.jar", &Libraries::none(), Detail::Fine).expect("one class is enough");
    assert!(program.model().items().find("file B.class").is_some());
}

#[test]
fn a_jar_without_classes_is_an_error() {
    let archive = open(&jar(&[("a.txt", b"x")])).expect("a good zip");
    let error = Program::new(archive, "x.jar", &Libraries::none(), Detail::Fine).expect_err("no class");
    assert!(matches!(error, BadProgram::NoClass(_)));
}

#[test]
fn what_unpacks_to_more_than_the_limit_is_refused_wherever_it_is_hidden() {
    let limits = Limits { bytes: 100_000, depth: 3 };
    let bomb = jar(&[("zeros", &vec![0; 1_000_000])]);
    let nested = jar(&[("inner.jar", &bomb)]);
    assert!(bomb.len() < 10_000);
    for bytes in [&bomb, &nested] {
        let error = Archive::of_bytes("bomb.jar", bytes, limits).expect_err("too large");
        assert!(matches!(error, BadArchive::TooLarge { limit: 100_000, .. }), "{error}");
    }
}

#[test]
fn entries_that_lead_outside_are_refused() {
    for name in ["../evil.class", "a/../../evil", "/etc/evil"] {
        // Writers refuse some of these names, so one of the same length is patched in the bytes.
        let stand_in = "x".repeat(name.len());
        let bytes = patch(&jar(&[(&stand_in, b"x")]), stand_in.as_bytes(), name.as_bytes());
        let error = open(&bytes).expect_err("it leads outside");
        assert!(matches!(error, BadArchive::Traversal { .. } | BadArchive::Zip { .. }), "{error}");
    }
}

#[test]
fn two_entries_of_one_name_are_refused() {
    let bytes = patch(&jar(&[("A.class", b"1"), ("B.class", b"2")]), b"B.class", b"A.class");
    let error = open(&bytes).expect_err("the name is there twice");
    assert!(matches!(error, BadArchive::Duplicate { .. }), "{error}");
}

fn patch(bytes: &[u8], from: &[u8], to: &[u8]) -> Arc<[u8]> {
    let mut bytes = bytes.to_vec();
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
    bytes.into()
}

#[test]
fn a_file_that_is_no_archive_and_one_that_is_not_there_are_errors() {
    assert!(matches!(open(&b"PK but no zip".as_slice().into()), Err(BadArchive::Zip { .. })));
    let missing = std::path::Path::new("no/such/file.jar");
    assert!(matches!(Archive::open(missing, Limits::default()), Err(BadArchive::Read { .. })));
}

#[test]
fn a_class_that_inherits_from_itself_does_no_harm() {
    // The superclass index leads to the class itself.
    let mut bytes = class_a();
    let at = bytes.len() - 10;
    bytes[at + 1] = 2;
    let program = program(&jar(&[("A.class", &bytes)]));
    assert_eq!(program.model().items().len(), 2);
}

#[test]
fn damaged_classes_never_panic() {
    let libraries = Libraries::of_java();
    let names =
        ["java/lang/Thread$State", "java/util/Optional", "java/util/Formatter$Flags", "java/lang/Record"];
    let mut classes: Vec<Arc<[u8]>> = names.iter().filter_map(|name| libraries.class(name)).collect();
    classes.push(class_a().into());
    let mut dice = Dice(88_172_645_463_325_252);
    let (mut read, mut rejected) = (0, 0);
    let rounds = std::env::var("DWINDLE_JVM_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    for round in 0..rounds.unwrap_or(600) {
        let mut bytes = classes[round % classes.len()].to_vec();
        for _ in 0..=dice.below(4) {
            let at = dice.below(bytes.len());
            bytes[at] = u8::try_from(dice.below(256)).expect("a byte");
        }
        let archive = open(&jar(&[("X.class", &bytes)])).expect("a good zip");
        match Program::new(archive, "x.jar", &Libraries::none(), Detail::Fine) {
            Ok(program) => {
                read += 1;
                let kept = random_solution(program.model(), &mut dice, 3);
                assert!(program.render(&kept).len() == 1);
            }
            Err(_) => rejected += 1,
        }
    }
    assert!(read > 50 && rejected > 50, "{read} read, {rejected} rejected");
}

#[test]
fn signatures_are_dropped_and_said_so_and_the_manifest_stays() {
    let bytes = jar(&[
        ("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\n"),
        ("META-INF/KEY.SF", b"x"),
        ("META-INF/KEY.RSA", b"x"),
        ("A.class", &class_a()),
    ]);
    let program = program(&bytes);
    assert!(matches!(&program.notices()[0], Notice::SignatureDropped(files) if files.len() == 2));
    let all = program.model().items().all();
    let written = open(&program.render(&all)[0].bytes).expect("what we write can be read");
    let names: Vec<&str> = written.entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["META-INF/MANIFEST.MF", "A.class"]);
}

#[test]
fn classes_for_later_versions_are_kept_or_dropped_whole() {
    let bytes = jar(&[("META-INF/versions/9/A.class", &class_a()), ("A.class", &class_a())]);
    let program = program(&bytes);
    let items = program.model().items();
    assert_eq!(
        items.names(&items.all()).collect::<Vec<_>>(),
        ["class META-INF/versions/9/A.class", "class A"]
    );
}

#[test]
fn all_items_give_the_jar_back_byte_for_byte_and_none_an_empty_one() {
    let bytes = jar(&[("b/x.txt", b"x"), ("A.class", &class_a())]);
    let program = program(&bytes);
    let items = program.model().items();
    assert_eq!(program.render(&items.all())[0].bytes, bytes);
    let none = program.render(&dwindle_logic::ItemSet::empty(items.len()));
    assert!(open(&none[0].bytes).expect("an empty zip").entries.is_empty());
}
