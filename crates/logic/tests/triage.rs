//! Easiness: the published tables exactly, thresholds, groups, output.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use dwindle_logic::triage::{
    Answer, BadMatrix, Confusion, Matrix, Row, Thresholds, Tool, Triage, Truth, Verdict, easiness,
    first_difference, judge, signature, to_json, to_table, triage,
};

const TOOLS: [&str; 4] = ["WALA", "Doop", "Petablox", "Soot"];

/// Which analyses contain the first lost method, and how many programs are bugs, features, unknown.
const TABLE_2_5: [(&str, [usize; 3]); 15] = [
    ("WDP", [52, 0, 0]),
    ("WDS", [229, 0, 56]),
    ("WD", [0, 0, 39]),
    ("WPS", [0, 0, 0]),
    ("WP", [0, 0, 0]),
    ("WS", [0, 0, 3]),
    ("W", [0, 1, 0]),
    ("DPS", [402, 17, 0]),
    ("DP", [8, 0, 0]),
    ("DS", [2, 2, 35]),
    ("D", [4, 0, 22]),
    ("PS", [0, 0, 0]),
    ("P", [0, 0, 0]),
    ("S", [1, 2, 0]),
    ("", [12, 140, 4]),
];

fn tools(names: &[&str]) -> Vec<Tool> {
    names.iter().map(|name| Tool::new(*name)).collect()
}

fn answers(coping: &str) -> Vec<Answer> {
    let copes = |tool: &&str| coping.contains(tool.chars().next().unwrap());
    TOOLS.iter().map(|tool| if copes(tool) { Answer::Sound } else { Answer::Unsound(None) }).collect()
}

fn confusion() -> Confusion {
    let thresholds = Thresholds { bug: 0.75, feature: 0.25 };
    let mut confusion = Confusion::default();
    for (coping, counts) in TABLE_2_5 {
        let verdict = judge(easiness(&tools(&TOOLS), &answers(coping)), true, thresholds);
        for (truth, count) in [Truth::Bug, Truth::Feature, Truth::Unknown].into_iter().zip(counts) {
            confusion.add(verdict, truth, count);
        }
    }
    confusion
}

#[test]
fn one_of_four_tools_failing_is_easiness_three_quarters_and_a_bug() {
    let row = Row { input: "invokeLater".to_owned(), answers: answers("DPS") };
    let outcome = triage(&Matrix { tools: tools(&TOOLS), rows: vec![row] }, None).unwrap();
    assert_eq!((outcome.inputs[0].easiness, outcome.inputs[0].verdict), (0.75, Verdict::Bug));
    assert_eq!(outcome.inputs[0].unsound, ["WALA"]);
    assert_eq!(outcome.thresholds, Thresholds { bug: 0.75, feature: 0.25 });
}

#[test]
fn the_published_rows_give_the_published_verdicts() {
    let confusion = confusion();
    assert_eq!(confusion.of(Verdict::Bug), [683, 17, 56]);
    assert_eq!(confusion.of(Verdict::Feature), [12, 140, 4]);
    assert_eq!(confusion.of(Verdict::Unknown), [15, 5, 99]);
    assert_eq!(TABLE_2_5.iter().flat_map(|(_, counts)| counts).sum::<usize>(), 1_031);
}

#[test]
fn precision_and_recall_are_the_published_ones() {
    let confusion = confusion();
    let percent = |share: f64| (share * 1_000.0).round() / 10.0;
    assert_eq!(percent(confusion.precision(Truth::Bug)), 90.3);
    assert_eq!(percent(confusion.recall(Truth::Bug)), 78.6);
    assert_eq!(percent(confusion.precision(Truth::Feature)), 89.7);
    assert_eq!(percent(confusion.recall(Truth::Feature)), 43.6);
}

#[test]
fn four_tools_have_five_scores_and_where_nobody_fails_there_is_no_bug() {
    let score = |coping: &str| easiness(&tools(&TOOLS), &answers(coping));
    assert_eq!(["", "W", "WD", "WDP", "WDPS"].map(score), [0.0, 0.25, 0.5, 0.75, 1.0]);
    assert_eq!(judge(1.0, false, Thresholds::for_tools(4)), Verdict::Sound);
}

#[test]
fn the_default_threshold_is_met_by_a_single_failure_for_any_number_of_tools() {
    for n in 2..60 {
        let names: Vec<String> = (0..n).map(|i| format!("t{i}")).collect();
        let tools: Vec<Tool> = names.iter().map(Tool::new).collect();
        let with = |failing: usize| {
            let answers: Vec<Answer> =
                (0..n).map(|i| if i < failing { Answer::Unsound(None) } else { Answer::Sound }).collect();
            judge(easiness(&tools, &answers), failing > 0, Thresholds::for_tools(n))
        };
        assert_eq!(with(1), Verdict::Bug, "{n} tools");
        assert_eq!(with(n), Verdict::Feature, "{n} tools");
        assert_eq!(with(0), Verdict::Sound, "{n} tools");
        assert!(n < 3 || with(2) == Verdict::Unknown, "{n} tools");
    }
}

