//! The reader of class files: whatever the bytes, no panic; and what is read comes back byte for byte.
#![no_main]

use dwindle_jvm::{ClassFile, mentions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(class) = ClassFile::read(bytes) else { return };
    assert!(class.write() == bytes, "written as it was read");
    let _ = (class.name(), class.super_name(), mentions(&class));
    let mut smaller = class.clone();
    if smaller.drop_unknown_and_unused() {
        let bytes = smaller.write();
        assert!(ClassFile::read(&bytes).as_ref() == Ok(&smaller), "read as it was written");
    }
});
