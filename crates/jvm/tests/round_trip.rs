//! Reading and writing back: every class of the platform and of the jars on this machine comes out byte for byte.

mod common;

use dwindle_jvm::{Archive, ClassFile, Content, Libraries, Limits};

#[test]
fn every_class_of_java_base_is_written_back_byte_for_byte() {
    let libraries = Libraries::of_java();
    let names = libraries.platform_classes("java.base");
    if names.is_empty() {
        return common::skipped("no Java platform is installed");
    }
    assert!(names.len() > 5000, "java.base has {} classes", names.len());
    let mut compacted = 0;
    for name in &names {
        let bytes = libraries.class(name).expect("it was listed");
        let mut class = ClassFile::read(&bytes).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(class.write() == *bytes, "{name} was written back with a difference");
        // Compilers leave no constant unused, as a rule, so dropping those changes nothing.
        assert!(class.drop_unused_constants(), "{name} has an unknown attribute");
        compacted += usize::from(class.write() != *bytes);
    }
    eprintln!("{} classes of java.base, {compacted} with unused constants", names.len());
}

#[test]
fn every_class_of_the_jars_here_is_written_back_byte_for_byte() {
    let jars = common::jars();
    if jars.is_empty() {
        return common::skipped("no jars are installed");
    }
    let mut classes = 0;
    for jar in &jars {
        let archive = Archive::open(jar, Limits::default()).unwrap_or_else(|why| panic!("{why}"));
        for entry in &archive.entries {
            if let Content::Class(class) = &entry.content {
                assert!(class.write() == *entry.bytes, "{} in {}", entry.name, jar.display());
                classes += 1;
            }
        }
        assert!(archive.notices.is_empty() || !archive.entries.is_empty());
    }
    eprintln!("{classes} classes of {} jars", jars.len());
}