#[test]
fn weights_make_a_trusted_tool_count_more_and_a_crash_is_no_evidence() {
    let mut tools = tools(&["old", "new"]);
    tools[1].weight = 3.0;
    assert_eq!(easiness(&tools, &[Answer::Unsound(None), Answer::Sound]), 0.75);
    assert_eq!(easiness(&tools, &[Answer::Sound, Answer::Unsound(None)]), 0.25);
    assert_eq!(easiness(&tools, &[Answer::None, Answer::Sound]), 1.0);
}

fn small() -> Triage {
    let lost = |what: &str| Answer::Unsound(Some(what.to_owned()));
    let row = |input: &str, answers: [Answer; 3]| Row { input: input.to_owned(), answers: answers.to_vec() };
    let rows = vec![
        row("a.c", [lost("line 12: lost f"), Answer::Sound, Answer::Sound]),
        row("b.c", [Answer::Sound, Answer::Sound, Answer::None]),
        row("c.c", [lost("line 7: lost f"), Answer::Sound, Answer::Sound]),
        row("d.c", [lost("x"), lost("y"), lost("z")]),
        row("e.c", [Answer::Sound, lost("w"), lost("y")]),
    ];
    triage(&Matrix { tools: tools(&["gcc", "clang", "tcc"]), rows }, None).unwrap()
}

#[test]
fn inputs_with_the_same_first_difference_form_a_group_and_bugs_come_first() {
    let groups = small().groups;
    assert_eq!(groups[0].inputs, ["a.c", "c.c"]);
    assert_eq!(groups[0].difference.as_deref(), Some("line #: lost f"));
    assert_eq!(
        groups.iter().map(|group| group.verdict).collect::<Vec<_>>(),
        [Verdict::Bug, Verdict::Unknown, Verdict::Feature]
    );
}

#[test]
fn the_table_shows_failures_groups_and_a_sum() {
    let expected = "\
input  easiness  verdict  fails            first difference
a.c    0.67      bug      gcc              line 12: lost f
c.c    0.67      bug      gcc              line 7: lost f
d.c    0.00      feature  gcc, clang, tcc  x
e.c    0.33      unknown  clang, tcc       w

inputs  verdict  fails            first difference  smallest name
2       bug      gcc              line #: lost f    a.c
1       unknown  clang, tcc       w                 e.c
1       feature  gcc, clang, tcc  x                 d.c

5 inputs: 2 bug, 1 feature, 1 unknown, 1 sound (bug from easiness 0.67, feature below 0.33)
1 of the runs gave no answer and count as no evidence
";
    assert_eq!(to_table(&small()), expected);
}

#[test]
fn the_json_has_inputs_groups_and_thresholds() {
    let value: serde_json::Value = serde_json::from_str(&to_json(&small())).unwrap();
    assert_eq!(value["inputs"][0]["verdict"], "bug");
    assert_eq!(value["inputs"][1]["silent"], serde_json::json!(["tcc"]));
    assert_eq!(value["inputs"][1]["difference"], serde_json::Value::Null);
    assert_eq!(value["groups"][0]["inputs"], serde_json::json!(["a.c", "c.c"]));
    assert!(value["thresholds"]["bug"].as_f64().unwrap() > 0.66);
}

#[test]
fn a_matrix_that_cannot_be_judged_is_refused_with_advice() {
    let row = Row { input: "a".to_owned(), answers: vec![Answer::Sound] };
    let refused = |tools: Vec<Tool>| triage(&Matrix { tools, rows: vec![row.clone()] }, None).unwrap_err();
    assert_eq!(refused(tools(&["one"])), BadMatrix::TooFewTools);
    assert!(refused(tools(&["one", "two"])).to_string().contains("1 answers for 2 tools"));
    let mut weighted = tools(&["one", "two"]);
    weighted[0].weight = 0.0;
    assert_eq!(refused(weighted), BadMatrix::BadWeight("one".to_owned()));
}

#[test]
fn a_matrix_is_read_from_json() {
    let text = r#"{"tools": [{"name": "gcc"}, {"name": "clang", "weight": 2}],
                   "rows": [{"input": "a.c", "answers": ["sound", {"unsound": "lost f"}]},
                            {"input": "b.c", "answers": ["none", {"unsound": null}]}]}"#;
    let matrix: Matrix = serde_json::from_str(text).unwrap();
    assert_eq!(matrix.tools[0].weight, 1.0);
    assert_eq!(matrix.rows[0].answers[1], Answer::Unsound(Some("lost f".to_owned())));
    assert_eq!(matrix.rows[1].answers, [Answer::None, Answer::Unsound(None)]);
}

#[test]
fn the_first_difference_is_the_first_line_that_differs() {
    let difference = first_difference("a\nb\nc\n", "a\nx\nc\nd\n").unwrap();
    assert_eq!((difference.line, difference.to_string().as_str()), (2, "`x` instead of `b`"));
    assert_eq!(first_difference("a\nb\n", "a\n").unwrap().to_string(), "`b` is missing");
    assert_eq!(first_difference("a\n", "a\nb\n").unwrap().to_string(), "`b` is too much");
    assert_eq!(first_difference("a\n", "a"), None);
}

#[test]
fn signatures_leave_out_numbers_but_not_names_with_digits() {
    for (text, expected) in [
        ("line 12: x86 at 0x7fFa, 3.5", "line #: x86 at #, #.#"),
        ("f2(42)", "f2(#)"),
        ("utf8 – größe 7", "utf8 – größe #"),
        ("", ""),
    ] {
        assert_eq!(signature(text), expected);
    }
}
