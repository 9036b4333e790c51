//! Triage: several tools on many inputs. Is an input that one tool gets wrong a bug of that tool, or is it hard for all?
//!
//! Each tool says of each input whether its own result is wrong; results are never compared with each other. The share
//! of tools that cope is the input's *easiness*. A tool that fails where nearly all cope has a bug; where nearly none
//! copes, the input shows a known limit of the whole kind of tool. Everything here is arithmetic on a matrix of answers.

mod difference;
mod evaluate;
mod panel;
mod table;

pub use difference::{Difference, first_difference, signature};
pub use evaluate::{Confusion, Truth};
pub use panel::Panel;
pub use table::{to_json, to_table};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A tool, by name, and how much its vote counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// What it is called.
    pub name: String,
    /// How much it is trusted, against the others; 1 for all is a plain vote.
    #[serde(default = "one")]
    pub weight: f64,
}

fn one() -> f64 {
    1.0
}

impl Tool {
    /// A tool with a plain vote.
    pub fn new(name: impl Into<String>) -> Self {
        Tool { name: name.into(), weight: 1.0 }
    }
}

/// What is known of one tool on one input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// No evidence that its result is wrong.
    Sound,
    /// Its result is wrong for sure; how that first showed, if it is known.
    Unsound(Option<String>),
    /// It gave no result (a crash, a time limit). Counts as no evidence, and is reported.
    None,
}

impl Answer {
    /// Whether the tool is known to be wrong.
    #[must_use]
    pub fn is_unsound(&self) -> bool {
        matches!(self, Answer::Unsound(_))
    }
}

/// The answers of all tools on one input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The input, by name.
    pub input: String,
    /// One answer a tool, in their order.
    pub answers: Vec<Answer>,
}

/// All answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Matrix {
    /// The tools.
    pub tools: Vec<Tool>,
    /// The inputs with their answers.
    pub rows: Vec<Row>,
}

/// Where easiness becomes a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Thresholds {
    /// From here up an unsound tool has a bug.
    pub bug: f64,
    /// Below this the input is hard for all.
    pub feature: f64,
}

impl Thresholds {
    /// For `n` tools: a bug if it is the only one that fails, a known limit if all fail.
    #[must_use]
    pub fn for_tools(n: usize) -> Self {
        let n = n.max(1) as f64;
        Thresholds { bug: (n - 1.0) / n, feature: 1.0 / n }
    }
}

/// What an input shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// A bug of the tools that fail.
    Bug,
    /// Neither clearly a bug nor clearly a limit.
    Unknown,
    /// A limit that the tools share: most likely they chose to have it.
    Feature,
    /// No tool is known to fail.
    Sound,
}

impl Verdict {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Bug => "bug",
            Verdict::Unknown => "unknown",
            Verdict::Feature => "feature",
            Verdict::Sound => "sound",
        }
    }
}

/// An input with its score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scored {
    /// The input, by name.
    pub input: String,
    /// The weighted share of tools that cope: 1 = all, 0 = none.
    pub easiness: f64,
    /// What follows.
    pub verdict: Verdict,
    /// The tools that are known to fail.
    pub unsound: Vec<String>,
    /// The tools that gave no result.
    pub silent: Vec<String>,
    /// The first difference that any of them showed.
    pub difference: Option<String>,
}

/// Inputs that show the same thing: same verdict, same tools, same first difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// What they show.
    pub verdict: Verdict,
    /// The tools that fail.
    pub unsound: Vec<String>,
    /// How that first showed, with numbers left out.
    pub difference: Option<String>,
    /// The inputs.
    pub inputs: Vec<String>,
}

/// The whole outcome, ready to be printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Triage {
    /// The thresholds that were used.
    pub thresholds: Thresholds,
    /// One entry an input, in the order given.
    pub inputs: Vec<Scored>,
    /// The groups, bugs first, large ones first.
    pub groups: Vec<Group>,
}

