//! A generated log in which one address is freed twice, and the checker that finds it, in C and in this process.
//!
//! Three lines are needed: an allocation and two frees of the same address. All other allocations are freed once, some
//! addresses are taken again later, and most lines are about something else.

use std::collections::HashMap;
use std::fmt::Write;

use dwindle_core::Subset;

use crate::rng::Rng;

/// Exit status 0 if the log in its argument shows a double free.
pub(super) const CHECKER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 20 };
static unsigned keys[SLOTS];
static unsigned char states[SLOTS]; /* 1: allocated, 2: freed */

static unsigned slot(unsigned key) {
    unsigned at = (key * 2654435761u) >> 12;
    while (keys[at] && keys[at] != key) at = (at + 1) & (SLOTS - 1);
    keys[at] = key;
    return at;
}

int main(int argc, char **argv) {
    char *line = NULL, *found;
    size_t room = 0;
    FILE *log = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!log) return 1;
    while (getline(&line, &room, log) > 0) {
        unsigned address;
        if ((found = strstr(line, " heap alloc 0x"))) {
            address = strtoul(found + 14, NULL, 16);
            if (address) states[slot(address)] = 1;
        } else if ((found = strstr(line, " heap free 0x"))) {
            address = strtoul(found + 13, NULL, 16);
            if (!address) continue;
            unsigned at = slot(address);
            if (states[at] == 2) return 0;
            if (states[at] == 1) states[at] = 2;
        }
    }
    return 1;
}
"#;

/// What a line says about the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Other,
    Alloc(u32),
    Free(u32),
}

impl Entry {
    fn read(line: &[u8]) -> Self {
        let address_behind = |words: &[u8]| {
            let at = line.windows(words.len()).position(|here| here == words)?;
            let digits = line[at + words.len()..].iter().map_while(|&b| char::from(b).to_digit(16));
            Some(digits.fold(0u32, |number, digit| number.wrapping_mul(16).wrapping_add(digit)))
        };
        match (address_behind(b" heap alloc 0x"), address_behind(b" heap free 0x")) {
            (Some(0), _) | (None, Some(0) | None) => Entry::Other,
            (Some(address), _) => Entry::Alloc(address),
            (None, Some(address)) => Entry::Free(address),
        }
    }
}

/// Whether entries in this order show a double free.
fn double_free(entries: impl Iterator<Item = Entry>) -> bool {
    let mut freed = HashMap::new();
    for entry in entries {
        match entry {
            Entry::Other => {}
            Entry::Alloc(address) => {
                freed.insert(address, false);
            }
            Entry::Free(address) => match freed.get_mut(&address) {
                Some(true) => return true,
                Some(freed) => *freed = true,
                None => {}
            },
        }
    }
    false
}

/// The same as the checker, on any text.
pub(super) fn shows_double_free(text: &[u8]) -> bool {
    double_free(text.split(|&b| b == b'\n').map(Entry::read))
}

/// A log, and what each of its lines says.
pub(super) struct Log {
    pub(super) text: String,
    entries: Vec<Entry>,
}

impl Log {
    /// A log of so many lines.
    pub(super) fn generate(lines: usize, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut log = Log { text: String::with_capacity(lines * 80), entries: Vec::with_capacity(lines) };
        let doubled = 0x00ab_cde0;
        let culprits = [(lines / 7, true), (lines / 2, false), (lines - lines / 9, false)];
        let (mut live, mut next) = (Vec::new(), 0x1000u32);
        for line in 0..lines {
            let entry = match culprits.iter().find(|(at, _)| *at == line) {
                Some((_, true)) => Entry::Alloc(doubled),
                Some((_, false)) => Entry::Free(doubled),
                None if rng.below(4) == 0 => {
                    next += 16;
                    live.push(next);
                    Entry::Alloc(next)
                }
                None if rng.below(3) == 0 && !live.is_empty() => {
                    let freed = live.swap_remove(rng.below(live.len()));
                    Entry::Free(freed)
                }
                None => Entry::Other,
            };
            log.push(line, entry, &mut rng);
        }
        log
    }

    fn push(&mut self, line: usize, entry: Entry, rng: &mut Rng) {
        let (seconds, millis) = (line % 60, rng.below(1000));
        let (minutes, hours) = (line / 60 % 60, line / 3600 % 24);
        let level = rng.pick(&["DEBUG", "INFO", "INFO", "WARN"]);
        write!(
            self.text,
            "2026-03-01T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z {level} worker-{} ",
            rng.below(16)
        )
        .expect("strings take all");
        let (a, b) = (rng.below(5000), rng.below(300));
        match entry {
            Entry::Alloc(address) => writeln!(self.text, "heap alloc 0x{address:08x} size={a} tag=batch.{b}"),
            Entry::Free(address) => writeln!(self.text, "heap free 0x{address:08x}"),
            Entry::Other => match rng.below(4) {
                0 => writeln!(self.text, "cache dropped {a} entries, {b} pinned"),
                1 => writeln!(self.text, "pool wrote {a} pages in {b} us"),
                2 => writeln!(self.text, "watch event {a} on node {b} mask={:02x}", a % 256),
                _ => writeln!(self.text, "request {a} from peer {b} answered (status=200)"),
            },
        }
        .expect("strings take all");
        self.entries.push(entry);
    }

    pub(super) fn lines(&self) -> usize {
        self.entries.len()
    }

    /// The same as the checker, on some of the lines.
    pub(super) fn shows_double_free(&self, kept: &Subset) -> bool {
        double_free(kept.iter().map(|line| self.entries[line]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwindle_delta::{Ddmin, ListMinimizer, PredicateList};

    #[test]
    fn three_lines_are_needed() {
        let log = Log::generate(500, 1);
        assert_eq!(log.text.lines().count(), 500);
        let mut list = PredicateList::new(|kept: &Subset| log.shows_double_free(kept));
        let kept = Ddmin::default().minimize(&[1; 500], &mut list).unwrap();
        assert_eq!(kept.iter().collect::<Vec<_>>(), [71, 250, 445]);
    }

    #[test]
    fn the_same_seed_gives_the_same_log() {
        assert_eq!(Log::generate(50, 3).text, Log::generate(50, 3).text);
        assert_ne!(Log::generate(50, 3).text, Log::generate(50, 4).text);
    }

    #[test]
    fn the_checker_agrees_where_there_is_a_compiler() {
        let dir = tempfile::tempdir().unwrap();
        let Ok(checker) = super::super::scale::compile(dir.path()) else {
            return;
        };
        let log = Log::generate(60, 5);
        let lines: Vec<&str> = log.text.split_inclusive('\n').collect();
        let path = dir.path().join("part.log");
        for drop in 0..lines.len() {
            let kept = Subset::full(60).without(drop..drop + 1);
            let text: String = kept.iter().map(|line| lines[line]).collect();
            std::fs::write(&path, text).unwrap();
            let status = std::process::Command::new(&checker).arg(&path).status().unwrap();
            assert_eq!(status.success(), log.shows_double_free(&kept), "without line {drop}");
        }
    }
}
