//! What short names make of texts of no language.

use std::rc::Rc;

use dwindle_core::{Candidate, Files, Options, Pass, Session, Step, Summary};
use dwindle_delta::by_name;
use dwindle_text::WordPass;
use proptest::prelude::*;

fn short(minimizer: &str, text: &str, jobs: usize, holds: impl Fn(&str) -> bool + Sync) -> (String, Summary) {
    let runner = |candidate: &Candidate| holds(&String::from_utf8_lossy(&candidate.files()[0].bytes));
    let options = Options { jobs, ..Options::default() };
    let input = Candidate::of_files(Files::single("x", text.as_bytes()));
    let (ended, best, summary) = Session::run(&runner, input, options, |session| {
        let list = by_name(minimizer, &dwindle_delta::Options::default()).expect("there is such a minimiser");
        let pass: Box<dyn Pass> = Box::new(WordPass::new(Rc::from(list)));
        Step::Fixpoint(vec![Step::Pass(pass)]).run(session)
    });
    ended.expect("there is no limit");
    (String::from_utf8_lossy(&best.files()[0].bytes).into_owned(), summary)
}

#[test]
fn words_become_short_at_all_their_places() {
    for (text, wanted, left) in [
        ("SELECT col_1 FROM tab_12 WHERE tab_12.col_1 = 4711", "", "c b e a d a.b = 0"),
        ("SELECT col_1 FROM tab_12 WHERE tab_12.col_1 = 4711", "SELECT", "SELECT b e a d a.b = 0"),
        ("a = apple + b * banana", "*", "a = d + b * c"),
        ("one_two three", "one_two three", "one_two three"),
    ] {
        for minimizer in ["one-sweep", "ddmin", "sweep"] {
            let (found, _) = short(minimizer, text, 1, |text| text.contains(wanted));
            assert_eq!(found, left, "{minimizer}");
        }
    }
}

#[test]
fn all_words_at_once_cost_one_query() {
    assert_eq!(short("one-sweep", "alpha beta gamma", 1, |_| true).1.counts.queries, 1);
    assert_eq!(short("one-sweep", "a b 0 + c", 1, |_| true).1.counts.queries, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn different_words_stay_different_and_it_is_the_same_at_every_job_count(
        words in proptest::collection::vec("[a-c]{1,3}", 1..12),
        needed in any::<proptest::sample::Index>(),
    ) {
        let (text, needed) = (words.join(" "), words[needed.index(words.len())].clone());
        let holds = |text: &str| text.split(' ').any(|word| word == needed);
        let (found, summary) = short("one-sweep", &text, 1, holds);
        prop_assert!(holds(&found));
        let new: Vec<&str> = found.split(' ').collect();
        for (i, j) in (0..words.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
            prop_assert_eq!(words[i] == words[j], new[i] == new[j], "{} {}", text, found);
        }
        let (again, other) = short("one-sweep", &text, 4, holds);
        prop_assert_eq!((found, summary.counts.queries), (again, other.counts.queries));
    }
}
