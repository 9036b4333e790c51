//! What Perses' main reducer leaves, and in how many questions.

mod common;
mod minimal;

use common::reduce;
use dwindle_tree::{Options, PersesOrder, set};
use minimal::PROGRAMS;

fn options(assignments: &[&str]) -> Options {
    let mut options = Options::default();
    assignments.iter().for_each(|assignment| set(&mut options, assignment).expect("it can be set"));
    options
}

#[test]
fn results_are_interesting_parse_and_are_tree_minimal_in_all_languages() {
    for program in &PROGRAMS {
        for preset in ["perses", "p-perses", "perses-chains", "pardis", "gtr-star"] {
            let (left, _) = program.reduce(preset, &Options::default(), 1);
            program.assert_tree_minimal(preset, &left);
        }
    }
}

#[test]
fn any_list_minimiser_gives_a_tree_minimal_result_if_it_is_one_minimal_when_repeated() {
    let inside = dwindle_delta::all().iter().filter(|entry| entry.one_minimal_when_repeated);
    for entry in inside {
        let options = Options { list_minimizer: Some(entry.name.to_owned()), ..Options::default() };
        for program in PROGRAMS.iter().take(3) {
            let (left, _) = program.reduce("perses", &options, 1);
            program.assert_tree_minimal(entry.name, &left);
        }
    }
}

#[test]
fn results_and_counts_are_the_same_at_every_number_of_jobs() {
    for program in &PROGRAMS {
        for preset in ["perses", "p-perses", "perses-chains", "pardis", "gtr-star"] {
            let (left, summary) = program.reduce(preset, &Options::default(), 1);
            for jobs in [2, 8] {
                let (again, parallel) = program.reduce(preset, &Options::default(), jobs);
                assert_eq!(
                    (&again, parallel.counts),
                    (&left, summary.counts),
                    "{preset} on {}",
                    program.file
                );
            }
        }
    }
}

#[test]
fn an_inner_block_is_spliced_into_the_outer_one() {
    // The thesis' example: `if` gives way to its block, the block to its statements, of which two stay; then the
    // variable can go.
    let text = "int main() { int a = 1; if (a) { printf(\"1\"); printf(\"Hello \"); printf(\"world!\"); printf(\"End\"); } return 0; }";
    let valid = |text: &str| {
        let uses = text.matches("(a)").count();
        let (hello, world) = (text.find("printf(\"Hello \");"), text.find("printf(\"world!\");"));
        text.contains("int main() {")
            && text.contains("return 0;")
            && (uses == 0 || text.contains("int a = 1;"))
            && hello.is_some()
            && world.is_some_and(|world| Some(world) > hello)
    };
    let (left, _) = reduce("perses", &Options::default(), ("p.c", text), valid);
    assert_eq!(left, "int main() { printf(\"Hello \"); printf(\"world!\"); return 0; }");
}

#[test]
fn a_descendant_takes_the_place_of_what_is_around_it_down_to_the_depth_that_is_set() {
    let text = "int x = f(g(h(i(j(k(needle))))));";
    let keep = |text: &str| text.contains("x =") && text.contains("needle");
    let (left, _) = reduce("perses", &Options::default(), ("p.c", text), keep);
    assert_eq!(left, "int x =needle;");
    let shallow = options(&["perses.depth=0", "perses.splice-depth=0"]);
    let (left, _) = reduce("perses", &shallow, ("p.c", text), keep);
    assert_eq!(left, "int x = f(g(h(i(j(k(needle))))));");
    // The nearest descendant that fits is the name of the function.
    let (left, _) = reduce("perses", &options(&["perses.candidates=1"]), ("p.c", text), keep);
    assert_eq!(left, "int x = f(needle);");
}

#[test]
fn of_a_list_that_must_keep_one_the_first_is_tried_alone() {
    // A declaration needs a declarator: all but the first goes in one question.
    let keep = |text: &str| text.contains("int ") && text.contains("a");
    let (left, _) = reduce("perses", &Options::default(), ("p.c", "int a, b, c, d, e, f, g;"), keep);
    assert_eq!(left, "int a;");
}

#[test]
fn chains_are_reduced_as_lists_where_that_is_wanted() {
    let sum: Vec<String> = (0..200).map(|at| format!("v{at}")).collect();
    let text = format!("int x = {};", sum.join(" + "));
    let keep = |text: &str| text.contains("x =") && text.contains("v17 ") && text.contains("v150 ");
    let (left, chains) = reduce("perses-chains", &Options::default(), ("p.c", &text), keep);
    // The space that is asked for behind the second takes a third.
    assert_eq!(left, "int x = v17 + v150 + v151;");
    let (_, plain) = reduce("perses", &Options::default(), ("p.c", &text), keep);
    assert!(chains.counts.queries < plain.counts.queries, "{:?} {:?}", chains.counts, plain.counts);
}

#[test]
fn comments_go_all_at_once_if_they_can() {
    let text = "/* a */ int /* b */ x; // c\n// d\nint y;";
    let (left, summary) = reduce("perses", &Options::default(), ("p.c", text), |text| text.contains("x"));
    assert_eq!(left.trim_end(), "int x;");
    assert!(summary.counts.queries < 12, "{:?}", summary.counts);
    let keep = |text: &str| text.contains("x") && text.contains("// c");
    let (left, _) = reduce("perses", &Options::default(), ("p.c", text), keep);
    assert_eq!(left.trim_end(), "int x; // c");
}

#[test]
fn the_order_of_levels_comes_to_a_minimal_result_as_well() {
    let mut levels = Options::default();
    levels.perses.order = PersesOrder::Level;
    for program in &PROGRAMS {
        let (left, _) = program.reduce("perses", &levels, 1);
        program.assert_tree_minimal("levels", &left);
    }
}

#[test]
fn pardis_asks_about_the_heaviest_node_first_wherever_it_is() {
    let text = "int a; int f() { int b; g(1, 2, 3, 4, 5, 6, 7, 8, 9); int c; } int d;";
    let asked = std::sync::Mutex::new(Vec::new());
    let keep = |text: &str| {
        asked.lock().expect("nobody panics").push(text.to_owned());
        text.contains("f()")
    };
    let (left, _) = reduce("pardis", &Options::default(), ("p.c", text), keep);
    assert_eq!(left, "int f() { }");
    let asked = asked.into_inner().expect("nobody panics");
    // The function, then the call in it, before the declarations around it.
    assert_eq!(asked[0], "int a; int d;");
    assert_eq!(asked[1], "int a; int f() { int b; int c; } int d;");
}

#[test]
fn gtr_puts_children_in_the_place_of_their_parents() {
    let text = "int x = f((a)) + (((b)));";
    let keep = |text: &str| text.contains("x =") && text.contains('b');
    let (left, _) = reduce("gtr-star", &Options::default(), ("p.c", text), keep);
    assert_eq!(left, "int x =b;");
}
