//! The wrapper around a test that every contestant gets instead of the test itself.
//!
//! It counts runs outside the tools, and for each interesting candidate notes how large it is and how many runs there
//! had been: that makes the curves. It also keeps the smallest interesting candidate, for tools that have nothing to
//! show when the time is over. All in one folder, by appending and renaming only, since tools run it in parallel.
//!
//! ```text
//! runs      a byte for each run that was started
//! answers   a line for each interesting one: runs so far, microseconds since 1970, bytes, tokens
//! seen-N    the smallest interesting candidate, N bytes long
//! ```

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use dwindle::text::count_tokens;

use crate::shield::Shield;

/// How a tool hands over a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Handover {
    /// Under the input's name in the current directory
    Here,
    /// As a path, the last argument
    Last,
}

#[derive(Debug, Args)]
pub(crate) struct CountArgs {
    /// The bubblewrap program to run the test in
    #[arg(long, value_name = "PROGRAM")]
    bubblewrap: Option<PathBuf>,
    /// Where to count
    folder: PathBuf,
    #[arg(value_enum)]
    handover: Handover,
    test: PathBuf,
    input_name: String,
    /// What the tool adds
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

/// What was counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    pub(crate) runs: u64,
    pub(crate) answers: Vec<Answer>,
    pub(crate) smallest: Option<PathBuf>,
}

/// An interesting candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) runs: u64,
    pub(crate) micros: u64,
    pub(crate) bytes: u64,
    pub(crate) tokens: u64,
}

/// Writes the wrapper: a script, since tools want a program without arguments.
pub(crate) fn write_wrapper(
    folder: &Path,
    handover: Handover,
    test: &Path,
    input_name: &str,
    shield: &Shield,
) -> Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let this = std::env::current_exe().context("this program's own path")?;
    let handover =
        handover.to_possible_value().expect("no way of handing over is hidden").get_name().to_owned();
    let mut words = vec![this.as_os_str().as_encoded_bytes(), b"count"];
    if let Some(program) = shield.program() {
        words.extend([b"--bubblewrap", program.as_os_str().as_encoded_bytes()]);
    }
    words.extend([
        folder.as_os_str().as_encoded_bytes(),
        handover.as_bytes(),
        test.as_os_str().as_encoded_bytes(),
        input_name.as_bytes(),
        b"--",
    ]);
    let mut script = b"#!/bin/sh\nexec".to_vec();
    for word in words {
        script.push(b' ');
        script.extend(quoted(word));
    }
    script.extend(b" \"$@\"\n");
    let path = folder.join("test.sh");
    std::fs::write(&path, script)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    Ok(path)
}

fn quoted(word: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    for &byte in word {
        match byte {
            b'\'' => out.extend(b"'\\''"),
            byte => out.push(byte),
        }
    }
    out.push(b'\'');
    out
}

/// Runs the test and counts. The status is the test's own.
pub(crate) fn count(args: &CountArgs) -> Result<ExitCode> {
    let mut runs = OpenOptions::new().create(true).append(true).open(args.folder.join("runs"))?;
    runs.write_all(b".")?;
    let so_far = runs.metadata()?.len();
    // Both stay until the test has ended.
    let (_temp, dir);
    let candidate = match args.handover {
        Handover::Here => {
            dir = std::env::current_dir()?;
            dir.join(&args.input_name)
        }
        Handover::Last => {
            let temp = tempfile::tempdir()?;
            dir = temp.path().to_owned();
            _temp = temp;
            let copy = dir.join(&args.input_name);
            let given = args.rest.last().context("the tool gives no path")?;
            std::fs::copy(given, &copy)?;
            copy
        }
    };
    let shield = args.bubblewrap.clone().map_or(Shield::Off, Shield::Bubblewrap);
    let status = shield.command(&args.test, &dir).arg(&candidate).status()?;
    if status.success() {
        note(&args.folder, so_far, &candidate)?;
    }
    Ok(ExitCode::from(status.code().map_or(1, |code| code as u8)))
}

fn note(folder: &Path, runs: u64, candidate: &Path) -> Result<()> {
    let bytes = std::fs::read(candidate)?;
    let (size, tokens) = (bytes.len() as u64, count_tokens(&bytes));
    let micros = SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros();
    let line = format!("{runs} {micros} {size} {tokens}\n");
    OpenOptions::new().create(true).append(true).open(folder.join("answers"))?.write_all(line.as_bytes())?;
    let larger = seen(folder)?;
    if larger.iter().all(|(other, _)| *other > size) {
        let mut copy = tempfile::NamedTempFile::new_in(folder)?;
        copy.write_all(&bytes)?;
        copy.persist(folder.join(format!("seen-{size}")))?;
        for (_, path) in larger {
            // Another run may have been quicker.
            let _ = std::fs::remove_file(path);
        }
    }
    Ok(())
}

/// The candidates that were kept, with their sizes.
fn seen(folder: &Path) -> Result<Vec<(u64, PathBuf)>> {
    let mut seen = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(size) = name.strip_prefix("seen-").and_then(|size| size.parse().ok()) {
            seen.push((size, path));
        }
    }
    Ok(seen)
}

/// How many runs were counted in a folder so far.
pub(crate) fn runs(folder: &Path) -> u64 {
    std::fs::metadata(folder.join("runs")).map_or(0, |runs| runs.len())
}

/// Reads what was counted in a folder.
pub(crate) fn read(folder: &Path) -> Result<Counted> {
    let text = std::fs::read_to_string(folder.join("answers")).unwrap_or_default();
    let answer = |line: &str| {
        let mut numbers = line.split(' ').map(|number| number.parse().ok());
        let mut next = || numbers.next().flatten();
        Some(Answer { runs: next()?, micros: next()?, bytes: next()?, tokens: next()? })
    };
    Ok(Counted {
        runs: runs(folder),
        answers: text.lines().filter_map(answer).collect(),
        smallest: seen(folder)?.into_iter().min().map(|(_, path)| path),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn script(path: &Path, text: &str) {
        std::fs::write(path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn words_with_quotes_survive_the_shell() {
        let output = Command::new("sh")
            .arg("-c")
            .arg(format!("printf %s {}", String::from_utf8(quoted(b"it's a \"$x\"")).unwrap()))
            .output()
            .unwrap();
        assert_eq!(output.stdout, b"it's a \"$x\"");
    }

    #[test]
    fn interesting_candidates_are_noted_and_the_smallest_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let test = dir.path().join("test");
        script(&test, "#!/bin/sh\ngrep -q x in.txt\n");
        let folder = dir.path().join("counts");
        std::fs::create_dir(&folder).unwrap();
        let given = dir.path().join("given");
        for text in ["x = 1;", "y", "x", "xx"] {
            std::fs::write(&given, text).unwrap();
            let args = CountArgs {
                bubblewrap: None,
                folder: folder.clone(),
                handover: Handover::Last,
                test: test.clone(),
                input_name: "in.txt".into(),
                rest: vec!["--seed".into(), given.clone().into()],
            };
            count(&args).unwrap();
        }
        let counted = read(&folder).unwrap();
        assert_eq!(counted.runs, 4);
        let sizes: Vec<_> = counted.answers.iter().map(|a| (a.runs, a.bytes, a.tokens)).collect();
        assert_eq!(sizes, [(1, 6, 4), (3, 1, 1), (4, 2, 1)]);
        assert_eq!(std::fs::read(counted.smallest.unwrap()).unwrap(), b"x");
    }
}
