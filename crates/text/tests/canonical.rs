//! What the canonical pass makes of texts of no language.

use std::rc::Rc;

use dwindle_core::{Candidate, Files, Options, Pass, Session, Step, Summary};
use dwindle_delta::by_name;
use dwindle_text::CanonicalPass;
use proptest::prelude::*;

fn step(minimizer: &str) -> Step {
    let list = by_name(minimizer, &dwindle_delta::Options::default()).expect("there is such a minimiser");
    let pass: Box<dyn Pass> = Box::new(CanonicalPass::new(Rc::from(list)));
    Step::Fixpoint(vec![Step::Pass(pass)])
}

fn plain(
    minimizer: &str,
    text: &[u8],
    jobs: usize,
    holds: impl Fn(&[u8]) -> bool + Sync,
) -> (Vec<u8>, Summary) {
    let runner = |candidate: &Candidate| holds(&candidate.files()[0].bytes);
    let options = Options { jobs, ..Options::default() };
    let input = Candidate::of_files(Files::single("x", text));
    let (ended, best, summary) =
        Session::run(&runner, input, options, |session| step(minimizer).run(session));
    ended.expect("there is no limit");
    (best.files()[0].bytes.to_vec(), summary)
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window == word)
}

#[test]
fn letters_become_a_and_digits_0_but_for_those_that_matter() {
    for (text, word, left) in [
        (&b"Some words, 42 of them\t!"[..], &b"!"[..], &b"aaaa aaaaa, 00 aa aaaa !"[..]),
        (b"key=value; other=thing", b"value", b"aaa=value; aaaaa=aaaaa"),
        (b"\xff\xfe ok", b"k", b"aa ak"),
        ("h\u{e9}h!".as_bytes(), b"!", b"aaa!"),
    ] {
        for minimizer in ["one-sweep", "ddmin", "probdd", "greeddy"] {
            let (found, _) = plain(minimizer, text, 1, |text| contains(text, word));
            assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(left), "{minimizer}");
        }
    }
}

#[test]
fn a_plain_text_costs_nothing() {
    assert_eq!(plain("one-sweep", b"aaa 000\n", 1, |_| true).1.counts.queries, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn it_ends_never_grows_and_is_the_same_at_every_job_count(
        text in proptest::collection::vec(any::<u8>(), 1..40),
        picked in any::<proptest::sample::Index>(),
    ) {
        let wanted = text[picked.index(text.len())];
        let count = |text: &[u8]| text.iter().filter(|byte| **byte == wanted).count();
        let holds = |left: &[u8]| count(left) >= count(&text);
        let (left, summary) = plain("one-sweep", &text, 1, holds);
        prop_assert!(left.len() <= text.len() && holds(&left));
        let (again, more) = plain("one-sweep", &text, 3, holds);
        prop_assert_eq!(left, again);
        prop_assert_eq!(summary.counts, more.counts);
    }
}
