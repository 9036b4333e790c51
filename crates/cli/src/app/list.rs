//! The commands that just print: what there is, completions, the manual page.

use std::io::Write;

use anyhow::Result;
use clap::CommandFactory;
use dwindle::Named;
use dwindle_logic::Strategy;

use super::Exit;
use super::args::Cli;

/// `dwindle passes`
pub(crate) fn passes() -> Result<Exit> {
    table(rows(dwindle::passes()))?;
    writeln!(anstream::stdout(), "\nparameters, for --set NAME=VALUE:")?;
    table(rows(dwindle::parameters()))
}

/// `dwindle presets`
pub(crate) fn presets() -> Result<Exit> {
    table(rows(dwindle::presets()))?;
    writeln!(anstream::stdout(), "\nstrategies of `dwindle logic`:")?;
    table(Strategy::named().map(|(name, _, about)| (name, about)))?;
    writeln!(anstream::stdout(), "\npresets of `dwindle jar`:")?;
    table(dwindle_jvm::Strategy::named().map(|(name, _, about)| (name, about)))
}

fn rows(named: Vec<Named>) -> impl Iterator<Item = (&'static str, &'static str)> {
    named.into_iter().map(|named| (named.name, named.about))
}

fn table(rows: impl IntoIterator<Item = (&'static str, &'static str)>) -> Result<Exit> {
    let rows: Vec<_> = rows.into_iter().collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut out = anstream::stdout().lock();
    for (name, about) in rows {
        writeln!(out, "{name:width$}  {about}")?;
    }
    Ok(Exit::Done)
}

/// `dwindle completions SHELL`
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<Exit> {
    // Into memory first: the generator panics when nobody reads.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "dwindle", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(Exit::Done)
}

/// `dwindle man`: the page of the command and of each of its sub-commands, one after the other.
pub(crate) fn man() -> Result<Exit> {
    let mut page = Vec::new();
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for sub in command.get_subcommands() {
        let name = format!("dwindle {}", sub.get_name());
        let sub = sub.clone().name(name);
        writeln!(page, ".SH {}", sub.get_name().to_uppercase())?;
        let man = clap_mangen::Man::new(sub);
        man.render_synopsis_section(&mut page)?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    std::io::stdout().write_all(&page)?;
    Ok(Exit::Done)
}
