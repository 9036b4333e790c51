//! Candidates are judged alike whether they are parsed anew or from what they share with a text that was read.

use dwindle_syntax::{Filter, Reader, SharedRun, language};
use proptest::prelude::*;

const TEXTS: [(&str, &str); 5] = [
    (
        "c",
        "int a = 1;\nint f(int b, char *c)\n{\n    if (b > a && c[0]) { g(b, \"x\"); return 1; }\n    return b ? a : -1;\n}\n",
    ),
    ("javascript", "let a = `x${ b + `y` }z`\nfunction f(c, d) {\n  if (c) { return [1, d] }\n  g()\n}\n"),
    (
        "python",
        "def f(a, b):\n    if a:\n        x = [1,\n             2]\n    return b\n\nclass C:\n    y = 1\n",
    ),
    ("json", "{\"a\": [1, 2.5e3,\n\ttrue], \"b\": {\"c\": null}}\n"),
    (
        "rust",
        "fn f<'a>(x: &'a str) -> Vec<u8> { let y = [1, 2]; if y.len() > 1 { return vec![]; } x.into() }\n",
    ),
];

/// The text without some of its bytes, a blank in place of some, and what it shares with the text.
fn variant(text: &[u8], gone: &[(usize, usize, bool)]) -> (Vec<u8>, Vec<SharedRun>) {
    let mut gone: Vec<_> = gone.iter().map(|(at, len, glue)| (at % text.len(), *len, *glue)).collect();
    gone.sort_unstable();
    let (mut out, mut shared, mut read) = (Vec::new(), Vec::new(), 0);
    for (at, len, glue) in gone.into_iter().chain([(text.len(), 0, false)]) {
        if at > read {
            shared.push(SharedRun { read, here: out.len(), len: at - read });
            out.extend_from_slice(&text[read..at]);
        }
        if glue {
            out.push(b' ');
        }
        read = read.max(at + len).min(text.len());
    }
    (out, shared)
}

fn gone() -> impl Strategy<Value = Vec<(usize, usize, bool)>> {
    proptest::collection::vec((any::<usize>(), 0usize..30, any::<bool>()), 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_variant_is_clean_wherever_its_parse_starts(
        which in 0..TEXTS.len(),
        best in gone(),
        candidates in proptest::collection::vec(gone(), 1..4),
    ) {
        let (name, text) = TEXTS[which];
        let Some(language) = language(name) else { return Ok(()) };
        let mut reader = Reader::new(&language);
        reader.read(text.as_bytes()).expect("small texts parse");
        let clean = |text: &[u8]| Reader::new(&language).admits(text, Filter::Strict);
        let agree = |reader: &mut Reader, gone: &[(usize, usize, bool)]| {
            let (variant, shared) = variant(text.as_bytes(), gone);
            let admitted = reader.admits_variant(&variant, Some(&shared), Filter::Strict);
            (admitted, clean(&variant), String::from_utf8_lossy(&variant).into_owned())
        };
        for gone in &candidates {
            let (admitted, clean, variant) = agree(&mut reader, gone);
            prop_assert_eq!(admitted, clean, "{}", variant);
        }
        let (best, shared) = variant(text.as_bytes(), &best);
        reader.go_on_from(&best, &shared);
        for gone in &candidates {
            let (admitted, clean, variant) = agree(&mut reader, gone);
            prop_assert_eq!(admitted, clean, "from {:?}: {}", String::from_utf8_lossy(&best), variant);
        }
        prop_assert_eq!(reader.read(&best).expect("small texts parse").errors() == 0, clean(&best));
    }
}
