//! A tool that takes part: ours with a preset, or another reducer through its adapter.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use dwindle::{DEFAULT_PRESET, Granularity, presets};

use super::count::Handover;
use super::peers::{PEERS, Peer};
use crate::cases::Case;
use crate::program::dwindle;

/// What an adapter has to work with.
pub(crate) struct Setup<'a> {
    pub(crate) case: &'a Case,
    /// A folder of its own, which holds a copy of the input.
    pub(crate) dir: &'a Path,
    /// The copy.
    pub(crate) input: &'a Path,
    /// The counting wrapper.
    pub(crate) test: &'a Path,
    /// How many tests may run at once.
    pub(crate) jobs: usize,
    /// After how many queries a tool that can count them is to end by itself.
    pub(crate) queries: Option<u64>,
}

/// Commands to run one after another in the folder, and where the result is then.
pub(crate) struct Recipe {
    pub(crate) commands: Vec<Vec<OsString>>,
    pub(crate) result: PathBuf,
}

impl Recipe {
    /// A single command.
    pub(crate) fn new(words: impl IntoIterator<Item = OsString>, result: impl Into<PathBuf>) -> Self {
        Recipe { commands: vec![words.into_iter().collect()], result: result.into() }
    }
}

/// Between a contestant and the pass it has to do without.
const WITHOUT: &str = " without ";

/// A tool that takes part.
#[derive(Clone, Debug)]
pub(crate) enum Contestant {
    /// A preset of ours.
    Ours {
        preset: String,
        granularity: Option<&'static str>,
        /// Another list minimiser inside.
        minimizer: Option<String>,
        /// A pass that is left out.
        without: Option<String>,
    },
    /// Another reducer.
    Peer(&'static Peer),
}

impl Contestant {
    /// `dwindle`, `dwindle:PRESET`, `dwindle:PRESET+MINIMISER`, `dwindle:PRESET:GRANULARITY`, any of them with
    /// ` without PASS`, or the name of a peer.
    pub(crate) fn parse(word: &str) -> Result<Self> {
        if let Some((whole, pass)) = word.split_once(WITHOUT) {
            return match Self::parse(whole)? {
                Contestant::Ours { preset, granularity, minimizer, .. } => {
                    let without = Some(pass.to_owned());
                    Ok(Contestant::Ours { preset, granularity, minimizer, without })
                }
                Contestant::Peer(peer) => anyhow::bail!("{} has no passes to leave out", peer.name),
            };
        }
        let mut parts = word.splitn(3, ':');
        if parts.next() != Some("dwindle") {
            let peer = PEERS.iter().find(|peer| peer.name == word);
            return peer.map(Contestant::Peer).with_context(|| {
                let names: Vec<_> = PEERS.iter().map(|peer| peer.name).collect();
                format!(
                    "`{word}` is no contestant: use dwindle, dwindle:PRESET, dwindle:PRESET+MINIMISER, dwindle:PRESET:GRANULARITY, {}",
                    names.join(", ")
                )
            });
        }
        let preset = parts.next().unwrap_or(DEFAULT_PRESET);
        let (preset, minimizer) = match preset.split_once('+') {
            Some((preset, minimizer)) => (preset, Some(minimizer.to_owned())),
            None => (preset, None),
        };
        let known = presets().iter().any(|known| known.name == preset);
        anyhow::ensure!(known, "there is no preset `{preset}`: `dwindle presets` lists them");
        let granularity = match parts.next() {
            None => None,
            Some(wanted) => {
                let found = Granularity::ALL.iter().find(|(name, _)| *name == wanted);
                Some(found.with_context(|| format!("there is no granularity `{wanted}`"))?.0)
            }
        };
        Ok(Contestant::Ours { preset: preset.to_owned(), granularity, minimizer, without: None })
    }

    /// Every preset of ours, then every peer.
    pub(crate) fn all() -> Vec<Self> {
        let ours = presets().into_iter().map(|preset| Contestant::Ours {
            preset: preset.name.to_owned(),
            granularity: None,
            minimizer: None,
            without: None,
        });
        ours.chain(PEERS.iter().map(Contestant::Peer)).collect()
    }

