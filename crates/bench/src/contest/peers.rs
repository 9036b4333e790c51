//! The other reducers, each through a small adapter: where it is, what it takes, how it is started.
//!
//! Options are those its own manual recommends for an unattended run; time limits for single tests are generous, since
//! the cases' tests have their own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::contestant::{Recipe, Setup};
use super::count::Handover;
use crate::cases::Case;

/// Another reducer.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    /// Its folder below the tools, and what it may be called there or on the path.
    folder: &'static str,
    programs: &'static [&'static str],
    /// How to get it.
    pub(crate) install: Install,
    pub(crate) handover: Handover,
    pub(crate) takes: fn(&Case) -> bool,
    pub(crate) recipe: fn(&Path, &Setup<'_>) -> Result<Recipe>,
}

/// Where a peer comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Install {
    /// A Debian package.
    Apt(&'static str),
    /// A Python package in an environment of its own, its further packages, and the oldest Python it runs on.
    Pip {
        package: &'static str,
        /// Named, where its own list of dependencies has more than a run needs.
        with: &'static [&'static str],
        python: &'static str,
    },
    /// Programs from crates.io.
    Cargo(&'static [&'static str]),
    /// Nothing we can fetch; that it is missing, and what the user has to do.
    ByHand(&'static str),
}

/// Where peers are installed that are not system packages.
pub(crate) fn tools() -> PathBuf {
    let home =
        || PathBuf::from(std::env::var_os("HOME").unwrap_or_else(|| ".".into())).join(".dwindle-bench");
    std::env::var_os("DWINDLE_BENCH_TOOLS").map_or_else(home, PathBuf::from)
}

impl Peer {
    /// The program, if it is installed.
    pub(crate) fn program(&self) -> Result<PathBuf> {
        if self.name == "perses" {
            let jar = std::env::var_os("PERSES_JAR").context("PERSES_JAR does not name its jar")?;
            return std::fs::canonicalize(jar).context("PERSES_JAR names a file that is not there");
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.bin()).chain(std::env::split_paths(&path));
        let mut places = folders.flat_map(|dir| self.programs.iter().map(move |name| dir.join(name)));
        places
            .find(|place| place.is_file())
            .with_context(|| format!("not installed (`dwindle-bench install {}`)", self.name))
    }

    /// Where its own folder has its programs.
    pub(crate) fn bin(&self) -> PathBuf {
        tools().join(self.folder).join("bin")
    }
}

fn is_c(case: &Case) -> bool {
    matches!(case.extension(), "c" | "h" | "cc" | "cpp" | "cxx")
}

fn is_text(case: &Case) -> bool {
    !matches!(case.extension(), "jar" | "class" | "bc")
}

fn words<const N: usize>(words: [&str; N]) -> impl Iterator<Item = OsString> {
    words.into_iter().map(OsString::from)
}

/// C-Reduce and C-Vise: both write over their input.
fn creduce(program: &Path, setup: &Setup<'_>) -> Result<Recipe> {
    let mut command: Vec<OsString> = vec![program.into(), "--n".into(), setup.jobs.to_string().into()];
    command.extend(words(["--timeout", "60"]));
    if !is_c(setup.case) {
        command.push("--not-c".into());
    }
    command.extend([setup.test.into(), setup.case.input_name().into()]);
    Ok(Recipe::new(command, setup.input))
}

fn shrinkray(program: &Path, setup: &Setup<'_>) -> Result<Recipe> {
    let mut command: Vec<OsString> = vec![program.into()];
    command.extend(words(["--no-llm", "--no-restart", "--no-history", "--ui", "basic", "--volume", "quiet"]));
    command.extend(words(["--formatter", "none", "--timeout", "60", "--seed", "0", "--parallelism"]));
    command.extend([setup.jobs.to_string().into(), setup.test.into(), setup.input.into()]);
    Ok(Recipe::new(command, setup.input))
}

