//! What is started for a candidate: a program, its arguments, and where the candidate's path goes.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use dwindle_core::FileRuns;

/// A command line with a place for the candidate's path.
///
/// The path is absolute. It names the candidate's first file; several inputs keep the name of the first one, and a
/// directory its own, when [`Invocation::subject`] says so (the path is then the same for every candidate, even one
/// without that file).
#[derive(Clone, Debug)]
pub struct Invocation {
    program: OsString,
    args: Vec<OsString>,
    subject: Option<PathBuf>,
    placeholder: bool,
}

impl Invocation {
    /// A test: the candidate's path follows `args`.
    pub fn test(program: impl Into<OsString>, args: impl IntoIterator<Item = OsString>) -> Self {
        let args = args.into_iter().collect();
        Invocation { program: program.into(), args, subject: None, placeholder: false }
    }

    /// A command: every `{}` stands for the candidate's path, which follows the arguments if there is none.
    pub fn command(program: impl Into<OsString>, args: impl IntoIterator<Item = OsString>) -> Self {
        let mut command = Self::test(program, args);
        let has_placeholder = |text: &OsString| text.as_bytes().windows(2).any(|pair| pair == b"{}");
        command.placeholder = has_placeholder(&command.program) || command.args.iter().any(has_placeholder);
        command
    }

    /// What the path names, relative to the work directory: an input, or a directory that is the input.
    #[must_use]
    pub fn subject(mut self, path: impl Into<PathBuf>) -> Self {
        self.subject = Some(path.into());
        self
    }

    /// The program, as given.
    #[must_use]
    pub fn program(&self) -> &OsStr {
        &self.program
    }

    /// Whether the program is the candidate itself: then that it cannot be started is a fact about the candidate.
    pub(crate) fn runs_the_candidate(&self) -> bool {
        self.placeholder && self.program.as_bytes().windows(2).any(|pair| pair == b"{}")
    }

    /// The path the test is told, for candidates with these files in this work directory.
    pub(crate) fn path(&self, work: &Path, files: &[FileRuns]) -> PathBuf {
        match (&self.subject, files.first()) {
            (Some(subject), _) => work.join(subject),
            (None, Some(file)) => work.join(&file.path),
            (None, None) => work.to_owned(),
        }
    }

    /// Program and arguments with the path in place.
    pub(crate) fn with_path(&self, path: &Path) -> Vec<Vec<u8>> {
        let path = path.as_os_str().as_bytes();
        if self.placeholder {
            let words = std::iter::once(&self.program).chain(&self.args);
            return words.map(|word| replace(word.as_bytes(), path)).collect();
        }
        let mut words = self.without_path();
        words.push(path.to_vec());
        words
    }

    /// Program and arguments alone.
    pub(crate) fn without_path(&self) -> Vec<Vec<u8>> {
        std::iter::once(&self.program).chain(&self.args).map(|word| word.clone().into_vec()).collect()
    }
}

fn replace(mut word: &[u8], path: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(word.len() + path.len());
    while let Some(at) = word.windows(2).position(|pair| pair == b"{}") {
        out.extend_from_slice(&word[..at]);
        out.extend_from_slice(path);
        word = &word[at + 2..];
    }
    out.extend_from_slice(word);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwindle_core::Files;

    #[test]
    fn the_path_goes_where_the_braces_are_or_to_the_end() {
        let words = |invocation: &Invocation| -> Vec<String> {
            let words = invocation.with_path(Path::new("/w/a b.c"));
            words.into_iter().map(|word| String::from_utf8(word).unwrap()).collect()
        };
        let args = |list: &[&str]| list.iter().map(OsString::from).collect::<Vec<_>>();
        assert_eq!(words(&Invocation::command("cc", args(&["-c"]))), ["cc", "-c", "/w/a b.c"]);
        assert_eq!(
            words(&Invocation::command("cc", args(&["-I{}", "x{}{}", "-c"]))),
            ["cc", "-I/w/a b.c", "x/w/a b.c/w/a b.c", "-c"]
        );
        assert_eq!(words(&Invocation::test("t.sh", args(&["{}"]))), ["t.sh", "{}", "/w/a b.c"]);
        let itself = Invocation::command("{}", []);
        assert_eq!(words(&itself), ["/w/a b.c"]);
        assert!(itself.runs_the_candidate());
    }

    #[test]
    fn the_subject_stays_when_its_file_is_dropped() {
        let files = Files::single("b.c", *b"").runs();
        let work = Path::new("/w");
        assert_eq!(Invocation::test("t", []).path(work, &files), Path::new("/w/b.c"));
        assert_eq!(Invocation::test("t", []).subject("a.c").path(work, &files), Path::new("/w/a.c"));
        assert_eq!(Invocation::test("t", []).path(work, &[]), Path::new("/w"));
    }
}
