//! Programs of many languages to be reduced, and an independent check that nothing more can go.

use std::rc::Rc;

use dwindle_core::{Candidate, Files, Options as SessionOptions, Session, Summary};
use dwindle_syntax::{Edit, Filter, Role};
use dwindle_tree::{LanguageChoice, Options, Source, Sources, presets};

/// A text, and words of it that must stay, in this order.
pub(crate) struct Program {
    pub(crate) file: &'static str,
    pub(crate) text: &'static str,
    pub(crate) words: &'static [&'static str],
}

impl Program {
    /// Whether the words are all there, in order.
    pub(crate) fn is_interesting(&self, text: &str) -> bool {
        let mut rest = text;
        self.words.iter().all(|word| {
            let found = rest.find(word);
            rest = found.map_or("", |at| &rest[at + word.len()..]);
            found.is_some()
        })
    }

    /// What a preset leaves of it.
    pub(crate) fn reduce(&self, preset: &str, options: &Options, jobs: usize) -> (String, Summary) {
        let preset = presets().find(|entry| entry.name == preset).expect("there is such a preset");
        let steps = preset.build(options, &Rc::new(Sources::new(LanguageChoice::Detect, Filter::Off)));
        let input = Candidate::of_files(Files::single(self.file, self.text.as_bytes()));
        let runner = |candidate: &Candidate| self.is_interesting(&content(candidate));
        let session = SessionOptions { jobs, ..SessionOptions::default() };
        let (result, best, summary) = Session::run(&runner, input, session, |session| {
            steps.iter().try_for_each(|step| step.run(session))
        });
        result.expect("there is no limit");
        (content(&best), summary)
    }

    /// Fails unless a text is interesting, parses no worse than the program, and needs every single node of its tree.
    pub(crate) fn assert_tree_minimal(&self, preset: &str, left: &str) {
        assert!(self.is_interesting(left), "{preset}: {}: {left}", self.file);
        let source = self.read(left);
        let errors = self.read(self.text).tree().errors();
        assert!(source.tree().errors() <= errors, "{preset}: {} does not parse: {left}", self.file);
        let tree = source.tree();
        for node in tree.nodes().filter(|node| tree.is_deletable(*node)) {
            let list = tree.parent(node).filter(|_| tree.role(node) == Role::Element);
            if list.is_some_and(|list| tree.elements(list).count() <= tree.min(list))
                || tree.dropped_range(node).is_empty()
            {
                continue;
            }
            let without = tree.apply(&source.lexicon(), &[Edit::Delete(node)]);
            let without = String::from_utf8(without).expect("the tests are text");
            assert!(
                !self.is_interesting(&without),
                "{preset}: {}: `{left}` is not minimal: `{without}` will do",
                self.file
            );
        }
    }

    fn read(&self, text: &str) -> Source {
        let files = Files::single(self.file, text.as_bytes());
        Sources::new(LanguageChoice::Detect, Filter::Off).read(&files, 0).expect("its language is known")
    }
}

fn content(candidate: &Candidate) -> String {
    String::from_utf8(candidate.files()[0].bytes.to_vec()).expect("the tests are text")
}

const fn program(file: &'static str, text: &'static str, words: &'static [&'static str]) -> Program {
    Program { file, text, words }
}