fn picire(program: &Path, setup: &Setup<'_>) -> Result<Recipe> {
    let out = setup.dir.join("out");
    let mut command: Vec<OsString> = vec![program.into(), "-i".into(), setup.input.into()];
    command.extend(["--test".into(), setup.test.into(), "-o".into(), out.clone().into()]);
    command.extend(words(["--cache", "content", "--log-level", "ERROR"]));
    if setup.jobs > 1 {
        command.extend(["--parallel".into(), "-j".into(), setup.jobs.to_string().into()]);
    }
    Ok(Recipe::new(command, out.join(setup.case.input_name())))
}

/// Lithium wants its condition as a Python module; it writes over its input.
fn lithium(program: &Path, setup: &Setup<'_>) -> Result<Recipe> {
    let condition = setup.dir.join("condition.py");
    let test = setup.test.to_str().context("the path of the test is not UTF-8")?;
    std::fs::write(
        &condition,
        format!(
            "import subprocess\n\n\ndef interesting(args, prefix):\n    return subprocess.call([{test:?}] + args[-1:]) == 0\n"
        ),
    )?;
    let mut command: Vec<OsString> = vec![program.into(), "--tempdir".into()];
    std::fs::create_dir_all(setup.dir.join("temp"))?;
    command.extend([setup.dir.join("temp").into(), condition.into(), setup.input.into()]);
    Ok(Recipe::new(command, setup.input))
}

/// One program for each language.
fn treereduce(program: &Path, setup: &Setup<'_>) -> Result<Recipe> {
    let language = treereduce_language(setup.case).context("no treereduce for this language")?;
    let program = program.with_file_name(format!("treereduce-{language}"));
    anyhow::ensure!(program.is_file(), "treereduce-{language} is not installed");
    let result = setup.dir.join("reduced");
    let mut command: Vec<OsString> =
        vec![program.into(), "-q".into(), "-j".into(), setup.jobs.to_string().into()];
    command.extend(["-s".into(), setup.input.into(), "-o".into(), result.clone().into()]);
    let candidate = format!("@@.{}", setup.case.extension());
    command.extend(["--".into(), setup.test.into(), candidate.into()]);
    Ok(Recipe::new(command, result))
}

fn treereduce_language(case: &Case) -> Option<&'static str> {
    match case.extension() {
        "c" | "h" => Some("c"),
        "js" => Some("javascript"),
        "java" => Some("java"),
        "rs" => Some("rust"),
        "sol" => Some("solidity"),
        _ => None,
    }
}

fn ddsmt(program: &Path, setup: &Setup<'_>) -> Result<Recipe> {
    let result = setup.dir.join("reduced.smt2");
    let mut command: Vec<OsString> =
        vec![program.into(), "-q".into(), "-j".into(), setup.jobs.to_string().into()];
    command.extend(words(["--ignore-output", "--timeout", "60"]));
    command.extend([setup.input.into(), result.clone().into(), setup.test.into()]);
    Ok(Recipe::new(command, result))
}

/// delta's own recipe for C: flatten to one nesting level after another, from the outside; it writes over its input.
fn delta(program: &Path, setup: &Setup<'_>) -> Result<Recipe> {
    let level = |level: u32| -> Vec<OsString> {
        let level = format!("-level={level}");
        vec![program.into(), level.into(), setup.test.into(), setup.case.input_name().into()]
    };
    Ok(Recipe { commands: [0, 1, 2, 10, 10].map(level).into(), result: setup.input.to_owned() })
}

fn llvm_reduce(program: &Path, setup: &Setup<'_>) -> Result<Recipe> {
    let result = setup.dir.join("reduced.ll");
    let mut test = OsString::from("--test=");
    test.push(setup.test);
    let command = [program.into(), test, "-o".into(), result.clone().into(), setup.input.into()];
    Ok(Recipe::new(command, result))
}

