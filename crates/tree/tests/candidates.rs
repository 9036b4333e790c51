//! Candidates of a source: the quick way to print them and the plain one agree.

use std::ops::Range;

use dwindle_core::{Candidate, Files};
use dwindle_syntax::{Filter, Marks};
use dwindle_tree::{LanguageChoice, Part, Sources};
use proptest::prelude::*;

const TEXTS: [(&str, &str); 4] = [
    (
        "p.c",
        "\n// note\n#include <a.h>\nint f(int a,int b){return a+ +b;}// end\n#define X 1\nint y=X- -1;\n",
    ),
    ("p.json", " {\"a\": [1, 2,3], \"b\":null}\n\n"),
    ("p.py", "def f(x):\n    if x:\n        return 1\n    else: pass\n\nprint(f(2))  # call\n"),
    ("p.rs", "fn main() { let x = 1..2; println!(\"{}\", 0x1f_u8 as i32); }"),
];

fn other() -> Files {
    Files::single("unused", &b"other"[..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn dropping_runs_prints_what_its_tokens_print(
        which in 0..TEXTS.len(),
        runs in prop::collection::vec((0u32..60, 1u32..8), 0..6),
    ) {
        let (name, text) = TEXTS[which];
        let files = Files::new(other().iter().cloned().chain(Files::single(name, text.as_bytes()).iter().cloned()));
        let sources = Sources::new(LanguageChoice::Detect, Filter::Off);
        let source = sources.read(&files, 1).expect("its language is known");
        let len = source.tree().tokens().len() as u32;
        let dropped: Vec<Range<u32>> =
            runs.iter().map(|(start, size)| start % len..(start % len + size).min(len)).collect();
        let quick = source.without(&dropped);
        let kept = (0..len).filter(|at| !dropped.iter().any(|run| run.contains(at)));
        let plain =
            source.of_tokens(&kept.map(|at| source.tree().tokens()[at as usize]).collect::<Vec<_>>());
        let text_of = |candidate: &Candidate| {
            String::from_utf8_lossy(&candidate.files()[1].bytes).into_owned()
        };
        prop_assert_eq!(text_of(&quick), text_of(&plain));
        prop_assert_eq!(quick.fingerprint(), plain.fingerprint());
        prop_assert_eq!(quick.fingerprint(), Candidate::of_files(quick.files().clone()).fingerprint());
        prop_assert_eq!(quick.size(), plain.size());
        prop_assert_eq!(quick.tokens(), plain.tokens());
        prop_assert_eq!(source.token_count(&quick), source.token_count(&plain));
        let bytes: Vec<u8> = quick.runs()[1].runs.iter().flat_map(|run| run.to_vec()).collect();
        prop_assert_eq!(&bytes[..], &quick.files()[1].bytes[..]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn putting_tokens_in_prints_what_its_tokens_print(
        which in 0..TEXTS.len(),
        (start, size) in (0u32..60, 1u32..8),
        put in prop::collection::vec(0usize..5, 0..4),
    ) {
        let (name, text) = TEXTS[which];
        let files = Files::single(name, text.as_bytes());
        let source = Sources::new(LanguageChoice::Detect, Filter::Off).read(&files, 0).expect("a known language");
        let words = [("", "a"), (" ", "0"), ("", "+"), ("\n", "("), ("", "\"\"")];
        let new: Vec<_> = put
            .iter()
            .map(|word| source.lexicon_mut().intern(words[*word].0.as_bytes(), words[*word].1.as_bytes(), Marks::NONE))
            .collect();
        let len = source.tree().tokens().len() as u32;
        let (from, to) = (start % len, (start % len + size).min(len));
        let quick = source.of_parts([Part::Read(0..from), Part::New(&new), Part::Read(to..len)].into_iter());
        let read = source.tree().tokens();
        let plain = source.of_tokens(&[&read[..from as usize], &new, &read[to as usize..]].concat());
        let text_of = |candidate: &Candidate| String::from_utf8_lossy(&candidate.files()[0].bytes).into_owned();
        prop_assert_eq!(text_of(&quick), text_of(&plain));
        prop_assert_eq!(quick.fingerprint(), plain.fingerprint());
        prop_assert_eq!((quick.size(), quick.tokens()), (plain.size(), plain.tokens()));
        prop_assert_eq!(source.token_count(&quick), source.token_count(&plain));
        let bytes: Vec<u8> = quick.runs()[0].runs.iter().flat_map(|run| run.to_vec()).collect();
        prop_assert_eq!(&bytes[..], &quick.files()[0].bytes[..]);
    }
}

#[test]
fn the_whole_source_is_the_file_as_it_was() {
    for (name, text) in TEXTS {
        let files = Files::single(name, text.as_bytes());
        let source =
            Sources::new(LanguageChoice::Detect, Filter::Off).read(&files, 0).expect("a known language");
        assert_eq!(source.whole().fingerprint(), Candidate::of_files(files).fingerprint(), "{name}");
    }
}

#[test]
fn the_filter_turns_down_what_does_not_parse() {
    let files = Files::single("p.json", &b"[1, 2]"[..]);
    let source =
        Sources::new(LanguageChoice::Detect, Filter::NoWorse).read(&files, 0).expect("a known language");
    assert!(!source.admits(&source.without(std::slice::from_ref(&(0..1)))));
    assert!(source.admits(&source.without(std::slice::from_ref(&(1..3)))));
}
