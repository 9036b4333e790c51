//! Definitions as linked items.

mod common;

use common::{passes, reduce_with};
use dwindle_tree::Options;

/// A program, what of it must stay, and what is left of it.
const PROGRAMS: [(&str, &str, &[&str], &str); 6] = [
    (
        "p.c",
        "int a(void) { return 1; }\nint b(void) { return a(); }\nint c(void) { return 2; }\nint d(void) { return c() + b(); }\n",
        &["int b"],
        "int a(void) { return 1; }\nint b(void) { return a(); }\n",
    ),
    (
        "p.py",
        "def a():\n    return 1\ndef b():\n    return a()\ndef c():\n    return b()\nprint(1)\n",
        &["def b"],
        "def a():\n    return 1\ndef b():\n    return a()\n",
    ),
    (
        "p.rs",
        "struct A;\nstruct B;\nfn f(a: A) {}\nfn g(b: B) { f(A); }\nfn main() { g(B); }\n",
        &["fn f"],
        "struct A;\nfn f(a: A) {}\n",
    ),
    (
        "P.java",
        "class A { void m() {} void n() { m(); } }\nclass B { A a; }\nclass C { B b; }\n",
        &["class B"],
        "class A { }\nclass B { A a; }\n",
    ),
    (
        "p.go",
        "package p\n\nfunc a() int { return 1 }\n\nfunc b() int { return a() }\n\nfunc c() int { return b() }\n",
        &["package", "func b"],
        "package p\n\nfunc a() int { return 1 }\n\nfunc b() int { return a() }\n",
    ),
    (
        "p.js",
        "function a() { return 1; }\nfunction b() { return a(); }\nfunction c() { return b(); }\nc();\n",
        &["function b"],
        "function a() { return 1; }\nfunction b() { return a(); }\n",
    ),
];

/// Each name that is called or named as a type is defined: what a compiler would say.
fn links_hold(text: &str) -> bool {
    let heads = [
        ("a()", ["int a(", "def a(", "func a(", "function a("].as_slice()),
        ("b()", &["int b(", "def b(", "func b(", "function b("]),
        ("c()", &["int c(", "def c(", "func c(", "function c("]),
        ("f(A)", &["fn f("]),
        ("g(B)", &["fn g("]),
        ("m()", &["void m("]),
        (": A", &["struct A"]),
        (": B", &["struct B"]),
        ("A a;", &["class A"]),
        ("B b;", &["class B"]),
    ];
    heads.iter().all(|(used, defined)| !text.contains(used) || defined.iter().any(|head| text.contains(head)))
}

#[test]
fn a_definition_stays_with_what_it_uses_and_nothing_else() {
    for (name, text, wanted, expected) in PROGRAMS {
        let interesting = |text: &str| wanted.iter().all(|word| text.contains(word)) && links_hold(text);
        assert!(interesting(text), "{name}");
        for strategy in ["gbr", "binary"] {
            let mut options = Options::default();
            dwindle_tree::set(&mut options, &format!("links.strategy={strategy}")).expect("it is one");
            let (left, summary) = reduce_with(&passes(&["links"], &options), (name, text), interesting);
            assert_eq!(left.trim_end(), expected.trim_end(), "{name} {strategy}");
            assert!(summary.counts.queries <= 8, "{name} {strategy}: {}", summary.counts.queries);
        }
    }
}

#[test]
fn code_without_definitions_is_left_alone() {
    let (left, summary) =
        reduce_with(&passes(&["links"], &Options::default()), ("p.json", "[1, 2]"), |_| true);
    assert_eq!((left.as_str(), summary.counts.queries), ("[1, 2]", 0));
}
