//! `--format`

use crate::common::{Case, READ_LINES, Ran, reduce_words};

/// A text of which `needle`, in this case or another, must stay.
fn case_of_a_needle(pattern: &str) -> Case {
    let case = Case::new();
    case.file("in.txt", "hay needle hay\nhay\n");
    case.script("test.sh", format!("{READ_LINES}\ncase \"$text\" in {pattern}) exit 0;; esac\nexit 1"));
    case
}

#[test]
fn a_formatter_of_ones_own_writes_the_result_and_the_smaller_one_is_kept() {
    let case = case_of_a_needle("*needle*|*NEEDLE*");
    let upper = case.script("upper", "tr a-z A-Z; echo");
    let word = format!("--format={}", upper.display());
    let ran = case.reduce(["--json", &word, "test.sh", "in.txt"]).ended_with(0);
    assert_eq!(case.text("in.reduced.txt"), "NEEDLE\n");
    let json = ran.json();
    assert_eq!(json["output_bytes"], 6, "what the reduction found");
    assert_eq!(
        json["formatted"],
        serde_json::json!({"bytes": 7, "by": ["upper"], "left": [], "unformatted": ".dwindle/in-1/best"})
    );
    assert_eq!(case.text(".dwindle/in-1/best/in.txt"), "needle");
    ran.said("by upper: 7 bytes written, 6 without");
}

#[test]
fn what_the_test_does_not_hold_for_is_not_taken_and_the_reason_is_said() {
    let case = case_of_a_needle("*needle*");
    let upper = case.script("upper", "tr a-z A-Z");
    case.script("broken", "echo wrong syntax >&2; exit 2");
    for (formatter, why) in [
        (upper.display().to_string(), "in.txt: the test does not hold for what upper makes of it"),
        ("./broken".to_owned(), "in.txt: broken failed (exit status: 2): wrong syntax"),
        ("true {}".to_owned(), ""),
    ] {
        let word = format!("--format={formatter}");
        let ran = case.reduce(["--json", &word, "test.sh", "in.txt"]).ended_with(0);
        assert_eq!(case.text("in.reduced.txt"), "needle", "{formatter}");
        let formatted = &ran.json()["formatted"];
        assert_eq!(formatted["bytes"], serde_json::Value::Null, "{formatter}");
        assert_eq!(formatted["left"].as_array().unwrap().concat_strings(), why, "{formatter}");
    }
}

trait ConcatStrings {
    fn concat_strings(&self) -> String;
}

impl ConcatStrings for Vec<serde_json::Value> {
    fn concat_strings(&self) -> String {
        self.iter().map(|text| text.as_str().unwrap()).collect()
    }
}

/// Reduces a C file with nothing but these programs to be found.
fn reduced_c(programs: &[(&str, &str)]) -> (Case, Ran) {
    let case = Case::new();
    case.file("p.c", "int a;\nint b;\nint needle;\n");
    case.script("test.sh", format!("{READ_LINES}\ncase \"$text\" in *needle*) exit 0;; esac\nexit 1"));
    std::fs::create_dir(case.path("bin")).unwrap();
    for (name, body) in programs {
        case.script(format!("bin/{name}"), body);
    }
    let words = reduce_words(["--json", "--format", "test.sh", "p.c"]);
    let ran = Ran::of(case.dwindle(words).env("PATH", case.path("bin")));
    (case, ran.ended_with(0))
}

#[test]
fn the_formatter_of_the_language_is_taken_if_it_is_installed() {
    let formatter = "IFS= read -r text < \"$1\" || :; echo \"/* $2 */  $text\"";
    let (case, ran) = reduced_c(&[("clang-format", formatter)]);
    assert!(case.text("p.reduced.c").starts_with("/*  */  "), "{}", case.text("p.reduced.c"));
    assert_eq!(ran.json()["formatted"]["by"], serde_json::json!(["clang-format"]));
    let (case, ran) = reduced_c(&[]);
    assert!(!case.text("p.reduced.c").contains("/*"));
    ran.said("left as it is: p.c: clang-format is not installed");
}

#[test]
fn a_file_without_a_formatter_stays_and_says_so() {
    let case = case_of_a_needle("*needle*");
    case.reduce(["--format", "test.sh", "in.txt"])
        .ended_with(0)
        .said("left as it is: in.txt: its language is not known; --format=CMD takes a formatter of yours");
    assert_eq!(case.text("in.reduced.txt"), "needle");
    case.reduce(["--format=no-such-formatter", "test.sh", "in.txt"]).ended_with(2).said("no-such-formatter");
    case.reduce(["--format=", "test.sh", "in.txt"]).ended_with(2).said("--format= has no command");
}
