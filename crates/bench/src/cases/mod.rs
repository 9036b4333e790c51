//! Cases to reduce: a folder with an input, a test and a description each.

mod builtin;
pub(crate) mod texts;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use dwindle::text::count_tokens;
use serde::Deserialize;

pub(crate) use builtin::write_builtin;

/// What `meta.toml` says of a case. Other fields are passed over.
#[derive(Clone, Debug, Deserialize)]
struct Meta {
    name: String,
    #[serde(default)]
    language: String,
    input: String,
    #[serde(default = "yes")]
    deterministic: bool,
    /// Processor time of one run of the test on the input.
    #[serde(default)]
    cpu_ms: u64,
    /// A script that installs what the test needs, relative to the folder of all cases.
    #[serde(default)]
    install: String,
}

fn yes() -> bool {
    true
}

/// A case: an input and a test that finds it interesting.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) language: String,
    /// The input, in the case's own folder, which is never written to.
    pub(crate) input: PathBuf,
    /// Its size.
    pub(crate) bytes: u64,
    pub(crate) tokens: u64,
    pub(crate) test: PathBuf,
    /// Whether the test always says the same: others cannot be scored.
    pub(crate) deterministic: bool,
    /// Milliseconds of processor time a run of the test takes.
    pub(crate) cost: u64,
    /// The script that installs what the test needs, if there is one.
    pub(crate) install: Option<PathBuf>,
}

impl Case {
    /// Reads the case in a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("meta.toml");
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let meta: Meta =
            toml::from_str(&text).with_context(|| format!("{} is not as expected", path.display()))?;
        let mut case = Case {
            bytes: 0,
            tokens: 0,
            input: folder.join(&meta.input),
            test: folder.join("test.sh"),
            install: Some(folder.join("..").join(&meta.install)).filter(|path| path.is_file()),
            name: meta.name,
            language: meta.language,
            deterministic: meta.deterministic,
            cost: meta.cpu_ms,
        };
        for file in [&case.input, &case.test] {
            anyhow::ensure!(file.is_file(), "case {}: {} is missing", case.name, file.display());
        }
        let input = std::fs::read(&case.input)?;
        (case.bytes, case.tokens) = (input.len() as u64, count_tokens(&input));
        Ok(case)
    }

    /// A case of which there is no more than the names.
    #[cfg(test)]
    pub(crate) fn sample(name: &str, input: &str) -> Self {
        Case {
            name: name.to_owned(),
            language: String::new(),
            input: input.into(),
            bytes: 0,
            tokens: 0,
            test: "test.sh".into(),
            deterministic: true,
            cost: 0,
            install: None,
        }
    }

    /// The name under which tests see the input.
    pub(crate) fn input_name(&self) -> &str {
        let name = self.input.file_name().and_then(|name| name.to_str());
        name.expect("it came from a TOML string")
    }

    /// The ending of the input's name.
    pub(crate) fn extension(&self) -> &str {
        self.input_name().rsplit_once('.').map_or("", |(_, end)| end)
    }
}

/// All cases in a folder of folders, by name.
pub(crate) fn all(folder: &Path) -> Result<Vec<Case>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut cases = Vec::new();
    for entry in entries {
        let path = std::path::absolute(entry?.path())?;
        if path.join("meta.toml").is_file() {
            cases.push(Case::read(&path)?);
        }
    }
    anyhow::ensure!(
        !cases.is_empty(),
        "there is no case in {}: each is a folder with meta.toml, test.sh and the input",
        folder.display()
    );
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_read_from_its_folder_and_missing_files_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("one");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(
            folder.join("meta.toml"),
            "name = \"one\"\nlanguage = \"C\"\ninput = \"a.b.c\"\nother = [1]\n",
        )
        .unwrap();
        std::fs::write(folder.join("test.sh"), "").unwrap();
        let error = all(dir.path()).unwrap_err().to_string();
        assert!(error.contains("a.b.c is missing"), "{error}");
        std::fs::write(folder.join("a.b.c"), "").unwrap();
        let [case] = &all(dir.path()).unwrap()[..] else { panic!("one case") };
        assert_eq!((case.input_name(), case.extension()), ("a.b.c", "c"));
        assert!(case.deterministic && case.install.is_none());
    }

    #[test]
    fn a_folder_without_cases_is_an_error_that_says_what_a_case_is() {
        let dir = tempfile::tempdir().unwrap();
        let error = all(dir.path()).unwrap_err().to_string();
        assert!(error.contains("meta.toml, test.sh and the input"), "{error}");
    }
}
