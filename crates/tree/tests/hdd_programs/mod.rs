//! Small programs of many languages, each with words that make a variant interesting.
#![allow(dead_code, reason = "each test uses what it needs")]

/// A program and what its variants must hold.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    pub(crate) words: &'static [&'static str],
}

impl Program {
    /// Whether all words stand in a text.
    pub(crate) fn holds(&self, text: &str) -> bool {
        self.words.iter().all(|word| text.contains(word))
    }
}

pub(crate) const PROGRAMS: &[Program] = &[
    Program {
        name: "p.c",
        text: "#include <stdio.h>\nstatic int twice(int n, int unused) { return n * 2; }\nint main(void) {\n  int i, total = 0;\n  for (i = 0; i < 10; i++) {\n    if (i % 2) { total += twice(i, 3) + 7 * total; }\n  }\n  printf(\"%d\\n\", total);\n  return 0;\n}\n",
        words: &["twice(", "% 2"],
    },
    Program {
        name: "p.cpp",
        text: "namespace n {\ntemplate <typename T, typename U> class Box {\npublic:\n  Box(T value) : value(value) {}\n  T get() const { return value + 1; }\nprivate:\n  T value;\n};\n}\nint main() { n::Box<int, char> b(1); try { return b.get(); } catch (...) { return 2; } }\n",
        words: &["Box", "get()"],
    },
    Program {
        name: "p.java",
        text: "import java.util.*;\nclass Main {\n  private int count = 0;\n  static String join(String a, String b) { return a.concat(b); }\n  void run(List<String> names) {\n    for (String name : names) {\n      if (name.isEmpty()) { count++; } else { System.out.println(join(name, \"!\")); }\n    }\n  }\n}\n",
        words: &["join", "println"],
    },
    Program {
        name: "p.js",
        text: "const f = (a, b) => { return a + b * 2; };\nclass Shape { constructor(x) { this.x = x; } area() { return this.x ** 2; } }\nfor (const s of [new Shape(1), new Shape(2)]) {\n  try { console.log(f(s.area(), 3)); } catch (e) { throw e; }\n}\n",
        words: &["area", "console"],
    },
    Program {
        name: "p.py",
        text: "import os\n\ndef greet(name, times=2):\n    for i in range(times):\n        if i > 0:\n            print(\"hello\", name)\n        else:\n            pass\n    return None\n\nclass A:\n    x = [1, 2, 3]\n    def m(self):\n        return {k: v for k, v in zip(self.x, self.x)}\n\ngreet(os.name)\n",
        words: &["hello", "zip"],
    },
    Program {
        name: "p.rs",
        text: "use std::fmt;\n#[derive(Debug)]\nstruct Point { x: i32, y: i32 }\nimpl fmt::Display for Point {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, \"{}\", self.x) }\n}\nfn main() {\n    let points = vec![Point { x: 1, y: 2 }];\n    for p in &points { if p.x > 0 { println!(\"{p} {}\", p.y + 3 * 4); } }\n}\n",
        words: &["Formatter", "println"],
    },
    Program {
        name: "p.go",
        text: "package main\n\nimport \"fmt\"\n\ntype T struct{ a, b int }\n\nfunc (t T) sum(c int) int { return t.a + t.b + c }\n\nfunc main() {\n\tts := []T{{1, 2}, {3, 4}}\n\tfor _, t := range ts {\n\t\tif t.a > 1 {\n\t\t\tfmt.Println(t.sum(5))\n\t\t}\n\t}\n}\n",
        words: &["sum", "range"],
    },
    Program {
        name: "p.json",
        text: "{\n  \"name\": \"x\",\n  \"list\": [1, 22, {\"deep\": [true, null]}, 333],\n  \"other\": {\"a\": {\"b\": -1.5}}\n}\n",
        words: &["deep", "true"],
    },
    Program {
        name: "p.smt2",
        text: "(set-logic QF_LIA)\n(declare-fun x () Int)\n(declare-fun y () Int)\n(assert (and (> x 1) (or (< y (+ x 2)) (= y 0))))\n(assert (not (= x y)))\n(check-sat)\n(get-model)\n",
        words: &["check-sat", "(+ x"],
    },
    Program {
        name: "p.sol",
        text: "pragma solidity ^0.8.0;\ncontract C {\n  uint public total;\n  event Moved(address indexed who, uint amount);\n  function add(uint a, uint b) public returns (uint) {\n    if (a > b) { total += a; emit Moved(msg.sender, a + b); }\n    return total;\n  }\n}\n",
        words: &["emit", "total"],
    },
    Program {
        name: "p.sh",
        text: "#!/bin/sh\nset -e\nname=${1:-world}\nfor f in a b c; do\n  if [ -f \"$f\" ]; then\n    cat \"$f\" | grep -v x > out.txt\n  else\n    echo \"no $f for $name\"\n  fi\ndone\nexit 0\n",
        words: &["grep", "for"],
    },
    Program {
        name: "p.css",
        text: "@import url(\"a.css\");\nbody, .main > p { color: red; margin: 0 1px 2px; }\n@media (max-width: 10px) { a:hover { width: calc(100% - 3px); } }\n",
        words: &["hover", "calc"],
    },
    Program {
        name: "p.dot",
        text: "digraph g {\n  graph [rankdir=LR, label=\"top\"];\n  a -> b -> c [color=red];\n  subgraph cluster_x { d; e -> f; }\n  b -> d;\n}\n",
        words: &["rankdir", "cluster_x"],
    },
    Program {
        name: "p.ts",
        text: "interface Named { name: string; age?: number }\nenum Color { Red, Green = 3 }\nfunction show<T extends Named>(value: T, color: Color = Color.Red): string {\n  const parts: Array<string> = [value.name, `${color}`];\n  return parts.map((p) => p.trim()).join(\", \");\n}\nexport { show };\n",
        words: &["Green", "trim"],
    },
    Program {
        name: "p.rb",
        text: "require 'set'\nclass Stack\n  attr_reader :items\n  def initialize(items = [])\n    @items = items\n  end\n  def push(x)\n    @items << x if x > 0\n    self\n  end\nend\nputs Stack.new([1, 2]).push(3).items.map { |i| i * 2 }.inspect\n",
        words: &["push", "inspect"],
    },
];
