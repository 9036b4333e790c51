//! `dwindle jar`, and jars that `dwindle reduce` finds: Java bytecode, by the items of its model.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum, ValueHint};
use dwindle::Pipeline;
use dwindle::core::{Cancel, Candidate, Step};
use dwindle_jvm::{
    Archive, Detail, Libraries, Limits, Program, ProgramPass, Reduced, Strategy, is_class, is_jar, kept_items,
};
use dwindle_report::{ClassCounts, ItemCounts, Style, Watcher};

use super::args::{CacheArgs, Conditions, OutputArgs, PanelArgs, PlaceArgs, ReduceArgs, TestArgs};
use super::check_args::CheckArgs;
use super::input::Input;
use super::job::{Beside, Earlier, Job, Linked, Subject};
use super::keeper::{self, OutputKeeper};
use super::reduce::split_paths;
use super::test::{Asked, TestSpec};
use super::values::bytes;
use super::{Exit, UsageError};

#[derive(Debug, Args)]
#[command(
    override_usage = "dwindle jar [OPTIONS] <TEST> <JAR|DIR>\n       \
                      dwindle jar [OPTIONS] <JAR|DIR> <--exit N|--crash|--signal|--stdout RE|--stderr RE> -- CMD {}",
    after_help = "The test runs in a directory of its own that holds only the candidate, under the input's own name; its \
                  path is also $1 and $DWINDLE_INPUT. Exit status 0 means interesting. Every candidate loads and \
                  verifies if the input does. The book has a ready test for decompilers."
)]
pub(crate) struct JarArgs {
    /// The test, then the input: a jar, a directory of classes or a class. Without a test if a command follows `--`
    #[arg(required = true, value_name = "TEST> <JAR|DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,

    /// A command to watch instead of a test script; `{}` stands for the candidate's path
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,

    #[command(flatten)]
    pub(crate) conditions: Conditions,

    #[command(flatten)]
    pub(crate) checks: CheckArgs,

    #[command(flatten)]
    pub(crate) panel: PanelArgs,

    #[command(flatten)]
    pub(crate) program: ProgramArgs,

    #[command(flatten)]
    pub(crate) test: TestArgs,

    #[command(flatten)]
    pub(crate) cache: CacheArgs,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "How to reduce")]
pub(crate) struct ProgramArgs {
    #[arg(long, value_name = "NAME", default_value = "default", help = presets(), value_parser = str::parse::<Strategy>)]
    pub(crate) preset: Strategy,

    /// How far the program is taken apart [default: fine for the default preset, coarse for the published ones]
    #[arg(long, value_enum)]
    pub(crate) items: Option<ItemsArg>,

    /// The most bytes a jar may unpack to; larger ones are taken for zip bombs
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = bytes)]
    pub(crate) max_unpacked: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ItemsArg {
    /// The eleven kinds of the literature: classes, members, bodies, links to supertypes ...
    Coarse,
    /// Also annotations, signatures, `throws` clauses, tables of lines and variables
    Fine,
}

fn presets() -> String {
    let names: Vec<_> = Strategy::named().map(|(name, ..)| name).collect();
    format!("The strategy: {} (`dwindle presets` says what they do)", names.join(", "))
}

impl ProgramArgs {
    fn of(preset: Strategy) -> Self {
        ProgramArgs { preset, items: None, max_unpacked: Limits::default().bytes }
    }

    fn detail(self) -> Detail {
        match (self.items, self.preset) {
            (Some(ItemsArg::Fine), _) | (None, Strategy::Default) => Detail::Fine,
            // The strategies of the literature are compared by the items of the literature.
            _ => Detail::Standard,
        }
    }

    fn preset_name(self) -> &'static str {
        Strategy::named().find(|(_, named, _)| *named == self.preset).map_or("jar", |(name, ..)| name)
    }
}