fn perses(program: &Path, setup: &Setup<'_>) -> Result<Recipe> {
    let out = setup.dir.join("out");
    let mut command: Vec<OsString> = vec!["java".into(), "-jar".into(), program.into()];
    command.extend(["--test-script".into(), setup.test.into(), "--input-file".into(), setup.input.into()]);
    command.extend(["--output-dir".into(), out.clone().into()]);
    command.extend(["--threads".into(), setup.jobs.to_string().into()]);
    Ok(Recipe::new(command, out.join(setup.case.input_name())))
}

const ANY_PYTHON: &str = "3.8";

pub(crate) static PEERS: [Peer; 10] = [
    Peer {
        name: "cvise",
        folder: "cvise",
        programs: &["cvise"],
        install: Install::Apt("cvise"),
        handover: Handover::Here,
        takes: is_text,
        recipe: creduce,
    },
    Peer {
        name: "creduce",
        folder: "creduce",
        programs: &["creduce"],
        install: Install::Apt("creduce"),
        handover: Handover::Here,
        takes: is_text,
        recipe: creduce,
    },
    Peer {
        name: "shrinkray",
        folder: "shrinkray",
        programs: &["shrinkray"],
        // Its full list of dependencies compiles a language-model runtime, which `--no-llm` does not need.
        install: Install::Pip {
            package: "shrinkray",
            with: &[
                "click",
                "chardet",
                "trio",
                "textual",
                "textual-plotext",
                "humanize",
                "libcst",
                "exceptiongroup",
                "binaryornot",
                "black",
                "tree-sitter",
                "tree-sitter-language-pack",
                "huggingface-hub",
            ],
            python: "3.12",
        },
        handover: Handover::Here,
        takes: |_| true,
        recipe: shrinkray,
    },
    Peer {
        name: "picire",
        folder: "picire",
        programs: &["picire"],
        install: Install::Pip { package: "picire", with: &[], python: ANY_PYTHON },
        handover: Handover::Last,
        takes: is_text,
        recipe: picire,
    },
    Peer {
        name: "lithium",
        folder: "lithium",
        programs: &["lithium"],
        install: Install::Pip { package: "lithium-reducer", with: &[], python: ANY_PYTHON },
        handover: Handover::Last,
        takes: is_text,
        recipe: lithium,
    },
    Peer {
        name: "treereduce",
        folder: "treereduce",
        programs: &[
            "treereduce-c",
            "treereduce-javascript",
            "treereduce-java",
            "treereduce-rust",
            "treereduce-solidity",
        ],
        install: Install::Cargo(&[
            "treereduce-c",
            "treereduce-javascript",
            "treereduce-java",
            "treereduce-rust",
        ]),
        handover: Handover::Last,
        takes: |case| treereduce_language(case).is_some(),
        recipe: treereduce,
    },
    Peer {
        name: "ddsmt",
        folder: "ddsmt",
        programs: &["ddsmt"],
        install: Install::Pip { package: "ddsmt", with: &[], python: ANY_PYTHON },
        handover: Handover::Last,
        takes: |case| case.extension() == "smt2",
        recipe: ddsmt,
    },
    Peer {
        name: "delta",
        folder: "delta",
        programs: &["multidelta"],
        install: Install::Apt("delta"),
        handover: Handover::Here,
        takes: is_c,
        recipe: delta,
    },
    Peer {
        name: "llvm-reduce",
        folder: "llvm-reduce",
        programs: &["llvm-reduce", "llvm-reduce-19", "llvm-reduce-14"],
        install: Install::Apt("llvm-14"),
        handover: Handover::Last,
        takes: |case| matches!(case.extension(), "ll" | "bc"),
        recipe: llvm_reduce,
    },
    Peer {
        name: "perses",
        folder: "perses",
        programs: &[],
        install: Install::ByHand("missing: get its jar and set PERSES_JAR to where it is"),
        handover: Handover::Here,
        takes: is_text,
        recipe: perses,
    },
];
