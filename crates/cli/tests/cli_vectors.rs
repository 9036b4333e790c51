//! The published examples from the command line: queries and hits as `--json` counts them, exactly.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

mod common;

use common::{Case, Ran};

/// A case with an input and a persistent test: shell code that decides on `$text`, the lines of the candidate with a comma
/// behind each.
fn case(input: &str, holds: &str) -> Case {
    let case = Case::new();
    case.file("in.txt", input);
    let script = format!(
        r#"has() {{ for unit; do case ",$text" in *",$unit,"*) ;; *) return 1;; esac; done; }}
holds() {{ {holds}; }}
while IFS= read -r path; do
  text=; while IFS= read -r line || [ -n "$line" ]; do text="$text$line,"; done < "$path"
  if holds; then echo 0; else echo 1; fi
done"#
    );
    case.script("t.sh", script);
    case
}

fn reduce(case: &Case, words: &[&str]) -> Ran {
    let usual = ["-q", "--json", "--no-run-dir", "-j", "1", "--persistent"];
    let words = words.iter().copied().chain(usual).chain(["t.sh", "in.txt"]);
    case.reduce(words).ended_with(0)
}

/// The numbers 1 to `last`, a line each.
fn numbers(last: u32) -> String {
    (1..=last).map(|number| format!("{number}\n")).collect()
}

/// The numbers that are left.
fn result(case: &Case) -> Vec<u32> {
    case.text("in.reduced.txt").lines().map(|line| line.parse().unwrap()).collect()
}

#[test]
fn vince_table_4_1_takes_ten_queries_and_one_hit() {
    let case = case("12345", "case \"$text\" in *2*4*) ;; *) return 1;; esac");
    let ran = reduce(&case, &["--preset", "ddmin", "--granularity", "char"]);
    assert_eq!(case.text("in.reduced.txt"), "24");
    assert_eq!(ran.queries_and_hits(), (10, 1));
    assert_eq!(ran.json()["minimal_over"], "char");
}

#[test]
fn vince_ten_factorial_in_all_eight_settings() {
    // The twenty lines of the program, by number: the product must still be printed.
    let holds = "has 5 6 7 8 9 10 12 13 16 19 20 || return 1
  if has 14; then has 17 || return 1; else has 17 && return 1; has 15 && return 1; fi
  add=0; for unit in 1 2 3 4; do has $unit && add=$((add + 1)); done
  [ $add = 0 ] || [ $add = 4 ] || return 1
  if has 15; then has 11 && [ $add = 4 ] || return 1; fi
  if has 18; then has 11 || return 1; fi";
    let case = case(&numbers(20), holds);
    // split, subsets, complements, queries and hits of ddmin, of ddmin-star
    let table = [
        ("zeller", "skip", "backward", (56, 1), (94, 30)),
        ("zeller", "skip", "forward", (65, 13), (100, 42)),
        ("zeller", "forward", "backward", (92, 69), (144, 151)),
        ("zeller", "forward", "forward", (101, 81), (150, 163)),
        ("balanced", "skip", "backward", (51, 4), (87, 35)),
        ("balanced", "skip", "forward", (83, 10), (116, 41)),
        ("balanced", "forward", "backward", (87, 67), (135, 153)),
        ("balanced", "forward", "forward", (119, 73), (164, 159)),
    ];
    let seventeen = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16, 17, 19, 20];
    let thirteen = [5, 6, 7, 8, 9, 10, 12, 13, 14, 16, 17, 19, 20];
    for (split, subsets, complements, once, star) in table {
        let words = ["--split", split, "--subsets", subsets, "--complements", complements, "--preset"];
        let ran = reduce(&case, &[&words[..], &["ddmin"]].concat());
        assert_eq!(ran.queries_and_hits(), once, "{words:?}");
        assert_eq!(result(&case), seventeen, "{words:?}");
        let ran = reduce(&case, &[&words[..], &["ddmin-star"]].concat());
        assert_eq!(ran.queries_and_hits(), star, "{words:?}");
        assert_eq!(result(&case), thirteen, "{words:?}");
    }
}

