//! `dwindle logic` from the command line: small models, one like the package database of a Debian system among them.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod common;

use common::{Case, Ran, names};

/// Status paragraphs as dpkg has them: name, installed size, what it depends on, the files it ships.
const STATUS: &str = "\
git|40|libc zlib perl|/usr/bin/git
perl|50|libc|/usr/bin/perl
libc|12|base|
zlib|2|libc|
gcc|90|cpp libc binutils|/usr/bin/gcc
cpp|30|libc|/usr/bin/cpp
binutils|25|libc zlib|/usr/bin/ld
vim|35|libc vim-runtime|/usr/bin/vim
vim-runtime|30||
mail|5|mta|/usr/bin/mail
exim|20|libc|
postfix|15|libc|
base|1||
";

/// The items and rules of [`STATUS`]; `mta` is provided by two packages.
fn packages(case: &Case) {
    let rows = || STATUS.lines().map(|line| line.split('|').collect::<Vec<_>>());
    let items: Vec<_> = rows()
        .map(|row| serde_json::json!({"name": row[0], "weight": row[1].parse::<u64>().unwrap()}))
        .collect();
    let needs = |row: &[&str]| -> Vec<serde_json::Value> {
        let one = |need: &str| match need {
            "mta" => serde_json::json!({"any": ["exim", "postfix"]}),
            name => name.into(),
        };
        row[2].split(' ').filter(|need| !need.is_empty()).map(one).collect()
    };
    let rules: Vec<_> = rows()
        .map(|row| serde_json::json!({"if": row[0], "then": {"all": needs(&row)}, "why": format!("{} depends", row[0])}))
        .collect();
    case.file("packages.json", serde_json::json!({"items": items}).to_string());
    let model = serde_json::json!({"require": ["base"], "rules": rules});
    case.file("model.json", model.to_string());
    case.file("status", STATUS);
    // Interesting: the kept packages ship all the files that are wanted.
    let status = case.path("status");
    case.script(
        "test.sh",
        format!(
            "for file in ${{WANTED:-/usr/bin/git}}; do
               grep -F \"|$file\" '{}' | cut -d'|' -f1 | grep -qxFf \"$1\" || exit 1
             done",
            status.display()
        ),
    );
}

fn logic(case: &Case, words: &[&str]) -> Ran {
    case.run(["logic", "--sandbox", "none", "--json"].iter().chain(words))
}

const PACKAGES: [&str; 5] = ["--items", "packages.json", "--model", "model.json", "test.sh"];

#[test]
fn the_smallest_closed_set_of_packages_that_ships_a_file_is_found() {
    let case = Case::new();
    packages(&case);
    let ran = logic(&case, &PACKAGES).ended_with(0).said("13 items").said("items    13 -> 5 (38.5 %)");
    assert_eq!(case.text("packages.reduced.txt"), "git\nperl\nlibc\nzlib\nbase\n");
    let json = ran.json();
    let counts = ["items_before", "items_after", "weight_before", "weight_after"]
        .map(|name| json[name].as_u64().unwrap());
    assert_eq!(counts, [13, 5, 355, 105]);
    assert_eq!(json["minimal"], true);
    assert_eq!(json["minimal_over"], "items (if the test is monotone)");
    assert_eq!(json["output"], "packages.reduced.txt");
    assert_eq!(json["output_bytes"], "git\nperl\nlibc\nzlib\nbase\n".len());
    assert_eq!(json["input_tokens"], serde_json::Value::Null);
    case.assert_nothing_is_left(&ran);
}

#[test]
fn every_strategy_keeps_a_valid_interesting_set() {
    for strategy in
        ["gbr", "gbr-published", "gbr-lightest", "binary", "lossy-last", "closure", "linear", "verify"]
    {
        let case = Case::new();
        packages(&case);
        let mut command = case.dwindle(["logic", "--sandbox", "none", "-q", "--strategy", strategy]);
        command.args(PACKAGES).env("WANTED", "/usr/bin/mail /usr/bin/cpp");
        Ran::of(&mut command).ended_with(0);
        let kept = case.text("packages.reduced.txt");
        let has = |name: &str| kept.lines().any(|line| line == name);
        for name in ["mail", "cpp", "libc", "base"] {
            assert!(has(name), "{strategy}: {kept}");
        }
        assert!(has("exim") || has("postfix"), "{strategy}: {kept}");
        assert!(!has("vim") && !has("git"), "{strategy}: {kept}");
        // Delta debugging over closures may keep one that holds another: gcc brings cpp.
        assert!(strategy == "closure" || !has("gcc"), "{strategy}: {kept}");
        if strategy == "gbr-lightest" {
            assert!(has("postfix") && !has("exim"), "postfix is lighter: {kept}");
        }
    }
}

