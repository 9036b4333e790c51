//! Strategies through a real session: the same result for every number of jobs, nothing lost on a stop.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::sync::Arc;

use dwindle_core::{Candidate, File, Options, Pass, Session, Stop};
use dwindle_logic::{
    Formula, Gbr, Item, ItemId, Items, Kept, LogicPass, Model, ModelBuilder, Probing, Rendering, Strategy,
};

/// Sixty packages; each even one needs its half, and the last needs one of two.
fn model() -> Model {
    let items = (0..60).map(|i| Item { weight: 10 + i % 7, ..Item::new(format!("p{i}")) });
    let items = Items::new(items.collect()).unwrap();
    let find = |i: usize| Formula::item(ItemId::new(i));
    let mut builder = ModelBuilder::new(items);
    for i in (2..60).step_by(2) {
        builder.rule(&find(i).implies(find(i / 2)), "half");
    }
    builder.rule(&find(59).implies(Formula::any([find(3), find(4)])), "choice");
    builder.finish().unwrap()
}

fn interesting(candidate: &Candidate) -> bool {
    let files = candidate.files();
    let text = std::str::from_utf8(&files[0].bytes).unwrap();
    ["p48", "p59"].iter().all(|wanted| text.lines().any(|line| line == *wanted))
}

fn run(strategy: Strategy, options: Options<'_>) -> (Result<(), Stop>, Candidate, dwindle_core::Summary) {
    let model = Arc::new(model());
    let rendering = Arc::new(Rendering::names(model.items(), "kept.txt"));
    let pass = LogicPass::new("logic", Arc::clone(&model), Arc::clone(&rendering), strategy);
    let input = rendering.candidate(model.items().all());
    Session::run(&interesting, input, options, |session| pass.run(session))
}

#[test]
fn every_strategy_ends_with_a_valid_set_and_the_same_for_every_number_of_jobs() {
    let model = model();
    let ways = Strategy::Gbr(Gbr { probing: Probing::Ways(3), closing: true, ..Gbr::default() });
    for (name, strategy) in Strategy::named().map(|(name, s, _)| (name, s)).chain([("gbr by ways", ways)]) {
        let (result, best, summary) = run(strategy, Options::default());
        result.unwrap();
        let kept = best.variant::<Kept>().unwrap().items();
        assert!(name == "ddmin" || model.allows(kept), "{name}");
        assert!(interesting(&best), "{name}");
        assert_eq!(best.size(), model.items().weight(kept));
        let (_, parallel, parallel_summary) = run(strategy, Options { jobs: 4, ..Options::default() });
        assert_eq!(best.fingerprint(), parallel.fingerprint(), "{name}");
        assert_eq!(summary.counts.queries, parallel_summary.counts.queries, "{name}");
    }
}

#[test]
fn gbr_finds_the_lightest_set_and_the_choice_is_made_once() {
    let (_, best, summary) = run("gbr".parse().unwrap(), Options::default());
    let files = best.files();
    let names = std::str::from_utf8(&files[0].bytes).unwrap();
    assert_eq!(names.split_whitespace().collect::<Vec<_>>(), ["p3", "p6", "p12", "p24", "p48", "p59"]);
    assert!(summary.counts.queries < 20, "{} queries", summary.counts.queries);
}

#[test]
fn when_queries_run_out_the_best_so_far_is_kept() {
    let (result, best, _) = run(Strategy::default(), Options { max_queries: Some(6), ..Options::default() });
    assert!(matches!(result, Err(Stop::OutOfQueries)));
    assert!(interesting(&best) && best.size() < model().items().weight(&model().items().all()));
}

#[test]
fn items_with_files_bring_their_files_and_the_list_of_names() {
    let items = ["a", "b"].map(|name| Item { file: Some(format!("src/{name}.txt")), ..Item::new(name) });
    let items = Items::new(items.to_vec()).unwrap();
    let read = |path: &std::path::Path| Ok::<_, Stop>(File::new(path, path.as_os_str().as_encoded_bytes()));
    let rendering = Arc::new(Rendering::files(&items, read).unwrap().and_names(&items, "kept.txt"));
    let all = rendering.candidate(items.all());
    let paths: Vec<_> = all.files().iter().map(|file| file.path.to_str().unwrap().to_owned()).collect();
    assert_eq!(paths, ["kept.txt", "src/a.txt", "src/b.txt"]);
    let one = rendering.candidate(items.set(["b"]).unwrap());
    assert_eq!(one.files().len(), 2);
    let same = Candidate::of_files(one.files().clone());
    assert_eq!(same.fingerprint(), one.fingerprint(), "equal content, equal fingerprint");
}
