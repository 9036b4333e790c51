//! Runs tree presets on texts, with predicates in the same process.

use std::rc::Rc;

use dwindle_core::{Candidate, Files, Options as SessionOptions, Session, Summary};
use dwindle_syntax::Filter;
use dwindle_tree::{LanguageChoice, Options, Sources, presets};

/// What a preset leaves of a text of the language its file name tells, and what was asked.
pub(crate) fn reduce(
    preset: &str,
    options: &Options,
    (name, text): (&str, &str),
    interesting: impl Fn(&str) -> bool + Sync,
) -> (String, Summary) {
    let preset = presets().find(|entry| entry.name == preset).expect("there is such a preset");
    let steps = preset.build(options, &Rc::new(Sources::new(LanguageChoice::Detect, Filter::Off)));
    let input = Candidate::of_files(Files::single(name, text.as_bytes()));
    let runner = |candidate: &Candidate| interesting(&content(candidate));
    let (result, best, summary) = Session::run(&runner, input, SessionOptions::default(), |session| {
        steps.iter().try_for_each(|step| step.run(session))
    });
    result.expect("there is no limit");
    (content(&best), summary)
}

/// The text of a candidate's only file.
pub(crate) fn content(candidate: &Candidate) -> String {
    String::from_utf8(candidate.files()[0].bytes.to_vec()).expect("the tests are text")
}
