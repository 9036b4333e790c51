//! `dwindle logic`: items that need each other.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use dwindle::Pipeline;
use dwindle::core::{Cancel, Candidate, File, Files, Step};
use dwindle_exec::preflight;
use dwindle_logic::format::{read_items, read_model};
use dwindle_logic::{Items, Kept, LogicPass, Model, ModelBuilder, Probing, Reduction, Rendering, Strategy};
use dwindle_report::{ItemCounts, Style, Watcher};

use super::args::{LinkedArgs, LogicArgs};
use super::input::{appended, read_file};
use super::job::{Beside, Earlier, Job, Linked, Subject};
use super::keeper::{self, OutputKeeper};
use super::lessons::Lessons;
use super::test::{Asked, TestSpec};
use super::{Exit, UsageError};

/// `dwindle logic`
pub(crate) fn run(args: &LogicArgs, words: &[OsString]) -> Result<Exit> {
    let sources = read_sources(&args.linked)?;
    let output = args.linked.output.clone().unwrap_or_else(|| default_output(&args.linked));
    job(args, words, sources, output, None)?.run()
}

/// `dwindle resume` of such a run.
pub(crate) fn resume(args: &LogicArgs, words: &[OsString], earlier: Earlier) -> Result<Exit> {
    let (sources, output) = (earlier.files.clone(), earlier.record.output());
    job(args, words, sources, output, Some(earlier))?.run()
}

fn job<'a>(
    args: &'a LogicArgs,
    words: &'a [OsString],
    sources: Files,
    output: PathBuf,
    earlier: Option<Earlier>,
) -> Result<Job<'a>> {
    let linked = &args.linked;
    let strategy = strategy(linked)?;
    let names = names_file(linked);
    let asked = Asked {
        script: args.test.as_deref(),
        command: &args.command,
        conditions: &args.conditions,
        checks: &args.checks,
        marks_count: false,
        panel: None,
        also: None,
        args: &args.test_args,
    };
    let mut spec = TestSpec::new(&asked, &names)?;
    let keeper = OutputKeeper::new(keeper::output(&output, !linked.files)?, None);

    let (model, note) = model(linked, &sources)?;
    let items = model.items();
    let rendering = match linked.files {
        false => Rendering::names(items, names),
        true => {
            let own = sources.iter().skip(1 + usize::from(linked.model.is_some()));
            let files: HashMap<&Path, &File> = own.map(|file| (file.path.as_path(), file)).collect();
            let file = |path: &Path| files.get(path).map(|file| (*file).clone());
            Rendering::files(items, |path| file(path).ok_or_else(|| lost(path)))?.and_names(items, names)
        }
    };
    let (model, rendering) = (Arc::new(model), Arc::new(rendering));
    let name =
        Strategy::named().find(|(_, named, _)| *named == linked.strategy).map_or("logic", |(name, ..)| name);
    let mut pass = LogicPass::new(name, Arc::clone(&model), Arc::clone(&rendering), strategy);
    if linked.lessons {
        if args.test_args.persistent {
            return Err(UsageError::new("--lessons needs a test that is started for each candidate"));
        }
        let lessons = Arc::new(Lessons::new(model.items().clone()));
        spec.lessons = Some(Arc::clone(&lessons));
        pass = pass.with_lessons(Arc::new(move |candidate| lessons.of(candidate)));
    }
    let subject = Subject {
        input: rendering.candidate(model.items().all()),
        sources,
        keeper,
        output,
        original: None,
        in_place: false,
        linked: Some(Box::new(LinkedItems { model, note, ended: pass.ended() })),
        pipeline: Pipeline { steps: vec![Step::pass(pass)], minimal_over: None },
    };
    Ok(Job {
        words,
        spec,
        test: &args.test_args,
        cache: &args.cache,
        shown: &args.output,
        subject,
        earlier,
        beside: Beside::default(),
        interrupt: Cancel::new(),
    })
}

struct LinkedItems {
    model: Arc<Model>,
    /// What was read.
    note: String,
    ended: Arc<Mutex<Option<Reduction>>>,
}

impl Linked for LinkedItems {
    fn watcher(&self, style: Style, input: &Candidate) -> Watcher {
        let items = self.model.items().len() as u64;
        let watcher = Watcher::of_items(style, input.size(), items, items_in);
        watcher.message(&self.note);
        watcher
    }

    fn counts(&self, best: &Candidate) -> ItemCounts {
        let items = self.model.items();
        ItemCounts {
            items_before: items.len() as u64,
            items_after: items_in(best),
            weight_before: items.weight(&items.all()),
            weight_after: best.size(),
            classes: None,
        }
    }

    fn minimal_over(&self, best: &Candidate) -> Option<&'static str> {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        // A test that is not monotone may have liked something lighter on the way, of which nothing is known.
        let ended = ended
            .as_ref()
            .filter(|ended| best.variant().is_some_and(|best: &Kept| *best.items() == ended.kept))?;
        match (ended.one_minimal, ended.locally_minimal) {
            (true, _) => Some("items"),
            (false, true) => Some("items (if the test is monotone)"),
            (false, false) => None,
        }
    }
}

