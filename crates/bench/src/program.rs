//! Where programs are: the `dwindle` command that is measured, and Python.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context, Result};

/// The `dwindle` beside this program, of the same build; under `cargo run` it is brought up to date first.
/// `DWINDLE` in the environment names another one.
pub(crate) fn dwindle() -> Result<PathBuf> {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found.clone());
    }
    let found = find()?;
    Ok(FOUND.get_or_init(|| found).clone())
}

fn find() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("DWINDLE") {
        return std::fs::canonicalize(&named)
            .with_context(|| format!("DWINDLE names {}, which is not there", named.display()));
    }
    let this = std::env::current_exe().context("this program's own path")?;
    let beside = this.with_file_name("dwindle");
    if let Some(cargo) = std::env::var_os("CARGO") {
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--package", "dwindle", "--bin", "dwindle"]);
        if this.parent().is_some_and(|dir| dir.ends_with("release")) {
            build.arg("--release");
        }
        let status = build.stdin(Stdio::null()).status().context("cargo cannot be started")?;
        anyhow::ensure!(status.success(), "cargo cannot build dwindle");
    }
    anyhow::ensure!(
        beside.is_file(),
        "there is no dwindle beside this program: `cargo build --release -p dwindle` makes one, DWINDLE=PATH names another"
    );
    Ok(beside)
}

/// The Python interpreter itself, not a launcher that looks for one at every start.
pub(crate) fn python() -> Result<PathBuf> {
    let output = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .stdin(Stdio::null())
        .output()
        .context("python3 cannot be started")?;
    let program = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    anyhow::ensure!(program.is_file(), "python3 does not say where it is");
    Ok(program)
}