/// `dwindle jar`
pub(crate) fn run(args: &JarArgs, words: &[OsString]) -> Result<Exit> {
    let (script, inputs) = paths(args)?;
    let input = Input::read(&inputs)?;
    let output = keeper::output_path(&args.place, &input)?;
    request(args, words, script.as_deref()).job(input, output, None)?.run()
}

/// `dwindle resume` of such a run.
pub(crate) fn resume(args: &JarArgs, words: &[OsString], earlier: Earlier) -> Result<Exit> {
    let (script, inputs) = paths(args)?;
    let input = Input::recorded(earlier.files.clone(), &inputs);
    let output = earlier.record.output();
    request(args, words, script.as_deref()).job(input, output, Some(earlier))?.run()
}

fn paths(args: &JarArgs) -> Result<(Option<PathBuf>, Vec<PathBuf>)> {
    let (script, inputs) =
        split_paths(&args.paths, &args.command, &args.checks, &args.conditions, "dwindle jar", "app.jar")?;
    if inputs.len() > 1 {
        return Err(UsageError::new(
            "there are several inputs: give one jar, or put the classes into one directory",
        ));
    }
    Ok((script, inputs))
}

fn request<'a>(args: &'a JarArgs, words: &'a [OsString], script: Option<&'a Path>) -> Request<'a> {
    let asked = Asked {
        script,
        command: &args.command,
        conditions: &args.conditions,
        checks: &args.checks,
        marks_count: false,
        panel: Some(&args.panel),
        also: None,
        args: &args.test,
    };
    let (cache, shown, in_place) = (&args.cache, &args.output, args.place.in_place);
    Request { words, asked, program: args.program, cache, shown, in_place, found: false }
}

/// The job of a `dwindle reduce` whose input turns out to be Java bytecode, unless its preset wants bytes.
pub(crate) fn found<'a>(
    args: &'a ReduceArgs,
    words: &'a [OsString],
    asked: Asked<'a>,
    input: &Input,
) -> Option<Request<'a>> {
    let preset = match &args.algorithm.preset {
        None if !args.algorithm.passes.is_empty()
            || !args.algorithm.without.is_empty()
            || args.source.language.is_given() =>
        {
            return None;
        }
        None => Strategy::Default,
        Some(name) => name.parse().ok()?,
    };
    let (cache, shown, in_place) = (&args.cache, &args.output, args.place.in_place);
    let program = ProgramArgs::of(preset);
    is_program(input).then_some(Request { words, asked, program, cache, shown, in_place, found: true })
}

/// Whether an input is one jar or class, or a directory that holds classes in the main.
pub(crate) fn is_program(input: &Input) -> bool {
    if input.given.len() != 1 {
        return false;
    }
    if !input.single {
        let classes = input.files.iter().filter(|file| is_class(&file.bytes)).count();
        return classes > 0 && 2 * classes >= input.files.len();
    }
    // One that claims to be a jar and is damaged should be told so, and not be taken for text.
    let claims =
        |path: &Path| path.extension().is_some_and(|end| ["jar", "war", "ear"].iter().any(|jar| end == *jar));
    input.files.first().is_some_and(|file| {
        is_class(&file.bytes)
            || is_jar(&file.bytes)
            || (claims(&file.path) && file.bytes.starts_with(b"PK\x03\x04"))
    })
}

/// What is asked for, but for the input.
pub(crate) struct Request<'a> {
    words: &'a [OsString],
    asked: Asked<'a>,
    program: ProgramArgs,
    cache: &'a CacheArgs,
    shown: &'a OutputArgs,
    in_place: bool,
    /// Nobody said that it is Java bytecode.
    found: bool,
}

