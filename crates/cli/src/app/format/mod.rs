//! `--format`: the result as the language's own formatter writes it, if the test still holds for that.

mod program;
mod table;

use std::ffi::OsString;
use std::path::Path;

use anyhow::Result;
use clap::Args;
use dwindle::core::{Answer, Cancel, Candidate, File, Files, Runner, Verdict};
use dwindle::syntax::Filter;
use dwindle::tree::{LanguageChoice, Sources};
use dwindle_exec::preflight;
use dwindle_report::FormatSummary;

use super::keeper::OutputKeeper;
use super::{UsageError, tool};
use program::Program;
use table::FORMATTERS;

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct FormatArgs {
    /// Format the result at the end, if the test still holds then: by the language's own formatter where that is
    /// installed, or by this command (`{}` stands for the path of a copy; without it, it reads standard input)
    #[arg(long, value_name = "CMD", num_args = 0..=1, require_equals = true)]
    format: Option<Option<String>>,
}

impl FormatArgs {
    pub(crate) fn is_given(&self) -> bool {
        self.format.is_some()
    }
}

/// How the result is to be formatted.
pub(crate) struct Formatting {
    /// The user's own command.
    own: Option<Program>,
    language: LanguageChoice,
}

/// What came of it.
pub(crate) struct Formatted {
    /// The result, with what could be formatted.
    pub(crate) result: Candidate,
    pub(crate) summary: FormatSummary,
    /// How often the test was run for it.
    pub(crate) runs: u64,
}

impl Formatting {
    /// What the user asks for, if that is anything.
    pub(crate) fn new(args: &FormatArgs, language: LanguageChoice) -> Result<Option<Self>> {
        let Some(asked) = &args.format else { return Ok(None) };
        let own = asked.as_deref().map(|command| {
            let words = tool::split(command).map_err(UsageError::new)?;
            let (program, rest) = words
                .split_first()
                .ok_or_else(|| UsageError::new("--format= has no command: give one, or --format alone"))?;
            let path = preflight::find_command(program).map_err(UsageError::new)?;
            Ok::<_, anyhow::Error>(Program::new(path.into(), rest.to_vec()))
        });
        Ok(Some(Formatting { own: own.transpose()?, language }))
    }

    /// Formats each file of the result for which there is a formatter, as long as the test holds.
    pub(crate) fn apply(&self, best: &Candidate, test: &dyn Runner, interrupt: &Cancel) -> Formatted {
        let languages = Sources::new(self.language.clone(), Filter::Off).languages(best.files());
        let mut formatted = Formatted { result: best.clone(), summary: FormatSummary::default(), runs: 0 };
        for (at, language) in languages.iter().enumerate() {
            let file = &best.files()[at];
            let name = language.as_ref().map(|language| (language.name(), language.title()));
            let done = self
                .program(name)
                .and_then(|program| Ok((program.name(), program.run(file)?)))
                .and_then(|(by, text)| formatted.take(at, by, text, test, interrupt));
            if let Err(why) = done {
                formatted.summary.left.push(format!("{}: {why}", file.path.display()));
            }
        }
        if formatted.result.fingerprint() != best.fingerprint() {
            formatted.summary.bytes = Some(formatted.result.files().size());
        }
        formatted
    }

    /// The user's own program, or the first of the language's that is installed.
    fn program(&self, language: Option<(&str, &str)>) -> Result<Program, String> {
        if let Some(own) = &self.own {
            return Ok(own.clone());
        }
        let (name, title) =
            language.ok_or("its language is not known; --format=CMD takes a formatter of yours")?;
        let known = FORMATTERS.iter().find(|(languages, _)| languages.contains(&name));
        let (_, commands) = known.ok_or_else(|| {
            format!("no formatter for {title} is known here; --format=CMD takes one of yours")
        })?;
        let words = |command: &str| command.split(' ').map(OsString::from).collect::<Vec<_>>();
        let installed = commands.iter().find_map(|command| {
            let words = words(command);
            let path = preflight::find_command(&words[0]).ok()?;
            Some(Program::new(path.into(), words[1..].to_vec()))
        });
        installed.ok_or_else(|| {
            let programs: Vec<&str> =
                commands.iter().filter_map(|command| command.split(' ').next()).collect();
            format!("{} is not installed", programs.join(" or "))
        })
    }
}

impl Formatted {
    /// Takes the formatted text of a file if the test holds for it.
    fn take(
        &mut self,
        at: usize,
        by: String,
        text: Vec<u8>,
        test: &dyn Runner,
        interrupt: &Cancel,
    ) -> Result<(), String> {
        let mut files = self.result.files().to_vec();
        if *files[at].bytes == *text {
            return Ok(());
        }
        files[at] = File { bytes: text.into(), ..files[at].clone() };
        let candidate = Candidate::of_files(Files::new(files));
        self.runs += 1;
        match test.run(0, &candidate, interrupt) {
            Answer::Verdict(Verdict::Interesting) => {}
            Answer::Verdict(_) => return Err(format!("the test does not hold for what {by} makes of it")),
            Answer::Cancelled => return Err("interrupted".to_owned()),
            Answer::Broken(broken) => return Err(format!("the test cannot be run: {broken}")),
        }
        self.result = candidate;
        if !self.summary.by.contains(&by) {
            self.summary.by.push(by);
        }
        Ok(())
    }
}

impl Formatted {
    /// Writes what was formatted to its place; the smaller one as it was goes to the run directory.
    pub(crate) fn write(self, best: &Candidate, keeper: &OutputKeeper, run: Option<&Path>) -> FormatSummary {
        let mut summary = self.summary;
        if summary.bytes.is_none() {
            return summary;
        }
        let kept = run.map(|run| keep(&run.join("best"), best)).transpose();
        match kept.map_err(anyhow::Error::from).and_then(|kept| keeper.finish(&self.result).map(|()| kept)) {
            Ok(kept) => summary.unformatted = kept,
            Err(error) => {
                summary.bytes = None;
                summary.left.push(format!("it cannot be written: {error}"));
            }
        }
        summary
    }
}

fn keep(place: &Path, best: &Candidate) -> std::io::Result<String> {
    for file in best.files().iter() {
        let path = place.join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap_or(place))?;
        std::fs::write(path, &file.bytes)?;
    }
    Ok(place.to_string_lossy().into_owned())
}
