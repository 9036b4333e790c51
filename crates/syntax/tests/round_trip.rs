//! Printing an unedited tree gives back the text, byte for byte, whatever the text is.

use dwindle_syntax::{Language, Reader, detect, language, languages};
use proptest::prelude::*;
use std::path::Path;

/// Files of each language looked at, and their largest size.
const FILES: usize = 20;
const LARGEST: u64 = 50_000;

fn reads_back(language: &Language, text: &[u8]) -> bool {
    let mut reader = Reader::new(language);
    let tree = reader.read(text).expect("small texts parse");
    tree.render(reader.lexicon(), tree.tokens().iter().copied()) == text
}

/// Small texts with the traps of each language.
const TEXTS: &[(&str, &str)] = &[
    ("c", "#include <a.h>\r\n#define F(x) \\\n  x\n/* a */ int\tf(int a){ return a<b ? -a : - -a; } // end"),
    ("cpp", "template<class T> struct S : A<B<T>> { operator int() const; };\nauto r = R\"(x\n y)\";\n"),
    ("rust", "/// doc\nfn f<'a>(x: &'a str) -> Vec<Vec<u8>> { r#\"a\"b\"#; 1.0_f32; x.0.1 }\n"),
    ("java", "@A class C<T> { int x = 1 >>> 2; String s = \"\"\"\n  a\"\"\"; }\n"),
    ("javascript", "#!/usr/bin/env node\nlet a = `x${ b + `y` }z`\n;[1,,2].f(/[/]/g)\nif (a) b()\nelse c\n"),
    ("typescript", "type A<T> = { [K in keyof T]?: T[K] };\nconst x = <T,>(a: T) => a!\n"),
    (
        "python",
        "if a:\n\tb = '''x\n  y'''\n\t# c\n\n\tif c: d; e\nelse:\n   pass\n\n\ndef f(a,\n      b): return (a\n  + b) # end",
    ),
    ("go", "package p\n\nfunc f(a, b int) (x int) {\n\tif a < b { return }\n\n\tgo f(1, 2)\n}\n"),
    ("json", "{\"a\":[1 , 2.5e3,\n\ttrue],\"b\":{}}\n\n"),
    ("html", "<!DOCTYPE html>\n<p class=a>x<br>y <b>z</b>\n<script>a < b</script>"),
    ("css", "@media (min-width:1px){a>b,c~d::before{x:y!important;--z: 1 }}"),
    (
        "bash",
        "cat <<E | grep 'x y' && f() { a=\"$b ${c[@]}\"; }\nhere $x\nE\nfor i in 1 2; do\n  :\ndone # x\n",
    ),
    ("ruby", "def f a, b=1\n  x = <<~E\n    text #{a}\n  E\n  puts %w[a b], :c if a\nend\n"),
    ("yaml", "a:\n  - b: 1\n    c: |\n      text\n      more\n  - {d: e}\n# end\n"),
    ("markdown", "# a\n\n- b\n  - c\n\n    code\n      more\n\n```x\n  y\n```\n| d |\n|---|\n"),
    (
        "dot",
        "strict digraph g { // c\n a:n -> {b; \"c d\"} -> e [x=1, y=<<b>z</b>>];\n node [k=v] rank=same\n# e\n}\n",
    ),
    ("toml", "[a.b]\nx = 1 # c\ny = [1,\n  2]\n\n[[t]]\n"),
    ("make", "A := b\nall: x y\n\t@echo $(A) \\\n\t  more\n\nx:\n\ttouch $@\n"),
    ("lua", "local a <const> = [[x\ny]] -- c\nfor i=1,2 do f{a=1;2} end\n"),
    (
        "smtlib",
        "(set-logic ALL) ; c\n(declare-fun |a b| (Int) Bool)\n(assert (let ((x \"a\"\"b\")) (! x :named y)))\n",
    ),
    (
        "wat",
        "(module (; a (; b ;) ;) (func $f (param i32) (result i32)\n  local.get 0 i32.const -1 i32.add))",
    ),
    ("sexp", "(a (b \"c\\\"\" . d)) ; e\n"),
];

#[test]
fn small_texts_with_the_traps_of_each_language_read_back() {
    for (name, text) in TEXTS {
        if let Some(language) = language(name) {
            assert!(reads_back(&language, text.as_bytes()), "{name}: {text}");
        }
    }
}

#[test]
fn every_language_reads_back_any_text() {
    let hostile: &[&[u8]] = &[
        b"",
        b"\n",
        b" \t\n",
        b"\0",
        b"\xff\xfe\x00",
        b"((((",
        b"}}}}",
        b"a\\\nb\x0b\x0c",
        "\u{feff}x \u{a0}y\u{2028}z".as_bytes(),
    ];
    for language in languages() {
        for text in hostile {
            assert!(reads_back(language, text), "{}: {text:?}", language.name());
        }
    }
}

#[test]
fn real_files_read_back_and_their_nodes_are_explained() {
    let mut found: Vec<(Language, usize)> =
        languages().iter().map(|language| (language.clone(), 0)).collect();
    let home = std::env::var_os("CARGO_HOME").map(std::path::PathBuf::from);
    let home = home.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cargo")));
    let mut folders: Vec<_> = home.map(|home| home.join("registry/src")).into_iter().collect();
    folders.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let (mut explained, mut inner) = (0, 0);
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(&folder).into_iter().flatten().flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::path);
        for entry in entries {
            let Ok(data) = entry.metadata() else { continue };
            let path = entry.path();
            if data.is_dir() {
                if path.file_name().is_none_or(|name| name != "target" && name != ".git") {
                    folders.push(path);
                }
                continue;
            }
            let Some(language) = detect(&path, b"").filter(|_| data.is_file() && data.len() < LARGEST) else {
                continue;
            };
            let Some((_, count)) =
                found.iter_mut().find(|(known, count)| *known == language && *count < FILES)
            else {
                continue;
            };
            let Ok(text) = std::fs::read(&path) else { continue };
            *count += 1;
            let mut reader = Reader::new(&language);
            let tree = reader.read(&text).expect("small files parse");
            assert!(
                tree.render(reader.lexicon(), tree.tokens().iter().copied()) == text,
                "{}",
                path.display()
            );
            explained += tree.explained().0;
            inner += tree.explained().1;
        }
    }
    assert!(explained as f64 >= 0.995 * inner as f64, "{explained} of {inner} inner nodes are explained");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn damaged_texts_read_back(
        index in 0..TEXTS.len(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..8, prop::collection::vec(any::<u8>(), 0..3)), 0..6),
    ) {
        let (name, text) = TEXTS[index];
        let Some(language) = language(name) else { return Ok(()) };
        let mut text = text.as_bytes().to_vec();
        for (at, length, new) in cuts {
            let at = at.index(text.len() + 1);
            let end = (at + length).min(text.len());
            text.splice(at..end, new);
        }
        prop_assert!(reads_back(&language, &text), "{name}: {:?}", String::from_utf8_lossy(&text));
    }
}