#[test]
fn picires_own_vectors_agree_in_every_setting_and_with_every_cache() {
    let table: [(&str, &[u32]); 3] = [
        ("has 5 8 || return 1; if has 7; then has 2; fi", &[5, 8]),
        ("has 1 2 3 4 5 6 7 8", &[1, 2, 3, 4, 5, 6, 7, 8]),
        ("has 1 2 3 4 6 8", &[1, 2, 3, 4, 6, 8]),
    ];
    for (holds, expected) in table {
        let case = case(&numbers(8), holds);
        for split in ["zeller", "balanced"] {
            for subsets in ["skip", "forward"] {
                for complements in ["forward", "backward"] {
                    for factor in ["2", "inf"] {
                        let setting = ["--split", split, "--subsets", subsets, "--complements", complements];
                        let words =
                            [&setting[..], &["--split-factor", factor, "--preset", "ddmin-star"]].concat();
                        reduce(&case, &words);
                        assert_eq!(result(&case), expected, "{holds}: {words:?}");
                    }
                }
            }
        }
        for cache in dwindle::core::cache::SCHEMES {
            reduce(&case, &["--preset", "ddmin-star", "--cache", cache.name]);
            assert_eq!(result(&case), expected, "{holds}: {}", cache.name);
        }
        // Without a single query the input comes back.
        let ran = reduce(&case, &["--preset", "ddmin-star", "--max-queries", "0"]);
        assert_eq!(ran.queries_and_hits(), (0, 0));
        assert_eq!(ran.json()["stopped"], "queries");
        assert_eq!(case.text("in.reduced.txt"), numbers(8));
    }
}

#[test]
fn the_small_examples_of_ddmin_star_and_greeddy_star() {
    // units, test, queries of ddmin-star, queries of greeddy-star with windows of four
    let table = [(8, "has 5 8 || return 1; if has 7; then has 2; fi", 16, 20), (16, "has 3 11", 16, 23)];
    for (units, holds, star, greedy) in table {
        let case = case(&numbers(units), holds);
        let ran = reduce(&case, &["--preset", "ddmin-star"]);
        assert_eq!(ran.queries_and_hits().0, star, "{holds}");
        let ran = reduce(&case, &["--preset", "greeddy-star", "--window", "4"]);
        assert_eq!(ran.queries_and_hits().0, greedy, "{holds}");
    }
}

#[test]
fn wang_algorithm_1_takes_sixteen_queries_after_the_first_check() {
    // An opening parenthesis before the first closing one.
    let holds = r#"case "$text" in *")"*) ;; *) return 1;; esac; case "${text%%")"*}" in *"("*) ;; *) return 1;; esac"#;
    let case = case(r#"V"/+!aF-(V4EOz*+s/Q,7)2@0_"#, holds);
    // preset, cache, calls with the first one, which is made at start-up
    let table = [
        ("algorithm1", "hash", 17),
        ("algorithm1-fractional", "none", 25),
        ("algorithm1-fractional", "hash", 22),
    ];
    for (preset, cache, calls) in table {
        let ran = reduce(&case, &["--preset", preset, "--cache", cache, "--granularity", "char"]);
        assert_eq!(case.text("in.reduced.txt"), "()", "{preset}");
        assert_eq!(1 + ran.queries_and_hits().0, calls, "{preset}, {cache}");
    }
}

#[test]
fn wang_chunk_length_takes_27_queries_with_a_cache_and_28_without() {
    let holds = "has 8 || return 1
  if has 2 || has 4; then has 1 || return 1; fi
  if has 4; then has 5 || has 6 || has 7 || return 1; fi
  if has 5 || has 6 || has 7; then has 4 2 || return 1; fi
  if has 7; then has 5 6; else has 3; fi";
    let case = case(&numbers(8), holds);
    for (cache, expected) in [("hash", (27, 1)), ("none", (28, 0))] {
        let ran = reduce(&case, &["--preset", "chunk-length", "--cache", cache]);
        assert_eq!(ran.queries_and_hits(), expected, "{cache}");
        assert_eq!(result(&case), [1, 2, 4, 5, 6, 7, 8]);
    }
}