/// Why a matrix cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadMatrix {
    /// Nobody to vote.
    #[error("there are fewer than two tools; easiness compares tools, so name at least two")]
    TooFewTools,
    /// A weight that is no weight.
    #[error("the weight of tool `{0}` must be a number above 0")]
    BadWeight(String),
    /// A row that does not fit.
    #[error("input `{input}` has {found} answers for {expected} tools; give one for each")]
    WrongLength {
        /// The input.
        input: String,
        /// How many answers it has.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
}

/// Shares are sums of fractions; two that differ by less than this are the same.
const ROUNDING: f64 = 1e-9;

/// The weighted share of tools that are not known to be wrong.
#[must_use]
pub fn easiness(tools: &[Tool], answers: &[Answer]) -> f64 {
    let total: f64 = tools.iter().map(|tool| tool.weight).sum();
    let unsound = tools.iter().zip(answers).filter(|(_, answer)| answer.is_unsound());
    1.0 - unsound.map(|(tool, _)| tool.weight).sum::<f64>() / total
}

/// What an input of this easiness shows, given whether any tool fails at all.
#[must_use]
pub fn judge(easiness: f64, any_unsound: bool, thresholds: Thresholds) -> Verdict {
    if !any_unsound {
        Verdict::Sound
    } else if easiness >= thresholds.bug - ROUNDING {
        Verdict::Bug
    } else if easiness < thresholds.feature - ROUNDING {
        Verdict::Feature
    } else {
        Verdict::Unknown
    }
}

/// Scores and groups a matrix; thresholds default to those for the number of tools.
///
/// # Errors
/// If there are fewer than two tools, a weight is not positive, or a row does not have one answer a tool.
pub fn triage(matrix: &Matrix, thresholds: Option<Thresholds>) -> Result<Triage, BadMatrix> {
    let tools = &matrix.tools;
    if tools.len() < 2 {
        return Err(BadMatrix::TooFewTools);
    }
    if let Some(tool) = tools.iter().find(|tool| !(tool.weight.is_finite() && tool.weight > 0.0)) {
        return Err(BadMatrix::BadWeight(tool.name.clone()));
    }
    let thresholds = thresholds.unwrap_or_else(|| Thresholds::for_tools(tools.len()));
    let mut inputs = Vec::with_capacity(matrix.rows.len());
    for row in &matrix.rows {
        if row.answers.len() != tools.len() {
            let (found, expected) = (row.answers.len(), tools.len());
            return Err(BadMatrix::WrongLength { input: row.input.clone(), found, expected });
        }
        inputs.push(score(tools, row, thresholds));
    }
    let groups = group(&inputs);
    Ok(Triage { thresholds, inputs, groups })
}

fn score(tools: &[Tool], row: &Row, thresholds: Thresholds) -> Scored {
    let easiness = easiness(tools, &row.answers);
    let named = |wanted: fn(&Answer) -> bool| -> Vec<String> {
        let found = tools.iter().zip(&row.answers).filter(|(_, answer)| wanted(answer));
        found.map(|(tool, _)| tool.name.clone()).collect()
    };
    let (unsound, silent) = (named(Answer::is_unsound), named(|answer| *answer == Answer::None));
    let difference = row.answers.iter().find_map(|answer| match answer {
        Answer::Unsound(difference) => difference.clone(),
        Answer::Sound | Answer::None => None,
    });
    let verdict = judge(easiness, !unsound.is_empty(), thresholds);
    Scored { input: row.input.clone(), easiness, verdict, unsound, silent, difference }
}

fn group(inputs: &[Scored]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for input in inputs.iter().filter(|input| input.verdict != Verdict::Sound) {
        let difference = input.difference.as_deref().map(signature);
        let key = (input.verdict, input.unsound.clone(), difference);
        let place = *places.entry(key.clone()).or_insert(groups.len());
        if place == groups.len() {
            let (verdict, unsound, difference) = key;
            groups.push(Group { verdict, unsound, difference, inputs: Vec::new() });
        }
        groups[place].inputs.push(input.input.clone());
    }
    // Stable, so groups of one size stay in the order in which their first inputs came.
    groups.sort_by_key(|group| (group.verdict, std::cmp::Reverse(group.inputs.len())));
    groups
}
