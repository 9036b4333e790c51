//! What the letter pass makes of texts: it leaves their lines.

use std::rc::Rc;

use dwindle_core::{Candidate, Files, Options, Session, Step};
use dwindle_delta::by_name;
use dwindle_text::LetterPass;

fn reduced(text: &str, word: &str) -> String {
    let list = by_name("one-by-one", &dwindle_delta::Options::default()).expect("there is such a minimiser");
    let step = Step::pass(LetterPass::new(Rc::from(list)));
    let content = |candidate: &Candidate| String::from_utf8_lossy(&candidate.files()[0].bytes).into_owned();
    let runner = |candidate: &Candidate| word.chars().all(|letter| content(candidate).contains(letter));
    let input = Candidate::of_files(Files::single("x", text.as_bytes()));
    let (ended, best, _) = Session::run(&runner, input, Options::default(), |session| step.run(session));
    ended.expect("there is no limit");
    content(&best)
}

#[test]
fn all_letters_go_but_those_that_matter_and_lines_stay_lines() {
    for (text, word, left) in [
        ("one\ntwo\r\nthree\n", "w", "\nw\r\n\n"),
        ("größe\n", "ß", "ß\n"),
        ("a b", "ab", "ab"),
        ("\n", "\n", "\n"),
    ] {
        assert_eq!(reduced(text, word), left, "{text:?}");
    }
}