impl<'a> Request<'a> {
    /// Takes the program apart.
    pub(crate) fn job(self, input: Input, output: PathBuf, earlier: Option<Earlier>) -> Result<Job<'a>> {
        let spec = TestSpec::new(&self.asked, &input.argument)?;
        let keeper = OutputKeeper::new(keeper::output(&output, input.single)?, input.top());
        let limits = Limits { bytes: self.program.max_unpacked, ..Limits::default() };
        let program = program(&input, limits, self.program.detail()).map_err(|error| match self.found {
            true => UsageError::new(format!("{error}; `--preset text` reduces it as plain bytes")),
            false => error,
        })?;
        let pass = ProgramPass::new(self.program.preset_name(), Arc::clone(&program), self.program.preset);
        let subject = Subject {
            input: program.candidate(program.model().items().all()),
            sources: input.files,
            keeper,
            output,
            // Two jars are nothing that `diff` could show.
            original: input.given.into_iter().next().filter(|_| self.in_place),
            in_place: self.in_place,
            linked: Some(Box::new(Parts { program, ended: pass.ended() })),
            pipeline: Pipeline { steps: vec![Step::pass(pass)], minimal_over: None },
        };
        let (words, test) = (self.words, self.asked.args);
        Ok(Job {
            words,
            spec,
            test,
            cache: self.cache,
            shown: self.shown,
            subject,
            earlier,
            beside: Beside::default(),
            interrupt: Cancel::new(),
        })
    }
}

/// The model of what was read.
pub(crate) fn program(input: &Input, limits: Limits, detail: Detail) -> Result<Arc<Program>> {
    let given = input.given[0].display().to_string();
    let archive = match &input.files[..] {
        [file] if input.single => Archive::of_bytes(&given, &file.bytes, limits),
        files => {
            let inside = |path: &Path| {
                path.strip_prefix(&input.argument).unwrap_or(path).to_str().map(str::to_owned).with_context(
                    || format!("the name of {path:?} is not UTF-8: rename it, for names of classes are"),
                )
            };
            let files = files.iter().map(|file| Ok((inside(&file.path)?, Arc::clone(&file.bytes))));
            Archive::of_files(&given, files.collect::<Result<Vec<_>>>()?, limits)
        }
    };
    let archive = archive.map_err(UsageError::new)?;
    let program = Program::new(archive, input.argument.clone(), &Libraries::of_java(), detail);
    Ok(Arc::new(program.map_err(UsageError::new)?))
}

/// The items of a program, for what is told of the run.
struct Parts {
    program: Arc<Program>,
    ended: Arc<Mutex<Option<Reduced>>>,
}

impl Linked for Parts {
    fn watcher(&self, style: Style, input: &Candidate) -> Watcher {
        let program = &self.program;
        let model = program.model();
        let all = model.items().all();
        let watcher = Watcher::of_items(style, input.size(), all.len() as u64, items_in);
        for notice in program.notices() {
            watcher.message(&format!("note: {notice}"));
        }
        let (classes, clauses) = (program.class_count(&all), model.clauses().len());
        watcher.message(&format!("{classes} classes, {} items, {clauses} clauses", all.len()));
        watcher
    }

    fn counts(&self, best: &Candidate) -> ItemCounts {
        let all = self.program.model().items().all();
        let classes = |kept| self.program.class_count(kept) as u64;
        ItemCounts {
            items_before: all.len() as u64,
            items_after: items_in(best),
            weight_before: self.program.candidate(all.clone()).size(),
            weight_after: best.size(),
            classes: Some(ClassCounts {
                classes_before: classes(&all),
                classes_after: kept_items(best).map_or(0, classes),
            }),
        }
    }

    fn minimal_over(&self, best: &Candidate) -> Option<&'static str> {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        // A test that is not monotone may have liked something lighter on the way, of which nothing is known.
        let ended = ended.as_ref().filter(|ended| kept_items(best) == Some(&ended.kept))?;
        match (ended.one_minimal, ended.locally_minimal) {
            (true, _) => Some("items"),
            (false, true) => Some("items (if the test is monotone)"),
            (false, false) => None,
        }
    }
}

fn items_in(candidate: &Candidate) -> u64 {
    kept_items(candidate).map_or(0, |kept| kept.len() as u64)
}