fn items_in(candidate: &Candidate) -> u64 {
    candidate.variant().map_or(0, |kept: &Kept| kept.items().len() as u64)
}

/// The strategy with its options.
fn strategy(args: &LinkedArgs) -> Result<Strategy> {
    let mut strategy = args.strategy;
    if args.closing {
        match &mut strategy {
            Strategy::Gbr(gbr) => gbr.closing = true,
            _ => return Err(UsageError::new("--closing goes with the gbr strategies only")),
        }
    }
    if args.lessons && !matches!(strategy, Strategy::Gbr(_)) {
        return Err(UsageError::new("--lessons goes with the gbr strategies only"));
    }
    if args.probes > 1 {
        match &mut strategy {
            Strategy::Gbr(dwindle_logic::Gbr { probing, .. }) | Strategy::Binary(_, probing) => {
                *probing = Probing::Ways(args.probes);
            }
            _ => return Err(UsageError::new("--probes goes with the gbr and binary strategies only")),
        }
    }
    Ok(strategy)
}

/// The files a run is made from: the items, the model if there is one, then the items' own files if they are wanted.
fn read_sources(args: &LinkedArgs) -> Result<Files> {
    let read = |path: &Path, name: PathBuf| -> Result<File> {
        preflight::check_input(path).map_err(UsageError::new)?;
        if path.is_dir() {
            return Err(UsageError::new(format!("{path:?} is a directory: a file is needed")));
        }
        read_file(path, name)
    };
    let own_name = |path: &Path| PathBuf::from(path.file_name().unwrap_or(path.as_os_str()));
    let mut files = vec![read(&args.items, own_name(&args.items))?];
    if let Some(model) = &args.model {
        files.push(read(model, own_name(model))?);
    }
    if args.files {
        let items = items(args, &files[0])?;
        let base = args.items.parent().unwrap_or(Path::new(""));
        // Two items may not share a file, nor may one be where the names go: the test could not tell them apart.
        let mut taken = HashMap::from([(names_file(args), "the list of names".to_owned())]);
        for (_, item) in items.iter() {
            let Some(path) = item.file.as_ref().map(PathBuf::from) else { continue };
            if !path.components().all(|part| matches!(part, Component::Normal(_))) {
                return Err(UsageError::new(format!(
                    "the file {path:?} of item `{}` is not below the directory of {:?}: give a relative path without `..`",
                    item.name, args.items
                )));
            }
            files.push(read(&base.join(&path), path.clone())?);
            if let Some(other) = taken.insert(path.clone(), format!("item `{}`", item.name)) {
                return Err(UsageError::new(format!(
                    "the file {path:?} belongs to {other} and to item `{}`: give each a file of its own",
                    item.name
                )));
            }
        }
        if items.iter().all(|(_, item)| item.file.is_none()) {
            return Err(UsageError::new(format!("--files: no item of {:?} has a `file`", args.items)));
        }
    }
    Ok(Files::new(files))
}

fn lost(path: &Path) -> anyhow::Error {
    anyhow::anyhow!("the run has lost its copy of {path:?}: start the reduction anew")
}

fn items(args: &LinkedArgs, file: &File) -> Result<Items> {
    let items = read_items(text(&args.items, file)?)
        .map_err(|error| UsageError::new(format!("{}: {error}", args.items.display())))?;
    if items.is_empty() {
        return Err(UsageError::new(format!("{:?} has no items: there is nothing to reduce", args.items)));
    }
    Ok(items)
}

/// The model, and a line on what was read.
fn model(args: &LinkedArgs, sources: &Files) -> Result<(Model, String)> {
    let items = items(args, &sources[0])?;
    let count = items.len();
    let Some(path) = &args.model else {
        let model = ModelBuilder::new(items).finish().map_err(UsageError::new)?;
        return Ok((model, format!("{count} items; without a model, only parents are needed")));
    };
    let read = read_model(items, text(path, &sources[1])?)
        .map_err(|error| UsageError::new(format!("{}: {error}", path.display())))?;
    let mut note = format!("{count} items, {} clauses", read.model.clauses().len());
    if read.unmentioned > 0 {
        note += &format!("; {} items the model does not mention", read.unmentioned);
    }
    if read.absent > 0 {
        note += &format!("; {} names of the model are no items and count as not kept", read.absent);
    }
    Ok((read.model, note))
}

fn text<'a>(path: &Path, file: &'a File) -> Result<&'a str> {
    std::str::from_utf8(&file.bytes)
        .map_err(|error| UsageError::new(format!("{} is not UTF-8 text: {error}", path.display())))
}

/// What the list of names is called in the test's directory: `packages.json` → `packages.txt`.
fn names_file(args: &LinkedArgs) -> PathBuf {
    let stem = args.items.file_stem().unwrap_or("items".as_ref()).to_owned();
    appended(stem, ".txt").into()
}

/// `packages.json` → `packages.reduced.txt`, or the directory `packages.reduced` where there are files.
fn default_output(args: &LinkedArgs) -> PathBuf {
    let stem = args.items.file_stem().unwrap_or("items".as_ref()).to_owned();
    args.items.with_file_name(appended(stem, if args.files { ".reduced" } else { ".reduced.txt" }))
}
