//! What a run did beside the reduction: the result formatted, other findings saved, proposals of an outside program.

use std::fmt;

use serde::Serialize;

use crate::format::{count, counted, harmless, plural};

/// What a run did beside the reduction, each part where it was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Extras {
    /// The formatted result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formatted: Option<FormatSummary>,
    /// Other findings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub also: Option<AlsoSummary>,
    /// What an outside program proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposals: Option<ProposalSummary>,
}

/// What became of formatting the result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FormatSummary {
    /// Size of what was written; `null` if nothing was formatted, and the result is written as it is.
    pub bytes: Option<u64>,
    /// The programs that formatted something.
    pub by: Vec<String>,
    /// Why files were left as they are.
    pub left: Vec<String>,
    /// Where the result is kept as it was before, if anywhere.
    pub unformatted: Option<String>,
}

/// Candidates that were not interesting but failed in another way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AlsoSummary {
    /// How many candidates there were.
    pub candidates: u64,
    /// How many of them had a finding that was not saved because there were too many.
    pub dropped: u64,
    /// Where the findings are.
    pub path: String,
    /// The findings, in the order in which they first came.
    pub found: Vec<AlsoFinding>,
}

/// Candidates that fit the same rule with the same text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlsoFinding {
    /// The rule.
    pub rule: String,
    /// What tells it from others of the rule.
    pub text: String,
    /// How many candidates there were.
    pub count: u64,
    /// Size of the smallest one.
    pub bytes: u64,
    /// Where that is.
    pub path: String,
}

/// What an outside program proposed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProposalSummary {
    /// Candidates it offered.
    pub offered: u64,
    /// Those that were not asked about: not smaller or more natural than the best, or offered before.
    pub ignored: u64,
    /// Those that became the best.
    pub accepted: u64,
    /// Why it was asked no more, if it misbehaved.
    pub failed: Option<String>,
}

impl Extras {
    pub(crate) fn write(&self, f: &mut fmt::Formatter<'_>, result_bytes: u64) -> fmt::Result {
        let mut line = |label: &str, text: &str| writeln!(f, "{label:9}{}", harmless(text));
        if let Some(proposals) = &self.proposals {
            let mut text =
                format!("{} offered, {} accepted", count(proposals.offered), count(proposals.accepted));
            if let Some(failed) = &proposals.failed {
                text += &format!("; {failed}");
            }
            line("proposed", &text)?;
        }
        if let Some(also) = &self.also {
            let found = also.found.len() as u64;
            let mut text = match found {
                0 => "nothing else was found".to_owned(),
                _ => format!(
                    "{} in {}, the smallest of each in {}",
                    plural(found, "other finding", "other findings"),
                    plural(also.candidates, "candidate", "candidates"),
                    also.path,
                ),
            };
            if also.dropped > 0 {
                text += &format!("; {} beyond --also-max not saved", count(also.dropped));
            }
            line("also", &text)?;
        }
        if let Some(formatted) = &self.formatted {
            if let Some(bytes) = formatted.bytes {
                let (by, size) = (formatted.by.join(", "), counted(bytes, "byte"));
                line("format", &format!("by {by}: {size} written, {} without", count(result_bytes)))?;
            }
            for left in &formatted.left {
                line("format", &format!("left as it is: {left}"))?;
            }
        }
        Ok(())
    }
}
