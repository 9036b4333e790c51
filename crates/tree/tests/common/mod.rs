//! Runs tree presets and passes on texts, with predicates in the same process.
#![allow(dead_code, reason = "each test uses what it needs")]

use std::rc::Rc;

use dwindle_core::{
    Answer, Cancel, Candidate, CheckId, Files, Options as SessionOptions, Runner, Session, Step, Summary,
    Verdict,
};
use dwindle_syntax::Filter;
use dwindle_tree::{LanguageChoice, Options, Sources, presets};

/// Detects languages, and filters nothing.
pub(crate) fn sources() -> Rc<Sources> {
    Rc::new(Sources::new(LanguageChoice::Detect, Filter::Off))
}

/// The steps of these passes.
pub(crate) fn passes(names: &[&str], options: &Options) -> Vec<Step> {
    let sources = sources();
    let pass = |name: &&str| {
        let pass = dwindle_tree::passes().find(|entry| entry.name == *name).expect("there is such a pass");
        Step::Pass(pass.build(options, &sources))
    };
    names.iter().map(pass).collect()
}

/// What a preset leaves of a text of the language its file name tells, and what was asked.
pub(crate) fn reduce(
    preset: &str,
    options: &Options,
    input: (&str, &str),
    interesting: impl Fn(&str) -> bool + Sync,
) -> (String, Summary) {
    let preset = presets().find(|entry| entry.name == preset).expect("there is such a preset");
    reduce_with(&preset.build(options, &sources()), input, interesting)
}

/// What these steps leave of a text, and what was asked.
pub(crate) fn reduce_with(
    steps: &[Step],
    input: (&str, &str),
    interesting: impl Fn(&str) -> bool + Sync,
) -> (String, Summary) {
    reduce_at_once(steps, input, interesting, 1)
}

/// The same with so many tests at once.
pub(crate) fn reduce_at_once(
    steps: &[Step],
    (name, text): (&str, &str),
    interesting: impl Fn(&str) -> bool + Sync,
    jobs: usize,
) -> (String, Summary) {
    let input = Candidate::of_files(Files::single(name, text.as_bytes()));
    let runner = |candidate: &Candidate| interesting(&content(candidate));
    let options = SessionOptions { jobs, ..SessionOptions::default() };
    let (result, best, summary) =
        Session::run(&runner, input, options, |session| steps.iter().try_for_each(|step| step.run(session)));
    result.expect("there is no limit");
    (content(&best), summary)
}

/// A test with three checks on text, run in order until one fails.
struct Staged<'a>(&'a (dyn Fn(usize, &str) -> bool + Sync));

impl Runner for Staged<'_> {
    fn run(&self, _slot: usize, candidate: &Candidate, _cancel: &Cancel) -> Answer {
        let text = content(candidate);
        let failed = (0..3).find(|check| !self.0(*check, &text));
        Answer::Verdict(
            failed.map_or(Verdict::Interesting, |check| Verdict::failed_at(CheckId(check as u16))),
        )
    }

    fn checks(&self) -> usize {
        3
    }
}

/// What a preset leaves of a text for which three checks hold, with a syntax filter and so many tests at once.
pub(crate) fn staged(
    preset: &str,
    options: &Options,
    (filter, jobs): (Filter, usize),
    (name, text): (&str, &str),
    check: &(dyn Fn(usize, &str) -> bool + Sync),
) -> (String, Summary) {
    let preset = presets().find(|entry| entry.name == preset).expect("there is such a preset");
    let steps = preset.build(options, &Rc::new(Sources::new(LanguageChoice::Detect, filter)));
    let input = Candidate::of_files(Files::single(name, text.as_bytes()));
    let session = SessionOptions { jobs, ..SessionOptions::default() };
    let (result, best, summary) = Session::run(&Staged(check), input, session, |session| {
        steps.iter().try_for_each(|step| step.run(session))
    });
    result.expect("there is no limit");
    (content(&best), summary)
}

/// The text of a candidate's only file.
pub(crate) fn content(candidate: &Candidate) -> String {
    String::from_utf8(candidate.files()[0].bytes.to_vec()).expect("the tests are text")
}
