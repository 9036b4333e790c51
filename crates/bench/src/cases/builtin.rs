//! Generated cases that need nothing but Python (and gcc for one): what `run` takes when no folder is named.
//!
//! Each test accepts only what a real parser accepts, so that reducers that know no grammar propose many invalid
//! variants, as they do on real inputs. They are for trying out and for regression checks; real bugs count for more.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::Result;

use super::texts;

struct Builtin {
    name: &'static str,
    language: &'static str,
    input: &'static str,
    text: fn() -> String,
    /// A shell script; `input` is in the current directory.
    test: &'static str,
}

/// Writes every case into a folder of its own below `folder`.
pub(crate) fn write_builtin(folder: &Path) -> Result<()> {
    let python = crate::program::python().unwrap_or_else(|_| "python3".into());
    let python = python.to_string_lossy();
    for case in BUILTIN {
        let dir = folder.join(case.name);
        std::fs::create_dir_all(&dir)?;
        std::fs::write(dir.join(case.input), (case.text)())?;
        let test = dir.join("test.sh");
        std::fs::write(&test, format!("#!/bin/sh\n{}", case.test.replace("python3", &python)))?;
        std::fs::set_permissions(&test, std::fs::Permissions::from_mode(0o755))?;
        let meta = format!(
            "name = \"{}\"\nlanguage = \"{}\"\ninput = \"{}\"\ncpu_ms = 30\nprovenance = \"generated\"\n",
            case.name, case.language, case.input
        );
        std::fs::write(dir.join("meta.toml"), meta)?;
    }
    Ok(())
}

const BUILTIN: [Builtin; 8] = [
    Builtin {
        name: "c-gcc-warning",
        language: "C",
        input: "program.c",
        text: || include_str!("../../../../examples/gcc-warning/program.c").to_owned(),
        test: include_str!("../../../../examples/gcc-warning/test.sh"),
    },
    Builtin {
        name: "csv-duplicate-key",
        language: "text",
        input: "rows.csv",
        text: texts::csv,
        test: "\
python3 -S - rows.csv <<'END'
import csv, sys
seen = {}
for row in csv.reader(open(sys.argv[1])):
    if len(row) != 4: sys.exit(1)
    if seen.setdefault(row[0], row[3]) != row[3] and row[2] == 'open': sys.exit(0)
sys.exit(1)
END
",
    },
    Builtin {
        name: "ini-override",
        language: "text",
        input: "settings.ini",
        text: texts::ini,
        test: "\
python3 -S - settings.ini <<'END'
import configparser, sys
config = configparser.ConfigParser(interpolation=None)
try: config.read(sys.argv[1])
except configparser.Error: sys.exit(1)
wanted = [('cache', 'mode', 'fast'), ('network', 'retries', '7')]
sys.exit(0 if all(config.get(*key, fallback=None) == value for *key, value in wanted) else 1)
END
",
    },
    Builtin {
        name: "json-depth",
        language: "JSON",
        input: "data.json",
        text: texts::json,
        test: "\
python3 -S - data.json <<'END'
import json, sys
try: data = json.load(open(sys.argv[1]))
except ValueError: sys.exit(1)
def walk(value, depth):
    if isinstance(value, dict): return any(walk(v, depth + 1) for v in value.values())
    if isinstance(value, list): return any(walk(v, depth + 1) for v in value)
    return value == 'needle' and depth >= 4
sys.exit(0 if walk(data, 0) else 1)
END
",
    },
    Builtin {
        name: "log-double-free",
        language: "text",
        input: "heap.log",
        text: texts::log,
        test: "\
exec awk '/ heap alloc /{s[$6]=1} / heap free /{if(s[$6]==2){f=1;exit} if(s[$6]==1)s[$6]=2} END{exit !f}' heap.log
",
    },
    Builtin {
        name: "lisp-unbound",
        language: "Lisp",
        input: "program.lisp",
        text: texts::lisp,
        test: "\
python3 -S - program.lisp <<'END'
import re, sys
stack, forms = [[]], 0
for token in re.findall(r'[()]|[^\\s()]+', open(sys.argv[1]).read()):
    if token == '(': stack.append([])
    elif token == ')':
        if len(stack) < 2: sys.exit(1)
        form = stack.pop(); stack[-1].append(form)
    else: stack[-1].append(token)
if len(stack) != 1: sys.exit(1)
head = lambda what: str(what[0]) if isinstance(what, list) and what else str(what)
defined = {head(f[1]) for f in stack[0] if isinstance(f, list) and len(f) > 2 and f[0] == 'define'}
def uses(form): return form == 'helper-17' or isinstance(form, list) and any(map(uses, form))
named = [f for f in stack[0] if isinstance(f, list) and len(f) > 2 and f[1] == 'main']
sys.exit(0 if 'helper-17' not in defined and any(map(uses, named)) else 1)
END
",
    },
    Builtin {
        name: "py-nested-yield",
        language: "Python",
        input: "module.py",
        text: texts::python,
        test: "\
python3 -S - module.py <<'END'
import ast, sys
try: tree = ast.parse(open(sys.argv[1]).read())
except SyntaxError: sys.exit(1)
for outer in ast.walk(tree):
    if isinstance(outer, ast.ClassDef):
        for method in outer.body:
            if isinstance(method, ast.FunctionDef):
                for loop in ast.walk(method):
                    if isinstance(loop, ast.While) and any(isinstance(n, ast.Yield) for n in ast.walk(loop)): sys.exit(0)
sys.exit(1)
END
",
    },
    Builtin {
        name: "xml-attribute",
        language: "XML",
        input: "page.xml",
        text: texts::xml,
        test: "\
python3 - page.xml <<'END'
import sys, xml.etree.ElementTree as tree
try: root = tree.parse(sys.argv[1]).getroot()
except tree.ParseError: sys.exit(1)
sys.exit(0 if root.findall('.//section/item[@state=\"broken\"]') else 1)
END
",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn every_builtin_case_is_interesting_and_the_empty_file_is_not() {
        let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
        if !has("python3") || !has("gcc") {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        write_builtin(dir.path()).unwrap();
        for case in crate::cases::all(dir.path()).unwrap() {
            let work = tempfile::tempdir().unwrap();
            let copy = work.path().join(case.input_name());
            let run = || Command::new(&case.test).current_dir(work.path()).output().unwrap();
            std::fs::copy(&case.input, &copy).unwrap();
            assert!(run().status.success(), "{}: {:?}", case.name, run());
            std::fs::write(&copy, "").unwrap();
            assert!(!run().status.success(), "{}: the empty file", case.name);
        }
    }
}
