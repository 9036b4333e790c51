//! `dwindle-bench install`: fetches the other reducers, and what cases need, with the ordinary package clients.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use clap::Args;

use super::peers::{Install, PEERS, Peer, tools};
use crate::cases;

#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// Only these peers [default: all]
    #[arg(value_name = "PEER")]
    peers: Vec<String>,

    /// Also install what the tests of these cases call, by the scripts that the cases name
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
}

/// Installs one after another; one that cannot be installed does not stop the others.
pub(crate) fn install(args: &InstallArgs) -> Result<bool> {
    for name in &args.peers {
        anyhow::ensure!(PEERS.iter().any(|peer| peer.name == name), "there is no peer `{name}`");
    }
    let mut all = true;
    let mut report = |name: &str, result: Result<&str>| match result {
        Ok(how) => anstream::println!("{name}: {how}"),
        Err(error) => {
            all = false;
            anstream::println!("{name}: {error:#}");
        }
    };
    for peer in &PEERS {
        if args.peers.is_empty() || args.peers.iter().any(|name| name == peer.name) {
            report(peer.name, install_peer(peer));
        }
    }
    if let Some(folder) = &args.cases {
        let cases = cases::all(folder)?;
        let scripts: BTreeSet<_> = cases.iter().filter_map(|case| case.install.clone()).collect();
        for script in scripts {
            let done = run(Command::new(&script)).map(|()| "done");
            report(&script.display().to_string(), done);
        }
    }
    Ok(all)
}

fn install_peer(peer: &Peer) -> Result<&'static str> {
    if peer.program().is_ok() {
        return Ok("is there");
    }
    match peer.install {
        Install::Apt(package) => {
            let mut apt = Command::new("apt-get");
            apt.args(["install", "-q", "-y", "--no-install-recommends", package]);
            run(apt)?;
        }
        Install::Pip { package, with, python } => {
            let folder = peer.bin();
            let folder = folder.parent().context("a peer has a folder")?;
            let mut venv = Command::new(python_at_least(python)?);
            run({
                venv.args(["-m", "venv"]).arg(folder);
                venv
            })?;
            pip(
                folder,
                &["install", "-q", if with.is_empty() { "--prefer-binary" } else { "--no-deps" }, package],
            )?;
            if !with.is_empty() {
                let args: Vec<_> =
                    ["install", "-q", "--only-binary", ":all:"].iter().chain(with).copied().collect();
                pip(folder, &args)?;
            }
        }
        Install::Cargo(packages) => {
            let mut cargo = Command::new("cargo");
            cargo.args(["install", "-q", "--root"]).arg(tools().join("treereduce")).args(packages);
            run(cargo)?;
        }
        // Nothing went wrong: it is shown as missing, here and in tables.
        Install::ByHand(what) => return Ok(what),
    }
    peer.program().map(|_| "installed")
}

fn pip(folder: &Path, args: &[&str]) -> Result<()> {
    let mut pip = Command::new(folder.join("bin/pip"));
    pip.args(args);
    run(pip)
}

/// A Python of this version or a later one, by the names Debian and pyenv give them.
fn python_at_least(version: &str) -> Result<PathBuf> {
    let parts =
        |version: &str| -> Vec<u32> { version.split('.').filter_map(|part| part.parse().ok()).collect() };
    let mut candidates: Vec<PathBuf> = vec!["python3".into()];
    candidates.extend((8..20).map(|minor| PathBuf::from(format!("python3.{minor}"))));
    let pyenv = PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".pyenv/versions");
    if let Ok(versions) = std::fs::read_dir(pyenv) {
        candidates.extend(versions.filter_map(|version| Some(version.ok()?.path().join("bin/python3"))));
    }
    let runs = |python: &PathBuf| {
        let output = Command::new(python)
            .args(["-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"])
            .stderr(Stdio::null())
            .output();
        let printed = output.ok().filter(|output| output.status.success());
        printed.is_some_and(|output| parts(String::from_utf8_lossy(&output.stdout).trim()) >= parts(version))
    };
    let found = candidates.into_iter().find(runs);
    found.with_context(|| format!("needs Python {version} or later"))
}

fn run(mut command: Command) -> Result<()> {
    let status = command.stdin(Stdio::null()).status();
    let program = command.get_program().display().to_string();
    let status = status.with_context(|| format!("{program} cannot be started"))?;
    anyhow::ensure!(status.success(), "{program} ended with {status}");
    Ok(())
}
