//! The model of a class and what is written of it: whatever the class, no panic, and every variant can be read again.
#![no_main]

use std::sync::Arc;

use dwindle_jvm::{Archive, ClassFile, Detail, Libraries, Limits, Program, Strategy, reduce};
use dwindle_logic::{Gbr, ItemSet};
use libfuzzer_sys::fuzz_target;

/// As many variants are looked at of each class.
const VARIANTS: u32 = 12;

fuzz_target!(|bytes: &[u8]| {
    let Some((&salt, class)) = bytes.split_first() else { return };
    let Ok(archive) = Archive::of_bytes("Fuzz.class", &Arc::from(class), Limits::default()) else { return };
    let Ok(program) = Program::new(archive, "Fuzz.class", &Libraries::none(), Detail::Fine) else { return };
    let mut seen = 0;
    // An answer that depends on nothing but the items makes the search wander.
    let mut probe = |kept: &ItemSet| {
        seen += 1;
        if seen > VARIANTS {
            return false;
        }
        for file in program.render(kept).iter() {
            ClassFile::read(&file.bytes).expect("a variant can be read");
        }
        let sum = kept.iter().fold(u32::from(salt), |sum, item| {
            sum.wrapping_mul(31).wrapping_add(u32::try_from(item.index()).unwrap_or(7))
        });
        sum % 3 != 0
    };
    let closing = Strategy::Gbr(Gbr { closing: true, ..Gbr::default() });
    let _ = reduce(&program, closing, &mut probe);
});