    pub(crate) fn name(&self) -> String {
        let (preset, granularity, minimizer, without) = match self {
            Contestant::Peer(peer) => return peer.name.to_owned(),
            Contestant::Ours { preset, granularity, minimizer, without } => {
                (preset, granularity, minimizer, without)
            }
        };
        let mut name = "dwindle".to_owned();
        if granularity.is_some() || minimizer.is_some() || preset != DEFAULT_PRESET {
            name += &format!(":{preset}");
        }
        if let Some(minimizer) = minimizer {
            name += &format!("+{minimizer}");
        }
        if let Some(granularity) = granularity {
            name += &format!(":{granularity}");
        }
        if let Some(pass) = without {
            name += &format!("{WITHOUT}{pass}");
        }
        name
    }

    pub(crate) fn is_ours(&self) -> bool {
        matches!(self, Contestant::Ours { .. })
    }

    /// The program to start, or why it cannot take part.
    pub(crate) fn program(&self) -> Result<PathBuf> {
        match self {
            Contestant::Ours { .. } => dwindle(),
            Contestant::Peer(peer) => peer.program(),
        }
    }

    /// Whether the tool is meant for such inputs.
    pub(crate) fn takes(&self, case: &Case) -> bool {
        match self {
            Contestant::Ours { .. } => true,
            Contestant::Peer(peer) => (peer.takes)(case),
        }
    }

    /// Whether it is there and meant for such inputs.
    pub(crate) fn takes_part(&self, case: &Case) -> bool {
        self.takes(case) && self.program().is_ok()
    }

    pub(crate) fn handover(&self) -> Handover {
        match self {
            Contestant::Ours { .. } => Handover::Here,
            Contestant::Peer(peer) => peer.handover,
        }
    }

    pub(crate) fn recipe(&self, program: &Path, setup: &Setup<'_>) -> Result<Recipe> {
        let (preset, granularity, minimizer, without) = match self {
            Contestant::Peer(peer) => return (peer.recipe)(program, setup),
            Contestant::Ours { preset, granularity, minimizer, without } => {
                (preset, granularity, minimizer, without)
            }
        };
        let result = setup.dir.join("reduced");
        // Without a sandbox, as all the others: the wrapper has to count outside the work directory.
        let mut words: Vec<OsString> = vec![program.into(), "reduce".into()];
        words.extend(["--quiet", "--json", "--no-run-dir", "--sandbox", "none", "-j"].map(OsString::from));
        words.extend([setup.jobs.to_string().into(), "-o".into(), result.clone().into()]);
        if preset != DEFAULT_PRESET {
            words.extend(["--preset".into(), preset.into()]);
        }
        if let Some(granularity) = granularity {
            words.extend(["--granularity".into(), granularity.into()]);
        }
        if let Some(minimizer) = minimizer {
            words.extend(["--list-minimizer".into(), minimizer.into()]);
        }
        if let Some(pass) = without {
            words.extend(["--without".into(), pass.into()]);
        }
        if let Some(queries) = setup.queries {
            words.extend(["--max-queries".into(), queries.to_string().into()]);
        }
        words.extend([setup.test.into(), setup.input.into()]);
        Ok(Recipe::new(words, result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_as_they_are_printed() {
        for word in [
            "dwindle",
            "dwindle:ddmin",
            "dwindle:greeddy:token",
            "dwindle:hdd+one-sweep",
            "dwindle without links",
            "cvise",
            "picire",
        ] {
            assert_eq!(Contestant::parse(word).unwrap().name(), word);
        }
        assert!(Contestant::all().iter().all(|one| Contestant::parse(&one.name()).is_ok()));
    }

    #[test]
    fn unknown_names_are_told_what_there_is() {
        let table = [
            ("nosuch", "creduce"),
            ("dwindle:nosuch", "no preset `nosuch`"),
            ("dwindle:ddmin:paragraph", "no granularity `paragraph`"),
        ];
        for (word, part) in table {
            let error = Contestant::parse(word).unwrap_err().to_string();
            assert!(error.contains(part), "{word}: {error}");
        }
    }
}