/// Programs of sixteen languages.
pub(crate) const PROGRAMS: [Program; 16] = [
    program(
        "p.c",
        "// a note\n#include <stdio.h>\ntypedef unsigned uint;\nstatic int helper(int a, char *b) {\n  return a ? *b : 1;\n}\nint table[3] = {1, 2, 3};\nint main(void) {\n  uint x = 1;\n  if (table[0] == 2) {\n    x = helper(1, \"found\");\n  } else return 0;\n  for (;;) { x++; }\n  printf(\"%d\", x + 1 - table[2]);\n  return x;\n}\n",
        &["helper(", "table[", "found", "x"],
    ),
    program(
        "p.cpp",
        "namespace n { template <typename T, int N> struct A { T t[N]; A() : t{} {} virtual ~A() = default; }; }\nint main() { n::A<int, 3> a; try { throw a; } catch (int &e) { return e; } catch (...) { return 1; } }\n",
        &["template", "int N", "throw", "catch (int"],
    ),
    program(
        "P.java",
        "import java.util.*;\npublic class P extends Object implements Runnable {\n  private static final int A = 1, B = 2;\n  public void run() { switch (A) { case 1: System.out.println(\"one\"); break; default: } }\n  <T> T id(T t) throws Exception { return t; }\n}\n",
        &["class P", "switch", "default"],
    ),
    program(
        "p.js",
        "import { a, b } from 'm';\nexport class C extends D { #p = 1; static m(x, ...y) { return x ?? y; } }\nasync function f() { for await (const z of a()) { b(`t${z}`); } }\nf().then(() => 1, e => { throw e; });\n",
        &["class", "??", "await", "`t${"],
    ),
    program(
        "p.ts",
        "interface I<T> extends J { a?: string; readonly b: T[]; }\nenum E { A = 1, B }\nfunction g<K extends keyof I<E>>(k: K, o: I<E>): unknown { return o[k] as unknown; }\n",
        &["interface", "readonly b", "enum", "B"],
    ),
    program(
        "p.py",
        "import os, sys\n@deco(1)\ndef f(x, *args, y=2, **kw):\n    \"\"\"doc\"\"\"\n    if x and y:\n        with open('a') as g, open('b') as h:\n            return [z for z in args if z]\n    else:\n        pass\n    return None\n\nclass C(Base):\n    a: int = 1\n    def m(self): return f(self, 1, y=3)\n",
        &["def f(", "with open", "h", "class C"],
    ),
    program(
        "p.rs",
        "#[derive(Debug, Clone)]\npub struct S<'a, T: Copy> { a: &'a [T], pub b: u8 }\nimpl<'a, T: Copy> S<'a, T> where T: Ord { fn m(&self) -> Option<T> { match self.a { [x, ..] => Some(*x), _ => None } } }\nfn main() { let v = vec![1, 2]; println!(\"{}\", v[0] as i64 + 3); }\n",
        &["struct S", "match", "=> None"],
    ),
    program(
        "p.go",
        "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\ntype T struct {\n\ta, b int\n}\n\nfunc (t *T) m(x ...int) (r int, err error) {\n\tdefer func() { r++ }()\n\tfor i, v := range x {\n\t\tif v > t.a && i < 3 {\n\t\t\tfmt.Println(v, os.Args)\n\t\t}\n\t}\n\treturn\n}\n",
        &["package", "type T", "range x"],
    ),
    program(
        "p.json",
        "{\"a\": [1, 2, {\"b\": null, \"c\": [true, false]}], \"d\": {\"e\": \"f\", \"g\": -1.5e3}, \"h\": []}\n",
        &["\"a\"", "false", "\"g\""],
    ),
    program(
        "p.rb",
        "require 'set'\nmodule M\n  class A < B\n    attr_reader :x, :y\n    def initialize(x, y = 2, *z)\n      @x, @y = x, y\n      z.each { |q| puts q if q > 1 }\n    end\n  end\nend\n",
        &["class A", "z.each", "puts q"],
    ),
    program(
        "p.lua",
        "local t = {1, 2, a = 3, [4] = 5}\nlocal function f(x, ...)\n  if x > 1 then return f(x - 1, ...) elseif x == 0 then return nil else print(x) end\nend\nfor i, v in ipairs(t) do f(v, i) end\n",
        &["local t", "a = 3", "elseif"],
    ),
    program(
        "p.php",
        "<?php\nnamespace N;\nuse A\\B;\nfinal class C extends D implements E {\n  private ?int $x = 1;\n  public function m(int $a, string ...$b): ?array { foreach ($b as $k => $v) { echo \"$k $v\", PHP_EOL; } return [$a, 'k' => $b]; }\n}\n",
        &["class C", "foreach", "=> $v"],
    ),
    program(
        "p.sh",
        "#!/bin/sh\nset -e\nf() {\n  for i in 1 2 3; do\n    echo \"$i\" | grep -v x > out.txt || true\n  done\n}\nif [ -n \"$1\" ]; then f \"$@\"; else exit 1; fi\n",
        &["for i in", "grep", "exit"],
    ),
    program(
        "p.css",
        "@media screen and (min-width: 10px) { a.b > c, d:hover { color: red; margin: 0 auto 1px; } }\n#x { background: url(a.png) no-repeat; }\n",
        &["@media", "d:hover", "auto", "#x"],
    ),
    program(
        "p.xml",
        "<?xml version=\"1.0\"?>\n<a x=\"1\" y=\"2\"><!-- note --><b><c z=\"3\"/>text</b><d/><e>more<f/></e></a>\n",
        &["y=\"2\"", "<c", "<f"],
    ),
    program(
        "p.toml",
        "title = \"t\"\n[a]\nb = [1, 2, 3]\nc = { d = 1, e = \"f\" }\n[[g]]\nh = 2024-01-01\n[[g]]\ni = true\n",
        &["[a]", "2", "e =", "i"],
    ),
];
