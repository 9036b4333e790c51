//! A fuzzer or property test that has found a failing input can have it reduced in the same process.
//!
//! ```sh
//! cargo run -p dwindle --example embed
//! ```
#![allow(clippy::print_stdout, reason = "an example shows what it did")]

use std::num::NonZeroUsize;

use dwindle::core::Event;
use dwindle::{Granularity, Reduction};

/// The code under test: reads `key=value` pairs separated by `;` and has a bug with repeated keys.
fn parse(text: &str) -> Result<Vec<(&str, &str)>, String> {
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for pair in text.split(';').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').ok_or("no =")?;
        let seen = pairs.iter().position(|(other, _)| *other == key);
        assert!(seen != Some(0), "the first key came again");
        pairs.push((key, value));
    }
    Ok(pairs)
}

fn main() -> Result<(), dwindle::Error> {
    std::panic::set_hook(Box::new(|_| {}));
    let found = "host=example;port=8080;user=guest;path=/tmp/x;mode=rw;host=other;retries=3;verbose=yes";
    let panics = |bytes: &[u8]| {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return false;
        };
        std::panic::catch_unwind(|| parse(text).is_ok()).is_err()
    };
    let reduced = Reduction::new(found)
        .test(panics)
        .preset("ddmin-star")
        .granularity(Granularity::Char)
        .jobs(NonZeroUsize::MIN)
        .observer(|event| {
            if let Event::Accepted { best } = event {
                println!("{:4} bytes", best.size());
            }
        })
        .run()?;
    println!("{found:?}");
    println!("-> {:?}", String::from_utf8_lossy(reduced.bytes()));
    println!(
        "{} queries, 1-minimal over {}s",
        reduced.summary.counts.queries,
        reduced.minimal_over.unwrap_or("no unit")
    );
    Ok(())
}
