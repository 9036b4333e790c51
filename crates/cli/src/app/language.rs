//! Which language an input is in: the options that say so, and what is said when no language fits.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum, ValueHint};
use dwindle_syntax::{Absent, Filter, Language, absent_languages, language, languages};
use dwindle_tree::LanguageChoice;

use super::UsageError;

/// The name of no language.
const PLAIN_TEXT: &str = "text";

/// From this likeness up (1: the same), another name is worth a question. The value clap takes for options.
const LIKELY_MEANT: f64 = 0.8;

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LanguageArgs {
    /// The language, by its name (`dwindle languages`), or `text` for none [default: by file name, first line or content]
    #[arg(long, value_name = "NAME")]
    pub(crate) language: Option<String>,

    /// A grammar of your own: a tree-sitter grammar folder, or a compiled parser with its grammar.json beside it
    #[arg(long, value_name = "DIR|parser.so", conflicts_with = "language", value_hint = ValueHint::AnyPath)]
    pub(crate) grammar: Option<PathBuf>,
}

/// How the files of a reduction are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Syntax (for passes and presets that work on trees)")]
pub(crate) struct SourceArgs {
    #[command(flatten)]
    pub(crate) language: LanguageArgs,

    /// Which candidates are worth a test [default: all for published algorithms, `filter` for other passes]
    #[arg(long, value_enum, value_name = "strict|filter|off", hide_possible_values = true)]
    pub(crate) syntax: Option<SyntaxArg>,
}

/// How strictly candidates are filtered by syntax before they are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SyntaxArg {
    /// Only candidates without any syntax error are tested
    Strict,
    /// Only candidates with no more syntax errors than the best so far
    Filter,
    /// All candidates are tested
    Off,
}

impl From<SyntaxArg> for Filter {
    fn from(syntax: SyntaxArg) -> Self {
        match syntax {
            SyntaxArg::Strict => Filter::Strict,
            SyntaxArg::Filter => Filter::NoWorse,
            SyntaxArg::Off => Filter::Off,
        }
    }
}

impl LanguageArgs {
    /// Whether anything was said about it.
    pub(crate) fn is_given(&self) -> bool {
        self.language.is_some() || self.grammar.is_some()
    }

    /// Finds, or compiles and loads, what was asked for.
    pub(crate) fn choice(&self) -> Result<LanguageChoice> {
        if let Some(path) = &self.grammar {
            return Ok(LanguageChoice::Known(own_grammar(path)?));
        }
        let Some(name) = &self.language else {
            return Ok(LanguageChoice::Detect);
        };
        if name == PLAIN_TEXT {
            return Ok(LanguageChoice::Text);
        }
        language(name).map(LanguageChoice::Known).ok_or_else(|| UsageError::new(unknown(name)))
    }
}

/// What to say of a name that no language of this build has.
fn unknown(name: &str) -> String {
    let lower = name.to_lowercase();
    let found = absent_languages().iter().find(|absent| {
        absent.name == lower || absent.aliases.iter().any(|alias| alias.to_lowercase() == lower)
    });
    if let Some(absent) = found {
        return left_out(absent);
    }
    let names = languages().iter().map(Language::name);
    let likeness = names.map(|known| (strsim::jaro_winkler(known, &lower), known));
    let meant = match likeness.max_by(|one, other| one.0.total_cmp(&other.0)) {
        Some((likeness, known)) if likeness >= LIKELY_MEANT => format!(", did you mean `{known}`?"),
        _ => ":".to_owned(),
    };
    format!(
        "there is no language `{name}`{meant} `dwindle languages` lists them; `--language text` is for all others"
    )
}

fn left_out(absent: &Absent) -> String {
    let Absent { name, title, feature, .. } = absent;
    format!(
        "{title} (`{name}`) is not in this build: build dwindle with `--features dwindle-syntax/{feature}`, or with \
         `--features all-languages`"
    )
}

/// What to say of a file that is in no language of this build.
pub(crate) fn no_language(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let extension =
        path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_lowercase();
    let fits =
        |absent: &&Absent| absent.filenames.contains(&name) || absent.extensions.contains(&&*extension);
    if let Some(absent) = absent_languages().iter().find(fits) {
        return format!("{path:?}: {}", left_out(absent));
    }
    format!(
        "no language is known for {path:?}: name one with --language (`dwindle languages` lists them), or bring a grammar \
         with --grammar"
    )
}

#[cfg(feature = "user-grammars")]
fn own_grammar(path: &Path) -> Result<Language> {
    use dwindle_syntax::{GrammarError, language_from_folder, language_from_library};

    let cache = || {
        let base = std::env::var_os("XDG_CACHE_HOME").filter(|dir| !dir.is_empty()).map(PathBuf::from);
        let base = base.or_else(|| Some(std::env::home_dir()?.join(".cache")));
        base.map(|base| base.join("dwindle/grammars")).ok_or_else(|| {
            anyhow::anyhow!(
                "there is no place for the compiled parser: set XDG_CACHE_HOME or HOME to a directory"
            )
        })
    };
    let loaded =
        if path.is_dir() { language_from_folder(path, &cache()?) } else { language_from_library(path) };
    loaded.map_err(|error| match error {
        GrammarError::File { .. } => UsageError::new(error),
        _ => error.into(),
    })
}

#[cfg(not(feature = "user-grammars"))]
fn own_grammar(_: &Path) -> Result<Language> {
    Err(UsageError::new(
        "this build takes no grammars of your own: build dwindle with `--features user-grammars`",
    ))
}