#[test]
fn the_result_is_the_same_for_every_number_of_jobs_and_of_probes() {
    let results: Vec<_> =
        [["-j1", "--probes=1"], ["-j4", "--probes=1"], ["-j1", "--probes=3"], ["-j4", "--probes=3"]]
            .into_iter()
            .map(|words| {
                let case = Case::new();
                packages(&case);
                let ran = logic(&case, &[&words[..], &PACKAGES].concat()).ended_with(0);
                (words[1], ran.queries_and_hits(), case.text("packages.reduced.txt"))
            })
            .collect();
    assert_eq!(results[0], results[1]);
    assert_eq!(results[2], results[3]);
    assert_eq!(results[0].2, results[2].2);
}

#[test]
fn clauses_are_read_too_and_without_a_model_only_parents_bind() {
    let case = Case::new();
    case.file("items.json", r#"["a", {"name": "b", "parent": "a"}, {"name": "c", "parent": "b"}, "d", "e"]"#);
    case.file("model.cnf", "c 4 d\nc 3 c\np cnf 4 1\n-3 4 0\n");
    let wants_c = ["--exit", "0", "--items", "items.json", "-o", "kept", "--", "grep", "-qx", "c", "{}"];
    logic(&case, &wants_c).ended_with(0).said("without a model, only parents are needed");
    assert_eq!(case.text("kept"), "a\nb\nc\n");
    logic(&case, &[&["--model", "model.cnf"], &wants_c[..]].concat()).ended_with(0);
    assert_eq!(case.text("kept"), "a\nb\nc\nd\n");
}

/// A case of three files, of which one needs another.
fn files() -> Case {
    let case = Case::new();
    case.file(
        "in/items.json",
        r#"[{"name": "main", "file": "src/main.c", "weight": 20}, {"name": "header", "file": "src/main.h"},
            {"name": "other", "file": "src/other.c", "weight": 9}, "docs"]"#,
    );
    case.file("model.json", r#"{"rules": [{"if": "main", "then": "header"}]}"#);
    case.file("in/src/main.c", "#include \"main.h\"\n");
    case.file("in/src/main.h", "int x;\n");
    case.file("in/src/other.c", "int y;\n");
    case
}

#[test]
fn kept_items_bring_their_files() {
    let case = files();
    // The names are there, the files are there, and those of dropped items are not.
    case.script(
        "test.sh",
        "[ \"$(basename \"$1\")\" = items.txt ] && grep -q include src/main.c && grep -qx main \"$1\" || exit 1
         grep -qx other \"$1\" || [ ! -e src/other.c ]",
    );
    let ran = logic(&case, &["--files", "--items", "in/items.json", "--model", "model.json", "test.sh"])
        .ended_with(0);
    assert_eq!(ran.json()["weight_after"], 21);
    assert_eq!(names(&case.path("in/items.reduced")), ["items.txt", "src"]);
    assert_eq!(names(&case.path("in/items.reduced/src")), ["main.c", "main.h"]);
    assert_eq!(case.text("in/items.reduced/items.txt"), "main\nheader\n");
}

#[test]
fn a_run_goes_on_with_the_items_the_model_and_the_files_as_they_were() {
    let case = files();
    case.script("test.sh", "grep -q include src/main.c");
    let words =
        ["--files", "--max-queries", "1", "--items", "in/items.json", "--model", "model.json", "test.sh"];
    let ran = logic(&case, &words).ended_with(0).said("dwindle resume .dwindle/items-1");
    assert_eq!(ran.json()["stopped"], "queries");
    assert_eq!(ran.json()["minimal"], false);
    for gone in ["in/items.json", "model.json", "in/src/main.c"] {
        std::fs::remove_file(case.path(gone)).unwrap();
    }
    let ran = case.run(["resume", "items-1"]).ended_with(0);
    let json = ran.json();
    assert_eq!((&json["stopped"], &json["replayed"]), (&serde_json::Value::Null, &1.into()));
    assert_eq!((&json["items_before"], &json["items_after"]), (&4.into(), &2.into()));
    assert_eq!(case.text("in/items.reduced/src/main.c"), "#include \"main.h\"\n");
}

#[test]
fn a_test_that_is_not_monotone_is_closed_over() {
    let case = Case::new();
    case.file("items.json", r#"["a", "b", "c", "d"]"#);
    // Interesting with all, or with at most two that have `a`.
    case.script("test.sh", "n=$(wc -l < \"$1\"); [ $n = 4 ] || { grep -qx a \"$1\" && [ $n -le 2 ]; }");
    let ran = logic(&case, &["--closing", "--items", "items.json", "test.sh"]).ended_with(0);
    assert_eq!(ran.json()["minimal_over"], "items");
    assert_eq!(case.text("items.reduced.txt"), "a\n");
}

#[test]
fn what_is_wrong_is_said_with_what_to_do() {
    let case = Case::new();
    case.script("yes.sh", "exit 0");
    case.file("items.json", r#"["petrol", "electric", {"name": "file", "file": "../x"}]"#);
    case.file("none.json", "[]");
    case.file("typo.json", r#"{"rules": [{"if": "petrol", "then": "elektric"}]}"#);
    case.file("clash.json", r#"{"rules": [{"not": {"all": ["petrol", "electric"]}}]}"#);
    let table: [(&[&str], &str); 9] = [
        (&["--items", "nope.json", "yes.sh"], "\"nope.json\" does not exist"),
        (&["--items", "none.json", "yes.sh"], "\"none.json\" has no items"),
        (&["--items", "yes.sh", "yes.sh"], "yes.sh: line 1, column 1: this is not JSON"),
        (&["--items", "items.json", "--model", "typo.json", "yes.sh"], "did you mean `electric`?"),
        (
            &["--items", "items.json", "--model", "clash.json", "yes.sh"],
            "never `petrol` and `electric` together",
        ),
        (&["--items", "items.json", "--files", "yes.sh"], "give a relative path without `..`"),
        (&["--items", "items.json", "--strategy", "grb", "yes.sh"], "choose one of gbr, "),
        (
            &["--items", "items.json", "--strategy", "verify", "--closing", "yes.sh"],
            "--closing goes with the gbr",
        ),
        (&["--items", "items.json"], "required arguments were not provided"),
    ];
    for (words, message) in table {
        let ran = logic(&case, words);
        assert_eq!(ran.code, Some(2), "{words:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{words:?}: {}", ran.stderr);
    }
    case.script("no.sh", "exit 1");
    logic(&case, &["--items", "items.json", "no.sh"])
        .ended_with(1)
        .said("does not find the input interesting");
}

#[test]
fn rules_that_the_test_prints_are_learnt_with_lessons() {
    let case = Case::new();
    case.file("items.json", r#"["a", "b", "c", "d", "e", "f", "g", "h"]"#);
    // The model says nothing; the test knows that a needs b, and b needs c or d.
    case.script(
        "test.sh",
        r#"has() { grep -qx $1 "$DWINDLE_INPUT"; }
           has a || exit 1
           has b || { echo 'dwindle-rule: {"if": "a", "then": "b"}'; exit 1; }
           has c || has d || { echo 'dwindle-rule: {"if": "b", "then": {"any": ["c", "d"]}}' >&2; exit 1; }"#,
    );
    let queries = |options: &[&str]| {
        let ran = logic(&case, &[&["--items", "items.json"], options, &["test.sh"]].concat()).ended_with(0);
        assert_eq!(ran.json()["items_after"], 3, "{options:?}");
        ran.json()["queries"].as_u64().unwrap()
    };
    let taught = queries(&["--lessons"]);
    assert!(taught < queries(&[]), "{taught}");
    assert_eq!(taught, queries(&["--lessons", "-j", "4"]), "what runs ahead is heard in its turn");
    logic(&case, &["--items", "items.json", "--lessons", "--strategy", "binary", "test.sh"])
        .ended_with(2)
        .said("gbr strategies only");
}
